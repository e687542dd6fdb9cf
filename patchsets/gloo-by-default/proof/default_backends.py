# SPDX-License-Identifier: BSD-3-Clause
"""Asks the tree's functions for the back ends of builds with and without NCCL: default_backends.py TREE.

BackendConfig and _new_process_group_helper() are run as they stand, with stand-ins for the groups that they create.
"""

import ast
import sys
import types
from datetime import timedelta
from typing import Dict, Union

TAKEN = {"BackendConfig", "_new_process_group_helper"}
source = ast.parse(open(sys.argv[1] + "/torch/distributed/distributed_c10d.py").read())
taken = compile(ast.Module([node for node in source.body if getattr(node, "name", None) in TAKEN], []), "distributed_c10d.py", "exec")


class ProcessGroup:
    Options = types.SimpleNamespace
    BackendType = types.SimpleNamespace(GLOO="gloo", NCCL="nccl")

    def __init__(self, *arguments):
        self.registered = {}

    def _register_backend(self, device, kind, group):
        self.registered[device] = group.name


def stand_in(name, created):
    """A class of groups whose objects are listed in `created`."""
    class Group:
        Options = types.SimpleNamespace

        def __init__(self, *arguments, **named):
            self.name = name
            created.append(name)

        def _set_sequence_number_for_group(self):
            pass
    return Group


def names_of_build(has_nccl, created):
    backends = {"UNDEFINED": "undefined", "GLOO": "gloo", "NCCL": "nccl", "UCC": "ucc", "MPI": "mpi"}
    names = {
        "Backend": type("Backend", (str,), dict(backends, backend_list=list(backends.values()))), "Dict": Dict, "Union": Union,
        "ProcessGroup": ProcessGroup, "ProcessGroupGloo": stand_in("gloo", created), "ProcessGroupNCCL": stand_in("nccl", created),
        "PrefixStore": lambda prefix, store: prefix, "timedelta": timedelta, "default_pg_timeout": timedelta(1),
        "is_nccl_available": lambda: has_nccl, "get_debug_level": lambda: 0, "DebugLevel": types.SimpleNamespace(DETAIL=2),
        "torch": types.SimpleNamespace(device=str),
        "_world": types.SimpleNamespace(group_count=0, pg_names={}, pg_map={}, pg_backend_config={})}
    exec(taken, names)
    return names


failures = 0


def expect(wanted, found, what):
    global failures
    if wanted != found:
        print("%s: %s" % (what, found))
        failures += 1


for has_nccl in True, False:
    for name in "undefined", "gloo", "nccl":
        what = "%s, NCCL built in: %s" % (name, has_nccl)
        created = []
        names = names_of_build(has_nccl, created)
        wanted = {"cpu": name, "cuda": name}
        if name == "undefined":
            wanted = {"cpu": "gloo", "cuda": "nccl" if has_nccl else "gloo"}
        expect(wanted, names["BackendConfig"](name).get_device_backend_map(), what)
        try:
            group = names["_new_process_group_helper"](2, 0, [], name, None)
        except RuntimeError as error:
            expect(("nccl", False), (name, has_nccl), str(error))
            continue
        expect(wanted, group.registered, what + ", registered")
        expect(sorted(set(wanted.values())), sorted(created), what + ", created")
sys.exit(failures)
