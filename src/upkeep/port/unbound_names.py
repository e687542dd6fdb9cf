# Names that a Python file uses and nobody binds, before and after a patch. Arguments: pairs of files; prints a line of JSON
# for each pair: {"error": …} where the second cannot be compiled, {"unread": …} where the first cannot be either, else
# {"names": {name: line}} with those that are new.
import ast
import builtins
import json
import sys

SPECIAL = {"__file__", "__name__", "__doc__", "__path__", "__class__", "WindowsError", "unicode", "long", "basestring"}


def unbound(text):
    bound, used = set(dir(builtins)) | SPECIAL, {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, (ast.ExceptHandler, getattr(ast, "MatchAs", ast.ExceptHandler))) and node.name:
            bound.add(node.name)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            bound.update(node.names)
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                used.setdefault(node.id, node.lineno)
            else:
                bound.add(node.id)
    return {} if "*" in bound else {name: line for name, line in used.items() if name not in bound}


def names_of(path):
    with open(path, "rb") as file:
        text = file.read()
    compile(text, path, "exec", dont_inherit=True)
    return unbound(text)


BROKEN = (SyntaxError, ValueError, RecursionError, MemoryError)

for before, after in zip(sys.argv[1::2], sys.argv[2::2]):
    known = None
    try:
        known = names_of(before)
    except BROKEN:
        pass
    try:
        names = names_of(after)
    except BROKEN as error:
        message = f"line {getattr(error, 'lineno', 0)}: {getattr(error, 'msg', error)}"
        print(json.dumps({"unread" if known is None else "error": message}))
        continue
    print(json.dumps({"names": {name: line for name, line in names.items() if name not in (known or {})}}))
