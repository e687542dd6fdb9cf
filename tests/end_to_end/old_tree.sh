#!/usr/bin/env bash
# A tree that an earlier version prepared, of release 1.1.0 for rpi4 with the image that was its default then, and copies of its
# repositories: prepare --locked writes its bytes again, and verify tells texts that this version writes otherwise from changes.
. "$(dirname "$0")/lib.sh"

tar -xf "$CHECKOUT/tests/data/old_tree.tar.xz"
"$TORCHPATCH" prepare --locked out/torchpatch/manifest.json --mirror mirror --output again --quiet >/dev/null
diff -r out again || fail "prepare --locked wrote another tree"

# Another catalog made it, with other texts and defaults: what cannot be written again is not proven, nothing counts as changed.
expect_status 1 "$TORCHPATCH" verify again --quiet
! grep -e '^changed' -e '^extra' -e '^missing' out.txt || fail "$(cat out.txt)"
expect_text out.txt "unvouched 'torchpatch/manifest.json': cannot be verified: this tree was made with another catalog"
expect_status 0 "$TORCHPATCH" verify again --quiet --expect "$(sha256sum <out/torchpatch/manifest.json | cut -c -64)"
echo changed >>again/pytorch/setup.py
expect_status 1 "$TORCHPATCH" verify again --quiet --expect "$(sha256sum <out/torchpatch/manifest.json | cut -c -64)"
expect_text out.txt "pytorch/setup.py"
