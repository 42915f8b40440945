# bsgp_required(NAME DEBIAN_PACKAGE [ARGUMENTS OF find_package...]): find_package, which tells what to install where it finds nothing.
macro(bsgp_required name debian_package)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    set(wanted "${ARGN}")
    list(FILTER wanted INCLUDE REGEX "^[0-9]")
    string(JOIN " " wanted ${name} ${wanted})
    message(FATAL_ERROR "BSGP needs ${wanted}, which CMake does not find: on Debian, apt install ${debian_package}. "
      "Elsewhere the environment variable ${name}_ROOT names its folder.")
  endif()
endmacro()
