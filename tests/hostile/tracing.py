# SPDX-License-Identifier: BSD-3-Clause
"""G1 by the system calls themselves: what is created, opened to be written, changed, renamed or removed, and who is called."""
import os
import re
import shutil

import program

CHANGES = {"mkdir": 1, "mkdirat": 1, "rmdir": 1, "unlink": 1, "unlinkat": 1, "rename": 2, "renameat": 2, "renameat2": 2, "link": 2,
           "linkat": 2, "chmod": 1, "fchmodat": 1, "chown": 1, "lchown": 1, "fchownat": 1, "truncate": 1, "mknod": 1, "mknodat": 1,
           "utime": 1, "utimes": 1, "utimensat": 1, "futimesat": 1, "creat": 1, "setxattr": 1, "lsetxattr": 1}
OPENS = ("open", "openat", "openat2")
LINKS = ("symlink", "symlinkat")
WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_TMPFILE")
STRING = r'"((?:[^"\\]|\\.)*)"'
CALL = re.compile(r"^(\d+ +)?(\w+)\((.*)$")
ARGUMENT = re.compile(r"(?:(?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>, )?" + STRING)
AWAY = re.compile(r"sa_family=AF_INET6?\b")
LOOPBACK = re.compile(r'inet_addr\("127\.|inet_pton\(AF_INET6, "::1"')
STAGING = re.compile(r"/\.[^/]+\.torchpatch-staging(/|$)")
HARMLESS = ("/dev/null", "/dev/tty", "/proc/self/")


def can_trace():
    return shutil.which("strace") is not None and not program.IS_SANITIZED


def wrapped(argv, log):
    return [shutil.which("strace"), "-f", "-qq", "-y", "-s", "5000", "-e", "trace=%file,%network", "-e", "signal=none", "-o", log, *argv]


def unescape(text):
    """What strace prints of a name, with its bytes escaped, as Python has names."""
    return os.fsdecode(text.encode("latin-1", "backslashreplace").decode("unicode_escape").encode("latin-1"))


def paths_changed(line):
    """The paths that one call would change, absolute where strace could tell."""
    call = CALL.match(line)
    if not call:
        return []
    name, rest = call.group(2), call.group(3)
    found = [os.path.join(unescape(directory or ""), unescape(path)) for directory, path in ARGUMENT.findall(rest)]
    if name in OPENS:
        return found[:1] if WRITES.search(rest.rsplit('"', 1)[-1]) else []
    if name in LINKS:  # the first is what the link says
        return found[1:2]
    return found[:CHANGES.get(name, 0)]


def output_of(box, command, here):
    """OUT, whatever the command calls it."""
    argv = [os.fsdecode(part) for part in command.argv]
    output = argv[argv.index("--output") + 1] if "--output" in argv[:-1] else box.out
    return os.path.normpath(os.path.join(here, output))


def may_change(path, box, command):
    """OUT, its staging directory, the cache, the state directory and a private directory for temporary files."""
    here = command.directory or box.at("desk")
    output = output_of(box, command, here)
    full = os.path.normpath(os.path.join(here, path))
    if STAGING.match(full[len(os.path.dirname(output)):]) and full.startswith(os.path.dirname(output)):
        return True
    allowed = [output, box.at("cache"), box.at("state"), box.at("tmp", "torchpatch-"), *map(box.at, command.may_change)]
    return full.startswith(HARMLESS) or any(full == place or full.startswith(place.rstrip("/") + "/") or
                                            place.endswith("-") and full.startswith(place) for place in allowed)


def problems(log, box, command):
    """What a run did beyond its places. Whoever fetches has to ask for its server's address."""
    lines, fetches = [], "prepare" in command.argv and "--mirror" not in command.argv
    with open(log, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            lines += ["it would change %r" % path for path in paths_changed(line) if not may_change(path, box, command)]
            call = CALL.match(line)
            if not fetches and call and call.group(2) in ("connect", "sendto", "sendmsg") and AWAY.search(line) and not LOOPBACK.search(line):
                lines.append("it would talk to " + line.strip()[:200])
    return sorted(set(lines))
