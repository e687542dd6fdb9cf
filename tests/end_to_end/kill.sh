#!/usr/bin/env bash
# SIGKILL at any moment leaves the old OUT or none, and the next run cleans up; Ctrl-C cleans up at once; two runs on
# one OUT: one is told that it is locked. KILLS sets how many times the first is tried.
. "$(dirname "$0")/lib.sh"

kills=${KILLS:-30}
sample old
fingerprint old >old.txt
start=$(date +%s%N)
sample timed
length=$(($(date +%s%N) - start))
rm -rf timed

for ((i = 0; i < kills; i++)); do
  rm -rf out
  [ $((i % 2)) = 0 ] || cp -a old out
  setsid "$TORCHPATCH" prepare --version 1.1.0 --board jetson-nano --source sample --output out --replace --quiet >/dev/null 2>&1 &
  pid=$!
  sleep "$(awk -v n="$length" -v i="$i" -v k="$kills" 'BEGIN { printf "%.4f", n * i / k / 1e9 }')"
  kill -KILL -- "-$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  if [ -e out ]; then
    "$TORCHPATCH" verify out --quiet >/dev/null || fail "kill $i left a broken tree"
  fi
done
sample out --replace
fingerprint out | diff old.txt - >/dev/null || fail "the run after the kills gave another tree"
[ "$(find . -maxdepth 1 -name '.*torchpatch*')" = "" ] || fail "staging was left: $(ls -A)"

# A signal may come too late to stop a run this short: try until one does.
status=0
for ((i = 0; i < 50 && status == 0; i++)); do
  rm -rf interrupted
  env --default-signal=INT "$TORCHPATCH" prepare --version 1.1.0 --board tx2 --source sample --output interrupted --quiet >/dev/null &
  pid=$!
  while [ ! -e .interrupted.torchpatch-staging ] && [ ! -e interrupted ] && kill -0 "$pid" 2>/dev/null; do :; done
  kill -INT "$pid" 2>/dev/null || true
  wait "$pid" || status=$?
  [ ! -e .interrupted.torchpatch-staging ] || fail "Ctrl-C left staging"
done
[ "$status" = 130 ] || fail "no run was interrupted: the last ended with $status"
[ ! -e interrupted ] || fail "Ctrl-C left OUT"

exec 9<"$(mkdir .locked.torchpatch-staging && echo .locked.torchpatch-staging)"
flock -n 9 || fail "flock"
expect_status 7 sample locked
expect_text err.txt "lock"
exec 9<&-
expect_status 0 sample locked
echo "$kills kills, one interrupt (status $status), one lock"
