#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The commands of README.md and docs/guides, run as printed, each page in a directory of its own, on the embedded stand-in for
# upstream. What needs a board, root or hours is a stand-in as well: it checks its tree and its options, and leaves a wheel.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
for tool in git python3 aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc; do command -v "$tool" >/dev/null || exit 125; done

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export HOME="$work/home" XDG_CACHE_HOME="$work/cache" ROOT="$root" CALLS="$work/calls"
mkdir -p "$HOME" "$work/bin"

# The stand-in comes in the place of the network; with --mirror, of the user's copies.
cat >"$work/bin/torchpatch" <<END
#!/bin/bash
echo "torchpatch \$1" >>"$CALLS"
options=(--source sample)
for argument; do [ "\$argument" != --mirror ] || options=(--catalog sample); done
case \$1 in
  prepare | audit) exec "$TORCHPATCH" "\$1" "\${options[@]}" "\${@:2}" ;;
  mirror) exec "$TORCHPATCH" write-source sample --output "$HOME/mirrors" ;;
  recipe | verify | export) exec "$TORCHPATCH" "\$1" --catalog sample "\${@:2}" ;;
  # It ends where it would ask, or where the host lacks something.
  build)
    "$TORCHPATCH" "\$1" "\${options[@]}" "\${@:2}" </dev/null 2>&1 | grep -e 'build needs a confirmation' -e 'this host lacks' || exit
    mkdir -p all/work/dist && touch all/work/dist/torch.whl ;;
  diagnose) "$TORCHPATCH" "\$@"; [ \$? -lt 2 ] ;;
  doctor) "$TORCHPATCH" "\$1" --catalog sample "\${@:2}"; [ \$? -lt 2 ] ;;
  *) exec "$TORCHPATCH" "\$@" ;;
esac
END
chmod +x "$work/bin/torchpatch"
export PATH="$work/bin:$PATH"

# What a page's commands find in place of root, the board and the build. Functions come before programs, also those whose
# name is a path.
cat >"$work/stand_ins.sh" <<'END'
fail() { echo "guides: $*" >&2; exit 1; }

# Fails unless the help of a script names each option.
check_options() { # SCRIPT ARGUMENT…
  local help argument
  help=$(command sh "$1" --help) || fail "$1 --help"
  for argument in "${@:2}"; do
    case $argument in --*) grep -q -e "  $argument\b" <<<"$help" || fail "$1 has no option $argument" ;; esac
  done
}

sh() {
  [[ $1 == *run.sh ]] || { command sh "$@"; return; }
  echo "run.sh" >>"$CALLS"
  check_options "$@"
  grep -q "^manifest_digest=$(sha256sum <"$2/torchpatch/manifest.json" | cut -c-64)" "$1" || fail "$1 is not of $2"
  case " $* " in *' --check '*) return ;; esac
  python3 "$ROOT/tests/matrix/stub_build.py" "$2" "$3"
}

build_script() { # OUT ARGUMENT…
  echo "build.sh" >>"$CALLS"
  check_options "$1/torchpatch/build.sh" "${@:2}"
  mkdir -p "$1/dist"
  echo "nvlink error   : entry function 'ncclAllReduce' with max regcount of 80 calls function with regcount of 96" >"$1/dist/torch.log"
  python3 "$ROOT/tests/matrix/stub_build.py" "$1" "$1"
}

# On this machine check.sh finds what would fail: that is 1, anything else a fault of its own.
check_script() { # OUT
  local status=0
  command sh "$1/torchpatch/check.sh" >/dev/null 2>&1 || status=$?
  [ "$status" -lt 2 ] || fail "$1/torchpatch/check.sh: $status"
}

for out in out out-pi; do
  eval "$out/torchpatch/build.sh() { build_script $out \"\$@\"; }; $out/torchpatch/check.sh() { check_script $out; }"
done
sudo() { if [ "$1" != -s ]; then "$@"; fi; }
scp() { local file; for file in "${@:1:$#-1}"; do [ -f "$file" ] || fail "scp: no $file"; done; }
apt-get() { :; }
ssh-keygen() { :; }
# Wheels are where the page says, or copied to the board.
pip3() { local file=${*: -1}; [[ $file == torch\** ]] || [ -f "$file" ] || fail "pip3: no $file"; }
python3() {
  if [ "$1" = -c ]; then command python3 -c 'import sys; compile(sys.argv[1], "page", "exec")' "$2"; else command python3 "$@"; fi
}
.() { [[ $1 == /etc/profile.d/* ]] || builtin . "$@"; }
END

# The blocks of a page that a shell runs.
blocks() {
  python3 - "$1" <<'END'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
print("\n".join(re.findall(r"^```sh\n(.*?)^```$", text, re.S | re.M)))
END
}

for page in "$root/README.md" "$root"/docs/guides/*.md; do
  name=$(basename "$page" .md)
  mkdir "$work/$name"
  { cat "$work/stand_ins.sh"; echo 'set -x'; blocks "$page"; } >"$work/$name.sh"
  : >"$CALLS"
  (cd "$work/$name" && bash -eu "$work/$name.sh") >"$work/$name.log" 2>&1 || {
    echo "the commands of $page fail:"
    cat "$work/$name.log"
    exit 1
  }
  # Each page prepares a tree and builds it.
  for call in 'torchpatch prepare' '\(run\|build\)\.sh'; do grep -qx "$call" "$CALLS" || { echo "$page has no $call"; exit 1; }; done
  rm -rf "${work:?}/$name"
done
