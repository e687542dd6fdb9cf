#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds packaging/Containerfile with Buildah on a bare root of Debian 12, as root, and prepares and verifies the sample in the image:
#
#   ROOTS=DIR tests/release/containerfile.sh
#
# ROOTS keeps the root, as in run.sh. The stages fetch Debian's packages.
set -euo pipefail

[ "$(id -u)" = 0 ] || exec sudo --preserve-env=ROOTS "$0" "$@"
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
root=${ROOTS:?set ROOTS to a directory that keeps the roots}/amd64-bookworm
[ -d "$root" ] || debootstrap --variant=minbase bookworm "$root" >/dev/null
work=$(mktemp -d /var/tmp/torchpatch-containerfile.XXXXXX)
trap 'buildah rm --all >/dev/null; rm -rf --one-file-system "$work"' EXIT
export BUILDAH_ISOLATION=chroot
buildah() { command buildah --storage-driver vfs --root "$work/store" --runroot "$work/run" "$@"; }

base=$(buildah from scratch)
buildah copy --quiet "$base" "$root" / >/dev/null
buildah commit --quiet "$base" localhost/base >/dev/null
buildah build --file "$checkout/packaging/Containerfile" --build-arg BASE=localhost/base --tag torchpatch "$checkout"
image=$(buildah from torchpatch)
[ "$(buildah inspect --format '{{.OCIv1.Config.Entrypoint}}' "$image")" = "[torchpatch]" ]
mkdir -m 777 "$work/desk"
for command in "prepare --version 1.1.0 --board tx2 --source sample --output out --quiet" "verify out"; do
  # shellcheck disable=SC2086
  buildah run --user 65534:65534 --volume "$work/desk:/work" "$image" -- torchpatch $command
done
