# SPDX-License-Identifier: BSD-3-Clause
"""A: a release whose pinned commit has a tree that nobody should make."""
import hashlib
import os
import re
import struct
import urllib.parse
import zlib

from catalog import URL, prepare_arguments, without_mirror, write_moved, write_release
from makers import Command
from objects import MODES, Repository
from values import as_bytes

EVIL = "evil\n"


def make_id(repository, what, box):
    """Stores what an entry stands for and returns its id: text is a blob, a list a tree, an object says its kind."""
    variables = {"box": box.path}
    if isinstance(what, list):
        return make_tree(repository, what, box)
    if isinstance(what, str) or "hex" in what or "times" in what or "join" in what:
        return repository.blob(as_bytes(what, variables))
    if "id" in what:
        return what["id"] * 40 if len(what["id"]) == 1 else what["id"]
    if "lie" in what:
        return repository.put("blob", as_bytes(what["lie"]), lie="a" * 40)
    if "raw" in what:
        return repository.put(what["raw"], as_bytes(what["bytes"], variables))
    if "commit" in what:
        return repository.commit(make_id(repository, what["commit"], box))
    return MADE[what["made"]](repository, **{name: value for name, value in what.items() if name != "made"})


def make_tree(repository, entries, box):
    rows = []
    for mode, name, what in entries:
        raw_mode = MODES[mode] if mode in MODES else mode.encode()
        rows.append((raw_mode, as_bytes(name), make_id(repository, what, box)))
    return repository.tree(rows)


def deep(repository, levels):
    tree = repository.tree([(MODES["file"], b"f", repository.blob(b"deep\n"))])
    for _ in range(levels):
        tree = repository.tree([(MODES["dir"], b"d", tree)])
    return tree


def bomb(repository, width, levels):
    tree = repository.tree([(MODES["file"], b"f", repository.blob(b"many\n"))])
    for _ in range(levels):
        tree = repository.tree([(MODES["dir"], b"%02d" % i, tree) for i in range(width)])
    return tree


def wide(repository, entries, mebibytes=None):
    """A directory of files with one content."""
    blob = repository.blob(b"many\n") if mebibytes is None else zeros(repository, mebibytes)
    return repository.tree([(MODES["file"], b"f%07d" % i, blob) for i in range(entries)])


def zeros(repository, mebibytes):
    """A blob of zeros whose compressed form is built from one block, in a moment."""
    size = mebibytes << 20
    header = b"blob %d\0" % size
    digest = hashlib.sha1(header)
    for _ in range(mebibytes):
        digest.update(bytes(1 << 20))
    oid = digest.hexdigest()
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = deflate.compress(header) + deflate.flush(zlib.Z_FULL_FLUSH)
    block = deflate.compress(bytes(1 << 20)) + deflate.flush(zlib.Z_FULL_FLUSH)
    low, high = zlib.adler32(header) & 0xFFFF, zlib.adler32(header) >> 16
    checksum = ((high + low * size) % 65521) << 16 | low
    path = repository.object_path(oid)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"\x78\x9c" + start + block * mebibytes + deflate.flush(zlib.Z_FINISH) + struct.pack(">I", checksum))
    return oid


def tag_chain(repository, length, target):
    oid, kind = target, "commit"
    for i in range(length):
        oid = repository.put("tag", b"object %s\ntype %s\ntag t%d\ntagger a <a@example.org> 0 +0000\n\nt\n"
                             % (oid.encode(), kind.encode(), i))
        kind = "tag"
    return oid


def chain(repository, levels):
    """A tree with a submodule in which is a submodule, and so on."""
    tree = repository.tree([(MODES["file"], b"f", repository.blob(b"last\n"))])
    modules = repository.blob(SUBMODULE.encode())
    for _ in range(levels):
        tree = repository.tree([(MODES["file"], b".gitmodules", modules), (MODES["gitlink"], b"s", repository.commit(tree))])
    return tree


def many(repository, count):
    """A tree with as many submodules, all of one commit."""
    commit = repository.commit(repository.tree([(MODES["file"], b"f", repository.blob(b"same\n"))]))
    text = "".join('[submodule "s%05d"]\n\tpath = s%05d\n\turl = https://example.org/s.git\n' % (i, i) for i in range(count))
    gitlinks = [(MODES["gitlink"], b"s%05d" % i, commit) for i in range(count)]
    return repository.tree([(MODES["file"], b".gitmodules", repository.blob(text.encode())), *gitlinks])


MADE = {"deep": deep, "bomb": bomb, "wide": wide, "zeros": zeros, "chain": chain, "many": many}

SHAPES = {
    "file": lambda name: [["file", name, EVIL]],
    "exec": lambda name: [["exec", name, EVIL]],
    "dir": lambda name: [["dir", name, [["dir", "hooks", [["exec", "post-checkout", EVIL]]]]]],
    "nested": lambda name: [["dir", "sub", [["file", name, EVIL]]]],
    "link": lambda name: [["link", name, "{box}/canary/target"]],
}

PLAIN_URL = re.compile(rb"^\s*url = ((?:https://example\.org|\.\.)(?:/[a-z0-9-]+)*/[a-z0-9-]+\.git)$", re.MULTILINE)
SUBMODULE = '[submodule "s"]\n\tpath = s\n\turl = https://example.org/hostile/s.git\n'


def make_commit(repository, give, box):
    """Returns the id to pin and, where the tree is sane, its id."""
    if "name" in give:
        root = make_id(repository, SHAPES[give["shape"]](give["name"]), box) if give["shape"] != "submodule" else None
        if root is None:
            inner = repository.commit(make_id(repository, SHAPES["file"](give["name"]), box))
            root = make_id(repository, [["file", ".gitmodules", SUBMODULE], ["gitlink", "s", {"id": inner}]], box)
    else:
        root = make_id(repository, give.get("root", [["file", "f", "fine\n"]]), box)
    commit = repository.commit(root)
    if "commit" in give:
        commit = repository.put("commit", as_bytes(give["commit"], {"tree": root, "commit": commit}))
    if "parents" in give:
        commit = repository.commit(root, extra="".join("parent %040x\n" % (i + 1) for i in range(give["parents"])))
    if "tags" in give:
        commit = tag_chain(repository, give["tags"], commit)
    return {"commit": commit, "tree": root, "blob": repository.blob(b"fine\n")}[give.get("pin", "commit")], root


def urls_of(repository):
    """The release's URL and those of its submodules that nobody could object to."""
    blobs = [data for kind, data in repository.known.values() if kind == "blob"]
    urls = {url.decode() for data in blobs for url in PLAIN_URL.findall(data)}
    return sorted({URL} | {urllib.parse.urljoin(URL + "/", url) for url in urls})


def make(box, give, tools):
    repository = Repository(box.at("mirror", "h.git"))
    commit, root = make_commit(repository, give, box)
    repository.branch("main", commit)
    write_release(box, give.get("written pin", commit), give.get("url", URL))
    argv = prepare_arguments(box)
    if give.get("via") == "daemon":  # one repository has the release and its submodules
        write_moved(box, tools.daemon().url(repository.path), urls_of(repository))
        argv = without_mirror(argv)
    files = repository.files(root) if give.get("is_sane") else None
    return Command(argv, files=files)
