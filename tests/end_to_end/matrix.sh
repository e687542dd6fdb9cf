#!/usr/bin/env bash
# A matrix without an engine: its scripts run as the jobs of each would run them, on the embedded upstream, with a build that
# tests/matrix/stub_build.py stands for. What fails is told and kept, what is done is not done again, and a killed pair goes on.
. "$(dirname "$0")/lib.sh"

for tool in shellcheck flock aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc; do command -v "$tool" >/dev/null || skip "$tool is missing"; done
export TORCHPATCH BUILD_WITH=$CHECKOUT/tests/matrix/stub_build.py STUB_LOG=$WORK/starts

matrix() { # ENGINE OUTPUT OPTION…
  "$TORCHPATCH" matrix --versions '==1.9.1' --boards rpi4,zcu104,rpi3 --component torch --source sample --emit "$1" --output "$2" "${@:3}" \
    >"$WORK/matrix.txt"
}

for engine in github-actions gitlab-ci slurm kubernetes; do
  for cache in none ccache sccache distcc; do
    matrix "$engine" "$engine-$cache" --cache "$cache"
    shellcheck "$engine-$cache"/*.sh
    for script in "$engine-$cache"/*.sh; do sh -n "$script" && busybox sh -n "$script" || fail "$script is no sh"; done
  done
  (umask 077 && cd / && LC_ALL=C TZ=Asia/Tokyo matrix "$engine" "$WORK/again-$engine" --cache none)
  diff -r "$engine-none" "again-$engine" || fail "$engine: two runs differ"
done

cd slurm-none
state_of() { sed -n 's/^  "state": "\(.*\)",$/\1/p' "results/$1/pair.json"; }
pair=$(sed -n "s/^    1 | \(.*\)) id=.*/\1/p" pair.sh)
failing=$(sed -n "s/^    3 | \(.*\)) id=.*/\1/p" pair.sh)

expect_status 0 sh sources.sh
[ "$(state_of sources)" = done ] || fail "the sources are '$(state_of sources)'"

# Sources that are missing are a failure of the job that fetches them.
(cd .. && "$TORCHPATCH" matrix --versions '==1.1.0' --boards tx2 --emit slurm --output lacking >/dev/null)
SOURCES=$WORK/nowhere expect_status 1 sh ../lacking/sources.sh
expect_text "$WORK/err.txt" "write the matrix again (torchpatch matrix --replace) with --allow-partial or fewer --component"
expect_status 1 "$TORCHPATCH" matrix status ../lacking
expect_text "$WORK/out.txt" ": torchpatch: error: looking for repositories in '$WORK/nowhere': no such directory; sources/prepare.log"
expect_text "$WORK/out.txt" "not started: the job 'sources' failed"
expect_status 0 sh pair.sh 1
[ "$(state_of "$pair")" = done ] || fail "the first pair is '$(state_of "$pair")'"
[ ! -d "work/$pair" ] || fail "the work of a pair that is done is still there"
(cd "results/$pair" && sha256sum --check --quiet SHA256SUMS && ls torch-*.whl wheels.json run.json build.log >/dev/null) || fail "something was not kept"

# Done is done, by its name or its number; a changed wheel is not.
expect_status 0 sh pair.sh "$pair"
expect_text "$WORK/err.txt" "is already done"
mkdir -p "work/$pair/out" # of a run that was killed while it removed its work
expect_status 0 sh pair.sh "$pair"
[ ! -d "work/$pair" ] || fail "what a killed run left is still there"
[ "$(wc -l <"$STUB_LOG")" = 1 ] || fail "a pair that was done was built again"
printf x >>"results/$pair"/torch-*.whl
expect_status 0 sh pair.sh "$pair"
[ "$(wc -l <"$STUB_LOG")" = 2 ] || fail "a pair whose wheel was changed was not built again"

# What a matrix with other options made of the pair is not taken for its own.
sed "s/digest=[0-9a-f]*/digest=$(printf '%064d' 0)/" pair.sh >other.sh
expect_status 1 sh other.sh 1
expect_text "$WORK/err.txt" "results/$pair belongs to another matrix (other options, catalog or program)"
(cd "results/$pair" && sha256sum --check --quiet SHA256SUMS) || fail "the results of another matrix were lost"
RESULTS=$WORK/elsewhere STUB_FAIL=rpi4 expect_status 1 sh other.sh 1
RESULTS=$WORK/third expect_status 1 sh pair.sh 1
expect_text "$WORK/err.txt" "work/$pair belongs to another matrix (other options, catalog or program)"
rm -r "work/$pair" other.sh
sed -i '$d' "$STUB_LOG"

# Nothing that never ends is read, and nothing is written through a link.
mkdir -p "$WORK/odd/$pair" && mkfifo "$WORK/odd/$pair/pair.json"
RESULTS=$WORK/odd expect_status 1 timeout 30 sh pair.sh 1
expect_text "$WORK/err.txt" "pair.json' is not a regular file: remove it"
ln -sf "$WORK/precious" "$WORK/odd/$pair/pair.json"
RESULTS=$WORK/odd expect_status 1 sh pair.sh 1
[ ! -e "$WORK/precious" ] || fail "a link was written through"
digest=$(sed -n "s/.*digest=\([0-9a-f]*\).*/\1/p" pair.sh | head -n 1)
rm "$WORK/odd/$pair/pair.json"
printf '{"state": "done", "digest": "%s"}' "$digest" >"$WORK/odd/$pair/pair.json"
echo "$(printf '%064d' 0)  /dev/zero" >"$WORK/odd/$pair/SHA256SUMS"
RESULTS=$WORK/odd STUB_FAIL=rpi4 expect_status 1 timeout 60 sh pair.sh 1
rm -rf "work/$pair"
sed -i '$d' "$STUB_LOG"

# A failure says why, and loses nothing.
STUB_FAIL=rpi3 expect_status 1 sh pair.sh 3
expect_text "$WORK/err.txt" "pair.sh: error: $failing failed at build; what was built is kept; to resume, run pair.sh $failing again"
expect_status 1 "$TORCHPATCH" matrix status . --json
python3 - "$WORK/out.txt" <<'END' || fail "$(cat "$WORK/out.txt")"
import json, sys
status = json.load(open(sys.argv[1]))
pairs = status["pairs"]
assert not status["ok"] and [pair["state"] for pair in pairs] == ["done", "waiting", "failed"], pairs
assert pairs[2]["stage"] == "build" and pairs[2]["reason"] == 'error: this board\'s builds "fail" \\ on request', pairs[2]
assert pairs[2]["log"].endswith("/build.log") and pairs[1]["stage"] is None and pairs[0]["log"].endswith("/keep.log"), pairs
END
expect_status 1 sh gather.sh
expect_text results/status.html "failed, build"
expect_text "$WORK/out.txt" "3 pairs: 1 failed, 1 waiting, 1 done"

# Killed, it says so where it can; the next run goes on behind what was prepared.
pair=$(sed -n "s/^    2 | \(.*\)) id=.*/\1/p" pair.sh)
for signal in TERM HUP KILL; do
  STUB_SECONDS=60 sh pair.sh 2 2>/dev/null &
  running=$!
  for _ in $(seq 200); do grep -qs '"stage": "build"' results/*/pair.json && [ "$(wc -l <"$STUB_LOG")" -gt 3 ] && break; sleep 0.1; done
  stage=$(pgrep --parent "$running" --full pair.sh)
  kill "-$signal" "$running"
  [ "$signal" != KILL ] || kill -KILL -- "-$stage"
  wait "$running" 2>/dev/null && fail "it ended well at $signal"
  case $signal in KILL) wanted=running ;; *) wanted=failed ;; esac
  [ "$(state_of "$pair")" = "$wanted" ] || fail "at $signal its state is '$(state_of "$pair")'"
  [ -d "work/$pair/out" ] || fail "at $signal the tree was lost"
  sed -i '$d' "$STUB_LOG"
done
expect_status 0 sh pair.sh 2
expect_text "results/$pair/prepare.log" "/out exists"

# Two jobs with one pair: the second waits, and finds it done.
rm -r "results/$pair"
STUB_SECONDS=2 sh pair.sh 2 2>/dev/null &
STUB_SECONDS=2 sh pair.sh 2 2>/dev/null
wait $!
[ "$(wc -l <"$STUB_LOG")" = 5 ] || fail "one pair was built twice at a time: $(cat "$STUB_LOG")"

# Who is not root asks sudo, which passes on what run.sh reads.
mkdir "$WORK/user"
printf '#!/bin/sh\necho 1000\n' >"$WORK/user/id"
printf '#!/bin/sh\necho "$*" >>"%s"\nwhile [ "$1" != -- ]; do shift; done\nshift\n"$@"\n' "$WORK/sudo.txt" >"$WORK/user/sudo"
chmod +x "$WORK/user/id" "$WORK/user/sudo"
rm -r "results/$pair"
PATH=$WORK/user:$PATH expect_status 0 sh pair.sh 2
expect_text "$WORK/sudo.txt" "-n --preserve-env=MAX_JOBS,http_proxy,https_proxy,no_proxy,HTTP_PROXY,HTTPS_PROXY,NO_PROXY -- "

printf '#!/bin/sh\nexit 1\n' >"$WORK/user/sudo"
rm -r "results/$pair"
PATH=$WORK/user:$PATH BUILD_WITH='' expect_status 1 sh pair.sh 2
expect_text "$WORK/err.txt" "pair.sh: error: $pair: its build needs root: run pair.sh as root, or allow sudo without a password"
expect_text "results/$pair/pair.json" '"reason": "its build needs root"'
[ ! -e "work/$pair/out" ] || fail "a build that lacks root prepared its tree"
expect_status 0 sh pair.sh 2

# A wheel that will not work is a failure, in the words of wheel check.
STUB_GLIBC=2.99 expect_status 1 sh pair.sh 3
expect_status 1 "$TORCHPATCH" matrix status .
expect_text "$WORK/out.txt" "at check: will not import: needs GLIBC_2.99 of libc.so.6"
expect_status 0 sh pair.sh 3
expect_status 0 "$TORCHPATCH" matrix status .
expect_status 2 sh pair.sh 4
expect_text "$WORK/err.txt" "pair.sh: error: unknown pair '4'"
expect_status 2 sh pair.sh
TORCHPATCH=/nowhere PATH=/usr/bin:/bin expect_status 1 sh pair.sh 1
expect_text "$WORK/err.txt" "pair.sh: error: 'torchpatch' not found: install it, or set TORCHPATCH to the program"
