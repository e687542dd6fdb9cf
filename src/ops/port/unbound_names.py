# Names that a Python file uses and nobody binds, before and after a patch. Arguments: pairs of files; prints a line of JSON
# for each pair: {"error": …} where the second cannot be compiled, else {"names": {name: line}} with those that are new.
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


def read(path):
    with open(path, "rb") as file:
        return file.read()


for before, after in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        names = unbound(read(after))
        compile(read(after), after, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        print(json.dumps({"error": f"line {getattr(error, 'lineno', 0)}: {getattr(error, 'msg', error)}"}))
        continue
    try:
        known = unbound(read(before))
    except (OSError, SyntaxError, ValueError):
        known = {}
    print(json.dumps({"names": {name: line for name, line in names.items() if name not in known}}))
