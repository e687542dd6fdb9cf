# SPDX-License-Identifier: BSD-3-Clause
"""G: a sound release on a machine whose clock, users, disks or limits are not what one would like."""
import os
import shutil
import signal
import subprocess
import time

import box as boxes
import program
from catalog import prepare_arguments, without_mirror, write_moved
from makers import CannotRun, Command, faults, native, small_tree

SOMEBODY = 65534
STAGING = ("desk/" + faults.STAGING).encode()


def serve(box, tools):
    """Lets the release be fetched from loopback, through the cache."""
    write_moved(box, tools.daemon().url(box.at("mirror", "h.git")))


def give_away(path, uid=SOMEBODY):
    for directory, names, files in os.walk(path):
        for name in [directory, *(os.path.join(directory, name) for name in names + files)]:
            os.lchown(name, uid, uid)


def as_somebody(box, tools, argv):
    """Runs as a user who owns the box but for what the row takes from him."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        raise CannotRun("only root with setpriv can run something as another user")
    prefix = ["setpriv", "--reuid=%d" % SOMEBODY, "--regid=%d" % SOMEBODY, "--clear-groups"]
    os.chmod(tools.root, 0o711)
    checked = subprocess.run([*prefix, "test", "-x", tools.torchpatch, "-a", "-r", tools.base], stderr=subprocess.DEVNULL)
    if checked.returncode != 0:
        raise CannotRun("another user cannot be had here, or has no leave to start the program")
    return [*prefix, "{torchpatch}", *argv]


def few_descriptors(box, tools, numbers):
    """Runs with each limit of open files: the tree, or an error and nothing left behind without a word."""

    def check(_):
        lines = []
        small_tree.prepare(box, tools)
        shutil.rmtree(box.out)
        for number in numbers:
            outcome = program.run([tools.torchpatch, *prepare_arguments(box, "--allow-uncertified")],
                                  program.environment_of(box, tools.base, {}), box.at("desk"), 60, limits={"NOFILE": number})
            if outcome.kind == "exit code 127":  # the dynamic loader
                continue
            if outcome.kind not in ("ok", "environment", "source"):
                lines.append("%d descriptors: ended as %s" % (number, outcome.kind))
            if outcome.kind == "ok" and small_tree.verify(box, tools).kind != "ok":
                lines.append("%d descriptors: a wrong tree" % number)
            if outcome.kind != "ok" and os.path.exists(box.out):
                lines.append("%d descriptors: OUT is there" % number)
            if os.path.exists(box.at("desk", faults.STAGING)) and STAGING not in outcome.err:
                lines.append("%d descriptors: staging stays behind without a word" % number)
            shutil.rmtree(box.out, ignore_errors=True)
        small_tree.prepare(box, tools)
        if os.path.exists(box.at("desk", faults.STAGING)):
            lines.append("the next run did not clean up")
        return lines

    return check


def share_a_cache(box, tools, count):
    """Runs with one cold cache and an OUT each, one of which is killed: the others end well and with equal trees."""
    argv = [tools.torchpatch, *without_mirror(prepare_arguments(box, "--allow-uncertified"))]
    at = argv.index("--output") + 1
    environment = program.environment_of(box, tools.base, {})

    def check(_):
        outs = [box.at("desk", "out%d" % number) for number in range(count)]
        runs = [subprocess.Popen([*argv[:at], out, *argv[at + 1:]], env=environment, cwd=box.at("desk"), stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, start_new_session=True) for out in outs]
        time.sleep(0.03)
        os.killpg(runs[0].pid, signal.SIGKILL)
        lines = [said.decode(errors="replace") for run, said in [(run, run.communicate()[1]) for run in runs][1:] if run.returncode]
        trees = [boxes.snapshot(out) for out in outs[1:] if os.path.exists(out)]
        return lines if all(tree == trees[0] for tree in trees) else [*lines, "the trees differ"]

    return check


def make(box, give, tools):
    command = small_tree.lay_out(box, tools)
    if give.get("via") == "daemon":
        serve(box, tools)
        command.argv = without_mirror(command.argv)
    if "clock" in give:
        library = native.build(tools, "clock", "-shared", "-fPIC")
        if program.IS_SANITIZED:
            raise CannotRun("a sanitizer wants to be the first library")
        command.environment = {"LD_PRELOAD": library, "CLOCK_BEGINS": str(give["clock"]), "CLOCK_STEP": str(give.get("step", 0))}
        faults.compare_with_plain(box, command, tools)
    if "small disk" in give:
        faults.use_small_disk(box, command, *give["small disk"])
    if "share a cache" in give:
        return Command(["list", "releases"], then=share_a_cache(box, tools, give["share a cache"]))
    if "descriptors" in give:
        first, last = give["descriptors"]
        if program.IS_SANITIZED:  # which ends the program where there is no descriptor for itself
            first += 3
        return Command(["list", "releases"], then=few_descriptors(box, tools, range(first, last + 1)))
    if ("mirror of" in give or "user" in give) and os.geteuid() != 0:
        raise CannotRun("only root can give files to another user")
    if "mirror of" in give:
        give_away(box.at("mirror"), give["mirror of"])
    if "user" in give:
        give_away(box.path)
        for path, mode in give.get("closed", {}).items():
            if not os.path.exists(box.at(path)):
                os.mkdir(box.at(path))
            os.lchown(box.at(path), 0, 0)
            os.chmod(box.at(path), int(mode, 8))
        command.program = as_somebody(box, tools, command.argv)
    if give.get("is plain"):
        faults.compare_with_plain(box, command, tools)
    return command
