// SPDX-License-Identifier: BSD-3-Clause
// The tree's functions, behind declarations of what they use. Two of these matter to a compiler that checks formats: an
// index counts in Py_ssize_t, which CPython defines as ssize_t, and the exceptions take a format as printf does.
#include <sys/types.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

using Py_ssize_t = ssize_t;
struct PyTypeObject {
  const char* tp_name;
};
struct PyObject {
  PyTypeObject* ob_type;
};
PyTypeObject* Py_TYPE(PyObject*);
extern PyObject* Py_None;
bool PyTuple_Check(PyObject*);
Py_ssize_t PyTuple_GET_SIZE(PyObject*);
Py_ssize_t PyList_GET_SIZE(PyObject*);
PyObject* PyTuple_GET_ITEM(PyObject*, Py_ssize_t);
PyObject* PyList_GET_ITEM(PyObject*, Py_ssize_t);
void Py_CLEAR(PyObject*);

namespace torch {
struct TypeError : std::exception {
  explicit TypeError(const char* format, ...) __attribute__((format(printf, 2, 3)));
};
}  // namespace torch
using torch::TypeError;

namespace c10 {
struct Counter {
  Py_ssize_t value;
  Py_ssize_t operator*() const { return value; }
  Counter& operator++() { return ++value, *this; }
  bool operator!=(const Counter& other) const { return value != other.value; }
};
struct Range {
  Py_ssize_t size;
  Counter begin() const { return {0}; }
  Counter end() const { return {size}; }
};
inline Range irange(Py_ssize_t size) { return {size}; }
}  // namespace c10

namespace at {
enum class ScalarType { Long };
bool isIntegralType(ScalarType, bool include_bool);
}  // namespace at

struct PyNode {};
struct GradFn {
  PyNode* get() const;
};
struct Variable {
  GradFn grad_fn() const;
  template <typename T>
  T item();
  int64_t numel();
  struct Dtype {
    at::ScalarType toScalarType() const;
  };
  Dtype dtype();
};
bool THPVariable_Check(PyObject*);
Variable& THPVariable_Unpack(PyObject*);
bool THPUtils_checkLong(PyObject*);
int64_t THPUtils_unpackIndex(PyObject*);
double THPUtils_unpackDouble(PyObject*);
const char* THPUtils_typename(PyObject*);
void THPFunction_assert(bool condition, const char* format, ...);

namespace jit {
namespace tracer {
bool isTracing();
struct ArgumentStash {
  static void stashIntArrayRefElem(const std::string&, size_t, size_t, const Variable&);
};
}  // namespace tracer
}  // namespace jit

struct Parameter {
  std::string name;
  int size;
  const std::string& type_name() const;
};
struct Signature {
  std::string name;
  std::vector<Parameter> params;
};
namespace torch {
struct PythonArgs {
  bool traceable;
  Signature signature;
  std::vector<PyObject*> args;
  std::vector<int64_t> intlistWithDefault(int i, std::vector<int64_t> default_intlist);
  std::vector<double> getDoublelist(int i);
};
}  // namespace torch
using torch::PythonArgs;

struct SavedVariable {
  SavedVariable();
  SavedVariable(const Variable&, bool);
};
struct THPFunction {
  PyObject* to_save;
  std::vector<SavedVariable> saved_variables;
};

// They are in namespace torch, as in the tree.
namespace torch {
#include "functions.h"
}  // namespace torch
