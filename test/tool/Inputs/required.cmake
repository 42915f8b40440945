cmake_minimum_required(VERSION 3.20)
include(${CMAKE_CURRENT_LIST_DIR}/../../../cmake/required.cmake)
bsgp_required(nlohmann_json nlohmann-json3-dev 3.11 CONFIG HINTS /usr)
message("it is found")
