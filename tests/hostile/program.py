# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program under test with a clean environment and limits, and tells how it ended."""
import contextlib
import os
import resource
import signal
import subprocess
import threading
import time

CLASSES = {0: "ok", 1: "findings", 2: "usage", 3: "data", 4: "source", 5: "patch", 6: "unsafe", 7: "environment", 70: "internal"}
IS_SANITIZED = "ASAN_OPTIONS" in os.environ or "UBSAN_OPTIONS" in os.environ


class Outcome:
    def __init__(self, status, out, err, seconds, rss, was_killed):
        self.signal = -status if status < 0 else 0
        self.kind = "signal %d" % self.signal if self.signal else CLASSES.get(status, "exit code %d" % status)
        self.out, self.err = out, err
        self.seconds, self.rss, self.was_killed = seconds, rss, was_killed


def environment_of(box, data, more):
    """`more` overrides; None takes a variable away."""
    variables = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": box.at("home"), "TMPDIR": box.at("tmp"),
                 "XDG_CACHE_HOME": box.at("cache"), "XDG_STATE_HOME": box.at("state"), "TORCHPATCH_DATA": data}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            variables[name] = os.environ[name]
    variables.update(more)
    return {name: value for name, value in variables.items() if value is not None}


SMALL = 256 << 20  # bytes


def own_memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def watched_peak(pid):
    """Returns the largest VmHWM of a program, which is not waited for before it has ended."""
    peak = 0
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        with contextlib.suppress(OSError), open("/proc/%d/status" % pid) as file:
            peak = max([peak] + [int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM")])
        time.sleep(0.005)
    return peak


def run(argv, environment, directory, seconds, umask=0o022, limits=None, stdout=subprocess.PIPE):
    """Runs `argv` in a process group of its own, which is killed after `seconds`. `limits`: resource name -> value."""

    def prepare():
        os.umask(umask)
        for name, value in (limits or {}).items():
            resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))

    begun, own = time.monotonic(), own_memory()
    process = subprocess.Popen(argv, env=environment, cwd=directory, stdin=subprocess.DEVNULL, stdout=stdout,
                               stderr=subprocess.PIPE, start_new_session=True, preexec_fn=prepare)
    killed = threading.Event()

    def kill():
        killed.set()
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(seconds, kill)
    timer.start()
    texts = {}

    def drain(name, stream):
        texts[name] = stream.read()
        stream.close()

    readers = [threading.Thread(target=drain, args=(name, stream))
               for name, stream in (("out", process.stdout), ("err", process.stderr)) if stream]
    for reader in readers:
        reader.start()
    peak = watched_peak(process.pid) if own > SMALL else 0
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    # The kernel counts what a child was before it became the program: a copy of this one.
    memory = usage.ru_maxrss << 10
    memory = peak if memory <= own + SMALL and own > SMALL else memory
    for reader in readers:
        reader.join()
    timer.cancel()
    return Outcome(process.returncode, texts.get("out", b""), texts["err"], time.monotonic() - begun, memory,
                   killed.is_set())
