# SPDX-License-Identifier: BSD-3-Clause
# Included by the tree's own project(). The options are all set where the tree includes the first of its own modules:
# there the configuration ends, and what it has made of USE_NCCL must be EXPECTED.
macro(include module)
  if("${module}" MATCHES "^cmake/")
    foreach(variable USE_NCCL NCCL_EXTERNAL)
      if(DEFINED ${variable} AND NOT "${${variable}}" STREQUAL "${EXPECTED}")
        message(FATAL_ERROR "${variable} is ${${variable}}, not ${EXPECTED}")
      endif()
    endforeach()
    message(STATUS "USE_NCCL is ${USE_NCCL}")
    return()
  endif()
  _include(${ARGV})
endmacro()
