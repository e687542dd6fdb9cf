# SPDX-License-Identifier: BSD-3-Clause
"""Reads pinned files from a folder of git repositories, and says which blobs patches make of them, by git alone."""
import os
import re
import subprocess
import tempfile

ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
               "GIT_CONFIG_GLOBAL": "/dev/null"}
DELETED = "-"


def git(directory, *arguments, given=None):
    """The completed run of git in a repository, or in a folder that is none."""
    place = ["--git-dir", directory] if os.path.exists(directory + "/HEAD") else ["-C", directory]
    ceiling = {"GIT_CEILING_DIRECTORIES": os.path.dirname(directory)}
    return subprocess.run(["git", *place, *arguments], input=given, env={**ENVIRONMENT, **ceiling}, capture_output=True)


def paths_of(patch):
    """The paths that a patch names, before and after."""
    return {path for pair in re.findall(rb"^diff --git a/(\S+) b/(\S+)$", patch, re.M) for path in map(bytes.decode, pair)}


class Mirror:
    """Git repositories below a directory, whatever they are called."""

    def __init__(self, directory):
        self.repositories, self.found = [], {}
        for root, folders, files in os.walk(directory):
            if "HEAD" in files and "objects" in folders:
                self.repositories.append(root)
                folders[:] = []
        self.repositories.sort()

    def holder(self, commit):
        """The repository that has a commit and its tree, or nothing."""
        if commit not in self.found:
            has = (each for each in self.repositories if git(each, "cat-file", "-e", commit + "^{tree}").returncode == 0)
            self.found[commit] = next(has, None)
        return self.found[commit]

    def entries(self, commit, *paths):
        """{path: (mode, id)} of files and submodules."""
        listed = git(self.holder(commit), "ls-tree", "-r", "-z", commit, "--", *paths).stdout.decode().split("\0")
        return {path: tuple(about.split()[::2]) for about, _, path in (line.partition("\t") for line in listed if line)}

    def resolve(self, release, repository):
        """The commit of "torch" or "torch:third_party/a/third_party/b" in a release, or nothing where the sources lack it."""
        component, _, path = repository.partition(":")
        commit = release["components"].get(component, {}).get("commit")
        while commit and path and self.holder(commit):
            links = {link: id for link, (mode, id) in self.entries(commit).items() if mode == "160000"}
            inside = max((link for link in links if (path + "/").startswith(link + "/")), key=len, default=None)
            commit, path = (links[inside], path[len(inside) + 1:]) if inside else (None, "")
        return commit if commit and self.holder(commit) else None

    def patched(self, commit, patches):
        """{path: blob id, or DELETED} of what patches change in a commit, in their order; a ValueError where one does not apply."""
        paths = sorted(set().union(*map(paths_of, patches)))
        pinned = self.entries(commit, *paths)
        with tempfile.TemporaryDirectory() as directory:
            for path, (mode, id) in pinned.items():
                full = os.path.join(directory, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "wb") as file:
                    file.write(git(self.holder(commit), "cat-file", "blob", id).stdout)
                os.chmod(full, int(mode[-3:], 8))
            for patch in patches:
                done = git(directory, "apply", "-p1", "-", given=patch)
                if done.returncode:
                    raise ValueError(done.stderr.decode().strip())
            left = [path for path in paths if os.path.isfile(os.path.join(directory, path))]
            ids = git(directory, "hash-object", "--no-filters", "--", *left).stdout.decode().split() if left else []
        after = dict(zip(left, ids))
        return {path: after.get(path, DELETED) for path in paths if after.get(path) != pinned.get(path, (None, None))[1]}
