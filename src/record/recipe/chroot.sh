
options='--image --root --any-system --distcc --packages --ccache --skip --test'

usage() {
  cat <<END
Usage: run.sh $places [OPTION…] [STEP]…

Builds $subject in a root file system of $system, as root. $tree_text
WORK is a directory for everything that run.sh creates; wheels are in WORK/dist. Run it again to
resume after an interruption.

  --image FILE   the board's SD card image, which is only read
  --root DIR     an unpacked root, which is only read; without either, debootstrap creates one
  --any-system   accept an image or root of a system other than $system
  --distcc       compile with this machine's cross compiler, so that only the rest is emulated
  --test         test the new torch (torchpatch/numerics.py); WORK/dist/numerics.html has the results
END
  root_usage
}

needs_emulator() {
  ! is_native
}

check_machine() {
  if [ -n "$root_directory" ]; then
    check_root "$root_directory"
  elif [ -n "$image_file" ]; then
    check_tools sfdisk=fdisk losetup=mount
  else
    check_bootstrap root
  fi
  if needs_emulator; then check_emulator; fi
  [ -n "$distcc" ] || return 0
  check_bootstrap compilers
  check_tools ip=iproute2
}

make_roots() {
  if [ -n "$image_file" ]; then
    mount_image "$image_file" "$work/image"
    overlay "$work/image" root
  elif [ -n "$root_directory" ]; then
    overlay "$root_directory" root
  else
    bootstrap root "$debian_arch"
  fi
  furnish "$work/root"
  runs "$work/root" || fail "cannot run programs of '$work/root' ($arch): apt-get install qemu-user-static"
  # shellcheck disable=SC2086  # a list
  install_packages "$work/root" $packages ${ccache:+ccache} ${distcc:+distcc}
  install_cmake "$work/root"
  [ -n "$distcc" ] || return 0
  bootstrap compilers "$(dpkg --print-architecture)"
  furnish "$work/compilers"
  install_packages "$work/compilers" distcc "g++-$triplet"
}

# distcc finds a compiler by its name, which tells both sides the machine that it compiles for.
compile() {
  path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  set -- "PATH=${ccache:+/usr/lib/ccache:}$path" ${ccache:+CCACHE_DIR=/ccache} ${MAX_JOBS:+"MAX_JOBS=$MAX_JOBS"}
  if [ -n "$distcc" ]; then
    ip link set lo up
    jobs=$(nproc)
    inside "$work/compilers" 0:0 distccd --daemon --no-detach --user nobody --listen 127.0.0.1 --allow 127.0.0.1 \
      --jobs "$jobs" --log-stderr --log-level notice 2>"$work/distccd.log" &
    set -- "$@" CC="$triplet-gcc" CXX="$triplet-g++" "DISTCC_HOSTS=127.0.0.1/$jobs" "MAX_JOBS=${MAX_JOBS:-$((jobs + 1))}"
    if [ -n "$ccache" ]; then set -- "$@" CCACHE_PREFIX=distcc; else set -- "$@" "PATH=/usr/lib/distcc:$path"; fi
  fi
  eval "set -- \"\$@\" TORCHPATCH_KEEP_ENV=1 sh /tree/torchpatch/build.sh --online $components $skipped$tested"
  inside "$work/root" "$owner" "$@"
}
