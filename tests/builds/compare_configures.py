#!/usr/bin/env python3
"""Compares what two configures of one release decided: a cross configure, and one on the board's system.

compare_configures.py CROSS NATIVE: each has CMakeCache.txt, compile_commands.json, headers/ and trace.json, CMake's trace of
every command (--trace-format=json-v1). Prints the checks that either reached whose answer depends on running a program or on
the machine that configures, with the answers of both; each header and each compile command that differs; and a line of
figures. Exit code 1 where a header or a command differs.
"""
import collections
import json
import os
import re
import shlex
import sys

RUNS = re.compile(r"^(try_run|check_[a-z]+_source_runs|exec_program|execute_process|cmake_host_system_information|site_name)$")
# What names the place of a compiler or tool, or says what the compiler does anyway (gcc's ABI since version 5), and no more.
PLACES = [
    (re.compile(r" ?-D_GLIBCXX_USE_CXX11_ABI=1\b"), ""),
    (re.compile(r"/usr/bin/(aarch64-linux-gnu|arm-linux-gnueabihf)-(gcc|g\+\+|ar|ranlib|as)(-[\d.]+)?"), r"/usr/bin/\2"),
    (re.compile(r"/usr/bin/(cc|c\+\+)(?![\w+-])"), lambda match: "/usr/bin/" + {"cc": "gcc", "c++": "g++"}[match.group(1)]),
]


# SLEEF's generators run on the machine that compiles; a cross build has compiled them before.
GENERATORS = re.compile(r"^sleef/.*/CMakeFiles/(mk[a-z_]+|addSuffix)\.dir/")


def plain(text):
    for pattern, replacement in PLACES:
        text = pattern.sub(replacement, text)
    return text


def read_cache(place):
    cache = {}
    with open(os.path.join(place, "CMakeCache.txt")) as file:
        for line in file:
            match = re.match(r"([^#/:\s][^:]*):[A-Z]+=(.*)", line)
            if match:
                cache[match.group(1)] = match.group(2)
    return cache


def read_checks(place):
    """(file:line, command, what it asks) of each command that asks the machine."""
    checks = []
    with open(os.path.join(place, "trace.json"), errors="replace") as file:
        for line in file:
            try:
                call = json.loads(line)
            except ValueError:
                continue
            command, words = call.get("cmd", "").lower(), call.get("args", [])
            asks_proc = command == "file" and any(word.startswith(("/proc/", "/etc/")) for word in words)
            branches = command in ("if", "elseif") and any("CROSSCOMPILING" in word for word in words)
            if not (RUNS.match(command) or asks_proc or branches):
                continue
            where = call["file"].replace("/tree/pytorch/", "")
            asked = words[-1] if "source_runs" in command else words[0] if command == "try_run" else " ".join(words)
            checks.append((f"{where}:{call['line']}", command, " ".join(plain(asked).split())[:100]))
    return checks


def read_commands(place):
    """Output → the words of the command that makes it, without what names a place."""
    commands = {}
    with open(os.path.join(place, "compile_commands.json")) as file:
        for entry in json.load(file):
            words = shlex.split(plain(entry["command"]))
            output = words[words.index("-o") + 1] if "-o" in words else entry["file"]
            if not GENERATORS.match(output):
                commands[output] = words
    return commands


def read_headers(place):
    headers = {}
    root = os.path.join(place, "headers")
    for directory, _, names in os.walk(root):
        for name in names:
            path = os.path.join(directory, name)
            with open(path, errors="replace") as file:
                headers[os.path.relpath(path, root)] = plain(file.read())
    return headers


def main(cross, native):
    caches = [read_cache(place) for place in (cross, native)]
    checks = [collections.Counter(read_checks(place)) for place in (cross, native)]
    print("checks that ask the machine: where, command, what; times reached and answer in the cross configure, on the board")
    for check in sorted(set(checks[0]) | set(checks[1])):
        answers = [f"{side[check]}x {cache.get(check[2], '-')}" for side, cache in zip(checks, caches)]
        print("  ", *check, *answers, sep="\t")
    different = 0
    headers = [read_headers(place) for place in (cross, native)]
    for path in sorted(set(headers[0]) | set(headers[1])):
        one, other = headers[0].get(path), headers[1].get(path)
        if one == other:
            continue
        different += 1
        print("header", path, "is only in one" if None in (one, other) else "differs:")
        if None not in (one, other):
            lines = [set(text.splitlines()) for text in (one, other)]
            for line in sorted(lines[0] - lines[1]):
                print("   cross: ", line)
            for line in sorted(lines[1] - lines[0]):
                print("   native:", line)
    commands = [read_commands(place) for place in (cross, native)]
    kinds = collections.defaultdict(list)
    for output in sorted(set(commands[0]) | set(commands[1])):
        one, other = commands[0].get(output), commands[1].get(output)
        if one == other:
            continue
        one, other = one or ["(none)"], other or ["(none)"]
        less, more = [w for w in one if w not in other], [w for w in other if w not in one]
        kinds[(" ".join(less), " ".join(more)) if less or more else ("order", "order")].append(output)
    for (less, more), outputs in sorted(kinds.items()):
        print(f"{len(outputs)} commands, such as {outputs[0]}\n   cross:  {less}\n   native: {more}")
    unlike = sum(map(len, kinds.values()))
    print(f"{len(headers[0])} headers, {different} differ; {len(commands[0])} compile commands, {unlike} differ")
    return 1 if different or unlike else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
