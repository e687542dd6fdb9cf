#!/usr/bin/env bash
# The shipped proofs on real PyTorch: needs TORCHPATCH_MIRROR, a folder with copies of its repositories. Each must be proven,
# and fail on patches that do something else.
. "$(dirname "$0")/lib.sh"

[ -n "${TORCHPATCH_MIRROR:-}" ] || skip "TORCHPATCH_MIRROR is not set"
"$TORCHPATCH" prove --mirror "$TORCHPATCH_MIRROR" --require-tools
python3 "$CHECKOUT/tests/end_to_end/proof_mutants.py" "$TORCHPATCH" "$TORCHPATCH_MIRROR"
