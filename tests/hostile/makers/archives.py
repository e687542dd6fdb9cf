# SPDX-License-Identifier: BSD-3-Clause
"""D: a release archive that nobody should make, beside a mirror that has the commit and its trees but no blob."""
import bz2
import gzip
import hashlib
import io
import lzma
import os
import struct
import zipfile
import zlib

from catalog import VERSION, prepare_arguments, release, write_json, write_release
from makers import Command, trees
from objects import Repository
from values import as_bytes

TREE = [["file", "a.txt", "fine\n"], ["exec", "run.sh", "#!/bin/sh\n"],
        ["dir", "sub", [["file", "in", "inside\n"], ["link", "l", "../a.txt"]]], ["file", "win.bat", "one\ntwo\n"]]

TYPES = {"file": b"0", "exec": b"0", "old file": b"\0", "hard": b"1", "link": b"2", "char": b"3", "block": b"4", "dir": b"5",
         "fifo": b"6", "contiguous": b"7", "pax": b"x", "global": b"g", "long name": b"L", "long link": b"K", "multivolume": b"M",
         "sparse": b"S", "dump": b"D", "unknown": b"Z"}
FIELDS = {"name": (0, 100), "mode": (100, 8), "size": (124, 12), "checksum": (148, 8), "type": (156, 1), "link": (157, 100),
          "magic": (257, 8), "sparse": (386, 100)}


def padded(data, size=512):
    return data + bytes(-len(data) % size)


def block(member):
    """A header of a tar by hand: `raw` replaces whole fields, the checksum included."""
    data = content(member)
    values = {"name": as_bytes(member["name"]), "mode": b"%07o" % member.get("mode", 0o755 if member["type"] == "exec" else 0o644),
              "size": b"%011o" % member.get("size", len(data)), "type": TYPES[member["type"]],
              "link": as_bytes(member.get("target", "")), "magic": b"ustar\00000", "checksum": b" " * 8}
    raw = {name: as_bytes(value) for name, value in member.get("raw", {}).items()}
    header = bytearray(512)
    for name, value in {**values, **raw}.items():
        start, length = FIELDS[name]
        header[start:start + length] = value[:length].ljust(length, b"\0")
    if "checksum" not in raw:
        header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def pax_records(records):
    """Records of a pax header; a value may be any bytes."""
    out = b""
    for key, value in records.items():
        body = b" " + key.encode() + b"=" + as_bytes(value) + b"\n"
        length = len(body) + 1
        while len(str(length)) + len(body) != length:
            length = len(str(length)) + len(body)
        out += str(length).encode() + body
    return out


def content(member):
    return pax_records(member["records"]) if "records" in member else as_bytes(member.get("data", ""))


def tar(members, end=1024):
    return b"".join(block(member) + padded(content(member)) for member in members) + bytes(end)


def zip_of(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for member in members:
            info = zipfile.ZipInfo("x")
            info.filename = os.fsdecode(as_bytes(member["name"]))
            kind = {"link": 0o120000, "dir": 0o040000, "fifo": 0o010000, "char": 0o020000}.get(member["type"], 0o100000)
            info.create_system = 3
            info.external_attr = (kind | member.get("mode", 0o755 if member["type"] == "exec" else 0o644)) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(info, as_bytes(member.get("target", "")) if member["type"] == "link" else content(member))
    return out.getvalue()


FORMATS = {"tar": tar, "tar.gz": lambda members: gzip.compress(tar(members), mtime=0), "tar.xz": lambda members: lzma.compress(tar(members)),
           "tar.bz2": lambda members: bz2.compress(tar(members)), "zip": zip_of,
           "tar.gz.gz": lambda members: gzip.compress(gzip.compress(tar(members))), "no end": lambda members: tar(members, 0),
           "one end block": lambda members: tar(members, 512)}


def honest(tree, prefix=""):
    """The members that `git archive` would write."""
    members = []
    for kind, name, what in tree:
        path = prefix + name
        if kind == "dir":
            members += [{"type": "dir", "name": path + "/", "mode": 0o755}, *honest(what, path + "/")]
        elif kind == "link":
            members.append({"type": "link", "name": path, "target": what, "mode": 0o777})
        else:
            members.append({"type": kind, "name": path, "data": what})
    return members


def gzip_of_repeated(start, part, count):
    """A gzip of `start` and `count` times `part`, built from one compressed block in a moment."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    head = deflate.compress(start) + deflate.flush(zlib.Z_FULL_FLUSH)
    once = deflate.compress(part) + deflate.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08" + bytes(7) + head + once * count + deflate.flush(zlib.Z_FINISH) + bytes(8)


def bomb(kind, size):
    if kind == "members":
        return gzip_of_repeated(b"", block({"type": "dir", "name": "h/d/"}), size)
    if kind == "xz":
        return lzma.compress(block({"type": "file", "name": "h/zeros", "size": size}) + bytes(size), preset=0)
    if kind == "zip":
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("h/zeros", bytes(size))
        return out.getvalue()
    return gzip_of_repeated(block({"type": "file", "name": "h/zeros", "size": size}), bytes(1 << 20), size >> 20)


def overlapping_zip(copies):
    """A central directory that names one member's data many times."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("h/0000000", bytes(1 << 20))
    data = out.getvalue()
    start, = struct.unpack("<I", data[-6:-2])
    row = data[start:-22]
    rows = b"".join(row.replace(b"h/0000000", b"h/%07d" % i) for i in range(copies))
    return data[:start] + rows + b"PK\5\6\0\0\0\0" + struct.pack("<HHIIH", copies, copies, len(rows), start, 0)


def made_bytes(give, box):
    if "bytes" in give:
        return as_bytes(give["bytes"])
    if "bomb" in give:
        return bomb(*give["bomb"])
    if "overlap" in give:
        return overlapping_zip(give["overlap"])
    top = give.get("top", "h-1.0/")
    members = [member for member in honest(TREE, top) if member["name"] not in [top + name for name in give.get("drop", [])]]
    for member in members:
        member.update(give.get("change", {}).get(member["name"][len(top):], {}))
    variables = {"box": box.path}
    more = [dict(member, **{key: as_bytes(member[key], variables).decode() for key in ("target",) if isinstance(member.get(key), str)})
            for member in give.get("add", []) for _ in range(member.get("times", 1))]
    return FORMATS[give.get("format", "tar")](give.get("first", []) + members + more)


def spoiled(data, give):
    """What happened to the archive on its way."""
    if "shape" in give:
        data = data[:int(give["shape"])]
    if "cut" in give:
        data = data[:give["cut"]]
    for place, value in give.get("put", []):
        place %= len(data)
        value = as_bytes(value)
        data = data[:place] + value + data[place + len(value):]
    return as_bytes(give.get("before", "")) + data * give.get("copies", 1) + as_bytes(give.get("after", ""))


def take_blobs_away(repository):
    for oid, (kind, _) in repository.known.items():
        if kind == "blob":
            os.unlink(repository.object_path(oid))


def in_place_of_file(box, what):
    path = box.at("outside", "h.tar")
    if what == "fifo":
        os.mkfifo(path)
    elif what == "directory":
        os.mkdir(path)
    elif what == "link":
        os.symlink("/dev/zero", path)
    return path


def write_content(box, root, data, changes):
    """Pins the release by the content of `data`: tree, constructed commit, and what the row puts in their place."""
    content = {"archive": "h.tar", "sha256": hashlib.sha256(data).hexdigest(), "tree": root}
    who = " torchpatch <content> 315532800 +0000\n"
    made = b"tree %s\nauthor%scommitter%s\nContent of h.tar, SHA-256 %s\n"
    made %= tuple(text.encode() for text in (root, who, who, content["sha256"]))
    content["commit"] = hashlib.sha1(b"commit %d\0" % len(made) + made).hexdigest()
    pinned = release(content["commit"])
    pinned["components"]["torch"]["content"] = dict(content, **changes)
    write_json(box.at("catalog", "releases", VERSION + ".json"), pinned)


def make(box, give, tools):
    repository = Repository(box.at("mirror", "h.git"))
    root = trees.make_tree(repository, TREE, box)
    commit = repository.commit(root)
    repository.branch("main", commit)
    write_release(box, commit)
    take_blobs_away(repository)
    if "content" in give:  # of the honest archive, or of the row's own
        changes = {key: commit if value == "upstream" else value for key, value in give["content"].items() if key != "own"}
        write_content(box, root, made_bytes(give if give["content"].get("own") else {}, box), changes)
    if "place" in give:
        path = in_place_of_file(box, give["place"])
    else:
        path = box.write("outside/" + give.get("name", "h.tar"), spoiled(made_bytes(give, box), give))
    argv = prepare_arguments(box, "--archive", give.get("argument", "torch=") + path, *give.get("options", []))
    files = repository.files(root)
    for name in give.get("partial", []):
        del files[name]
    return Command(argv, files=files)
