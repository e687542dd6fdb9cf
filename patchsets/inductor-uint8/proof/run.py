# SPDX-License-Identifier: BSD-3-Clause
"""run.py CPP_PY: whether the C++ that inductor writes for a conversion to uint8 is defined, and gives what the operator gives.

CppOverrides.to_dtype() of the file is called as it stands, with a stand-in for torch that has types' names only. What it
writes is compiled with gcc's check of conversions.
"""
import re
import subprocess
import sys


class Torch:
    def __getattr__(self, name):
        return name


with open(sys.argv[1], encoding='utf-8') as file:
    text = file.read()
scope = {'torch': Torch(), '__name__': 'cpp'}
exec(re.search(r'^DTYPE_TO_CPP = \{.*?^\}\n', text, re.MULTILINE | re.DOTALL).group(0), scope)
overrides = re.search(r'^class CppOverrides\(.*?(?=^class )', text, re.MULTILINE | re.DOTALL).group(0)
found = re.search(r'^    def to_dtype\(x, dtype\):\n(?:        .*\n)+', overrides, re.MULTILINE).group(0)
exec(re.sub('^    ', '', found, flags=re.MULTILINE), scope)
checks = ''.join('  count += check<%s>([](auto x) { return %s; }, "%s");\n' % (
    scope['DTYPE_TO_CPP'][name], scope['to_dtype']('x', name), name) for name in ('uint8', 'int8', 'int32', 'int64', 'bool', 'float32'))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write('''#include <cstdio>
#include <type_traits>
template <typename To, typename F> int check(const F& convert, const char* name) {
  int count = 0;
  for (const auto x : {-100.5f, -3.0f, -1.0f, 0.0f, 0.5f, 1.0f, 99.0f}) {
    To wanted;
    if constexpr (std::is_same<To, unsigned char>::value) wanted = To(static_cast<long long>(x)); else wanted = To(x);
    if (convert(x) == wanted && convert(double(x)) == wanted && convert(static_cast<long>(x)) == To(static_cast<long>(x))) continue;
    if (!count++) std::printf("%s of %g is wrong\\n", name, x);
  }
  return count;
}
int main() {
  int count = 0;
''' + checks + '''  return count != 0;
}
''')
subprocess.check_call(['g++', '-std=c++17', '-O0', '-w', '-fsanitize=float-cast-overflow', '-fno-sanitize-recover=all', '-include',
                       'initializer_list', '-o', 'program', 'program.cpp'])
sys.exit(subprocess.call(['./program']))
