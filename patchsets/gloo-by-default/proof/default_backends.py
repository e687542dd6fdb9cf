# SPDX-License-Identifier: BSD-3-Clause
"""Asks the tree's BackendConfig for the default back ends of builds with and without NCCL: default_backends.py TREE."""

import ast
import sys
import types
from typing import Dict, Union

source = ast.parse(open(sys.argv[1] + "/torch/distributed/distributed_c10d.py").read())
config = [node for node in source.body if isinstance(node, ast.ClassDef) and node.name == "BackendConfig"]
Backend = types.SimpleNamespace(UNDEFINED="undefined", GLOO="gloo", NCCL="nccl", backend_list=["undefined", "gloo", "nccl"])

failures = 0
for has_nccl in True, False:
    for has_gpu in True, False:
        names = {
            "Backend": type("Backend", (str,), vars(Backend)), "Dict": Dict, "Union": Union, "is_nccl_available": lambda: has_nccl,
            "torch": types.SimpleNamespace(device=str, cuda=types.SimpleNamespace(is_available=lambda: has_gpu))}
        exec(compile(ast.Module(config, []), "distributed_c10d.py", "exec"), names)
        found = names["BackendConfig"]("undefined").get_device_backend_map()
        wanted = {"cpu": "gloo", "cuda": "nccl" if has_nccl and has_gpu else "gloo"}
        if found != wanted:
            print("NCCL built in: %s, a GPU: %s: %s" % (has_nccl, has_gpu, found))
            failures += 1
        named = names["BackendConfig"]("nccl").get_device_backend_map()
        if named != {"cpu": "nccl", "cuda": "nccl"}:
            print("nccl was named: %s" % named)
            failures += 1
sys.exit(failures)
