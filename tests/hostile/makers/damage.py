# SPDX-License-Identifier: BSD-3-Clause
"""Something else in the place of a file."""
import os
import pathlib


def put_instead(box, path, what, changes):
    """`what`: gone, fifo, directory, link, link to zero, or one of `changes`, functions of the file's bytes."""
    data = pathlib.Path(path).read_bytes()
    os.unlink(path)
    if what == "fifo":
        os.mkfifo(path)
    elif what == "directory":
        os.mkdir(path)
    elif what == "link":
        box.write("outside/" + os.path.basename(path), data)
        os.symlink(box.at("outside", os.path.basename(path)), path)
    elif what == "link to zero":
        os.symlink("/dev/zero", path)
    elif what != "gone":
        pathlib.Path(path).write_bytes(changes[what](data))
