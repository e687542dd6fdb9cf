# What every recipe does: a clean environment, the tree checked, everything in namespaces of its own.
say() {
  printf 'run.sh: %s\n' "$1" >&2
}

fail() {
  printf 'run.sh: error: %s\n' "$1" >&2
  exit 1
}

# What this machine lacks is listed before anything is made or copied.
lack() {
  case ${lacking:-} in *"$1 |"*) return 0 ;; esac
  printf 'run.sh: error: %s\n' "$1" >&2
  lacking="${lacking:-}$1 |"
}

end_checks() {
  [ -z "$lacking" ] || exit 1
  [ -n "$only_check" ] || return 0
  say "nothing is missing"
  exit 0
}

wrong_usage() {
  printf 'run.sh: error: %s\n\n' "$1" >&2
  usage >&2
  exit 2
}

# Sets a variable for each option that this recipe has, the components, and the two places.
read_options() {
  out='' work='' components='' any_system='' distcc='' image_file='' root_directory='' packages_url='' mirror='' ccache=''
  engine='' base='' last='' build_arguments='' skipped='' brought='' tested='' only_check='' lacking=''
  while [ "$#" -gt 0 ]; do
    case $1 in
      -h | --help)
        usage
        exit 0
        ;;
      -*)
        case " --check $options $tree_options " in *" $1 "*) ;; *) wrong_usage "unknown option '$1'" ;; esac
        ;;
      *) ;;
    esac
    case $1 in
      --any-system | --check | --distcc | --test) words=1 ;;
      -*)
        words=2
        [ -n "${2:-}" ] || wrong_usage "$1 needs a value"
        ;;
      *) words=1 ;;
    esac
    case $1 in
      --any-system) any_system=1 ;;
      --check) only_check=1 ;;
      --distcc) distcc=1 ;;
      --test) tested=' --test' ;;
      --packages) packages_url=$2 ;;
      --mirror) mirror=$(full_path "$2") ;;
      --image) image_file=$(full_path "$2") ;;
      --root) root_directory=$(full_path "$2") ;;
      --ccache) ccache=$(full_path "$2") ;;
      --skip) skipped="$skipped --skip $(quoted "$2")" ;;
      --engine) engine=$2 ;;
      --base) base=$2 ;;
      --stage) last=$2 ;;
      --build-arg) build_arguments="$build_arguments --build-arg $(quoted "$2")" ;;
      torch | torch:configure | torch:build | torch:wheel | torch:test | vision | audio) components="$components $1" ;;
      *)
        if [ -z "$out" ] && [ -n "$manifest_digest" ]; then
          out=$1
        elif [ -z "$work" ]; then
          work=$1
        else
          wrong_usage "unexpected argument '$1'"
        fi
        ;;
    esac
    shift "$words"
  done
  [ -n "$work" ] || wrong_usage "missing: ${manifest_digest:+OUT and }WORK"
  [ -z "$manifest_digest" ] || read_out
  read_work
}

full_path() {
  readlink -e -- "$1" || fail "'$1' not found"
}

read_out() {
  [ -d "$out" ] || wrong_usage "no directory '$out'"
  out=$(cd -P -- "$out" && pwd)
}

# Nothing is made here: what follows may refuse.
read_work() {
  work=$(readlink -m -- "$work")
  case $work in
    '' | / | *[!A-Za-z0-9_./+@=~-]*) fail "WORK is '$work': choose a directory whose path has no blanks, colons, commas or quotes" ;;
    *) ;;
  esac
  case $work/ in
    "${out:-/..}"/*) fail "WORK is inside OUT, which must not change: choose another directory" ;;
    *) ;;
  esac
}

# Differs for each machine, user and file: a copy of the file is another one.
mark_of() { # FILE
  { cat /etc/machine-id 2>/dev/null; stat -c %i -- "$1"; id -u; } | sha256sum | cut -c 1-64
}

# A directory with anything else in it, but what a recipe says to bring, is not ours to write to. What lies in a WORK is run, so
# one that was made elsewhere is not resumed: it could hold anything.
check_work() {
  [ -e "$work" ] || return 0
  if [ -f "$work/recipe" ]; then
    record=$(head -c 1000 -- "$work/recipe")
    [ "${record% *}" = "$recipe $plan_digest $manifest_digest" ] ||
      fail "'$work' belongs to another recipe or tree: choose an empty directory"
    { [ "${record##* }" = "$(mark_of "$work/recipe")" ] && [ "$(stat -c %u -- "$work/recipe")" = "$(id -u)" ]; } ||
      fail "'$work' was moved, or created by another user or on another machine: choose an empty directory"
    return
  fi
  [ -z "$(find "$work" -mindepth 1 -maxdepth 1 ! -name "${brought:-.}" ! -name recipe.lock)" ] ||
    fail "'$work' is neither empty nor a work directory of this recipe: choose another one"
}

# What refuses comes first, so that nothing is left where nothing was done.
claim_work() {
  check_work
  if [ -n "$manifest_digest" ]; then
    check_record "$out"
  elif [ ! -d "$work/tree" ]; then
    command -v torchpatch >/dev/null || fail "this recipe prepares the tree itself, but torchpatch is not installed"
  fi
  mkdir -p -- "$work" || fail "cannot make the directory '$work'"
  take_lock "$work/recipe.lock" "'$work'"
  check_work
  special=$(find "$work" -maxdepth 1 ! -type f ! -type d ! -name recipe.lock | head -n 1)
  [ -z "$special" ] || fail "'$special' is a link or special file, which no recipe creates: remove it"
  [ -e "$work/recipe" ] || : >"$work/recipe"
  printf '%s %s %s %s\n' "$recipe" "$plan_digest" "$manifest_digest" "$(mark_of "$work/recipe")" >"$work/recipe"
}

check_tools() { # NAME=PACKAGE…
  for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null || lack "'${pair%%=*}' not found: apt-get install ${pair#*=}"
  done
}

digest_of() {
  sha256sum <"$1" | cut -c 1-64
}

# The record is the one that this recipe was written for.
check_record() { # DIR
  [ -f "$1/torchpatch/manifest.json" ] || fail "'$1' is not a prepared tree: it has no torchpatch/manifest.json"
  [ "$(digest_of "$1/torchpatch/manifest.json")" = "$manifest_digest" ] ||
    fail "'$1' is not the tree this recipe was written for ($subject): write a recipe for it with 'torchpatch recipe'"
  { [ -f "$1/torchpatch/SHA256SUMS" ] && [ "$(digest_of "$1/torchpatch/SHA256SUMS")" = "$sums_digest" ]; } ||
    fail "'$1/torchpatch/SHA256SUMS' was changed: prepare the tree again"
}

# And the files are those that it lists.
check_sources() { # DIR
  check_record "$1"
  special=$(find "$1" ! -type f ! -type d ! -type l | head -n 1)
  [ -z "$special" ] || fail "'$special' is not a regular file: prepare the tree again"
  (cd "$1" && sha256sum --check --strict --quiet torchpatch/SHA256SUMS) || fail "'$1' was changed: prepare the tree again"
}

# OUT stays as it is: what is built is a copy, in which nothing lies that was not prepared.
copy_tree() {
  say "copying $out"
  special=$(find "$out" ! -type f ! -type d ! -type l -o -type f -size +2097152k | head -n 1)
  [ -z "$special" ] || fail "'$special' is not a regular file, or larger than 2 GiB: prepare the tree again"
  cp -a -- "$out" "$work/tree.part"
  chmod -R u+w "$work/tree.part"
  check_sources "$work/tree.part"
  sh "$work/tree.part/torchpatch/check.sh" --tree >"$work/check.log" ||
    fail "'$out' differs from what was prepared: $(grep -m 1 ': ' "$work/check.log") (full log: $work/check.log)"
}

# A recipe that was written without a tree prepares it, and from then on builds that one.
prepare_tree() {
  # shellcheck disable=SC2218  # defined above where there is no tree
  prepare --output "$work/tree.part" ${mirror:+--mirror "$mirror"} || fail "preparing the tree failed"
  grep -q "^  \"plan\": \"$plan_digest\"" "$work/tree.part/torchpatch/manifest.json" ||
    fail "this version of torchpatch makes a different plan from the version that wrote this recipe: write the recipe again"
  printf '%s %s\n' "$(digest_of "$work/tree.part/torchpatch/manifest.json")" \
    "$(digest_of "$work/tree.part/torchpatch/SHA256SUMS")" >"$work/digests"
}

bring_tree() {
  if [ -d "$work/tree" ]; then
    [ -n "$manifest_digest" ] || read -r manifest_digest sums_digest <"$work/digests"
    check_sources "$work/tree"
    say "resuming in $work/tree"
    return
  fi
  remove tree.part
  if [ -n "$manifest_digest" ]; then copy_tree; else prepare_tree; fi
  chown -R -h "$owner" "$work/tree.part"
  mv "$work/tree.part" "$work/tree"
}

remove() { # NAME of something in WORK
  find "${work:?}/${1:?}" -xdev -type d ! -perm -u+w -exec chmod u+rwx {} + 2>/dev/null || :
  rm -rf --one-file-system -- "${work:?}/${1:?}"
}

# Who owns the result: the owner of WORK, so that sudo leaves no files of root.
find_owner() {
  owner=$(stat -c '%u:%g' "$work")
}

# Some steps of torch leave none.
makes_wheel() {
  [ -n "$components" ] || return 0
  for step in $components; do
    case $step in
      torch:configure | torch:build | torch:test) ;;
      *) return 0 ;;
    esac
  done
  return 1
}

# No link is followed, neither in the place of a wheel nor in the way of one: this may be root, and the build a stranger's. Where it
# is root nothing of the build runs any more.
collect_wheels() {
  for place in "$work/tree/dist" "$work/dist"; do
    [ ! -L "$place" ] || fail "'$place' is a link, which no build creates"
  done
  [ -d "$work/tree/dist" ] || fail "the build wrote nothing to '$work/tree/dist'"
  mkdir -p "$work/dist"
  for file in "$work"/tree/dist/*.whl "$work"/tree/dist/*.log "$work"/tree/dist/numerics.*; do
    if [ -L "$file" ] || { [ -e "$file" ] && [ ! -f "$file" ]; }; then fail "'$file' is not a regular file: not copied"; fi
    [ -f "$file" ] || continue
    rm -f -- "$work/dist/${file##*/}"
    cp -P -p -- "$file" "$work/dist/"
  done
  chown -R -h "$owner" "$work/dist"
  if ! makes_wheel; then
    say "done:$components; the log is $work/dist/torch.log"
    return
  fi
  for wheel in "$work"/dist/*.whl; do
    [ -f "$wheel" ] || fail "the build wrote no wheel to '$work/tree/dist'"
    say "built $wheel"
  done
}
