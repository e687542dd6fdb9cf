#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Submits the jobs of all pairs, or of those whose NUMBERs are given again: sh submit.sh [NUMBER…]. Written by torchpatch.
set -eu
CDPATH=''

# @MATRIX@

# CPUs, MiB, minutes, the board's feature, and the pairs of each array.
# @SUBMIT_GROUPS@

wanted=$*
after=''
jobs=''

# Submits a job with that log, and prints its number.
submit() { # LOG COMMAND SBATCH-OPTION…
  log=$1
  command=$2
  shift 2
  id=$(sbatch --parsable --job-name=torchpatch --chdir="$here" --requeue --kill-on-invalid-dep=yes --open-mode=append \
    --output="$results/$log" --wrap "exec $command" "$@") || fail "sbatch refused the job whose log is $log; nothing after it was submitted" 7
  printf '%s\n' "${id%%;*}"
}

# Those of the numbers that are wanted, with commas: all where none are named.
select_numbers() { # NUMBER…
  list=''
  for number in "$@"; do
    [ -z "$wanted" ] || case " $wanted " in *" $number "*) ;; *) continue ;; esac
    list=$list,$number
  done
  printf '%s' "${list#,}"
}

# An array of jobs of one size, on any machine or on those with the board's feature.
submit_pairs() { # CPUS MIB MINUTES BOARD NUMBER…
  cpus=$1
  mib=$2
  minutes=$3
  feature=$4
  shift 4
  numbers=$(select_numbers "$@")
  [ -n "$numbers" ] || return 0
  # Near its time a job is told, so that it can say so.
  # shellcheck disable=SC2016  # the job expands it
  job=$(submit 'job-%a.log' 'sh ./pair.sh "$SLURM_ARRAY_TASK_ID"' --array="$numbers" --cpus-per-task="$cpus" \
    --mem="${mib}M" --time="$minutes" --signal=B:TERM@60 ${feature:+--constraint="$feature"} ${after:+--dependency="$after"})
  jobs=$jobs:$job
  say "pairs $numbers: job $job"
}

mkdir -p -- "$results"
if [ -z "$wanted" ]; then
  sources=$(submit sources.log 'sh ./sources.sh' --mem=4G --time=720)
  say "sources: job $sources"
  after=afterok:$sources
fi
submit_groups
[ -n "$jobs" ] || fail "unknown pairs: $wanted; 'torchpatch matrix status $here' lists their numbers" 2
gather=$(submit gather.log 'sh ./gather.sh' --mem=1G --time=30 --dependency="afterany$jobs")
say "gather: job $gather"
