# SPDX-License-Identifier: BSD-3-Clause
"""Git objects made byte by byte, for git itself refuses to make most of these."""
import hashlib
import os
import zlib

MODES = {"file": b"100644", "exec": b"100755", "link": b"120000", "dir": b"40000", "gitlink": b"160000"}


class Repository:
    """A bare repository of loose objects, which remembers what it put in."""

    def __init__(self, path):
        self.path = path
        self.known = {}
        os.makedirs(os.path.join(path, "refs", "heads"))
        for name, text in (("HEAD", "ref: refs/heads/main\n"), ("config", "[core]\n\tbare = true\n")):
            with open(os.path.join(path, name), "w") as file:
                file.write(text)
        os.makedirs(os.path.join(path, "objects"))

    def object_path(self, oid):
        return os.path.join(self.path, "objects", oid[:2], oid[2:])

    def put(self, kind, data, lie=None):
        """Stores an object and returns its id, or stores it as `lie`, which is not its id."""
        raw = b"%s %d\0" % (kind.encode(), len(data)) + data
        oid = lie or hashlib.sha1(raw).hexdigest()
        path = self.object_path(oid)
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(zlib.compress(raw, 1))
        self.known[oid] = (kind, data)
        return oid

    def blob(self, data):
        return self.put("blob", data)

    def tree(self, entries):
        """`entries` as (mode, name, id), written in the order given."""
        return self.put("tree", b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries))

    def commit(self, tree, message="made", extra=""):
        text = "tree %s\n%sauthor a <a@example.org> 1500000000 +0000\ncommitter a <a@example.org> 1500000000 +0000\n\n%s\n"
        return self.put("commit", (text % (tree, extra, message)).encode())

    def branch(self, name, oid):
        with open(os.path.join(self.path, "refs", "heads", name), "w") as file:
            file.write(oid + "\n")

    def files(self, tree, prefix=""):
        """The files that a sane tree stands for, with those of its submodules: path -> (mode, bytes)."""
        result = {}
        data = self.known[tree][1]
        while data:
            head, data = data.split(b"\0", 1)
            mode, name = head.split(b" ", 1)
            oid, data = data[:20].hex(), data[20:]
            path = prefix + os.fsdecode(name)
            if mode in (b"40000", b"040000"):
                result.update(self.files(oid, path + "/"))
            elif mode == b"160000":
                result.update(self.files(self.known[oid][1][5:45].decode(), path + "/"))
            else:
                result[path] = (mode.decode(), self.known[oid][1])
        return result
