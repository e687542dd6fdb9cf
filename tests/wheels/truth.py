#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares `wheel check` with the truth, by the rows of truth.tsv: truth.py [--cache DIR] [WORD…]. Fetches packages of
Debian with apt and of npm with npm into DIR, packs each row's ELF files into a wheel, and judges that with TORCHPATCH;
a WORD chooses rows whose recipe has it. Needs patchelf and the cross compilers. Exit code 1 if fewer than 95 in 100
rows agree, or if one that crashes or does not import is not told.

A recipe is `deb SUITE ARCH PACKAGE…`, `npm PACKAGE@VERSION FILE…` (patterns of the files that are packed), or `c ARCH
SOURCE FLAG…` with a source of make.py. The truth is `run CORE: PYTHON`, which is what a root with that package did under
qemu with that core, `node CORE: JAVASCRIPT`, or `rule: …`."""
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import make
import run

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = os.path.join(HERE, "truth.tsv")
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
MACHINES = {"arm64": "aarch64", "armhf": "armv7l"}
PYTHONS = {"bullseye": "39", "bookworm": "311", "trixie": "313"}
WORST = ["works", "works_once_installed", "unknown", "may_crash", "will_not_import"]


def apt(cache, suite, arch):
    """Returns the environment of an apt for another system."""
    root = os.path.join(cache, "apt", suite + "-" + arch)
    mirror = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Origin: Debian", "Label: Debian"],
                            capture_output=True, text=True, check=True).stdout.split("\n")[0]
    for part in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(root, part), exist_ok=True)
    with open(os.path.join(root, "sources.list"), "w") as file:
        file.write("deb [arch=%s signed-by=%s] %s %s main\n" % (arch, KEYS, mirror, suite))
    open(os.path.join(root, "status"), "a").close()
    with open(os.path.join(root, "apt.conf"), "w") as file:
        file.write('Dir::State "%s"; Dir::State::lists "%s/lists"; Dir::State::status "%s/status"; Dir::Cache "%s/cache";\n'
                   'Dir::Etc::sourcelist "%s/sources.list"; Dir::Etc::sourceparts "/dev/null"; APT::Architecture "%s";\n'
                   'APT::Architectures "%s"; Acquire::Languages "none"; APT::Sandbox::User "root";\n' % (root, root, root, root, root, arch, arch))
    environment = dict(os.environ, APT_CONFIG=os.path.join(root, "apt.conf"))
    if not glob.glob(os.path.join(root, "lists", "*Packages*")):
        subprocess.run(["apt-get", "update", "-qq"], env=environment, check=True)
    return environment


def deb(cache, suite, arch, packages):
    """Returns a folder with the files of packages."""
    folder = os.path.join(cache, "deb", suite + "-" + arch, "+".join(packages))
    if not os.path.isdir(folder):
        with tempfile.TemporaryDirectory(dir=cache) as fetched:
            subprocess.run(["apt-get", "download", "-qq", *packages], env=apt(cache, suite, arch), check=True, cwd=fetched)
            os.makedirs(folder)
            for file in glob.glob(os.path.join(fetched, "*.deb")):
                subprocess.run(["dpkg-deb", "-x", file, folder], check=True)
    return folder


def npm(cache, package):
    folder = os.path.join(cache, "npm", package)
    if not os.path.isdir(folder):
        with tempfile.TemporaryDirectory(dir=cache) as fetched:
            subprocess.run(["npm", "pack", "--silent", package], check=True, cwd=fetched, stdout=subprocess.DEVNULL)
            os.makedirs(folder)
            subprocess.run(["tar", "-xf", *glob.glob(os.path.join(fetched, "*.tgz")), "-C", folder, "--strip-components=1"], check=True)
    return folder


def dynamic(path, tag):
    said = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True).stdout
    return re.findall(r"\(%s\).*\[(.*)\]" % tag, said)


def elf_files(folder, patterns):
    """Name in the wheel -> path, of the libraries and modules in a folder."""
    found = {}
    for directory, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(directory, name)
            inner = os.path.relpath(path, folder)
            if os.path.islink(path) or not any(fnmatch.fnmatch(inner, pattern) for pattern in patterns):
                continue
            with open(path, "rb") as file:
                if file.read(4) != b"\x7fELF":
                    continue
            if "dist-packages/" in inner:
                found[inner.split("dist-packages/")[1]] = path
            else:
                soname = (dynamic(path, "SONAME") or [name])[0]
                found["made/" + (name.split(".")[0] + ".so" if name.endswith(".node") else soname)] = path
    return found


def wheel(cache, recipe, directory):
    """Packs the wheel of a recipe, and returns its path."""
    kind, *words = recipe.split(" ")
    if kind == "c":
        machine, source, *flags = words
        strip = "strip" in flags
        flags = [flag for flag in flags if flag != "strip"]
        path = os.path.join(directory, "made-1.0-py3-none-linux_%s.whl" % machine)
        make.wheel(path, {"made.so": make.library(machine, source=make.SOURCES[source], flags=["-mno-outline-atomics"] * (machine == "aarch64") + flags,
                                                  link=["-lc"], strip=strip)}, name="made", version="1.0")
        return path
    if kind == "deb":
        suite, arch, *packages = words
        files = elf_files(deb(cache, suite, arch, packages), ["usr/lib/*.so*", "lib/*.so*"])
        name = packages[0]
    else:
        suite, arch, name = "bookworm", "arm64", words[0].split("@")[0 if words[0][0] != "@" else 1]
        files = elf_files(npm(cache, words[0]), words[1:])
    base = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    tag = "cp%s-cp%s" % (PYTHONS[suite], PYTHONS[suite]) if any(".cpython-" in file for file in files) else "py3-none"
    path = os.path.join(directory, "%s-1.0-%s-linux_%s.whl" % (base, tag, MACHINES[arch]))
    packed = {}
    names = {os.path.basename(file) for file in files}
    for file, source in files.items():
        if names & set(dynamic(source, "NEEDED")):  # in a wheel, they need a way to one another
            copy = os.path.join(directory, "file.so")
            subprocess.run(["cp", source, copy], check=True)
            places = sorted({os.path.relpath(os.path.dirname(other), os.path.dirname(file)) for other in files})
            subprocess.run(["patchelf", "--set-rpath", ":".join("$ORIGIN/" + place for place in places), copy], check=True)
            source = copy
        with open(source, "rb") as opened:
            packed[file] = opened.read()
    if not packed:
        raise SystemExit("truth.py: %s has no ELF file" % recipe)
    make.wheel(path, packed, name=base, version="1.0")
    return path


def rows():
    with open(ROWS) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


def main(arguments):
    cache = "/var/tmp/torchpatch-truth"
    if arguments[:1] == ["--cache"]:
        cache, arguments = arguments[1], arguments[2:]
    os.makedirs(cache, exist_ok=True)
    table, agreed, missed, false, kinds = [], 0, 0, 0, {}
    before, path = None, None
    with tempfile.TemporaryDirectory(dir=cache) as directory:
        for recipe, board, image, wanted, truth in rows():
            if arguments and not any(word in recipe for word in arguments):
                continue
            if recipe != before:
                if path:
                    os.unlink(path)
                before, path = recipe, wheel(cache, recipe, directory)
            judged = run.check(path, "--board", board, "--image", image)[1]["wheels"][0]
            found = judged["verdict"]
            crash = [each for each in judged["findings"] if each["rule"] == "instruction" and each["verdict"] in ("may_crash", "unknown")]
            table.append(found)
            agreed += found == wanted
            missed += WORST.index(found) < WORST.index(wanted) and wanted in ("may_crash", "will_not_import")
            false += WORST.index(found) > WORST.index(wanted)
            kind = recipe.split(" ")[0]
            kinds.setdefault(kind, []).append(found == wanted)
            wrong_crash = bool(crash) != (wanted == "may_crash") and wanted != "will_not_import"
            if found != wanted or wrong_crash:
                worst = [each for each in judged["findings"] if each["verdict"] == found] or [{"rule": "", "found": "", "path": ""}]
                print("%s %s\t%s %s: expected %s, found %s (%s)\n    %s: %s\n    %s" % (
                    "RED" if found != wanted else "crash", recipe, board, image, wanted, found, worst[0]["rule"], worst[0]["path"], worst[0]["found"], truth))
                for each in crash if wrong_crash else []:
                    print("    instruction: %s: %s" % (each["path"], each["found"]))
            sys.stdout.flush()
    if not table:
        return 1
    print("%d rows, %d agree (%.1f %%), %d missed, %d false; %s" % (len(table), agreed, 100 * agreed / len(table), missed, false, ", ".join(
        "%s: %d of %d" % (kind, sum(right), len(right)) for kind, right in sorted(kinds.items()))))
    return 1 if agreed < 0.95 * len(table) or missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
