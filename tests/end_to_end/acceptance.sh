#!/usr/bin/env bash
# The decisions that the catalog must make, one function each. They are asserted on the embedded upstream always, with its own
# recorded ids, and on real PyTorch where TORCHPATCH_MIRROR names a folder of copies, with upstream's ids.
# APPLY_TREE is the test program apply_tree.
. "$(dirname "$0")/lib.sh"

: "${APPLY_TREE:?set APPLY_TREE to the built test program apply_tree}"

# in_json FILE EXPRESSION: fails unless the Python expression about `d` holds.
in_json() {
  python3 - "$1" "$2" <<'PY' || fail "not so in $1: $2"
import json, sys
d = json.load(open(sys.argv[1]))
issue = {i["id"]: i for i in d.get("issues", [])}
patches = {p["patchset"]: p for p in d.get("patches", [])}
environment = {e["name"]: e["value"] for e in d.get("environment", [])}
files = lambda name: sorted(e["path"].split("/")[-1] for e in patches[name]["edges"])
sys.exit(not eval(sys.argv[2]))
PY
}

plan() { # VERSION BOARD [OPTION…] → plan.json
  "$TORCHPATCH" explain --version "$1" --board "$2" "${catalog[@]}" "${@:3}" --json >plan.json
}

manifest() { # VERSION BOARD → the manifest in out/
  rm -rf out
  "$TORCHPATCH" prepare --version "$1" --board "$2" "${source[@]}" --output out --quiet >/dev/null
}

qnnpack=aten/src/ATen/native/quantized/cpu/qnnpack/src/q8gemm/8x8-dq-aarch64-neon.S

# The blob that the manifest names for the patched assembly file, which is also the one in the tree.
qnnpack_blob() { # VERSION BOARD
  manifest "$1" "$2"
  local written
  written=$(git hash-object --no-filters "out/pytorch/$qnnpack")
  in_json out/torchpatch/manifest.json "[e['after'] for e in patches['qnnpack-aarch64-mov']['edges']] == ['$written']"
  echo "$written"
}

qnnpack_is_patched() {
  local board version
  for board in ultra96 rpi4; do
    plan 1.6.0 $board --set gcc=9.3 && in_json plan.json "issue['qnnpack-aarch64-mov']['variant'] == '1.6'"
  done
  real_blob "$(qnnpack_blob 1.6.0 ultra96)" b8bde0200687aa63b57239bf4fe6096057da15da # upstream's own file of 1.7.0
  for version in 1.5.0 1.5.1; do
    real_blob "$(qnnpack_blob $version ultra96)" 60ad8d1d4b3409b802365b194d1687babbc934dd
  done
}

qnnpack_is_not_affected() { # from 1.7 on mended upstream, up to 1.4 not there
  local version
  for version in 1.4.1 1.7.0 1.7.1 1.8.0 1.9.1 1.10.2; do
    plan $version ultra96 && in_json plan.json "issue['qnnpack-aarch64-mov']['status'] == 'not_affected'"
  done
  [ -n "${mirror:-}" ] || return 0
  "$TORCHPATCH" check --mirror "$mirror" --version 1.4.1 --version 1.7.0 --version 1.10.2 --board ultra96 --json --quiet >check.json
  in_json check.json "{c['status'] for c in d['cells'] if c['issue'] == 'qnnpack-aarch64-mov' and c['release'] != '1.4.1'} == {'fixed_upstream'}"
  in_json check.json "all('absent' in c['reason'] or c['status'] == 'not_affected' for c in d['cells'] if c['issue'] == 'qnnpack-aarch64-mov' and c['release'] == '1.4.1')"
}

tx2_at_1_0_1() {
  plan 1.0.1 tx2
  in_json plan.json "patches['cuda-threads']['variant'] == 'T1' and 'THCGeneral.cpp' in files('cuda-threads')"
  in_json plan.json "files('nccl-default') == ['CMakeLists.txt', 'build_pytorch_libs.sh']"
}

tx2_at_1_1_0() {
  manifest 1.1.0 tx2
  in_json out/torchpatch/manifest.json "patches['cuda-threads']['variant'] == 'T2' and len(files('cuda-threads')) == 3"
  in_json out/torchpatch/manifest.json "environment['USE_NCCL'] == '0' and files('nccl-default') == ['nccl.py']"
}

xavier_needs_no_cap() {
  local version
  for version in 1.1.0 1.5.1 1.8.1 1.10.2 1.12.1; do
    plan $version xavier && in_json plan.json "'cuda-threads' not in patches and issue['cuda-threads-per-block']['status'] == 'not_affected'"
  done
}

gloo_is_for_64_bits() {
  plan 1.1.0 pynq-z1 && in_json plan.json "issue['distributed-32bit-gloo']['status'] == 'applied' and 'gloo-optional' in patches"
  plan 1.1.0 zcu104 && in_json plan.json "issue['distributed-32bit-gloo']['status'] == 'not_affected'"
}

partial_version_is_refused() {
  expect_status 2 "$TORCHPATCH" prepare --version 1.10 --board tx2 "${source[@]}" --output out
  expect_text err.txt "1.10.0, 1.10.1, 1.10.2"
  ! grep -qF 1.1.0 err.txt || fail "1.1.0 is offered for 1.10"
}

version_is_stated() { # version.txt of 1.7.1 says 1.7.0a0
  plan 1.7.1 tx2 && in_json plan.json "environment['PYTORCH_BUILD_VERSION'] == '1.7.1'"
  [ -n "${mirror:-}" ] || return 0
  manifest 1.7.1 tx2
  in_json out/torchpatch/manifest.json "[(r['url'], r['commit'][:12]) for r in d['repositories'] if r['path'] == 'torch:third_party/pybind11'] == [('https://github.com/seemethere/pybind11.git', 'a1cb7c23d3b4')]"
}

fbgemm_pin_of_1_4_0() {
  plan 1.4.0 tx2 && in_json plan.json "issue['fbgemm-pin']['applies'] and not issue['fbgemm-pin']['status'] == 'undecided'"
  "$TORCHPATCH" show issue fbgemm-pin "${catalog[@]}" >issue.txt
  expect_text issue.txt 1.4.1
  expect_text issue.txt 6aaaa475
}

already_applied_is_said() {
  manifest 1.1.0 tx2
  git init -q tree && cp -r out/pytorch/tools tree/ && git -C tree add -fA
  local tree patch
  tree=$(git -C tree write-tree)
  patch=$(ls out/torchpatch/patches/*nccl-default*)
  expect_status 5 "$APPLY_TREE" --git-dir tree/.git --tree "$tree" --patch "$patch"
  expect_text err.txt "already applied"
  [ "$(git -C tree write-tree)" = "$tree" ] || fail "the tree changed"
  rm -rf tree
}

# A release whose commit no certificate knows, though a variant is made for it.
unknown_blob_is_refused() {
  mkdir -p layer/releases
  "$TORCHPATCH" show release 1.4.1 "${catalog[@]}" --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
d["version"], d["components"] = "1.4.9", {"torch": {**d["components"]["torch"], "commit": "1" * 40}}
d = {k: v for k, v in d.items() if k in ("schema", "version", "date", "python", "cuda", "components")}
d["sources"] = [{"keys": ["python", "cuda", "components"], "source": "a test", "verified": False}]
json.dump(d, open("layer/releases/1.4.9.json", "w"))'
  expect_status 5 "$TORCHPATCH" prepare --version 1.4.9 --board tx2 "${source[@]}" --catalog layer --output refused
  expect_text err.txt "no certificate"
  expect_text err.txt "CUDAContext.cpp to be"
  expect_text err.txt "1.4.0, 1.4.1"
  [ ! -e refused ] || fail "something was written"
}

examples=(qnnpack_is_patched qnnpack_is_not_affected tx2_at_1_0_1 tx2_at_1_1_0 xavier_needs_no_cap gloo_is_for_64_bits
  partial_version_is_refused version_is_stated fbgemm_pin_of_1_4_0 already_applied_is_said unknown_blob_is_refused)
run_examples() {
  for example in "${examples[@]}"; do
    "$example"
    echo "$1: $example"
  done
}

source=(--source sample) catalog=(--source sample)
real_blob() { :; }
run_examples "embedded"

[ -n "${TORCHPATCH_MIRROR:-}" ] || exit 0
mirror=$TORCHPATCH_MIRROR source=(--mirror "$TORCHPATCH_MIRROR") catalog=()
real_blob() { [ "$1" = "$2" ] || fail "blob $1, not $2"; }
run_examples "real"
