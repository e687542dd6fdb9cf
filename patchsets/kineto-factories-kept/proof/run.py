# SPDX-License-Identifier: BSD-3-Clause
"""Looks at the tree's table of factories when static objects are destroyed: run.py TREE WORK."""

import subprocess
import sys

tree, work = sys.argv[1:]
lines = open(tree + "/third_party/kineto/libkineto/src/Config.cpp").read().split("\n")
name = next(i for i, line in enumerate(lines) if line.endswith("configFactories() {"))
is_map = lines[name].startswith("configFactories")  # up to 1.9 the type stands in the line before
function = "\n".join(lines[name - is_map:lines.index("}", name) + 1])
with open(work + "/table.cpp", "w") as out:
    out.write("""// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>

bool is_gone = false;
struct Witness {
  ~Witness() { is_gone = true; }
};
struct Config {};
struct AbstractConfig {};
struct FactoryMap {
  Witness witness;
};

%s

/// Destroyed when a thread that ends with the program may still run.
struct Last {
  ~Last() {
    if (!is_gone) return;
    std::puts("the table of factories is destroyed while a thread may use it");
    std::fflush(stdout);
    _exit(1);
  }
};

int main() {
  static Last last;
  %s
}
""" % (function, "auto witness = std::make_shared<Witness>();\n"
                 '  configFactories()["feature"] = [witness](const Config&) -> AbstractConfig* { return nullptr; };'
       if is_map else "if (!configFactories()) return 1;"))
subprocess.run(["g++", "-std=c++14", "-w", work + "/table.cpp", "-o", work + "/table"], check=True)
sys.exit(subprocess.run([work + "/table"]).returncode)
