#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests tools/peers: states of patches in two releases, the lists that name patches, what covers them, the count of recall.

usage: selftest.py

Makes two git repositories, a submodule among them, and a catalog of three issues.
"""
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "peers")
ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
               **{f"GIT_{who}_{what}": "peers@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}
OLD = "".join(f"line {number}\n" for number in range(1, 31))
NEW = "added above\n" * 4 + OLD.replace("line 20\n", "line twenty\n")
PAGE = """\
# Table

| # | patches | releases | class | state | issues | checked | reason |
|---|---|---|---|---|---|---|---|
| 1 | `torch-1.0_row-*.patch` | 1.0 | B | covered | cited | verified | — |
| 2 | `0123456789ab` | 1.0 | R | partly | linked | unverified | one release of two |
| 3 | three | 1.0 | B | missing | — | — | no sources |
| 4 | four | 1.0 | B | not applicable | — | — | POWER |

rows: 4, not applicable 1, concerned 3
covered: 1, verified 1, unverified 0
partly: 1, verified 0, unverified 1
missing: 1
recall: 33.3 %, verified 33.3 %
"""


def change(path, number, after, before=None):
    """Returns a patch that changes a line of a file of OLD, whose place is named as 2 lines too early."""
    start = max(number - 4, 1)
    return (f"--- a/{path}\n+++ b/{path}\n@@ -{start},5 +{start},5 @@\n line {number - 2}\n line {number - 1}\n"
            f"-{before or f'line {number}'}\n+{after}\n line {number + 1}\n line {number + 2}\n")


PATCHES = {
    "torch-1.0_covered.patch": change("src/a.cpp", 10, "line ten"),
    "torch-1.0_cited.patch": change("src/b.cpp", 10, "line ten"),
    "torch-1.0_row-5.patch": change("src/c.cpp", 5, "line five"),
    "torch-1.0_upstreamed.patch": change("src/a.cpp", 20, "line twenty"),
    "torch-1.0_fails.patch": change("src/a.cpp", 10, "line ten", "another line"),
    "torch-1.0_tests.patch": change("test/test_a.py", 10, "line ten"),
    "torch-1.0_fix-vsx.patch": change("src/a.cpp", 25, "line of POWER"),
    "torch-1.0_linked.patch": "See https://github.com/pytorch/pytorch/pull/42\n\n" + change("src/c.cpp", 25, "line of 25"),
    "torch-1.0_two-commits.patch": change("src/c.cpp", 15, "line fifteen") + change("src/c.cpp", 15, "line XV", "line fifteen"),
    "torch-1.0_no-prefix.patch": "--- src/c.cpp\n+++ src/c.cpp\n@@ -1,1 +1,1 @@\n-line 1\n+line one\n",
    "torch-1.0_nearest.patch": "--- a/src/d.cpp\n+++ b/src/d.cpp\n@@ -13,2 +13,2 @@\n-a\n+A\n b\n",
    "torch-1.0_creates.patch": "--- /dev/null\n+++ b/src/new.cpp\n@@ -0,0 +1,1 @@\n+new\n",
    "torch-1.0_no-file.patch": change("src/gone.cpp", 10, "line ten"),
    "torch-1.0_outside.patch": change("../../a.cpp", 10, "line ten"),
    "torch-1.0_nul.patch": change("src/\0a.cpp", 10, "line ten"),
    "torch-1.0_nothing.patch": "not a patch\n",
    "torch-1.0_cut.patch": change("src/a.cpp", 10, "line ten") + "@@ -30,9 +30,9 @@\n line 30\n",
    "torch-7.0_later.patch": change("src/gone.cpp", 10, "line ten"),
}
LISTS = {
    "PyTorch-1.1.0.eb": """
        name, version = 'PyTorch', '1.1.0'
        version = '1.1.0'
        patches = ['torch-1.0_covered.patch', ('level.patch', 0), 'torch-9_missing.patch', local_name]
        """,
    "package.py": """
        class PyTorch:
            patch("sub.patch", when="@1.1:", working_dir="third_party/sub")
            with when("+rocm"):
                patch("plain.patch")
            patch("https://github.com/pytorch/pytorch/commit/0123456789abcdef.patch?full_index=1", when="@1.0")
            patch(name)
        """,
    "torch_1.1.0.bb": 'SRC_URI = "https://example.org/x \\\n  file://bb.patch;patchdir=${S}/third_party/sub;striplevel=1 \\\n  file://../sub.patch \\\n"\n',
    "meta.yaml": """
        {% set version = "1.1.0" %}
        patches:
          - patches/conda.patch  # [win]
          - patches_submodules/sub/submodule.patch
        """,
    "recipe.yaml": "\0\n",
    "broken.eb": "patches = [",
    "level.patch": change("src/c.cpp", 10, "line ten").replace("a/src", "src").replace("b/src", "src"),
    "sub.patch": change("s.cpp", 10, "line ten"),
    "plain.patch": change("src/c.cpp", 10, "line of 10"),
    "bb.patch": change("s.cpp", 15, "line fifteen"),
    "patches/conda.patch": change("src/c.cpp", 11, "line 11 of conda"),
    "patches_submodules/sub/submodule.patch": change("s.cpp", 20, "line of 20"),
}
EXPECTED = {
    "torch-1.0_covered.patch": "applies to 1.0.0 to 1.1.0, covered by patched (patch), none of them in 1.1.0",
    "torch-1.0_cited.patch": "applies to 1.0.0 to 1.1.0, covered by cited (citation)",
    "torch-1.0_row-5.patch": "applies to 1.0.0 to 1.1.0, covered by cited (row 1)",
    "torch-1.0_upstreamed.patch": "applies to 1.0.0, already there from 1.1.0, no issue covers it",
    "torch-1.0_fails.patch": "does not apply, at best 0 of 1 hunks (1.0.0), no issue covers it",
    "torch-1.0_tests.patch": "tests only",
    "torch-1.0_fix-vsx.patch": "other platform: POWER",
    "torch-1.0_linked.patch": "applies to 1.0.0 to 1.1.0, covered by linked (link)",
    "torch-1.0_two-commits.patch": "applies to 1.0.0 to 1.1.0, no issue covers it",
    "torch-1.0_no-prefix.patch": "applies to 1.0.0 to 1.1.0, no issue covers it",
    "torch-1.0_nearest.patch": "applies to 1.0.0 to 1.1.0, covered by cited (citation)",
    "torch-1.0_creates.patch": "applies to 1.0.0 to 1.1.0, no issue covers it",
    "torch-1.0_no-file.patch": "does not apply, at best 0 of 1 hunks (1.0.0), no issue covers it",
    "torch-1.0_outside.patch": "no path in the tree",
    "torch-1.0_nul.patch": "no path in the tree",
    "torch-1.0_nothing.patch": "no unified diff",
    "torch-1.0_cut.patch": "applies to 1.0.0 to 1.1.0, covered by patched (patch), none of them in 1.1.0; "
                           "not understood: a hunk that is cut short, line 10",
    "torch-7.0_later.patch": "sources not available: 7.0 (not in the catalog), no issue covers it",
    "level.patch": "applies to 1.0.0 to 1.1.0, no issue covers it",
    "sub.patch": "applies to 1.0.0 to 1.1.0, no issue covers it",
    "plain.patch": "other platform: ROCm",
    "https://github.com/pytorch/pytorch/commit/0123456789abcdef.patch?full_index=1": "a URL, not fetched, covered by linked (row 2)",
    "bb.patch": "applies to 1.0.0 to 1.1.0, no issue covers it",
    "conda.patch": "other platform: Windows",
    "submodule.patch": "applies to 1.0.0 to 1.1.0, no issue covers it",
}


def write(root, files):
    """Writes files below a directory."""
    for name, text in files.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def git(directory, *words):
    """Runs git and returns what it prints."""
    return subprocess.run(["git", "-C", directory, *words], env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout.strip()


def commit(directory, files, module=None):
    """Commits files, and a commit of a submodule; returns the id."""
    write(directory, files)
    if not os.path.isdir(os.path.join(directory, ".git")):
        git(directory, "init", "--quiet")
    git(directory, "add", ".")
    if module:
        git(directory, "update-index", "--add", "--cacheinfo", "160000," + module + ",third_party/sub")
    git(directory, "commit", "--quiet", "--message", "files")
    return git(directory, "rev-parse", "HEAD")


def issue(name, **fields):
    """Returns the page of an issue."""
    return f"# {name}\n\n```json\n" + json.dumps({"id": name, "releases": [">=1.0.0 <2"], **fields}) + "\n```\n"


class Peers(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="peers-")
        cls.root = cls.directory.name
        module = commit(os.path.join(cls.root, "mirror", "one"), {"s.cpp": OLD})
        torch = os.path.join(cls.root, "mirror", "two")
        same = {"src/d.cpp": "a\nb\nc\n" * 10, "src/b.cpp": OLD, "src/c.cpp": OLD, "test/test_a.py": OLD}
        pins = {"1.0.0": commit(torch, {"src/a.cpp": OLD, **same}, module), "1.1.0": commit(torch, {"src/a.cpp": NEW, **same}, module),
                "1.2.0": "f" * 40}
        write(os.path.join(cls.root, "catalog"), {
            **{f"releases/{release}.json": json.dumps({"version": release, "components": {
                "torch": {"url": "https://example.org/torch.git", "version": release, "commit": pin}}}) for release, pin in pins.items()},
            "known_issues/patched.md": issue("patched", releases=["==1.0.0"], symptoms=["x"], fixes=[{"patchset": "own"}]),
            "known_issues/cited.md": issue("cited", citations={"1.0.0": {"src/a.cpp:10": "x"}, "1.1.0": {"src/b.cpp:14": "x", "src/d.cpp:13": "a"}}),
            "known_issues/linked.md": issue("linked", symptoms=["x"], links=["https://github.com/pytorch/pytorch/pull/42"]),
            "patchsets/own/patchset.json": json.dumps({"variants": [
                {"releases": ">=1.0.0 <1.1", "patches": [{"file": "a.patch", "repository": "torch"}]}]}),
            "patchsets/own/a.patch": change("src/a.cpp", 12, "line twelve"),
            "docs/peers.md": PAGE})
        write(os.path.join(cls.root, "peer"), {name: textwrap.dedent(text) if name in LISTS else text for name, text in {**PATCHES, **LISTS}.items()})

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def run_tool(self, *words):
        """Returns exit status and both outputs of the tool."""
        done = subprocess.run([sys.executable, TOOL, "--catalog", os.path.join(self.root, "catalog"), *words], env=ENVIRONMENT,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_verdicts(self):
        table = os.path.join(self.root, "table.tsv")
        status, out, error = self.run_tool("--mirror", os.path.join(self.root, "mirror"), "--tsv", table, os.path.join(self.root, "peer"))
        self.assertEqual((status, error), (0, ""))
        found = dict(line.split(": ", 1) for line in out.split("\n\n")[0].splitlines() if not line.startswith("not understood"))
        self.assertEqual(found, EXPECTED)
        doubts = [line.replace(self.root, "") for line in out.splitlines() if line.startswith("not understood: ")]
        self.assertEqual(len([line for line in doubts if "/peer/" in line]), 5, doubts)
        self.assertIn("25 patches, 6 lists, 5 entries not understood\napplies: 14, covered 6 (2 by a near line only)\n", out)
        with open(table, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
        self.assertEqual(len(rows), 1 + len(EXPECTED))
        self.assertEqual({len(row) for row in rows}, {12})
        row = next(row for row in rows if row[1] == "torch-1.0_upstreamed.patch")
        self.assertEqual(row, ["peer", "torch-1.0_upstreamed.patch", "torch", "1.0", "applies", "", "1.0.0", "1.1.0", "", "", "", "1.2.0"])

    def test_unpacked_tree(self):
        tree = os.path.join(self.root, "tree")
        write(tree, {"src/a.cpp": OLD})
        out = self.run_tool("--mirror", os.path.join(self.root, "mirror"), "--tree", "1.2.0=" + tree,
                            os.path.join(self.root, "peer", "torch-1.0_upstreamed.patch"))[1]
        self.assertIn("applies to 1.0.0, 1.2.0, already there from 1.1.0", out)

    def test_usage(self):
        mirror = os.path.join(self.root, "mirror")
        for words, message in ((["--mirror", mirror], "needs --mirror and a FILE or DIRECTORY, or --recall"),
                               (["--mirror", "no-such", "x"], "'no-such' is not a directory"),
                               (["--mirror", mirror, "--tree", "1.2.0", "x"], "'' is not a directory")):
            status, _, error = self.run_tool(*words)
            self.assertEqual(status, 2)
            self.assertTrue(error.endswith(f"error: {message}\n"), error)
        self.assertIn("not understood: no-such.patch: not a file\n", self.run_tool("--mirror", mirror, "no-such.patch")[1])

    def recall(self, page):
        """Returns what --recall does of a page."""
        path = os.path.join(self.root, "page.md")
        write(self.root, {"page.md": page})
        status, out, error = self.run_tool("--recall", path)
        return status, out, error.replace(path, "page.md")

    def test_recall(self):
        self.assertEqual(self.recall(PAGE), (0, PAGE[PAGE.index("rows: "):], ""))
        for before, after, message in (
                ("| covered | cited |", "| covered | no-such |", "row 1: no known issue 'no-such'"),
                ("missing: 1", "missing: 0", "page.md does not have the line 'missing: 1'"),
                ("| missing | — |", "| missing | cited |", "row 3: missing with 1 issues"),
                ("| 2 |", "| 5 |", "rows are not numbered from 1 on"),
                ("| no sources |", "| — |", "row 3: missing without a reason"),
                ("| unverified |", "| perhaps |", "row 2: 'perhaps' is not what a row that is partly needs"),
                ("| not applicable |", "| other |", "row 4: unknown state 'other'")):
            status, _, error = self.recall(PAGE.replace(before, after))
            self.assertEqual(status, 1)
            self.assertIn(f"tools/peers: {message}\n", error)


if __name__ == "__main__":
    unittest.main()
