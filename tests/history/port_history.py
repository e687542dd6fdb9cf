#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows `torchpatch release add` and `torchpatch port` on the history of the catalog.

For each release the catalog is made as it would have been at the release before; release add and port run on that, and
what port makes is compared, blob by blob, with what port_steps.tsv says was shipped. Exit code 1 where fewer steps than
--least are equal, one is automatic and not what is shipped without a gate, or a conflict names no commit of upstream.

port_history.py --mirror DIR [--torchpatch PROGRAM] [--release VERSION]... [--least N]
port_history.py --mirror DIR --direction old | --any       each step backwards, or from any variant to any other
port_history.py --mirror DIR --forward VERSION...          as if these had just come out: results, times, lines to read
port_history.py --mirror DIR --newest [N]                  the newest commits of N copies of PyTorch, as pre-releases
port_history.py --mirror DIR --list [--catalog DIR]        the steps of a catalog: how port_steps.tsv was written
"""
import argparse
import collections
import concurrent.futures
import json
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import carry  # noqa: E402
import newest  # noqa: E402
import old_catalog  # noqa: E402
import pinned  # noqa: E402
import steps  # noqa: E402
import versions  # noqa: E402


LONGEST = 300  # seconds that a new release may take a machine
SCREEN = 30  # lines that a command may say without --all


class History:
    """What the modes share: the catalog, its sources, the program, and a place to work."""

    def __init__(self, options, work):
        self.catalog, self.work, self.jobs = options.catalog, work, options.jobs
        self.mirror = pinned.Mirror(options.mirror)
        self.program = carry.Program(os.path.realpath(options.torchpatch), os.path.abspath(options.mirror), self.mirror)
        self.walk = steps.Walk(self.catalog, self.mirror)
        self.releases = self.walk.releases

    def place(self):
        return tempfile.mkdtemp(dir=self.work)

    def with_sources(self):
        return [each for each in self.releases if self.mirror.resolve(self.releases[each], "torch")]

    def like(self, version):
        """The newest release before one that has sources."""
        return [each for each in self.with_sources() if versions.key(each) < versions.key(version)][-1]

    def begin(self, version, release, words=False):
        """The catalog before a release, and then that release added: (directory, the run)."""
        data = old_catalog.before(self.catalog, version.partition("-")[0], self.place())
        return data, self.program.add_release(data, version, release, self.like(version), words)

    def shipped(self, patchset, version, repository):
        """What the catalog ships for a release: {path: blob}, or nothing where it has no variant for it."""
        variants = old_catalog.read_json("%s/patchsets/%s/patchset.json" % (self.catalog, patchset))["variants"]
        held = [each for each in variants if versions.holds(each["releases"], version) and old_catalog.patches_of(each)]
        return steps.blobs_of(self.catalog, self.mirror, patchset, held[0], self.releases[version], repository) if held else {}

    def each(self, function, items):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(function, items))


def outcome_of(history, data, entry, step, asked):
    version = step.release
    found = carry.judge(data, history.mirror, entry, version, step.repository, step.blobs)
    return {"step": step._asdict(), "entry": entry, "asked": asked, **found}


def beside(history, data, entries, version, listed):
    """Outcomes of what port carried beside the list, against what the catalog ships."""
    for entry in entries:
        if entry["id"] not in listed:
            variant = steps.variant_of(data, entry["id"], entry.get("variant") or entry["from"])
            for repository in sorted(steps.repositories_of(variant)):
                blobs = history.shipped(entry["id"], version, repository)
                step = steps.Step(entry["id"], entry["from"], "", "", version, repository, blobs)
                yield outcome_of(history, data, entry, step, False)


def go_through(history, version, rows):
    """One release: {release, seconds, outcomes of the listed steps, others}."""
    try:
        data, added = history.begin(version, history.releases[version])
        run = history.program.port(data, version)
        entries = run.patchsets()
    except carry.Failed as error:
        return {"release": version, "add": 0, "port": 0, "error": str(error), "steps": [], "others": []}
    of = {each["id"]: each for each in entries}
    outcomes = []
    for step in rows:
        entry = of.get(step.patchset) or history.program.port_of(data, version, step.patchset, step.a)
        outcomes.append(outcome_of(history, data, entry, step, step.patchset not in of))
    others = list(beside(history, data, entries, version, {step.patchset for step in rows}))
    shutil.rmtree(data)
    return {"release": version, "add": added.seconds, "port": run.seconds, "steps": outcomes, "others": others}


def turn(history, step):
    """One step of a patchset whose other variants there never were."""
    data = old_catalog.copy(history.catalog, history.place())
    old_catalog.alone(data, step.patchset, step.a)
    begin = time.monotonic()
    entry = history.program.port_of(data, step.release, step.patchset, step.a)
    seconds = time.monotonic() - begin
    outcome = outcome_of(history, data, entry, step, True)
    shutil.rmtree(data)
    return {**outcome, "seconds": seconds}


def come_out(history, version, release, name=""):
    """A release as if it had just come out, once in words and once in JSON: what a person gets, and what becomes of each patchset."""
    about = {"release": version, "name": name or version, "commit": release["components"]["torch"]["commit"]}
    try:
        data, read = history.begin(version, release, words=True)
        said = history.program.port(data, version, words=True)
        data, added = history.begin(version, release)
        run = history.program.port(data, version)
        return {**about, "add": added.seconds, "port": run.seconds, "lines": [read.lines(), said.lines()], "patchsets": run.patchsets()}
    except carry.Failed as error:
        return {**about, "error": str(error)}


def table(head, rows):
    """Lines of Markdown."""
    def line(cells):
        return "| %s |" % " | ".join(str(each).replace("|", "\\|") for each in cells)
    return [line(head), "|" + "---|" * len(head), *map(line, rows)]


def left(outcome):
    """What a person has to do, in a cell of the table."""
    entry, commits = outcome["entry"], []
    for conflict in entry["conflicts"]:
        commits.append("%s: %s, %s" % (conflict["path"], conflict["kind"], conflict["commit"]["id"][:10] if conflict["commit"] else "no commit"))
    gates = [each["message"] + (", " + each["commit"]["id"][:10] if each["commit"] else "") for each in carry.gates_of(entry)]
    files = ["not shipped so: " + ", ".join(outcome["files"])] if outcome["verdict"] == "other" else []
    return "; ".join(files + commits + gates + ([outcome["why"]] if outcome["why"] else []))


def step_rows(outcomes):
    for each in outcomes:
        step = each["step"]
        carried = "%s → %s" % (step["a"], step["b"]) if step["b"] else step["a"]
        asked = " (asked for)" if each["asked"] else ""
        yield (step["release"], step["patchset"], carried, each["entry"]["result"] + asked, each["verdict"], left(each))


def counts(outcomes):
    found = collections.Counter(each["verdict"] for each in outcomes)
    return "%d: %s" % (len(outcomes), ", ".join("%d %s" % (found[each], each) for each in carry.VERDICTS if found[each]))


STEP_HEAD = ("release", "patchset", "variants", "port's result", "blobs", "left to do")


def show_history(results, least):
    """Prints the tables; returns what is wrong."""
    outcomes = [each for result in results for each in result["steps"]]
    others = [each for result in results for each in result["others"]]
    print("\n".join(table(STEP_HEAD, step_rows(outcomes))))
    print("\nSteps, %s. Beside them what was shipped without a new variant, %s.\n" % (counts(outcomes), counts(others)))
    rows = [(each["release"], "%.1f s" % each["add"], "%.1f s" % each["port"], counts(each["steps"]), counts(each["others"])) for each in results]
    print("\n".join(table(("release", "release add", "port", "steps", "beside them"), rows)))
    differing = [each for each in others if each["verdict"] != "equal"]
    if differing:
        print("\n" + "\n".join(table(STEP_HEAD, step_rows(differing))))
    problems = ["%s: %s" % (each["release"], each["error"]) for each in results if "error" in each]
    equal = sum(each["verdict"] == "equal" for each in outcomes)
    if equal < least:
        problems.append("%d steps are equal, and %d have to be" % (equal, least))
    return problems + ["%s: nothing says that a person has to look (%s)" % (" ".join(list(step_rows([each]))[0][:3]), each["verdict"])
                       for each in outcomes if carry.is_let_through(each)]


def show_turns(outcomes, is_short):
    """Prints a row for each step, or for each patchset and each step that is automatic and not what is shipped."""
    if is_short:
        of = collections.defaultdict(list)
        for each in outcomes:
            of[each["step"]["patchset"]].append(each)
        print("\n".join(table(("patchset", "steps"), [(patchset, counts(each)) for patchset, each in of.items()])) + "\n")
    shown = [each for each in outcomes if each["verdict"] in ("other", "error") or not is_short]
    print("\n".join(table(STEP_HEAD, step_rows(shown))))
    seconds = [each["seconds"] for each in outcomes]
    print("\nSteps, %s; %.1f s each, %.1f s at most." % (counts(outcomes), sum(seconds) / max(len(seconds), 1), max(seconds, default=0)))
    automatic = collections.Counter(each["entry"]["result"] for each in outcomes)
    print("port's results: %s." % ", ".join("%d %s" % (count, word) for word, count in automatic.most_common()))
    return [each["why"] for each in outcomes if each["verdict"] == "error"]


def show_forward(results):
    rows = []
    for each in results:
        if "error" in each:
            continue
        of = collections.defaultdict(list)
        for entry in each["patchsets"]:
            of[entry["result"]].append(entry["id"])
        by_hand = [entry["id"] for entry in each["patchsets"] if entry["result"] == "conflict" or carry.gates_of(entry)]
        rows.append((each["name"], each["commit"][:10], "; ".join("%s: %s" % (word, ", ".join(of[word])) for word in sorted(of)),
                     ", ".join(by_hand), "%.1f s" % each["add"], "%.1f s" % each["port"], "%d + %d" % tuple(each["lines"])))
    print("\n".join(table(("release", "commit", "patchsets", "left to a person", "release add", "port", "lines"), rows)))
    slow = ["%s: longer than %d s" % (each["name"], LONGEST) for each in results if each.get("add", 0) + each.get("port", 0) > LONGEST]
    long = ["%s: more than %d lines" % (each["name"], SCREEN) for each in results if max(each.get("lines", [0])) > SCREEN]
    return slow + long + ["%s: %s" % (each["name"], each["error"]) for each in results if "error" in each]


def history_mode(history, options):
    listed = steps.read(HERE + "/port_steps.tsv")
    wanted = options.release or [each for each in history.with_sources() if versions.key(each) > versions.key(history.with_sources()[0])]
    results = history.each(lambda version: go_through(history, version, [step for step in listed if step.release == version]), wanted)
    return results, show_history(results, 0 if options.release else options.least)


def turn_mode(history, options):
    pairs = steps.any_other if options.any else steps.older
    only = [each for each in history.walk.steps(pairs) if not options.patchset or each.patchset in options.patchset]
    results = history.each(lambda step: turn(history, step), only)
    return results, show_turns(results, options.any)


def forward_mode(history, options):
    results = history.each(lambda version: come_out(history, version, history.releases[version]), options.forward)
    return results, show_forward(results)


def newest_mode(history, options):
    found = newest.commits(history.mirror, history.releases["1.10.2"], options.newest)
    results = history.each(lambda each: come_out(history, each.version, newest.release(each), each.version + " of " + each.copy), found)
    return results, show_forward(results)


def main():
    parser = argparse.ArgumentParser(description="show release add and port on the history of the catalog")
    parser.add_argument("--mirror", required=True, help="folder of git repositories")
    parser.add_argument("--torchpatch", default=CHECKOUT + "/build/bin/torchpatch")
    parser.add_argument("--catalog", default=CHECKOUT, help="what is shipped; default: the checkout")
    parser.add_argument("--release", action="append", help="only this one; may be repeated")
    parser.add_argument("--patchset", action="append", help="with --direction old and --any: only this one; may be repeated")
    parser.add_argument("--least", type=int, default=28, help="steps that have to be equal; default: 28")
    parser.add_argument("--direction", choices=("new", "old"), default="new")
    parser.add_argument("--any", action="store_true", help="from any variant to any other")
    parser.add_argument("--forward", nargs="+", metavar="VERSION")
    parser.add_argument("--newest", nargs="?", type=int, const=5, metavar="N")
    parser.add_argument("--list", action="store_true", help="print the steps of the catalog")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        history = History(options, work)
        if options.list:
            steps.write(history.walk.steps(steps.newer), sys.stdout)
            return 0
        mode = newest_mode if options.newest else forward_mode if options.forward else history_mode
        mode = turn_mode if options.any or options.direction == "old" else mode
        results, problems = mode(history, options)
    if options.json:
        old_catalog.write_json(options.json, {"schema": 1, "results": results, "problems": problems})
    if problems:
        print("\n" + "\n".join("FAILED: " + each for each in problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
