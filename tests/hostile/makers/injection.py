# SPDX-License-Identifier: BSD-3-Clause
"""G126: each system call of a small run goes wrong once, or from there on; what must hold holds after each."""
import errno
import os
import re
import shutil

import box as boxes
import program
from catalog import prepare_arguments, without_mirror
from makers import CannotRun, Command, faults, machine, native, small_tree

SECONDS = 20
# Calls of the dynamic loader come before main(): it says itself what it lacks.
LOADER = re.compile(rb"error while loading shared libraries|cannot allocate TLS|Fatal glibc error|\Aout of memory\n\Z")
SIGNALS = {"INT": 2, "TERM": 15, "HUP": 1}


def action_of(give):
    """The injector's word for what goes wrong."""
    what = give["goes wrong"]
    if what in ("kill", "short"):
        return what
    if what in SIGNALS:
        return "signal=%d" % SIGNALS[what]
    return "%s=%d" % ("errors" if give.get("from there on") else "error", getattr(errno, what))


class Run:
    """A command, what stands before it and what it brings."""

    def __init__(self, box, tools, name):
        self.box, self.tools, self.name = box, tools, name
        self.environment = program.environment_of(box, tools.base, {})
        self.argv = prepare_arguments(box, "--allow-uncertified")
        self.target = "desk/out"
        if name == "fetch":
            machine.serve(box, tools)
            self.argv = without_mirror(self.argv)
        if name == "replace":
            self.argv.append("--replace")
        if name == "sync":
            self.argv[self.argv.index("--jobs") + 1] = "2"
            self.argv += ["--sync", "--replace"]
        if name == "verify":
            self.argv = ["verify", box.out, "--catalog", box.at("catalog"), "--jobs", "1"]
        if name == "export":
            self.target = "desk/out.tar.gz"
            self.argv = ["export", box.out, "--output", box.at(self.target), "--catalog", box.at("catalog"), "--jobs", "1"]
        self.keep_states()

    def keep_states(self):
        """Sets aside what stands before a run, and notes what stands after it."""
        self.kept = self.box.at("tmp", "before")
        if self.name in ("replace", "sync"):  # an older tree, which differs
            small_tree.prepare(self.box, self.tools, "--without", "made-fix")
        elif self.name not in ("prepare", "fetch"):
            small_tree.prepare(self.box, self.tools)
        if os.path.exists(self.box.out):
            shutil.copytree(self.box.out, self.kept, symlinks=True)
        self.begin()
        self.before = self.state()
        outcome = self.tools.torchpatch_run(self.box, self.argv)
        if outcome.kind != "ok":
            raise RuntimeError("%s: %s" % (self.name, outcome.err.decode(errors="replace")))
        self.after = self.state()
        self.others = self.surroundings()
        self.result = outcome.out

    def begin(self):
        for path in (self.box.out, self.box.at("desk", faults.STAGING), self.box.at("cache"), self.box.at("state")):
            shutil.rmtree(path, ignore_errors=True)
        if os.path.exists(self.box.at("desk/out.tar.gz")):
            os.unlink(self.box.at("desk/out.tar.gz"))
        if os.path.exists(self.kept):
            shutil.copytree(self.kept, self.box.out, symlinks=True)

    def state(self):
        path = self.box.at(self.target)
        if os.path.isdir(path):
            return boxes.snapshot(path)
        return {"": boxes.digest_of(path)} if os.path.exists(path) else None

    def surroundings(self):
        """Everything else: files that were there, and what was left behind. What a killed run, or one that cannot remove
        anything, leaves in its private directory for temporary files is for the system to remove."""
        private = ["tmp/" + name for name in os.listdir(self.box.at("tmp")) if name.startswith("torchpatch-")]
        return boxes.snapshot(self.box.path, ["desk/out", "desk/out.tar.gz", "cache", "state", *private])

    def inject(self, at, action):
        log = os.path.join(self.tools.root, os.path.basename(self.box.path) + ".calls")
        injector = native.build(self.tools, "inject")
        outcome = program.run([injector, log, str(at), action, self.tools.torchpatch, *self.argv], self.environment,
                              self.box.at("desk"), SECONDS)
        with open(log) as file:
            return outcome, file.read().splitlines()

    def problems(self, outcome, action, wrong):
        """What is wrong after a run in which a call went wrong."""
        lines = []
        state = self.state()
        wanted = {"kill": ("signal 9",), "signal": ("ok", "signal")}.get(action.split("=")[0], ("ok", "environment", "source"))
        if outcome.was_killed:
            lines.append("did not end in time")
        elif self.name in ("verify", "export") and outcome.kind == "findings":  # what cannot be read is a difference
            reason = os.strerror(int(action.split("=")[1])).encode() if "error" in action else b"?"
            if reason not in outcome.out + outcome.err:
                lines.append("found differences where there are none")
        elif not outcome.kind.startswith(wanted):
            lines.append("ended as " + outcome.kind)
        if state not in (self.before, self.after):
            lines.append("left something that is neither the old nor the new")
        if outcome.kind == "ok" and (state != self.after or self.name == "verify" and outcome.out != self.result):
            lines.append("ended well and did not do it")
        is_mute = action.startswith("errors") and "write parent " in wrong  # then stderr cannot be written either
        if outcome.kind in ("environment", "source") and b"torchpatch: error: " not in outcome.err and not is_mute:
            lines.append("no error message")
        left = boxes.differences(self.others, self.surroundings())
        if self.name == "export" and outcome.kind != "ok" and "unlink parent " in " ".join(wrong):  # its clean-up failed
            left = [line for line in left if not line.startswith("desk/out.tar.gz.torchpatch.tmp-")]
        if left and action != "kill":
            said = outcome.err.decode(errors="replace")
            lines += [line for line in left if line.split("/")[1].split(" ")[0] not in said or not line.endswith(" is new")]
        return lines

    def clean_up_problems(self):
        """A run after it must find its way and leave nothing."""
        left = boxes.differences(self.others, self.surroundings())
        if (not left and self.name != "fetch") or self.name in ("verify", "export"):
            return []
        argv = [*self.argv, *([] if "--replace" in self.argv else ["--replace"])]  # "fetch": with the cache as it is now
        outcome = self.tools.torchpatch_run(self.box, argv)
        lines = [] if outcome.kind == "ok" else ["the next run: " + outcome.err.decode(errors="replace")]
        return lines + ["after the next run " + line for line in boxes.differences(self.others, self.surroundings())]


def first_of_program(calls):
    """The number of the first call that is not the dynamic loader's."""
    return 1 + max((number for number, call in enumerate(calls, 1) if re.search(r" parent .*\.so(\.\d+)*$", call)), default=0)


def sweep(run, give):
    run.begin()
    outcome, calls = run.inject(0, "count")
    if outcome.kind != "ok":
        raise CannotRun("no process can be traced here: " + outcome.err.decode(errors="replace"))
    action, count = action_of(give), 0
    lines = []
    for at in range(first_of_program(calls) + give.get("begin", 0), len(calls) + 1, give.get("step", 1)):
        run.begin()
        outcome, wrong = run.inject(at, action)
        if not wrong or LOADER.search(outcome.err):  # polling takes a call more or less
            continue
        count += 1
        problems = run.problems(outcome, action, wrong) + run.clean_up_problems()
        lines += ["call %d, %s: %s: %s" % (at, " ".join(wrong) or "none", problem, outcome.err.decode(errors="replace").strip()[-300:])
                  for problem in problems]
        for path in run.surroundings().keys() - run.others.keys():
            remove(run.box.at(path))
    run.begin()
    print("         %d calls of %s went wrong with %s" % (count, run.name, action), flush=True)
    return lines


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    elif os.path.lexists(path):
        os.unlink(path)


def make(box, give, tools):
    if program.IS_SANITIZED:
        raise CannotRun("the calls that a sanitizer makes for itself would go wrong as well")
    small_tree.lay_out(box, tools)
    run = Run(box, tools, give["run"])
    return Command(["list", "releases"], then=lambda _: sweep(run, give), may_change=["desk", "tmp"])
