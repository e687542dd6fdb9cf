# SPDX-License-Identifier: BSD-3-Clause
"""The place where one case runs: everything that it may and may not touch, and what stands there."""
import hashlib
import os
import stat

PLACES = ("canary", "catalog", "home", "mirror", "outside", "tmp", "desk")


class Box:
    """OUT is desk/out; what a hostile path could reach from there has canaries."""

    def __init__(self, path):
        self.path = path
        for place in PLACES:
            os.makedirs(self.at(place))
            self.write(place + "/.canary", b"untouched " + place.encode())
        self.write("canary/target", b"a file that links point at\n")
        self.write("home/.gitconfig", b'[url "file:///nowhere/"]\n\tinsteadOf = https://\n[core]\n\tautocrlf = true\n')

    def at(self, *parts):
        return os.path.join(self.path, *parts)

    @property
    def out(self):
        return self.at("desk", "out")

    def write(self, path, data, mode=0o644):
        full = self.at(path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(data)
        os.chmod(full, mode)
        return full


def digest_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for part in iter(lambda: file.read(1 << 20), b""):
            digest.update(part)
    return digest.hexdigest()


def describe(path):
    """What of an entry must not change: type, mode, content; of a file also when it was written."""
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        return ("link", os.readlink(path))
    if stat.S_ISDIR(status.st_mode):
        return ("directory", oct(status.st_mode))
    if not stat.S_ISREG(status.st_mode):
        return ("special", oct(status.st_mode))
    return ("file", oct(status.st_mode), status.st_size, status.st_mtime_ns, digest_of(path))


def snapshot(root, leave_out=()):
    """Every entry below `root`, as path -> description; `leave_out` are paths relative to it."""
    found = {}
    for directory, names, files in os.walk(root):
        inside = os.path.relpath(directory, root)
        names[:] = [name for name in names if os.path.normpath(os.path.join(inside, name)) not in leave_out]
        for name in names + files:
            path = os.path.normpath(os.path.join(inside, name))
            if path not in leave_out:
                found[path] = describe(os.path.join(directory, name))
    return found


def differences(before, after):
    lines = ["%s is gone" % path for path in sorted(before.keys() - after.keys())]
    lines += ["%s is new" % path for path in sorted(after.keys() - before.keys())]
    lines += ["%s changed" % path for path in sorted(before.keys() & after.keys()) if before[path] != after[path]]
    return lines
