#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests numerics.py itself: what it says of wrong results, crashes, hangs and what a torch lacks, its reports and exit statuses.

usage: selftest.py

A stand-in of a few lines replaces torch, so that this needs Python alone. If a torch is installed, operators of it are
made wrong in one element, in one repeat and in a gradient, and have to be found.
"""
import html.parser
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "..", "src", "record", "tree", "numerics.py")

STAND_IN = """
__version__ = "2.6.0"
float16 = float32 = float64 = int64 = None
class Tensor: pass
def set_num_threads(count): set_num_threads.count = count
def get_num_threads(): return getattr(set_num_threads, "count", 1)
"""

# Cases in place of the real ones. run() of an own case raises what the table expects.
CASES = """
import os, signal, sys, time
sys.argv[0] = %(script)r
sys.path.insert(0, %(directory)r)
import numerics
del numerics.GROUPS[:]

def raises(error):
    def run(c):
        raise error
    return run

numerics.group("first")
numerics.case("fine", "-", lambda c: None, own=True)
numerics.case("addmv", "-", lambda c: os.kill(os.getpid(), signal.SIGILL), own=True)
numerics.case("after", "-", lambda c: None, own=True)
numerics.group("second")
numerics.case("sleeper", "-", lambda c: time.sleep(60), own=True)
numerics.case("ended", "-", lambda c: os._exit(7), own=True)
numerics.case("bad", "-", raises(AssertionError("3 at [1], expected <4>")), own=True)
numerics.case("bad.variant", "-", lambda c: None, own=True)
numerics.case("gone", "-", raises(AttributeError("no torch.gone")), own=True)
numerics.case("later", "-", lambda c: None, own=True, since=(9, 0))
numerics.case("strange", "-", raises(ValueError("what")), own=True)
numerics.case("half", "-", raises(RuntimeError("exp not implemented for 'Half'")), own=True)
%(more)s
sys.exit(numerics.main(sys.argv[1:]))
"""


def load():
    spec = importlib.util.spec_from_file_location("numerics", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(arguments, directory=None, more="", torch=STAND_IN):
    """Returns status and output of the cases above, with the stand-in for torch."""
    with tempfile.TemporaryDirectory() as place:
        for name, text in (("torch/__init__.py", torch), ("torch/nn/__init__.py", ""), ("torch/nn/functional.py", "")):
            os.makedirs(os.path.dirname(os.path.join(place, name)), exist_ok=True)
            with open(os.path.join(place, name), "w") as file:
                file.write(text)
        with open(os.path.join(place, "run.py"), "w") as file:
            file.write(CASES % {"script": SCRIPT, "directory": os.path.dirname(SCRIPT), "more": more})
        done = subprocess.run([sys.executable, "-B", os.path.join(place, "run.py")] + arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              universal_newlines=True, env=dict(os.environ, PYTHONPATH=place), cwd=directory or place)
        return done.returncode, done.stdout


class Balanced(html.parser.HTMLParser):
    """Refuses a page whose elements are not closed in order."""

    def __init__(self):
        html.parser.HTMLParser.__init__(self)
        self.open, self.text = [], ""

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text += data


class Verdicts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.status, cls.output = run(["--json", "report.json", "--html", "report.html", "--limit", "2", "--threads", "1"], cls.place.name)
        with open(os.path.join(cls.place.name, "report.json")) as file:
            cls.report = json.load(file)
        cls.verdicts = dict((each["operator"], each) for each in cls.report["operators"])

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def reason(self, operator):
        return self.verdicts[operator]["cases"][0].get("reason")

    def test_each_operator_has_its_verdict(self):
        self.assertEqual(dict((name, each["verdict"]) for name, each in self.verdicts.items()), {
            "fine": "ok", "addmv": "crashed", "after": "ok", "sleeper": "hung", "ended": "crashed", "bad": "wrong", "gone": "absent", "later": "skipped",
            "strange": "wrong", "half": "absent"})
        self.assertEqual(self.report["counts"], {"ok": 2, "crashed": 2, "hung": 1, "wrong": 2, "skipped": 1, "absent": 2})

    def test_a_crash_names_signal_and_operator(self):
        self.assertEqual(self.reason("addmv"), "crashed by signal 4 (SIGILL)")
        self.assertIn("crashed in addmv - (): crashed by signal 4 (SIGILL)", self.output)
        self.assertEqual(self.reason("ended"), "ended with status 7")

    def test_a_hang_is_ended(self):
        self.assertEqual(self.reason("sleeper"), "nothing for 2 seconds")
        self.assertLess(self.report["seconds"], 40)

    def test_one_wrong_case_makes_the_operator_wrong(self):
        self.assertEqual([each["verdict"] for each in self.verdicts["bad"]["cases"]], ["wrong", "ok"])
        self.assertIn("ValueError: what", self.reason("strange"))

    def test_exit_status_and_summary(self):
        self.assertEqual(self.status, 1)
        self.assertIn("10 operators (11 cases, ", self.output.splitlines()[-1])

    def test_the_page_is_balanced_and_escaped(self):
        with open(os.path.join(self.place.name, "report.html")) as file:
            page = file.read()
        parser = Balanced()
        parser.feed(page)
        self.assertEqual(parser.open, [])
        self.assertIn("expected <4>", parser.text)

    def test_nothing_wrong_is_0(self):
        self.assertEqual(run(["fine", "after", "gone", "--threads", "1"])[0], 0)

    def test_a_crash_of_the_import_is_a_verdict(self):
        status, output = run(["fine"], torch="import os; os.kill(os.getpid(), 11)")
        self.assertEqual((status, output), (1, "crashed  import torch: crashed by signal 11 (SIGSEGV)\n"))

    def test_no_torch_is_3(self):
        status, output = run(["fine"], torch="raise ImportError('libgomp.so.1')")
        self.assertEqual((status, output), (3, "numerics.py: error: torch cannot be imported: libgomp.so.1\n"))

    def test_wrong_usage_is_2(self):
        for arguments, text in ((["nothing"], "there is no operator or group 'nothing'"), (["--threads", "two"], "--threads: 'two' is not a list of numbers")):
            status, output = run(arguments)
            self.assertEqual(status, 2)
            self.assertIn(text, output)

    def test_a_known_issue_is_named(self):
        more = "EXPECTED = numerics.Expected\nclass Known(EXPECTED):\n  def __init__(self, path):\n    EXPECTED.__init__(self, path)\n" \
               "    self.issues = [('some-issue', 'addmv', '*', '2.6.0', '2.7.0', '*')]\nnumerics.Expected = Known"
        self.assertIn("known issue: some-issue", run(["addmv"], more=more)[1])


class Comparing(unittest.TestCase):
    numerics = load()

    def test_differs(self):
        nan, inf = float("nan"), float("inf")
        for got, want, name, relative, absolute, wrong in (
                (1.0, 1.0, "float32", 0, 0, False), (1.0 + 2.0 ** -22, 1.0, "float32", 1, 0, True), (1.0 + 2.0 ** -22, 1.0, "float32", 2, 0, False),
                (1.0 + 2.0 ** -22, 1.0, "float64", 4, 0, True), (0.001, 0.0, "float16", 4, 0, True), (0.001, 0.0, "float16", 4, 2, False),
                (nan, nan, "float32", 4, 0, False), (nan, 1.0, "float32", 4, 1e9, True), (1.0, nan, "float32", 4, 0, True), (inf, inf, "float32", 4, 0, False),
                (-inf, inf, "float32", 4, 0, True), (3e38, inf, "float64", 4, 0, True), (inf, 70000.0, "float16", 4, 0, False), (inf, 60000.0, "float16", 4, 0, True),
                (-36, 220, "int8", 4, 0, False), (220, 220, "uint8", 4, 0, False), (219, 220, "uint8", 4, 0, True), (-1, 255, "int16", 4, 0, True),
                (True, 1, "bool", 4, 0, False), (False, 1, "bool", 4, 0, True), (1 + 1j, 1 + 1.001j, "complex64", 4, 0, True),
                (1 + 1j, 1 + 1j, "complex64", 4, 0, False), (complex(inf, 0), complex(inf, 0), "complex64", 4, 0, False)):
            self.assertEqual(bool(self.numerics.differs(got, want, name, relative, absolute)), wrong, (got, want, name))

    def test_releases(self):
        for text, numbers in (("1.13.0a0+git1", (1, 13, 0)), ("2.6.0+debian", (2, 6, 0)), ("1.8.1", (1, 8, 1)), ("2.14", (2, 14, 0)), ("1.7.0a0", (1, 7, 0))):
            self.assertEqual(self.numerics.release(text), numbers)

    def test_place(self):
        self.assertEqual(self.numerics.place(17, (2, 3, 5)), "[1, 0, 2]")


class Data(unittest.TestCase):
    """numerics.txt, which has to be the one of these cases."""
    numerics = load()
    expected = numerics.Expected(os.path.join(os.path.dirname(SCRIPT), "numerics.txt"))

    def test_each_case_has_its_values(self):
        for _, cases in self.numerics.GROUPS:
            for case in cases:
                self.assertEqual(set(self.expected.cases.get(case.name, {})), set() if case.own else set(case.kinds), case.name)
        known = set(case.name for _, cases in self.numerics.GROUPS for case in cases)
        self.assertEqual(set(self.expected.cases) - known, set())

    def test_as_many_values_as_the_shape_says(self):
        for name, kinds in self.expected.cases.items():
            for results in kinds.values():
                for relative, absolute, shape, values in results:
                    self.assertEqual(len(values), self.numerics.product(shape), name)
                    self.assertTrue(0 <= relative < 10000 and absolute >= 0, name)

    def test_issues_exist(self):
        pages = os.path.join(HERE, "..", "..", "known_issues")
        operators = set(word for _, cases in self.numerics.GROUPS for case in cases for word in (case.operator, case.name))
        for issue in self.expected.issues:
            self.assertTrue(os.path.exists(os.path.join(pages, issue[0] + ".md")), issue)
            self.assertEqual(set(issue[1].split(",")) - operators, set(), issue)

    def test_mt19937_is_that_of_python(self):
        """Python's generator with the state of init_genrand (Matsumoto and Nishimura, 2002), in place of NumPy's."""
        state = [12345]
        for at in range(1, 624):
            state.append((1812433253 * (state[-1] ^ state[-1] >> 30) + at) & 0xFFFFFFFF)
        generator = random.Random()
        generator.setstate((3, tuple(state + [624]), None))
        self.assertEqual(self.expected.cases["random_"]["-"][0][3], [generator.getrandbits(32) % 1000 for _ in range(50)])


# Patches of a real torch: (what is run, the change, what has to be found).
MUTANTS = (
    ("exp", "old = torch.exp\ndef exp(x, **how):\n  y = old(x, **how)\n  if y.numel() > 37 and y.dim(): y.view(-1)[37] += 0.5 if y.is_contiguous() else 0\n  return y\ntorch.exp = exp", "at [37], expected"),
    ("exp", "old = torch.exp\ncalls = [0]\ndef exp(x, **how):\n  y = old(x, **how)\n  calls[0] += x.numel() > 99999\n  if calls[0] == 12 and x.numel() > 99999: y[99998] = 0\n  return y\ntorch.exp = exp", "at [99998], expected"),
    ("softmax.large", "import torch.nn.functional as F\nold = F.softmax\ncalls = [0]\ndef softmax(x, d):\n  y = old(x, d)\n  calls[0] += 1\n  if calls[0] == 15: y[31, 17] += 1e-3\n  return y\nF.softmax = softmax", "returns other bits"),
    ("sigmoid", "class Wrong(torch.autograd.Function):\n  @staticmethod\n  def forward(c, x):\n    c.save_for_backward(x)\n    return old(x)\n  @staticmethod\n  def backward(c, g):\n"
     "    y = old(c.saved_tensors[0])\n    d = g * y * (1 - y)\n    d[3] = 0\n    return d\nold = torch.sigmoid\ntorch.sigmoid = lambda x, **how: old(x, **how) if how else Wrong.apply(x)", "the gradient"),
    ("mm", "old = torch.mm\ntorch.mm = lambda a, b: old(a, b) + (a.dtype == torch.int16)", "wrong in mm int16"),
    ("sort", "torch.Tensor.sort = lambda x, *d, **how: (x, x)", "wrong in sort"),
    ("cat", "import os\nold = torch.cat\ntorch.cat = lambda *a: os.kill(os.getpid(), 11) if a[0][0].dtype == torch.uint8 else old(*a)", "crashed in cat uint8 (): crashed by signal 11 (SIGSEGV)"),
    ("mm", "", ""),
)


@unittest.skipUnless(importlib.util.find_spec("torch"), "no torch is installed")
class RealTorch(unittest.TestCase):
    def test_mutants(self):
        for name, change, found in MUTANTS:
            with self.subTest(name=name, change=change):
                text = "import sys\nsys.path.insert(0, %r)\nimport torch, numerics\n%s\nsys.exit(numerics.main(%r))\n" % (os.path.dirname(SCRIPT), change, [name])
                done = subprocess.run([sys.executable, "-B", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, cwd="/")
                self.assertEqual(done.returncode, 1 if change else 0, done.stdout)
                self.assertIn(found, done.stdout)


if __name__ == "__main__":
    unittest.main()
