# SPDX-License-Identifier: BSD-3-Clause
"""run.py LAZY_NVRTC_CPP: whether a thread has its locale after nvrtcCompileProgram(), with an NVRTC that changes it.

The stub and the macros that make it are compiled as they stand; the library that they call is a stand-in which does what
that of CUDA 11.7 to 12.4 does: it makes the C locale the thread's.
"""
import re
import subprocess
import sys

PROGRAM = '''#include <cstdio>
#include <locale.h>
#include <stdexcept>
#include <string>
#define C10_STRINGIZE_IMPL(x) #x
#define C10_STRINGIZE(x) C10_STRINGIZE_IMPL(x)
using nvrtcResult = int;
using nvrtcProgram = void*;
nvrtcResult nvrtcCompileProgram(nvrtcProgram, int, const char* const*);
struct {
  decltype(&::nvrtcCompileProgram) nvrtcCompileProgram = ::nvrtcCompileProgram;
} lazyNVRTC;
int calls = 0;
nvrtcResult compile(nvrtcProgram, int, const char* const*) {
  uselocale(newlocale(LC_ALL_MASK, "C", nullptr));
  return ++calls;
}
struct Library {
  void* sym(const char* name) { return name == std::string("nvrtcCompileProgram") ? reinterpret_cast<void*>(compile) : nullptr; }
} library;
Library& getNVRTCLibrary() { return library; }
MACROS
STUB
int main() {
  const locale_t mine = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
  uselocale(mine);
  for (int i = 1; i <= 3; ++i) {
    if (lazyNVRTC.nvrtcCompileProgram(nullptr, 0, nullptr) != i || calls != i) return 2;
    if (uselocale(nullptr) == mine) continue;
    std::printf("call %d leaves another locale behind\\n", i);
    return 1;
  }
}
'''

with open(sys.argv[1], encoding='utf-8') as file:
    text = file.read()
macros = re.findall(r'^#define (?:_STUB_3|NVRTC_STUB3)\(.*?[^\\]\n', text, re.MULTILINE | re.DOTALL)
stub = re.findall(r'^NVRTC_STUB3\(nvrtcCompileProgram,[^\n]*\n|^nvrtcResult nvrtcCompileProgram\(.*?^\}\n', text, re.MULTILINE | re.DOTALL)
if len(macros) != 2 or len(stub) != 1:
    sys.exit('LazyNVRTC.cpp: %d macros and %d stubs, not 2 and 1' % (len(macros), len(stub)))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM.replace('MACROS', ''.join(macros)).replace('STUB\nint', stub[0] + 'int'))
subprocess.check_call(['g++', '-std=c++17', '-w', '-o', 'program', 'program.cpp'])
sys.exit(subprocess.call(['./program']))
