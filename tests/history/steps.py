# SPDX-License-Identifier: BSD-3-Clause
"""The steps that a catalog took: from the variant A of a patchset to its variant B, and which blobs B makes."""
import collections
import glob
import os

import old_catalog
import versions

COLUMNS = ("patchset", "a", "b", "from", "to", "repository", "blobs")
Step = collections.namedtuple("Step", ("patchset", "a", "b", "before", "release", "repository", "blobs"))


def read(path):
    """The steps of a table."""
    with open(path) as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [Step(*row[:6], dict(pair.split("=") for pair in row[6].split(" "))) for row in rows[1:]]


def write(steps, file):
    print("\t".join(COLUMNS), file=file)
    for step in steps:
        print("\t".join([*step[:6], " ".join("=".join(pair) for pair in sorted(step.blobs.items()))]), file=file)


def variant_of(catalog, patchset, identifier):
    variants = old_catalog.read_json("%s/patchsets/%s/patchset.json" % (catalog, patchset))["variants"]
    return next(each for each in variants if each["id"] == identifier)


def blobs_of(catalog, mirror, patchset, variant, release, repository):
    """What a variant makes of the pinned files of a repository."""
    patches = []
    for each in old_catalog.patches_of(variant):
        if each["repository"] == repository:
            with open("%s/patchsets/%s/%s" % (catalog, patchset, each["file"]), "rb") as file:
                patches.append(file.read())
    return mirror.patched(mirror.resolve(release, repository), patches) if patches else {}


def repositories_of(variant):
    return {each["repository"] for each in old_catalog.patches_of(variant)}


class Walk:
    """Goes through the pairs of variants of a catalog's patchsets that are patches for available sources."""

    def __init__(self, catalog, mirror):
        self.catalog, self.mirror = catalog, mirror
        self.releases = {each: old_catalog.read_json("%s/releases/%s.json" % (catalog, each)) for each in old_catalog.releases_of(catalog)}

    def held(self, variant):
        return [each for each in self.releases if versions.holds(variant["releases"], each)]

    def at_hand(self, variant, repository):
        return [each for each in self.held(variant) if self.mirror.resolve(self.releases[each], repository)]

    def step(self, patchset, a, b, repository):
        """From A to the nearest release of B, or nothing where sources lack."""
        of_a, of_b = self.at_hand(a, repository), self.at_hand(b, repository)
        if not of_a or not of_b:
            return None
        forward = versions.key(of_b[0]) > versions.key(of_a[0])
        before, release = (of_a[-1], of_b[0]) if forward else (of_a[0], of_b[-1])
        blobs = blobs_of(self.catalog, self.mirror, patchset, b, self.releases[release], repository)
        return Step(patchset, a["id"], b["id"], before, release, repository, blobs)

    def steps(self, pairs):
        """The steps of `pairs(variants)`, which gets the variants of a patchset from the oldest on."""
        for path in sorted(glob.glob(self.catalog + "/patchsets/*/patchset.json")):
            variants = [each for each in old_catalog.read_json(path)["variants"] if self.held(each)]
            variants.sort(key=lambda each: versions.key(self.held(each)[0]))
            for a, b in pairs(variants):
                for repository in sorted(repositories_of(a) & repositories_of(b)):
                    step = self.step(os.path.basename(os.path.dirname(path)), a, b, repository)
                    if step:
                        yield step


def newer(variants):
    return list(zip(variants, variants[1:]))


def older(variants):
    return list(zip(variants[1:], variants))


def any_other(variants):
    return [(a, b) for b in variants for a in variants if a is not b]
