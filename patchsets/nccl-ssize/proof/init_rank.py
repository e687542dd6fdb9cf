# SPDX-License-Identifier: BSD-3-Clause
"""Compiles how the tree's THCPModule_nccl_init_rank reads its arguments, and calls it: init_rank.py PYTHON_NCCL_CPP.

Of the file it takes what stands before the first include and the function up to the first use of NCCL.
"""
import importlib.util
import subprocess
import sys
import sysconfig

with open(sys.argv[1]) as file:
    text = file.read()
preamble = text[:text.index('#include')]
function = text[text.index('THCPModule_nccl_init_rank('):]
function = function[function.index('HANDLE_TH_ERRORS') + len('HANDLE_TH_ERRORS'):function.index('ncclUniqueId')]
assert '"is#i:nccl_init_rank"' in function

with open('arguments.cpp', 'w') as file:
    file.write(preamble + '''
#include <Python.h>
#define NCCL_UNIQUE_ID_BYTES 128
#define THPUtils_assert(condition, ...) \\
  if (!(condition)) return PyErr_Format(PyExc_RuntimeError, __VA_ARGS__)
static PyObject* init_rank(PyObject* self, PyObject* args) {
''' + function + '''
  return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(id), id_len);
}
static PyMethodDef methods[] = {{"init_rank", init_rank, METH_VARARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "arguments", nullptr, -1, methods};
PyMODINIT_FUNC PyInit_arguments() { return PyModule_Create(&module); }
''')
subprocess.run(['g++', '-shared', '-fPIC', '-I', sysconfig.get_paths()['include'], 'arguments.cpp', '-o', 'arguments.so'],
               check=True)
specification = importlib.util.spec_from_file_location('arguments', 'arguments.so')
module = importlib.util.module_from_spec(specification)
specification.loader.exec_module(module)

identity = bytes(range(128))
sys.exit(0 if module.init_rank(2, identity, 1) == identity else 'the id is another one')
