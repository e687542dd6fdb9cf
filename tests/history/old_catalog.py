# SPDX-License-Identifier: BSD-3-Clause
"""Makes of a catalog what it would have been before a release, or without some variants of a patchset."""
import glob
import json
import os
import re
import shutil

import versions

FOLDERS = ("releases", "boards", "known_issues", "patchsets", "results")


def read_json(path):
    with open(path) as file:
        return json.load(file)


def write_json(path, value):
    with open(path, "w") as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")


def stem(path):
    return os.path.splitext(os.path.basename(path))[0]


def releases_of(catalog):
    return sorted(map(stem, glob.glob(catalog + "/releases/*.json")), key=versions.key)


def release_before(catalog, version):
    return [each for each in releases_of(catalog) if versions.key(each) < versions.key(version)][-1]


def copy(catalog, directory):
    """Copies what is data; returns the directory."""
    for folder in FOLDERS:
        shutil.copytree(os.path.join(catalog, folder), os.path.join(directory, folder))
    for path in glob.glob(catalog + "/*.json"):
        if os.path.basename(path) != "CMakePresets.json":
            shutil.copy(path, directory)
    return directory


def patches_of(variant):
    return variant.get("patches", [])


def set_variants(folder, patchset, kept):
    """Leaves the patchset of a folder these variants, and drops what names a patch or file that goes."""
    before = {each["file"] for variant in patchset["variants"] for each in patches_of(variant) + variant.get("files", [])}
    after = {each["file"] for variant in kept for each in patches_of(variant) + variant.get("files", [])}
    for file in before - after:
        os.unlink(os.path.join(folder, file))
    digests = {each["sha256"] for variant in kept for each in patches_of(variant)}
    for path in glob.glob(folder + "/certificates/*.json"):
        certificate = read_json(path)
        edges = [edge for edge in certificate["edges"] if edge["patch"] in digests]
        if not edges:
            os.unlink(path)
        elif len(edges) < len(certificate["edges"]):
            write_json(path, dict(certificate, edges=edges))
    ids = {variant["id"] for variant in kept}
    for path in glob.glob(folder + "/proofs/*.json"):
        record = read_json(path)
        if any(outcome["variant"] not in ids for outcome in record["proofs"]):
            os.unlink(path)
    write_json(folder + "/patchset.json", dict(patchset, variants=kept))


def older_variant(variant, version, older):
    """The variant before a release, or nothing: the range ends there, and why none follows was not known yet."""
    held = [each for each in older if versions.holds(variant["releases"], each)]
    if not held:
        return None
    cut = dict(variant)
    if versions.holds(variant["releases"], version):
        cut["releases"] = versions.cut_before(variant["releases"], version)
    if held[-1] == older[-1]:
        cut.pop("ends", None)
    return cut


def cut_proof(folder, held):
    """Drops the proofs of none of these releases: nobody had written them."""
    path = folder + "/proof.json"
    if os.path.exists(path):
        proof = read_json(path)
        for part in ("proofs", "unproven"):
            if part in proof:
                proof[part] = [each for each in proof[part] if any(versions.holds(each["releases"], release) for release in held)]
        write_json(path, {name: value for name, value in proof.items() if name != "unproven" or value})


def cut_patchsets(directory, version, older):
    """Returns the ids of the patchsets that go."""
    gone = set()
    for path in glob.glob(directory + "/patchsets/*/patchset.json"):
        folder, patchset = os.path.dirname(path), read_json(path)
        kept = [cut for cut in (older_variant(variant, version, older) for variant in patchset["variants"]) if cut]
        if kept:
            set_variants(folder, patchset, kept)
            cut_proof(folder, older)
        else:
            shutil.rmtree(folder)
            gone.add(patchset["id"])
    for path in glob.glob(directory + "/patchsets/*/patchset.json"):
        patchset = read_json(path)
        if gone & set(patchset.get("after", [])):
            write_json(path, dict(patchset, after=[each for each in patchset["after"] if each not in gone]))
    return gone


def forget_places(data, version):
    """Takes out what is cited of a release or a later one."""
    for part in ("citations", "absences"):
        if part in data:
            data[part] = {release: places for release, places in data[part].items() if versions.key(release) < versions.key(version)}
            if not data[part]:
                del data[part]
    return data


def metadata_of(page):
    """The JSON of an issue's page."""
    with open(page) as file:
        return json.loads(re.search(r"```json\n(.*?)\n```", file.read(), re.S).group(1))


def cut_page(page, version, gone):
    """Takes fixes by patchsets that go out of an issue's page, and the page where it has no other."""
    with open(page) as file:
        text = file.read()
    data = forget_places(metadata_of(page), version)
    data["fixes"] = [fix for fix in data["fixes"] if fix.get("patchset") not in gone]
    if not data["fixes"]:
        os.unlink(page)
        return
    block = "```json\n%s\n```" % json.dumps(data, indent=2, ensure_ascii=False)
    with open(page, "w") as file:
        file.write(re.sub(r"```json\n.*?\n```", lambda _: block, text, count=1, flags=re.S))


def before(catalog, version, directory):
    """Writes the catalog as it would have been before a release into a directory; returns that."""
    copy(catalog, directory)
    older = [each for each in releases_of(directory) if versions.key(each) < versions.key(version)]
    for pattern in ("releases/*", "results/*", "patchsets/*/certificates/*", "patchsets/*/proofs/*"):
        for path in glob.glob("%s/%s.json" % (directory, pattern)):
            if stem(path) not in older:
                os.unlink(path)
    gone = cut_patchsets(directory, version, older)
    for path in glob.glob(directory + "/known_issues/*.md"):
        cut_page(path, version, gone)
    for path in glob.glob(directory + "/releases/*.json") + glob.glob(directory + "/boards/*.json"):
        write_json(path, forget_places(read_json(path), version))
    return directory


def alone(directory, identifier, variant):
    """Leaves a patchset of a copied catalog one variant, as if there had never been another."""
    folder = "%s/patchsets/%s" % (directory, identifier)
    patchset = read_json(folder + "/patchset.json")
    kept = next(each for each in patchset["variants"] if each["id"] == variant)
    set_variants(folder, patchset, [{name: value for name, value in kept.items() if name != "ends"}])
    cut_proof(folder, [each for each in releases_of(directory) if versions.holds(kept["releases"], each)])
