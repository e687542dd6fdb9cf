#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A result that nobody receives is no success: stdout full, closed, or read no more.
set -uo pipefail

fail() { echo "FAILED: $*" >&2; exit 1; }
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT

"$TORCHPATCH" list boards >/dev/full 2>"$errors"
[ $? = 7 ] || fail "a full stdout is not an environment error"
grep -q 'writing the result to standard output: No space left on device' "$errors" || fail "$(cat "$errors")"

"$TORCHPATCH" list boards >&- 2>"$errors"
[ $? = 7 ] || fail "a closed stdout is not an environment error"
grep -q 'writing the result to standard output: Bad file descriptor' "$errors" || fail "$(cat "$errors")"

# `true` may be gone before the result is written, and is when the reader ends first.
(sleep 0.5; "$TORCHPATCH" show board tx2 2>"$errors"; echo $? >"$errors.status") | true
[ "$(cat "$errors.status")" = 141 ] || fail "a closed pipe gives $(cat "$errors.status"), not death by SIGPIPE"
[ ! -s "$errors" ] || fail "a closed pipe is not quiet: $(cat "$errors")"
rm -f "$errors.status"

"$TORCHPATCH" nonsense 2>/dev/full
[ $? = 2 ] || fail "a full stderr changes the exit code"
"$TORCHPATCH" nonsense 2>&- 0<&-
[ $? = 2 ] || fail "a closed stderr changes the exit code"
echo "streams: ok"
