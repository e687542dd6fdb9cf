#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fetches the sources of every pair into MIRROR: from the folder SOURCES of repositories, else the network. Written by torchpatch.
set -eu
CDPATH=''

# @MATRIX@
mkdir -p -- "$results"
# @BRING@
