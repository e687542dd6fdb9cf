# Every time in a package is that of the commit.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C "${CPACK_TORCHPATCH_SOURCE_DIR}" log -1 --format=%ct
    OUTPUT_VARIABLE commit_time OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT commit_time)
    set(commit_time 315532800)  # 1980-01-01: a source tree without its history
  endif()
  set(ENV{SOURCE_DATE_EPOCH} "${commit_time}")
endif()
