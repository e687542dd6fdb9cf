# SPDX-License-Identifier: BSD-3-Clause
"""run.py FIND_OPENBLAS_CMAKE: whether CMake takes the OpenBLAS of OpenBLAS_HOME, wherever its headers lie below it, and not
another cblas.h in a directory of the system; and still the system's if the variable is not set.
"""
import os
import subprocess
import sys

SCRIPT = '''set(CMAKE_FIND_LIBRARY_PREFIXES lib)
set(CMAKE_FIND_LIBRARY_SUFFIXES .so)
list(INSERT CMAKE_SYSTEM_PREFIX_PATH 0 %s/system)
include(%s)
'''

work = os.getcwd()


def write(path, text=''):
    path = os.path.join(work, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


write('find.cmake', SCRIPT % (work, sys.argv[1]))
write('system/include/cblas.h')
write('system/lib/libopenblas.so')
wrong = 0
for name, headers in (('a', 'include'), ('b', 'include/openblas'), (None, None)):
    environment = dict(os.environ)
    wanted = work + '/system'
    if name:
        wanted = environment['OpenBLAS_HOME'] = '%s/%s' % (work, name)
        write('%s/%s/cblas.h' % (name, headers))
        write('%s/lib/libopenblas.so' % name)
    output = subprocess.check_output(['cmake', '-P', 'find.cmake'], env=environment, text=True, stderr=subprocess.STDOUT)
    if output.count(': %s/' % wanted) != 2:
        print('another OpenBLAS than that of %s is found:\n%s' % (wanted, output))
        wrong = 1
sys.exit(wrong)
