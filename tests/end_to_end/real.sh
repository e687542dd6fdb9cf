#!/usr/bin/env bash
# The job on real PyTorch v1.1.0: needs TORCHPATCH_MIRROR, a folder with copies of its repositories. Every patched file must
# be, byte for byte, what git apply makes of the pinned file; five kinds of damage are each found by path.
. "$(dirname "$0")/lib.sh"

[ -n "${TORCHPATCH_MIRROR:-}" ] || skip "TORCHPATCH_MIRROR is not set"
"$TORCHPATCH" prepare --version 1.1.0 --board tx2 --mirror "$TORCHPATCH_MIRROR" --output out --report report.json
"$TORCHPATCH" verify out

# origin REPOSITORY: the git directory it was read from; manifest fields by python3's json.
origin() { python3 -c 'import json,os,sys; print(next(os.path.dirname(o["objects"]) for o in json.load(open("report.json"))["origins"] if o["repository"]==sys.argv[1]))' "$1"; }
python3 - >patches.txt <<'PY'
import json
manifest = json.load(open("out/torchpatch/manifest.json"))
commits = {r["path"]: (r["commit"], r["patched_tree"]) for r in manifest["repositories"]}
for patch in manifest["patches"]:
    print(patch["repository"], patch["file"], *commits[patch["repository"]])
PY
[ -s patches.txt ] || fail "no patch was applied"
export GIT_INDEX_FILE=$WORK/index
cut -d' ' -f1 patches.txt | sort -u | while read -r repository; do
  git_dir=$(origin "$repository")
  commit=$(awk -v r="$repository" '$1 == r { print $3; exit }' patches.txt)
  tree=$(awk -v r="$repository" '$1 == r { print $4; exit }' patches.txt)
  mkdir -p objects
  export GIT_OBJECT_DIRECTORY=$WORK/objects GIT_ALTERNATE_OBJECT_DIRECTORIES=$git_dir/objects
  git --git-dir="$git_dir" read-tree "$commit"
  awk -v r="$repository" '$1 == r { print $2 }' patches.txt | while read -r file; do
    git --git-dir="$git_dir" apply --cached "$WORK/out/torchpatch/$file" || fail "git apply $file"
  done
  [ "$(git --git-dir="$git_dir" write-tree --missing-ok)" = "$tree" ] || fail "git's tree of $repository is not ours"
  unset GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
done

damage() { # PATH COMMAND…: runs the command on a copy, verify must name the path
  local path=$1
  shift
  "$@"
  expect_status 1 "$TORCHPATCH" verify out
  expect_text out.txt "$path"
}
path=pytorch/third_party/onnx/third_party/pybind11/setup.py
cp -p "out/$path" saved && damage "$path" sh -c "printf '\\1' | dd of=out/$path bs=1 seek=10 conv=notrunc status=none" && cp -p saved "out/$path"
path=pytorch/aten/src/ATen/ATen.h
damage "$path" chmod +x "out/$path" && chmod -x "out/$path"
link=$(cd out && find pytorch -type l | head -n 1)
target=$(readlink "out/$link")
damage "$link" ln -sfn elsewhere "out/$link" && ln -sfn "$target" "out/$link"
damage vision/added touch out/vision/added && rm out/vision/added
cp -p out/audio/setup.py saved && damage audio/setup.py rm out/audio/setup.py && cp -p saved out/audio/setup.py
expect_status 0 "$TORCHPATCH" verify out
# What setup.py and CMake copy is a build's, as long as it is the copy.
cp out/pytorch/torch/_utils_internal.py out/pytorch/tools/shared/
expect_status 0 "$TORCHPATCH" verify out --after-build
echo 'import os' >>out/pytorch/tools/shared/_utils_internal.py
expect_status 1 "$TORCHPATCH" verify out --after-build
rm out/pytorch/tools/shared/_utils_internal.py
echo "real sources: $(grep -c . patches.txt) patches as git apply makes them, five kinds of damage found"
