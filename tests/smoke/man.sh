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
for page in "$directory"/*.1; do
  LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings --local-file "$page" >"$directory/text" 2>"$directory/warnings"
  [ ! -s "$directory/warnings" ] || { echo "FAILED: $page: $(cat "$directory/warnings")" >&2; exit 1; }
  grep -q 'EXIT STATUS' "$directory/text" || { echo "FAILED: $page is empty" >&2; exit 1; }
done
echo "man: $(find "$directory" -name '*.1' | wc -l) pages ok"
