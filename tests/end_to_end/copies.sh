#!/usr/bin/env bash
# A tree that was moved, copied with cp -a or unpacked from tar under any umask is still that tree; a copy that lost
# links or modes is not. SHA256SUMS and check.sh agree with verify, under dash and busybox.
. "$(dirname "$0")/lib.sh"

sample out
(cd out && sha256sum --quiet -c torchpatch/SHA256SUMS) || fail "sha256sum -c"
cp -a out copy && expect_status 0 "$TORCHPATCH" verify copy
tar cf out.tar out && mkdir unpacked && (umask 077 && tar xf out.tar -C unpacked --no-same-permissions)
expect_status 0 "$TORCHPATCH" verify unpacked/out
mv copy "moved to a \$strange 'place'" && expect_status 0 "$TORCHPATCH" verify "moved to a \$strange 'place'"
cp -rL out followed && expect_status 1 "$TORCHPATCH" verify followed
for shell in dash "busybox sh"; do
  command -v "${shell%% *}" >/dev/null || fail "$shell is not installed"
  # shellcheck disable=SC2086  # "busybox sh" is two words
  {
    expect_status 0 $shell out/torchpatch/check.sh --tree
    expect_status 0 $shell "moved to a \$strange 'place'/torchpatch/check.sh" --tree
    expect_status 1 $shell followed/torchpatch/check.sh --tree
  }
done

check_all() { # NEEDLE: every checker names it
  expect_status 1 "$TORCHPATCH" verify bad
  expect_text out.txt "$1"
  for shell in dash "busybox sh"; do
    # shellcheck disable=SC2086
    expect_status 1 $shell bad/torchpatch/check.sh --tree
    cat out.txt err.txt >both.txt
    expect_text both.txt "$1"
  done
  rm -rf bad
}
cp -a out bad && printf x >>bad/pytorch/setup.py && check_all pytorch/setup.py
cp -a out bad && rm bad/vision/setup.py && check_all vision/setup.py
cp -a out bad && : >bad/audio/added && check_all audio/added
cp -a out bad && chmod +x bad/pytorch/setup.py && check_all pytorch/setup.py
link=$(cd out && find pytorch -type l | head -n 1)
cp -a out bad && ln -sfn setup.py "bad/$link" && check_all "$link"
echo "copies, moves and five kinds of damage"
