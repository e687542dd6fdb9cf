# SPDX-License-Identifier: BSD-3-Clause
"""run.py TORCH: whether torch's store for Gloo waits by torch's timeout, and links with a Gloo that is compiled as C++11.

GlooStore's wait() is compiled as it stands in ProcessGroupGloo.hpp, as C++17 and against the tree's own Gloo, whose store.cc is
compiled as C++11, as its CMakeLists.txt says.
"""
import os
import re
import subprocess
import sys

PROGRAM = '''#include <gloo/rendezvous/store.h>
#include <cstdio>
namespace c10d {
struct Store {
  static constexpr std::chrono::milliseconds kDefaultTimeout = std::chrono::seconds(300);
  std::chrono::milliseconds waited{0};
  void wait(const std::vector<std::string>&, const std::chrono::milliseconds& timeout) { waited = timeout; }
};
struct GlooStore : ::gloo::rendezvous::Store {
  explicit GlooStore(::c10d::Store* store) : store_(store) {}
  void set(const std::string&, const std::vector<char>&) override {}
  std::vector<char> get(const std::string&) override { return {}; }
  void wait(const std::vector<std::string>&, const std::chrono::milliseconds&) override {}
FUNCTION
  ::c10d::Store* store_;
};
}
int main() {
  c10d::Store store;
  c10d::GlooStore(&store).wait({});
  std::printf("waits for %d ms\\n", int(store.waited.count()));
  return store.waited != std::chrono::seconds(300);
}
'''

torch = sys.argv[1]
with open(torch + '/torch/csrc/distributed/c10d/ProcessGroupGloo.hpp', encoding='utf-8') as file:
    found = re.findall(r'^    void wait\(const std::vector<std::string>& keys\) override \{\n.*?^    \}\n', file.read(),
                       re.MULTILINE | re.DOTALL)
if len(found) != 1:
    sys.exit('ProcessGroupGloo.hpp: %d functions, not 1' % len(found))
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM.replace('FUNCTION', found[0]))
os.makedirs('gloo')
with open('gloo/config.h', 'w', encoding='utf-8'):
    pass      # generated when Gloo is configured
gloo = torch + '/third_party/gloo'
include = ['-I.', '-I' + gloo]
subprocess.check_call(['g++', '-std=c++17', '-O2', '-w', *include, '-c', 'program.cpp'])
subprocess.check_call(['g++', '-std=c++11', '-O2', '-w', *include, '-c', gloo + '/gloo/rendezvous/store.cc'])
subprocess.check_call(['g++', 'program.o', 'store.o', '-o', 'program'])
sys.exit(subprocess.call(['./program']))
