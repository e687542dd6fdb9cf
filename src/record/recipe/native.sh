
options='--skip --test'

usage() {
  cat <<END
Usage: run.sh $places [--skip NAME]… [--test] [STEP]…

Builds $subject on this machine. $tree_text
WORK is a directory for everything that is made, the wheels in WORK/dist. An interrupted run goes on where it was.

  --skip NAME  leave out a check of build.sh; a refusal names it; may be repeated
  --check      list what this machine lacks and exit
  --test       compute with the torch that was built (torchpatch/numerics.py); WORK/dist/numerics.html says what is wrong
  STEP         torch, vision, audio, or a part of torch: torch:configure, torch:build, torch:wheel, torch:test; default:
               what is left

Variables that count: all; those of torchpatch/build.env win, but for MAX_JOBS.
END
}

check_packages() {
  command -v dpkg-query >/dev/null || return 0
  missing=''
  for package in $packages; do
    # shellcheck disable=SC2016  # dpkg-query expands it
    [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
  done
  [ -z "$missing" ] || lack "packages are missing: sudo apt-get install --no-install-recommends$missing"
}

main() {
  read_options "$@"
  check_tools sha256sum=coreutils
  check_packages
  end_checks
  claim_work
  find_owner
  bring_tree
  eval "set -- $components $skipped$tested"
  sh "$work/tree/torchpatch/build.sh" "$@"
  collect_wheels
}

main "$@"
