# SPDX-License-Identifier: BSD-3-Clause
"""G20: a project file in the working directory: whose it may be, which directories it may name, and who never reads it."""
import json
import os

from catalog import BOARD, VERSION
from makers import Command, small_tree

FILE = "desk/torchpatch.json"


def make(box, give, tools):
    """give: "project": members besides version and board, {box} being the box, or "bytes"; "mode" and "owner" of the file, "place mode"
    of its directory; "link": it is a link to outside; "fifo"; "named": --project names it; "tree": a prepared tree is there; "argv"."""
    small_tree.lay_out(box, tools)
    if give.get("tree"):
        small_tree.prepare(box, tools)
    text = json.dumps({"schema": 1, "version": VERSION, "board": BOARD, **give.get("project", {})}).replace("{box}", box.path)
    data = give["bytes"].encode() if "bytes" in give else text.encode()
    if give.get("link"):
        box.write("outside/torchpatch.json", data)
        os.symlink(box.at("outside/torchpatch.json"), box.at(FILE))
    elif give.get("fifo"):
        os.mkfifo(box.at(FILE))
    else:
        box.write(FILE, data, int(give.get("mode", "644"), 8))
    if "owner" in give:
        os.chown(box.at(FILE), give["owner"], give["owner"])
    if give.get("mirror link"):
        os.symlink(box.at("mirror"), box.at("desk/mirror"))
    os.chmod(box.at("desk"), int(give.get("place mode", "755"), 8))
    argv = give.get("argv", ["prepare", "--allow-uncertified", "--output", box.out, "--quiet"])
    argv = [word.replace("{box}", box.path) for word in argv] + (["--project", box.at(FILE)] if give.get("named") else [])
    return Command(argv)
