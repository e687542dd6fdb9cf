# SPDX-License-Identifier: BSD-3-Clause
"""G: a sound release in a place, an environment or a mirror that is not."""
import os
import pathlib
import random
import shutil
import subprocess

import box as boxes
import program
from catalog import prepare_arguments
from makers import CannotRun, Command, small_tree
from makers.damage import put_instead
from values import as_bytes

STAGING = ".out.torchpatch-staging"


def compare_with_plain(box, command, tools):
    """Compares OUT with one that is prepared in the usual way."""

    def check(outcome):
        if outcome.kind != "ok":
            return []
        plain = box.at("tmp", "plain")
        argv = prepare_arguments(box, "--allow-uncertified")
        argv[argv.index("--output") + 1] = plain
        tools.torchpatch_run(box, argv)
        return ["another tree than in the usual way: " + line for line in boxes.differences(boxes.snapshot(plain), boxes.snapshot(box.out))]

    command.then = check
    command.may_change.append("tmp/plain")


def in_place_of_out(box, what, tools):
    """Puts something where OUT is to be."""
    if what == "link to a directory":
        os.symlink(box.at("outside"), box.out)
    elif what == "dangling link":
        os.symlink(box.at("nowhere"), box.out)
    elif what == "file":
        box.write("desk/out", b"mine\n")
    elif what == "fifo":
        os.mkfifo(box.out)
    elif what == "directory of others":
        box.write("desk/out/mine", b"mine\n")
    elif what == "empty directory":
        os.mkdir(box.out)
    elif what == "prepared tree":
        small_tree.prepare(box, tools)
    elif what == "link for its records":
        box.write("outside/records/manifest.json", b"{}")
        os.mkdir(box.out)
        os.symlink(box.at("outside/records"), box.out + "/torchpatch")


def without_privileges(argv):
    """Root may write anywhere; without its capabilities the modes count."""
    if os.geteuid() != 0:
        return argv
    if not shutil.which("setpriv"):
        raise CannotRun("root without setpriv: modes mean nothing to it")
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *argv]


def use_small_disk(box, command, place, size):
    """Runs with a file system of `size` bytes, in a mount namespace of its own."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        raise CannotRun("no mount namespaces here")
    os.makedirs(box.at(place), exist_ok=True)
    script = ('mount -t tmpfs -o size=%d none "$0" || exit 99; "$@"; status=$?; '
              'ls -A "$0" | grep -q staging && echo "LEFT BEHIND" >&2; exit $status' % size)
    command.program = ["unshare", "-m", "sh", "-c", script, box.at(place), "{torchpatch}", *command.argv]
    command.may_change.append(place)
    command.then = lambda outcome: ["left behind on the small disk"] if b"LEFT BEHIND" in outcome.err else []


def loose_paths(repository):
    return sorted(os.path.join(directory, name) for directory, _, names in os.walk(repository + "/objects") for name in names)


def damage(box, what):
    """Breaks something in the mirror's one repository."""
    repository = box.at("mirror", "h.git")
    loose = loose_paths(repository)
    if what == "alternates loop":
        box.write("mirror/h.git/objects/info/alternates", os.fsencode(repository) + b"/objects\n")
    elif what == "alternates elsewhere":
        box.write("mirror/h.git/objects/info/alternates", os.fsencode(box.at("canary")) + b"\n")
    elif what == "config include":
        box.write("mirror/h.git/config", b"[include]\n\tpath = %s\n[core]\n\tfsmonitor = touch %s\n\tworktree = /\n"
                  % (os.fsencode(box.at("canary/target")), os.fsencode(box.at("canary/ran"))))
    elif what in ("HEAD", "config", "packed-refs"):
        box.write("mirror/h.git/" + what, bytes(range(256)) * 10)
    elif what == "HEAD is gone":
        os.unlink(repository + "/HEAD")
    elif what == "lock files":
        for name in ("HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock", "objects/maintenance.lock"):
            box.write("mirror/h.git/" + name, b"")
    elif what == "shallow":
        box.write("mirror/h.git/shallow", b"1" * 40 + b"\n")
    elif what == "hooks":
        for name in ("post-checkout", "reference-transaction", "post-index-change"):
            box.write("mirror/h.git/hooks/" + name, b"#!/bin/sh\ntouch %s\n" % os.fsencode(box.at("canary/ran")), 0o755)
    elif what == "replace refs":
        for path in loose:
            oid = path[-41:].replace("/", "")
            box.write("mirror/h.git/refs/replace/" + oid, b"1" * 40 + b"\n")
        box.write("mirror/h.git/info/grafts", b"1" * 40 + b"\n")
    else:
        for path in loose:
            put_instead(box, path, what, CHANGES)


CHANGES = {"truncated": lambda data: data[:len(data) // 2], "empty": lambda data: b"", "junk after": lambda data: data + b"junk",
           "junk": lambda data: b"\xff" * len(data), "zlib header alone": lambda data: data[:2]}


def repack(box):
    """Packs the mirror's objects with git; returns the paths of the pack and its index."""
    repository = box.at("mirror", "h.git")
    run = ["git", "-c", "safe.directory=*", "--git-dir=" + repository]
    environment = {"PATH": os.environ["PATH"], "HOME": box.at("tmp"), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    loose = loose_paths(repository)
    ids = "".join(path[-41:].replace("/", "") + "\n" for path in loose)
    os.makedirs(repository + "/objects/pack", exist_ok=True)
    subprocess.run([*run, "pack-objects", "-q", repository + "/objects/pack/pack"], input=ids.encode(), env=environment, check=True,
                   stdout=subprocess.DEVNULL)
    for path in loose:
        os.unlink(path)
    names = sorted(name for name in os.listdir(repository + "/objects/pack"))
    return {name.rsplit(".", 1)[1]: os.path.join(repository, "objects/pack", name) for name in names}


def pack_flips(box, tools, ending, count):
    """Flips bits of a pack or its index: the exact tree, or an error of the source; and nothing else."""
    paths = repack(box)
    chance = random.Random(5)

    def check(_):
        path = pathlib.Path(paths[ending])
        good = path.read_bytes()
        os.chmod(path, 0o644)
        lines = []
        for number in range(count):
            data = bytearray(good)
            at = chance.randrange(len(data))
            data[at] ^= 1 << chance.randrange(8)
            path.write_bytes(data if number % 4 else good[:at])
            shutil.rmtree(box.out, ignore_errors=True)
            outcome = tools.torchpatch_run(box, prepare_arguments(box, "--allow-uncertified"))
            if outcome.kind not in ("ok", "source") or outcome.seconds > 60:
                lines.append("byte %d: %s in %.0f s" % (at, outcome.kind, outcome.seconds))
            if outcome.kind == "ok" and small_tree.verify(box, tools).kind != "ok":
                lines.append("byte %d: a wrong tree" % at)
        return lines

    return check


def at_once(box, tools, count):
    """Several runs on one OUT: one prepares it, the others are told of the lock or of the tree."""

    def check(_):
        argv = [tools.torchpatch, *prepare_arguments(box, "--allow-uncertified")]
        runs = [subprocess.Popen(argv, env=program.environment_of(box, tools.base, {}), cwd=box.at("desk"), stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE) for _ in range(count)]
        said = [run.communicate()[1].decode() for run in runs]
        codes = sorted(run.returncode for run in runs)
        lines = [] if codes == [0] + [7] * (count - 1) else ["they ended with %s" % codes]
        lines += ["a message without a reason: " + text for run, text in zip(runs, said)
                  if run.returncode == 7 and "locked by another run" not in text and "already contains a prepared tree" not in text]
        if small_tree.verify(box, tools).kind != "ok":
            lines.append("the tree is broken")
        return lines

    return check


SEVERAL = {"pack": lambda box, tools, count: pack_flips(box, tools, "pack", count),
           "index": lambda box, tools, count: pack_flips(box, tools, "idx", count), "at once": at_once}


def make(box, give, tools):
    if "several" in give:
        small_tree.lay_out(box, tools)
        return Command(["list", "releases"], then=SEVERAL[give["several"]](box, tools, give["count"]))
    if "argv" in give:
        return Command([os.fsdecode(as_bytes(part, {"box": box.path})) for part in give["argv"]])
    command = small_tree.lay_out(box, tools)
    command.argv += give.get("options", [])
    command.environment = {name: value and value.replace("{box}", box.path) for name, value in give.get("environment", {}).items()}
    command.umask = int(give.get("umask", "022"), 8)
    command.limits = give.get("limits", {})
    command.stdout = give.get("stdout")
    command.leaves_out_alone = "stdout" not in give
    if "damage" in give:
        damage(box, give["damage"])
    if "in place of OUT" in give:
        in_place_of_out(box, give["in place of OUT"], tools)
    if give.get("is plain"):
        compare_with_plain(box, command, tools)
    if "out" in give:
        set_out(box, command, give["out"], tools)
    if "closed" in give:
        os.chmod(box.at(give["closed"]), 0o555)
        command.program = without_privileges(["{torchpatch}", *command.argv])
    if "small disk" in give:
        use_small_disk(box, command, *give["small disk"])
    return command


def set_out(box, command, out, tools):
    """Writes to another place below desk/; a text with {box} is taken as it is."""
    text = os.fsdecode(as_bytes(out, {"box": box.path}))
    command.argv[command.argv.index("--output") + 1] = text
    full = os.path.normpath(os.path.join(box.at("desk"), text))
    command.files = None
    command.may_change.append(os.path.relpath(full, box.path))

    def check(outcome):
        if outcome.kind != "ok":
            return []
        verified = small_tree.verify(box, tools, full)
        return [] if verified.kind == "ok" else ["verify: " + verified.kind]

    command.then = check
