# SPDX-License-Identifier: BSD-3-Clause
"""W: wheels with libraries that are made to keep their reader busy, or to fill its memory; and logs that are."""
import base64
import glob
import hashlib
import json
import os
import random
import signal
import struct
import subprocess
import zipfile

import program
from makers import Command

ARM, AARCH64 = 40, 183
PROGBITS, SYMTAB, STRTAB, RELA, DYNAMIC, INIT_ARRAY, DYNSYM = 1, 2, 3, 4, 6, 14, 11
ALLOC, EXECUTE = 2, 4
MODULE = {ARM: "torch/_C.cpython-39-arm-linux-gnueabihf.so", AARCH64: "torch/_C.cpython-39-aarch64-linux-gnu.so"}


def elf(machine, sections, dynamic=None):
    """A library by its sections: (name, type, flags, address, data or what another section has: its index, link).
    dynamic: (offset in the file, size) of PT_DYNAMIC. All is loaded at address 0."""
    wide = machine == AARCH64
    header_size, section_size, segment_size = (64, 64, 56) if wide else (52, 40, 32)
    names, places = b"\0", []
    out = bytearray(header_size + 2 * segment_size)
    rows = [(0, 0, 0, 0, 0, 0, 0)]
    for name, kind, flags, address, data, link in [*sections, (".shstrtab", STRTAB, 0, 0, b"", 0)]:
        at = len(names)
        names += name.encode() + b"\0"
        if name == ".shstrtab":
            data = names
        if isinstance(data, int):
            places.append(places[data - 1])
        else:
            out += bytes(max(-len(out) % 16, address - len(out)))
            places.append((len(out), len(data)))
            out += data
        rows.append((at, kind, flags, address, *places[-1], link))
    out += bytes(-len(out) % 16)
    table = len(out)
    for at, kind, flags, address, offset, size, link in rows:
        out += struct.pack("<IIQQQQIIQQ" if wide else "<10I", at, kind, flags, address, offset, size, link, 0, 1, 0)
    if not dynamic:  # texts and symbols at 0, which the loader needs
        dynamic = (len(out), 48 if wide else 24)
        out += struct.pack("<6Q" if wide else "<6I", 5, 0, 6, 0, 0, 0)
    segments = [(1, 0, len(out)), (2, *dynamic)]
    for number, (kind, offset, size) in enumerate(segments):
        row = struct.pack("<IIQQQQQQ", kind, 5, offset, offset, offset, size, size, 0x1000) if wide else \
            struct.pack("<8I", kind, offset, offset, offset, size, size, 5, 0x1000)
        out[header_size + number * segment_size:header_size + (number + 1) * segment_size] = row
    identity = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9)
    out[:header_size] = identity + struct.pack("<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH", 3, machine, 1, 0, header_size, table,
                                               0 if wide else 0x5000400, header_size, segment_size, len(segments), section_size,
                                               len(rows), len(rows) - 1)
    return bytes(out)


def symbols(machine, count, name=lambda i: 1, address=lambda i: 0x1000 + 4 * i, size=4, section=1):
    form = "<IBBHQQ" if machine == AARCH64 else "<IIIBBH"
    row = (lambda i: struct.pack(form, name(i), 0x12, 0, section, address(i), size)) if machine == AARCH64 else \
        (lambda i: struct.pack(form, name(i), address(i), size, 0x12, 0, section))
    return b"".join(row(i) for i in range(count))


def one_name(size):
    """Symbols that share a long name, at each of which an instruction of SVE stands."""
    count = size // 28
    return elf(AARCH64, [(".text", PROGBITS, ALLOC | EXECUTE, 0x1000, struct.pack("<I", 0x2518E3E0) * count, 0),
                         (".dynsym", DYNSYM, 0, 0, symbols(AARCH64, count), 3),
                         (".dynstr", STRTAB, 0, 0, b"\0" + b"_" * 5000 + b"\0", 0)])


def shared_ends(size):
    """Symbols whose names are each other's ends, and which begin like those of families of kernels."""
    count = size // 28
    text = b"\0" + (b"xnn_ kai_ _ZN2at6native" * (count // 23 + 400))
    return elf(AARCH64, [(".text", PROGBITS, ALLOC | EXECUTE, 0x1000, struct.pack("<I", 0x2518E3E0) * count, 0),
                         (".dynsym", DYNSYM, 0, 0, symbols(AARCH64, count, name=lambda i: 1 + i), 3),
                         (".dynstr", STRTAB, 0, 0, text + b"\0", 0)])


def no_end(size):
    """Names in a table of texts that ends with no zero."""
    count = size // 30
    return elf(AARCH64, [(".text", PROGBITS, ALLOC | EXECUTE, 0x1000, struct.pack("<I", 0x2518E3E0) * 9, 0),
                         (".dynsym", DYNSYM, 0, 0, symbols(AARCH64, count), 3), (".dynstr", STRTAB, 0, 0, b"x" * (size // 5), 0)])


def vldr(size):
    """Instructions that load constants from places after them, which are none themselves."""
    words = bytearray(struct.pack("<I", 0xED9F0A00) * (size // 4))
    words[0::4] = random.Random(1).randbytes(size // 4)
    return elf(ARM, [(".text", PROGBITS, ALLOC | EXECUTE, 0x1000, bytes(words), 0)])


def calls(size):
    """Branches to functions, by functions, all with instructions of an extension."""
    count = size // 32
    return elf(AARCH64, [(".text", PROGBITS, ALLOC | EXECUTE, 0x1000, struct.pack("<II", 0x17FFFFF0, 0x2518E3E0) * count, 0),
                         (".symtab", SYMTAB, 0, 0, symbols(AARCH64, count, address=lambda i: 0x1000 + 8 * i, size=8), 3),
                         (".strtab", STRTAB, 0, 0, b"\0f\0", 0)])


def frames(size):
    """Descriptions of frames that all name one CIE, whose augmentation has no end."""
    out = bytearray(struct.pack("<II", size // 2, 0) + b"\1" + b"z" * (size // 2 - 5))
    while len(out) < size:
        out += struct.pack("<IIII", 12, len(out) + 4, 4, 4)  # their length, how far back the CIE is, begin, size
    return elf(AARCH64, [(".text", PROGBITS, ALLOC | EXECUTE, 0x1000, struct.pack("<I", 0x2518E3E0) * 9, 0),
                         (".eh_frame", PROGBITS, ALLOC, 0x1030, bytes(out) + bytes(16), 0)])


def overlapping(size):
    """Tables of symbols that lie over one another, each linked to another, one of them to itself."""
    first = [(".text", PROGBITS, ALLOC | EXECUTE, 0x1000, struct.pack("<I", 0x2518E3E0) * 9, 0),
             (".dynsym", DYNSYM, 0, 0, symbols(AARCH64, size // 24), 2)]
    kinds = ((".dynsym", DYNSYM), (".symtab", SYMTAB), (".rela.dyn", RELA), (".eh_frame", PROGBITS), (".nv_fatbin", PROGBITS))
    return elf(AARCH64, first + [(*kinds[i % len(kinds)], 0, 0, 2, i + 4) for i in range(2000)])


def overlapping_names(size):
    """Sections by the thousand whose name is one endless text."""
    return elf(AARCH64, [("x" * size, PROGBITS, 0, 0, b"", 0)] + [("x", PROGBITS, 0, 0, 1, 0)] * 20000)


def versions(size):
    """A thousand libraries, each of which needs the same versions."""
    strings = b"\0libc.so.6\0" + b"v" * 15000 + b"\0"
    count = 1000
    needs = b"".join(struct.pack("<HHIII", 1, 65535, 1, 16 * (count - i), 16 if i + 1 < count else 0) for i in range(count))
    needs += struct.pack("<IHHII", 0, 0, 0, 11, 16) * (size // 16)
    begin = 64 + 2 * 56
    tags = [(5, begin), (6, begin), (10, len(strings)), (0x6FFFFFFE, begin + len(strings) + -len(strings) % 16), (0x6FFFFFFF, count), (0, 0)]
    strings += bytes(-len(strings) % 16)
    entries = b"".join(struct.pack("<QQ", *tag) for tag in tags)
    place = begin + len(strings) + len(needs) + -(len(strings) + len(needs)) % 16
    return elf(AARCH64, [(".dynstr", STRTAB, ALLOC, 0, strings, 0), (".gnu.version_r", PROGBITS, ALLOC, 0, needs, 0),
                         (".dynamic", DYNAMIC, ALLOC, 0, entries, 1)], (place, len(entries)))


def entries(size):
    """A dynamic section of entries that mean nothing."""
    rows = struct.pack("<QQ", 0x60000001, 1) * (size // 16) + struct.pack("<6Q", 5, 0, 6, 0, 0, 0)
    return elf(AARCH64, [(".dynamic", DYNAMIC, ALLOC, 0, rows, 0)], (64 + 2 * 56, len(rows)))


def parts(size):
    """Sections by the thousand in a segment with code: code, data, and what is in none."""
    words = struct.pack("<I", 0x2518E3E0) * (size // 4 // 60000)
    return elf(AARCH64, [("", PROGBITS, ALLOC | (i % 3 and EXECUTE), 0x1000 + i * len(words), words[i % 5:], 0) for i in range(60000)])


def marks(size):
    """One endless relative path that is full of names of source directories."""
    return elf(AARCH64, [(".rodata", PROGBITS, ALLOC, 0, b"/c10/c10" * (size // 8), 0)])


def exports(size):
    """Names of torch that are each other's ends."""
    count = size // 30
    text = b"\0" + b"_ZN2at" * (count + 700) + b"\0"
    return elf(AARCH64, [(".dynsym", DYNSYM, 0, 0, symbols(AARCH64, count, name=lambda i: 1 + 6 * i), 2), (".dynstr", STRTAB, 0, 0, text, 0)])


def plain(size):
    """A library of usual code."""
    return elf(AARCH64, [(".text", PROGBITS, ALLOC | EXECUTE, 0x1000, struct.pack("<8I", *([0x8B000000, 0xD65F03C0] * 4)) * (size // 32), 0)])


def sections(size):
    """A section header for every 64 bytes, more than 65535 of which stand in the first."""
    out = bytearray(elf(AARCH64, [(".text", PROGBITS, 0, 0, b"\0" * 16, 0)]))
    table = len(out)
    out += bytes(64) * (size // 64)
    struct.pack_into("<Q", out, table + 32, size // 64)
    struct.pack_into("<Q", out, 40, table)
    struct.pack_into("<HH", out, 60, 0, 0)
    return bytes(out)


SHAPES = {f.__name__: f for f in (one_name, shared_ends, no_end, vldr, calls, frames, overlapping, overlapping_names, versions, entries, parts, marks,
                                  exports, plain, sections)}


def information(files, tag, name, version):
    begin = "%s-%s.dist-info/" % (name, version)
    files = {**files, begin + "METADATA": ("Metadata-Version: 2.1\nName: %s\nVersion: %s\n\n" % (name, version)).encode(),
             begin + "WHEEL": b"Wheel-Version: 1.0\nTag: cp39-cp39-%s\n\n" % tag.encode()}
    lines = ["%s,sha256=%s,%d\n" % (name, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), len(data))
             for name, data in files.items()]
    return {**files, begin + "RECORD": ("".join(lines) + begin + "RECORD,,\n").encode()}


def wheel(path, files, tag, name="torch", version="1.8.1"):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, data in information(files, tag, name, version).items():
            archive.writestr(each, data)


ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def symptoms():
    """All texts that known issues are found by."""
    pages = [open(path).read() for path in sorted(glob.glob(ROOT + "/known_issues/*.md"))]
    return [text for page in pages for text in json.loads(page.split("```json")[1].split("```")[0])["symptoms"]]


def almost():
    """Each symptom with each of its words replaced in turn."""
    words = [text.split(" ") for text in symptoms()]
    return "".join(" ".join(each[:i] + ["zzq"] + each[i + 1:]) + "\n" for each in words for i in range(len(each)))


def shuffled():
    """The words of all symptoms, as many in a line as are looked at."""
    words = " ".join(symptoms()).split(" ")
    random.Random(1).shuffle(words)
    return "".join(" ".join(words[at:at + 200]) + "\n" for at in range(0, len(words), 200))


def packed():
    chance = random.Random(1)
    return "".join(" ".join(chance.choices(symptoms(), k=14)) + "\n" for _ in range(200))


def foreign():
    """All that is translated, in one line."""
    with open(ROOT + "/src/search/rules.json") as file:
        return "".join(json.load(file)["translations"]) + "\n"


def build():
    """What a build prints."""
    out = ""
    for i in range(500):
        out += "[%d/5231] Building CXX object caffe2/CMakeFiles/torch_cpu.dir/__/aten/src/ATen/native/Op%d.cpp.o\n" % (i, i)
        out += "a/Op%d.cpp:%d:13: warning: comparison of integers [-Wsign-compare]\n  %d |   for (int64_t i = 0; i < n; i++) {\n" % (i, i, i)
        out += "/usr/bin/c++ -DAT_PARALLEL_OPENMP=1 -Iaten/src -I../aten/src -isystem third_party/gloo -O2 -fPIC -o a.o -c a.cpp\n"
    return out + "c++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n"


LOGS = {"newlines": lambda: "\n", "a line without end": lambda: "a", "words without end": lambda: "error ", "zeros": lambda: "\0",
        "almost symptoms": almost, "symptoms": lambda: "\n".join(symptoms()) + "\n", "words of symptoms": shuffled,
        "many symptoms in a line": packed, "foreign texts": foreign, "a foreign word": lambda: "Fehler: \n",
        "colons": lambda: ": ::::::::\n", "escapes": lambda: "\x1b]", "a line begun anew": lambda: "error: x\r", "a build": build}


def write_log(path, unit, size):
    unit = unit.encode()
    unit *= (1 << 16) // len(unit) + 1
    with open(path, "wb") as file:
        for _ in range(size // len(unit) + 1):
            file.write(unit)


def stops(argv, box, tools, feed):
    """Runs until it is busy, or waits for its input, and tells it to stop."""

    def check(_):
        run = subprocess.Popen([tools.torchpatch, *argv], env=program.environment_of(box, ROOT, {}), cwd=box.at("desk"), start_new_session=True,
                               stdin=subprocess.PIPE if feed else subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            run.wait(1)
            return ["it ended too early, as %d" % run.returncode]
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGTERM)
        try:
            return [] if run.wait(15) == -signal.SIGTERM else ["it ended as %d" % run.returncode]
        except subprocess.TimeoutExpired:
            run.kill()
            return ["it did not stop"]

    return check


def make(box, give, tools):
    size = int(give.get("mib", 0) * (1 << 20))
    environment = {"TORCHPATCH_DATA": ROOT}
    if "log" in give:
        write_log(box.at("desk", "log"), LOGS[give["log"]](), size)
        argv = ["diagnose", "log"]
    elif "piped" in give:
        argv = ["diagnose"]
    else:
        kind = give["shape"]
        name, board, image = ("linux_armv7l", "rpi4", "raspios-11-32") if kind == "vldr" else ("linux_aarch64", "rpi4", "debian-11")
        path = "torch-1.8.1-cp39-cp39-%s.whl" % name
        files = {MODULE[ARM if kind == "vldr" else AARCH64]: SHAPES[kind](size)}
        wheel(box.at("desk", path), files, name)
        paths = [path]
        if give.get("with a companion"):
            paths.append("torchvision-0.9.1-cp39-cp39-%s.whl" % name)
            wheel(box.at("desk", paths[1]), files, name, "torchvision", "0.9.1")
        argv = ["wheel", "check", *paths, "--board", board, "--image", image]
    if give.get("stopped"):
        return Command(["list", "releases"], then=stops(argv, box, tools, "piped" in give), environment=environment)
    return Command(argv, environment=environment)
