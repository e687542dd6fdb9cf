#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the table of hostile inputs against the built program; every row asserts the invariants of docs/guarantees.md.

A row is a line of cases/KIND.jsonl, the kind of which says who makes it (MAKERS); files are gone through by name.
Some cases run under strace, in the sweep most, and must change nothing but their own places (tracing.py).

run.py [--torchpatch PROGRAM] [--table FILE] [--only TEXT] [--part K/N] [--sweep] [--jobs N] [--keep DIR] [-v]
run.py [--torchpatch PROGRAM] --repository DIR --table FILE […]

The second form is for a bare repository of hostile commits: FILE has a line for each, of its name, tree, commit and what
is to come of it (accept, refuse, policy), with tabs between; each is read from the folder and fetched from a git daemon.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import shutil
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import catalog  # noqa: E402
import invariants  # noqa: E402
import program  # noqa: E402
import tracing  # noqa: E402
from box import Box  # noqa: E402
from isolation import Daemon, enter_network_namespace  # noqa: E402
from makers import (CannotRun, archives, builds, bundles, commits, data, faults, injection, keep, machine, pages, patches,  # noqa: E402
                    projects, servers, signals, stores, tampering, trees, wheels)

MAKERS = {"archive": archives, "build": builds, "bundle": bundles, "commit": commits, "data": data, "fault": faults, "inject": injection, "keep": keep,
          "machine": machine, "page": pages, "patch": patches, "project": projects, "server": servers, "signal": signals, "store": stores,
          "tamper": tampering, "tree": trees, "wheel": wheels}
TRACED_EVERY = 25


class Tools:
    """What cases share: the program, the base catalog, a git daemon that is started when first asked for."""

    def __init__(self, torchpatch, root):
        self.torchpatch, self.root, self.base = torchpatch, root, os.path.join(root, "base")
        catalog.write_base(self.base)
        self._daemon = Daemon(root)

    def daemon(self):
        return self._daemon.start()

    def torchpatch_run(self, box, argv, **options):
        """Runs the program for a case's preparations or after-checks."""
        return program.run([self.torchpatch, *argv], program.environment_of(box, self.base, {}), box.at("desk"), 120, **options)

    def close(self):
        self._daemon.stop()


def read_table(paths):
    """The rows of files that are named after their kind."""
    for path in paths:
        kind = os.path.basename(path).removesuffix(".jsonl")
        with open(path) as file:
            yield from (dict(json.loads(line), kind=kind) for line in file)


def expand(rows, sweep):
    """A row with shapes is a case for each; rows of the sweep are left out unless it is asked for."""
    for row in rows:
        if row.get("sweep") and not sweep:
            continue
        for shape in row.get("shapes", [None]) + (row.get("sweep shapes", []) if sweep else []):
            give = dict(row["give"], shape=shape) if shape else row["give"]
            name = row["row"] + (" as " + shape if shape else "")
            yield dict(row, row=name, give=give)
            if sweep and row["kind"] == "tree" and "via" not in give:
                wanted = invariants.classes_of(row)
                yield dict(row, row=name + ", fetched", give=dict(give, via="daemon"), says=[],
                           **{"class": wanted if wanted == ["ok"] else sorted({*wanted, "source"})})


def is_traced(row, command, number, sweep):
    """Whether a case runs under strace: some in each run, in the sweep all that start nothing but the program, but for rows
    that are "untraced": with hundreds of thousands of calls they would take minutes."""
    is_plain = not row.get("untraced") and command.program is None and not command.limits and "LD_PRELOAD" not in command.environment
    return is_plain and tracing.can_trace() and (sweep or number % TRACED_EVERY == 0)


def run_case(row, number, box, tools, sweep):
    """Returns the problems of one case."""
    command = MAKERS[row["kind"]].make(box, row["give"], tools)
    environment = program.environment_of(box, tools.base, command.environment)
    argv = [part.replace("{torchpatch}", tools.torchpatch) for part in command.program or ["{torchpatch}", *command.argv]]
    watch = invariants.Watch(box, command)
    log = box.path + ".trace"
    traced = is_traced(row, command, number, sweep)
    argv = tracing.wrapped(argv, log) if traced else argv
    stdout = open(command.stdout, "wb") if command.stdout else -1
    outcome = program.run(argv, environment, command.directory or box.at("desk"), row.get("seconds", 60), command.umask, command.limits,
                          stdout)
    problems = invariants.check_end(row, outcome) + watch.problems(outcome, command) + invariants.check_secrets(row, box, outcome)
    if traced:
        problems += tracing.problems(log, box, command)
        os.unlink(log)
    if command.then and not problems:
        problems += command.then(outcome)
    if outcome.kind == "ok" and command.files is not None:
        problems += invariants.check_files(box.at("desk", "out", "pytorch"), command.files) + invariants.check_verified(box, tools)
    return problems, outcome


def judge(row, number, tools, keep, sweep):
    box = Box(os.path.join(tools.root, "box-%04d" % number))
    outcome = None
    try:
        problems, outcome = run_case(row, number, box, tools, sweep)
        verdict = "red" if problems else "green"
    except CannotRun as why:
        verdict, problems = "not here", [str(why)]
    except Exception:  # a defect of the harness must be as loud as one of the program
        verdict, problems = "red", [traceback.format_exc()]
    if verdict != "red" or not keep:
        os.system("chmod -R u+rwX '%s' 2>/dev/null" % box.path)
        shutil.rmtree(box.path, ignore_errors=True)
    return row, verdict, problems, outcome


def show(row, verdict, problems, outcome, verbose):
    if verdict == "green" and not verbose:
        return
    seconds = "%.2f s" % outcome.seconds if outcome else "-"
    print("%-8s %-4s %s (%s)" % (verdict, row["of"], row["row"], seconds))
    for line in problems:
        print("         " + line)
    if outcome and (verdict == "red" or verbose):
        print("         stderr: " + outcome.err.decode("utf-8", "backslashreplace").strip()[:600].replace("\n", "\n                 "))


def summarize(results):
    counts = {}
    for row, verdict, _, _ in results:
        counts.setdefault(row["of"][0], {}).setdefault(verdict, []).append(row)
    for category, verdicts in sorted(counts.items()):
        print("%s: %s" % (category, ", ".join("%d %s" % (len(rows), verdict) for verdict, rows in sorted(verdicts.items()))))


def main():
    parser = argparse.ArgumentParser(description="run the table of hostile inputs")
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--torchpatch", default=os.environ.get("TORCHPATCH"), help="the program under test")
    parser.add_argument("--table", help="the rows of one kind, FILE's name; all by default")
    parser.add_argument("--repository", help="a bare repository, whose commits are in the table")
    parser.add_argument("--only", default="", help="rows whose name or number has this text")
    parser.add_argument("--category", default="", help="letters of reliability's categories")
    parser.add_argument("--sweep", action="store_true", help="the long rows as well, and each tree fetched from a git daemon too")
    parser.add_argument("--part", default=os.environ.get("GATE_PART", "1/1"), help="K/N: every Nth case only, from the Kth on")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="a directory in which red cases stay")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    first, step = map(int, options.part.split("/"))
    if not options.torchpatch:
        parser.error("name the program with --torchpatch or TORCHPATCH")

    note = enter_network_namespace()
    tables = [options.table] if options.table else sorted(glob.glob(os.path.join(here, "cases", "*.jsonl")))
    rows = commits.rows(options.repository, options.table) if options.repository else read_table(tables)
    rows = [row for row in rows if options.only in row["of"] + " " + row["row"] and row["of"][0] in (options.category or row["of"][0])]
    cases = list(expand(rows, options.sweep))[first - 1 :: step]
    root = options.keep or tempfile.mkdtemp()
    os.makedirs(root, exist_ok=True)
    tools = Tools(os.path.abspath(options.torchpatch), root)
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            futures = [pool.submit(judge, row, number, tools, options.keep, options.sweep) for number, row in enumerate(cases)]
            results = []
            for future in futures:
                results.append(future.result())
                show(*results[-1], options.verbose)
    finally:
        tools.close()
        if not options.keep:
            shutil.rmtree(root, ignore_errors=True)
    summarize(results)
    if not tracing.can_trace():
        print("NOT TRACED: no strace here, or a sanitizer, which cannot work under it")
    if step > 1:
        print("part %s of the cases only" % options.part)
    if note:
        print(note)
    left = len([row for row in rows if row.get("sweep")]) if not options.sweep else 0
    red = sum(verdict == "red" for _, verdict, _, _ in results)
    print("%d rows, %d cases, %d red%s" % (len(rows) - left, len(results), red, "; %d rows are of the sweep" % left if left else ""))
    sys.exit(1 if red or not results else 0)


if __name__ == "__main__":
    main()
