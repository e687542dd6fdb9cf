# SPDX-License-Identifier: BSD-3-Clause
"""Builds two tiny modules with the build_ext of the tree's own setup.py: build_modules.py TREE MODULE_C.

Prints the name of each file and loads it; exit code 1 where a name is not the plain one.
"""
import importlib.util
import os
import subprocess
import sys

import setuptools.command.build_ext
import setuptools.dist
import distutils.version  # the tree uses it without a word; setuptools up to 59.5 brought it along

tree, source = sys.argv[1:]
work = os.getcwd()
os.chdir(tree)
sys.path.insert(0, tree)
sys.argv = ['setup.py', 'build_ext']
specification = importlib.util.spec_from_file_location('setup_of_the_tree', os.path.join(tree, 'setup.py'))
setup_of_the_tree = importlib.util.module_from_spec(specification)
specification.loader.exec_module(setup_of_the_tree)
os.chdir(work)

NAMES = ['torch._C', 'torch._dl']
distribution = setuptools.dist.Distribution({
    'name': 'torch',
    'ext_modules': [setuptools.Extension(name, [source]) for name in NAMES],
})
command = setup_of_the_tree.build_ext(distribution)
command.build_lib, command.build_temp = 'lib', 'objects'
command.finalize_options()
# The tree's run() reports on a whole build and then calls this one, which calls the tree's build_extensions().
setuptools.command.build_ext.build_ext.run(command)

with open('lib/torch/__init__.py', 'w'):
    pass
is_plain = True
for name in NAMES:
    (found,) = [each for each in os.listdir('lib/torch') if each.startswith(name[len('torch.'):])]
    print(name, 'is torch/' + found)
    subprocess.check_call([sys.executable, '-c', 'import ' + name], cwd='lib')
    is_plain = is_plain and 'torch/' + found == name.replace('.', '/') + '.so'
sys.exit(0 if is_plain else 1)
