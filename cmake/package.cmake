# The Debian packages: `./dev package`, or cpack in the build folder once bsgpc, the libraries, cuda_emulator_portable and bsgp_python are
# built. python3-bsgp uses the library of package bsgp: on a machine there is one libbsgp, with one cache of compiled code.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_PACKAGE_NAME bsgp)
set(CPACK_PACKAGE_CONTACT "The BSGP maintainers <bsgp@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_COMPONENTS_ALL bsgp portable_emulator copyright)
foreach(component BSGP PORTABLE_EMULATOR COPYRIGHT)
  set(CPACK_COMPONENT_${component}_GROUP bsgp)
endforeach()
set(CPACK_DEBIAN_BSGP_PACKAGE_NAME bsgp)
set(CPACK_DEBIAN_BSGP_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_BSGP_DESCRIPTION "compiler and runtime of BSGP, for bulk-synchronous parallel programs
BSGP is a language for bulk-synchronous parallel programs. One function that looks sequential runs in
many threads; barriers end supersteps, which the compiler splits into kernels for all processors of a machine or for an NVIDIA GPU.
.
The package holds the compiler bsgpc, its libraries, the headers and the CMake package for programs in C and C++, a driver library
that runs code for GPUs on the CPU, documentation and examples. Licence: Apache-2.0 WITH LLVM-exception.")
# dpkg-shlibdeps names libLLVM's package only sometimes: the link to it in LLVM's own folder, which is in the files' run path, is of
# another package, and which of the two counts varies from run to run. `bsgpc build` links with g++, and the headers are for it.
set(CPACK_DEBIAN_BSGP_PACKAGE_DEPENDS "libllvm${LLVM_VERSION_MAJOR}, g++ | c++-compiler")
# libbsgp loads it when products of matrices or linear algebra are computed.
set(CPACK_DEBIAN_BSGP_PACKAGE_RECOMMENDS "libopenblas0")
set(CPACK_DEBIAN_BSGP_PACKAGE_SUGGESTS "cmake, bash-completion, man-db")
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT copyright EXCLUDE_FROM_ALL)

if(BSGP_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-bsgp)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION "lazy arrays of BSGP for Python
Arrays with the interface of NumPy, whose whole expressions are computed in few passes, on all processors of a machine or on an NVIDIA
GPU. Licence: Apache-2.0 WITH LLVM-exception.")
  # The module is of one version of Python, and works with each NumPy from 1.24 on.
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "bsgp (= ${PROJECT_VERSION}), ${BSGP_PYTHON_DEPENDS}, python3-numpy (>= 1:1.24)")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}) # has libbsgp
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/python/debian/postinst ${CMAKE_SOURCE_DIR}/python/debian/prerm)
endif()
include(CPack)
