#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The commands of docs/adding-a-board.md, adding-an-issue.md and adding-a-patch.md, run as printed, one page after the
# other, with the embedded stand-in for upstream as ~/mirrors.
set -euo pipefail
docs="$(cd "$(dirname "$0")/../../docs" && pwd)"
for tool in git python3; do command -v "$tool" >/dev/null || exit 125; done

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export HOME="$work/home" SOURCE_DATE_EPOCH=1700000000
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
mkdir -p "$HOME" "$work/bin" "$work/run"
"$TORCHPATCH" write-source sample --output "$HOME/mirrors" >/dev/null
git clone -q --bare "$HOME/mirrors/1.1.0/torch.git" "$HOME/mirrors/pytorch.git"

# What the person does whom the pages are for. The stand-in's pins lie in a layer of their own, below that of the page.
# check finds marks once; then they are filled in.
cat >"$work/bin/torchpatch" <<END
#!/bin/bash
case "\$1 \$2" in
  "patch refresh" | "verify "*) exec "$TORCHPATCH" "\$@" ;;
  "patch "* | "board "* | "issue "*) exec "$TORCHPATCH" "\$1" "\$2" --catalog sample "\${@:3}" ;;
  "check "*)
    "$TORCHPATCH" check --catalog sample "\${@:2}" && exit 1
    fill mine/*/*.json mine/*/*.md
    exec "$TORCHPATCH" check --catalog sample "\${@:2}"
    ;;
  "prove "*)
    echo '{"schema": 1, "patchset": "my-patch", "unproven": [{"releases": "*", "why": "it is a comment"}]}' \
      >mine/patchsets/my-patch/proof.json
    ;;
esac
exec "$TORCHPATCH" "\$1" --catalog sample "\${@:2}"
END
cat >"$work/bin/fill" <<'END'
#!/bin/sh
sed -i 's/\("registers_per_block": \|"memory_mib": \)"FILL-IN.*"/\165536/; s/\("compute_capability": \)"FILL-IN[^"]*"/\1"5.3"/
  s/"FILL-IN: libraries[^"]*"/"nccl"/; s/\("releases": \)"FILL-IN[^"]*"/\1">=1.0 <1.11"/; s/"FILL-IN: releases [^"]*"/">=1.1.0 <1.2.0"/
  s/\("\(glibc\|gcc\|cmake\|cuda\|cudnn\)": \)"FILL-IN[^"]*"/\1null/; s/"FILL-IN: major[^"]*"/"3.6"/
  s/\("severity": \)"FILL-IN[^"]*"/\1"build-failure"/; s/\("arch": \)"FILL-IN[^"]*"/\1"aarch64"/; s/"FILL-IN: public reports[^"]*"/"https:\/\/example.org\/1"/
  s/\("kind": \)"FILL-IN[^"]*"/\1"advice"/; s/\("os": \)"FILL-IN[^"]*"/\1"debian-12"/; s/FILL-IN: //' "$@"
END
# Whoever edits: a header is filled in, a file of Python gets a line.
cat >"$work/bin/editor" <<'END'
#!/bin/sh
case "$1" in
  *COMMIT_EDITMSG)
    sed -i 's|^Bug: .*|Bug: https://example.org/1|; s|FILL-IN: ||' "$1" ;;
  *) echo "# edited" >>"$1" ;;
esac
END
chmod +x "$work"/bin/*
export PATH="$work/bin:$PATH" EDITOR="$work/bin/editor"

# The blocks of a page that a shell runs, those of a list too.
blocks() {
  python3 - "$1" <<'END'
import re, sys, textwrap
text = open(sys.argv[1], encoding="utf-8").read()
for block in re.findall(r"^( *)```sh\n(.*?)^ *```$", text, re.S | re.M):
    print(textwrap.dedent(block[1]))
END
}

cd "$work/run"
for page in adding-a-board adding-an-issue adding-a-patch; do
  blocks "$docs/$page.md" >"$work/$page.sh"
  grep -q torchpatch "$work/$page.sh"
  bash -eux "$work/$page.sh" >"$work/$page.log" 2>&1 || { cat "$work/$page.log"; exit 1; }
done
test -f mine/patchsets/my-patch/certificates/1.1.0.json
grep -q '# edited' mine/patchsets/my-patch/1.1.0/0001-my-patch.patch
