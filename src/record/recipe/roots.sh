
# Root file systems: made by debootstrap or taken as they are, entered with chroot, with nothing of this machine but what
# is mounted here. All mounts are in a namespace of this run and vanish with it, however it ends.
root_usage() {
  cat <<'END'
  --packages URL where debootstrap downloads packages
  --ccache DIR   cache compiled objects in DIR
  --check        list what this machine lacks and exit
  --skip NAME    ignore a check of build.sh; a failed check shows its name; may be repeated
  STEP           torch, vision, audio, or a part of torch: torch:configure, torch:build, torch:wheel; default: what is not
                 built yet

Variables: MAX_JOBS; http_proxy, https_proxy and no_proxy (or in upper case) for packages.
END
}

# The file with the keys of the distribution, and its package.
keyring() {
  case $distribution in
    ubuntu) echo /usr/share/keyrings/ubuntu-archive-keyring.gpg ubuntu-keyring ;;
    *) echo /usr/share/keyrings/debian-archive-keyring.gpg debian-archive-keyring ;;
  esac
}

# Debian 12 has no ubuntu-keyring: this takes the one of Debian 13 from the same server, as docs/guides/zynq-pynq.md does.
keyring_of_debian_13() {
  cat <<'END'
mkdir -p trixie/partial; apt-get indextargets --format 'deb $(REPO_URI) trixie main' 'Codename: bookworm' 'Component: main' | head -n 1 >trixie.list; for step in update 'download ubuntu-keyring'; do apt-get -o Dir::Etc::SourceList="$PWD/trixie.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$PWD/trixie" $step; done; sudo apt-get install ./ubuntu-keyring_*.deb
END
}

# Root works in WORK: nobody may change it meanwhile but root and whoever called sudo. What a namespace of users does not map is
# root's, or nobody's that this run has power over.
check_owner() {
  place=$work unmapped=0
  [ "$(awk '{ print $3 }' /proc/self/uid_map)" = 4294967295 ] || unmapped=$(cat /proc/sys/kernel/overflowuid)
  while [ "$place" != / ]; do
    if mode=$(stat -c '%u %a' -- "$place" 2>/dev/null); then
      case ${mode%% *} in
        0 | "$unmapped" | "${SUDO_UID:-0}") ;;
        *) lack "'$place' belongs to user ${mode%% *}, who could change what root does there: choose a WORK owned by root, or by you if you use sudo" ;;
      esac
      case ${mode#* } in
        [1357]???) ;;
        *[2367]) lack "anyone may write to '$place': choose a WORK where only root can write, or you if you use sudo" ;;
        *) ;;
      esac
    fi
    place=$(dirname -- "$place")
  done
}

check_bootstrap() { # NAME
  [ ! -d "$work/$1" ] || return 0
  if [ -z "$suite" ]; then
    lack "cannot make a root of $system: pass one with --root DIR"
    return
  fi
  check_tools debootstrap=debootstrap
  keys=$(keyring)
  [ ! -f "${keys% *}" ] || return 0
  case $distribution-$(system_of /) in
    ubuntu-debian-12) lack "keys of ubuntu not found: $(keyring_of_debian_13)" ;;
    *) lack "keys of $distribution not found: apt-get install ${keys#* }" ;;
  esac
}

bootstrap() { # NAME ARCHITECTURE
  [ ! -d "$work/$1" ] || return 0
  keys=$(keyring)
  remove "$1.part"
  say "making a root of $system ($2); log: $work/debootstrap.log"
  debootstrap --variant=minbase --arch="$2" --keyring="${keys% *}" --force-check-gpg "$suite" "$work/$1.part" \
    ${packages_url:+"$packages_url"} >"$work/debootstrap.log" 2>&1 ||
    fail "debootstrap failed: $(tail -n 1 "$work/debootstrap.log") (full log: $work/debootstrap.log)"
  if [ "$distribution" = ubuntu ]; then
    sed 's/ main$/ main universe/' "$work/$1.part/etc/apt/sources.list" >"$work/sources.list"
    mv "$work/sources.list" "$work/$1.part/etc/apt/sources.list"
  fi
  mv "$work/$1.part" "$work/$1"
}

# The machine that a root's programs are for, by the ELF header of one of them.
machine_of() { # ROOT
  for program in usr/bin/env bin/busybox usr/bin/dpkg bin/ls; do
    [ -f "$1/$program" ] || continue
    case $(od -An -tx1 -N 20 "$1/$program" | tr -d ' \n') in
      7f454c4602*b700) echo aarch64 && return ;;
      7f454c4601*2800) echo armv7l && return ;;
      7f454c4602*3e00) echo x86_64 && return ;;
      7f454c46*) break ;;
      *) ;;
    esac
  done
  echo "an unknown machine"
}

# A link in a root may lead out of it, and reading a FIFO or a sparse file never ends: where etc/os-release is no regular file,
# usr/lib has it (os-release(5)).
system_of() { # ROOT
  for release in "$1/etc/os-release" "$1/usr/lib/os-release"; do
    if [ -L "$release" ] || [ ! -f "$release" ]; then continue; fi
    head -c 65536 -- "$release" | sed -n 's/^\(ID\|VERSION_ID\)="\{0,1\}\([^"]*\)"\{0,1\}$/\1 \2/p' |
      sort | cut -d ' ' -f 2 | paste -s -d - - | if [ -e "$1/etc/rpi-issue" ]; then sed 's/^[^-]*/raspios/'; else cat; fi
    return
  done
}

check_root() { # ROOT
  [ "$(machine_of "$1")" = "$arch" ] || lack "'$1' is a root for $(machine_of "$1"), need $arch (the board)"
  found=$(system_of "$1")
  [ "$found" = "$system" ] || [ -n "$any_system" ] ||
    lack "'$1': found ${found:-an unknown system}, need $system (--any-system accepts it)"
}

# A root that is not ours is only read: what the build changes goes to WORK.
overlay() { # LOWER NAME
  check_root "$1"
  end_checks
  case $1 in *[:,\\]*) fail "'$1' has a colon, comma or backslash in its path, which overlayfs does not support: move it" ;; esac
  mkdir -p "$work/$2-changes" "$work/$2-overlay" "$work/$2"
  mount -t overlay overlay -o "lowerdir=$1,upperdir=$work/$2-changes,workdir=$work/$2-overlay" "$work/$2" ||
    fail "cannot overlay '$work/$2-changes' on '$1': does the file system of WORK support overlayfs?"
}

# Where the largest Linux partition of a disk image begins, in bytes; 0 where the file is a file system itself.
partition_offset() { # FILE
  sfdisk --dump "$1" 2>/dev/null | awk '
    /^sector-size:/ { sector = $2 }
    /type=83|type=0FC63DAF|type=B921B045|type=69DAD710/ {
      match($0, /start= *[0-9]+/); start = substr($0, RSTART + 6, RLENGTH - 6) + 0
      match($0, /size= *[0-9]+/); size = substr($0, RSTART + 5, RLENGTH - 5) + 0
      if (size > largest) { largest = size; offset = start }
    }
    END { printf "%d\n", offset * (sector ? sector : 512) }'
}

mount_image() { # FILE DIRECTORY
  mkdir -p "$2"
  mount -o "ro,loop,offset=$(partition_offset "$1")" "$1" "$2" ||
    fail "no Linux file system found in '$1' (offset $(partition_offset "$1")): unpack it and pass its root with --root"
}

# What programs in a root find there of this machine: the kernel's files, a few devices, the tree, the recipe. Nothing is
# written through a link, which may lead out of the root, and neither devices nor set-user-id programs of the root count.
furnish() { # ROOT
  for place in proc sys dev tmp etc usr usr/sbin tree recipe tools ccache; do
    [ ! -L "$1/$place" ] || fail "'$1/$place' is a link, which $system does not have"
  done
  bind "$1" "$1"
  mkdir -p "$1/proc" "$1/sys" "$1/dev" "$1/tmp" "$1/etc" "$1/usr/sbin" "$1/tree" "$1/recipe" "$1/tools"
  mount -t proc proc "$1/proc"
  # Root may write here whatever capabilities it has, and what it writes is the kernel's, not the root's.
  for place in bus fs irq sys sysrq-trigger; do
    [ ! -e "$1/proc/$place" ] || bind "$1/proc/$place" "$1/proc/$place" ro
  done
  mount -t tmpfs -o mode=0755 tmpfs "$1/dev"
  for device in null zero full random urandom tty; do
    : >"$1/dev/$device"
    mount --bind "/dev/$device" "$1/dev/$device"
  done
  mkdir "$1/dev/shm" "$1/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$1/dev/pts"
  ln -s pts/ptmx "$1/dev/ptmx"
  ln -s /proc/self/fd "$1/dev/fd"
  ln -s /proc/self/fd/0 "$1/dev/stdin"
  ln -s /proc/self/fd/1 "$1/dev/stdout"
  ln -s /proc/self/fd/2 "$1/dev/stderr"
  rm -f "$1/etc/resolv.conf" "$1/etc/hosts" "$1/usr/sbin/policy-rc.d"
  cat /etc/resolv.conf >"$1/etc/resolv.conf" 2>/dev/null || :
  printf '127.0.0.1 localhost\n::1 localhost\n' >"$1/etc/hosts"
  printf '%s\n' '#!/bin/sh' 'exit 101' >"$1/usr/sbin/policy-rc.d" # no daemon is started by its package
  chmod +x "$1/usr/sbin/policy-rc.d"
  mkdir -p "$work/tools"
  chown "$owner" "$work/tools"
  bind "$work/tree" "$1/tree"
  bind "$work/tools" "$1/tools"
  bind "$here" "$1/recipe" ro
  if [ -n "$ccache" ]; then
    mkdir -p "$1/ccache"
    bind "$ccache" "$1/ccache"
  fi
}

bind() { # FROM TO [ro]
  mount --bind "$1" "$2"
  mount -o "remount,bind,nodev,nosuid${3:+,ro}" "$2"
}

# No namespace divides the keyrings of the kernel, so that a root's programs could read the caller's keys: they have none of the
# three system calls (x86_64, i386, aarch64, arm; the instructions are those of bpf(4), the numbers those of linux/seccomp.h).
# shellcheck disable=SC2016  # perl has the variables
without_keys='
  my $filter = "";
  sub add { $filter .= pack "SCCL", @_ }
  for ([0xc000003e, 248, 250], [0x40000003, 286, 288], [0xc00000b7, 217, 219], [0x40000028, 309, 311]) {
    my ($machine, $first, $last) = @$_;
    add 0x20, 0, 0, 4; add 0x15, 0, 5, $machine;
    add 0x20, 0, 0, 0; add 0x54, 0, 0, 0x3fffffff;
    add 0x35, 0, 2, $first; add 0x25, 1, 0, $last; add 0x06, 0, 0, 0x50026;
  }
  add 0x06, 0, 0, 0x7fff0000;
  my $prctl = length(pack "P", 0) == 4 ? 172 : `uname -m` eq "x86_64\n" ? 157 : 167;
  syscall($prctl, 22, 2, pack "Sx![P]P", length($filter) / 8, $filter) == 0 or die "seccomp: $!\n";
  exec @ARGV or die "$ARGV[0]: $!\n"'

# The root may be a stranger's, and what runs in it be root: of root's powers it has those that installing packages takes, and none
# that leads out of the root.
dropped_powers() {
  capsh --print | sed -n 's/^Bounding set *=//p' | tr ',' '\n' |
    grep -v -x -E 'cap_(chown|dac_override|fowner|fsetid|kill|setfcap|setgid|setuid)' | paste -s -d ,
}

inside() { # ROOT USER NAME=VALUE… COMMAND…
  root=$1
  user=$2
  shift 2
  dropped=$(dropped_powers) groups=''
  grep -q -s deny /proc/self/setgroups || groups=--groups= # where a namespace of users allows it
  env -i HOME=/root LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    perl -e "$without_keys" capsh --chroot="$root" ${dropped:+"--drop=$dropped"} ${groups:+"$groups"} --gid="${user#*:}" --uid="${user%:*}" \
    --shell=/usr/bin/env -- "$@" 8<&- 9<&-
}

# What brings packages: the caller's proxies lead to the network.
with_network() { # ROOT NAME=VALUE… COMMAND…
  root=$1
  shift
  inside "$root" 0:0 ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
    ${no_proxy:+"no_proxy=$no_proxy"} DEBIAN_FRONTEND=noninteractive "$@"
}

are_installed() { # ROOT PACKAGE…
  root=$1
  shift
  # shellcheck disable=SC2016  # dpkg-query expands it
  missing=$(inside "$root" 0:0 dpkg-query --show --showformat='${db:Status-Status}\n' "$@" 2>/dev/null | grep -c -v '^installed$')
  [ "$missing" = 0 ] && inside "$root" 0:0 dpkg-query --show "$@" >/dev/null 2>&1
}

# Runs what changes a root's packages. The mark stays where that was killed or failed: they are repaired first then.
change_packages() { # ROOT COMMAND…
  mark=$work/${1##*/}.unfinished
  if [ -e "$mark" ]; then repair_packages "$1" || return; fi
  : >"$mark"
  shift
  "$@" || return
  rm -f "$mark"
}

# What dpkg had unpacked is configured, and what it had not, or what is wanting, is brought.
repair_packages() { # ROOT
  say "repairing the packages in $1: their installation was interrupted"
  with_network "$1" dpkg --configure -a || :
  with_network "$1" apt-get update -qq || return
  with_network "$1" apt-get install -qq --yes --fix-broken
}

install_packages() { # ROOT PACKAGE…
  if [ ! -e "$work/${1##*/}.unfinished" ] && are_installed "$@"; then return 0; fi
  root=$1
  shift
  say "installing packages into $root; log: $work/apt.log"
  if ! change_packages "$root" bring_packages "$root" "$@" >"$work/apt.log" 2>&1; then
    fail "installing packages failed: $(grep -m 1 -E '^(E:|W: Failed)' "$work/apt.log") (full log: $work/apt.log)"
  fi
}

# A CMake from pip, if the system's is too old. The link leads to the program itself: pip's starts Python, which in a cross build
# has the board's settings.
install_cmake() { # ROOT
  [ -n "$newer_cmake" ] || return 0
  if inside "$1" 0:0 test -x /usr/local/bin/cmake; then return 0; fi
  say "installing $newer_cmake with pip into $1; log: $work/pip.log"
  # shellcheck disable=SC2016  # the shell in the root expands it
  with_network "$1" sh -c 'set -e
    python3 -m venv /opt/cmake
    /opt/cmake/bin/pip install --upgrade pip
    /opt/cmake/bin/pip install "$1"
    ln -sf "$(/opt/cmake/bin/python3 -c "import cmake; print(cmake.CMAKE_BIN_DIR)")/cmake" /usr/local/bin/cmake' \
    sh "$newer_cmake" >"$work/pip.log" 2>&1 ||
    fail "pip could not install $newer_cmake, which this release needs: $(grep -m 1 -i error "$work/pip.log") (full log: $work/pip.log); if pip has none for this machine, as for most 32-bit ones, use the recipe 'sysroot'"
}

bring_packages() { # ROOT PACKAGE…
  root=$1
  shift
  with_network "$root" apt-get update -qq || return
  with_network "$root" apt-get install -qq --yes --no-install-recommends "$@"
}

# Emulation, for roots that this machine cannot run: registered where nobody has, and taken back by the last run that uses it.
runs() { # ROOT
  inside "$1" 0:0 true 2>/dev/null
}

check_emulator() {
  binfmt=/proc/sys/fs/binfmt_misc
  if grep -q -s '^enabled' "$binfmt/qemu-$qemu"; then return; fi
  check_tools "qemu-$qemu-static=qemu-user-static"
  [ -e "$binfmt/register" ] || grep -q binfmt_misc /proc/filesystems || modprobe -q -n binfmt_misc 2>/dev/null ||
    lack "cannot run programs for $arch: this kernel has no binfmt_misc (modprobe binfmt_misc)"
}

magic() {
  case $arch in
    aarch64) printf '%s\n' '\x7f\x45\x4c\x46\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00' ;;
    *) printf '%s\n' '\x7f\x45\x4c\x46\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x28\x00' ;;
  esac
}

mask() {
  printf '%s\n' '\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
}

is_native() {
  [ "$(uname -m)" = "$arch" ] || { [ "$(uname -m)" = aarch64 ] && [ "$arch" = armv7l ] && setarch linux32 true 2>/dev/null; }
}

# The lock is that of the registration itself, which every run on this kernel sees, and which it takes back from a killed one.
register_emulator() {
  binfmt=/proc/sys/fs/binfmt_misc
  entry=$binfmt/torchpatch-$qemu
  registered=''
  [ -e "$binfmt/register" ] || mount -t binfmt_misc binfmt_misc "$binfmt" ||
    fail "cannot run programs for $arch: this kernel has no binfmt_misc (modprobe binfmt_misc)"
  if grep -q -s '^enabled' "$binfmt/qemu-$qemu"; then return; fi
  until [ -n "$registered" ]; do
    [ -e "$entry" ] || write_registration
    { command exec 8<"$entry"; } 2>/dev/null || continue
    flock -s -w 60 8 || fail "'$entry' is locked by another program: find it with 'fuser'"
    # It may have been taken back in between.
    # shellcheck disable=SC3013  # dash, bash and BusyBox have -ef
    [ ! "$entry" -ef /proc/self/fd/8 ] || registered=1
  done
}

write_registration() {
  say "registering qemu for $arch until the last run that uses it ends"
  # F: the kernel keeps the program open, so that no root needs a copy of it.
  printf ':torchpatch-%s:M::%s:%s:%s:OCF\n' "$qemu" "$(magic)" "$(mask)" "$(command -v "qemu-$qemu-static")" 2>/dev/null >"$binfmt/register" ||
    [ -e "$entry" ] || fail "cannot register qemu for $arch: apt-get install qemu-user-static"
}

# The lock alone is had by the last user only.
unregister_emulator() {
  if flock -n 8; then echo -1 >"$entry"; fi
}

interrupted() { # STATUS
  kill -KILL "$child" 2>/dev/null || :
  wait
  say "interrupted; run it again to resume"
  exit "$1"
}

# Runs the next stage in a process namespace. What watches this shell takes everything down when it is gone, killed too.
supervise() { # COMMAND…
  registered=''
  if needs_emulator; then register_emulator; fi
  # A program changes and reads a terminal that it has open. So what runs in the root is a session of its own, and what it prints
  # comes through a pipe, without the bytes that a terminal obeys.
  pipe=$(mktemp -d)
  mkfifo "$pipe/output"
  # tr would hold back what it prints to a pipe: who reads it would not see how far the build is.
  # shellcheck disable=SC2016  # perl has the variables
  perl -e '$| = 1; while (sysread STDIN, $_, 65536) { tr/\000-\010\013\014\016-\037\177//d; print }' <"$pipe/output" >&2 &
  exec 7>"$pipe/output"
  rm -r "$pipe"
  setsid unshare --pid --ipc --fork --kill-child "$@" </dev/null >&7 2>&1 7>&- &
  child=$!
  exec 7>&-
  (
    trap '' HUP INT TERM
    while kill -0 "$$" 2>/dev/null && kill -0 "$child" 2>/dev/null; do sleep 1; done
    kill -KILL "$child" 2>/dev/null || :
    [ -z "$registered" ] || unregister_emulator
  ) &
  trap 'interrupted 129' HUP
  trap 'interrupted 130' INT
  trap 'interrupted 143' TERM
  status=0
  wait "$child" || status=$?
  wait
  [ "$status" = 0 ] || exit "$status"
  trap - HUP INT TERM
}
