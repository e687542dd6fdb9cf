# SPDX-License-Identifier: BSD-3-Clause
"""G124, G125: runs that are killed, or told to stop, at moments spread over their measured length and a little beyond."""
import os
import shutil
import signal
import subprocess
import time

import box as boxes
import program
from catalog import prepare_arguments
from makers import Command, faults, small_tree


def hear_signals():
    """A shell's job in the background is deaf to SIGINT, and so would be what it starts."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


class Target:
    """A run and the two trees that may stand in OUT after it."""

    def __init__(self, box, tools, give):
        self.box, self.give, self.tools = box, give, tools
        self.argv = [tools.torchpatch, *prepare_arguments(box, "--allow-uncertified")]
        if give.get("replace"):
            self.argv.append("--replace")
            small_tree.prepare(box, tools, "--without", "made-fix")
            shutil.copytree(box.out, box.at("tmp", "before"), symlinks=True)
        self.before = self.state()
        begun = time.monotonic()
        self.start().wait()
        self.length = time.monotonic() - begun
        self.after = self.state()

    def state(self):
        return boxes.snapshot(self.box.out) if os.path.exists(self.box.out) else None

    def begin(self):
        """OUT as it was before, unless it is."""
        if self.state() == self.before:
            return
        shutil.rmtree(self.box.out)
        if self.before is not None:
            shutil.copytree(self.box.at("tmp", "before"), self.box.out, symlinks=True)

    def start(self):
        return subprocess.Popen(self.argv, env=program.environment_of(self.box, self.tools.base, {}), cwd=self.box.at("desk"),
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=hear_signals)

    def stop(self, delay, names):
        """Sends signals to the whole group, as a terminal does, but SIGPIPE; returns how the program ended."""
        process = self.start()
        for name in names:
            time.sleep(delay)
            try:
                send = os.kill if name == "SIGPIPE" else os.killpg
                send(process.pid, getattr(signal, name))
            except ProcessLookupError:
                pass
            delay = 0.002  # a second one comes while it cleans up
        try:
            return process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "did not end"


def problems_after(target, names, ended):
    lines = []
    state = target.state()
    if state not in (target.before, target.after):
        lines.append("neither the old tree nor the new one")
    if ended not in (0, *(-getattr(signal, name) for name in names)):
        lines.append("it ended as %s" % ended)
    if ended == 0 and state != target.after:
        lines.append("it ended well and did not do it")
    if "SIGKILL" not in names and os.path.exists(target.box.at("desk", faults.STAGING)):
        lines.append("staging stays behind")
    return lines


def make(box, give, tools):
    small_tree.lay_out(box, tools)
    target = Target(box, tools, give)
    names = give["signals"]

    def check(_):
        lines, ends = [], {}
        for number in range(give["count"]):
            target.begin()
            ended = target.stop(target.length * 1.1 * number / give["count"], names)
            ends[ended] = ends.get(ended, 0) + 1
            lines += ["%s %d of %d: %s" % ("+".join(names), number, give["count"], line)
                      for line in problems_after(target, names, ended)]
        target.begin()
        if target.start().wait() != 0 or target.state() != target.after or os.path.exists(box.at("desk", faults.STAGING)):
            lines.append("the run afterwards did not clean up, or did not do it")
        print("         ends of %d runs by %s: %s" % (give["count"], "+".join(names), ends), flush=True)
        return lines

    return Command(["list", "releases"], then=check, may_change=["desk", "tmp"])
