#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Says what came of the pairs: a page for people, the same for programs; exit code 1 where one failed. Written by torchpatch.
set -eu
CDPATH=''

# @MATRIX@
"$torchpatch" matrix status "$here" --results "$results" --format html --output "$results/status.html" || :
"$torchpatch" matrix status "$here" --results "$results" --json --output "$results/status.json" || :
"$torchpatch" matrix status "$here" --results "$results"
