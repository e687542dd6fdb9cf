# SPDX-License-Identifier: BSD-3-Clause
"""Makes wheels for tests with cross compilers: libraries that need what a row of the table says, and nothing else."""
import base64
import hashlib
import os
import struct
import subprocess
import tempfile
import zipfile

COMPILERS = {"aarch64": "aarch64-linux-gnu-gcc", "armv7l": "arm-linux-gnueabihf-gcc", "x86_64": "gcc"}
SUFFIX = {"aarch64": ".cpython-39-aarch64-linux-gnu.so", "armv7l": ".cpython-39-arm-linux-gnueabihf.so"}

# How libraries reach code for newer cores: what is called, and what asks before or is only kept.
ADD = "__atomic_fetch_add(n, 1, __ATOMIC_SEQ_CST)"
NEWER = '__attribute__((target("arch=armv8.2-a"), noinline)) static void newer(int* n) { %s; }\n' % ADD
HALF = '#pragma GCC push_options\n#pragma GCC target("arch=armv8.2-a+fp16")\n' \
       '__attribute__((noipa)) static float half(float a) { __fp16 b = a; return (float)(_Float16)((_Float16)b * (_Float16)b); }\n' \
       "#pragma GCC pop_options\n"
ASK = "unsigned long getauxval(unsigned long);\n"
OLDER = "__attribute__((noinline)) static void older(int* n) { ++*n; }\n"
SOURCES = {
    "atomic": "int count(int* n) { return %s; }" % ADD,
    "half": HALF + "float operation(float a) { return half(a); }",
    "half-in-module": HALF + "volatile float last; void* PyInit_made(void) { last = half(last); return 0; }",
    "half-at-load": HALF + "volatile float last; __attribute__((constructor)) static void first(void) { last = half(last); }",
    "asked": ASK + NEWER + OLDER + "void count(int* n) { if (getauxval(16) & 256) newer(n); else older(n); }",
    "asked-at-load": ASK + NEWER + "static int m; __attribute__((constructor)) static void first(void) { if (getauxval(16) & 256) newer(&m); }",
    "accessor": ASK + NEWER + OLDER +
                "static unsigned char have[64]; __attribute__((constructor)) static void look(void) { have[8] = getauxval(16) >> 8 & 1; }\n"
                "__attribute__((noinline)) int cpu_have(unsigned n) { return have[n]; }\n"
                "void* PyInit_made(void) { static int n; if (cpu_have(8)) newer(&n); else older(&n); return 0; }",
    "table": NEWER + OLDER + "typedef void kernel(int*); static kernel* const kernels[] = {older, newer};\n"
             "extern int level __attribute__((visibility(\"hidden\"))); int level; void count(int* n) { kernels[level](n); }",
    "stored": ASK + NEWER + OLDER + "static void (*chosen)(int*);\n"
              "__attribute__((constructor)) static void look(void) { chosen = older; if (getauxval(16) & 256) chosen = newer; }\n"
              "void count(int* n) { chosen(n); }",
    "callback": "void qsort(void*, unsigned long, unsigned long, int (*)(const void*, const void*));\n" + HALF +
                "static int order(const void* a, const void* b) { return (int)half(*(float*)a) - (int)half(*(float*)b); }\n"
                "void sort(float* all, unsigned long n) { qsort(all, n, 4, order); }",
    "chain": HALF + "__attribute__((noinline)) static float two(float a) { return half(a) + 1; }\n"
             "__attribute__((noinline)) static float one(float a) { return two(a) + 1; }\nfloat operation(float a) { return one(a); }",
    "unused": HALF + "float (*unused)(float) __attribute__((visibility(\"hidden\"))) = half; int operation(void) { return 1; }",
    "ifunc": NEWER + OLDER + "static void (*pick(unsigned long has))(int*) { return has & 256 ? newer : older; }\n"
             "void count(int*) __attribute__((ifunc(\"pick\")));",
    "divide": "int divide(int a, int b) { return a / b; }",
}


def run(*command, cwd):
    subprocess.run(command, cwd=cwd, check=True, capture_output=True)


def stub(compiler, directory, soname, versions):
    """A library of this soname that defines a function for each version of symbols ("" without any)."""
    names, script, previous = [], "", ""
    for index, version in enumerate(versions):
        name = "taken_%s_%d" % ("".join(c if c.isalnum() else "_" for c in soname), index)
        names.append(name)
        if version:
            script += "%s { global: %s; } %s;\n" % (version, name, previous)
            previous = version
    with open(os.path.join(directory, soname + ".c"), "w") as file:
        file.write("".join("int %s(void) { return 0; }\n" % name for name in names) or "int nothing;\n")
    options = []
    if script:
        with open(os.path.join(directory, soname + ".map"), "w") as file:
            file.write(script)
        options = ["-Wl,--version-script=%s.map" % soname]
    run(compiler, "-shared", "-fPIC", "-nostdlib", "-o", soname, soname + ".c", "-Wl,-soname," + soname, *options, cwd=directory)
    return names


def library(machine, needs=None, source="", flags=(), link=(), strip=False, versions=""):
    """Returns the bytes of a shared library. needs: soname -> versions of symbols that it takes. versions: a version script."""
    compiler = COMPILERS[machine]
    with tempfile.TemporaryDirectory() as directory:
        calls = [name for soname, versions in (needs or {}).items() for name in stub(compiler, directory, soname, versions)]
        with open(os.path.join(directory, "module.c"), "w") as file:
            file.write("".join("int %s(void);\n" % name for name in calls))
            file.write("int module(void) { return 0%s; }\n%s\n" % ("".join(" + %s()" % name for name in calls), source))
        if versions:
            with open(os.path.join(directory, "versions.map"), "w") as file:
                file.write(versions)
            link = [*link, "-Wl,--version-script=versions.map"]
        run(compiler, "-O2", "-shared", "-fPIC", "-nostdlib", "-o", "module.so", "module.c", *flags, "-Wl,--no-as-needed",
            *list(needs or {}), *link, cwd=directory)
        if strip:
            run(compiler.replace("gcc", "strip"), "module.so", cwd=directory)
        with open(os.path.join(directory, "module.so"), "rb") as file:
            return file.read()


def fat_binary(is_ptx, architecture, text=b"", packing=""):
    """Returns assembler code for a section with code for a GPU: there is no CUDA compiler here. Its form is nvcc's
    (src/elf/gpu_code.h). packing: "lz4" and "zstd" without shrinking."""
    flags, content = {"": 0, "lz4": 0x2000, "zstd": 0x8000}[packing], text
    if packing == "lz4":
        content = bytes([0xF0, len(text) - 15]) + text
    elif packing == "zstd":
        content = struct.pack("<IBB", 0xFD2FB528, 0x20, len(text)) + struct.pack("<I", len(text) << 3 | 1)[:3] + text
    entry = struct.pack("<HHIQIIIIQQQQ", 1 if is_ptx else 2, 0, 64, len(content), len(content) if packing else 0, 0, 0x10008,
                        architecture, 0, flags, 0, len(text)) + content
    data = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry
    return '__asm__(".pushsection .nv_fatbin,\\"a\\"; .byte %s; .popsection");' % ",".join(map(str, data))


SEGMENT, SECTION = "<2I6Q", "<2I4Q2I2Q"


def changed(data, form, at, value):
    """Returns a library of 64 bits in which a number stands at a place."""
    out = bytearray(data)
    struct.pack_into(form, out, at, value)
    return bytes(out)


def with_headers(data, form, change):
    """Returns a library of 64 bits after a change of each of its program headers (type, flags, offset, address, physical
    address, size, size in memory, alignment), or section headers (name, type, flags, address, offset, size ...)."""
    out = bytearray(data)
    start, = struct.unpack_from("<Q", out, 32 if form == SEGMENT else 40)
    count, = struct.unpack_from("<H", out, 56 if form == SEGMENT else 60)
    for number in range(count):
        row = list(struct.unpack_from(form, out, start + number * struct.calcsize(form)))
        change(row)
        struct.pack_into(form, out, start + number * struct.calcsize(form), *row)
    return bytes(out)


def wheel(path, files, name="torch", version="1.8.1", record=None, tags=None, requires=()):
    """Writes a wheel at a path whose name has the tags. record: changes its text. requires: of METADATA."""
    python, abi, platform = os.path.basename(path)[:-4].split("-")[-3:]
    tags = tags or ["%s-%s-%s" % (p, a, t) for p in python.split(".") for a in abi.split(".") for t in platform.split(".")]
    information = "%s-%s.dist-info" % (name, version)
    files = dict(files)
    files[information + "/METADATA"] = ("Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s\n" % (
        name, version, "".join("Requires-Dist: %s\n" % each for each in requires))).encode()
    files[information + "/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\n" +
                                     "".join("Tag: %s\n" % tag for tag in tags) + "\n").encode()
    lines = ["%s,sha256=%s,%d" % (each, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), len(data))
             for each, data in files.items()]
    text = "\n".join(lines + [information + "/RECORD,,"]) + "\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, data in files.items():
            archive.writestr(each, data)
        archive.writestr(information + "/RECORD", record(text) if record else text)
