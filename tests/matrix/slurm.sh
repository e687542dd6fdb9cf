#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs a matrix with Slurm on this machine: its daemons from Debian (slurmctld, slurmd, munge) on loopback, as root, taken down
# again. With TORCHPATCH, and TORCHPATCH_MIRROR, a folder of copies of PyTorch's repositories.
#
#   tests/matrix/slurm.sh
#
# Real trees of 1.1.0 and 1.5.1, builds that stub_build.py stands for. In the middle the node's daemon is killed and started again;
# a pair fails on purpose, and is run again alone. With BUILDS, the directory of tests/builds/build.sh, last a real build:
# torch and torchvision 1.8.1 for a Raspberry Pi 4 by the sysroot recipe, with the compiler cache that lies there.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TORCHPATCH=$(readlink -e -- "${TORCHPATCH:?set TORCHPATCH to the program under test}")
SOURCES=$(readlink -e -- "${TORCHPATCH_MIRROR:?set TORCHPATCH_MIRROR to a folder with copies of the repositories}")
export TORCHPATCH SOURCES
work=$(mktemp -d /var/tmp/torchpatch-slurm.XXXXXX)
host=$(hostname -s)

stop() {
  for name in slurmd slurmctld munged; do
    if [ -f "$work/$name.pid" ]; then kill "$(cat "$work/$name.pid")" 2>/dev/null || :; fi
  done
  sleep 1
  [ -n "${KEEP:-}" ] || rm -rf "$work"
}
trap stop EXIT

start_munge() {
  mkdir "$work/munge"
  chown munge: "$work/munge"
  chmod 755 "$work" "$work/munge"
  dd if=/dev/urandom of="$work/munge/key" bs=32 count=1 status=none
  chown munge: "$work/munge/key"
  chmod 400 "$work/munge/key"
  runuser -u munge -- munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed"
  ln -s munge/pid "$work/munged.pid"
}

write_configuration() {
  mkdir "$work/spool" "$work/state"
  cat >"$work/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=10
SlurmctldPort=17817
SlurmdPort=17818
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmdSpoolDir=$work/spool
StateSaveLocation=$work/state
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
JobRequeue=1
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=8192 Feature=tx2,jetson-nano
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
  export SLURM_CONF=$work/slurm.conf
}

start_node() {
  slurmd -f "$SLURM_CONF"
}

# As a node does that loses its power: the daemon, and whatever its jobs run.
kill_node() {
  local pids=() parents next
  parents=$(for pid in $(pgrep -f "^slurmstepd: \["); do ! grep -qs "$work" "/proc/$pid/environ" || echo "$pid"; done)
  while [ -n "$parents" ]; do
    next=''
    for pid in $parents; do
      pids+=("$pid")
      next+=" $(pgrep -P "$pid" || :)"
    done
    parents=${next# }
    parents=${parents%% }
  done
  kill -KILL "$(cat "$work/slurmd.pid")" "${pids[@]}"
  rm -f "$work/slurmd.pid"
}

jobs_left() {
  squeue --noheader --format '%i %t %r' | grep -c -v DependencyNeverSatisfied || :
}

wait_for_jobs() { # SECONDS
  local until=$((SECONDS + $1))
  while [ "$(jobs_left)" -gt 0 ]; do
    if [ "$SECONDS" -gt "$until" ]; then
      squeue
      tail -n 20 "$work/slurmctld.log" "$work/slurmd.log"
      echo "slurm.sh: error: jobs are left after $1 seconds" >&2
      exit 1
    fi
    sleep 1
  done
}

state_of() { # PAIR
  sed -n 's/^  "state": "\(.*\)",$/\1/p' "$work/matrix/results/$1/pair.json" 2>/dev/null
}

expect() { # WHAT FOUND WANTED
  if [ "$2" != "$3" ]; then
    echo "slurm.sh: error: $1: '$2', wanted '$3'" >&2
    exit 1
  fi
  echo "slurm.sh: $1: $2"
}

start_munge
write_configuration
slurmctld -f "$SLURM_CONF"
start_node
for _ in $(seq 30); do
  sinfo --noheader --format %t 2>/dev/null | grep -q idle && break
  sleep 1
done
sinfo

"$TORCHPATCH" matrix --versions '==1.5.1' --boards tx2,ultra96,pynq-z2 --component torch --emit slurm --output "$work/matrix"
"$TORCHPATCH" matrix --versions '==1.1.0' --boards tx2,ultra96,pynq-z2 --component torch --emit slurm --output "$work/old"
export BUILD_WITH=$here/stub_build.py STUB_SECONDS=${STUB_SECONDS:-15} STUB_FAIL=pynq-z2 STUB_LOG=$work/starts

sh "$work/matrix/submit.sh"
until [ "$(grep -c . "$work/starts" 2>/dev/null || echo 0)" -ge 1 ]; do sleep 1; done
squeue
echo "slurm.sh: the node dies"
kill_node
until sinfo --noheader --format %t | grep -q down; do sleep 1; done
squeue
"$TORCHPATCH" matrix status "$work/matrix" || :
echo "slurm.sh: the node is back"
start_node
wait_for_jobs 600
"$TORCHPATCH" matrix status "$work/matrix" && status=0 || status=$?
expect "exit code of matrix status" "$status" 1
failed=$(basename "$(dirname "$(grep -l '"state": "failed"' "$work"/matrix/results/*/pair.json)")")
expect "the pair that failed" "${failed%-pynq-2*}" 1.5.1-pynq-z2
expect "wheels" "$(find "$work/matrix/results" -name '*.whl' | wc -l)" 2
expect "builds, of which one was lost with the node" "$(wc -l <"$work/starts")" 4

number=$(sed -n "s/^    \([0-9]*\) | $failed) id=.*/\1/p" "$work/matrix/pair.sh" | head -n 1)
before=$(wc -l <"$work/starts")
STUB_FAIL='' sh "$work/matrix/submit.sh" "$number"
wait_for_jobs 300
expect "builds that the pair alone took" "$(($(wc -l <"$work/starts") - before))" 1
expect "its state" "$(state_of "$failed")" "done"
"$TORCHPATCH" matrix status "$work/matrix"

STUB_FAIL='' sh "$work/old/submit.sh"
wait_for_jobs 600
"$TORCHPATCH" matrix status "$work/old"

[ -n "${BUILDS:-}" ] || exit 0
"$TORCHPATCH" matrix --versions '==1.8.1' --boards rpi4 --image debian-11 --component torch --component vision --set BUILD_CAFFE2_OPS=0 \
  --cache ccache --emit slurm --output "$work/real"
mkdir -p "$BUILDS/ccache"
unset BUILD_WITH
CACHE=$BUILDS/ccache sh "$work/real/submit.sh"
wait_for_jobs 20000
"$TORCHPATCH" matrix status "$work/real"
ls -l "$work"/real/results/*/*.whl
