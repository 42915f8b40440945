# What `cmake --install` puts where, and the CMake package: of the installed tree, which may be moved, and of the build tree
# (-Dbsgp_DIR=BUILD/cmake).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bsgp)
set(package_files ${CMAKE_BINARY_DIR}/cmake/installed)

# bsgp_package(FOLDER INSTALL_DESTINATION ... INSTALL_PREFIX ...): BSGP_FUNCTIONS is the place of bsgp.cmake.
function(bsgp_package folder)
  configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/bsgp-config.cmake.in ${folder}/bsgp-config.cmake ${ARGN}
    PATH_VARS BSGP_FUNCTIONS)
  write_basic_package_version_file(${folder}/bsgp-config-version.cmake COMPATIBILITY SameMinorVersion)
endfunction()

set(BSGP_FUNCTIONS ${package_dir}/bsgp.cmake)
bsgp_package(${package_files} INSTALL_DESTINATION ${package_dir})
set(BSGP_FUNCTIONS cmake/bsgp.cmake)
bsgp_package(${CMAKE_BINARY_DIR}/cmake INSTALL_DESTINATION ${CMAKE_BINARY_DIR}/cmake INSTALL_PREFIX ${CMAKE_SOURCE_DIR})

# They find libLLVM where it was linked from.
set_target_properties(bsgpc bsgp PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS bsgpc bsgp_runtime bsgp_rt bsgp bsgp_image EXPORT bsgp
  RUNTIME COMPONENT bsgp LIBRARY COMPONENT bsgp NAMELINK_COMPONENT bsgp ARCHIVE COMPONENT bsgp
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT bsgp NAMESPACE bsgp:: FILE bsgp-targets.cmake DESTINATION ${package_dir} COMPONENT bsgp)
export(EXPORT bsgp NAMESPACE bsgp:: FILE ${CMAKE_BINARY_DIR}/cmake/bsgp-targets.cmake)
install(FILES ${package_files}/bsgp-config.cmake ${package_files}/bsgp-config-version.cmake ${CMAKE_SOURCE_DIR}/cmake/bsgp.cmake
  DESTINATION ${package_dir} COMPONENT bsgp)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/bsgp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT bsgp
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES ${CMAKE_SOURCE_DIR}/share/man/man1/bsgpc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT bsgp)
install(FILES ${CMAKE_SOURCE_DIR}/share/bash-completion/completions/bsgpc
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT bsgp)
install(FILES ${CMAKE_SOURCE_DIR}/third_party/pocketfft/LICENSE.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.pocketfft COMPONENT bsgp)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT bsgp)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT bsgp)
