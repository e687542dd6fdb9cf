# SPDX-License-Identifier: BSD-3-Clause
"""run.py DIRECTORY: whether a dynamic linear layer of QNNPACK holds its lock from the first use of its packed weight to its
result, and whether a layer can still be made as prepack() makes it.

apply_dynamic_impl() and the lock's declaration are compiled as they stand in the tree, with stand-ins for tensors and for
QNNPACK that look whether another thread could take the lock.
"""
import re
import subprocess
import sys

FUNCTION = re.compile(r'^template <bool ReluFused>\nat::Tensor PackedLinearWeightsQnnp::apply_dynamic_impl\(.*?^\}\n',
                      re.MULTILINE | re.DOTALL)

PROGRAM = '''#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#define TORCH_CHECK(condition, ...) if (!(condition)) std::abort()
#define TORCH_INTERNAL_ASSERT(condition, ...) if (!(condition)) std::abort()

int open_places = 0;
std::mutex* of_layer = nullptr;
std::mutex* address(std::mutex& mutex) { return &mutex; }
std::mutex* address(std::unique_ptr<std::mutex>& mutex) { return mutex.get(); }
/// Says where no lock is held. Another thread tries: a thread must not try a mutex that it holds.
void expect_lock(const char* what) {
  bool is_open = false;
  std::thread([&] {
    is_open = of_layer->try_lock();
    if (is_open) of_layer->unlock();
  }).join();
  if (!is_open) return;
  std::printf("%s without a lock\\n", what);
  ++open_places;
}

namespace c10 {
enum Type { kQUInt8, kFloat, kCPU };
struct quint8 {
  uint8_t value;
  quint8() = default;
  explicit quint8(uint8_t v) : value(v) {}
};
using qint8 = int8_t;
}
namespace at {
using c10::kFloat;
struct Options {
  Options dtype(c10::Type) const { return *this; }
};
struct Tensor {
  std::vector<int64_t> shape = {2, 2};
  std::shared_ptr<std::vector<float>> numbers = std::make_shared<std::vector<float>>(8, 1.0f);
  int64_t dim() const { return shape.size(); }
  Tensor contiguous() const { return *this; }
  int64_t size(int64_t i) const { return shape[i]; }
  int64_t numel() const { return 4; }
  struct Sizes {
    std::vector<int64_t> all;
    std::vector<int64_t> vec() const { return all; }
  };
  Sizes sizes() const { return {shape}; }
  Options options() const { return {}; }
  Tensor min() const { return *this; }
  Tensor max() const { return *this; }
  template <typename T> T item() const { return 1; }
  template <typename T> T* data_ptr() const { return reinterpret_cast<T*>(numbers->data()); }
  int64_t q_zero_point() const { return 0; }
  Tensor& relu_() { return *this; }
  void reset() {}
};
Options device(c10::Type) { return {}; }
template <typename... Rest> Tensor _empty_affine_quantized(Rest...) { return {}; }
template <typename... Rest> Tensor quantize_per_tensor(Rest...) { return {}; }
template <typename... Rest> Tensor empty(Rest...) { return {}; }
struct Context {
  bool releaseWeightsWhenPrepacking() const { return false; }
};
Context globalContext() { return {}; }
}
namespace c10 {
struct irange {
  int64_t last;
  explicit irange(int64_t to) : last(to) {}
  struct iterator {
    int64_t at;
    int64_t operator*() const { return at; }
    iterator& operator++() { ++at; return *this; }
    bool operator!=(const iterator& other) const { return at != other.at; }
  };
  iterator begin() const { return {0}; }
  iterator end() const { return {last}; }
};
}
namespace caffe2 {
int pthreadpool_() { return 0; }
}
namespace quant_utils {
struct Parameters {
  double scale;
  int64_t zero_point;
};
Parameters ChooseQuantizationParams(float, float, int, int) { return {0.5, 0}; }
}
using pytorch_qnnp_status = int;
const int pytorch_qnnp_status_success = 0;
namespace qnnpack {
struct PackBMatrix {
  template <typename... Rest> explicit PackBMatrix(Rest...) {}
  int getPackedWeights() const { return 0; }
};
template <typename... Rest> int qnnpackLinearDynamic(Rest...) {
  expect_lock("the layer computes");
  return 0;
}
}
template <typename... Rest> void generate_requantization_scales(Rest&&...) { expect_lock("the scales change"); }

struct PackedWeight {
  std::unique_ptr<qnnpack::PackBMatrix> matrix;
  qnnpack::PackBMatrix* get() const {
    expect_lock("the packed weight is read");
    return matrix.get();
  }
  void reset() { matrix.reset(); }
  PackedWeight& operator=(std::unique_ptr<qnnpack::PackBMatrix> other) {
    matrix = std::move(other);
    return *this;
  }
};
struct InputScale {
  bool is_known = false;
  double number = 0;
  bool has_value() const { return is_known; }
  double value() const { return number; }
  InputScale& operator=(double other) {
    is_known = true;
    number = other;
    return *this;
  }
};
struct PackedLinearWeightsQnnp {
  PackedWeight w;
  at::Tensor orig_weight, bias_{{2}}, w_scales;
  InputScale input_scale;
  std::vector<uint8_t> w_zero_points = {0, 0};
  std::vector<float> requantization_scales = {1, 1};
MUTEX
  template <bool ReluFused> at::Tensor apply_dynamic_impl(at::Tensor input);
};
// The convolution's lock, in a class that is moved into its place where prepack() does that.
struct Convolution {
CONVOLUTION_MUTEX
};
static_assert(!IS_MOVED || std::is_move_constructible<Convolution>::value, "prepack() moves a layer that cannot be moved");

FUNCTION
int main() {
  PackedLinearWeightsQnnp layer;
  of_layer = address(layer.qnnp_mutex_);
  layer.apply_dynamic_impl<false>(at::Tensor());
  layer.apply_dynamic_impl<false>(at::Tensor());
  return open_places != 0;
}
'''



def read(name):
    with open(sys.argv[1] + '/' + name, encoding='utf-8') as file:
        return file.read()


found = FUNCTION.findall(read('qlinear_dynamic.cpp'))
if len(found) != 1:
    sys.exit('qlinear_dynamic.cpp: %d functions apply_dynamic_impl for QNNPACK, not 1' % len(found))
header = read('qnnpack_utils.h')
linear, convolution = header[:header.index('struct PackedConvWeightsQnnp')], header[header.index('struct PackedConvWeightsQnnp'):]
NO_LOCK = ['  std::mutex qnnp_mutex_;']  # as it is without the patch: nothing holds it
mutex = re.findall(r'^ *std::\S+ qnnp_mutex_.*;$', linear, re.MULTILINE) or NO_LOCK
of_convolution = re.findall(r'^ *std::\S+ qnnp_mutex_.*;$', convolution, re.MULTILINE)
is_moved = re.search(r'make_intrusive<PackedConvWeightsQnnp<kSpatialDim>>\(\s*PackedConvWeightsQnnp<kSpatialDim>\{', read('qconv_prepack.cpp'))
with open('program.cpp', 'w', encoding='utf-8') as file:
    program = PROGRAM.replace('CONVOLUTION_MUTEX', ''.join(of_convolution)).replace('MUTEX\n', mutex[0] + '\n')
    file.write(program.replace('IS_MOVED', 'true' if is_moved else 'false').replace('FUNCTION\n', found[0] + '\n'))
subprocess.run(['g++', '-std=c++14', '-pthread', '-o', 'program', 'program.cpp'], check=True)
sys.exit(subprocess.run(['./program']).returncode)
