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


def make(objects, fault=None):
    """The pack of `objects` (kind, data), with what `fault` names wrong with it."""
    entries = [entry(kind, data) for kind, data in objects]
    if fault == "trailer":
        return pack(entries)[:-1] + b"!"
    if fault == "no trailer":
        return pack(entries)[:-20]
    if fault == "signature":
        return b"KCAP" + pack(entries)[4:]
    if fault == "version":
        return pack(entries, version=9)
    if fault == "count too large":
        return pack(entries, count=len(entries) + 1)
    if fault == "count too small":
        return pack(entries, count=len(entries) - 1)
    if fault == "count 4294967295":
        return pack(entries, count=0xFFFFFFFF)
    if fault == "no objects":
        return pack([])
    if fault == "missing delta base":
        return pack(entries + [delta_entry(NOBODY)])
    if fault == "delta cycle":
        return pack(entries + [delta_entry(NOBODY), delta_entry(b"\x22" * 20)])
    if fault == "delta of what comes later":
        return pack(entries + [head(OFFSET_DELTA, 4) + b"\x00" + zlib.compress(b"\x01\x01\x01x")])
    if fault == "type 5":
        return pack(entries + [head(5, 1) + zlib.compress(b"x")])
    if fault == "size too small":
        return pack(entries[:-1] + [head(KINDS["blob"], 1) + zlib.compress(b"much more")])
    if fault == "size too large":
        return pack(entries[:-1] + [head(KINDS["blob"], 1 << 40) + zlib.compress(b"less")])
    if fault == "no zlib":
        return pack(entries[:-1] + [head(KINDS["blob"], 4) + b"\xff" * 16])
    if fault == "without the commit":
        return pack(entries[1:])
    if fault == "without the tree":
        return pack([each for each, (kind, _) in zip(entries, objects) if kind != "tree"])
    if fault == "without a blob":
        return pack(entries[:-1])
    if fault == "another blob":
        return pack(entries[:-1] + [entry("blob", b"another\n")])
    if fault == "bomb":  # 64 MB a copy of 1 MB, which is zeros
        return pack(entries + [head(KINDS["blob"], 1 << 30) + zlib.compress(bytes(1 << 30), 1)])
    assert fault is None, fault
    return pack(entries)
