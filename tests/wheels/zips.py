#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Zips that programs read in different ways: `wheel check` refuses them, or judges what Python's zipfile and pip install.
zips.py [--seed N] [--count N]: the table, then COUNT zips drawn by the seed. GATE_PART=K/N: one Nth of them, by the seed K.
Needs TORCHPATCH and LIST_ZIP."""
import argparse
import base64
import hashlib
import io
import os
import random
import re
import stat
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

PROGRAM, LIST_ZIP = os.environ["TORCHPATCH"], os.environ["LIST_ZIP"]
NAME = "torch-1.8.1-py3-none-any.whl"
INFORMATION = "torch-1.8.1.dist-info"
METADATA = b"Metadata-Version: 2.1\nName: torch\nVersion: 1.8.1\n"
ENTRY_POINTS = INFORMATION + "/entry_points.txt"
TAG = b"Root-Is-Purelib: true\nTag: py3-none-any\n\n"
FULL = 0xFFFFFFFF


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def deflate(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


class Member:
    """A member, and what its header and its entry in the central directory have in place of the truth: HEADER[field],
    ENTRY[field]."""

    def __init__(self, name, data, method=8, **more):
        self.name, self.data, self.method = name if isinstance(name, bytes) else name.encode(), data, method
        self.flags = 0 if self.name.isascii() else 0x800
        self.raw = None  # in place of what the data are packed to
        self.extra = {"header": b"", "entry": b""}
        self.system, self.mode, self.dos, self.comment, self.version, self.disk = 3, 0o100644, 0, b"", 20, 0
        self.header, self.entry = {}, {}
        self.before, self.after, self.descriptor = b"", b"", None
        for key, value in more.items():
            setattr(self, key, value)

    def fields(self, changes):
        packed = self.packed()
        return {"name": self.name, "flags": self.flags, "method": self.method, "crc": zlib.crc32(self.data), "packed": len(packed),
                "size": len(self.data), **changes}

    def packed(self):
        if self.raw is not None:
            return self.raw
        return deflate(self.data) if self.method == 8 else self.data

    def local(self):
        f = self.fields({**({"crc": 0, "packed": 0, "size": 0} if self.flags & 8 else {}), **self.header})
        extra = self.extra["header"]
        after = self.after
        if self.flags & 8:
            form = self.descriptor or "<4s3I"
            values = [b"PK\7\10"] if "4s" in form else []
            after = struct.pack(form, *values, zlib.crc32(self.data), len(self.packed()), len(self.data)) + after
        return struct.pack("<4s5H3I2H", b"PK\3\4", self.version & 0xFFFF, f["flags"] & 0xFFFF, f["method"] & 0xFFFF, 0, 33, f["crc"] & FULL,
                           f["packed"] & FULL, f["size"] & FULL, len(f["name"]), len(extra)) + f["name"] + extra + self.packed() + after

    def central(self, offset):
        f = self.fields({"offset": offset, **self.entry})
        extra = self.extra["entry"]
        return struct.pack("<4s6H3I5H2I", b"PK\1\2", self.system << 8 | 20, self.version & 0xFFFF, f["flags"] & 0xFFFF, f["method"] & 0xFFFF, 0, 33,
                           f["crc"] & FULL, f["packed"] & FULL, f["size"] & FULL, len(f["name"]), len(extra), len(self.comment),
                           self.disk & 0xFFFF, 0, (self.mode << 16 | self.dos) & FULL, f["offset"] & FULL) + f["name"] + extra + self.comment


def end_record(count, size, offset, comment=b"", comment_size=None, here=None, disk=0):
    return struct.pack("<4s4H2IH", b"PK\5\6", disk & 0xFFFF, 0, (count if here is None else here) & 0xFFFF, count & 0xFFFF, size & FULL,
                       offset & FULL, (len(comment) if comment_size is None else comment_size) & 0xFFFF) + comment


def zip_of(members, comment=b"", before=b"", between=b"", after=b"", zip64=None, **end):
    """END: fields of the end record in place of the truth. zip64: those of the one of Zip64, or {}; None without it."""
    out, entries = bytearray(before), b""
    for member in members:
        out += member.before
        offset = len(out)
        out += member.local()
        entries += member.central(offset)
    start = len(out)
    values = {"count": len(members), "size": len(entries), "offset": start, **end}
    out += entries + between
    if zip64 is not None:
        large = {"record_size": 44, "count": len(members), "size": len(entries), "offset": start, "at": len(out), "parts": 1, "extra": b"", **zip64}
        out += struct.pack("<4sQ2H2I4Q", b"PK\6\6", large["record_size"], 45, 45, 0, 0, large["count"], large["count"], large["size"],
                           large["offset"]) + large["extra"]
        out += struct.pack("<4sIQI", b"PK\6\7", 0, large["at"], large["parts"])
        values = {"count": 0xFFFF, "size": FULL, "offset": FULL, **end}
    return bytes(out) + end_record(comment=comment, **values) + after


def record_of(files):
    lines = ["%s,sha256=%s,%d\n" % (name, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), len(data))
             for name, data in files.items()]
    return ("".join(lines) + INFORMATION + "/RECORD,,\n").encode()


def wheel_files(more=None, record=lambda text: text):
    files = {"torch/__init__.py": b"import torch._C\n" * 20, "torch/version.py": b"", **(more or {})}
    files.setdefault(INFORMATION + "/METADATA", METADATA + b"\n")
    files.setdefault(INFORMATION + "/WHEEL", b"Wheel-Version: 1.0\nGenerator: test\n" + TAG)
    return {**files, INFORMATION + "/RECORD": record(record_of(files))}


def members_of(files):
    return [Member(name, data) for name, data in files.items()]


def wheel(change=lambda members: None, more=None, record=lambda text: text, **archive):
    """A wheel whose members are changed: `change` gets them, the first being torch/__init__.py."""
    members = members_of(wheel_files(more, record))
    changed = change(members)
    return zip_of(changed or members, **archive)


def setting(**values):
    """Changes the first member."""
    def change(members):
        for key, value in values.items():
            setattr(members[0], key, value)
    return change


def by_zipfile(form, stream=False, **more):
    """A wheel that Python's zipfile wrote, as bdist_wheel does."""
    class Pipe(io.BytesIO):
        def seekable(self):
            return not stream

        def seek(self, *where):
            if stream:
                raise io.UnsupportedOperation("seek")
            return super().seek(*where)

        def tell(self):
            if stream:
                raise io.UnsupportedOperation("tell")
            return super().tell()
    out = Pipe()
    with zipfile.ZipFile(out, "w", form) as archive:
        for name, data in wheel_files(**more).items():
            information = zipfile.ZipInfo(name)
            information.compress_type = form
            with archive.open(information, "w", force_zip64="large" in name) as file:
                file.write(data)
        archive.comment = b"made by a test"
    return out.getvalue()


def field(kind, data):
    return struct.pack("<2H", kind, len(data)) + data


def two_ends(members):
    """A comment that is a whole zip of its own."""
    first = zip_of(members)
    start = len(first) + 2
    other, offset = members_of(wheel_files({"other.py": b"1"})), 0
    out, entries = b"", b""
    for member in other:
        entries += member.central(len(first) + len(out))
        out += member.local()
    inner = out + entries
    inner += end_record(len(other), len(entries), len(first) + len(out))
    return first[:-2] + struct.pack("<H", len(inner)) + inner


def nested(data=b"inside"):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a", data)
    return out.getvalue()


def refused_rows():
    """What programs read differently: name, zip, the reason."""
    good = members_of(wheel_files())
    local = lambda **values: wheel(setting(header=values))
    name = lambda text, data=b"x", **more: wheel(lambda members: [*members, Member(text, data, **more)])
    extra = lambda data, where="entry", **more: wheel(setting(extra={"header": b"", "entry": b"", where: data}, **more))
    yield "nothing", b"", "it is not a zip, or it is truncated: no end record found"
    yield "a text", b"text" * 100, "it is not a zip, or it is truncated: no end record found"
    yield "cut short", wheel()[:-1], "it is not a zip, or it is truncated: no end record found"
    yield "a comment that is cut short", wheel(comment=b"made")[:-1], "its end record is followed by extra bytes, or bytes are missing"
    yield "a byte behind it", wheel(after=b"\n"), "its end record is followed by extra bytes, or bytes are missing"
    yield "a program before it", wheel(before=b"#!/bin/sh\n"), "other bytes precede its first member"
    yield "a program before it, and offsets as if there were none", b"#!/bin/sh\n" + wheel(), "its central directory does not end where its end record begins"
    yield "a comment that is an end record", wheel(comment=end_record(0, 0, 0)), "it has two end records"
    yield "a comment that is a zip", two_ends(good), "it has two end records"
    yield "an end record in a member's comment", (lambda end: wheel(lambda members: setattr(members[-1], "comment", end)))(
        end_record(0, 0, 0, comment_size=22)), "it has two end records"
    yield "a comment of another size", wheel(comment=b"abc", comment_size=2), "its end record is followed by extra bytes, or bytes are missing"
    yield "bytes before the end record", wheel(between=b"x"), "its central directory does not end where its end record begins"
    yield "a directory of another size", wheel(size=100), "its central directory does not end where its end record begins"
    yield "a number of members that is too small", wheel(count=2), "its central directory is damaged"
    yield "a number of members that is too large", wheel(count=20), "its central directory is damaged"
    yield "one of two parts", wheel(disk=1), "it is one part of a multi-part zip"
    yield "a member in another part", wheel(setting(disk=1)), "the member 'torch/__init__.py' is in another part of the archive"
    yield "fewer members in this part", wheel(here=1), "it is one part of a multi-part zip"
    yield "Zip64 with another offset", wheel(zip64={}, offset=0), "its end records contradict each other"
    yield "Zip64 with another number", wheel(zip64={}, count=1), "its end records contradict each other"
    yield "Zip64 that lies elsewhere", wheel(zip64={"at": 0}), "its end records contradict each other"
    yield "Zip64 in two parts", wheel(zip64={"parts": 2}), "its end records contradict each other"
    yield "Zip64 of another size", wheel(zip64={"record_size": 45}), "its end records contradict each other"
    yield "Zip64 with more in it", wheel(zip64={"record_size": 50, "extra": b"123456"}), "its end records contradict each other"
    yield "bytes between members", wheel(lambda members: setattr(members[1], "before", b"x")), "the member 'torch/__init__.py' is followed by bytes that belong to no member"
    yield "a member that the directory lacks", wheel(setting(after=Member("torch/_C.so", b"x").local())), "the member 'torch/__init__.py' is followed by bytes that belong to no member"
    yield "a member before the first", wheel(before=Member("torch/_C.so", b"x").local()), "other bytes precede its first member"
    yield "a member before the first, and a large comment", wheel(before=Member("torch/__init__.py", b"x").local(), comment=bytes(65535)), \
        "other bytes precede its first member"
    yield "two members of the same bytes", wheel(lambda members: setattr(members[1], "entry", {"offset": 0})), "the member 'torch/__init__.py' overlaps the next one"
    yield "a member in another", wheel(lambda members: [Member("a.zip", Member("b", b"x").local(), 0), Member("b", b"x", entry={"offset": 35}), *members]), \
        "the member 'a.zip' overlaps the next one"
    yield "a name of its own in the header", local(name=b"torch/__init__.pz"), "the member 'torch/__init__.py' has a header that differs from the central directory"
    yield "a shorter name in the header", local(name=b"torch"), "the member 'torch/__init__.py' has a header that differs from the central directory"
    yield "a method of its own in the header", local(method=0), "the member 'torch/__init__.py' has a header that differs from the central directory"
    yield "a size of its own in the header", local(size=5), "the member 'torch/__init__.py' has a header that differs from the central directory"
    yield "a packed size of its own in the header", local(packed=5), "the member 'torch/__init__.py' has a header that differs from the central directory"
    yield "a checksum of its own in the header", local(crc=5), "the member 'torch/__init__.py' has a header that differs from the central directory"
    yield "flags of its own in the header", local(flags=0x800), "the member 'torch/__init__.py' has a header that differs from the central directory"
    yield "a size of its own in the header, and sizes that follow", wheel(setting(flags=8, header={"size": 5})), "the member 'torch/__init__.py' has a header that differs from the central directory"
    yield "no size in the header", local(size=0, packed=0, crc=0), "the member 'torch/__init__.py' has a header that differs from the central directory"
    yield "sizes that do not follow", wheel(setting(entry={"flags": 8}, header={"flags": 8})), "the member 'torch/__init__.py' is followed by bytes that belong to no member"
    yield "sizes that follow without their mark", wheel(setting(flags=8, descriptor="<3I")), "the member 'torch/__init__.py' is followed by bytes that belong to no member"
    yield "sizes that follow in 64 bits, and no Zip64", wheel(setting(flags=8, descriptor="<4sI2Q")), "the member 'torch/__init__.py' is followed by bytes that belong to no member"
    yield "sizes that follow, and more", wheel(setting(flags=8, after=b"x")), "the member 'torch/__init__.py' is followed by bytes that belong to no member"
    yield "sizes after what is not compressed", wheel(setting(flags=8, method=0)), "the member 'torch/__init__.py' is not compressed, and its size is stored after its data"
    yield "an offset that is no header", wheel(setting(entry={"offset": 1})), "other bytes precede its first member"
    yield "a directory by the bit of MS-DOS", name("torch/_C.so", system=0, mode=0, dos=0x10), "the member 'torch/_C.so' has the name of a file, but not the attributes of one"
    yield "a volume label", name("torch/_C.so", system=0, mode=0, dos=8), "the member 'torch/_C.so' has the name of a file, but not the attributes of one"
    yield "a directory by its mode", name("torch/_C.so", mode=stat.S_IFDIR | 0o755), "the member 'torch/_C.so' has the name of a file, but not the attributes of one"
    yield "a file by its mode, a directory by its name", name("torch/data/"), "the member 'torch/data/' has the name of a directory, but not the attributes or size of one"
    yield "a directory that has content", name("torch/data/", mode=0), "the member 'torch/data/' has the name of a directory, but not the attributes or size of one"
    yield "a device", name("torch/null", mode=stat.S_IFCHR | 0o644), "the member 'torch/null' is neither a file, a directory nor a link"
    yield "a member twice", name("torch/__init__.py"), "the member 'torch/__init__.py' occurs twice"
    yield "a file and a directory of one name", name("torch/version.py/", mode=stat.S_IFDIR, data=b""), "the member 'torch/version.py' occurs twice"
    yield "a member below a file", name("torch/version.py/x"), "the member 'torch/version.py/x' is below 'torch/version.py', which is a file"
    yield "a name with a NUL", name("torch/_C.so\0.py"), "the member 'torch/_C.so\\000.py' has a component that has a NUL byte"
    yield "a name with a backslash", name("torch\\_C.so"), "the member 'torch\\\\_C.so' has a backslash in its name, which some programs read as a slash"
    yield "a name with a dot", name("torch/./_C.so"), "the member 'torch/./_C.so' has a component that is '.'"
    yield "a name with two slashes", name("torch//_C.so"), "the member 'torch//_C.so' has a component that is empty"
    yield "a name that begins with a dot and a slash", name("./torch/_C.so"), "the member './torch/_C.so' has a component that is '.'"
    yield "a name that leads out", name("../torch/_C.so"), "the member '../torch/_C.so' has a component that is '..'"
    yield "an absolute name", name("/torch/_C.so"), "the member '/torch/_C.so' is absolute"
    yield "no name", name(""), "the member '' is empty"
    yield "a name in code page 437", name(b"torch/\x81.py", flags=0), "the member 'torch/\\201.py' is not valid UTF-8"
    yield "a name in UTF-8 that is not marked", name("torch/\u00fc.py", flags=0), "the member 'torch/ü.py' has a name that is not marked as UTF-8"
    yield "a name that is marked as UTF-8 and is not", name(b"torch/\x81.py", flags=0x800), "the member 'torch/\\201.py' is not valid UTF-8"
    yield "another name in the Unicode field", extra(field(0x7075, b"\1" + struct.pack("<I", zlib.crc32(b"torch/__init__.py")) + b"torch/_C.so")), \
        "the member 'torch/__init__.py' has a different name in an extra field"
    yield "another name in the header's Unicode field", extra(field(0x7075, b"\1" + struct.pack("<I", zlib.crc32(b"torch/__init__.py")) + b"x"), "header"), \
        "the member 'torch/__init__.py' has a different name in an extra field"
    yield "an extra field that is cut short", extra(struct.pack("<2H", 1, 8)), "the member 'torch/__init__.py' has extra fields that are cut short"
    yield "a part of an extra field", extra(b"\1\0"), "the member 'torch/__init__.py' has extra fields that are cut short"
    yield "a Zip64 field without need", extra(field(1, struct.pack("<Q", 1))), "the member 'torch/__init__.py' has an unnecessary Zip64 field"
    yield "a Zip64 field without need in the header", extra(field(1, struct.pack("<Q", 1)), "header"), "the member 'torch/__init__.py' has an unnecessary Zip64 field"
    yield "a Zip64 field that lacks the size", extra(b"", entry={"size": FULL}), "the member 'torch/__init__.py' has no value in its Zip64 field"
    yield "two Zip64 fields", extra(field(1, struct.pack("<Q", 320)) + field(1, struct.pack("<Q", 5)), entry={"size": FULL}), "the member 'torch/__init__.py' has two Zip64 fields"
    yield "another size in the Zip64 field", extra(field(1, struct.pack("<Q", 5)), entry={"size": FULL}), "the member 'torch/__init__.py' has a header that differs from the central directory"
    yield "another size in the header's Zip64 field", extra(field(1, struct.pack("<Q", 5)), "header", header={"size": FULL}), "the member 'torch/__init__.py' has a header that differs from the central directory"
    yield "encrypted", wheel(setting(flags=1)), "the member 'torch/__init__.py' is encrypted"
    yield "strong encryption", wheel(setting(flags=0x40)), "the member 'torch/__init__.py' has unsupported flags"
    yield "a patch", wheel(setting(flags=0x20)), "the member 'torch/__init__.py' has unsupported flags"
    yield "bzip2", wheel(setting(method=12, raw=__import__("bz2").compress(b"import torch._C\n" * 20))), "the member 'torch/__init__.py' is compressed by method 12, not deflate"
    yield "a newer version of the format", wheel(setting(version=46)), "the member 'torch/__init__.py' needs a newer version of the format"
    yield "stored in two sizes", wheel(setting(method=0, entry={"packed": 100}, header={"packed": 100})), "the member 'torch/__init__.py' is not compressed, but has two different sizes"
    yield "fewer data than their size", wheel(setting(entry={"size": 330}, header={"size": 330})), "the member 'torch/__init__.py' is damaged"
    yield "more data than their size", wheel(setting(data=b"import", raw=deflate(b"import torch"))), "the member 'torch/__init__.py' is damaged"
    yield "data behind the compressed ones", wheel(setting(raw=deflate(b"import torch._C\n" * 20) + b"more")), "the member 'torch/__init__.py' is damaged"
    yield "a compressed member that does not end", wheel(setting(raw=deflate(b"import torch._C\n" * 20)[:-1])), "the member 'torch/__init__.py' is damaged"
    yield "a compressed member of nothing that does not end", wheel(setting(data=b"", raw=b"\0")), "the member 'torch/__init__.py' is damaged"
    yield "another checksum", wheel(setting(entry={"crc": 5}, header={"crc": 5})), "the member 'torch/__init__.py' is damaged"
    for where in ("platlib", "purelib", "data/lib/python3.9/site-packages", "data/lib/python3/dist-packages"):
        yield "two members for one path, by " + where, wheel(more={"torch-1.8.1.data/%s/torch/__init__.py" % where: b"x"}), \
            "'torch-1.8.1.data/%s/torch/__init__.py' is installed over another member" % where
    for one, other in (("scripts/x", "data/bin/x"), ("headers/a.h", "data/include/python3.9/torch/a.h"),
                       ("headers/a.h", "data/include/site/python3.9/torch/a.h"), ("data/share/x", "data/share/x")):
        yield "two members for one path, by %s and %s" % (one, other), wheel(more={"a.data/" + one: b"x", "b.data/" + other: b"y"}), \
            "'b.data/%s' is installed over another member" % other
    yield "a member that is installed below a file", wheel(more={"torch-1.8.1.data/purelib/torch/version.py/x": b"x"}), \
        "'torch/version.py/x' is installed below another member"
    yield "a script of an entry point that would be written elsewhere", wheel(more={ENTRY_POINTS: b"[console_scripts]\n../x = torch:x\n"}), \
        "the script '../x' would be written elsewhere"
    yield "no members", zip_of([]), "it has no files"


def read_rows():
    """What all programs read alike, however odd: name, zip."""
    yield "by zipfile, stored", by_zipfile(zipfile.ZIP_STORED)
    yield "by zipfile, compressed", by_zipfile(zipfile.ZIP_DEFLATED)
    yield "by zipfile, into a pipe", by_zipfile(zipfile.ZIP_DEFLATED, stream=True)
    yield "by zipfile, with Zip64", by_zipfile(zipfile.ZIP_DEFLATED, more={"torch/large.py": b"1" * 1000})
    yield "by zipfile into a pipe, with Zip64", by_zipfile(zipfile.ZIP_DEFLATED, stream=True, more={"torch/large.py": b"1" * 1000})
    yield "the largest comment", wheel(comment=b"c" * 65535)
    yield "a comment with a mark of an end record", wheel(comment=b"PK\5\6"[:3] + b"...")
    yield "directories", wheel(lambda members: [Member("torch/", b"", 0, mode=0o40755, dos=0x10), *members])
    yield "a compressed directory", wheel(lambda members: [Member("torch/", b"", mode=0o40755, dos=0x10), *members])
    yield "entries in another order", zip_in_another_order()
    yield "comments and extra fields", wheel(setting(comment=b"PK\1\2", extra={"header": field(0x5455, b"\3" + bytes(8)), "entry": field(0x5455, b"\3" + bytes(4))}))
    yield "its own name in the Unicode field", wheel(setting(extra={"header": b"", "entry": field(0x7075, b"\1" + bytes(4) + b"torch/__init__.py")}))
    yield "the Zip64 records without need", wheel(zip64={})
    yield "Zip64 sizes", wheel(setting(entry={"size": FULL, "packed": FULL}, header={"size": FULL, "packed": FULL}, extra={
        "entry": field(1, struct.pack("<2Q", 320, len(deflate(b"import torch._C\n" * 20)))), "header": field(1, struct.pack("<2Q", 320, len(deflate(b"import torch._C\n" * 20))))}))
    yield "a Zip64 offset", wheel(setting(entry={"offset": FULL}, extra={"header": b"", "entry": field(1, bytes(8))}))
    yield "sizes that follow in 64 bits", wheel(setting(flags=8, descriptor="<4sI2Q", header={"size": FULL, "packed": FULL}, extra={
        "entry": b"", "header": field(1, bytes(16))}))
    yield "sizes that follow and stand before", wheel(setting(flags=8, header={"size": 320}))
    yield "a name in UTF-8", wheel(more={"torch/\u00fc.py": b"1"})
    yield "a name in UTF-8 that is decomposed", wheel(more={"torch/u\u0308.py": b"1"})
    yield "names that differ in case", wheel(more={"torch/A.py": b"1", "torch/a.py": b"2"})
    yield "a link", wheel(lambda members: setattr(members[1], "mode", stat.S_IFLNK | 0o777))
    yield "no modes", wheel(lambda members: [setattr(member, "mode", 0) for member in members] and None)
    yield "packages in .data", wheel(more={"torch-1.8.1.data/platlib/torch/a.py": b"1", "torch-1.8.1.data/purelib/torch/b.py": b"2"})
    yield "Wheel-Version 1.9", wheel(more={INFORMATION + "/WHEEL": b"Wheel-Version: 1.9\n" + TAG})
    yield "two Wheel-Versions", wheel(more={INFORMATION + "/WHEEL": b"Wheel-Version: 1.0\nWheel-Version: 2.0\n" + TAG})
    yield "Requires-Python that fits", wheel(more={INFORMATION + "/METADATA": METADATA + b"Requires-Python: >=3.6.2, !=3.7.*\n"})
    yield "Requires-Python that is none", wheel(more={INFORMATION + "/METADATA": METADATA + b"Requires-Python: three\n"})
    yield "an entry point that is no script", wheel(more={ENTRY_POINTS: b"# of a test\n[a.group]\nx = torch\n"})
    yield "a line of spaces in RECORD", wheel(record=lambda text: text + b" \n")
    yield "a zip in it", wheel(lambda members: setattr(members[2], "method", 0), more={"torch/a.zip": nested()})
    yield "an end record in it", wheel(lambda members: setattr(members[2], "method", 0), more={"torch/a.zip": end_record(0, 0, 0)})


def rows_of_pip():
    """What pip refuses, though it is a zip like others: name, name of the file, zip, a part of what is found."""
    wheel_with = lambda text: wheel(more={INFORMATION + "/WHEEL": text})
    metadata_with = lambda text: wheel(more={INFORMATION + "/METADATA": METADATA + text})
    entries = lambda text: wheel(more={ENTRY_POINTS: text})
    yield "Wheel-Version 2.0", NAME, wheel_with(b"Wheel-Version: 2.0\n" + TAG), "Wheel-Version is 2.0"
    yield "Wheel-Version x", NAME, wheel_with(b"Wheel-Version: x\n" + TAG), "Wheel-Version is x"
    yield "no Wheel-Version", NAME, wheel_with(TAG), "WHEEL has no Wheel-Version"
    yield "Wheel-Version behind an empty line", NAME, wheel_with(b"\nWheel-Version: 1.0\n" + TAG), "WHEEL has no Wheel-Version"
    yield "Wheel-Version behind what is no header", NAME, wheel_with(b"a text\nWheel-Version: 1.0\n" + TAG), "WHEEL has no Wheel-Version"
    yield "WHEEL is not UTF-8", NAME, wheel_with(b"Wheel-Version: 1.0\nGenerator: \xff\n" + TAG), "WHEEL is not UTF-8"
    yield "METADATA is not UTF-8", NAME, metadata_with(b"Summary: \xff\n"), "METADATA is not UTF-8"
    yield "no WHEEL", NAME, wheel(lambda members: [each for each in members if not each.name.endswith(b"/WHEEL")]), "lacks WHEEL"
    yield "a .dist-info of another project", "torc-1.8.1-py3-none-any.whl", wheel(), "has torch-1.8.1.dist-info, its name has torc"
    yield "Requires-Python <3", NAME, metadata_with(b"Requires-Python: <3\n"), "requires Python <3, debian-11 has Python 3.9"
    for text in (">=v3.99", ">=0!3.99", ">=1!3.0", ">=3.99.dev0", ">=3.99+local", "\n >=3.99"):
        yield "Requires-Python " + text.strip(), NAME, metadata_with(("Requires-Python: %s\n" % text).encode()), "requires Python " + text.strip()
    yield "Requires-Python of two bounds", NAME, metadata_with(b"Requires-Python: >=2.7, !=3.*\n"), "requires Python >=2.7, !=3.*"
    yield "an entry point without callable", NAME, entries(b"[console_scripts]\nx = torch\n"), "the entry point x = torch has no callable"
    yield "an entry point with two callables", NAME, entries(b"[gui_scripts]\nx = torch:a:b\n"), "the entry point x = torch:a:b has no callable"
    yield "an entry point that is none", NAME, entries(b"[a.group]\nx\n"), "entry_points.txt has the line x"
    for name, end in (("", b"\n"), (" after a form feed", b"\f\n")):
        yield "an empty line in RECORD" + name, NAME, wheel(record=lambda text: text + end), "RECORD has an empty line"


def zip_in_another_order():
    data = wheel()
    start, = struct.unpack("<I", data[-6:-2])
    entries, rest = [], data[start:-22]
    while rest:
        size = 46 + sum(struct.unpack("<3H", rest[28:34]))
        entries.append(rest[:size])
        rest = rest[size:]
    return data[:start] + b"".join(reversed(entries)) + data[-22:]


def installed(path):
    """What zipfile gives to pip, or None where it refuses."""
    try:
        with zipfile.ZipFile(path) as archive:
            return sorted((sha256(archive.read(name)), name) for name in archive.namelist() if not name.endswith("/"))
    except Exception:  # of many kinds
        return None


def installed_by_pip(path, directory):
    """What pip writes of it, but for what it adds of its own; None where it does not install."""
    done = subprocess.run([sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "install", "--quiet", "--no-deps",
                           "--no-index", "--no-compile", "--target", directory, path], capture_output=True, text=True)
    if done.returncode:
        return None
    own = [INFORMATION + "/" + name for name in ("INSTALLER", "REQUESTED", "RECORD", "direct_url.json")]
    found = []
    for parent, _, names in os.walk(directory):
        for name in names:
            inner = os.path.relpath(os.path.join(parent, name), directory)
            with open(os.path.join(parent, name), "rb") as file:
                found.append((sha256(file.read()), inner))
    return sorted(each for each in found if each[1] not in own)


def judged(paths):
    """For each zip what `wheel check` reads, or the reason why it does not, as text."""
    found = []
    for start in range(0, len(paths), 500):
        done = subprocess.run([LIST_ZIP, *paths[start:start + 500]], capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            if line == "zip":
                found.append([])
            elif line.startswith("refused "):
                found[-1] = line[8:]
            else:
                found[-1].append(tuple(line.split(" ", 1)))
    return [each if isinstance(each, str) else sorted(each) for each in found]


def check(path):
    done = subprocess.run([PROGRAM, "wheel", "check", path, "--board", "rpi4", "--image", "debian-11"], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def some_value(rng, near):
    return rng.choice([0, 1, 8, 9, 0x10, 0x800, 0xFFFF, FULL, rng.getrandbits(16), rng.getrandbits(32), near + 1, max(0, near - 1)])


def some_name(rng):
    return "".join(rng.choice(["torch", "/", "a", "A", "..", ".", "\\", "\0", "\u00fc", "u\u0308", "\x81", "_C.so", "PK\5\6"])
                   for _ in range(rng.randint(1, 4))).encode("utf-8" if rng.random() < 0.8 else "latin-1", "replace")


def some_extra(rng):
    return rng.choice([b"", b"\0", field(0x5455, b"\3" + bytes(8)), field(1, struct.pack("<Q", rng.choice([0, 5, 320]))), field(1, bytes(16)),
                       field(0x7075, b"\1" + bytes(4) + rng.choice([b"torch/__init__.py", b"x"])), struct.pack("<2H", 1, 40)])


def spoil(rng, members, archive):
    """Changes one thing."""
    member = rng.choice(members)
    where = rng.choice(["header", "entry"])
    name = rng.choice(["name", "flags", "method", "crc", "packed", "size", "offset"])
    values = member.fields({"offset": 0})
    what = rng.randint(0, 11)
    if what == 0:
        getattr(member, where)[name] = some_name(rng) if name == "name" else some_value(rng, values[name])
    elif what == 1:
        value = some_name(rng) if name == "name" else some_value(rng, values[name])
        member.header[name] = member.entry[name] = value
    elif what == 2:
        member.extra = {**member.extra, where: some_extra(rng)}
    elif what == 3:
        member.flags ^= rng.choice([1, 2, 4, 8, 8, 8, 0x20, 0x40, 0x800])
        member.descriptor = rng.choice([None, "<4sI2Q", "<3I"])
    elif what == 4:
        setattr(member, rng.choice(["before", "after"]), rng.choice([b"x", b"PK\7\10" + bytes(12), Member("b", b"b").local()]))
    elif what == 5:
        member.system, member.mode, member.dos = rng.choice([0, 3]), rng.choice([0, 0o644, 0o100755, 0o40755, 0o120777, 0o20644]), rng.choice([0, 0x10, 0x20, 0xFF])
    elif what == 6:
        member.raw = rng.choice([b"", b"\3\0", member.packed() + b"x", member.packed()[:-1], deflate(member.data) + deflate(b"more")])
    elif what == 7:
        member.comment = rng.choice([b"c" * 300, b"PK\1\2", end_record(0, 0, 0), zip_of([Member("b", b"b")])])
    elif what == 8:
        member.version, member.disk = rng.choice([0, 10, 45, 46, 0x0314]), rng.choice([0, 0, 1])
    elif what == 9:
        archive[rng.choice(["comment", "before", "between", "after"])] = rng.choice(
            [b"x", b"PK\5\6", bytes(rng.randint(0, 65535)), end_record(0, 0, 0), zip_of([Member("b", b"b")])])
    elif what == 10:
        archive[rng.choice(["count", "size", "offset", "comment_size", "here", "disk"])] = some_value(rng, len(members))
    else:
        archive["zip64"] = rng.choice([{}, {}, {rng.choice(["at", "count", "size", "offset", "parts", "record_size"]): some_value(rng, len(members))}])
    if rng.random() < 0.1:
        members.insert(rng.randint(0, len(members)), rng.choice(members))


def drawn_zip(rng):
    members = [Member("torch/__init__.py", b"import torch._C\n" * 20), Member("torch/a.py", b"", 0), Member("torch/n.zip", nested(), 0),
               Member("torch/", b"", 0, mode=0o40755, dos=0x10), Member("torch/\u00fc.py", bytes(range(256)))]
    members, archive = rng.sample(members, rng.randint(1, len(members))), {}
    for _ in range(rng.randint(0, 3)):
        spoil(rng, members, archive)
    data = bytearray(zip_of(members, **archive))
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        data[rng.randrange(len(data))] = rng.getrandbits(8)
    return bytes(data)


class Test:
    def __init__(self, directory):
        self.directory, self.rows, self.red = directory, 0, 0

    def judge(self, name, holds, found):
        self.rows += 1
        if not holds:
            self.red += 1
            print("RED %s\n  found %s" % (name, found))

    def write(self, name, data):
        path = os.path.join(self.directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def table(self):
        has_pip = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0
        if not has_pip:
            print("zips.py: there is no pip: zipfile stands for it")
        for name, data, reason in refused_rows():
            code, said = check(self.write("refused/" + NAME, data))
            self.judge("refused: " + name, code in (4, 6) and said.split("\n")[0].endswith("%s': %s" % (NAME, reason)), (code, said))
        for name, data in read_rows():
            path = self.write("read/" + NAME, data)
            found, wanted = judged([path])[0], installed(path)
            self.judge("read: " + name, found == wanted, (found, wanted))
            if has_pip:
                with tempfile.TemporaryDirectory() as directory:
                    by_pip = installed_by_pip(path, directory)
                placed = sorted((digest, re.sub("^torch-1.8.1.data/(plat|pure)lib/", "", path)) for digest, path in found
                                if path != INFORMATION + "/RECORD")
                self.judge("installed: " + name, by_pip == placed, (placed, by_pip))
            code, said = check(path)
            self.judge("checked: " + name, code == 0 and ": works on" in said and "RECORD" not in said, (code, said))

        for name, file, data, found in rows_of_pip():
            path = self.write("pip/" + file, data)
            code, said = check(path)
            self.judge("judged as by pip: " + name, code == 1 and "will not import: " in said and found in said, (code, said))
            if has_pip:
                with tempfile.TemporaryDirectory() as directory:
                    self.judge("pip refuses: " + name, installed_by_pip(path, directory) is None, "it is installed")

    def draw(self, seed, count):
        rng = random.Random(seed)
        paths = [self.write("drawn/%d" % i, drawn_zip(rng)) for i in range(count)]
        read = 0
        for path, found in zip(paths, judged(paths)):
            if isinstance(found, list):
                read += 1
                self.judge("seed %d, %s" % (seed, os.path.basename(path)), found == installed(path), (found, installed(path)))
        print("%d of %d drawn zips are read (seed %d)" % (read, count, seed))
        self.judge("drawn zips are read, and refused", count // 20 < read < count, read)


def main():
    parser = argparse.ArgumentParser()
    part, parts = map(int, os.environ.get("GATE_PART", "1/1").split("/"))
    parser.add_argument("--seed", type=int, default=part)
    parser.add_argument("--count", type=int, default=4000 // parts)
    line = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        test = Test(directory)
        test.table()
        test.draw(line.seed, line.count)
    print("%d rows, %d red" % (test.rows, test.red))
    return 1 if test.red else 0


if __name__ == "__main__":
    sys.exit(main())
