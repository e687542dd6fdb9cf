
# torchpatch: one compile job for every @MIB@ MiB of memory and swap, at most one per CPU; fewer if the compiler
# is killed ('fatal error: Killed signal terminated program cc1plus').
if [ -z "${MAX_JOBS:-}" ]; then
  MAX_JOBS=$(awk -v processors="$(getconf _NPROCESSORS_ONLN)" '
    /^(MemTotal|SwapTotal):/ { mib += $2 / 1024 }
    END {
      jobs = int(mib / @MIB@)
      if (jobs > processors + 0) jobs = processors + 0
      print jobs < 1 ? 1 : jobs
    }' /proc/meminfo)
  export MAX_JOBS
fi
