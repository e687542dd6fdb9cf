# SPDX-License-Identifier: BSD-3-Clause
"""D and G138: bundles that are not what torchpatch writes; each is refused by `mirror unpack` and found by `mirror verify`."""
import hashlib
import json
import pathlib
import struct
import zlib

import packs
from catalog import VERSION, prepare_arguments
from makers import Command, small_tree
from makers.archives import padded

BLOCK = 512


def header_like(block, name=None, size=None, kind=None, target=None):
    """A ustar header with some fields of another's replaced."""
    fields = bytearray(block)

    def put(offset, width, value):
        fields[offset:offset + width] = value.ljust(width, b"\0")

    if name is not None:
        put(0, 100, name)
        put(345, 155, b"")
    if size is not None:
        put(124, 12, b"%011o" % size)
    if kind is not None:
        put(156, 1, kind)
    if target is not None:
        put(157, 100, target)
    put(148, 8, b" " * 8)
    put(148, 8, b"%06o\0 " % sum(fields))
    return bytes(fields)


def members_of(data):
    """The members of a sound bundle: (header, content)."""
    found, at = [], 0
    while data[at:at + 1] != b"\0":
        size = int(data[at + 124:at + 135], 8)
        found.append((data[at:at + BLOCK], data[at + BLOCK:at + BLOCK + size]))
        at += BLOCK + size + -size % BLOCK
    return found


def archive(members):
    body = b"".join(header + padded(content) for header, content in members) + b"\0" * 2 * BLOCK
    return body + b"\0" * (-len(body) % (20 * BLOCK))


def with_index(members, index):
    """The bundle with another index, whose digest fits it; `index` a value or bytes."""
    text = index if isinstance(index, bytes) else (json.dumps(index, indent=2) + "\n").encode()
    digest = b"%s  index.json\n" % hashlib.sha256(text).hexdigest().encode()
    return archive([(header_like(members[0][0], size=len(text)), text), (members[1][0], digest), *members[2:]])


def with_pack(members, pack, objects):
    """The bundle with another pack, of which the index is told."""
    index = json.loads(members[0][1])
    index["repositories"][0].update(size=len(pack), sha256=hashlib.sha256(pack).hexdigest(), objects=objects)
    return with_index([*members[:2], (header_like(members[2][0], size=len(pack)), pack)], index)


def entry(kind, content, declared=None):
    return packs.head(kind, len(content) if declared is None else declared) + zlib.compress(content, 9)


def more_entries(members, extra):
    """The pack with entries behind its own; returns pack and number of objects."""
    pack = members[2][1]
    count = struct.unpack(">I", pack[8:12])[0] + len(extra)
    body = pack[:8] + struct.pack(">I", count) + pack[12:-20] + b"".join(extra)
    return body + hashlib.sha1(body).digest(), count


def change_index(members, change):
    index = json.loads(members[0][1])
    change(index)
    return with_index(members, index)


def flipped(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


def links_in_place(members, kind, target=b"/etc/passwd"):
    return archive([*members[:2], (header_like(members[2][0], size=0, kind=kind, target=target), b"")])


CHANGES = {
    "nothing": lambda data, members: data,
    "truncated": lambda data, members: data[:len(data) // 2],
    "cut in its index": lambda data, members: data[:BLOCK + 100],
    "empty": lambda data, members: b"",
    "bytes behind its end": lambda data, members: data + b"junk",
    "zeros behind its end": lambda data, members: data + b"\0" * 10240,
    "two bundles": lambda data, members: data + data,
    "member ../x": lambda data, members: archive([*members[:2], (header_like(members[2][0], name=b"../x"), members[2][1])]),
    "member /x": lambda data, members: archive([*members[:2], (header_like(members[2][0], name=b"/x"), members[2][1])]),
    "a symbolic link": lambda data, members: links_in_place(members, b"2"),
    "a hard link": lambda data, members: links_in_place(members, b"1", b"index.json"),
    "a device": lambda data, members: links_in_place(members, b"3"),
    "a sparse file": lambda data, members: archive([*members[:2], (header_like(members[2][0], kind=b"S"), members[2][1])]),
    "a missing pack": lambda data, members: archive(members[:2]),
    "a second copy of a pack": lambda data, members: archive([*members, members[2]]),
    "an extra member": lambda data, members: archive([*members, (header_like(members[1][0], name=b"extra", size=0), b"")]),
    "members in another order": lambda data, members: archive([members[0], members[2], members[1]]),
    "no digest of the index": lambda data, members: archive([members[0], members[2]]),
    "a digest of another index": lambda data, members: archive([members[0], (members[1][0], b"0" + members[1][1][1:]), members[2]]),
    "a bit of the pack": lambda data, members: archive([*members[:2], (members[2][0], flipped(members[2][1], 30))]),
    "a bit of the checksum": lambda data, members: with_pack(members, flipped(members[2][1], -1 % len(members[2][1])),
                                                             json.loads(members[0][1])["repositories"][0]["objects"]),
    "an index that lies about a size": lambda data, members: change_index(members, lambda index: index["repositories"][0].update(size=9)),
    "an index that lies about 2^60 bytes": lambda data, members: change_index(
        members, lambda index: index["repositories"][0].update(size=2 ** 60)),
    "an index that lies about objects": lambda data, members: change_index(
        members, lambda index: index["repositories"][0].update(objects=1)),
    "an index of 4 GiB": lambda data, members: header_like(members[0][0], size=0o37777777777) + data[BLOCK:],
    "an index with a URL of a file": lambda data, members: change_index(
        members, lambda index: index["repositories"][0].update(url="file:///../../etc")),
    "an index of schema 2": lambda data, members: change_index(members, lambda index: index.update(schema=2)),
    "an index with another tree": lambda data, members: change_index(
        members, lambda index: index["repositories"][0]["commits"][0].update(tree="1" * 40)),
    "an index with another commit": lambda data, members: change_index(
        members, lambda index: index["repositories"][0]["commits"][0].update(commit="1" * 40)),
    "an index with another pin": lambda data, members: change_index(
        members, lambda index: index["closures"][0]["components"]["torch"].update(commit="1" * 40)),
    "an index with spaces": lambda data, members: with_index(members, members[0][1].replace(b'"schema": 1', b'"schema":  1')),
    "an index a thousand deep": lambda data, members: with_index(members, b"[" * 1000),
    "a pack of other objects": lambda data, members: with_pack(members, packs.pack([entry(3, b"x")]), 1),
    "a pack with an object too many": lambda data, members: with_pack(members, *more_entries(members, [entry(3, b"unneeded")])),
    "a pack with an object twice": lambda data, members: with_pack(members, *more_entries(members, [entry(3, b"x"), entry(3, b"x")])),
    "a pack with a delta": lambda data, members: with_pack(members, *more_entries(members, [entry(7, b"x")])),
    "a pack that counts 2^32-1 objects": lambda data, members: with_pack(
        members, packs.pack([entry(3, b"x")], count=2 ** 32 - 1), 2 ** 32 - 1),
    "a pack with a blob of 255 MiB that is none": lambda data, members: with_pack(
        members, *more_entries(members, [entry(3, b"x", 255 << 20)])),
    "a pack with a blob of 300 MiB": lambda data, members: with_pack(members, *more_entries(members, [entry(3, b"x", 300 << 20)])),
    "a bomb": lambda data, members: with_pack(members, *more_entries(
        members, [entry(3, b"%d" % n + b"\0" * (200 << 20)) for n in range(1)])),
}


def make(box, give, tools):
    small_tree.lay_out(box, tools)
    bundle = box.at("tmp", "good.tar")
    arguments = ["--version", VERSION, "--catalog", box.at("catalog"), "--mirror", box.at("mirror"), "--jobs", "1", "--quiet"]
    outcome = tools.torchpatch_run(box, ["mirror", "--bundle", bundle, *arguments])
    if outcome.kind != "ok":
        raise RuntimeError("mirror --bundle: " + outcome.err.decode(errors="replace"))
    if "in its place" in give:
        hostile = give["in its place"].replace("{box}", box.path)
    else:
        data = pathlib.Path(bundle).read_bytes()
        hostile = box.write("tmp/hostile.tar", CHANGES[give["change"]](data, members_of(data)))

    def found(outcome):
        verified = tools.torchpatch_run(box, ["mirror", "verify", hostile, "--catalog", box.at("catalog"), "--jobs", "1", "--quiet"])
        wanted = {"ok": "ok", "data": "findings"}.get(outcome.kind, outcome.kind)
        if verified.kind != wanted:
            return ["verify ended as %s, not %s: %s" % (verified.kind, wanted, verified.out.decode(errors="replace")[:200])]
        return prepared_from_it(box, tools) if outcome.kind == "ok" else []

    return Command(["mirror", "unpack", hostile, "--output", box.out, "--jobs", "1", "--quiet"], then=found)


def prepared_from_it(box, tools):
    """A sound one serves as a mirror."""
    argv = prepare_arguments(box, "--allow-uncertified")
    argv[argv.index("--mirror") + 1] = box.out
    argv[argv.index("--output") + 1] = box.at("desk", "prepared")
    outcome = tools.torchpatch_run(box, argv)
    return [] if outcome.kind == "ok" else ["prepare says: " + outcome.err.decode(errors="replace")]
