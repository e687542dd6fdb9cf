# SPDX-License-Identifier: BSD-3-Clause
"""G136 and G138: a cache that somebody has changed, that others use or clean, and runs of mirror and bundle that are killed."""
import os
import random
import shutil
import signal
import subprocess
import time

import box as boxes
import program
from catalog import VERSION, prepare_arguments, without_mirror
from makers import Command, bundles, machine, small_tree
from makers.damage import put_instead

CACHE = ("cache", "torchpatch")


def choice(box):
    return ["--version", VERSION, "--catalog", box.at("catalog"), "--mirror", box.at("mirror"), "--jobs", "1", "--quiet"]


def run_well(box, tools, argv):
    outcome = tools.torchpatch_run(box, argv)
    if outcome.kind != "ok":
        raise RuntimeError("%s: %s" % (argv[0], outcome.err.decode(errors="replace")))


def fill_cache(box, tools):
    """A cache as prepare would have filled it."""
    run_well(box, tools, ["mirror", "--output", box.at(*CACHE), *choice(box)])
    box.write("cache/torchpatch/CACHEDIR.TAG", b"Signature: 8a477f597d28d172789f06886806bc55\n")
    box.write("cache/torchpatch/layout", b"torchpatch cache 1\n")


def from_cache(box, output=None):
    argv = without_mirror(prepare_arguments(box, "--allow-uncertified", "--offline"))
    if output:
        argv[argv.index("--output") + 1] = output
    return argv


def files_of_cache(box, ending):
    return sorted(os.path.join(directory, name) for directory, _, names in os.walk(box.at(*CACHE, "git")) for name in names
                  if name.endswith(ending))


CHANGES = {"one bit": lambda data: bundles.flipped(data, len(data) // 2), "half of it": lambda data: data[:len(data) // 2],
           "zeros": lambda data: bytes(len(data)), "empty": lambda data: b"", "0xff": lambda data: b"\xff" * len(data)}


def tamper(box, what):
    name, _, how = what.partition(", ")
    for path in files_of_cache(box, "." + name):
        put_instead(box, path, {"a FIFO": "fifo", "a link": "link"}.get(how, how), CHANGES)


def link_away(box, what):
    """Puts a link to a place outside of the cache where a folder of it or its first repository was."""
    place = os.path.dirname(files_of_cache(box, "HEAD")[0]) if what == "repository" else box.at(*CACHE, what)
    os.makedirs(place, exist_ok=True)
    os.rename(place, box.at("outside", "linked"))
    os.symlink(box.at("outside", "linked"), place)


def verify_finds_it(box, tools):
    def check(_):
        verified = tools.torchpatch_run(box, ["cache", "verify", "--jobs", "1", "--quiet"])
        return [] if verified.kind == "findings" else ["cache verify ended as " + verified.kind]

    return check


def start(box, tools, argv):
    return subprocess.Popen([tools.torchpatch, *argv], env=program.environment_of(box, tools.base, {}), cwd=box.at("desk"),
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
                            umask=0o022)


def cleaned_meanwhile(box, tools, count):
    """Runs that read the cache, and others that empty it: each run has the exact tree or an error of the source; none that
    began with a full cache loses it under its hands."""

    def check(_):
        problems, plain = [], box.at("desk", "plain")
        run_well(box, tools, from_cache(box, plain))
        expected = boxes.snapshot(plain)
        for number in range(count):
            outputs = [box.at("desk", "run-%d-%d" % (number, each)) for each in range(3)]
            runs = [start(box, tools, from_cache(box, output)) for output in outputs]
            time.sleep(random.Random(number).uniform(0, 0.05))
            cleaner = start(box, tools, ["cache", "gc", "--all", "--catalog", box.at("catalog"), "--quiet"])
            for run, output in zip(runs, outputs):
                text = run.communicate()[1].decode(errors="replace")
                if run.returncode == 0:
                    problems += boxes.differences(expected, boxes.snapshot(output))
                elif run.returncode != 4 or "not in the cache" not in text:
                    problems.append("a run beside the cleaning ended with %d: %s" % (run.returncode, text))
                shutil.rmtree(output, ignore_errors=True)
            text = cleaner.communicate()[1].decode(errors="replace")
            if cleaner.returncode not in (0, 7):
                problems.append("the cleaning ended with %d: %s" % (cleaner.returncode, text))
            fill_cache(box, tools)
        return problems

    return check


def cold_and_shared(box, tools, count):
    """Runs that all have to fetch into one cache."""
    machine.serve(box, tools)
    argv = [part for part in from_cache(box) if part != "--offline"]

    def check(_):
        outputs = [box.at("desk", "run-%d" % number) for number in range(count)]
        runs = []
        for output in outputs:
            argv[argv.index("--output") + 1] = output
            runs.append(start(box, tools, list(argv)))
        problems = []
        for run in runs:
            text = run.communicate()[1].decode(errors="replace")
            if run.returncode != 0:
                problems.append("a run ended with %d: %s" % (run.returncode, text))
        trees_found = [boxes.snapshot(output) for output in outputs if os.path.isdir(output)]
        for found in trees_found[1:]:
            problems += boxes.differences(contents(trees_found[0]), contents(found))
        return problems

    return check


def contents(found):
    """Without the times: each run has its own."""
    return {path: entry[:3] + entry[4:] for path, entry in found.items()}


def killed(box, tools, command, count):
    """Runs that are killed at random times: what they leave is whole or goes, and the next run ends as if they had not been."""
    output = box.at("desk", "target")
    argv = command.split() + [output, *choice(box)]

    def check(_):
        chance, problems = random.Random(7), []
        begun = time.monotonic()
        run_well(box, tools, argv[:-len(choice(box)) - 1] + [box.at("desk", "plain"), *choice(box)])
        length = time.monotonic() - begun
        for _ in range(count):
            run = start(box, tools, argv)
            time.sleep(chance.uniform(0, length))
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
            if "--bundle" in command and os.path.exists(output):
                break  # it was whole before the signal came
        if os.path.isfile(output) and boxes.digest_of(output) != boxes.digest_of(box.at("desk", "plain")):
            problems.append("a bundle that is not whole")
        run_well(box, tools, argv + (["--replace"] if "--bundle" in command else []))
        plain, found = (contents_of(box.at("desk", name)) for name in ("plain", "target"))
        problems += boxes.differences(plain, found)
        problems += ["left behind: " + name for name in os.listdir(box.at("desk")) if name.startswith(("target.", ".target"))]
        return problems

    return check


def contents_of(path):
    if os.path.isfile(path):
        return {"": boxes.digest_of(path)}
    return contents(boxes.snapshot(path))


def make(box, give, tools):
    small_tree.lay_out(box, tools)
    nothing = ["list", "releases"]
    if "killed" in give:
        return Command(nothing, then=killed(box, tools, give["killed"], give["count"]))
    if "cold" in give:
        return Command(nothing, then=cold_and_shared(box, tools, give["cold"]))
    fill_cache(box, tools)
    if "cleaned" in give:
        return Command(nothing, then=cleaned_meanwhile(box, tools, give["cleaned"]))
    if "layout" in give:
        box.write("cache/torchpatch/layout", give["layout"].encode())
        return Command(from_cache(box))
    if "linked" in give:
        link_away(box, give["linked"])
        return Command([*give["run"], *choice(box)] if give["run"][0] == "mirror" else give["run"])
    if "tamper" in give:
        tamper(box, give["tamper"])
        return Command(from_cache(box), then=verify_finds_it(box, tools))
    return Command(from_cache(box), files=None)
