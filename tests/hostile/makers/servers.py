# SPDX-License-Identifier: BSD-3-Clause
"""G: a sound release behind a server that breaks off, says nonsense or never ends; afterwards the cache must be of use."""
import os
import shutil
import time

import packs
from catalog import prepare_arguments, without_mirror, write_release
from fake_remote import FakeRemote
from invariants import check_files
from makers import CannotRun, Command
from objects import MODES, Repository
from values import as_bytes

RECORDED = "https://example.org/hostile/"
PATIENCE = {"connect": 2, "idle": 1, "total": 4, "retries": 0}


def release(box):
    """Returns the commit, its objects in the order of a pack, and its files."""
    repository = Repository(box.at("tmp", "made"))
    # Bytes that do not compress, so that a tenth of the pack is something.
    blob = repository.blob(b"".join(b"%d\n" % (number * 2654435761 % 2**32) for number in range(3000)))
    tree = repository.tree([(MODES["file"], b"f", blob), (MODES["exec"], b"run.sh", repository.blob(b"#!/bin/sh\n"))])
    commit = repository.commit(tree)
    shutil.rmtree(repository.path)
    order = sorted(repository.known.values(), key=lambda each: ("commit", "tree", "blob").index(each[0]))
    return commit, order, repository.files(tree)


def fault_of(give, variables):
    fault = dict(give.get("fault", {}))
    for name in ("bytes", "first"):
        if name in fault:
            fault[name] = as_bytes(fault[name], variables)
    return fault or None


def left_running(box):
    """Processes of the box that live on; what was killed may take a moment to give its memory back."""
    for _ in range(40):
        found = processes_of(box)
        if not found:
            break
        time.sleep(0.05)
    return found


def processes_of(box):
    """Those whose environment knows the box: the program's, git's and its helpers'."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as file:
                if os.fsencode(box.path) + b"/" not in file.read():
                    continue
            with open("/proc/%s/cmdline" % pid, "rb") as file:
                found.append(file.read().replace(b"\0", b" ").decode(errors="replace")[:120])
        except OSError:
            continue
    return found


def make(box, give, tools):
    commit, objects, files = release(box)
    write_release(box, commit, RECORDED + "torch.git")
    remote = FakeRemote(commit, packs.make(objects, give.get("pack")), fault_of(give, {"commit": commit}))
    scheme = give.get("scheme", "git")
    if scheme == "ssh" and not shutil.which("ssh"):
        raise CannotRun("ssh is not installed")
    patience = dict(PATIENCE, **give.get("patience", {}))
    url = "%s://127.0.0.1:%d/" % (scheme, remote.port)
    argv = without_mirror(prepare_arguments(
        box, "--url-map", RECORDED + "=" + url, "--connect-timeout", str(patience["connect"]), "--idle-timeout", str(patience["idle"]),
        "--timeout", str(patience["total"]), "--retries", str(patience["retries"])))

    def then(outcome):
        try:
            return problems(outcome)
        finally:
            remote.stop()

    def problems(outcome):
        lines = ["left running: " + line for line in left_running(box)]
        lines += ["left in TMPDIR: " + name for name in os.listdir(box.at("tmp")) if name != ".canary"]
        if outcome.seconds > patience["total"] * (patience["retries"] + 1) + 5:
            lines.append("it took %.1f s" % outcome.seconds)
        if outcome.kind == "ok" or scheme in ("https", "ssh") or not remote.asked:  # FakeRemote speaks neither
            return lines
        # The same place, the same cache, and now a server that works.
        remote.fault, remote.pack = None, packs.make(objects)
        again = tools.torchpatch_run(box, argv)
        if again.kind != "ok":
            return lines + ["afterwards a good server is of no use: " + again.err.decode(errors="replace")[-400:]]
        lines += check_files(box.at("desk", "out", "pytorch"), files)
        left = [name for _, _, names in os.walk(box.at("cache")) for name in names if name.startswith("tmp_") or name == "shallow.lock"]
        return lines + ["left in the cache: " + name for name in left]

    if "interrupt" in give:
        script = '(sleep "$1"; kill -INT $$) & shift; exec env --default-signal=INT "$@"'
        program = ["sh", "-c", script, "sh", str(give["interrupt"]), "{torchpatch}", *argv]
        return Command(argv, program=program, then=then)
    return Command(argv, files=files, then=then)
