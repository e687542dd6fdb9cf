# SPDX-License-Identifier: BSD-3-Clause
"""Commits of a repository that somebody else made, read from its folder or fetched from a git daemon."""
import contextlib
import os

from catalog import URL, prepare_arguments, write_json, write_release
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
    at = argv.index("--mirror")
    if give["via"] == "folder":
        argv[at + 1] = give["repository"]
    else:
        del argv[at:at + 2]
        served = os.path.join(tools.root, "served.git")
        with contextlib.suppress(FileExistsError):
            os.symlink(give["repository"], served)
        write_json(box.at("catalog", "moved_repositories.json"),
                   {"schema": 1, "moved": [{"from": URL, "to": [tools.daemon().url(served)]}]})

    def verify(outcome):
        if outcome.kind != "ok":
            return []
        verified = tools.torchpatch_run(box, ["verify", box.out, "--catalog", box.at("catalog"), "--quiet"])
        return [] if verified.kind == "ok" else ["verify says: " + (verified.out + verified.err).decode(errors="replace")[:400]]

    return Command(argv, then=verify)
