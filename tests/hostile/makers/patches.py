# SPDX-License-Identifier: BSD-3-Clause
"""C: a fix whose patches nobody should write, for one small repository."""
import os

from catalog import issue, patchset, prepare_arguments, write_json, write_release
from makers import Command
from makers.trees import make_tree
from objects import Repository
from values import as_bytes

HEADER = b"Description: Made\nOrigin: vendor, Example\nBug: https://example.org/1\nForwarded: no\nLast-Update: 2026-11-21\n" \
         b"SPDX-License-Identifier: BSD-3-Clause\n\n"
MODULES = '[submodule "sub"]\n\tpath = sub\n\turl = https://example.org/hostile/sub.git\n'
NUMBERED = "".join("line %d\n" % number for number in range(1, 41))

BASE = [
    ["file", ".gitmodules", MODULES],
    ["file", "a.txt", NUMBERED],
    ["file", "bin", {"hex": bytes(range(256)).hex()}],
    ["file", "crlf.txt", "one\r\ntwo\r\nthree\r\n"],
    ["dir", "dir", [["file", "b.txt", "b 1\nb 2\nb 3\n"], ["link", "up", "../a.txt"]]],
    ["file", "empty", ""],
    ["link", "l", "dir"],
    ["file", "noeol", "one\ntwo"],
    ["exec", "run.sh", "#!/bin/sh\n"],
    ["file", "same.txt", "x\n" * 60],
    ["gitlink", "sub", {"commit": [["file", "in", "inside\n"]]}],
]


def patch_bytes(value):
    """A list is lines; {"lines": …, "raw": true} goes without the header that every patch of a catalog has."""
    if isinstance(value, list):
        return HEADER + "".join(line + "\n" for line in value).encode()
    if "lines" in value:
        return patch_bytes(value["lines"])[len(HEADER) if value.get("raw") else 0:]
    if "rows" in value:
        return HEADER + many_hunks(**value["rows"])
    return HEADER + as_bytes(value)


def many_hunks(files, hunks):
    """A patch that creates files, and one with as many hunks as asked for, which fits nothing."""
    text = "".join("diff --git a/new{0} b/new{0}\nnew file mode 100644\nindex {1}..{2}\n--- /dev/null\n+++ b/new{0}\n@@ -0,0 +1 @@\n+x\n"
                   .format(number, "0" * 40, "587be6b4c3f93f93c489c0111bba5596147a26cb") for number in range(files))
    if hunks:
        text += "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n"
        text += "".join("@@ -{0},3 +{0},3 @@\n c\n-a\n+b\n c\n".format(1 + 4 * number) for number in range(hunks))
    return text.encode()


def expected(files, after):
    """What the tree has after the patches: path -> null (gone), text, or {"mode", "bytes", "line": {number: text}}."""
    before, files = files, dict(files)
    for path, what in after.items():
        if what is None:
            del files[path]
            continue
        mode, data = files.get(path, ("100644", b""))
        if isinstance(what, str) or "hex" in what or "times" in what:
            files[path] = (mode, as_bytes(what))
            continue
        if "as" in what:
            mode, data = before[what["as"]]
        if "bytes" in what:
            data = as_bytes(what["bytes"])
        if "line" in what:
            lines = data.decode().splitlines(True)
            for number, text in what["line"].items():
                lines[int(number) - 1] = text
            data = "".join(lines).encode()
        files[path] = (what.get("mode", mode), data)
    return files


def place(box, path, data, kind):
    """Puts a patch file there, or what stands in its place."""
    full = box.at(path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    if kind == "link":
        box.write("outside/real.patch", data)
        os.symlink(box.at("outside/real.patch"), full)
    elif kind == "link to zero":
        os.symlink("/dev/zero", full)
    elif kind == "fifo":
        os.mkfifo(full)
    elif kind == "directory":
        os.mkdir(full)
    elif kind == "absent":
        pass
    elif kind == "changed":
        box.write(path, data + b"\n")
    else:
        box.write(path, data)


def make(box, give, tools):
    repository = Repository(box.at("mirror", "h.git"))
    root = make_tree(repository, give.get("base", BASE), box)
    write_release(box, repository.commit(root))
    patches = [("%04d.patch" % (number + 1), patch_bytes(value), give.get("repository", "torch"))
               for number, value in enumerate(give["patches"])]
    for file, data, _ in patches:
        place(box, "catalog/patchsets/made/" + file, data, give.get("in its place"))
    rows = patchset("made", patches)
    for key, value in give.get("row", {}).items():
        rows["variants"][0]["patches"][0][key] = value
    write_json(box.at("catalog/patchsets/made/patchset.json"), rows)
    fix = {"id": "made-fix", "kind": "patch", "summary": "Made", "patchset": "made"}
    box.write("catalog/known_issues/made.md", issue("made", fix).encode())
    files = expected(repository.files(root), give["after"]) if "after" in give else None
    return Command(prepare_arguments(box, "--allow-uncertified"), files=files)
