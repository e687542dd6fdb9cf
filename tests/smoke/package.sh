#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The packages: the same bytes twice, what they need, and that the .tar.gz runs where it is unpacked.
set -euo pipefail
command -v dpkg-shlibdeps >/dev/null || { echo "skipped: no dpkg-shlibdeps"; exit 125; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
export HOME=$directory/home XDG_STATE_HOME=$directory/state

fail() { echo "FAILED: $*" >&2; exit 1; }
cd "$TORCHPATCH_BUILD"
umask 022
cpack -B "$directory/one" >/dev/null
sleep 1.1 # the clock must not be in them
cpack -B "$directory/two" >/dev/null
cd "$directory"
count=0
for package in one/torchpatch*; do
  cmp "$package" "two/${package#one/}" || fail "$package differs from run to run"
  count=$((count + 1))
done
[ "$count" = 2 ] || fail "$count packages, not a .deb and a .tar.gz"

dpkg-deb --field one/*.deb Depends >depends
grep -q 'libgit2-' depends || fail "the .deb needs no libgit2: $(cat depends)"
if grep -q 'libgit2-1[.]5 ' depends; then
  grep -qF 'libgit2-1.5 (>= 1.5.1+ds-1+deb12u2)' depends || fail "the .deb needs no libgit2 with security fixes: $(cat depends)"
fi
grep -q 'libstdc++6' depends || fail "shlibdeps found nothing: $(cat depends)"
dpkg-deb --contents one/*.deb >contents
grep -qF ./usr/share/torchpatch/boards/tx2.json contents || fail "the .deb has no data"
grep -vq ' root/root ' contents && fail "the .deb has other owners: $(grep -v ' root/root ' contents | head -n 3)"

mkdir unpacked
tar -xzf one/*.tar.gz -C unpacked --strip-components=1
unpacked/bin/torchpatch prepare --version 1.1.0 --board tx2 --source sample --output out --quiet >/dev/null
unpacked/bin/torchpatch verify out --quiet >/dev/null
echo "package: ok"
