# Read by cpack before each generator.
include("${CMAKE_CURRENT_LIST_DIR}/reproducible.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake")
