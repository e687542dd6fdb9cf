# SPDX-License-Identifier: BSD-3-Clause
"""G137: a store that somebody damaged or made up, alone, and beside one that is sound (which must then be enough)."""
import hashlib
import os
import pathlib
import re
import shutil
import struct
import zlib

from makers import faults, small_tree
from values import as_bytes

SECONDS = 15
BOMB = 1 << 31  # bytes that a small stream inflates to
WARNING = "warning: "


def deflate_zeros(size):
    """A zlib stream of `size` zeros, made from one block; its checksum is none."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    deflate.compress(b"")
    block = deflate.compress(bytes(1 << 20)) + deflate.flush(zlib.Z_FULL_FLUSH)
    return block * (size >> 20)


def loose(kind, data, what):
    """The file of a loose object, damaged."""
    raw = b"%s %d\0%s" % (kind, len(data), data)
    if what == "a size too small":
        raw = b"%s %d\0%s" % (kind, len(data) // 2, data * 200)
    elif what == "a size too large":
        raw = b"%s %d\0%s" % (kind, len(data) + 100000, data)
    elif what == "a size of 2^63":
        raw = b"%s 9223372036854775808\0%s" % (kind, data)
    elif what == "a negative size":
        raw = b"%s -1\0%s" % (kind, data)
    elif what == "no such type":
        raw = b"bogus %d\0%s" % (len(data), data)
    elif what == "another type":
        raw = b"%s %d\0%s" % (b"tag" if kind != b"tag" else b"blob", len(data), data)
    elif what == "other bytes":
        raw = b"%s %d\0%s" % (kind, len(data), b"x" * len(data))
    elif what == "no header":
        raw = b"\0" * 100
    packed = zlib.compress(raw)
    if what == "a checksum that is wrong":
        return packed[:-1] + bytes([packed[-1] ^ 1])
    if what == "no end":
        return packed[:-6]
    if what == "a stream without an end":
        header = zlib.compressobj(9, zlib.DEFLATED, -15)
        begin = header.compress(b"%s %d\0" % (kind, len(data))) + header.flush(zlib.Z_FULL_FLUSH)
        return b"\x78\x9c" + begin + deflate_zeros(BOMB)
    return packed


def damage_loose(repository, what, kinds):
    for path in map(pathlib.Path, faults.loose_paths(repository)):
        header, data = zlib.decompress(path.read_bytes()).split(b"\0", 1)
        kind = header.split(b" ")[0]
        if not kinds or kind.decode() in kinds:
            path.write_bytes(loose(kind, data, what))


def with_trailer(data):
    """A pack or an index ends with the digest of what stands before."""
    return data[:-20] + hashlib.sha1(data[:-20]).digest()


def damage_index(data, what):
    data = bytearray(data)
    count = struct.unpack(">I", data[8 + 255 * 4:8 + 1024])[0]
    offsets = 8 + 1024 + 24 * count
    if what == "a fan-out of 2^32-1":
        data[8:8 + 1024] = b"\xff" * 1024
    elif what == "a fan-out that descends":
        data[8:8 + 1024] = data[8:8 + 1024][::-1]
    elif what == "a last fan-out of 2^31":
        data[8 + 255 * 4:8 + 1024] = struct.pack(">I", 1 << 31)
    elif what == "offsets of 2^32-1":
        data[offsets:offsets + 4 * count] = b"\xff" * (4 * count)
    elif what == "offsets beyond the pack":
        data[offsets:offsets + 4 * count] = struct.pack(">I", 0x7ffffff0) * count
    elif what == "offsets that are all one":
        data[offsets:offsets + 4 * count] = data[offsets:offsets + 4] * count
    elif what == "ids in no order":
        data[8 + 1024:8 + 1024 + 20 * count] = data[8 + 1024:8 + 1024 + 20 * count][::-1]
    elif what == "version 3":
        data[4:8] = struct.pack(">I", 3)
    return with_trailer(bytes(data))


def damage_pack(data, what):
    data = bytearray(data)
    middle = len(data) // 2
    if what == "zeros":
        data[12:-20] = bytes(len(data) - 32)
    elif what == "200 zeros":
        data[middle:middle + 200] = bytes(min(200, len(data) - middle))
    elif what == "half":
        return bytes(data[:middle])
    elif what == "a count of 2^32-1":
        data[8:12] = b"\xff" * 4
    elif what == "version 9":
        data[4:8] = struct.pack(">I", 9)
    return with_trailer(bytes(data))


def put(box, path, what):
    """Puts something where a file of a repository is."""
    full = pathlib.Path(box.at("mirror/h.git", path))
    data = full.read_bytes() if full.is_file() else b""
    if os.path.isdir(full):
        os.rename(full, box.at("outside", "kept"))
    elif os.path.lexists(full):
        os.unlink(full)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    if what == "fifo":
        os.mkfifo(full)
    elif what == "link":
        box.write("outside/moved", data)
        os.symlink(box.at("outside", "kept" if os.path.exists(box.at("outside", "kept")) else "moved"), full)
    elif what == "link to zero":
        os.symlink("/dev/zero", full)
    elif what == "directory":
        os.mkdir(full)
    elif what != "gone":
        full.write_bytes(b"" if what == "empty" else as_bytes(what, {"box": box.path}))


def damage(box, give):
    repository = box.at("mirror", "h.git")
    if "loose" in give:
        damage_loose(repository, give["loose"], give.get("kinds"))
    if give.get("packed") or "index" in give or "pack" in give:
        paths = faults.repack(box)
        for ending, change in (("idx", damage_index), ("pack", damage_pack)):
            what = give.get({"idx": "index"}.get(ending, ending))
            if what in ("fifo", "link", "link to zero", "directory", "empty", "gone"):
                put(box, os.path.relpath(paths[ending], repository), what)
            elif what:
                path = pathlib.Path(paths[ending])
                path.chmod(0o644)
                path.write_bytes(change(path.read_bytes(), what))
    for path, what in give.get("put", {}).items():
        put(box, path, what)


def make(box, give, tools):
    command = small_tree.lay_out(box, tools)
    command.argv.remove("--quiet")
    if give.get("elsewhere"):
        shutil.copytree(box.at("mirror", "h.git"), box.at("mirror", "sound.git"))
    damage(box, give)

    def then(outcome):
        lines = ["took %.0f s" % outcome.seconds] if outcome.seconds > SECONDS else []
        text = outcome.err.decode(errors="replace")
        if outcome.kind == "source" and not give.get("is unseen") and not re.search("[0-9a-f]{2}/?[0-9a-f]{38}", text):
            lines.append("the message names no object")
        if outcome.kind == "ok" and give.get("warns") and WARNING not in text:
            lines.append("no warning")
        return lines

    command.then = then
    return command
