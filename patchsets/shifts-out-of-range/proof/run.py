# SPDX-License-Identifier: BSD-3-Clause
"""run.py TORCH [VECTORS|INDUCTOR]: whether lshift_kernel() and rshift_kernel() shift as NumPy does, by whatever number.

The two functions of BinaryOpsKernel.cpp are compiled as they stand, once for each type of integers, with stand-ins for what calls
them; with VECTORS, the tree's own vectors for a machine without AVX are compiled with them. With INDUCTOR, the two functions are
loops over the expressions that inductor's own classes write for C++.
"""
import ast
import re
import subprocess
import sys

PROGRAM = '''#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <type_traits>
#ifdef VECTORS
#include <ATen/cpu/vec/vec_base.h>
using namespace at::vec;
#endif

enum class ScalarType { Float, Double, Integer };
struct Iterator {
  const void *a, *b;
  void* result;
  ScalarType dtype() const { return ScalarType::Integer; }
};
using TensorIterator = Iterator;
using TensorIteratorBase = Iterator;
const int kCount = 64;
bool with_vectors;

template <typename R, typename C, typename A> A first(R (C::*)(A, A) const);
template <typename Op> void cpu_kernel(Iterator& iter, const Op& op) {
  using T = decltype(first(&Op::operator()));
  for (int i = 0; i < kCount; ++i)
    static_cast<T*>(iter.result)[i] = op(static_cast<const T*>(iter.a)[i], static_cast<const T*>(iter.b)[i]);
}
template <typename Op, typename VectorOp> void cpu_kernel_vec(Iterator& iter, const Op& op, const VectorOp& vector_op) {
  if (!with_vectors) return cpu_kernel(iter, op);
  using T = decltype(first(&Op::operator()));
  using V = decltype(first(&VectorOp::operator()));
  for (int i = 0; i < kCount; i += V::size())
    vector_op(V::loadu(static_cast<const T*>(iter.a) + i), V::loadu(static_cast<const T*>(iter.b) + i))
        .store(static_cast<T*>(iter.result) + i);
}
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...)
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) (__VA_ARGS__)()

template <typename T> T wanted(bool left, T a, T b) {
  const int bits = 8 * sizeof(T);
  if (b < 0 || b >= bits) return left || a >= 0 ? 0 : -1;
  return left ? static_cast<T>(static_cast<uint64_t>(a) << b) : static_cast<T>(a >> b);
}

template <typename T> int wrong(bool left, void (*kernel)(Iterator&), const char* type) {
  const T numbers[] = {1, 5, static_cast<T>(-3), static_cast<T>(-128)}, counts[] = {0, 1, 7, 8, 32, 64, 65, static_cast<T>(-1)};
  alignas(64) T a[kCount], b[kCount], result[kCount];
  for (int i = 0; i < kCount; ++i) a[i] = numbers[i % 4], b[i] = counts[i / 4 % 8];
  int count = 0;
  for (const bool vectors : {false, true}) {
    with_vectors = vectors;
    Iterator iterator{a, b, result};
    kernel(iterator);
    for (int i = 0; i < kCount; ++i) {
      if (result[i] == wanted<T>(left, a[i], b[i])) continue;
      if (!count++) std::printf("%s, %s: %lld %s %lld is %lld\\n", type, vectors ? "vector" : "scalar", (long long)a[i],
                                left ? "<<" : ">>", (long long)b[i], (long long)result[i]);
    }
  }
  return count;
}

KERNELS
int main() {
  if (TESTS == 0) return 0;
  std::puts("shifts out of range differ from NumPy's");
  return 1;
}
'''

LOOP = '''void %s(Iterator& iter) {
  for (int i = 0; i < kCount; ++i) {
    auto tmp0 = static_cast<const scalar_t*>(iter.a)[i];
    auto tmp1 = static_cast<const scalar_t*>(iter.b)[i];
    auto tmp2 = %s;
    static_cast<scalar_t*>(iter.result)[i] = tmp2;
  }
}
'''


def read(path):
    with open(sys.argv[1] + path, encoding='utf-8') as file:
        return file.read()


def kernels_of_inductor():
    """What CppOverrides, or else its base OpOverrides, writes; a shift that inductor leaves to ATen is none."""
    names = {'ExprPrinter': type('ExprPrinter', (), {'paren': staticmethod('({})'.format)})}
    for path, name in ('common.py', 'OpOverrides'), ('cpp.py', 'CppOverrides'):
        tree = ast.parse(read('/torch/_inductor/codegen/' + path))
        methods = [method for each in tree.body if isinstance(each, ast.ClassDef) and each.name == name for method in each.body
                   if isinstance(method, ast.FunctionDef) and method.name.endswith('_shift')]
        for method in methods:
            method.decorator_list = []
        exec(compile(ast.Module(methods, []), path, 'exec'), names)
    lowering = read('/torch/_inductor/lowering.py')
    return [LOOP % (kernel, names[name]('tmp0', 'tmp1'))
            for kernel, name in (('lshift_kernel', 'bitwise_left_shift'), ('rshift_kernel', 'bitwise_right_shift'))
            if 'make_fallback(aten.%s' % name not in lowering]


if 'INDUCTOR' in sys.argv[2:]:
    found = kernels_of_inductor()
else:
    found = re.findall(r'^void [lr]shift_kernel\(.*?^\}\n', read('/aten/src/ATen/native/cpu/BinaryOpsKernel.cpp'),
                       re.MULTILINE | re.DOTALL)
    if len(found) != 2:
        sys.exit('BinaryOpsKernel.cpp: %d functions, not 2' % len(found))
TYPES = ['uint8_t', 'int8_t', 'int16_t', 'int32_t', 'int64_t']
KERNELS = ''.join('namespace of_%s {\nusing scalar_t = %s;\n%s}\n' % (name, name, ''.join(found)) for name in TYPES)
TESTS = ' + '.join('wrong<%s>(%s, of_%s::%sshift_kernel, "%s")' % (name, left, name, side, name)
                   for name in TYPES for left, side in (('true', 'l'), ('false', 'r'))[:len(found)])
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM.replace('KERNELS', KERNELS).replace('TESTS', TESTS))
subprocess.check_call(['g++', '-std=c++17', '-O1', '-w', '-I' + sys.path[0], '-I' + sys.argv[1], '-I' + sys.argv[1] + '/aten/src',
                       *['-D' + name for name in sys.argv[2:]], '-o', 'program', 'program.cpp'])
sys.exit(subprocess.call(['./program']))
