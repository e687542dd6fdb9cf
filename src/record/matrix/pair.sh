#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the wheels of one pair of the matrix: sh pair.sh PAIR. Written by torchpatch.
set -eu
CDPATH=''

# @MATRIX@

# What is known of a pair, by its number or name.
read_pair() {
  case $1 in
    # @FACTS@
    *) fail "unknown pair '$1'" 2 ;;
  esac
  # A board counts its own processors and memory.
  [ "$kind" = native ] || export MAX_JOBS="${MAX_JOBS:-$cpus}"
}

prepare() {
  case $id in
    # @PREPARE@
    *) fail "unknown pair '$id'" 2 ;;
  esac
}

run_recipe() { # OUT MADE
  if [ "$kind" = native ]; then
    @NATIVE_CACHE@sh "$work/recipe/run.sh" "$@" ${TEST:+--test}
  elif [ "$kind" = chroot ]; then
    as_root sh "$work/recipe/run.sh" "$@" ${TEST:+--test}@ROOT_CACHE@
  else
    as_root sh "$work/recipe/run.sh" "$@"@ROOT_CACHE@
  fi
}

mirror=${MIRROR:-$here/mirror}
works=${WORK:-$here/work}
cache_directory=${CACHE:-$here/cache}
child=''

# @REPORT@

# What to do if a stage failed for want of something that this machine may not have.
way_on() {
  if [ "$stage" = prepare ]; then
    printf '; if sources are missing, set MIRROR to a folder with git repositories that have them, fill it with sources.sh, '
    printf 'or write the matrix again (torchpatch matrix --replace) with --allow-partial or fewer --component'
  elif [ "$stage" = build ] && [ "$kind" = native ]; then
    printf '; it is built on the board itself: run pair.sh on %s with %s' "$board" "$image"
  fi
}

# A stage is a session of its own, so that a signal ends all of it.
run_stage() { # STAGE
  stage=$1
  report running
  say "$id: $stage (log: $kept/$stage.log)"
  setsid sh "$here/pair.sh" "$id" "$stage" >"$kept/$stage.log" 2>&1 &
  child=$!
  wait "$child" || {
    report failed "$(reason_in "$kept/$stage.log")"
    tail -n 40 "$kept/$stage.log" >&2
    fail "$id failed at $stage$(way_on); what was built is kept; to resume, run pair.sh $id again"
  }
  child=''
}

interrupted() { # SIGNAL CODE
  [ -z "$child" ] || kill -TERM "-$child" 2>/dev/null || :
  wait || :
  report failed "ended by signal $1"
  exit "$2"
}

# The recipes make roots and mounts; on a board the build is nobody's but the user's.
as_root() {
  kept_variables=MAX_JOBS,http_proxy,https_proxy,no_proxy,HTTP_PROXY,HTTPS_PROXY,NO_PROXY # those that run.sh reads
  if [ "$kind" = native ] || [ "$(id -u)" = 0 ]; then "$@"; else sudo -n --preserve-env="$kept_variables" -- "$@"; fi
}

stage_prepare() {
  if [ -d "$work/out" ]; then
    echo "$work/out exists"
  else
    # Without a mirror torchpatch takes the sources from its cache and the network.
    if [ -d "$mirror" ]; then set -- --mirror "$mirror"; fi
    prepare "$@" --output "$work/out" --report "$kept/run.json" --quiet
  fi
}

stage_verify() {
  "$torchpatch" verify "$work/out"
}

stage_recipe() {
  if [ -d "$work/recipe" ]; then
    "$torchpatch" recipe "$work/out" --check "$work/recipe"
  else
    "$torchpatch" recipe "$work/out" --kind "$kind" --output "$work/recipe"
  fi
}

stage_build() {
  if [ -n "${BUILD_WITH:-}" ]; then
    "$BUILD_WITH" "$work/out" "$work/made"
  else
    run_recipe "$work/out" "$work/made"
  fi
}

stage_check() {
  for wheel in "$work"/made/dist/*.whl; do
    if ! [ -f "$wheel" ]; then
      echo "error: the build wrote no wheel to $work/made/dist"
      return 1
    fi
  done
  set -- "$work"/made/dist/*.whl --board "$board" --image "$image"
  # Where the plan has CUDA, a torch for the CPU alone is a failure.
  if grep -q '^USE_CUDA 1 ' "$work/out/torchpatch/build.sh"; then set -- "$@" --require-gpu; fi
  # 8: the wheels work once packages are installed.
  "$torchpatch" wheel check "$@" --json >"$kept/wheels.json" || [ "$?" = 8 ] || {
    "$torchpatch" wheel check "$@"
    return 1
  }
}

stage_keep() {
  cp -p -- "$work"/made/dist/* "$kept/" && (cd "$kept" && sha256sum -- *.whl >SHA256SUMS)
}

# What another matrix made, with other options, another catalog or another program, is not taken for this pair's.
require_own() { # DIRECTORY RECORD VARIABLE
  grep -q -s -F "$digest" "$2" ||
    fail "$1 belongs to another matrix (other options, catalog or program): remove it, or set $3 to another directory"
}

is_done() {
  grep -q '"state": "done"' "$kept/pair.json" 2>/dev/null && ! grep -q / "$kept/SHA256SUMS" &&
    (cd "$kept" && sha256sum --check --quiet SHA256SUMS)
}

remove_work() {
  rmdir -- "$work" 2>/dev/null || as_root rm -rf --one-file-system -- "$work"
}

main() {
  case $#,${2:-} in
    1, | 2,prepare | 2,verify | 2,recipe | 2,build | 2,check | 2,keep) ;;
    *) fail "usage: pair.sh PAIR, by its name or number" 2 ;;
  esac
  read_pair "$1"
  kept=$results/$id work=$works/$id
  if [ "$#" = 2 ]; then
    "stage_$2"
    exit
  fi
  mkdir -p -- "$kept" "$work" "$cache_directory"
  require_files "$works/$id.lock" "$works/$id.digest"
  # Of two jobs with one pair the second waits for the first, whose node may only have been lost sight of.
  exec 9>"$works/$id.lock"
  flock 9
  ! [ -e "$kept/pair.json" ] || require_own "$kept" "$kept/pair.json" RESULTS
  [ -z "$(ls -A "$work")" ] || require_own "$work" "$works/$id.digest" WORK
  echo "$digest" >"$works/$id.digest"
  if is_done; then
    remove_work # of a run that was killed while it did
    say "$id is already done: remove $kept to build it again"
    exit 0
  fi
  stage=prepare started=$(date +%s)
  if [ -z "${BUILD_WITH:-}" ] && ! as_root true 2>/dev/null; then
    report failed 'its build needs root'
    fail "$id: its build needs root: run pair.sh as root, or allow sudo without a password"
  fi
  trap 'interrupted TERM 143' TERM
  trap 'interrupted INT 130' INT
  trap 'interrupted HUP 129' HUP
  for each in prepare verify recipe build check keep; do run_stage "$each"; done
  report 'done'
  remove_work
  say "$id is done; see $kept"
}

main "$@"
