# SPDX-License-Identifier: BSD-3-Clause
"""Reads annotations of classes with the tree's functions of TorchScript, without torch: annotations.py TREE."""

import ast
import inspect
import sys
import types
from typing import List, NamedTuple, Optional

tree = sys.argv[1]


def functions_of(path, names):
    """The source's functions of these names, wherever they stand, and the value that it gives class_annotations first."""
    found, value = [], None
    for node in ast.walk(ast.parse(open(tree + "/" + path).read())):
        if isinstance(node, ast.FunctionDef) and node.name in names:
            found.append(node)
        if value is None and isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "class_annotations":
            value = compile(ast.Expression(node.value), path, "eval")
    return compile(ast.Module(found, []), path, "exec"), value


torch = types.SimpleNamespace(
    jit=types.SimpleNamespace(annotations=types.SimpleNamespace(ann_to_type=lambda annotation, place: annotation)),
    _C=types.SimpleNamespace(TensorType=types.SimpleNamespace(getInferred=lambda: "inferred")))
internal = {"torch": torch, "fake_range": lambda: None, "sys": sys, "inspect": inspect}
exec(functions_of("torch/_jit_internal.py", {"_get_class_annotations", "_get_named_tuple_properties"})[0], internal)
definitions, value = functions_of("torch/jit/_recursive.py", {"get_annotations"})
recursive = {"_jit_internal": types.SimpleNamespace(**{name: each for name, each in internal.items() if name != "__builtins__"}),
             "sys": sys, "inspect": inspect}
exec(definitions, recursive)


class Sequence(NamedTuple):
    data: int
    sorted_indices: Optional[int]


class PackedSequence(Sequence):
    pass


class OwnSequence(PackedSequence):
    pass


class Module:
    training: bool

    def __call__(self):
        pass


class Base(Module):
    state: List[int]


class Middle(Base):
    pass


class Lowest(Middle):
    pass


class Own(Middle):
    other: float


class OfObject(Middle):
    def __init__(self):
        self.__annotations__ = {"scale": int}


failures = 0


def expect(wanted, found, what):
    global failures
    if wanted != found:
        print("%s: %s" % (what, found))
        failures += 1


for reading in range(2):
    for each in Sequence, PackedSequence, OwnSequence:
        expect([int, Optional[int]], internal["_get_named_tuple_properties"](each)[2], "fields of " + each.__name__)
    for each, wanted in ((Base(), ["state"]), (Middle(), ["state"]), (Lowest(), ["state"]), (Own(), ["other"]),
                         (OfObject(), ["scale"]), (Module(), ["training"])):
        expect(wanted, list(eval(value, recursive, {"nn_module": each})), "annotations of " + type(each).__name__)
    for each in PackedSequence, OwnSequence, Middle, Lowest:
        getattr(each, "__annotations__", None)  # as inspect.getmembers does: the next reading finds an empty dictionary
sys.exit(failures)
