#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles what the patches of a tree touch; configure.sh --touched runs it in the recipe's root, in place of ninja.

Each C, C++ or assembly file, and for each header at least three files that include it: first those that create an object of a class
that the patch changes, then those that use most of its words. Assembly, and for each header of vectors one of these files, are
compiled as the build does, the others with -fsyntax-only. Writes a line per file and the figures to /tree/touched.txt. Always exits 1, so that the recipe stops.
"""
import collections
import json
import os
import re
import shlex
import subprocess
import time

TREE = "/tree/pytorch"
BUILD = TREE + "/build"
SOURCE = re.compile(r"\.(c|cc|cpp|cxx|S)$")
HEADER = re.compile(r"\.(h|hpp|inl)$")
VECTORS = re.compile(r"/cpu/vec(256)?/")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)
WORD = re.compile(r"[A-Za-z_]\w{5,}")
AT_LEAST = 3


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_commands():
    """Returns the compile command of each source; a kernel is compiled as a copy, NAME.DEFAULT.cpp."""
    commands = {}
    for entry in load(BUILD + "/compile_commands.json"):
        path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        copied = re.fullmatch(re.escape(BUILD) + r"/(.*?)(\.DEFAULT\.cpp)?", path)
        if copied and os.path.isfile(os.path.join(TREE, copied[1])):
            path = os.path.join(TREE, copied[1])
        commands.setdefault(path, entry)
    return commands


def read_patches():
    """Returns for each path that a patch touches its patchsets and the lines of its hunks."""
    # What the 64-bit plan has, too, was compiled for that.
    known = {patch["sha256"] for patch in load("/recipe/aarch64.json")["patches"]} if os.path.exists("/recipe/aarch64.json") else set()
    names, hunks = collections.defaultdict(set), collections.defaultdict(str)
    for patch in load("/tree/torchpatch/manifest.json")["patches"]:
        folders = patch["repository"].split(":")
        if folders[0] != "torch" or patch["sha256"] in known:
            continue
        for part in re.split(r"^diff --git .*\n", read("/tree/torchpatch/" + patch["file"]), flags=re.M)[1:]:
            path = re.search(r"^\+\+\+ b/(.*?)\s*$", part, re.M)
            if path and (SOURCE.search(path[1]) or HEADER.search(path[1])):
                path = os.path.join(TREE, *folders[1:], path[1])
                names[path].add(patch["patchset"])
                hunks[path] += part
    return names, hunks


def read_includes(sources):
    """Returns for each name of a header the files that include it, each with what it wrote."""
    files = set(sources)
    for top, folders, names in os.walk(TREE):
        folders[:] = [folder for folder in folders if folder not in (".git", "build")]
        files.update(os.path.join(top, name) for name in names if HEADER.search(name))
    includes = collections.defaultdict(list)
    for path in sorted(file for file in files if os.path.isfile(file)):
        for written in INCLUDE.findall(read(path)):
            includes[os.path.basename(written)].append((path, re.sub(r"^(\.\.?/)+", "", written)))
    return includes


def including(header, sources, includes):
    """Returns the sources that include a header, of those levels of inclusion that the first three are on."""
    found, seen, level = [], {header}, [header]
    while level and len(found) < AT_LEAST:
        level = sorted({path for one in level for path, written in includes[os.path.basename(one)] if ("/" + one).endswith("/" + written)} - seen)
        seen.update(level)
        found += [path for path in level if path in sources]
    return found


def choose(hunks, found, taken):
    """Returns those of the files that show most of what the hunks of a header do, rather such as are taken already."""
    texts = {path: read(path) for path in found}
    classes = set(re.findall(r"^(?:@@.*@@|[ +-])\s*(?:struct|class) (?:\w+_API )?(\w+)", hunks, re.M))
    words = set(WORD.findall("\n".join(re.findall(r"^(?:\+(?!\+\+ )|@@.*@@)(.*)", hunks, re.M)))) | classes
    used_by = {word: sum(word in text for text in texts.values()) for word in words}
    creates = re.compile(r"(?:make_intrusive|make_unique|make_shared)\s*<\s*(?:\w+::)*(?:%s)\b|\bnew (?:%s)\b" % (("|".join(classes) or "(?!)",) * 2))
    scores = {path: sum(1 / used_by[word] for word in words if word in text) * (2 if path in taken else 1) for path, text in texts.items()}
    ranked = sorted(found, key=lambda path: (creates.search(texts[path]) is None, -scores[path], path))
    creating = sum(creates.search(texts[path]) is not None for path in found)
    return ranked[:max(AT_LEAST, creating)]


def ninja(*words):
    return subprocess.run(["/usr/bin/ninja", "-C", BUILD, *words], capture_output=True, text=True, check=False).stdout


def read_order(target, seen):
    """Returns what is made before a target's files are compiled."""
    made = []
    for name in re.findall(r"^ {4}(?:\|\|? )?(\S+)$", ninja("-t", "query", target).partition("outputs:")[0], re.M):
        if name not in seen:
            seen.add(name)
            made += read_order(name, seen) if name.startswith("cmake_object_order_depends_") else [] if name.endswith(".dir") else [name]
    return made


def generate(entries):
    """Makes what the build generates before it compiles these, unless libraries have to be built for it, as for protobuf in 1.1.0."""
    targets = sorted({match[1] for entry in entries if (match := re.search(r"CMakeFiles/([^/]+)\.dir/", entry["command"]))})
    seen = set()
    made = [name for target in targets for name in read_order("cmake_object_order_depends_target_" + target, seen)]
    generated = {name for name in made if re.search(r"\.(h|cpp|yaml)$", name) and ".pb." not in name}
    for names in sorted(generated), [name for name in made if name not in generated]:
        if names and ".dir/" not in ninja("-t", "commands", *names):
            print(ninja("-k", "0", "-j", "1", *names), flush=True)


def compile_file(entry, is_whole):
    """Returns the first error, or nothing; without optimisation and assembly if it is not whole."""
    words = shlex.split(entry["command"])
    output = words.index("-o")
    words[output + 1] = "/dev/null"
    if not is_whole:
        words.append("-fsyntax-only")
    done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode == 0:
        return ""
    told = re.sub(r"\x1b\[[\d;]*[mK]", "", done.stderr)
    return next((line for line in told.splitlines() if re.search(r"error:|Error:", line)), told[-300:])


def main():
    commands = read_commands()
    names, hunks = read_patches()
    includes = read_includes(commands) if any(HEADER.search(path) for path in names) else {}
    chosen, whole, failures = collections.defaultdict(set), set(), 0
    with open("/tree/touched.part", "w", encoding="utf-8", buffering=1) as report:
        for path, patchsets in sorted(names.items(), key=lambda item: HEADER.search(item[0]) is not None):
            files = choose(hunks[path], including(path, commands, includes), chosen) if HEADER.search(path) else [path]
            files = [one for one in files if one in commands]
            for one in files:
                chosen[one] |= patchsets
            if path.endswith(".S") or VECTORS.search(path):
                whole.update(files[:1])
            if not files:
                report.write("not built by this plan: %s (%s)\n" % (os.path.relpath(path, TREE), ", ".join(sorted(patchsets))))
        generate([commands[path] for path in chosen])
        for path in sorted(chosen):
            began = time.monotonic()
            error = compile_file(commands[path], path in whole)
            failures += error != ""
            report.write("%s %4.0f s  %s (%s)\n" % ("FAILS" if error else "ok   ", time.monotonic() - began, os.path.relpath(path, TREE),
                                                    ", ".join(sorted(chosen[path]))))
            if error:
                report.write("    " + error + "\n")
        report.write("%d files compiled, %d fail; %d files touched by %d patchsets\n" %
                     (len(chosen), failures, len(names), len(set().union(*names.values()))))
    os.rename("/tree/touched.part", "/tree/touched.txt")


main()
raise SystemExit(1)
