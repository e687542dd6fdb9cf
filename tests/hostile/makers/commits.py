# SPDX-License-Identifier: BSD-3-Clause
"""Commits of a repository that somebody else made, read from its folder or fetched from a git daemon."""
import contextlib
import os

from catalog import prepare_arguments, without_mirror, write_moved, write_release
from invariants import check_verified
from makers import Command

CLASSES = {"accept": ["ok"], "refuse": ["source", "unsafe"], "policy": ["ok", "source", "unsafe"]}


def rows(repository, table):
    """A row for each line "name<TAB>tree<TAB>commit<TAB>accept, refuse or policy" and each way to it."""
    with open(table, encoding="utf-8") as file:
        for line in file:
            name, _, commit, expected = line.rstrip("\n").split("\t")
            for via in ("folder", "daemon"):
                yield {"of": "T", "row": "%s, from a %s" % (name, via), "kind": "commit", "class": CLASSES[expected],
                       "give": {"repository": os.path.abspath(repository), "commit": commit, "via": via}}


def make(box, give, tools):
    write_release(box, give["commit"])
    argv = prepare_arguments(box)
    if give["via"] == "folder":
        argv[argv.index("--mirror") + 1] = give["repository"]
    else:
        argv = without_mirror(argv)
        served = os.path.join(tools.root, "served.git")
        with contextlib.suppress(FileExistsError):
            os.symlink(give["repository"], served)
        write_moved(box, tools.daemon().url(served))
    return Command(argv, then=lambda outcome: check_verified(box, tools) if outcome.kind == "ok" else [])
