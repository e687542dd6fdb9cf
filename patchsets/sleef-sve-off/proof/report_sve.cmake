# SPDX-License-Identifier: BSD-3-Clause
# Included by SLEEF's project(): at the end of its configuration, SVE must have been left out.
function(report_sve)
  if(COMPILER_SUPPORTS_SVE)
    message(FATAL_ERROR "SLEEF builds its functions for SVE")
  endif()
  message(STATUS "SLEEF leaves its functions for SVE out")
endfunction()
cmake_language(DEFER CALL report_sve)
