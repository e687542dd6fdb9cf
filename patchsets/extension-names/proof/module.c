// SPDX-License-Identifier: BSD-3-Clause
#include <Python.h>

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "module", NULL, -1, NULL};

PyMODINIT_FUNC PyInit__C(void) { return PyModule_Create(&definition); }
PyMODINIT_FUNC PyInit__dl(void) { return PyModule_Create(&definition); }
PyMODINIT_FUNC PyInit_other(void) { return PyModule_Create(&definition); }
