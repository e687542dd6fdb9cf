#!/usr/bin/env bash
# A release known only as an archive, by the commands of docs/adding-a-release.md: a whole archive gives the tree of the
# commit, a stripped one what it has; the repository of torch is not there.
. "$(dirname "$0")/lib.sh"

"$TORCHPATCH" write-source sample --output upstream >pins.txt
commit=$(sed -n 's/^1\.1\.0 torch //p' pins.txt)
torch=upstream/1.1.0/torch.git
mkdir mine submodules
cp -r upstream/1.1.0/. submodules && rm -rf submodules/torch.git
mkdir -p "$torch/info" && echo '* -text !eol !ident !export-subst' >"$torch/info/attributes" # bytes as they are in the commit
git --git-dir="$torch" archive --prefix=pytorch/ "$commit" >torch.tar
{
  echo "# git ls-tree and .gitmodules of the sample"
  git --git-dir="$torch" ls-tree -r "$commit" | sed -n 's/^160000 commit \([0-9a-f]*\)\t\(.*\)/\2 \1/p' | while read -r path id; do
    echo "$path $id $(git --git-dir="$torch" config --blob "$commit:.gitmodules" "submodule.$path.url")"
  done
} >table

add() { # ARCHIVE
  "$TORCHPATCH" release add 1.1.1 --catalog sample --archive "torch=$1" --pins table --into mine --mirror submodules \
    --vision none --audio none --all >added.txt 2>added.err || fail "release add: $(cat added.err)"
}
prepare() { # OUT [OPTION…]
  "$TORCHPATCH" prepare --version 1.1.1 --board tx2 --catalog sample --catalog mine --mirror submodules --unpatched --quiet --output "$@"
}
tree_of() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["trees"]["torch"])' "$1/torchpatch/manifest.json"; }

"$TORCHPATCH" prepare --version 1.1.0 --board tx2 --catalog sample --mirror upstream/1.1.0 --component torch --unpatched --quiet --output plain >/dev/null
add torch.tar
expect_text added.txt "upstream's commit $commit is claimed, not proven"
expect_status 4 prepare whole
expect_text err.txt "pass that file with --archive torch=FILE"
expect_status 0 prepare whole --archive torch=torch.tar
[ "$(tree_of whole)" = "$(tree_of plain)" ] || fail "a whole archive gives another tree than the commit"
expect_status 0 "$TORCHPATCH" verify whole --catalog mine
expect_text out.txt "torch is pinned by content, not by commit"
expect_status 0 "$TORCHPATCH" verify whole --catalog mine --mirror upstream/1.1.0 --archive torch=torch.tar
expect_text out.txt "$commit has the same tree"

printf x | cat torch.tar - >other.tar
expect_status 4 prepare other --archive torch=other.tar

mkdir unpacked && tar -xf torch.tar -C unpacked && rm -r unpacked/pytorch/.gitmodules unpacked/pytorch/stand_in
tar -cJf stripped.tar.xz -C unpacked pytorch
sed -i '$ s/ .*/ -/' table
rm -r mine/releases
add stripped.tar.xz
expect_status 4 prepare stripped --archive torch=stripped.tar.xz
expect_text err.txt "and no commit is known for it"
expect_status 0 prepare stripped --archive torch=stripped.tar.xz --allow-partial
[ ! -e stripped/pytorch/stand_in ] || fail "a stripped archive gives files that it has not"
expect_status 0 "$TORCHPATCH" verify stripped --catalog mine
expect_text out.txt "the tree is partial: 1 submodule of the pinned commits is missing"
echo "a whole archive gives the commit's tree; a stripped one is prepared and verified"
