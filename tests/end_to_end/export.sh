#!/usr/bin/env bash
# An archive is the same under any umask, locale, time zone and order of directories; what every tar makes of it, verify
# accepts; a full disk leaves nothing.
. "$(dirname "$0")/lib.sh"

sample out
for format in tar tar.gz tar.zst; do "$TORCHPATCH" export out --output "tree.$format" --quiet >/dev/null; done

# The same tree, made in the other order, with other times, bits and owners' umask.
mkdir copy
(cd out && find . -depth -print | LC_ALL=C sort -r) | while IFS= read -r path; do
  if [ -d "out/$path" ] && [ ! -L "out/$path" ]; then
    mkdir -p "copy/$path"
  else
    mkdir -p "copy/$(dirname "$path")" && (umask 077 && cp -P "out/$path" "copy/$path")
  fi
done
chmod -R go-rwx copy && find copy -exec touch -h -d 2001-02-03 {} +
for format in tar tar.gz tar.zst; do
  (umask 077 && LC_ALL=C TZ=Pacific/Auckland "$TORCHPATCH" export copy --output "again.$format" --prefix tree --quiet --jobs 3 >/dev/null)
  cmp "tree.$format" "again.$format" || fail "two exports as .$format differ"
done
cmp tree.tar <(gzip -dc tree.tar.gz) || fail "the .tar.gz holds another tar"
[ "$(stat -c %a again.tar)" = 644 ] || fail "the archive's mode goes by the umask"
tar tvf tree.tar --numeric-owner | grep -v ' 0/0 ' && fail "an owner other than 0"

unpack() { # COMMAND…: in an empty directory
  rm -rf unpacked && mkdir unpacked
  (cd unpacked && umask 022 && "$@") || fail "'$*' cannot unpack it"
  expect_status 0 "$TORCHPATCH" verify unpacked/tree --strict-modes
}
unpack tar xf ../tree.tar --no-same-owner
unpack tar xzf ../tree.tar.gz
unpack busybox tar xf ../tree.tar
unpack python3 -c 'import tarfile; tarfile.open("../tree.tar.gz").extractall()'
! command -v bsdtar >/dev/null || unpack bsdtar xf ../tree.tar.zst
! command -v zstd >/dev/null || unpack sh -c 'zstd -dc ../tree.tar.zst | tar xf -'

# A file system of 64 KiB, in a mount namespace of its own where that is allowed.
# shellcheck disable=SC2016  # the inner shell expands it
full='mount -t tmpfs -o size=64k none small || exit 125
  "$TORCHPATCH" export out --output small/a.tar --quiet; status=$?
  [ -z "$(ls -A small)" ] || { echo "left: $(ls -A small)" >&2; exit 99; }
  exit $status'
mkdir small
status=0
TORCHPATCH=$TORCHPATCH unshare --map-root-user --mount sh -c "$full" 2>err.txt || status=$?
case $status in
7) expect_text err.txt "writing 'small/a.tar': No space left on device" ;;
1 | 125) echo "no mount namespace: the full disk was not tried" ;;
*) fail "a full disk ends with $status: $(cat err.txt)" ;;
esac
echo "equal archives; GNU tar, busybox, python and others unpack them"
