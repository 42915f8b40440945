# One library per folder of src/. A folder names the folders it may include (its LIBS); tools/check_includes.py holds
# the sources to the same directions.

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
# LLVM allocates a GlobalVariable by User::operator new(size, operands), which GCC 12 does not match with its operator delete.
add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-mismatched-new-delete>)
include_directories(${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
if(BSGP_WERROR)
  add_compile_options(-Werror)
endif()

# Of what programs link: its name in the CMake package and, where it is shared, the version that programs ask for.
function(bsgp_exported target name)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>)
endfunction()

# bsgp_folder(NAME SOURCES... LIBS other folders...)
function(bsgp_folder name)
  cmake_parse_arguments(F "" "" "SOURCES;LIBS" ${ARGN})
  add_library(bsgp_${name} STATIC ${F_SOURCES})
  target_link_libraries(bsgp_${name} PUBLIC ${F_LIBS})
endfunction()

# A folder that uses LLVM: system includes, one precompiled header shared by all of them.
function(bsgp_llvm_folder name)
  bsgp_folder(${name} ${ARGN})
  target_include_directories(bsgp_${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
  target_link_libraries(bsgp_${name} PUBLIC LLVM)
  if(name STREQUAL "ir") # the first in order owns the precompiled header
    target_precompile_headers(bsgp_${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/llvm_pch.h)
  else()
    target_precompile_headers(bsgp_${name} REUSE_FROM bsgp_ir)
  endif()
endfunction()
