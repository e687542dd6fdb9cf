
options='--skip --test'

usage() {
  cat <<END
Usage: run.sh $places [--skip NAME]… [--test] [STEP]…

Builds $subject on this machine. $tree_text
WORK is a directory for everything that run.sh creates; wheels are in WORK/dist. Run it again to
resume after an interruption.

  --skip NAME  ignore a check of build.sh; a failed check shows its name; may be repeated
  --check      list what this machine lacks and exit
  --test       test the new torch (torchpatch/numerics.py); WORK/dist/numerics.html has the results
  STEP         torch, vision, audio, or a part of torch: torch:configure, torch:build, torch:wheel, torch:test; default:
               what is not built yet

All environment variables are used; those of torchpatch/build.env override them, except MAX_JOBS.
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

# What build.sh would refuse, by the tree's own check.sh. A recipe without a tree has none yet.
check_host() {
  [ -n "$only_check" ] && [ -n "$manifest_digest" ] || return 0
  check_sources "$out"
  sh "$out/torchpatch/check.sh" || lacking=1
}

main() {
  read_options "$@"
  check_tools sha256sum=coreutils
  check_packages
  check_host
  end_checks
  claim_work
  find_owner
  bring_tree
  eval "set -- $components $skipped$tested"
  sh "$work/tree/torchpatch/build.sh" "$@"
  collect_wheels
}

main "$@"
