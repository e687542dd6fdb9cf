#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Reports the results of the pairs, as a page and as JSON; exits 1 if one failed. Written by torchpatch.
set -eu
CDPATH=''

# @MATRIX@
"$torchpatch" matrix status "$here" --results "$results" --format html --output "$results/status.html" || :
"$torchpatch" matrix status "$here" --results "$results" --json --output "$results/status.json" || :
"$torchpatch" matrix status "$here" --results "$results"
