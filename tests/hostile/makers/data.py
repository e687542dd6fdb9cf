# SPDX-License-Identifier: BSD-3-Clause
"""E: one malformed data file in a layer that is otherwise sound."""
import json
import os
import pathlib

from catalog import VERSION, board, issue, patchset, prepare_arguments, write_json, write_release
from makers import Command
from makers.patches import patch_bytes
from objects import Repository
from values import as_bytes

PATCH = ["diff --git a/f b/f", "index 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222 100644",
         "--- a/f", "+++ b/f", "@@ -1 +1 @@", "-fine", "+patched"]
RESULT = {"schema": 1, "release": VERSION, "results": [{"plan": "1" * 64, "trees": {"torch": "1" * 40}}]}
MOVED = {"schema": 1, "moved": [{"from": "https://example.org/a.git", "to": ["https://example.org/b.git"], "note": "moved"}]}


def write_layer(box):
    """A release, a board, an issue with its patchset and certificate, a result and a table of moved repositories."""
    repository = Repository(box.at("mirror", "h.git"))
    commit = repository.commit(repository.tree([(b"100644", b"f", repository.blob(b"fine\n"))]))
    write_release(box, commit)
    write_json(box.at("catalog/boards/extra.json"), dict(board(), id="extra", title="Extra"))
    data = patch_bytes(PATCH)
    box.write("catalog/patchsets/made/0001.patch", data)
    rows = patchset("made", [("0001.patch", data, "torch")])
    write_json(box.at("catalog/patchsets/made/patchset.json"), rows)
    edge = {"commit": commit, "repository": "torch", "path": "f", "patch": rows["variants"][0]["patches"][0]["sha256"],
            "before": repository.blob(b"fine\n"), "after": repository.blob(b"patched\n")}
    write_json(box.at("catalog/patchsets/made/certificates", VERSION + ".json"),
               {"schema": 1, "patchset": "made", "release": VERSION, "edges": [edge]})
    fix = {"id": "made-fix", "kind": "patch", "summary": "Made", "patchset": "made"}
    box.write("catalog/known_issues/made.md", issue("made", fix).encode())
    write_json(box.at("catalog/results", VERSION + ".json"), RESULT)
    write_json(box.at("catalog/moved_repositories.json"), MOVED)


def set_value(value, path, new):
    """Puts `new` at a path of keys and indices; {"delete": true} takes it away."""
    for key in path[:-1]:
        value = value[key]
    if new == {"delete": True}:
        del value[path[-1]]
    else:
        value[path[-1]] = new


def change(box, file, give):
    """Returns the new bytes of a data file."""
    data = pathlib.Path(box.at("catalog", file)).read_bytes()
    if "bytes" in give:
        return as_bytes(give["bytes"])
    if "around" in give:
        before, after = give["around"]
        return as_bytes(before) + data + as_bytes(after)
    if "replace" in give:
        old, new = give["replace"]
        assert as_bytes(old) in data, old
        return data.replace(as_bytes(old), as_bytes(new), 1)
    if "encoding" in give:
        return data.decode().encode(give["encoding"])
    if "cut" in give:
        return data[:give["cut"]]
    value = json.loads(data)
    set_value(value, give["at"], give["value"])
    return json.dumps(value, indent=1).encode()


def every_end(box, file, step, tools):
    """Cuts the file at each byte in turn (or each `step`-th): none may be taken for whole."""

    def check(_):
        data = pathlib.Path(box.at("catalog", file)).read_bytes()
        lines = []
        for end in range(0, len(data.rstrip()), step):
            box.write("catalog/" + file, data[:end])
            outcome = tools.torchpatch_run(box, ["list", "releases", "--catalog", box.at("catalog")])
            if outcome.kind != "data" or os.path.basename(file) not in outcome.err.decode(errors="replace"):
                lines.append("cut after %d bytes: %s" % (end, outcome.kind))
        return lines

    return check


def every_type(box, file, tools):
    """Puts a value of each type in the place of every value: data error or taken for what it is, never more."""

    def paths(value, path):
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in items:
            yield path + [key]
            yield from paths(inner, path + [key])

    def check(_):
        text = pathlib.Path(box.at("catalog", file)).read_text()
        lines = []
        for path in list(paths(json.loads(text), [])):
            for new in (None, True, -1, 3.5, "", "\u0000", "../x", [], [[]], {}, 2 ** 63, {"delete": True}):
                value = json.loads(text)
                set_value(value, path, new)
                write_json(box.at("catalog", file), value)
                outcome = tools.torchpatch_run(box, ["list", "releases", "--catalog", box.at("catalog")])
                if outcome.kind not in ("data", "ok") or outcome.kind == "ok" and new in (3.5, "\u0000", 2 ** 63):
                    lines.append("%s = %r: %s" % (path, new, outcome.kind))
        return lines

    return check


def make(box, give, tools):
    write_layer(box)
    file = give["file"].replace("VERSION", VERSION)
    command = Command(["list", "releases", "--catalog", box.at("catalog")])
    if give.get("command") == "prepare":
        command = Command(prepare_arguments(box), {"f": ("100644", b"patched\n")})
    if "every end" in give:
        command.then = every_end(box, file, give["every end"], tools)
    elif "every type" in give:
        command.then = every_type(box, file, tools)
    elif "copy to" in give:
        box.write("catalog/" + give["copy to"], pathlib.Path(box.at("catalog", file)).read_bytes())
    elif "untouched" not in give:
        box.write("catalog/" + file, change(box, file, give))
    return command
