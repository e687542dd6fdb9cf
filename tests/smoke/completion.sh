#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The bash completion, as bash runs it; of zsh's and fish's the syntax, where these shells are installed.
set -euo pipefail
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
ln -s "$TORCHPATCH" "$directory/torchpatch"
PATH=$directory:$PATH
cd "$directory"
mkdir -p mirrors

for shell in bash zsh fish; do torchpatch completion "$shell" >"completion.$shell"; done
bash -n completion.bash
if command -v shellcheck >/dev/null; then shellcheck completion.bash; fi
if command -v zsh >/dev/null; then zsh -n completion.zsh; fi
if command -v fish >/dev/null; then fish --no-execute completion.fish; fi

# shellcheck source=/dev/null
. ./completion.bash
completed() { # WORD…: what bash offers for the last word
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _torchpatch
  echo "${COMPREPLY[*]}"
}
expect() { # TEXT WORD…
  local wanted=$1
  shift
  local got
  got=$(completed "$@")
  [ "$got" = "$wanted" ] || { echo "FAILED: '$*' gives '$got', not '$wanted'" >&2; exit 1; }
}
expect "prepare" torchpatch prep
expect "patch" torchpatch pat
expect "certify" torchpatch patch cer
expect "--board" torchpatch prepare --boa
expect "tx1 tx2" torchpatch prepare --board tx
expect "1.1.0" torchpatch prepare --quiet --version 1.1.
expect "mirrors" torchpatch prepare --board tx2 --mirror mir
expect "boards" torchpatch list bo
expect "never" torchpatch --color ne
expect "verify" torchpatch --color never ver
expect "mirrors" torchpatch verify mir
# A directory that somebody else named.
# shellcheck disable=SC2016  # nothing is to expand it
stranger='given $(touch ran) `touch ran`'
mkdir "$stranger"
for command in verify diff "mirror --mirror"; do
  # shellcheck disable=SC2086  # words
  expect "$stranger" torchpatch $command giv
done
[ ! -e ran ] || { echo "FAILED: the name of a directory was run" >&2; exit 1; }
expect "--into" torchpatch patch certify --in
expect "USE_OPENCV=" torchpatch prepare --set USE_OPENCV
expect "gcc=" torchpatch explain --set gc
expect "jetpack-3.2 jetpack-3.3" torchpatch prepare --board tx2 --version 1.1.0 --image jetpack-3
expect "raspios-10-32" torchpatch prepare --image raspios-10
expect "cap-threads cap-threads-for-upsampling" torchpatch prepare --without cap-t
expect "2.5.1" torchpatch prepare --board rpi5 --version 2.5.1
expect "" torchpatch prepare --board tx2 --version 2.5
expect "out-of-memory" torchpatch explain out-
expect "mirrors" torchpatch explain mir
expect "images" torchpatch list im
expect "cap-threads cap-threads-for-upsampling" torchpatch show fix cap-t
expect "neoverse-n1 neoverse-n2 neoverse-v1" torchpatch show board neo
expect "cuda-launch-bounds cuda-threads" torchpatch prove cuda-
COMP_WORDBREAKS=''
expect "1.1.0:tx1 1.1.0:tx2" torchpatch diff 1.1.0:tx
# Bash parts words at ':', and what is offered is what follows it.
COMP_WORDBREAKS=:
expect "tx1 tx2" torchpatch diff 1.1.0 : tx
expect "tx1 tx2" torchpatch diff 1.0.0 : tx2 1.1.0 : tx
expect "jetpack-3.2 jetpack-3.3" torchpatch show image tx2 : jetpack-3
expect "mirrors" torchpatch diff mir
echo "completion: ok"
