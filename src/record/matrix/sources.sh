#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fetches the sources of every pair into MIRROR: from the folder SOURCES of repositories, else the network. Written by torchpatch.
set -eu
CDPATH=''

# @MATRIX@

# @REPORT@

bring() {
  # @BRING@
}

id=sources kept=$results/sources digest=@DIGEST@ stage=prepare started=$(date +%s)
mkdir -p -- "$kept"
require_files "$kept/pair.json" "$kept/prepare.log"
report running
bring >"$kept/prepare.log" 2>&1 || {
  report failed "$(reason_in "$kept/prepare.log")"
  cat -- "$kept/prepare.log" >&2
  fail "sources are missing: set SOURCES to a folder with git repositories that have them, or write the matrix again \
(torchpatch matrix --replace) with --allow-partial or fewer --component"
}
cat -- "$kept/prepare.log" >&2
report 'done'
