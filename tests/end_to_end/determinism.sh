#!/usr/bin/env bash
# The same bytes, modes and times under any umask, locale, time zone, number of jobs, directory and home.
. "$(dirname "$0")/lib.sh"

sample one
fingerprint one >one.txt
(umask 077 && LC_ALL=C.UTF-8 TZ=Pacific/Auckland sample two --jobs 1)
(umask 000 && cd / && LANG=tr_TR.UTF-8 TZ=UTC sample "$WORK/three" --jobs 7)
(mkdir other && cd other && HOME=/nonexistent XDG_STATE_HOME=$WORK/state2 sample "./a dir with spaces")
for tree in two three "other/a dir with spaces"; do
  fingerprint "$tree" | diff one.txt - >/dev/null || fail "'$tree' differs: $(fingerprint "$tree" | diff one.txt - | head -n 5)"
done
[ "$(find . -maxdepth 1 | sort | tr '\n' ' ')" = ". ./cache ./home ./one ./one.txt ./other ./state ./state2 ./three ./two " ] ||
  [ "$(find . -maxdepth 1 -name '.*staging*')" = "" ] || fail "something was left beside OUT: $(ls -A)"
echo "four trees, one fingerprint"
