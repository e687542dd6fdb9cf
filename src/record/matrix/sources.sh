#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fetches the sources of every pair into MIRROR: from the folder SOURCES of repositories, else the network. Written by torchpatch.
set -eu
CDPATH=''

# @MATRIX@
mkdir -p -- "$results"

bring() {
  # @BRING@
}

bring || fail "sources are missing: set SOURCES to a folder with git repositories that have them, or write the matrix again \
(torchpatch matrix --replace) with --allow-partial or fewer --component"
