# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tree's lines that make the driver's options, and looks at what the driver gets: run.py TREE WORK."""

import subprocess
import sys

tree, work = sys.argv[1:]
lines = open(tree + "/torch/csrc/jit/codegen/cuda/executor_utils.cpp").read().split("\n")
begin = next(i for i, line in enumerate(lines) if 'getenv("PYTORCH_CUDA_FUSER_JIT_OPT_LEVEL")' in line)
push = next(i for i in range(begin, len(lines)) if "options.push_back(CU_JIT_OPTIMIZATION_LEVEL)" in lines[i])
end = next(i for i in range(push, len(lines)) if lines[i] == "  }")

with open(work + "/options.cpp", "w") as out:
    out.write("""// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum CUjit_option { CU_JIT_OPTIMIZATION_LEVEL };
#define TORCH_WARN_ONCE(...) std::puts("refused")

int main() {
  setenv("PYTORCH_CUDA_FUSER_JIT_OPT_LEVEL", "3", 1);
%s
  const auto level = reinterpret_cast<uintptr_t>(option_vals.at(0));
  if (options.size() != 1 || level != 3) std::puts("the driver gets a level that is not 3");
  return level != 3;
}
""" % "\n".join(lines[begin:end + 1]))
subprocess.run(["g++", "-std=c++14", "-w", work + "/options.cpp", "-o", work + "/options"], check=True)
sys.exit(subprocess.run([work + "/options"]).returncode)
