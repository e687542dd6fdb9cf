#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the archives and packages that tools/release made in bare roots of Debian 11, 12 and 13 (those of ARM under qemu, which has to be
# registered), in one of BusyBox with musl's loader and without glibc, and in one without /proc, as root:
#
#   ROOTS=DIR [TORCHPATCH_MIRROR=DIR] tests/release/run.sh DIST [ARCH…]
#
# ROOTS keeps the roots: debootstrap --variant=minbase, nothing added, and never written to. With TORCHPATCH_MIRROR (a folder with
# copies of the repositories) Debian's roots for PCs prepare the real 1.1.0, too. There is no network but loopback.
set -euo pipefail

[ "$(id -u)" = 0 ] || exec sudo --preserve-env=ROOTS,TORCHPATCH_MIRROR "$0" "$@"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dist=$(readlink -e -- "$1")
shift
[ $# -gt 0 ] || set -- x86_64 aarch64 armv7l
mkdir -p "${ROOTS:?set ROOTS to a directory that keeps the roots}"
roots=$(cd "$ROOTS" && pwd)
mirror=${TORCHPATCH_MIRROR:+$(readlink -e -- "$TORCHPATCH_MIRROR")}
work=$(mktemp -d /var/tmp/torchpatch-release.XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT

debian_arch_of() { case $1 in x86_64) echo amd64 ;; aarch64) echo arm64 ;; armv7l) echo armhf ;; esac; }
triplet_of() { case $1 in armv7l) echo arm-linux-gnueabihf ;; *) echo "$1-linux-gnu" ;; esac; }

# What a static program must not need of a system: a name service whose library ends whoever loads it, and a locale for the
# names in a zip.
make_traps() { # ARCH
  "$(triplet_of "$1")-gcc" -shared -fPIC -nostdlib -x c -o "$work/mount.so" - <<<'__attribute__((constructor)) void f(void) { __builtin_trap(); }'
  python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel: wheel.writestr("\u00fc.py", "")' "$work/mount.whl"
}

make_debian() { # ROOT ARCH SUITE
  [ -d "$1" ] && return
  rm -rf "$1.part"
  debootstrap --variant=minbase --arch="$2" "$3" "$1.part" >"$1.log" 2>&1 || { tail -n 20 "$1.log" >&2 && exit 1; }
  mv "$1.part" "$1"
}

# Two packages and nothing else: no glibc, no git, no certificates.
make_busybox() { # ROOT ARCH
  [ -d "$1" ] && return
  local name
  rm -rf "$1.part" "$1.packages"
  debootstrap --variant=minbase --include=busybox-static,musl --download-only --arch="$2" bookworm "$1.packages" >"$1.log" 2>&1 ||
    { tail -n 20 "$1.log" >&2 && exit 1; }
  mkdir -p "$1.part"/{bin,dev,etc,proc,root,tmp,opt,usr/bin,sbin}
  for name in busybox-static musl; do dpkg -x "$1.packages/var/cache/apt/archives/${name}"_*.deb "$1.part"; done
  rm -rf "$1.packages"
  for name in sh ls cat grep env; do ln -s busybox "$1.part/bin/$name"; done
  mv "$1.part" "$1"
}

# The root as overlay in memory, with the archive in /opt and its name in PATH; mounts and network end with it.
inside() { # ROOT ARCH PROC COMMAND…
  # shellcheck disable=SC2016
  unshare --mount --net --pid --fork --kill-child bash -euc '
    archive=$1 root=$2/root proc=$4 base=$3
    mount -t tmpfs tmpfs "$2"
    mkdir "$2/upper" "$2/work" "$root"
    mount -t overlay -o "lowerdir=$base,upperdir=$2/upper,workdir=$2/work" overlay "$root"
    mkdir -p "$root/proc" "$root/usr/local/bin" "$root/tmp" "$root/mirror"
    [ -z "$proc" ] || mount -t proc proc "$root/proc"
    [ -c "$root/dev/null" ] || mknod -m 666 "$root/dev/null" c 1 3
    echo "127.0.0.1 localhost" >"$root/etc/hosts"
    echo "hosts: files mdns4_minimal [NOTFOUND=return] dns" >"$root/etc/nsswitch.conf"
    for directory in lib "usr/lib/$6"; do # whoever loads the library ends
      mkdir -p "$root/$directory"
      cp "$2.so" "$root/$directory/libnss_mdns4_minimal.so.2"
    done
    cp "$2.whl" "$root/tmp/t-1-py3-none-any.whl"
    tar -x -f "$archive" -C "$root/opt"
    ln -sfn "../../../$(cd "$root" && echo opt/torchpatch-*)/bin/torchpatch" "$root/usr/local/bin/torchpatch"
    [ -z "$5" ] || mount --bind -o ro "$5" "$root/mirror"
    cp "$7" "$root/tmp/torchpatch.deb"
    export ROOT=$root
    shift 7
    "$@"' inside "$dist"/torchpatch-*-linux-"$2".tar.xz "$work/mount" "$1" "$3" "$mirror" "$(triplet_of "$2")" \
    "$dist"/torchpatch_*_"$(debian_arch_of "$2")".deb "${@:4}"
}

say() { printf '%-28s %s\n' "$1" "$2"; }

# What every root has to do; the sum of all that was written has to be the same in each.
check_root() { # NAME ROOT ARCH PROC
  mkdir -p "$work/mount"
  # shellcheck disable=SC2016
  inside "$2" "$3" "$4" bash -euc '
    run() { chroot "$ROOT" /usr/bin/env -i HOME=/tmp PATH=/usr/local/bin:/usr/bin:/bin "$@"; }
    [ -x "$ROOT/usr/bin/env" ] || ln -s ../../bin/env "$ROOT/usr/bin/env"
    ! run git --version 2>/dev/null || { echo "there is a git" >&2; exit 1; }
    run sh -euc "
      cd /tmp
      torchpatch prepare --version 1.1.0 --board tx2 --source sample --output out --quiet >/dev/null
      torchpatch prepare --version 1.1.0 --board tx2 --source sample --output out --replace --quiet >/dev/null
      torchpatch verify out >verified 2>/dev/null
      torchpatch explain --version 1.1.0 --board rpi4 >explained
      torchpatch doctor --version 1.1.0 >doctor || [ \$? = 1 ]
      grep -q \"https:// goes by\" doctor
      torchpatch docs --output site >/dev/null
      echo changed >>out/torchpatch/build.sh
      if torchpatch verify out >verified 2>/dev/null; then exit 1; fi
      torchpatch wheel check /tmp/t-1-py3-none-any.whl --board rpi4 >wheel || [ \$? = 1 ]
      if ls -a | grep staging; then exit 1; fi"
    (cd "$ROOT/tmp" && find explained out site wheel -type f -print0 | sort -z | xargs -0 sha256sum) | sha256sum | cut -c 1-16 >"$0"' "$work/sum"
  if [ ! -f "$work/first" ]; then cp "$work/sum" "$work/first"; fi
  cmp "$work/first" "$work/sum"
  say "$1" "prepare, verify, explain, doctor, docs: $(cat "$work/sum")"
}

check_https() { # NAME ROOT ARCH PROC
  # shellcheck disable=SC2016
  inside "$2" "$3" "$4" sh -euc 'mount -t tmpfs tmpfs /run && mkdir /run/sshd && exec python3 -B "$0"' "$here/https.py" >"$work/https.log" 2>&1 || { cat "$work/https.log" >&2 && exit 1; }
  say "$1" "https: $(tail -n 1 "$work/https.log")"
}

# The package installs with dpkg alone, finds its catalog, and leaves nothing.
check_package() { # NAME ROOT ARCH
  # shellcheck disable=SC2016
  inside "$2" "$3" proc sh -euc '
    rm "$ROOT/usr/local/bin/torchpatch"
    run() { chroot "$ROOT" /usr/bin/env -i HOME=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
    run dpkg --install /tmp/torchpatch.deb >/dev/null
    run sh -euc "
      cd /tmp
      torchpatch prepare --version 1.1.0 --board tx2 --source sample --output out --quiet >/dev/null
      torchpatch verify out >/dev/null 2>&1
      [ \"\$(dpkg --print-architecture)\" = \"\$(dpkg-query --show --showformat \\\${Architecture} torchpatch)\" ]"
    run dpkg --purge torchpatch >/dev/null
    ! find "$ROOT/usr" -path "*torchpatch*" | grep .'
  say "$1" "package: installed, prepare, verify, purged"
}

check_real() { # NAME ROOT
  # shellcheck disable=SC2016
  inside "$2" x86_64 proc bash -o pipefail -euc '
    chroot "$ROOT" /usr/local/bin/torchpatch prepare --version 1.1.0 --board tx2 --mirror /mirror --output /tmp/out --quiet | grep manifest
    chroot "$ROOT" /usr/local/bin/torchpatch verify /tmp/out --quiet | grep "OK, matches"' >"$work/real.log"
  say "$1" "the real 1.1.0: $(tr -s ' \n' ' ' <"$work/real.log")"
}

check_all() { # NAME ROOT ARCH PROC
  check_root "$@"
  check_https "$@"
}

for arch in "$@"; do
  debian=$(debian_arch_of "$arch")
  make_traps "$arch"
  for suite in bullseye bookworm trixie; do
    root=$roots/$debian-$suite
    make_debian "$root" "$debian" "$suite"
    check_all "$arch $suite" "$root" "$arch" proc
    check_package "$arch $suite" "$root" "$arch"
    if [ "$arch" = x86_64 ] && [ -n "$mirror" ]; then check_real "$arch $suite" "$root"; fi
  done
  check_all "$arch bookworm, no /proc" "$roots/$debian-bookworm" "$arch" ""
  make_busybox "$roots/$debian-busybox" "$debian"
  check_all "$arch BusyBox and musl" "$roots/$debian-busybox" "$arch" proc
done
