# SPDX-License-Identifier: BSD-3-Clause
"""Parses type comments with the tree's own torch/jit/annotations.py: parse.py FILE.

The torch around it is a stand-in. What a comment names is looked up among the builtins, as the file does for a function
whose scope has no such name.
"""
import builtins
import importlib.util
import inspect
import sys
from unittest import mock


class Probe:
    """Notes that it was called, or looped over."""
    used = []

    def __call__(self):
        self.used.append('a call')

    def __iter__(self):
        self.used.append('a loop')
        return iter(())


builtins.probe = Probe()
for name in ['torch', 'torch._C', 'torch._jit_internal', 'torch._ops', 'torch._six', 'torch._sources', 'torch._utils_internal', 'torch.jit',
             'torch.jit._state', 'torch.jit.frontend']:
    sys.modules[name] = mock.MagicMock()
specification = importlib.util.spec_from_file_location('torch.jit.annotations', sys.argv[1])
annotations = importlib.util.module_from_spec(specification)
specification.loader.exec_module(annotations)
annotations.ann_to_type = lambda annotation, *rest: annotation
builtins.Thing = type('Thing', (), {'Part': 1})


def parse(comment):
    """Returns what the file makes of a comment; later releases also get the scope and the place of the function."""
    more = {'rcb': lambda name: getattr(builtins, name), 'loc': None}
    taken = inspect.signature(annotations.parse_type_line).parameters
    return annotations.parse_type_line(comment, **{name: more[name] for name in taken if name in more})


types = parse('# type: (int, Thing.Part, "str") -> Thing')
assert types == ([int, 1, 'str'], Thing), types
for comment in ['# type: (probe()) -> int', '# type: (int) -> probe()', '# type: (int, [x for x in probe]) -> int']:
    try:
        parse(comment)
    except RuntimeError as error:
        print(error)
    assert not Probe.used, 'the type comment ran %s: %s' % (Probe.used, comment)
try:
    parse('# type: (int -> int')
except RuntimeError as error:
    print(error)
else:
    sys.exit('a comment that is no type was accepted')
