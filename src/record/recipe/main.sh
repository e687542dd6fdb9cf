
check_root_user() { # WORD…
  if [ "$(id -u)" = 0 ]; then
    check_owner
    return
  fi
  words=$(quoted "$0")
  for word in "$@"; do words="$words $(quoted "$word")"; done
  [ -z "$only_check" ] || words=''
  lack "mounts and chroot need root${words:+: sudo sh $words}"
}

# Of the caller's environment only what is named here is taken over: what follows runs as root.
main() {
  case ${1:-} in
    --step)
      step=$2
      shift 2
      ;;
    *)
      http_proxy=${http_proxy:-${HTTP_PROXY:-}} https_proxy=${https_proxy:-${HTTPS_PROXY:-}} no_proxy=${no_proxy:-${NO_PROXY:-}}
      exec /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
        ${SUDO_UID:+"SUDO_UID=$SUDO_UID"} ${MAX_JOBS:+"MAX_JOBS=$MAX_JOBS"} ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
        ${no_proxy:+"no_proxy=$no_proxy"} /bin/sh "$0" --step first "$@"
      ;;
  esac
  here=$(cd -P -- "$(dirname -- "$0")" && pwd)
  read_options "$@"
  case $step in
    first)
      check_root_user "$@"
      check_tools unshare=util-linux flock=util-linux capsh=libcap2-bin perl=perl-base sha256sum=coreutils
      check_machine
      end_checks
      exec unshare --mount --propagation private /bin/sh "$here/run.sh" --step mounts "$@"
      ;;
    mounts)
      claim_work
      # A root may hold set-user-id programs, which are nobody's to run on this machine.
      chmod go-rwx -- "$work"
      find_owner
      bring_tree
      supervise /bin/sh "$here/run.sh" --step build "$@"
      collect_wheels
      ;;
    build)
      find_owner
      make_roots
      # The build is held to what was prepared: it has no network but a loopback of its own.
      unshare --net /bin/sh "$here/run.sh" --step offline "$@"
      ;;
    offline)
      find_owner
      compile
      ;;
    *) wrong_usage "unknown step '$step'" ;;
  esac
}

main "$@"
