#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# An installation, moved to another place, does the main job.
set -euo pipefail
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
export HOME=$directory/home XDG_STATE_HOME=$directory/state XDG_CACHE_HOME=$directory/cache

cmake --install "$TORCHPATCH_BUILD" --prefix "$directory/first" >/dev/null
mv "$directory/first" "$directory/moved"
cd "$directory"
program=$directory/moved/bin/torchpatch
for file in man/man1/torchpatch-prepare.1 bash-completion/completions/torchpatch zsh/vendor-completions/_torchpatch \
  fish/vendor_completions.d/torchpatch.fish torchpatch/boards/tx2.json torchpatch/releases/1.1.0.json \
  torchpatch/moved_repositories.json torchpatch/variables.json torchpatch/cores.json torchpatch/platforms.json torchpatch/libraries.tsv torchpatch/stable_abi.tsv torchpatch/build_sizes.json torchpatch/evidence.json torchpatch/advisories.json doc/torchpatch/copyright doc/torchpatch/docs/commands.md; do
  [ -s "moved/share/$file" ] || { echo "FAILED: share/$file is not installed" >&2; exit 1; }
done
"$program" prepare --version 1.1.0 --board tx2 --source sample --output out --quiet >/dev/null
"$program" verify out --quiet >/dev/null
"$program" show board tx2 >/dev/null
checkout=$(readlink -f "$TORCHPATCH_BUILD/share/torchpatch")
# Debug information and the sanitizers' reports name source files by their whole paths; nothing else may.
strip -o stripped "$program"
if ! grep -qF __ubsan_handle "$program" && grep -qF "$checkout" stripped; then
  echo "FAILED: the program holds the checkout's path" >&2
  exit 1
fi
echo "install: ok"
