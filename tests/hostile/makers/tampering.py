# SPDX-License-Identifier: BSD-3-Clause
"""H: a prepared tree that somebody changed; verify has to say where."""
import os
import pathlib
import shutil
import subprocess
import threading
import time

from makers import CannotRun, Command, patches, small_tree
from values import as_bytes

OTHER_SECOND = 1234567890
LARGE = "z.bin"


def read(path):
    return pathlib.Path(path).read_bytes()


def write(path, data):
    """In place, so that mode and links stay."""
    pathlib.Path(path).write_bytes(data)


def flip(path, at, bit=0):
    data = bytearray(read(path))
    data[at] ^= 1 << bit
    write(path, bytes(data))


def replace(path, old, new):
    data = read(path)
    assert as_bytes(old) in data, old
    write(path, data.replace(as_bytes(old), as_bytes(new)))


def swap(path, other):
    first, second = read(path), read(other)
    write(path, second)
    write(other, first)


def put_link(path, target):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)
    os.symlink(target, path)


def put_fifo(path):
    os.unlink(path)
    os.mkfifo(path)


def hardlink(path, target):
    os.unlink(path)
    os.link(target, path)


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def touch(path):
    os.utime(path, (OTHER_SECOND, OTHER_SECOND), follow_symlinks=False)


def add_many(path, count):
    for number in range(count):
        open(os.path.join(path, "extra%06d" % number), "w").close()


def apply(box, operation):
    """An operation is [name, path below OUT, …]; {box} in a text is the box."""
    name, path, *rest = operation
    full = os.path.join(box.out, path)
    texts = [as_bytes(value, {"box": box.path}).decode() if isinstance(value, str) else value for value in rest]
    if name == "write":
        write(full, as_bytes(rest[0]))
    elif name == "mkdir":
        os.mkdir(full)
    elif name == "chmod":
        os.chmod(full, int(rest[0], 8))
    elif name == "rename":
        os.rename(full, os.path.join(box.out, rest[0]))
    elif name == "swap":
        swap(full, os.path.join(box.out, rest[0]))
    elif name == "truncate":
        os.truncate(full, rest[0] if rest else os.path.getsize(full))
    else:
        {"flip": flip, "replace": replace, "link": put_link, "fifo": put_fifo, "hardlink": hardlink, "remove": remove, "touch": touch,
         "add many": add_many}[name](full, *texts)


def every_flip(box, root, step, bits, tools):
    """Flips one bit, or each of eight, of each `step`-th byte of each file below `root`: verify must notice every one."""
    small_tree.keep_copy(box)

    def check(_):
        paths = [os.path.relpath(os.path.join(directory, name), box.out)
                 for directory, _, names in os.walk(os.path.join(box.out, root)) for name in names
                 if not os.path.islink(os.path.join(directory, name))]
        if os.path.isfile(os.path.join(box.out, root)):
            paths = [root]
        lines, place = [], 0
        for path in sorted(paths):
            full = os.path.join(box.out, path)
            for at in range(os.path.getsize(full)):
                place += 1
                if place % step:
                    continue
                for bit in range(8) if bits == "all" else [place % 8]:
                    flip(full, at, bit)
                    outcome = small_tree.verify(box, tools)
                    if outcome.kind not in ("findings", "data", "unsafe") or outcome.signal:
                        lines.append("bit %d of byte %d of %s: %s %s" % (bit, at, path, outcome.kind, outcome.err[:200]))
                    small_tree.restore(box, path)
        return lines

    return check


def while_reading(box, what, count, tools):
    """Changes a large file at moments spread over verify's run: a difference or an error, or nothing that it met."""
    path = os.path.join(box.out, "pytorch", LARGE)
    good = read(path)
    begun = time.monotonic()
    small_tree.verify(box, tools)
    length = time.monotonic() - begun

    def change():
        if what == "truncate":
            os.truncate(path, 1)
        elif what == "grow":
            with open(path, "ab") as file:
                file.write(b"more")
        elif what == "unlink":
            os.unlink(path)
        else:
            os.rename(path, path + ".old")
            os.symlink(box.at("canary/target"), path)

    def check(_):
        lines = []
        for number in range(count):
            timer = threading.Timer(length * number / count, change)
            timer.start()
            outcome = small_tree.verify(box, tools)
            timer.join()
            if outcome.kind not in ("ok", "findings", "environment"):
                lines.append("%s at moment %d: %s %s" % (what, number, outcome.kind, outcome.err[:200]))
            if small_tree.verify(box, tools).kind != "findings":
                lines.append("%s at moment %d: verify did not see it afterwards" % (what, number))
            for name in (path, path + ".old"):
                if os.path.lexists(name):
                    os.unlink(name)
            write(path, good)
        return lines if small_tree.verify(box, tools).kind == "ok" else [*lines, "the file as it was is not the same"]

    return check


def copy(box, argv):
    """Copies OUT to desk/copy with a program."""
    if not shutil.which(argv[0]):
        raise CannotRun(argv[0] + " is not installed")
    line = [part.replace("{out}", box.out).replace("{copy}", box.at("desk/copy")) for part in argv]
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    return box.at("desk/copy")


def make(box, give, tools):
    if "while reading" in give:
        patches.make(box, dict(small_tree.GIVE, base=[*small_tree.BASE, ["file", LARGE, {"times": ["bytes\n", 4 << 20]}]]), tools)
    else:
        small_tree.lay_out(box, tools)
    small_tree.prepare(box, tools)
    command = Command(["verify", box.out, "--catalog", box.at("catalog"), "--quiet", *give.get("options", [])])
    if "every flip" in give:
        command.then = every_flip(box, give["every flip"], give["step"], give.get("bits"), tools)
        command.may_change.append("tmp/kept")
        return command
    if "while reading" in give:
        command.then = while_reading(box, give["while reading"], give["count"], tools)
        return command
    if "copy" in give:
        command.argv[1] = copy(box, give["copy"])
    for operation in give.get("do", []):
        apply(box, operation)
    if "move to" in give:
        os.rename(box.out, box.at("desk", give["move to"]))
        command.argv[1] = box.at("desk", give["move to"])
    return command
