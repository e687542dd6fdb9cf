#!/usr/bin/env bash
# Runs tests/node/NAME.mjs on the built program with a home and a working directory of its own: run.sh NAME
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
if ! command -v node >/dev/null || [ ! -f "$here/node_modules/.torchpatch-lock" ]; then
  echo "skipped: node, or what tools/setup-node brings, is missing"
  exit 125
fi
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
export WORK HOME="$WORK/home"
mkdir -p "$HOME"
cd "$WORK"
node "$here/$1.mjs"
