"""Prints the SBOM (SPDX 2.3) of a release archive: release_sbom.py ARCHIVE VERSION SOURCES. SOURCES has a line for each
Debian source package that is in it: name and version. Called by tools/release."""
import datetime
import hashlib
import json
import os
import sys
import urllib.parse

archive, version, sources = sys.argv[1:]
name = os.path.basename(archive)
with open(archive, "rb") as file:
    digest = hashlib.file_digest(file, "sha256").hexdigest()
created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)


def package(identifier, name, version, **fields):
    return {"SPDXID": f"SPDXRef-{identifier}", "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION", **fields}


packages = [package("torchpatch", "torchpatch", version, packageFileName=name, licenseDeclared="BSD-3-Clause",
                    checksums=[{"algorithm": "SHA256", "checksumValue": digest}])]
relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-torchpatch")]
with open(sources, encoding="utf-8") as file:
    for line in file:
        source, source_version = line.split()
        locator = f"pkg:deb/debian/{source}@{urllib.parse.quote(source_version, safe='')}?arch=source&distro=bookworm"
        identifier = "debian-" + source.replace("+", "-plus")
        packages.append(package(
            identifier, source, source_version, licenseDeclared="NOASSERTION",
            comment=f"its licences: share/doc/torchpatch/licences/{source}",
            externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]))
        kind = "CONTAINS" if source == "ca-certificates" else "STATIC_LINK"
        relations.append(("SPDXRef-torchpatch", kind, f"SPDXRef-{identifier}"))
json.dump({
    "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
    "documentNamespace": f"https://torchpatch.invalid/release/{digest}",
    "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": [f"Tool: torchpatch-{version}"]},
    "packages": packages,
    "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations],
}, sys.stdout, indent=2)
print()
