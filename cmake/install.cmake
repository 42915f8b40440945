# What `cmake --install` puts where, and the CMake package: of the build tree (-Dbsgp_DIR=BUILD/cmake) and of the installed one.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(BSGP_PACKAGE_PLACE "the build tree")
set(BSGP_PACKAGE_PATHS "set(BSGP_BIN_DIR \"${CMAKE_BINARY_DIR}/bin\")
set(BSGP_LIB_DIR \"${CMAKE_BINARY_DIR}/lib\")
set(BSGP_INCLUDE_DIR \"${CMAKE_SOURCE_DIR}/include\")
set(BSGP_CMAKE_DIR \"${CMAKE_SOURCE_DIR}/cmake\")")
configure_file(${CMAKE_SOURCE_DIR}/cmake/bsgp-config.cmake.in ${CMAKE_BINARY_DIR}/cmake/bsgp-config.cmake @ONLY)

# Relative to the file itself: the installed tree may be moved.
set(BSGP_PACKAGE_PLACE "an installation")
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bsgp)
file(RELATIVE_PATH up /${package_dir} /)
set(BSGP_PACKAGE_PATHS "get_filename_component(BSGP_PREFIX \"\${CMAKE_CURRENT_LIST_DIR}/${up}\" ABSOLUTE)
set(BSGP_BIN_DIR \"\${BSGP_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
set(BSGP_LIB_DIR \"\${BSGP_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
set(BSGP_INCLUDE_DIR \"\${BSGP_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
set(BSGP_CMAKE_DIR \"\${CMAKE_CURRENT_LIST_DIR}\")")
configure_file(${CMAKE_SOURCE_DIR}/cmake/bsgp-config.cmake.in ${CMAKE_BINARY_DIR}/cmake/installed/bsgp-config.cmake @ONLY)
foreach(folder cmake cmake/installed)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/${folder}/bsgp-config-version.cmake COMPATIBILITY SameMinorVersion)
endforeach()

# They find libLLVM where it was linked from.
set_target_properties(bsgpc bsgp PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS bsgpc RUNTIME)
install(TARGETS bsgp_runtime ARCHIVE)
install(TARGETS bsgp bsgp_rt LIBRARY)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/bsgp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES ${CMAKE_BINARY_DIR}/cmake/installed/bsgp-config.cmake ${CMAKE_BINARY_DIR}/cmake/installed/bsgp-config-version.cmake
  ${CMAKE_SOURCE_DIR}/cmake/bsgp.cmake DESTINATION ${package_dir})
