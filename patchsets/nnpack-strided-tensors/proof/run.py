# SPDX-License-Identifier: BSD-3-Clause
"""run.py FILE: whether NNPACK gets tensors that lie in memory without gaps.

The functions of NNPACK.cpp that autograd calls are compiled as they stand in the tree: the convolution, and up to 1.3 its two
gradients. The stand-in for a tensor knows whether it has strides of its own, and those for NNPACK whose memory they get.
"""
import re
import subprocess
import sys

FUNCTION = re.compile(r'^(?:at::)?Tensor (_nnpack_spatial_convolution\w*)\((?:(?!^\}).)*?nnpack_threadpool\(\).*?^\}\n',
                      re.MULTILINE | re.DOTALL)

PROGRAM = '''#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

std::map<const void*, std::string> strided;  // the memory of tensors with strides, and their names

namespace at {
struct IntArrayRef : std::vector<int64_t> {
  using std::vector<int64_t>::vector;
  IntArrayRef(const std::vector<int64_t>& other) : std::vector<int64_t>(other) {}
  bool equals(const IntArrayRef& other) const { return *this == other; }
};
std::ostream& operator<<(std::ostream& out, const IntArrayRef&) { return out; }
enum Kind { kCPU, kFloat };
struct Device {
  Kind type() const { return kCPU; }
};
struct Backend {
  enum { CPU };
};
struct TensorType {
  int backend() const { return Backend::CPU; }
  Kind scalarType() const { return kFloat; }
};
struct Tensor {
  IntArrayRef shape;
  float* memory = nullptr;
  Tensor() = default;
  explicit Tensor(IntArrayRef sizes) : shape(sizes), memory(new float[1]) {}
  int64_t ndimension() const { return shape.size(); }
  int64_t size(int64_t i) const { return shape[i]; }
  IntArrayRef sizes() const { return shape; }
  Device device() const { return {}; }
  Kind scalar_type() const { return kFloat; }
  TensorType type() const { return {}; }
  int options() const { return 0; }
  bool defined() const { return memory; }
  Tensor contiguous() const { return strided.count(memory) ? Tensor(shape) : *this; }
  void* data_ptr() const { return memory; }
  template <typename T> T* data_ptr() const { return memory; }
};
template <typename Shape> Tensor empty(const Shape& sizes, int) { return Tensor(sizes); }
Tensor zeros(IntArrayRef sizes, int) { return Tensor(sizes); }
}
namespace c10 {
template <typename T> struct optional : T {
  optional(const T& value) : T(value) {}
};
}
using at::Tensor;
using at::IntArrayRef;
using at::kCPU;
using at::kFloat;
using at::Backend;

enum nnp_status { nnp_status_success, nnp_status_insufficient_buffer };
enum { nnp_convolution_algorithm_auto, nnp_convolution_transform_strategy_compute, nnp_activation_identity };
struct nnp_size { size_t width, height; };
struct nnp_padding { size_t top, right, bottom, left; };
int wrong = 0;
template <typename T> void look(const char*, const T&) {}
void look(const char* call, float* memory) {
  const auto found = strided.find(memory);
  if (found == strided.end()) return;
  std::printf("%s reads %s as if it had no strides\\n", call, found->second.c_str());
  ++wrong;
}
template <typename... All> nnp_status call(const char* name, const All&... all) {
  (void)std::initializer_list<int>{(look(name, all), 0)...};
  return nnp_status_success;
}
#define nnp_convolution_output(...) call("the convolution", __VA_ARGS__)
#define nnp_convolution_inference(...) call("the convolution", __VA_ARGS__)
#define nnp_convolution_input_gradient(...) call("the gradient of the input", __VA_ARGS__)
#define nnp_convolution_kernel_gradient(...) call("the gradient of the weight", __VA_ARGS__)
void* workspace = nullptr;
size_t workspace_size = 0;
void allocate_workspace() {}
void deallocate_workspace() {}
int nnpack_threadpool() { return 0; }
template <typename... Rest> std::vector<int64_t> conv_output_size(const Rest&...) { return {16, 4, 10, 10}; }

namespace at {
namespace native {
FUNCTIONS
}
}

Tensor with_strides(const char* name, IntArrayRef sizes) {
  const Tensor tensor(sizes);
  strided[tensor.memory] = name;
  return tensor;
}

int main() {
  const Tensor input = with_strides("the input", {16, 3, 12, 12}), weight = with_strides("the weight", {4, 3, 3, 3}),
               bias = with_strides("the bias", {4}), gradient = with_strides("the gradient of the output", {16, 4, 10, 10});
  CALLS
  return wrong != 0;
}
'''

with open(sys.argv[1], encoding='utf-8') as file:
    functions = {match.group(1): match.group(0) for match in FUNCTION.finditer(file.read())}
name = '_nnpack_spatial_convolution'
if name not in functions:
    sys.exit('NNPACK.cpp: no function ' + name)
has_stride = 'IntArrayRef stride' in functions[name]
calls = 'at::native::%s(input, weight, bias, {0, 0}%s);' % (name, ', {1, 1}' if has_stride else '')
if has_stride:  # autograd has other gradients
    functions = {name: functions[name]}
else:
    calls += ('\n  at::native::%s_backward_input(input, gradient, weight, {0, 0});'
              '\n  at::native::%s_backward_weight(input, weight.sizes(), gradient, {0, 0});' % (name, name))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM.replace('FUNCTIONS\n', ''.join(functions.values())).replace('CALLS', calls))
subprocess.run(['g++', '-std=c++14', '-w', '-o', 'program', 'program.cpp'], check=True)
sys.exit(subprocess.run(['./program']).returncode)
