#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every manual page is formatted without a warning.
set -euo pipefail
command -v man >/dev/null || { echo "skipped: no man"; exit 125; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

"$TORCHPATCH" man --directory "$directory"
for page in torchpatch torchpatch-prepare torchpatch-verify torchpatch-patch-certify; do
  [ -f "$directory/$page.1" ] || { echo "FAILED: no $page.1" >&2; exit 1; }
done
# format HEADING PAGE…: fails on a warning, or unless each page has the heading. One groff formats all: man starts five
# programs for each page.
format() {
  LC_ALL=C.UTF-8 groff -K utf8 -t -man -w mac -rLL=80n -Tutf8 -P-cbou "${@:2}" >"$directory/text" 2>"$directory/warnings"
  [ ! -s "$directory/warnings" ] || { echo "FAILED: $(cat "$directory/warnings")" >&2; exit 1; }
  [ "$(grep -c "^$1" "$directory/text")" = $(($# - 1)) ] || { echo "FAILED: a page has no '$1'" >&2; exit 1; }
}
format 'EXIT STATUS' "$directory"/*.1

"$TORCHPATCH" docs --quiet --format man --output "$directory/man7" >/dev/null
format 'SEE ALSO' "$directory"/man7/*.7
LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings --local-file "$directory/man7/torchpatch-issue-cmake-4.7" >"$directory/text" 2>&1
grep -q '^ *\. torchpatch/build.env' "$directory/text" || { echo "FAILED: cmake-4 does not show a line that starts with a dot" >&2; exit 1; }
echo "man: $(find "$directory" -name '*.[17]' | wc -l) pages ok"
