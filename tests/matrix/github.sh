#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs what the jobs of a GitHub workflow run, command by command in their order, in a bare root of Debian 12 made by debootstrap, as root:
# real trees of 1.1.0 and 1.5.1, builds that stub_build.py stands for. With TORCHPATCH and TORCHPATCH_MIRROR.
#
#   tests/matrix/github.sh
#
# The root gets the libraries that this torchpatch was linked with, and the stub's Python and compilers; the actions of GitHub are
# left out: all jobs share one directory, and nothing is cached.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
torchpatch=$(readlink -e -- "${TORCHPATCH:?set TORCHPATCH to the program under test}")
sources=$(readlink -e -- "${TORCHPATCH_MIRROR:?set TORCHPATCH_MIRROR to a folder with copies of the repositories}")
work=$(mktemp -d /var/tmp/torchpatch-github.XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT

# Debian names some files below /lib, others below /usr/lib.
libraries=$(ldd "$torchpatch" | awk '/=> \// { print $3 }' | while IFS= read -r file; do
  dpkg-query --search "$file" "${file#/usr}" "/usr${file#/usr}" 2>/dev/null || :
done | cut -d : -f 1 | sort -u | paste -s -d ,)
debootstrap --variant=minbase --include="$libraries,python3-minimal,python3,gcc-aarch64-linux-gnu,libc6-dev-arm64-cross,gcc-arm-linux-gnueabihf" \
  bookworm "$work/root" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2 && exit 1; }
mkdir -p "$work/root/opt/bin" "$work/root/opt/share" "$work/root/sources" "$work/root/checkout/tests"
cp "$torchpatch" "$work/root/opt/bin/"
git -C "$here/../.." archive --prefix opt/share/torchpatch/ HEAD | tar -x -C "$work/root"
cp -r "$here" "$here/../wheels" "$work/root/checkout/tests/"

commands_of() { # WORKFLOW: what its jobs run, in their order; what is for GitHub's own machines alone is left out
  sed -n -e '/runner.environment/{n;d}' -e 's/^ *\(- \)\{0,1\}run: //p' "$1" | sed -e 's/^"\(.*\)"$/\1/' -e 's/\\"/"/g'
}

for release in 1.1.0 1.5.1; do
  "$torchpatch" matrix --versions "==$release" --boards tx2,ultra96 --component torch --emit github-actions --output "$work/root/$release"
  commands_of "$work/root/$release/.github/workflows/torchpatch-matrix.yml" >"$work/commands"
  pairs=$(sed -n 's/^          - pair: "\(.*\)"$/\1/p' "$work/root/$release/.github/workflows/torchpatch-matrix.yml")
  {
    echo "export TORCHPATCH=/opt/bin/torchpatch SOURCES=/sources BUILD_WITH=/checkout/tests/matrix/stub_build.py"
    echo "set -ex"
    # shellcheck disable=SC2016  # as the workflow has it
    while IFS= read -r command; do
      case $command in
        *'$PAIR'*) for pair in $pairs; do echo "PAIR=$pair; $command"; done ;;
        *) echo "$command" ;;
      esac
    done <"$work/commands"
  } >"$work/root/$release/run-all.sh"
  # shellcheck disable=SC2016  # expanded in there
  unshare --mount --net sh -euc '
    mount -t proc proc "$0/proc"
    mount --bind -o ro "$1" "$0/sources"
    exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "cd /$2 && exec sh run-all.sh"' "$work/root" "$sources" "$release"
done
