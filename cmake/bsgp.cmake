# bsgp_add_library(NAME FILE.bsgp [HEADER name.h] [OPTIONS option...] [INCLUDES folder...])
#
# A static library of the functions that FILE exports, compiled by bsgpc. Who links it gets the folder of the generated
# header (default: FILE's name with .h), the runtime, the libraries that FILE names (extern "name";) or that modules it includes
# name, and C++'s linker. It is made anew when FILE or what it includes changes.
#
#   find_package(bsgp REQUIRED)
#   bsgp_add_library(sort sort.bsgp OPTIONS --cpu x86-64-v3)
#   add_executable(main main.cpp)                # #include "sort.h"
#   target_link_libraries(main PRIVATE sort)
#
# OPTIONS are those of 'bsgpc compile'; INCLUDES are searched for #include "file". A relative FILE or folder stands in the
# current source folder.
function(bsgp_add_library name file)
  cmake_parse_arguments(PARSE_ARGV 2 F "" "HEADER" "OPTIONS;INCLUDES")
  if(F_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "bsgp_add_library(${name}): what is '${F_UNPARSED_ARGUMENTS}'? Known: HEADER, OPTIONS, INCLUDES")
  endif()
  get_filename_component(source "${file}" ABSOLUTE)
  if(NOT EXISTS "${source}" AND NOT IS_ABSOLUTE "${file}")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${file}") # made by another rule
  endif()
  get_filename_component(stem "${file}" NAME_WE)
  if(NOT F_HEADER)
    set(F_HEADER "${stem}.h")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.bsgp.dir")
  set(object "${folder}/${stem}.o")
  set(link "${folder}/${stem}.link")
  set(header "${folder}/include/${F_HEADER}")
  get_filename_component(header_folder "${header}" DIRECTORY)
  file(MAKE_DIRECTORY "${header_folder}")
  set(includes)
  foreach(include IN LISTS F_INCLUDES)
    get_filename_component(include "${include}" ABSOLUTE)
    list(APPEND includes "-I${include}")
  endforeach()
  add_custom_command(
    OUTPUT "${object}" "${header}" "${link}"
    COMMAND bsgp::bsgpc compile "${source}" -o "${object}" --header "${header}" --link-options "${link}" --depfile "${object}.d"
            ${includes} ${F_OPTIONS}
    DEPENDS "${source}" bsgp::bsgpc
    DEPFILE "${object}.d"
    COMMENT "BSGP ${file}"
    VERBATIM)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${name} STATIC "${object}" "${header}")
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${name} INTERFACE "${folder}/include")
  target_link_libraries(${name} INTERFACE bsgp::runtime)
  target_link_options(${name} INTERFACE "LINKER:@${link}") # the libraries, which the compiler knows
endfunction()
