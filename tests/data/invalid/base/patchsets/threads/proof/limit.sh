# SPDX-License-Identifier: BSD-3-Clause
grep -q 512 "$1" || { echo 'the limit is 1024'; exit 1; }
