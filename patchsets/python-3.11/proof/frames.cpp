// SPDX-License-Identifier: BSD-3-Clause
// A module made of the tree's pybind11 and of two of torch's functions, behind declarations of what they use.
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

namespace py = pybind11;

struct Source {
  Source(std::string, std::string filename, size_t line) : file(filename), number(line) {}
  std::string file;
  size_t number;
};
struct SourceRange {
  SourceRange(std::shared_ptr<Source> from, size_t, size_t) : source(from) {}
  std::shared_ptr<Source> source;
};
struct StackEntry {
  std::string filename;
  SourceRange range;
};
std::string THPUtils_unpackString(PyObject* text) { return py::cast<std::string>(py::handle(text)); }
struct python_error {};
PyTypeObject* THPStreamClass;
PyTypeObject THPStreamType = {PyVarObject_HEAD_INIT(nullptr, 0) "frames.Stream", sizeof(PyObject)};

#include "functions.h"

struct Animal {
  virtual ~Animal() = default;
  virtual std::string name() const { return "animal"; }
};
struct PyAnimal : Animal {
  std::string name() const override { PYBIND11_OVERLOAD(std::string, Animal, name, ); }
};

PYBIND11_MODULE(frames, module) {
  py::class_<Animal, PyAnimal>(module, "Animal").def(py::init<>()).def("name", &Animal::name);
  module.def("ask", [](const Animal& animal) { return animal.name(); });
  module.def("callstack", [] {
    py::list names;
    for (const StackEntry& entry : _pythonCallstack()) names.append(py::make_tuple(entry.filename, entry.range.source->number));
    return names;
  });
  module.def("message_of", [](py::object function) {
    try {
      function();
    } catch (py::error_already_set& error) {
      return std::string(error.what());
    }
    return std::string();
  });
  THPStream_init(module.ptr());
}
