# BSGP_HEADER_VERSION: the number stands in the C header, where programs can ask for it too.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/bsgp/bsgp.h lines REGEX "^#define BSGP_VERSION_")
set(BSGP_HEADER_VERSION)
foreach(part MAJOR MINOR PATCH)
  string(REGEX MATCH "BSGP_VERSION_${part} ([0-9]+)" ignored "${lines}")
  list(APPEND BSGP_HEADER_VERSION ${CMAKE_MATCH_1})
endforeach()
list(JOIN BSGP_HEADER_VERSION "." BSGP_HEADER_VERSION)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../include/bsgp/bsgp.h)
