// SPDX-License-Identifier: BSD-3-Clause
// Wraps functions by the tree's wrap_pybind_function, whose handler of warnings raises them as errors on request.

#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace pybind11 {
struct error_already_set : std::exception {};
struct builtin_exception : std::exception {};
struct gil_scoped_release {};
}  // namespace pybind11
namespace py = pybind11;

// Up to 1.10 a macro of its own turns other errors into Python's.
#define CATCH_ALL_ERRORS(what) \
  catch (const std::exception&) { \
    what; \
  }

namespace c10 {
using std::optional;
namespace guts {
using std::invoke;
}
}  // namespace c10

bool warnings_are_errors = false;

namespace torch {
namespace jit {
struct JITException : std::exception {};
}  // namespace jit

struct PyWarningHandler {
  ~PyWarningHandler() noexcept(false) {
    if (warnings_are_errors && !in_exception) throw py::error_already_set();
  }
  void set_in_exception() { in_exception = true; }
  bool in_exception = false;
};

inline void translate_exception_to_python(const std::exception_ptr&) {}

}  // namespace torch

template <class Func>
struct function_traits;
template <class Result, class... Args>
struct function_traits<Result (*&)(Args...)> {
  using result_type = Result;
  static constexpr std::size_t arity = sizeof...(Args);
  template <std::size_t i>
  struct arg {
    using type = std::tuple_element_t<i, std::tuple<Args...>>;
  };
};
template <class Func>
using invoke_traits = function_traits<Func>;

#include <wrap.h>

int values = 0, failures = 0, other = 7;

struct Value {
  explicit Value(int number) : number(number) { ++values; }
  Value(const Value& from) : number(from.number) { ++values; }
  ~Value() { --values; }
  int number;
};

Value make(int number, const Value& before) { return Value(number + before.number); }
int& refer(int) { return other; }
void nothing(int number) { other = number; }

void expect(bool holds, const char* what) {
  if (holds) return;
  std::puts(what);
  ++failures;
}

template <class Call>
bool is_raised(Call&& call) {
  try {
    call();
  } catch (const py::error_already_set&) {
    return true;
  }
  return false;
}

int main() {
  auto* maker = &make;
  auto* referrer = &refer;
  auto* silent = &nothing;
  const auto make_wrapped = torch::wrap_pybind_function(maker);
  const auto refer_wrapped = torch::wrap_pybind_function(referrer);
  const auto nothing_wrapped = torch::wrap_pybind_function(silent);
  {
    const Value before(40);
    expect(make_wrapped(2, before).number == 42, "another value is returned");
    expect(&refer_wrapped(0) == &other, "another reference is returned");
    nothing_wrapped(9);
    expect(other == 9, "a function without result was not called");
    expect(values == 1, "a value is left or destroyed twice without a warning");
    warnings_are_errors = true;
    expect(is_raised([&] { make_wrapped(2, before); }), "a warning is no error");
    expect(is_raised([&] { refer_wrapped(0); }), "a warning is no error");
    expect(is_raised([&] { nothing_wrapped(1); }), "a warning is no error");
    expect(values >= 1, "a value is destroyed twice where a warning is an error");
    expect(values <= 1, "a value is left where a warning is an error");
  }
  return failures;
}
