#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds PyTorch 1.1.0 for tx2 (jetpack-3.3). Written by torchpatch; what it does is in manifest.json, too.
set -eu
CDPATH=''

usage() {
  cat <<'END'
Usage: build.sh [--install] [torch|vision|audio]...

Builds the wheel of each component named (all by default) into its dist/. torchvision and torchaudio are compiled
against the torch that is installed: with --install each wheel is installed by pip as soon as it is built (the wheel
alone, not what it requires). Without it, install the torch wheel yourself, then build the others.

Variables:
  PYTHON                    the Python to build with
  MAX_JOBS                  number of compile jobs (default: by processors and memory, see build.env)
  TORCHPATCH_KEEP_ENV=1     variables that are set already win over build.env
  TORCHPATCH_ANY_PYTHON=1   build with another Python version than the one the tree was prepared for
END
}

say() {
  printf 'build.sh: %s\n' "$1" >&2
}

fail() {
  printf 'build.sh: error: %s\n' "$1" >&2
  exit 1
}

read_options() {
  install=0
  selected=''
  for argument in "$@"; do
    case $argument in
      -h | --help)
        usage
        exit 0
        ;;
      --install) install=1 ;;
      torch | vision | audio)
        case $components in
          *" $argument "*) selected="$selected $argument " ;;
          *) fail "this tree does not hold $argument, only:$components" ;;
        esac
        ;;
      *)
        usage >&2
        exit 2
        ;;
    esac
  done
  selected=${selected:-$components}
}

enter_tree() {
  case ${PYTHON:-} in
    /*) ;;
    */*) PYTHON=$PWD/$PYTHON ;;
  esac
  case $0 in
    */*) cd -P -- "${0%/*}/.." ;;
    *) cd -P .. ;;
  esac
  root=$PWD
  [ -f "$root/torchpatch/build.env" ] || fail "run this script where torchpatch wrote it"
}

# setup.py asks git for HEAD and records the answer. A repository that happens to lie around this tree must not answer.
hide_git() {
  case $root in
    *:*) fail "the path '$root' has a colon, which GIT_CEILING_DIRECTORIES cannot hold: move the tree" ;;
  esac
  GIT_CEILING_DIRECTORIES=$root
  export GIT_CEILING_DIRECTORIES
  unset GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_NAMESPACE
}

load_environment() {
  kept=''
  # bash outside of its POSIX mode prints "declare", which in a function sets what ends with it.
  if [ "${TORCHPATCH_KEEP_ENV:-0}" = 1 ]; then kept=$(POSIXLY_CORRECT=1 && export -p); fi
  # shellcheck source=/dev/null
  . "$root/torchpatch/build.env"
  eval "$kept"
}

check_python() {
  PYTHON=${PYTHON:-$default_python}
  export PYTHON
  command -v "$PYTHON" >/dev/null || fail "there is no '$PYTHON' here: set PYTHON to a Python $python_version"
  [ "${TORCHPATCH_ANY_PYTHON:-0}" = 1 ] && return
  "$PYTHON" -c 'import sys; sys.exit("%d.%d" % sys.version_info[:2] != sys.argv[1])' "$python_version" ||
    fail "'$PYTHON' is not Python $python_version, for which this is prepared: set PYTHON, or TORCHPATCH_ANY_PYTHON=1"
}

# Python runs in / so that it does not find the sources here.
check_torch() {
  (cd / && "$PYTHON" -c 'import sys, torch
have, want = torch.__version__, sys.argv[1]
if have[:len(want)] != want or have[len(want):len(want) + 1].isdigit():
    sys.exit("torch %s is installed, %s is needed" % (have, want))' "$release") ||
    fail "$1 needs torch installed: '$PYTHON' -m pip install '$root'/pytorch/dist/torch-*.whl; then build.sh $1"
}

finish_wheel() {
  set -- "$1"/dist/*.whl
  if [ "$#" != 1 ] || [ ! -f "$1" ]; then fail "there must be one wheel, not: $*"; fi
  say "built $1"
  [ "$install" = 0 ] || "$PYTHON" -m pip install --no-deps --force-reinstall "$1"
}

build_companion() {
  check_torch "$1"
  say "building $1"
  cd "$root/$1"
  "$PYTHON" setup.py bdist_wheel
  finish_wheel "$root/$1"
}

build_torch() {
  cd "$root/pytorch"
  [ ! -d build ] || say 'going on in pytorch/build; remove it if the environment has changed since'
  say 'preparing the board'
  (
echo "recipe in $PWD" >>"$LOG"
  )
  say "building torch with $MAX_JOBS jobs"
  "$PYTHON" setup.py build
  say 'after the build: plain-names (issue extension-names)'
  (
echo "step in $PWD with $PYTHON" >>"$LOG"
cd / # not for long
  )
  "$PYTHON" setup.py bdist_wheel --skip-build
  finish_wheel "$root/pytorch"
}

load_component_environment() {
  case $1 in
    vision)
      export BUILD_VERSION=0.3.0
      ;;
    *) ;;
  esac
  eval "$kept"
}

stand_in() { :; }

components=' torch vision '
release=1.1.0
python_version=3.5
default_python=python3

main() {
  read_options "$@"
  enter_tree
  [ -z "$(stand_in)" ] || fail "nothing to build, this is not PyTorch: $(stand_in)"
  hide_git
  load_environment
  check_python
  for component in torch vision audio; do
    case $selected in
      *" $component "*) ;;
      *) continue ;;
    esac
    # In a subshell, so that no component gets what is for another one.
    (
      load_component_environment "$component"
      if [ "$component" = torch ]; then build_torch; else build_companion "$component"; fi
    )
  done
}

main "$@"
