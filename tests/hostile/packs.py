# SPDX-License-Identifier: BSD-3-Clause
"""Packs made byte by byte: sound ones, and ones that no git would send."""
import hashlib
import struct
import zlib

KINDS = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
OFFSET_DELTA, REFERENCE_DELTA = 6, 7
NOBODY = b"\x11" * 20


def head(kind, size):
    """The type and the size of an entry, seven bits a byte after the first four."""
    byte, size = kind << 4 | size & 15, size >> 4
    out = bytearray()
    while size:
        out.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    return bytes(out + bytes([byte]))


def entry(kind, data):
    return head(KINDS[kind], len(data)) + zlib.compress(data)


def delta_entry(base):
    """Inserts one byte; whatever the base is, it is said to have one byte."""
    delta = b"\x01\x01\x01x"
    return head(REFERENCE_DELTA, len(delta)) + base + zlib.compress(delta)


def pack(entries, version=2, count=None):
    body = b"PACK" + struct.pack(">II", version, len(entries) if count is None else count) + b"".join(entries)
    return body + hashlib.sha1(body).digest()


FAULTS = {
    None: lambda entries, objects: pack(entries),
    "trailer": lambda entries, objects: pack(entries)[:-1] + b"!",
    "no trailer": lambda entries, objects: pack(entries)[:-20],
    "signature": lambda entries, objects: b"KCAP" + pack(entries)[4:],
    "version": lambda entries, objects: pack(entries, version=9),
    "count too large": lambda entries, objects: pack(entries, count=len(entries) + 1),
    "count too small": lambda entries, objects: pack(entries, count=len(entries) - 1),
    "count 4294967295": lambda entries, objects: pack(entries, count=0xFFFFFFFF),
    "no objects": lambda entries, objects: pack([]),
    "missing delta base": lambda entries, objects: pack([*entries, delta_entry(NOBODY)]),
    "delta cycle": lambda entries, objects: pack([*entries, delta_entry(NOBODY), delta_entry(b"\x22" * 20)]),
    "delta of what comes later": lambda entries, objects: pack(
        [*entries, head(OFFSET_DELTA, 4) + b"\x00" + zlib.compress(b"\x01\x01\x01x")]),
    "type 5": lambda entries, objects: pack([*entries, head(5, 1) + zlib.compress(b"x")]),
    "size too small": lambda entries, objects: pack([*entries[:-1], head(KINDS["blob"], 1) + zlib.compress(b"much more")]),
    "size too large": lambda entries, objects: pack([*entries[:-1], head(KINDS["blob"], 1 << 40) + zlib.compress(b"less")]),
    "no zlib": lambda entries, objects: pack([*entries[:-1], head(KINDS["blob"], 4) + b"\xff" * 16]),
    "without the commit": lambda entries, objects: pack(entries[1:]),
    "without the tree": lambda entries, objects: pack([each for each, (kind, _) in zip(entries, objects) if kind != "tree"]),
    "without a blob": lambda entries, objects: pack(entries[:-1]),
    "another blob": lambda entries, objects: pack([*entries[:-1], entry("blob", b"another\n")]),
    # 64 MB a copy of 1 MB, which is zeros
    "bomb": lambda entries, objects: pack([*entries, head(KINDS["blob"], 1 << 30) + zlib.compress(bytes(1 << 30), 1)]),
}


def make(objects, fault=None):
    """The pack of `objects` (kind, data), with what `fault` names wrong with it."""
    return FAULTS[fault]([entry(kind, data) for kind, data in objects], objects)
