# The Debian package: `./dev package`, or cpack in the build folder once bsgpc, the libraries and cuda_emulator_portable are built.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME bsgp)
set(CPACK_PACKAGE_CONTACT "The BSGP maintainers <bsgp@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler and runtime of BSGP, for bulk-synchronous parallel programs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "BSGP is a language for bulk-synchronous parallel programs. One function that looks sequential runs in
many threads; barriers end supersteps, which the compiler splits into kernels for all processors of a machine or for an NVIDIA GPU.
.
The package holds the compiler bsgpc, its libraries, the headers and the CMake package for programs in C and C++, a driver library
that runs code for GPUs on the CPU, documentation and examples. Licence: Apache-2.0 WITH LLVM-exception.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_CMAKE_PROJECTS
  "${CMAKE_BINARY_DIR};bsgp;bsgp;/;${CMAKE_BINARY_DIR};bsgp;portable_emulator;/;${CMAKE_BINARY_DIR};bsgp;copyright;/")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# dpkg-shlibdeps names libLLVM's package only sometimes: the link to it in LLVM's own folder, which is in the files' run path, is of
# another package, and which of the two counts varies from run to run. `bsgpc build` links with g++, and the headers are for it.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libllvm${LLVM_VERSION_MAJOR}, g++ | c++-compiler")
# libbsgp loads it when products of matrices or linear algebra are computed.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenblas0")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, bash-completion, man-db")
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT copyright EXCLUDE_FROM_ALL)
include(CPack)
