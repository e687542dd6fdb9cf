#!/usr/bin/env bash
# The recipe for containers with a real engine, Buildah, and an image of BusyBox in which nothing is built: values of options stay
# words, nothing of the machine is brought through a link, and what runs in a stage leaves nothing on the machine.
export TMPDIR=/var/tmp # with chroot isolation a stage has the machine's /dev/shm
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip "mounts need root"
command -v buildah >/dev/null || skip "buildah is missing"
export BUILDAH_ISOLATION=chroot
buildah() { command buildah --storage-driver vfs --root "$WORK/store" --runroot "$WORK/run" "$@"; }
trap 'buildah rm --all >/dev/null; cleanup' EXIT

# An engine of this name keeps its images here. In the image a shell that is told to build says what it was told, and tries to leave.
mkdir -p engine root/bin root/usr/bin root/usr/sbin root/etc root/tmp root/root root/var/lib/apt/lists
cat >engine/buildah <<END
#!/bin/sh
exec $(command -v buildah) --storage-driver vfs --root '$WORK/store' --runroot '$WORK/run' "\$@"
END
cp "$(command -v busybox)" root/bin/busybox
ldd root/bin/busybox | { grep -o '/[^ ]*' || :; } | while read -r library; do install -D "$library" "root$library"; done
for name in rm mkdir cat env printf cp; do ln -s busybox "root/bin/$name"; done
cat >root/bin/sh <<'END'
#!/bin/busybox sh
case "$*" in
  *build.sh*)
    . /settings
    { printf '%s\n' "CFLAGS=$CFLAGS" "CXXFLAGS=$CXXFLAGS"; for word in "$@"; do printf '<%s>' "$word"; done; } >/told
    busybox mknod /node b 7 0 2>/dev/null && busybox mount /node /tmp 2>/dev/null && echo mounted >>/told
    busybox touch "$(busybox readlink /acl/link)" 2>/dev/null
    exit 0
    ;;
  *) exec /bin/busybox sh "$@" ;;
esac
END
printf '#!/bin/sh\nexit 0\n' >root/usr/bin/apt-get
printf '#!/bin/sh\nmkdir -p /venv/bin\n' >root/usr/bin/python3
chmod +x engine/buildah root/bin/sh root/usr/bin/*
echo 'root:x:0:0::/root:/bin/sh' >root/etc/passwd
image=$(buildah from scratch)
buildah copy --quiet "$image" root / >/dev/null
buildah commit --quiet "$image" localhost/base >/dev/null
buildah rm "$image" >/dev/null

"$TORCHPATCH" prepare --version 1.1.0 --board rpi4 --image ubuntu-18.04 --source sample --output out --quiet >/dev/null
"$TORCHPATCH" recipe out --kind container --output recipe --quiet >/dev/null
build() { sh recipe/run.sh out work --engine "$WORK/engine/buildah" --base localhost/base --stage dev "$@" >log 2>&1; }
# shellcheck disable=SC2016  # it must not expand
evil='-O2 -DX="a b" $(touch '$WORK/pwned') `touch '$WORK/pwned'`; touch '$WORK/pwned' '"'"'--volume=/:/host'

mkdir -p work/acl
ln -s "$WORK/pwned" work/acl/link
build torch --build-arg "CFLAGS=$evil" --build-arg $'CXXFLAGS=a\nb' --skip "x; touch $WORK/pwned" || { cat log; fail "nothing was built"; }
image=$(buildah from "$(buildah images --quiet | head -n 1)")
told=$(buildah mount "$image")/told
{ printf '%s\n' "CFLAGS=$evil" $'CXXFLAGS=a\nb'; } >expected
head -n 3 "$told" | diff expected - || fail "a value was not passed as it is"
grep -q mounted "$told" && fail "a stage mounted a device"
[ -L "${told%/told}/acl/link" ] || fail "a link was followed into the image"
[ ! -e pwned ] || fail "something of a value was run"
buildah rm "$image" >/dev/null

rm -r work/acl
ln -s /etc work/acl
if build torch; then fail "a link in WORK was taken for a directory"; fi
grep -q "is a link or no file, and no recipe makes one there" log || fail "it does not say why: $(tail -n 1 log)"
