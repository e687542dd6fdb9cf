# SPDX-License-Identifier: BSD-3-Clause
"""Runs what a file of the tree imports as packaging: with a setuptools that has no pkg_resources, and, as before the
patch, with one that has it where packaging is not installed: imports.py FILE.

The statements are the file's own, at its top level or in its functions.
"""
import ast
import os
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import packaging.version


def is_about_packaging(statement):
    return any(isinstance(node, ast.Import) and any(name.name.startswith('packaging') for name in node.names) or
               isinstance(node, ast.ImportFrom) and any(name.name == 'packaging' for name in node.names)
               for node in ast.walk(statement))


with open(sys.argv[1]) as file:
    tree = ast.parse(file.read())
bodies = [node.body for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.FunctionDef))]
statements = [statement for body in bodies for statement in body
              if isinstance(statement, (ast.Import, ast.ImportFrom, ast.Try)) and is_about_packaging(statement)]
assert statements, 'nothing imports packaging'
pkg_resources = types.ModuleType('pkg_resources')
pkg_resources.packaging = packaging
none = {'packaging': None, 'packaging.version': None}  # importing them raises ModuleNotFoundError
for statement in statements:
    for modules in ({'pkg_resources': None}, {'pkg_resources': pkg_resources, **none}):
        names = {}
        saved = dict(sys.modules)
        sys.modules.update(modules)
        try:
            exec(compile(ast.Module([statement], []), sys.argv[1], 'exec'), names)
        except ModuleNotFoundError as error:
            sys.exit(str(error).replace('import of pkg_resources halted; None in sys.modules', "No module named 'pkg_resources'"))
        finally:
            sys.modules.clear()
            sys.modules.update(saved)
        assert names['packaging'].version.Version('1.2').text == '1.2'
