# SPDX-License-Identifier: BSD-3-Clause
"""H: a prepared tree that somebody changed; verify has to say where."""
import os
import shutil

from makers import Command, small_tree
from values import as_bytes

OTHER_SECOND = 1234567890


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    """In place, so that mode and links stay."""
    with open(path, "r+b" if os.path.exists(path) else "wb") as file:
        file.write(data)
        file.truncate()


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


def every_flip(box, root, step, tools):
    """Flips one bit of each byte of each file below `root` (or of each `step`-th): verify must notice every one."""
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
                flip(full, at, place % 8)
                outcome = small_tree.verify(box, tools)
                if outcome.kind not in ("findings", "data", "unsafe") or outcome.signal:
                    lines.append("byte %d of %s: %s %s" % (at, path, outcome.kind, outcome.err[:200]))
                small_tree.restore(box, path)
        return lines

    return check


def make(box, give, tools):
    small_tree.lay_out(box, tools)
    small_tree.prepare(box, tools)
    command = Command(["verify", box.out, "--catalog", box.at("catalog"), "--quiet", *give.get("options", [])])
    if "every flip" in give:
        command.then = every_flip(box, give["every flip"], give["step"], tools)
        command.may_change.append("tmp/kept")
        return command
    for operation in give.get("do", []):
        apply(box, operation)
    if "move to" in give:
        os.rename(box.out, box.at("desk", give["move to"]))
        command.argv[1] = box.at("desk", give["move to"])
    return command
