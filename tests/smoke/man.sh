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
# format PAGE WORDS: fails where there is a warning, or where the words are not in the text.
format() {
  LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings --local-file "$1" >"$directory/text" 2>"$directory/warnings"
  [ ! -s "$directory/warnings" ] || { echo "FAILED: $1: $(cat "$directory/warnings")" >&2; exit 1; }
  grep -q "$2" "$directory/text" || { echo "FAILED: $1 has no '$2'" >&2; exit 1; }
}
for page in "$directory"/*.1; do format "$page" 'EXIT STATUS'; done

"$TORCHPATCH" docs --quiet --format man --output "$directory/man7" >/dev/null
for page in "$directory"/man7/*.7; do format "$page" 'SEE ALSO'; done
format "$directory/man7/torchpatch-issue-cmake-4.7" '^ *\. torchpatch/build.env'
echo "man: $(find "$directory" -name '*.[17]' | wc -l) pages ok"
