# SPDX-License-Identifier: BSD-3-Clause
"""A sound release of three files, a link and a patch: what tampering and faults begin from."""
import os
import shutil

from catalog import prepare_arguments
from makers import patches

LINES = ["diff --git a/a.txt b/a.txt", "index 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222 100644",
         "--- a/a.txt", "+++ b/a.txt", "@@ -1,2 +1,2 @@", " one", "-two", "+patched"]
BASE = [["file", "a.txt", "one\ntwo\n"], ["dir", "d", [["file", "b.txt", "bee\n"], ["link", "up", "../a.txt"]]],
        ["exec", "run.sh", "#!/bin/sh\n"]]
GIVE = {"base": BASE, "patches": [LINES], "after": {"a.txt": "one\npatched\n"}}


def lay_out(box, tools):
    """Writes mirror and catalog; returns the command that prepares them."""
    return patches.make(box, GIVE, tools)


def prepare(box, tools, *more):
    """Runs prepare and raises where it does not end well."""
    outcome = tools.torchpatch_run(box, prepare_arguments(box, "--allow-uncertified", *more))
    if outcome.kind != "ok":
        raise RuntimeError("prepare: " + outcome.err.decode(errors="replace"))


def verify(box, tools, root=None):
    return tools.torchpatch_run(box, ["verify", root or box.out, "--catalog", box.at("catalog"), "--quiet", "--jobs", "1"])


def keep_copy(box):
    """Sets a prepared tree aside, to begin from it again."""
    shutil.copytree(box.out, box.at("tmp", "kept"), symlinks=True)


def restore(box, path):
    """Puts one file back as it was."""
    shutil.copy2(box.at("tmp", "kept", path), os.path.join(box.out, path))
