# SPDX-License-Identifier: BSD-3-Clause
"""run.py TORCH: whether store_scalar() truncates a float for a tensor of integers, with this Python (3.10 or later).

The tree's python_scalars.h is compiled with a Python's own functions; stand-ins for torch's headers lie beside this file.
"""
import subprocess
import sys

PROGRAM = '''#include <cstdio>
#include <torch/csrc/utils/python_scalars.h>
template <typename T> int wrong(at::ScalarType type, const char* text, T wanted) {
  PyObject* globals = PyDict_New();
  PyObject* obj = PyRun_String(text, Py_eval_input, globals, globals);
  T found = 99;
  try {
    torch::utils::store_scalar(&found, type, obj);
  } catch (const python_error&) {
    PyErr_Print();
  } catch (const std::exception&) {
    found = 98;
  }
  if (found == wanted) return 0;
  std::printf("%s is stored as %d\\n", text, int(found));
  return 1;
}
int main() {
  Py_Initialize();
  int count = 0;
  count += wrong<int64_t>(at::kLong, "7", 7) + wrong<int64_t>(at::kLong, "1.5", 1) + wrong<int64_t>(at::kLong, "-2.9", -2);
  count += wrong<int32_t>(at::kInt, "1e3", 1000) + wrong<int16_t>(at::kShort, "-1.0", -1) + wrong<int8_t>(at::kChar, "5.9", 5);
  count += wrong<uint8_t>(at::kByte, "255.5", 255) + wrong<int64_t>(at::kLong, "1e300", 98) + wrong<int64_t>(at::kLong, "'1'", 99);
  if (count) std::puts("a float is no integer");
  std::fflush(stdout);
  return count != 0;
}
'''

if sys.version_info < (3, 10):
    sys.exit('needs Python 3.10 or later')
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM)


def config(*options):
    return subprocess.check_output(['python3-config', *options], text=True).split()


subprocess.check_call(['g++', '-std=c++14', '-w', '-I' + sys.path[0], '-I' + sys.argv[1], *config('--includes'), 'program.cpp', '-o',
                       'program', *config('--ldflags', '--embed'), '-Wl,-rpath,' + config('--prefix')[0] + '/lib'])
sys.exit(subprocess.call(['./program']))
