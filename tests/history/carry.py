# SPDX-License-Identifier: BSD-3-Clause
"""Runs release add and port on a catalog of its own, and compares what they make with what a catalog ships."""
import glob
import json
import os
import subprocess
import tempfile
import time

import old_catalog
import steps
import versions

VERDICTS = ("equal", "other", "not shipped", "conflict", "error")


class Failed(Exception):
    """A run that ended with an error: its command and what it said."""


class Run:
    """What a command printed, and the seconds that it took."""

    def __init__(self, done, seconds):
        self.text, self.errors, self.seconds = done.stdout, done.stderr, seconds

    def patchsets(self):
        """What port says of each patchset."""
        try:
            return json.loads(self.text)["patchsets"]
        except ValueError:
            raise Failed("port: no JSON: " + self.errors.strip()[-400:])

    def lines(self):
        return len(self.text.splitlines())


class Program:
    """torchpatch, which reads from a folder of repositories; `sources` is that as git has it."""

    def __init__(self, path, mirror, sources):
        self.path, self.mirror, self.sources = path, mirror, sources

    def run(self, data, *arguments, ends=(0,)):
        """Runs a command on the catalog of a directory, which it also writes into."""
        command = [self.path, *arguments, "--mirror", self.mirror, "--quiet"]
        variables = dict(os.environ, TORCHPATCH_DATA=data, SOURCE_DATE_EPOCH="1795000000", COLUMNS="100")
        begin = time.monotonic()
        done = subprocess.run(command, env=variables, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode not in ends:
            raise Failed("%s: exit %d: %s" % (" ".join(arguments[:3]), done.returncode, (done.stderr or done.stdout).strip()[:400]))
        return Run(done, time.monotonic() - begin)

    def add_release(self, data, version, release, like, words=False):
        """Adds a release with the pins of one that is shipped, but for a companion that no release had before or whose sources lack."""
        torch = release["components"]["torch"]
        known = {name for path in glob.glob(data + "/releases/*.json") for name in old_catalog.read_json(path)["components"]}
        arguments = ["--commit", torch["commit"], "--tag", torch["tag"], "--like", like, "--into", data]
        for name in ("vision", "audio"):
            component = release["components"].get(name)
            is_there = component and name in known and self.sources.holder(component["commit"])
            arguments += ["--" + name, component["version"] + "=" + component["commit"] if is_there else "none"]
        return self.run(data, "release", "add", version, *arguments, *([] if words else ["--json"]))

    def port(self, data, version, *arguments, words=False):
        with tempfile.TemporaryDirectory() as work:
            options = ["--keep-going", "--work", work + "/port", *([] if words else ["--json"])]
            return self.run(data, "port", version, *arguments, *options, ends=(0, 1))

    def port_of(self, data, version, patchset, variant):
        """What port says of one patchset that it is asked for: {id, result, …}, or the error."""
        error = "port: says nothing of it"
        try:
            for entry in self.port(data, version, patchset, "--from", variant).patchsets():
                if entry["id"] == patchset:
                    return entry
        except Failed as failed:
            error = str(failed)
        return {"id": patchset, "from": variant, "result": "error", "variant": None, "conflicts": [], "error": error}


def certified(data, patchset, variant, version, repository):
    """{path: blob} of what the certificate of a release says that a variant makes."""
    path = "%s/patchsets/%s/certificates/%s.json" % (data, patchset, version)
    digests = {each["sha256"] for each in old_catalog.patches_of(variant)}
    edges = [each for each in old_catalog.read_json(path)["edges"]] if os.path.exists(path) else []
    edges = [each for each in edges if each["repository"] == repository and each["patch"] in digests]
    followed = {(each["path"], each["follows"]) for each in edges if "follows" in each}
    return {each["path"]: each["after"] or "-" for each in edges if (each["path"], each["patch"]) not in followed}


def carried_blobs(data, mirror, entry, version, repository):
    """What the variant that port names makes of the pinned files; a ValueError where its certificate says something else."""
    if entry["result"] not in ("widened", "ported"):
        return {}
    variant = steps.variant_of(data, entry["id"], entry["variant"])
    if not versions.holds(variant["releases"], version):
        raise ValueError("the range of %s, %s, does not hold %s" % (variant["id"], variant["releases"], version))
    release = old_catalog.read_json("%s/releases/%s.json" % (data, version))
    blobs = steps.blobs_of(data, mirror, entry["id"], variant, release, repository)
    if certified(data, entry["id"], variant, version, repository) != blobs:
        raise ValueError("the certificate says something else than git apply")
    return blobs


def gates_of(entry):
    return entry.get("gates", [])


def judge(data, mirror, entry, version, repository, shipped):
    """{verdict, files, why}: one of VERDICTS; the files that are not what is shipped, or in conflict; why it is an error."""
    if entry["result"] == "error":
        return {"verdict": "error", "files": [], "why": entry["error"]}
    if entry["result"] == "conflict":
        return {"verdict": "conflict", "files": sorted({each["path"] for each in entry["conflicts"]}), "why": ""}
    try:
        blobs = carried_blobs(data, mirror, entry, version, repository)
    except (ValueError, StopIteration) as error:
        return {"verdict": "error", "files": [], "why": str(error)}
    wrong = sorted(path for path in blobs.keys() | shipped.keys() if blobs.get(path) != shipped.get(path))
    return {"verdict": "equal" if not wrong else "other" if shipped else "not shipped", "files": wrong, "why": ""}


def is_let_through(outcome):
    """Whether nothing says that a person has to look: clean and wrong without a gate, a conflict without a commit, or an error."""
    verdict, entry = outcome["verdict"], outcome["entry"]
    if verdict == "conflict":
        to_blame = entry["conflicts"] or [gate for gate in gates_of(entry) if gate["wrong"]]
        return not any(each["commit"] for each in to_blame) or not all(each["commit"] for each in entry["conflicts"])
    return verdict == "error" or verdict == "other" and not gates_of(entry)
