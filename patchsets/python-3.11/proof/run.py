# SPDX-License-Identifier: BSD-3-Clause
"""Builds frames.cpp with this Python's headers and the tree's pybind11, and uses what it has: run.py TREE PROOF."""
import subprocess
import sys
import sysconfig

tree, proof = sys.argv[1:]
subprocess.check_call([sys.executable, proof + '/extract.py', tree, 'functions.h'])
compiled = subprocess.call(['g++', '-std=c++14', '-shared', '-fPIC', '-w', '-I.', '-I' + tree + '/third_party/pybind11/include',
                            '-I' + sysconfig.get_paths()['include'], proof + '/frames.cpp', '-o', 'frames.so'])
if compiled != 0:
    sys.exit(compiled)
sys.path.insert(0, '.')
import frames  # noqa: E402


class Cat(frames.Animal):
    def name(self):
        return 'cat, not ' + frames.Animal.name(self)


def outer():
    return frames.callstack()


def fail():
    raise ValueError('told')


assert frames.ask(Cat()) == 'cat, not animal', frames.ask(Cat())
assert [name for name, line in outer()][:1] == ['outer'], outer()
assert outer()[0][1] == outer.__code__.co_firstlineno + 1, outer()
assert 'ValueError: told' in frames.message_of(fail), frames.message_of(fail)
assert isinstance(frames.Stream, type)
print('frames, overrides, messages and types work with Python', sys.version.split()[0])
