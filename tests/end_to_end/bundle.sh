#!/usr/bin/env bash
# mirror → git fsck → bundle, twice → verify → unpack → prepare in a namespace without a network: the same tree as directly.
. "$(dirname "$0")/lib.sh"

unshare -rn true 2>/dev/null || skip "no network namespaces here"
release=(--version 1.1.0 --catalog "$CHECKOUT/layers/sample")
"$TORCHPATCH" write-source sample --output upstream >/dev/null
"$TORCHPATCH" mirror "${release[@]}" --mirror upstream --output mirror --quiet
while read -r head; do
  git --git-dir="$(dirname "$head")" fsck --full >fsck.txt 2>&1 || fail "git fsck: $(cat fsck.txt)"
done < <(find mirror -name HEAD)
"$TORCHPATCH" mirror "${release[@]}" --mirror mirror --bundle a.tar --quiet >/dev/null
"$TORCHPATCH" mirror "${release[@]}" --mirror upstream --bundle b.tar --quiet --jobs 1 >/dev/null
cmp a.tar b.tar
tar tf a.tar >members.txt
expect_text members.txt packs/stand-in.invalid/pytorch/torch.pack
unshare -rn "$TORCHPATCH" mirror verify a.tar --catalog "$CHECKOUT/layers/sample" --quiet
unshare -rn "$TORCHPATCH" mirror unpack a.tar --output unpacked --quiet
prepare() { unshare -rn "$TORCHPATCH" prepare "${release[@]}" --board tx2 --mirror "$1" --output "$2" --quiet >/dev/null; }
prepare upstream direct
prepare unpacked bundled
fingerprint direct >direct.txt
fingerprint bundled | diff direct.txt - >/dev/null || fail "the bundle gives another tree"
echo "the same tree from a bundle of $(stat -c %s a.tar) bytes"
