# SPDX-License-Identifier: BSD-3-Clause
"""Reads USE_NCCL through the tree's own setup helpers: read_default.py TREE EXPECTED."""
import sys

sys.path.insert(0, sys.argv[1])
from tools.setup_helpers import cuda, nccl  # noqa: E402

assert cuda.USE_CUDA, 'the helpers have not found CUDA'
print('USE_NCCL is', nccl.USE_NCCL)
sys.exit(0 if str(nccl.USE_NCCL) == sys.argv[2] else 1)
