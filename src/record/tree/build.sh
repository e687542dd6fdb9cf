#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds @SUBJECT@. Written by torchpatch; manifest.json describes the build.
# @HOST_COMMENT@
set -eu
CDPATH=''

# @OWN_VARIABLES@

usage() {
  cat <<'END'
Usage: build.sh [OPTION]... [torch|torch:configure|torch:build|torch:wheel|torch:test|vision|audio]...

Checks this host, then builds the wheel of each named component and puts it into dist/ next to the components, with its
log. By default it builds each component whose wheel does not exist yet, so an interrupted run resumes where it stopped.
torch:configure only runs CMake for torch, torch:build only compiles torch, torch:wheel does the steps after that.
torchvision and torchaudio are built against the torch in dist/ or, if there is none, against the installed one.
torch:test compares some 290 operators of that torch with known results (numerics.py; 5 to 20 minutes). Nothing is
downloaded.

Options:
  --skip NAME        ignore a check; a failed check shows its name
  --install          install each wheel with pip (only the wheel, not its dependencies)
  --test             run torch:test at the end
  --offline          build without a network: the default if a network namespace can be created. If DISTCC_HOSTS is
                     set, only compiling can use the network
  --online           let the build use the network
  --swap MIB[:FILE]  as root: add swap in FILE (dist/swap) while this runs

Variables:
  PYTHON                    the Python to build with
  MAX_JOBS                  number of compile jobs (default: by CPUs and memory, see build.env)
  TORCHPATCH_KEEP_ENV=1     variables that are already set override build.env

If a build fails and torchpatch is in PATH, 'torchpatch diagnose' lists the known issues that match its log.
Exit status: 0 built, 1 refused or failed, 2 wrong usage.
END
}

say() {
  printf 'build.sh: %s\n' "$1" >&2
}

fail() {
  printf 'build.sh: error: %s\n' "$1" >&2
  exit 1
}

misuse() {
  printf 'build.sh: error: %s; see --help\n' "$1" >&2
  exit 2
}

# $1: how many words are left, $2: the option.
need_value() {
  [ "$1" -gt 1 ] || misuse "$2 needs a value"
}

read_options() {
  install=0 wants_test='' network='' skipped='' swap_mib=0 swap_file='' steps=''
  while [ "$#" -gt 0 ]; do
    case $1 in
      -h | --help)
        usage
        exit 0
        ;;
      --install) install=1 ;;
      --test) wants_test=1 ;;
      --offline | --online) network=$1 ;;
      --skip)
        need_value "$#" "$1"
        skip_check "$2"
        shift
        ;;
      --swap)
        need_value "$#" "$1"
        read_swap "$2"
        shift
        ;;
      torch) add_steps torch torch:build torch:wheel ;;
      torch:configure | torch:build | torch:wheel | torch:test) add_steps torch "$1" ;;
      vision | audio) add_steps "$1" "$1" ;;
      *) misuse "unknown option or component '$1'" ;;
    esac
    shift
  done
}

skip_check() {
  requirements | awk -F '\t' -v name="$1" '$2 == name { found = 1 } END { exit !found }' ||
    misuse "unknown check '$1'; choose from: $(requirements | awk -F '\t' '!seen[$2]++ { printf "%s%s", space, $2; space = " " }')"
  skipped="$skipped $1"
}

read_swap() {
  swap_mib=${1%%:*}
  case $1 in *:*) swap_file=${1#*:} ;; esac
  case $swap_mib in '' | *[!0-9]* | 0*) misuse "--swap: '$1' is not MIB or MIB:FILE" ;; esac
  case ${swap_file:-/} in /*) ;; *) swap_file=$PWD/$swap_file ;; esac
}

# $1: a component, then its steps.
add_steps() {
  case $components in
    *" $1 "*) ;;
    *) misuse "this tree does not contain $1, only:$components" ;;
  esac
  shift
  steps="$steps $*"
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
  GIT_CEILING_DIRECTORIES=$root
  export GIT_CEILING_DIRECTORIES
  unset GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_NAMESPACE
}

# @HOST_FUNCTIONS@

# @LOCK@

# What this script leaves behind it outlives no end of it.
clean_up() {
  if [ -n "$swap_made" ]; then
    swapoff "$swap_file" 2>/dev/null || :
    rm -f -- "$swap_file"
  fi
  drop_lock
  rm -rf -- "$probes"
  rmdir -- "$root/dist" 2>/dev/null || :
}

prepare_clean_up() {
  swap_made=''
  probes=$(mktemp -d)
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

# All checks first, then one verdict.
gate() {
  selected=" "
  for step in $steps; do selected="$selected${step%%:*} "; done
  set_width 2
  findings=$(place_findings)
  if [ -n "$findings" ]; then
    host_report FAIL | paint 2 >&2
    fail "nothing was built"
  fi
  findings=$(host_findings)
  host_report "FAIL WARN" | paint 2 >&2
  refusals=$(count_findings FAIL)
  [ "$refusals" != 0 ] || return 0
  hint=''
  [ -z "$(install_commands)" ] || hint='; torchpatch/check.sh --install installs what is missing'
  [ "$refusals" != 1 ] || fail "1 check failed; nothing was built. Fix it, or ignore it with --skip NAME$hint"
  fail "$refusals checks failed; nothing was built. Fix them, or ignore one with --skip NAME$hint"
}

check_swap() {
  [ "$swap_mib" != 0 ] || return 0
  [ "$(id -u)" = 0 ] || fail "--swap needs root"
  if [ -e "$swap_file" ] || [ -L "$swap_file" ]; then fail "--swap: '$swap_file' already exists"; fi
}

# A host that is refused leaves the tree as it was prepared: check.sh, verify and recipe know no empty directory.
claim_tree() {
  mkdir -p -- "$root/dist"
  take_lock "$root/dist/lock" "'$root'"
}

make_swap() {
  [ "$swap_mib" != 0 ] || return 0
  if [ -z "$swap_file" ]; then
    swap_file=$root/dist/swap
    # A killed run leaves it.
    swapoff "$swap_file" 2>/dev/null || :
    rm -f -- "$swap_file"
  fi
  swap_made=1
  say "making $swap_mib MiB of swap in '$swap_file'"
  (umask 077 && dd if=/dev/zero of="$swap_file" bs=1048576 count="$swap_mib" 2>/dev/null) ||
    fail "--swap: no room for $swap_mib MiB in '${swap_file%/*}'"
  { mkswap "$swap_file" >/dev/null && swapon "$swap_file"; } ||
    fail "--swap: the system cannot use '$swap_file' as swap: use a file on ext4 or XFS, not in a container"
  # build.env counts it for MAX_JOBS.
  [ -n "$own_jobs" ] || unset MAX_JOBS
  load_environment
}

# Sets box, the words that run a command without a network, and compile_box, those for what distcc may do.
choose_network() {
  box=''
  if [ "$network" != --online ]; then
    for words in 'unshare -n' 'unshare -rn'; do
      if [ -z "$box" ] && $words true 2>/dev/null; then box=$words; fi
    done
    if [ -z "$box" ] && [ "$network" = --offline ]; then
      fail "--offline: cannot create a network namespace with 'unshare -n' or 'unshare -rn'"
    fi
    [ -n "$box" ] || say "warning: cannot create a network namespace: the build can reach the network"
  fi
  compile_box=$box
  [ -z "${DISTCC_HOSTS:-}" ] || compile_box=''
}

# The wheel of a component in dist/, or nothing; more than one is an error.
wheel_of() {
  case $1 in
    torch) set -- "$root"/dist/torch-*.whl ;;
    *) set -- "$root/dist/torch$1"-*.whl ;;
  esac
  [ "$#" = 1 ] || fail "expected one wheel, found: $*"
  [ ! -f "$1" ] || printf '%s\n' "$1"
}

# Without steps on the command line: those whose wheels are not there yet.
choose_steps() {
  built=''
  [ -z "$steps" ] || return 0
  for component in $components; do
    wheel=$(wheel_of "$component")
    if [ -n "$wheel" ]; then
      say "$wheel exists; 'build.sh $component' builds it again"
      built="$built $component"
    elif [ "$component" = torch ]; then
      steps='torch:build torch:wheel'
    else
      steps="$steps $component"
    fi
  done
}

# In / pip does not take the sources here for an installed torch, as pip 9 does, which also needs --upgrade to reinstall.
install_wheel() {
  [ "$install" = 0 ] || (cd / && "$PYTHON" -m pip install --no-index --no-deps --upgrade --force-reinstall "$1")
}

# Moves the one wheel in $1/dist into dist/ beside the components.
finish_wheel() {
  set -- "$1"/dist/*.whl
  if [ "$#" != 1 ] || [ ! -f "$1" ]; then fail "expected one wheel, found: $*"; fi
  mv -f -- "$1" "$root/dist/"
  say "built $root/dist/${1##*/}"
  install_wheel "$root/dist/${1##*/}"
}

# Lets Python find the torch of dist/, unpacked where only the build looks. A Python 2.7 has no venv.
use_built_torch() {
  wheel=$(wheel_of torch)
  [ -n "$wheel" ] || return 0
  site=$root/pytorch/build/torchpatch-site
  rm -rf -- "$site"
  mkdir -p -- "$site"
  "$PYTHON" -m zipfile -e "$wheel" "$site"
  PYTHONPATH=$site${PYTHONPATH:+:$PYTHONPATH}
  export PYTHONPATH
}

# Python runs in / so that it does not find the sources here.
check_torch() {
  (cd / && "$PYTHON" -c 'import sys, torch
have, want = torch.__version__, sys.argv[1]
if have[:len(want)] != want or have[len(want):len(want) + 1].isdigit():
    sys.exit("found torch %s, need %s" % (have, want))' "$release") ||
    fail "$1 needs torch $release: build it first ('build.sh torch') or install it"
}

build_companion() {
  use_built_torch
  check_torch "$1"
  say "building $1"
  cd "$root/$1"
  make_wheel "$1"
  finish_wheel "$root/$1"
}

is_scikit_built() {
  case $scikit_built in *" $1 "*) ;; *) return 1 ;; esac
}

# $1: configure, compile, wheel, or pack, which is wheel without compiling. Each of them is a call of scikit-build-core, which
# always makes a wheel: the one of the first two has no compiled file in it and is removed. For those that compile nothing
# make or ninja only prints its version. What CMake installs lies beside the build: /tmp is memory on many systems.
scikit_build() {
  TMPDIR=${TMPDIR:-$PWD/build}
  export TMPDIR
  mkdir -p build
  scikit_box=$compile_box
  [ "$1" != configure ] || scikit_box=$box
  set -- "$1" -m build --wheel --no-isolation --skip-dependency-check
  case $1 in configure | compile) set -- "$@" --outdir "$probes/wheel" --config-setting=install.components=none ;; esac
  case $1 in configure | pack) set -- "$@" --config-setting=build.tool-args=--version ;; esac
  shift
  $scikit_box "$PYTHON" "$@"
}

# $1: a component, $2: --skip-build, or nothing.
make_wheel() {
  if ! is_scikit_built "$1"; then
    shift
    $compile_box "$PYTHON" setup.py bdist_wheel "$@"
  elif [ "$#" = 1 ]; then
    scikit_build wheel
  else
    scikit_build pack
  fi
}

# Without a network also where distcc compiles. setup.py of 1.0 and 1.1 cannot configure alone.
configure_torch() {
  say 'configuring torch'
  if is_scikit_built torch; then
    scikit_build configure
    return
  fi
  case $release in
    1.0.* | 1.1.*) configure_until_install ;;
    *) $box "$PYTHON" setup.py build --cmake-only ;;
  esac
}

# What setup.py calls to compile notes that it was called, and stops it; CMake finds the true programs.
# shellcheck disable=SC2016  # the programs expand it
configure_until_install() {
  stops=$probes/stops
  mkdir -p "$stops"
  write_stop cmake 'PATH=$TORCHPATCH_PATH; export PATH; exec cmake "$@"'
  for tool in make ninja; do
    ! command -v "$tool" >/dev/null || write_stop "$tool" ': >"${0%/*}/reached"; exit 1'
  done
  $box sh -c 'TORCHPATCH_PATH=$PATH; PATH=$1:$PATH; export PATH TORCHPATCH_PATH; exec "$2" setup.py build' \
    sh "$stops" "$PYTHON" || [ -e "$stops/reached" ] || return 1
  say 'torch is configured: setup.py was stopped before compiling'
}

write_stop() {
  printf '#!/bin/sh\n%s\n' "$2" >"$stops/$1"
  chmod +x "$stops/$1"
}

# What CMake decided must be the plan (a CUDA that it does not find is switched off without an error), and in a cross build
# what it decides on the board; TORCHPATCH_ANSWERS names the recipe's list. A check that is not in it may have been answered by
# this machine.
check_decisions() {
  cache=$root/pytorch/build/CMakeCache.txt config=$root/pytorch/aten/src/ATen/Config.h
  macros=$root/pytorch/build/caffe2/core/macros.h
  [ -e "$cache" ] || cache=/dev/null
  [ -e "$macros" ] || macros=/dev/null
  # Without a BLAS nobody calls its functions.
  grep -q 'define AT_BUILD_WITH_BLAS() 1' "$config" 2>/dev/null || config=/dev/null
  decisions >"$probes/decisions"
  awk -v machine="$(host_value arch)" '
    function plain(value) {
      value = tolower(value)
      if (value == "" || value ~ /^(0|off|no|false)$/) return 0
      return value ~ /^(1|on|yes|true)$/ ? 1 : value
    }
    function compare(name, value) {
      if (name in planned && plain(value) != planned[name]) print "unplanned " name "=" value " " name "=" planned[name] " " place[name]
      if (name in answers && plain(value) != answers[name]) print "wrong " name "=" value " " name "=" answers[name]
    }
    kind == "plan" {
      # What somebody set himself (TORCHPATCH_KEEP_ENV) is his own decision, but that there is a GPU.
      if ($1 in ENVIRON && plain(ENVIRON[$1]) != $2 && $1 !~ /^USE_CUD/) next
      planned[$1] = $2; place[$1] = $3
      next
    }
    kind == "answers" { if ($1 == "any" || $1 == machine) answers[$2] = $3; next }
    kind == "macros" {
      if (split($0, part, "\"") > 4 && part[4] != "" && part[2] ~ /^USE_(CUDA|CUDNN|NCCL|MPI|NNPACK)$/) compare(part[2], part[4])
      next
    }
    kind == "config" { if ($1 == "#define" && sub(/\(\)$/, "", $2)) compare($2, $3); next }
    /^[A-Za-z_0-9]+:[A-Z]+=/ {
      name = $0; sub(/:.*/, "", name)
      value = $0; sub(/^[^=]*=/, "", value)
      compare(name, value)
      if (has_answers && sub(/_EXITCODE$/, "", name) && !(name in answers)) print "note " name
    }' has_answers="${TORCHPATCH_ANSWERS:+1}" kind=plan "$probes/decisions" kind=answers "${TORCHPATCH_ANSWERS:-/dev/null}" \
    kind=config "$config" kind=macros "$macros" kind=cache "$cache" >"$probes/answers"
  notes=$(sed -n 's/^note //p' "$probes/answers" | tr '\n' ' ')
  [ -z "$notes" ] || say "CMake tried to run programs for unknown checks: $notes"
  unplanned=$(sed -n 's/^unplanned \([^ ]*\) \([^ ]*\) \(.*\)/CMake decided \1, but the plan has \2 (torchpatch\/\3)/p' "$probes/answers" | head -n 1)
  [ -z "$unplanned" ] ||
    fail "$unplanned: fix that, then remove '$root/pytorch/build'; to build torch like this anyway, prepare the tree with --set"
  wrong=$(sed -n 's/^wrong \([^ ]*\) \(.*\)/CMake decided \1, but the board decides \2/p' "$probes/answers" | head -n 1)
  [ -z "$wrong" ] ||
    fail "$wrong, so this torch could compute wrong results: check which fix the tree was prepared without, then remove '$root/pytorch/build'"
}

build_torch() {
  cd "$root/pytorch"
  [ ! -d build ] || say 'resuming in pytorch/build; remove it if the environment has changed since'
  # @BOARD_STEPS@
  say "building torch with $MAX_JOBS jobs"
  configure_torch
  check_decisions
  if is_scikit_built torch; then
    scikit_build compile
  else
    $compile_box "$PYTHON" setup.py build
  fi
}

finish_torch() {
  cd "$root/pytorch"
  # @BUILD_STEPS@
  make_wheel torch@SKIP_BUILD@
  finish_wheel "$root/pytorch"
  # @WHEEL_STEPS@
}

load_component_environment() {
  case $1 in
    # @COMPONENT_CASES@
    *) ;;
  esac
  eval "$kept"
}

release=@RELEASE@
# Components that scikit-build-core builds; setup.py builds the others.
scikit_built=@SCIKIT_BUILT@

# What the plan has CMake decide: variable, 1 or 0, known issue.
@DECISIONS@
# The script's processes talk to each other by the loopback, which a namespace has not.
test_torch() {
  [ -z "${CMAKE_TOOLCHAIN_FILE:-}" ] ||
    fail "torch:test: this torch is not for this machine: run torchpatch/numerics.py on the target"
  use_built_torch
  check_torch torch:test
  say 'computing with torch'
  (cd / && "$PYTHON" "$root/torchpatch/numerics.py" --json "$root/dist/numerics.json" --html "$root/dist/numerics.html") ||
    fail "torch cannot be imported or computes wrong results; see the messages above and $root/dist/numerics.html"
}

run_step() {
  case $1 in
    torch:configure)
      cd "$root/pytorch"
      configure_torch
      check_decisions
      ;;
    torch:build) build_torch ;;
    torch:wheel) finish_torch ;;
    torch:test) test_torch ;;
    *) build_companion "$1" ;;
  esac
}

# Names the known issues behind a failure, if torchpatch is available. $1: log, $2: its lines before this run.
diagnose_log() {
  command -v torchpatch >/dev/null || return 0
  tail -n +"$(($2 + 1))" -- "$1" | torchpatch diagnose --tree "$root" >&2 || :
}

# In a subshell, so that no component gets what is for another one; what it says goes into the log in dist/, too.
log_step() {
  log=$root/dist/${1%%:*}.log
  if [ -L "$log" ] || { [ -e "$log" ] && [ ! -f "$log" ]; }; then fail "'$log' is not a file: remove it"; fi
  lines=$([ ! -f "$log" ] || wc -l <"$log")
  {
    set +e
    (
      set -e
      load_component_environment "${1%%:*}"
      run_step "$1"
    ) 2>&1
    echo "$?" >"$probes/status"
  } | tee -a "$log"
  [ "$(cat "$probes/status")" != 0 ] || return 0
  diagnose_log "$log" "${lines:-0}"
  fail "$1 failed; see its log: $log"
}

main() {
  own_jobs=${MAX_JOBS:-}
  for tool in awk cat grep mktemp rm sed tee; do
    command -v "$tool" >/dev/null || fail "'$tool' not found"
  done
  read_options "$@"
  enter_tree
  hide_git
  prepare_clean_up
  load_environment
  choose_steps
  [ -z "$wants_test" ] || add_steps torch torch:test
  if [ -n "$steps" ]; then
    gate
    choose_network
    check_swap
    claim_tree
  fi
  for component in $built; do install_wheel "$(wheel_of "$component")"; done
  [ -n "$steps" ] || exit 0
  make_swap
  for step in torch:configure torch:build torch:wheel vision audio torch:test; do
    case " $steps " in *" $step "*) log_step "$step" ;; esac
  done
}

main "$@"
