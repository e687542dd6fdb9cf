# SPDX-License-Identifier: BSD-3-Clause
"""Builds three tiny modules with the build_ext of the tree's own setup.py: build_modules.py TREE MODULE_C.

Prints the name of each file and loads it; exit code 1 where torch._C and torch._dl have not their plain names, or
another module not the one that the interpreter gives.
"""
import importlib.util
import os
import subprocess
import sys
import sysconfig

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

SUFFIXES = {'torch._C': '.so', 'torch._dl': '.so', 'torch.other': sysconfig.get_config_var('EXT_SUFFIX')}
distribution = setuptools.dist.Distribution({
    'name': 'torch',
    'ext_modules': [setuptools.Extension(name, [source]) for name in SUFFIXES],
})
command = setup_of_the_tree.build_ext(distribution)
command.build_lib, command.build_temp = 'lib', 'objects'
command.finalize_options()
# The tree's run() reports on a whole build and then calls this one, which calls the tree's build_extensions().
setuptools.command.build_ext.build_ext.run(command)

with open('lib/torch/__init__.py', 'w'):
    pass
are_right = True
for name, suffix in SUFFIXES.items():
    (found,) = [each for each in os.listdir('lib/torch') if each.startswith(name[len('torch.'):])]
    print(name, 'is torch/' + found)
    subprocess.check_call([sys.executable, '-c', 'import ' + name], cwd='lib')
    are_right = are_right and 'torch/' + found == name.replace('.', '/') + suffix
sys.exit(0 if are_right else 1)
