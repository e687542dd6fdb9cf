# SPDX-License-Identifier: BSD-3-Clause
"""What holds whatever a case gives: reliability's I1 to I8."""
import os
import stat

from box import differences, snapshot
from program import IS_SANITIZED

MAX_RSS = 1 << 30


class Watch:
    """Looks at a box before a run and says afterwards what the run must not have done."""

    def __init__(self, box, command):
        self.box = box
        self.may_change = ["desk/out", "cache", "state", *command.may_change]
        self.before = snapshot(box.path, self.may_change)
        self.out_before = self.out()

    def out(self):
        if not os.path.lexists(self.box.out):
            return None
        if os.path.islink(self.box.out) or not os.path.isdir(self.box.out):
            return {"": os.lstat(self.box.out).st_mode}
        return snapshot(self.box.out)

    def problems(self, outcome, command):
        lines = ["outside of OUT: " + line for line in differences(self.before, snapshot(self.box.path, self.may_change))]
        if outcome.kind not in ("ok", "findings") and command.leaves_out_alone and self.out() != self.out_before:
            lines.append("OUT changed, though the run failed")
        return lines


def classes_of(row):
    return row["class"] if isinstance(row["class"], list) else [row["class"]]


def check_end(row, outcome):
    """How the program ended, and what it said."""
    lines, wanted = [], classes_of(row)
    if outcome.was_killed:
        lines.append("it did not end in time")
    elif outcome.kind not in wanted:
        lines.append("it ended as %s, not %s" % (outcome.kind, " or ".join(wanted)))
    if outcome.rss > MAX_RSS and not IS_SANITIZED:
        lines.append("it took %d MiB of memory" % (outcome.rss >> 20))
    text = outcome.err.decode("utf-8", "backslashreplace")
    if "Sanitizer" in text or "runtime error:" in text:
        lines.append("a sanitizer reported")
    if any(ord(letter) < 0x20 and letter != "\n" or 0x7F <= ord(letter) < 0xA0 for letter in text):
        lines.append("a control byte on stderr")
    if outcome.kind not in ("ok", "findings") and not outcome.signal:
        if not any(line.startswith("torchpatch: error: ") for line in text.split("\n")):
            lines.append("no error message")
        if outcome.out and not row.get("prints"):
            lines.append("a result on stdout, though the run failed")
    said = text + outcome.out.decode("utf-8", "backslashreplace") if row.get("prints") else text
    lines += ["the message has no %r" % needle for needle in row.get("says", []) if needle not in said]
    return lines


def check_secrets(row, box, outcome):
    """A secret must neither be printed nor kept."""
    lines = []
    kept = [os.path.join(directory, name) for place in ("state", "cache", "desk") for directory, _, names in os.walk(box.at(place))
            for name in names]
    for secret in row.get("secrets", []):
        if secret.encode() in outcome.err + outcome.out:
            lines.append("a secret was printed")
        for path in kept:
            with open(path, "rb") as file:
                if secret.encode() in file.read():
                    lines.append("a secret was kept in " + os.path.relpath(path, box.path))
    return lines


def check_files(root, files):
    """Compares what stands below `root` with path -> (mode, bytes), without the program's help."""
    found = {}
    for directory, names, leaves in os.walk(root):
        for name in leaves + [name for name in names if os.path.islink(os.path.join(directory, name))]:
            path = os.path.join(directory, name)
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                entry = ("120000", os.fsencode(os.readlink(path)))
            else:
                with open(path, "rb") as file:
                    entry = ({0o644: "100644", 0o755: "100755"}.get(stat.S_IMODE(status.st_mode), oct(status.st_mode)), file.read())
            found[os.path.relpath(path, root)] = entry
    return ["in OUT/pytorch: " + line for line in differences(files, found)]


def check_verified(box, tools):
    verified = tools.torchpatch_run(box, ["verify", box.out, "--catalog", box.at("catalog"), "--quiet"])
    return [] if verified.kind == "ok" else ["verify says: " + (verified.out + verified.err).decode(errors="replace")[:400]]
