# SPDX-License-Identifier: BSD-3-Clause
"""G19: what lies in the directory of a build is run only if this program would write it again. An engine that builds nothing stands
for a container's; run.sh is the recipe's own."""
import fcntl
import os
import shutil

from catalog import prepare_arguments
from makers import Command, small_tree

CANARY = b"#!/bin/sh\ntouch '%s'\n"


def arguments(box, *words):
    return ["build", *prepare_arguments(box)[1:], "--allow-uncertified", "--kind", "container", "--yes", "--", "--engine",
            box.at("desk", "docker"), *words]


def at(box, path):
    return os.path.join(box.out, path)


def write(box, path, data):
    box.write(os.path.relpath(at(box, path), box.path), data, 0o755)


def run_instead(box, path):
    """Puts a script in the place of a file, which would leave a mark outside."""
    write(box, path, CANARY % box.at("outside", "ran").encode())


def lock(box):
    """Holds the lock of OUT as long as this process lives."""
    directory = os.open(box.out, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(directory, fcntl.LOCK_EX)
    return lambda _: os.close(directory) or []


def remove(box, path):
    shutil.rmtree(at(box, path)) if os.path.isdir(at(box, path)) else os.remove(at(box, path))


def link_away(box, path):
    os.rename(at(box, path), box.at("outside", "linked"))
    os.symlink(box.at("outside", "linked"), at(box, path))


def fifo(box, path):
    remove(box, path)
    os.mkfifo(at(box, path))


DO = {"run instead": run_instead, "link away": link_away, "fifo": fifo, "remove": remove,
      "write": lambda box, path: write(box, path, b"mine\n"), "open to all": lambda box, path: os.chmod(at(box, path), 0o777)}


def make(box, give, tools):
    """give: "do": steps after a first build, each [what, path] of DO; "lock": the lock is held; "fresh": there was no first build."""
    small_tree.lay_out(box, tools)
    box.write("desk/docker", b"#!/bin/sh\nexit 0\n", 0o755)
    argv = arguments(box)
    if not give.get("fresh"):
        outcome = tools.torchpatch_run(box, argv)
        if outcome.kind != "ok":
            raise RuntimeError(outcome.err.decode(errors="replace"))
    for what, *values in give.get("do", []):
        DO[what](box, *values)
    return Command(argv, then=lock(box) if give.get("lock") else None)
