# SPDX-License-Identifier: BSD-3-Clause
"""run.py FILE FUNCTION: whether FUNCTION of FILE refuses what it has an assertion against.

The function is compiled as it stands in the tree, with stand-ins for what it uses, and is called with what it knows and then
with what it does not: a quantization scheme, a data type, a storage offset.
"""
import re
import subprocess
import sys

COMMON = '''#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

struct Refused {};
#define TORCH_CHECK(condition, ...) if (!(condition)) throw Refused()
#define TORCH_INTERNAL_ASSERT(condition, ...) TORCH_CHECK(condition)
#define C10_UNUSED
namespace c10 {
std::vector<int64_t> irange(int64_t begin, int64_t end) {
  std::vector<int64_t> numbers;
  for (int64_t i = begin; i < end; ++i) numbers.push_back(i);
  return numbers;
}
std::vector<int64_t> irange(int64_t end) { return irange(0, end); }
}
template <typename Known, typename Unknown> int judge(const Known& known, const Unknown& unknown) {
  known();
  try {
    unknown();
  } catch (Refused) {
    return 0;
  }
  std::puts("an assertion does not fail");
  return 1;
}
'''

PROGRAMS = {
    'make_zero_points_and_scales_tensor': '''
namespace at {
enum Scheme { kPerTensorAffine, kPerChannelAffine, kPerChannelAffineFloatQParams };
enum Type { kCPU, kFloat, kLong, kDouble };
struct Options { Options dtype(Type) const { return {}; } };
Options device(Type) { return {}; }
struct Item {
  int64_t value;
  template <typename T> T item() const { return static_cast<T>(value); }
};
struct Numbers {
  Type type;
  Type scalar_type() const { return type; }
  Item operator[](int) const { return {3}; }
  template <typename T> T* data_ptr() const {
    static T numbers[64];
    return numbers;
  }
};
struct Tensor : Numbers {
  Scheme scheme;
  int64_t size(int) const { return 2; }
  Scheme qscheme() const { return scheme; }
  int64_t q_zero_point() const { return 3; }
  double q_scale() const { return 0.5; }
  Numbers q_per_channel_zero_points() const { return {kLong}; }
  Numbers q_per_channel_scales() const { return {kDouble}; }
};
Tensor empty(const std::vector<int64_t>&, Options) { return {}; }
}
FUNCTION
int main() {
  at::Tensor weight{};
  const auto use = [&](at::Scheme scheme) {
    weight.scheme = scheme;
    make_zero_points_and_scales_tensor(weight);
  };
  return judge([&] { use(at::kPerTensorAffine), use(at::kPerChannelAffine); }, [&] { use(at::kPerChannelAffineFloatQParams); });
}
''',
    'add_relu_impl': '''
namespace at { enum Type { kInt, kLong, kShort, kChar, kFloat, kDouble, kByte }; }
struct Scalar {
  Scalar() = default;
  template <typename T> Scalar(T) {}
};
struct Type {
  at::Type type;
  bool operator==(at::Type other) const { return type == other; }
  std::string name() const { return {}; }
};
struct Tensor {
  at::Type type;
  Type dtype() const { return {type}; }
};
struct TensorIterator {
  Tensor& result;
  static TensorIterator binary_op(Tensor& result, const Tensor&, const Tensor&) { return {result}; }
  Tensor& output() { return result; }
  int device_type() const { return 0; }
};
void add_clamp_stub(int, TensorIterator&, Scalar, Scalar, Scalar) {}
FUNCTION
int main() {
  Tensor tensor{};
  const auto use = [&](at::Type type) {
    tensor.type = type;
    add_relu_impl(tensor, tensor, tensor, 1);
  };
  return judge([&] { use(at::kFloat), use(at::kChar); }, [&] { use(at::kByte); });
}
''',
    'checkSetStorage': '''
struct IntArrayRef {
  const int64_t* data() const { return nullptr; }
  size_t size() const { return 0; }
};
struct Storage {
  bool is_alias_of(const Storage&) const { return true; }
  int device() const { return 0; }
  explicit operator bool() const { return true; }
};
struct Tensor {
  Storage storage() const { return {}; }
  Tensor* unsafeGetTensorImpl() { return this; }
  void set_storage_keep_dtype(const Storage&) {}
};
FUNCTION
int main() {
  Tensor tensor;
  const auto use = [&](int64_t offset) { checkSetStorage(tensor, Storage(), offset, {}, {}); };
  return judge([&] { use(0), use(1); }, [&] { use(-1); });
}
''',
}

path, name = sys.argv[1:]
with open(path, encoding='utf-8') as file:
    found = re.findall(r'^[^\n;]*\b%s\([^;]*?\{\n.*?^\}\n' % name, file.read(), re.MULTILINE | re.DOTALL)
if len(found) != 1:
    sys.exit('%s: %d functions %s, not 1' % (path, len(found), name))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(COMMON + PROGRAMS[name].replace('FUNCTION', found[0]))
subprocess.check_call(['g++', '-std=c++14', '-w', '-o', 'program', 'program.cpp'])
sys.exit(subprocess.call(['./program']))
