# SPDX-License-Identifier: BSD-3-Clause
"""run.py ENGINE_CPP: whether the function of ENGINE_CPP that makes the engine keeps it to the end of a program.

A thread that was started and never waited for may come to the engine after main has returned. Here the destructor of an object
that is older than the engine, and so dies after it, comes in that thread's place, every time.
"""
import re
import subprocess
import sys

FUNCTION = re.compile(r'^(?:static )?Engine& (Engine::)?get_base_engine\(\) \{\n.*?^\}\n', re.MULTILINE | re.DOTALL)

PROGRAM = '''#include <cstdio>
#include <vector>
#include <unistd.h>
struct Engine {
  static Engine& get_base_engine();
  Engine() : ready_queues(2) {}
  ~Engine() { gone = true; }
  std::vector<int> ready_queues;
  static bool gone;
};
bool Engine::gone = false;
struct LateThread {
  ~LateThread() {
    if (Engine::gone) std::puts("a thread comes to an engine that is gone");
    std::fflush(stdout);
    _exit(Engine::gone ? 1 : 0);
  }
} late;
%s
int main() { return %sget_base_engine().ready_queues.size() == 2 ? 0 : 2; }
'''

with open(sys.argv[1], encoding='utf-8') as file:
    found = FUNCTION.search(file.read())
if not found:
    sys.exit('%s: no function get_base_engine' % sys.argv[1])
with open('program.cpp', 'w', encoding='utf-8') as file:
    file.write(PROGRAM % (found.group(0), found.group(1) or ''))
subprocess.check_call(['g++', '-std=c++11', '-o', 'program', 'program.cpp'])
sys.exit(subprocess.call(['./program']))
