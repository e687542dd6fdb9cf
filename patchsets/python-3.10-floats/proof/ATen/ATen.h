// SPDX-License-Identifier: BSD-3-Clause
// Stands in for torch's: the types of numbers that python_scalars.h names.
#pragma once
#include <Python.h>
#include <complex>
#include <cstdint>
#include <stdexcept>
namespace at {
enum ScalarType { kByte, kChar, kShort, kInt, kLong, kHalf, kFloat, kDouble, kComplexHalf, kComplexFloat, kComplexDouble, kBool, kBFloat16 };
struct Half {
  float value;
  operator float() const { return value; }
};
struct BFloat16 {
  float value;
};
template <typename To, typename From> To convert(From) { return {}; }
}
namespace c10 {
template <typename T> struct complex {
  complex() = default;
  template <typename F> complex(F) {}
  T real() const { return {}; }
  T imag() const { return {}; }
};
}
struct python_error {};
struct THPObjectPtr {
  PyObject* object;
  explicit THPObjectPtr(PyObject* o) : object(o) {}
  ~THPObjectPtr() { Py_XDECREF(object); }
  PyObject* get() const { return object; }
  explicit operator bool() const { return object != nullptr; }
};
inline int64_t THPUtils_unpackLong(PyObject* obj) {
  int overflow;
  const long long value = PyLong_AsLongLongAndOverflow(obj, &overflow);
  if (value == -1 && PyErr_Occurred()) throw python_error();
  if (overflow != 0) throw std::runtime_error("Overflow when unpacking long");
  return value;
}
inline PyObject* THPUtils_packInt64(int64_t value) { return PyLong_FromLongLong(value); }
inline double THPUtils_unpackDouble(PyObject* obj) { return PyFloat_AsDouble(obj); }
inline double THPUtils_unpackComplexDouble(PyObject*) { return 0; }
inline bool THPUtils_unpackNumberAsBool(PyObject* obj) { return PyObject_IsTrue(obj); }
