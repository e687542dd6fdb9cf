# SPDX-License-Identifier: BSD-3-Clause
"""A small catalog for a case: one release whose pin is the case's commit, one board, and what the case adds."""
import hashlib
import json
import os

VERSION, BOARD = "9.0.0", "bench"
URL = "https://example.org/hostile/torch.git"


def release(commit, url=URL):
    return {"schema": 1, "version": VERSION, "date": "2026-11-21", "python": ["3.11"],
            "components": {"torch": {"url": url, "tag": "v9.0.0", "version": VERSION, "commit": commit}},
            "build_tools": {"cmake": "<4"},
            "sources": [{"keys": ["python", "components", "build_tools"], "source": "made up", "verified": False}]}


def board():
    return {"schema": 1, "id": BOARD, "title": "Bench", "arch": "aarch64", "cpu_flags": "-O1", "memory_mib": 1024,
            "images": [{"id": "one", "title": "One", "os": "debian-12", "glibc": "2.36", "gcc": "12.2", "python": ["3.11"]}],
            "default_images": [{"releases": "*", "image": "one"}],
            "sources": [{"keys": ["memory_mib", "images"], "source": "made up", "verified": False}]}


def issue(name, fix, sections=None, title=None):
    """An issue page that holds for every plan; `fix` is its one fix."""
    metadata = {"schema": 1, "id": name, "severity": "runtime-failure", "releases": ["*"], "when": {}, "symptoms": ["it fails"],
                "links": ["https://example.org/1"], "seeds": [], "fixes": [fix]}
    texts = dict({"Symptom": "Text.", "Cause": "Text.", "Fix": "Text.", "How to verify": "Text."}, **(sections or {}))
    body = "".join("\n## %s\n\n%s\n" % item for item in texts.items())
    return "# %s\n\n```json\n%s\n```\n%s" % (title or "Issue " + name, json.dumps(metadata, indent=1), body)


def patchset(name, patches):
    """patchset.json; `patches` as (file, bytes, repository)."""
    rows = [{"file": file, "sha256": hashlib.sha256(data).hexdigest(), "repository": repository} for file, data, repository in patches]
    return {"schema": 1, "id": name, "summary": "Made", "variants": [{"id": "V1", "releases": "*", "patches": rows}]}


def write_json(path, value):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        json.dump(value, file, indent=1)
        file.write("\n")


def write_base(path):
    """The catalog below every layer: a board and no release."""
    os.makedirs(path + "/releases")
    write_json("%s/boards/%s.json" % (path, BOARD), board())


def write_release(box, commit, url=URL):
    write_json(box.at("catalog", "releases", VERSION + ".json"), release(commit, url))


def write_moved(box, place, urls=(URL,)):
    """Lets what is recorded at `urls` be fetched from `place`."""
    write_json(box.at("catalog", "moved_repositories.json"), {"schema": 1, "moved": [{"from": url, "to": [place]} for url in urls]})


def prepare_arguments(box, *more):
    return ["prepare", "--version", VERSION, "--board", BOARD, "--catalog", box.at("catalog"), "--mirror", box.at("mirror"),
            "--output", box.out, "--jobs", "1", "--quiet", *more]


def without_mirror(argv):
    """Those arguments, for a run that has the cache and the network alone."""
    at = argv.index("--mirror")
    return argv[:at] + argv[at + 2:]
