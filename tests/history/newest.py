# SPDX-License-Identifier: BSD-3-Clause
"""Finds the newest commits of PyTorch in a folder of copies: releases that nobody has tagged yet."""
import collections
import os

import versions
from pinned import git

Found = collections.namedtuple("Found", ("copy", "commit", "version", "date"))


def name_of(repository):
    """What a copy is called: its folder's name, or that of the folder around it."""
    inner = os.path.basename(repository)
    return inner if inner not in ("repo", ".git") else os.path.basename(os.path.dirname(repository))


def heads(repository, since, release):
    """The newest head of each version behind a release that a copy of PyTorch has, newer than a date; the newest first."""
    if git(repository, "cat-file", "-e", "HEAD:torch/csrc").returncode:
        return
    seen = set()
    listed = git(repository, "for-each-ref", "--sort=-committerdate", "--format=%(objectname) %(committerdate:unix)", "refs/heads")
    for line in listed.stdout.decode().splitlines():
        commit, date = line.split()
        if int(date) <= since:
            return
        version = git(repository, "show", commit + ":version.txt").stdout.decode().strip().partition("a")[0]
        is_newer = version.count(".") == 2 and versions.key(version) > versions.key(release)
        if is_newer and version not in seen:
            seen.add(version)
            yield Found(name_of(repository), commit, version + "-rc1", int(date))


def commits(mirror, release, wanted):
    """The newest commits after a release: of each copy, then the next version of each, up to a number."""
    commit = release["components"]["torch"]["commit"]
    since = int(git(mirror.holder(commit), "log", "-1", "--format=%ct", commit).stdout)
    ranks = [(rank, found) for each in mirror.repositories for rank, found in enumerate(heads(each, since, release["version"]))]
    ranks.sort(key=lambda each: (each[0], -each[1].date))
    return [found for _, found in ranks[:wanted]]


def release(found):
    """As much of a release's file as release add is called with."""
    return {"components": {"torch": {"commit": found.commit, "tag": "v" + found.version}}}
