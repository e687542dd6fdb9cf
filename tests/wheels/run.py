#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Judges wheels that are made here with cross compilers, and compares what `wheel check` says with what the rules say:
run.py [NAME…]. Needs TORCHPATCH. Exit code 125 where a compiler is missing. GATE_PART=K/N: every Nth row of verdicts and
platforms, from the Kth on."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import make

PROGRAM = os.environ["TORCHPATCH"]
MODULE = "torch/_C" + make.SUFFIX["aarch64"]
NAME = "torch-1.8.1-cp39-cp39-%s.whl"
GLIBC = "libc.so.6"
GXX = "libstdc++.so.6"

# PEP 513, 571, 599 and 600: what a library for x86-64 needs -> the oldest platform whose rules it keeps. For ARM the
# first is manylinux_2_17.
PLATFORMS = {
    "nothing": ({}, "manylinux_2_5"),
    "glibc 2.5": ({GLIBC: ["GLIBC_2.5"]}, "manylinux_2_5"),
    "glibc 2.6": ({GLIBC: ["GLIBC_2.6"]}, "manylinux_2_12"),
    "glibc 2.12": ({GLIBC: ["GLIBC_2.2.5", "GLIBC_2.12"]}, "manylinux_2_12"),
    "glibc 2.14": ({GLIBC: ["GLIBC_2.14"]}, "manylinux_2_17"),
    "glibc 2.17": ({GLIBC: ["GLIBC_2.17"]}, "manylinux_2_17"),
    "glibc 2.18": ({GLIBC: ["GLIBC_2.17", "GLIBC_2.18"]}, "manylinux_2_24"),
    "glibc 2.27": ({"libm.so.6": ["GLIBC_2.27"]}, "manylinux_2_27"),
    "glibc 2.28": ({GLIBC: ["GLIBC_2.28"]}, "manylinux_2_28"),
    "glibc 2.34": ({GLIBC: ["GLIBC_2.34"]}, "manylinux_2_34"),
    "glibc 2.38": ({GLIBC: ["GLIBC_2.38"]}, "manylinux_2_38"),
    "gcc 4.4's libstdc++": ({GXX: ["GLIBCXX_3.4.13", "CXXABI_1.3.3"]}, "manylinux_2_12"),
    "gcc 4.8's libstdc++": ({GXX: ["GLIBCXX_3.4.19"]}, "manylinux_2_17"),
    "gcc 5's libstdc++": ({GXX: ["GLIBCXX_3.4.21"]}, "manylinux_2_24"),
    "gcc 9's libstdc++": ({GXX: ["GLIBCXX_3.4.26"]}, "manylinux_2_31"),
    "CXXABI 1.3.8": ({GXX: ["CXXABI_1.3.8"]}, "manylinux_2_24"),
    "gcc 12's libstdc++": ({GXX: ["GLIBCXX_3.4.30"]}, "manylinux_2_35"),
    "gcc 14's libstdc++": ({GXX: ["GLIBCXX_3.4.32"]}, "manylinux_2_39"),
    "libgcc of gcc 7": ({"libgcc_s.so.1": ["GCC_7.0.0"]}, "manylinux_2_26"),
    "relative relocations": ({GLIBC: ["GLIBC_ABI_DT_RELR"]}, "manylinux_2_36"),
    "libexpat": ({"libexpat.so.1": [""]}, "manylinux_2_12"),
    "libz": ({"libz.so.1": [""]}, "manylinux_2_5"),
    "libgomp, which is on no list": ({"libgomp.so.1": ["GOMP_4.0"]}, None),
    "libpython, which is on no list": ({"libpython3.9.so.1.0": [""]}, None),
    "libcrypt, which manylinux1 had": ({"libcrypt.so.1": ["GLIBC_2.17"]}, None),
}


def check(*arguments):
    done = subprocess.run([PROGRAM, "wheel", "check", "--json", *arguments], capture_output=True, text=True)
    if done.returncode not in (0, 1, 8):
        return done.returncode, {"error": done.stdout + done.stderr}
    return done.returncode, json.loads(done.stdout or "{}")


class Table:
    def __init__(self, directory, only):
        self.directory, self.only, self.rows, self.red, self.asked = directory, only, 0, 0, 0
        self.part, self.parts = map(int, os.environ.get("GATE_PART", "1/1").split("/"))

    def is_left_out(self, name):
        """Whether a row is none of those that are named, or of another part."""
        self.asked += 1
        return name not in self.only if self.only else self.asked % self.parts != self.part % self.parts

    def judge(self, name, expected, found):
        self.rows += 1
        if expected != found:
            self.red += 1
            print("RED %s\n  expected %s\n  found    %s" % (name, expected, found))

    def wheel(self, file, files, **more):
        path = os.path.join(self.directory, file)
        make.wheel(path, files, **more)
        return path

    def row(self, name, files, verdict, rules, board="rpi4", image="debian-11", file=NAME % "linux_aarch64", **more):
        """rules: those of the findings that decide the verdict."""
        if self.is_left_out(name):
            return
        code, report = check(self.wheel(file, files, **more), "--board", board, "--image", image)
        wheel = report["wheels"][0] if "wheels" in report else {"verdict": report, "findings": []}
        worst = sorted({finding["rule"] for finding in wheel["findings"] if finding["verdict"] == wheel["verdict"]} if
                       wheel["verdict"] != "works" else [])
        self.judge(name, (verdict, rules, 8 if verdict == "works_once_installed" else int(verdict in ("will_not_import", "may_crash"))), (wheel["verdict"], worst, code))


def platforms(table):
    for name, (needs, platform) in PLATFORMS.items():
        if table.is_left_out(name):
            continue
        for machine in ("x86_64", "aarch64"):
            wanted = platform
            if machine == "aarch64" and platform in ("manylinux_2_5", "manylinux_2_12"):
                wanted = "manylinux_2_17"
            path = table.wheel(NAME % "linux_aarch64", {MODULE: make.library(machine, needs)})
            found = check(path, "--board", "rpi4", "--image", "debian-13")[1]["wheels"][0]["platform"]
            table.judge("platform: %s, %s" % (name, machine), wanted, found)


ATOMIC = "int counter; void count(void) { __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST); }"
# As XNNPACK, SLEEF and ATen have it: one function for each core, chosen by what the CPU says.
CHOSEN = """
extern int cpu_has_it __attribute__((visibility("hidden")));
int cpu_has_it;
typedef void kernel(int*);
__attribute__((target("arch=armv8.2-a"), noinline)) static void newer(int* n) { __atomic_fetch_add(n, 1, __ATOMIC_SEQ_CST); }
__attribute__((noinline)) static void older(int* n) { ++*n; }
kernel* chosen = older;
void choose(void) { chosen = cpu_has_it ? newer : older; }
"""
TESTED = """
extern unsigned char cpu_has_it __attribute__((visibility("hidden")));
unsigned char cpu_has_it;
__attribute__((target("arch=armv8.2-a"), noinline)) static void newer(int* n) { __atomic_fetch_add(n, 1, __ATOMIC_SEQ_CST); }
void count(int* n) { if (cpu_has_it) newer(n); else ++*n; }
"""
CALLED = """
__attribute__((target("arch=armv8.2-a"), noinline)) static void newer(int* n) { __atomic_fetch_add(n, 1, __ATOMIC_SEQ_CST); }
void count(int* n) { newer(n); }
"""
CONSTRUCTOR = """
static int n;
__attribute__((target("arch=armv8.2-a"), constructor)) static void first(void) { __atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST); }
"""
NO_OUTLINE = ["-mno-outline-atomics"]
DIVIDE = "int divide(int a, int b) { return a / b; }"


def boards(table):
    module = make.library("aarch64", {GLIBC: ["GLIBC_2.17"]})
    table.row("a manylinux before ARM's first", {MODULE: module}, "will_not_import", ["platform"], file=NAME % "manylinux1_aarch64")
    table.row("tags in upper case", {MODULE: module}, "works", [], file="torch-1.8.1-CP39-CP39-linux_aarch64.whl")
    table.row("a Python before", {"torch/_C.so": module}, "works", [], file="torch-1.8.1-py37-none-linux_aarch64.whl")
    table.row("a Python after", {"torch/_C.so": module}, "will_not_import", ["python"], file="torch-1.8.1-py310-none-linux_aarch64.whl")
    table.row("a build number", {MODULE: module}, "works", [], file="torch-1.8.1-1rpi-cp39-cp39-linux_aarch64.whl")
    table.row("a build that is no number", {MODULE: module}, "will_not_import", ["file_name"], file="torch-1.8.1-rpi-cp39-cp39-linux_aarch64.whl")
    table.row("two .dist-info", {MODULE: module, "other-1.dist-info/METADATA": b""}, "will_not_import", ["file_name"])
    table.row("a module of no bytes", {MODULE: b""}, "will_not_import", ["damaged"])
    table.row("a module that a pointer stands for", {MODULE: b"version https://git-lfs.github.com/spec/v1\n"}, "will_not_import", ["damaged"])
    table.row("an object file", {MODULE: make.library("aarch64", flags=["-r"], link=["-no-pie"])}, "will_not_import", ["machine"])
    table.row("an executable stack", {MODULE: make.library("aarch64", link=["-Wl,-z,execstack"])}, "works", [])
    table.row("an executable stack on a glibc that refuses it", {"torch/_C.so": make.library("aarch64", link=["-Wl,-z,execstack"])},
              "will_not_import", ["executable_stack"], image="debian-13", file="torch-1.8.1-cp313-cp313-linux_aarch64.whl")
    table.row("a digest that is not compared", {MODULE: module}, "works", [], record=lambda text: text.replace("sha256=", "sha512=", 1))
    table.row("a wheel that works", {MODULE: module}, "works", [])
    table.row("a name that is none", {MODULE: module}, "will_not_import", ["file_name"], file="torch-cp39-cp39-linux_aarch64.whl")
    table.row("another Python", {MODULE: module}, "will_not_import", ["python"], image="debian-10")
    table.row("the ABI of another Python", {MODULE: module}, "will_not_import", ["python"], image="debian-10",
              file="torch-1.8.1-cp37-cp37-linux_aarch64.whl")
    table.row("a Python with m", {"torch/_C.cpython-37m-aarch64-linux-gnu.so": module}, "works", [], image="debian-10",
              file="torch-1.8.1-cp37-cp37m-linux_aarch64.whl")
    table.row("any Python", {"torch/_C.so": module}, "works", [], file="torch-1.8.1-py3-none-linux_aarch64.whl")
    table.row("the stable ABI of 3.6", {"torch/_C.abi3.so": module}, "works", [], file="torch-1.8.1-cp36-abi3-linux_aarch64.whl")
    table.row("another machine in the name", {MODULE: module}, "will_not_import", ["platform"], file=NAME % "linux_x86_64")
    table.row("a manylinux that is too new", {MODULE: module}, "will_not_import", ["platform"], file=NAME % "manylinux_2_34_aarch64")
    table.row("a manylinux that fits", {MODULE: module}, "works", [], file=NAME % "manylinux2014_aarch64")
    table.row("a manylinux that is not kept", {MODULE: make.library("aarch64", {GLIBC: ["GLIBC_2.28"]})}, "unknown",
              ["platform"], file=NAME % "manylinux2014_aarch64")
    table.row("musl", {MODULE: module}, "will_not_import", ["platform"], file=NAME % "musllinux_1_2_aarch64")
    table.row("several platforms", {MODULE: module}, "works", [], file=NAME % "manylinux_2_17_aarch64.manylinux2014_aarch64")
    table.row("WHEEL with other tags", {MODULE: module}, "works", [], tags=["cp39-cp39-linux_x86_64"])
    table.row("a file that RECORD lacks", {MODULE: module}, "may_crash", ["record"], record=lambda text: text.split("\n", 1)[1])
    table.row("a file that was changed", {MODULE: module}, "may_crash", ["record"],
              record=lambda text: text.replace("sha256=", "sha256=A", 1))
    table.row("a file that is gone", {MODULE: module}, "may_crash", ["record"], record=lambda text: "torch/gone.py,,\n" + text)
    table.row("a file of another size", {MODULE: module}, "may_crash", ["record"],
              record=lambda text: text.replace(",%d\n" % len(module), ",%d\n" % (len(module) + 1), 1))
    table.row("a file that has no digest", {MODULE: module}, "may_crash", ["record"],
              record=lambda text: MODULE + ",,\n" + text.split("\n", 1)[1])
    table.row("a file that is installed to no place", {MODULE: module, "torch-1.8.1.data/lib/torch/x": b""}, "will_not_import", ["file_name"])
    table.row("a library in .data", {MODULE: make.library("aarch64", {"libc10.so": [""]}, link=["-Wl,-rpath,$ORIGIN/lib"]),
                                     "torch-1.8.1.data/platlib/torch/lib/libc10.so": module}, "works", [])
    table.row("a second .dist-info, of deeper files", {MODULE: module, "other-1.dist-info/licenses/a": b""}, "will_not_import", ["file_name"])
    table.row("files of another machine", {"torch/lib/libc10.so": make.library("armv7l")}, "will_not_import", ["machine"])
    table.row("a library of the right machine", {"torch/lib/libc10.so": make.library("armv7l")}, "works", [],
              image="raspios-11-32", file=NAME % "linux_armv7l")
    pc = make.library("x86_64", {GLIBC: ["GLIBC_2.34"]})
    table.row("an object file for the PC", {MODULE: module, "torch/lib/kernel.o": pc}, "works", [])
    table.row("an object file", {MODULE: module, "torch/lib/kernel.o": make.library("aarch64", flags=["-c"])}, "works", [])
    table.row("a helper for the PC below share", {MODULE: module, "torch/share/tools/helper.so": pc}, "works", [])
    table.row("a library below share that is needed", {
        MODULE: make.library("aarch64", {"helper.so": [""]}, link=["-Wl,-rpath,$ORIGIN/share"]), "torch/share/helper.so": pc},
              "will_not_import", ["machine"])
    table.row("a module for another Python beside the right one", {
        MODULE: module, MODULE.replace("-39-", "-38-"): make.library("aarch64", {GLIBC: ["GLIBC_2.34"]})}, "works", [])
    table.row("a program for the PC", {MODULE: module, "torch/bin/tool": HEADERS["a program"][0](pc)}, "unknown", ["machine"])
    table.row("soft floating point", {"torch/lib/libc10.so": make.library("armv7l", flags=["-mfloat-abi=softfp", "-mfpu=vfpv3-d16"])},
              "will_not_import", ["machine"], image="raspios-11-32", file=NAME % "linux_armv7l")
    table.row("a module named for the PC", {"torch/_C.cpython-39-x86_64-linux-gnu.so": module}, "will_not_import", ["extension_suffix"])
    table.row("a module without a tag", {"torch/_C.so": module}, "works", [])
    table.row("a newer glibc", {MODULE: make.library("aarch64", {GLIBC: ["GLIBC_2.17", "GLIBC_2.34"]})}, "will_not_import", ["symbol_version"])
    table.row("a newer libstdc++", {MODULE: make.library("aarch64", {GXX: ["GLIBCXX_3.4.30"]})}, "will_not_import", ["symbol_version"])
    table.row("a newer libgomp", {MODULE: make.library("aarch64", {"libgomp.so.1": ["GOMP_5.1"]})}, "will_not_import", ["symbol_version"])
    table.row("a package of the image", {MODULE: make.library("aarch64", {"libgomp.so.1": ["GOMP_4.0"]})}, "works", [])
    table.row("a package to install", {MODULE: make.library("aarch64", {"libopenblas.so.0": [""]})}, "works_once_installed", ["library"])
    table.row("what dpkg depends on", {MODULE: make.library("aarch64", {"libz.so.1": [""]})}, "works", [])
    table.row("a library that nobody has", {MODULE: make.library("aarch64", {"libmkl.so.2": [""]})}, "unknown", ["library"])
    table.row("MPI of another system", {MODULE: make.library("aarch64", {"libmpi.so.20": [""]})}, "unknown", ["library"])
    table.row("a library of Debian's index", {MODULE: make.library("aarch64", {"libonnx.so.1": [""]})}, "works_once_installed", ["library"])
    mpi = {"libmpi.so.40": [""]}
    trixie = {"image": "debian-13", "file": "torch-1.8.1-cp313-cp313-linux_aarch64.whl"}
    table.row("a library that Debian has for 64 bits", {"torch/_C.so": make.library("aarch64", mpi)}, "works_once_installed", ["library"], **trixie)
    table.row("a library that Debian has for 64 bits alone", {"torch/_C.so": make.library("armv7l", mpi)}, "unknown", ["library"],
              image="raspios-13-32", file=trixie["file"].replace("aarch64", "armv7l"))
    table.row("a library that Debian, not Ubuntu, is known to have", {"torch/_C.so": make.library("aarch64", {"libonnx.so.1": [""]})}, "unknown",
              ["library"], image="ubuntu-22.04", file="torch-1.8.1-cp310-cp310-linux_aarch64.whl")
    for tags, image, verdict in (("manylinux2014_aarch64", "ubuntu-18.04", "works_once_installed"), ("linux_aarch64", "ubuntu-18.04", "works"),
                                 ("manylinux2014_aarch64", "ubuntu-20.04", "works"), ("manylinux_2_17_aarch64", "ubuntu-20.04", "works_once_installed"),
                                 ("manylinux_2_17_aarch64.manylinux2014_aarch64", "ubuntu-20.04", "works")):
        python = "cp36-cp36m" if image == "ubuntu-18.04" else "cp38-cp38"
        table.row("pip of %s and %s" % (image, tags), {"torch/_C.so": module}, verdict, [] if verdict == "works" else ["platform"],
                  image=image, file="torch-1.8.1-%s-%s.whl" % (python, tags))
    first, second = ('const char module_%d[] = "numpy.%s._multiarray_umath", table_%d[] = "_ARRAY_API";' % (n, core, n) for n, core in enumerate(("core", "_core")))
    bookworm = {"image": "debian-12", "file": "torch-1.8.1-cp311-cp311-linux_aarch64.whl"}
    for name, source, requires, where, verdict in (
            ("NumPy 1 on a system with NumPy 2", first, (), trixie, "may_crash"), ("both NumPys", first + second, (), trixie, "works"),
            ("NumPy 1, and no newer one", first, ("sympy", "numpy (>=1.21,<2)"), trixie, "works"), ("NumPy 1 on a system with it", first, (), bookworm, "works"),
            ("NumPy 1, where METADATA asks for 2", first, ("numpy>=2; python_version > '3.9'",), bookworm, "may_crash"),
            ("NumPy 1 on a Python without NumPy 2", first, ("numpy>=2",), {"image": "ubuntu-20.04", "file": "torch-1.8.1-cp38-cp38-linux_aarch64.whl"}, "works")):
        table.row("a module for " + name, {"torch/_C.so": make.library("aarch64", source=source)}, verdict, [] if verdict == "works" else ["python_api"],
                  requires=requires, **where)
    stable, plain_tag = "torch-1.8.1-cp36-abi3-linux_aarch64.whl", NAME % "linux_aarch64"
    for name, path, file, image, verdict in (
            ("PyList_New", "torch/_C.abi3.so", stable, "debian-11", "works"), ("_PyObject_GetDictPtr", "torch/_C.abi3.so", stable, "debian-11", "unknown"),
            ("_PyObject_GetDictPtr", "torch/_C.so", stable, "debian-11", "unknown"), ("_PyObject_GetDictPtr", "torch/_C.so", plain_tag, "debian-11", "works"),
            ("_PyObject_GetDictPtr", "torch/_C.abi3.so", plain_tag, "debian-11", "unknown"),
            ("PyType_FromMetaclass", "torch/_C.abi3.so", stable, "debian-11", "unknown"), ("PyType_FromMetaclass", "torch/_C.abi3.so", stable, "debian-13", "works")):
        table.row("%s in %s of %s on %s" % (name, path, file, image), {path: make.library("aarch64", source="int %s(void); int take(void) { return %s(); }" % (name, name))},
                  verdict, [] if verdict == "works" else ["python_api"], image=image, file=file)
    # ld.so(8): who finds libinner.so, which libouter.so needs; both lie in torch/lib.
    rpath, runpath, here = (["-Wl,--%s-new-dtags,-rpath,%s" % each for each in (("disable", "$ORIGIN/lib"), ("enable", "$ORIGIN/lib"), ("enable", "/opt"))])
    for name, needs, link, outer, verdict in (("DT_RPATH of the module", ["libouter.so"], rpath, [], "works"), ("DT_RUNPATH of the module", ["libouter.so"], runpath, [], "unknown"),
                                              ("DT_RPATH of the module behind a DT_RUNPATH", ["libouter.so"], rpath, [here], "unknown"),
                                              ("a library that is there already", ["libinner.so", "libouter.so"], runpath, [], "works")):
        table.row(name, {MODULE: make.library("aarch64", {each: [""] for each in needs}, link=[link]),
                         "torch/lib/libouter.so": make.library("aarch64", {"libinner.so": [""]}, link=["-Wl,-soname,libouter.so", *outer]),
                         "torch/lib/libinner.so": make.library("aarch64", link=["-Wl,-soname,libinner.so"])}, verdict, [] if verdict == "works" else ["library"])
    inner = make.library("aarch64", link=["-Wl,-soname,libc10.so"])
    table.row("a library of the wheel", {MODULE: make.library("aarch64", {"libc10.so": [""]}, link=["-Wl,-rpath,$ORIGIN/lib"]),
                                         "torch/lib/libc10.so": inner}, "works", [])
    table.row("a library of the wheel where nothing leads", {MODULE: make.library("aarch64", {"libc10.so": [""]}),
                                                             "torch/lib/libc10.so": inner}, "unknown", ["library"])
    table.row("a run path that only begins like $ORIGIN", {
        MODULE: make.library("aarch64", {"libc10.so": [""]}, link=["-Wl,-rpath,$ORIGINAL/lib"]), "torch/lib/libc10.so": inner},
        "unknown", ["library"])
    table.row("CUDA that the board lacks", {MODULE: make.library("aarch64", {"libcudart.so.10.2": [""]})}, "will_not_import", ["library"])
    orin = {"board": "orin-agx", "image": "jetpack-5.1", "file": "torch-1.8.1-cp38-cp38-linux_aarch64.whl"}
    cuda11 = ["libcudart.so.11.0", "libcublas.so.11", "libcufft.so.10", "libnvToolsExt.so.1", "libcudnn.so.8", "libcuda.so.1"]
    table.row("CUDA 11, whose libraries count for themselves", {"torch/_C.so": make.library("aarch64", {each: [""] for each in cuda11})},
              "works", [], **orin)
    table.row("CUDA 12 on CUDA 11", {"torch/_C.so": make.library("aarch64", {"libcublas.so.12": [""]})}, "will_not_import", ["library"], **orin)
    cuda = make.library("aarch64", {"libcudart.so.10.2": [""], "libcudnn.so.8": [""]})
    tx2 = {"board": "tx2", "file": "torch-1.8.1-cp36-cp36m-linux_aarch64.whl"}
    plain = "torch/_C.so"
    table.row("CUDA of the image", {plain: cuda}, "works", [], image="jetpack-4.6", **tx2)
    table.row("CUDA of another image", {plain: cuda}, "will_not_import", ["library"], image="jetpack-4.3", **tx2)
    for ptx, architecture, verdict in ((False, 62, "works"), (False, 72, "may_crash"), (False, 60, "may_crash"),
                                       (True, 52, "works"), (True, 72, "may_crash")):
        table.row("a GPU of %s%d (made section)" % ("compute_" if ptx else "sm_", architecture),
                  {plain: make.library("aarch64", source=make.fat_binary(ptx, architecture))}, verdict,
                  [] if verdict == "works" else ["gpu"], image="jetpack-4.6", **tx2)
    # PTX for one architecture and for a family, on compute capability 11.0 and 8.7.
    for board, image, python, targets in (
            ("thor", "jetpack-7.0", 312, {"90": "works", "90a": "may_crash", "100f": "may_crash", "110a": "works", "110f": "works"}),
            ("orin-agx", "jetpack-6.0", 310, {"80": "works", "80a": "may_crash", "80f": "works", "75f": "may_crash"})):
        for target, verdict in targets.items():
            for packing in ("", "lz4", "zstd"):
                text = b"//\n.version 9.0\n.target sm_%s\n.address_size 64\n" % target.encode()
                table.row("PTX of compute_%s on %s %s(made section)" % (target, board, packing and packing + " "),
                          {plain: make.library("aarch64", source=make.fat_binary(True, int(target.strip("af")), text, packing))},
                          verdict, [] if verdict == "works" else ["gpu"], board=board, image=image,
                          file="torch-1.8.1-cp%d-cp%d-linux_aarch64.whl" % (python, python))
    old = ["-march=armv8-a"]
    table.row("atomics of ARMv8.0", {MODULE: make.library("aarch64", source=ATOMIC, flags=old + NO_OUTLINE)}, "works", [])
    for strip in (False, True):
        for name, source, flags, verdict in (
                ("atomics of ARMv8.1", ATOMIC, ["-march=armv8.1-a"] + NO_OUTLINE, "may_crash"),
                ("a kernel that is chosen", CHOSEN, NO_OUTLINE, "works"),
                ("a kernel behind a test", TESTED, NO_OUTLINE, "works"),
                ("a kernel that is called", CALLED, NO_OUTLINE, "may_crash"),
                ("a constructor", CONSTRUCTOR, NO_OUTLINE, "may_crash"),
                ("outline atomics", ATOMIC, old + ["-moutline-atomics"], "works")):
            link = ["-lgcc"] if "outline atomics" in name else []
            extra = ' __attribute__((visibility("hidden"))) unsigned char __aarch64_have_lse_atomics;' if link else ""
            table.row(name + (", stripped" if strip else ""),
                      {MODULE: make.library("aarch64", source=source + extra, flags=flags, link=link, strip=strip)}, verdict,
                      [] if verdict == "works" else ["instruction"])
    table.row("atomics of ARMv8.1 on a core that has them", {MODULE: make.library("aarch64", source=ATOMIC, flags=["-march=armv8.1-a"] + NO_OUTLINE)},
              "works", [], board="graviton2")
    for name, flags, verdict in (
            ("half", [], "may_crash"), ("half-in-module", [], "may_crash"), ("half-at-load", [], "may_crash"), ("callback", [], "may_crash"),
            ("chain", [], "may_crash"), ("chain", ["-fno-asynchronous-unwind-tables"], "may_crash"), ("asked", [], "works"),
            ("asked", ["-fno-asynchronous-unwind-tables"], "works"), ("asked-at-load", [], "works"), ("accessor", [], "works"),
            ("accessor", ["-fvisibility=hidden"], "works"), ("table", [], "works"), ("stored", [], "works"), ("unused", [], "works")):
        built = make.library("aarch64", source=make.SOURCES[name], flags=NO_OUTLINE + flags, link=["-lc"], strip=True)
        table.row("%s, stripped%s" % (name, " ".join([""] + flags)), {MODULE: built}, verdict, [] if verdict == "works" else ["instruction"])
    older, newer = (make.library("aarch64", source=source, flags=NO_OUTLINE) for source in ("", CALLED))
    module = make.library("aarch64", {GLIBC: ["GLIBC_2.17"]})
    for name, others, verdict in (("with one for other cores", {"torch/lib/libcpu-armv8.0_1.so": older}, "works"),
                                  ("with one for any core", {"torch/lib/libcpu.so": older}, "works"),
                                  ("with another library", {"torch/lib/libc10.so": older}, "may_crash"),
                                  ("with one elsewhere", {"torch/libcpu.so": older}, "may_crash"),
                                  ("that is needed", {"torch/lib/libcpu.so": older, "torch/lib/libuser.so": make.library(
                                      "aarch64", {"libcpu-armv8.2_1.so": [""]}, link=["-Wl,-rpath,$ORIGIN"])}, "may_crash")):
        table.row("a library for newer cores " + name, {MODULE: module, "torch/lib/libcpu-armv8.2_1.so": newer, **others}, verdict,
                  [] if verdict == "works" else ["instruction"])
    table.row("cryptography, which a maker may have added", {MODULE: make.library("aarch64", flags=["-march=armv8-a+crypto", "-ffreestanding"], source="""
#include <arm_neon.h>
uint8x16_t encrypt(uint8x16_t a, uint8x16_t b) { return vaeseq_u8(a, b); }""")}, "unknown", ["instruction"])
    length = 'int length(void) { long n; __asm__(".arch_extension sve\\n cntd %0" : "=r"(n)); return n; }'
    table.row("the length of vectors, as an unwinder asks for it", {MODULE: make.library("aarch64", source=length)}, "works", [])
    table.row("vectors of SVE", {MODULE: make.library("aarch64", source=length.replace("cntd %0", "cntd %0; ptrue p0.b"))},
              "may_crash", ["instruction"])
    module32 = "torch/_C" + make.SUFFIX["armv7l"]
    for board, image, verdict in (("rpi4", "raspios-11-32", "works"), ("pynq-z2", "pynq-2.7", "may_crash")):
        table.row("division on " + board, {module32.replace("39", "38") if board == "pynq-z2" else module32:
                                           make.library("armv7l", source=DIVIDE, flags=["-mcpu=cortex-a7", "-mfpu=neon-vfpv4"])},
                  verdict, [] if verdict == "works" else ["instruction"], board=board, image=image,
                  file=(NAME % "linux_armv7l").replace("39", "38" if board == "pynq-z2" else "39"))
    table.row("an ELF file that is cut", {MODULE: module[:600]}, "will_not_import", ["damaged"])
    table.row("an ELF file of four bytes", {MODULE: b"\x7fELF"}, "will_not_import", ["damaged"])
    table.row("damage that leaves the rest readable", {"torch/_C.so": make.library("aarch64", {GLIBC: ["GLIBC_2.38"]}, source='__asm__(".pushsection .nv_fatbin,\\"a\\"; .long 0xBA55ED50; .short 1, 16; .quad 9999; .popsection");')},
              "will_not_import", ["symbol_version"], image="jetpack-4.6", **tx2)


def on_rows(kind, values, form=make.SEGMENT):
    """A change of the headers of a kind: of program headers their type; of section headers their flags, if code."""
    def change(row):
        if (row[0] == kind) if form == make.SEGMENT else (row[2] & kind):
            for place, value in values.items():
                row[place] = value(row[place]) if callable(value) else value
    return lambda data: make.with_headers(data, form, change)


def at(form, place, value):
    return lambda data: make.changed(data, form, place, value)


LOAD, DYNAMIC, EXECUTE = 1, 2, 4
# What the headers of a library say -> whether glibc loads it. The same is done to a library for this machine.
HEADERS = {
    "nothing else": (lambda data: data, True),
    "another OS ABI": (at("B", 7, 9), False),
    "the OS ABI of GNU": (at("B", 7, 3), True),
    "a version of the OS ABI": (at("B", 8, 9), False),
    "bytes behind the identification": (at("B", 12, 1), False),
    "no version": (at("<I", 20, 0), False),
    "a program": (at("<H", 16, 2), False),
    "no size": (at("<H", 52, 0), True),
    "program headers of another size": (at("<H", 54, 32), False),
    "no program headers": (at("<H", 56, 0), False),
    "more program headers than it has": (at("<H", 56, 0xFFFF), False),
    "program headers that are cut": (lambda data: data[:100], False),
    "no segment to load": (on_rows(LOAD, {0: 0}), False),
    "a segment elsewhere in its page": (on_rows(LOAD, {2: lambda offset: offset + 8 if offset else 0}), False),
    "a segment beyond all addresses": (on_rows(LOAD, {6: lambda size: size + (1 << 60)}), False),
    "no dynamic section": (on_rows(DYNAMIC, {0: 0}), False),
    "a dynamic section in no segment": (on_rows(DYNAMIC, {3: 0x7000000}), False),
    "another hash of a version": (lambda data: data.replace(struct.pack("<I", 0x06969197), struct.pack("<I", 1)), False),
}


def headers(table):
    load = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    for name, (change, is_loaded) in HEADERS.items():
        verdict, rules = ("works", []) if is_loaded else ("will_not_import", ["damaged"])
        table.row("headers: " + name, {MODULE: change(make.library("aarch64", {GLIBC: ["GLIBC_2.17"]}))}, verdict, rules)
        if table.only:
            continue
        path = os.path.join(table.directory, "native.so")
        with open(path, "wb") as file:
            file.write(change(make.library("x86_64", {GLIBC: ["GLIBC_2.17"]} if "hash" in name else None)))
        if "hash" not in name or not is_loaded:  # the version has a name that no libc has
            table.judge("loader: " + name, is_loaded, subprocess.run([sys.executable, "-c", load, path], capture_output=True).returncode == 0)
    needy = make.library("aarch64", {GLIBC: ["GLIBC_2.99"]})
    for name, change in (("in its place", lambda data: data),
                         ("elsewhere in the file", lambda data: on_rows(DYNAMIC, {2: len(data)})(data + bytes(512))),
                         ("of another size", on_rows(DYNAMIC, {5: 16})),
                         ("whose number of versions is 0", lambda data: at("<Q", data.index(struct.pack("<Q", 0x6FFFFFFF)) + 8, 0)(data)),
                         ("whose texts have no size", lambda data: at("<Q", data.index(struct.pack("<QQ", 11, 24)) - 8, 0)(data))):
        table.row("a dynamic section " + name, {MODULE: change(needy)}, "will_not_import", ["symbol_version"])
    table.row("a dynamic section of no size", {MODULE: on_rows(DYNAMIC, {5: 0})(needy)}, "will_not_import", ["damaged", "symbol_version"])
    vectors = make.library("aarch64", source='int first(void) { return 1; } int length(void) { long n; __asm__(".arch_extension sve\\n cntd %0; ptrue p0.b" : "=r"(n)); return n; }')
    for name, values in (("an offset that is not theirs", {4: 0x1C8}), ("an address that is not theirs", {3: lambda address: address + 0x1000}),
                         ("the size of an instruction", {5: 4}), ("no code by their flags", {2: 2}), ("no bytes by their kind", {1: 8})):
        table.row("sections of code with " + name, {MODULE: on_rows(EXECUTE, values, make.SECTION)(vectors)}, "may_crash", ["instruction"])
    def lost(row):  # no symbols by their kind, and data in place of code
        row[2] ^= EXECUTE if row[2] & EXECUTE or (row[1] == 3 and row[3]) else 0
        row[1] = 1 if row[1] in (2, 11) else row[1]
    table.row("sections of no kind", {MODULE: make.with_headers(vectors, make.SECTION, lost)}, "may_crash", ["instruction"])
    table.row("no sections", {MODULE: at("<Q", 40, 0)(at("<H", 60, 0)(vectors))}, "may_crash", ["instruction"])
    aligned = on_rows(LOAD, {7: 8})(make.library("aarch64"))
    table.row("segments that are aligned to pages alone", {MODULE: aligned}, "will_not_import", ["damaged"])
    table.row("segments that are aligned to pages alone, on a newer glibc", {"torch/_C.so": aligned}, "works", [],
              image="debian-13", file="torch-1.8.1-cp313-cp313-linux_aarch64.whl")
    small_pages = make.library("aarch64", source="int data[2] = {1, 2};", link=["-Wl,-z,max-page-size=4096"])
    pi = {"file": "torch-1.8.1-cp311-cp311-linux_aarch64.whl"}
    table.row("segments for pages of 4 KiB", {"torch/_C.so": small_pages}, "works", [], image="raspios-12-64", **pi)
    table.row("segments for pages of 4 KiB, on a kernel with 16 KiB", {"torch/_C.so": small_pages}, "will_not_import", ["damaged"],
              board="rpi5", image="raspios-12-64", **pi)
    table.row("segments for pages of 64 KiB, on a kernel with 16 KiB", {"torch/_C.so": make.library("aarch64", source="int data[2] = {1, 2};")},
              "works", [], board="rpi5", image="raspios-12-64", **pi)
    # The number of relative relocations becomes packed ones: no linker here makes these for ARM.
    pointers = "int first, second; int *const places[] = {&first, &second};"
    pack = lambda data: data.replace(struct.pack("<Q", 0x6FFFFFF9), struct.pack("<Q", 36))
    hidden = ["-fvisibility=hidden"]
    packed = pack(make.library("aarch64", {GLIBC: ["GLIBC_2.17"]}, source=pointers, flags=hidden))
    table.row("packed relocations without their version", {"torch/_C.so": packed}, "will_not_import", ["symbol_version"], image="debian-12", **pi)
    packed = pack(make.library("aarch64", source=pointers, flags=hidden))
    table.row("packed relocations, no versions", {"torch/_C.so": packed}, "works", [], image="debian-12", **pi)
    table.row("packed relocations, no versions, on an older glibc", {MODULE: packed}, "will_not_import", ["symbol_version"])
    if not table.only and shutil.which("ld.lld") and os.confstr("CS_GNU_LIBC_VERSION") >= "glibc 2.36":
        path = os.path.join(table.directory, "packed.so")
        with open(path, "wb") as file:
            file.write(make.library("x86_64", source="#include <stdlib.h>\nvoid* take(void) { return malloc(1); }" + pointers, flags=hidden,
                                    link=["-lc", "-fuse-ld=lld", "-Wl,--pack-dyn-relocs=relr"]))
        told = subprocess.run([sys.executable, "-c", load, path], capture_output=True, text=True)
        table.judge("loader: packed relocations without their version", True, "DT_RELR without GLIBC_ABI_DT_RELR dependency" in told.stderr)
    for library in ("libc.so", "libc.musl-aarch64.so.1"):
        table.row("musl: " + library, {MODULE: make.library("aarch64", {library: [""]})}, "will_not_import", ["library"])
    table.row("a library that is marked against it", {MODULE: make.library("aarch64", link=["-Wl,-z,nodlopen"])}, "will_not_import", ["damaged"])
    table.row("a library that it filters", {MODULE: make.library("aarch64", link=["-Wl,-F,libnosuch.so"])}, "unknown", ["library"])
    thread_local = 'static __thread char data[%d]; char *here(void) { return data; }'
    for size, verdict in ((9000000, "will_not_import"), (200, "works")):
        static = make.library("aarch64", source=thread_local % size, flags=["-ftls-model=initial-exec"])
        table.row("%d bytes of static thread-local data" % size, {MODULE: static}, verdict, [] if verdict == "works" else ["damaged"])
    table.row("much thread-local data", {MODULE: make.library("aarch64", source=thread_local % 9000000, link=["-lc"])}, "works", [])
    for version, verdict in (("V2", "works"), ("V3", "will_not_import")):
        own = make.library("aarch64", source="int taken_libown_so_0(void) { return 1; }", link=["-Wl,-soname,libown.so"],
                           versions="%s { global: taken_libown_so_0; };" % version)
        table.row("a library of its own with the version " + version,
                  {MODULE: make.library("aarch64", {"libown.so": ["V2"]}, link=["-Wl,-rpath,$ORIGIN/lib"]), "torch/lib/libown.so": own}, verdict,
                  [] if verdict == "works" else ["symbol_version"])
    table.row("a package beside a module", {MODULE: make.library("aarch64"), "torch/_C/__init__.py": b""}, "will_not_import", ["extension_suffix"])
    table.row("a program", {"torch/bin/protoc": HEADERS["a program"][0](make.library("aarch64"))}, "works", [])
    table.row("a program that no loader takes", {"torch/bin/protoc": HEADERS["no version"][0](make.library("aarch64"))}, "unknown", ["damaged"])
    table.row("a program that is needed as a library", {
        MODULE: make.library("aarch64", {"protoc": [""]}, link=["-Wl,-rpath,$ORIGIN/bin"]),
        "torch/bin/protoc": HEADERS["a program"][0](make.library("aarch64"))}, "unknown", ["library"])


def advice(table):
    if table.only:
        return
    for name, run_path, wanted in (
            ("leads outside alone", "/opt", "patchelf --remove-rpath removes it"),
            ("leads inside, too", "/opt:$ORIGIN/lib", "patchelf --set-rpath '$ORIGIN/lib' removes it"),
            ("ends the quotes of a shell", "/opt:$ORIGIN/';echo", "patchelf --set-rpath '$ORIGIN/'\\'';echo' removes it"),
            ("moves a cursor", "/opt:$ORIGIN/\x1b[2J", "patchelf --set-rpath '$ORIGIN/\\u001B[2J' removes it")):
        path = table.wheel(NAME % "linux_aarch64", {MODULE: make.library("aarch64", link=["-Wl,-rpath," + run_path])})
        said = subprocess.run([PROGRAM, "wheel", "check", path, "--board", "rpi4", "--image", "debian-11"], capture_output=True, text=True).stdout
        table.judge("a run path that " + name, True, wanted in said and "\x1b" not in said or said)


    for source, wanted in (("half", "in 0x", ), ("half", "(called by operation)"), ("chain", "(called by operation)"),
                           ("half-in-module", "(runs at import, called by PyInit_made)"), ("half-at-load", "(runs at import)")):
        path = table.wheel(NAME % "linux_aarch64", {MODULE: make.library("aarch64", source=make.SOURCES[source], link=["-lc"], strip=True)})
        told = [each["found"] for each in check(path, "--board", "rpi4", "--image", "debian-11")[1]["wheels"][0]["findings"]]
        table.judge("how it is reached: " + source, True, any(wanted in each for each in told) or told)
    path = table.wheel(NAME % "linux_aarch64", {MODULE: make.library("aarch64", source=make.HALF + "float _ZN2at6native3dotEf(float a) { return half(a); }")})
    told = check(path, "--board", "rpi4", "--image", "debian-11")[1]["wheels"][0]["findings"][0]["found"]
    table.judge("how it is reached: a function of C++", "has 1 instruction of fp16 in half (called by at::native::dot)", told)


def companions(table):
    if table.only:
        return
    source = "int _ZN3c103oldEv(void) { return 0; }\n"
    own = make.library("aarch64", source="int _ZN2at3ownEv(void) { return 0; }", link=["-Wl,-soname,libown.so"])
    torch = table.wheel(NAME % "linux_aarch64", {"torch/lib/libc10.so": make.library("aarch64", source=source)})
    for name, taken, version, verdict in (("names that torch has", "_ZN3c103oldEv", "0.9.1", "works"),
                                          ("names that torch lacks", "_ZN3c103newEv", "0.9.1", "will_not_import"),
                                          ("a name of its own library", "_ZN2at3ownEv", "0.9.1", "works"),
                                          ("a name of libstdc++", "_ZNSs2atEm", "0.9.1", "works"),
                                          ("the version for another patch release", "_ZN3c103oldEv", "0.9.0", "works"),
                                          ("names that another patch release has", "_ZN3c103newEv", "0.9.0", "will_not_import"),
                                          ("the version for another torch", "_ZN3c103oldEv", "0.8.2", "unknown")):
        vision = table.wheel("torchvision-%s-cp39-cp39-linux_aarch64.whl" % version, {
            "torchvision/_C.so": make.library("aarch64", source="int %s(void); int take(void) { return %s(); }" % (taken, taken)),
            "torchvision/libown.so": own}, name="torchvision", version=version)
        report = check(vision, torch, "--board", "rpi4", "--image", "debian-11")[1]
        found = report["wheels"][0]
        table.judge("companion: " + name, verdict, found["verdict"])


def names(table):
    if table.only:
        return
    module = make.library("aarch64", {GLIBC: ["GLIBC_2.17"]})
    wrong = table.wheel(NAME % "linux_x86_64", {"torch/_C.cpython-39-x86_64-linux-gnu.so": module, "torch/lib/libc10.so": module})

    def fix(file, output, *more):
        done = subprocess.run([PROGRAM, "wheel", "fix-names", file, "--board", "rpi4", "--image", "debian-11", "--output",
                               os.path.join(table.directory, output), "--json", *more], capture_output=True, text=True)
        return done.returncode, json.loads(done.stdout or "{}")

    code, first = fix(wrong, "fixed")
    second = fix(wrong, "again")[1]
    table.judge("fix-names: what it renames", (0, [{"from": "torch/_C.cpython-39-x86_64-linux-gnu.so", "to": MODULE}],
                                               {"from": "linux_x86_64", "to": "linux_aarch64"}),
                (code, first.get("modules"), first.get("platform")))
    with open(first["output"], "rb") as one, open(second["output"], "rb") as two:
        table.judge("fix-names: the same bytes", True, one.read() == two.read())
    table.judge("fix-names: works then", "works", check(first["output"], "--board", "rpi4", "--image", "debian-11")[1]["wheels"][0]["verdict"])
    table.judge("fix-names: right names stay", (0, None), (lambda code, said: (code, said["output"]))(*fix(first["output"], "third")))
    table.judge("fix-names: already exists", 7, fix(wrong, "fixed")[0])
    table.judge("fix-names: another machine", 2, fix(table.wheel(NAME % "linux_armv7l", {
        "torch/_C.cpython-39-arm-linux-gnueabihf.so": make.library("armv7l")}), "none")[0])
    table.judge("fix-names: another Python", 2, fix(table.wheel("torch-1.8.1-cp38-cp38-linux_x86_64.whl", {
        "torch/_C.cpython-38-x86_64-linux-gnu.so": module}), "none")[0])
    table.judge("fix-names: a module of another Python keeps its name", [], fix(table.wheel(NAME % "linux_x86_64", {
        "torch/_C.cpython-38-x86_64-linux-gnu.so": module}), "kept")[1]["modules"])
    table.judge("fix-names: others may read it", 0o644, os.stat(first["output"]).st_mode & 0o777)
    table.judge("fix-names: hides no damage", 2, fix(table.wheel(NAME % "linux_x86_64", {
        "torch/_C.cpython-39-x86_64-linux-gnu.so": module}, record=lambda text: text.replace("sha256=", "sha256=A", 1)), "none")[0])
    table.judge("fix-names: pip takes it", 0, subprocess.run([sys.executable, "-c", "import sys, zipfile; sys.exit(zipfile.ZipFile(sys.argv[1]).testzip() is not None)", first["output"]]).returncode)


def main(only):
    missing = [compiler for compiler in make.COMPILERS.values() if not shutil.which(compiler)]
    if missing:
        print("run.py: %s is not there" % " and ".join(missing))
        return 125
    with tempfile.TemporaryDirectory() as directory:
        table = Table(directory, only)
        platforms(table)
        boards(table)
        headers(table)
        advice(table)
        companions(table)
        names(table)
    print("%d rows, %d red" % (table.rows, table.red))
    return 1 if table.red or not table.rows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
