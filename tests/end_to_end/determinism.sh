#!/usr/bin/env bash
# The same bytes, modes and times under any umask, locale, time zone, number of jobs, directory, home and configuration.
. "$(dirname "$0")/lib.sh"

sample one
fingerprint one >one.txt
(umask 077 && LC_ALL=C.UTF-8 TZ=Pacific/Auckland sample two --jobs 1)
(umask 000 && cd / && LANG=tr_TR.UTF-8 TZ=UTC sample "$WORK/three" --jobs 7)
(mkdir other && cd other && HOME=/nonexistent XDG_STATE_HOME=$WORK/state2 sample "./a dir with spaces")
mkdir -p home/.config/torchpatch
echo '{"schema": 1, "timeout": 1, "retries": 0}' >home/.config/torchpatch/config.json
TORCHPATCH_IDLE_TIMEOUT=1 TORCHPATCH_OFFLINE=1 TORCHPATCH_URL_MAP=https://=file:///nowhere/ sample four
for tree in two three four "other/a dir with spaces"; do
  fingerprint "$tree" | diff one.txt - >/dev/null || fail "'$tree' differs: $(fingerprint "$tree" | diff one.txt - | head -n 5)"
done
[ "$(find . -maxdepth 1 | sort | tr '\n' ' ')" = ". ./cache ./four ./home ./one ./one.txt ./other ./state ./state2 ./three ./two " ] ||
  [ "$(find . -maxdepth 1 -name '.*staging*')" = "" ] || fail "something was left beside OUT: $(ls -A)"
echo "five trees, one fingerprint"
