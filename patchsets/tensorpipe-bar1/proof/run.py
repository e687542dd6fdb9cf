# SPDX-License-Identifier: BSD-3-Clause
"""Asks the tree's function for the memory window of made-up devices: run.py TREE WORK."""

import os
import subprocess
import sys

tree, work = sys.argv[1:]
lines = open(tree + "/third_party/tensorpipe/tensorpipe/channel/cuda_gdr/context_impl.cc").read().split("\n")
first = lines.index("size_t getBar1SizeOfGpu(int gpuIdx) {")
function = "\n".join(lines[first:lines.index("}", first) + 1])
with open(work + "/bar.cpp", "w") as out:
    out.write("""// SPDX-License-Identifier: BSD-3-Clause
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <sys/types.h>

#define TP_THROW_SYSTEM_IF(condition, number) \\
  if (condition) throw std::runtime_error(std::strerror(number))

std::string getPciPathForGpu(int gpu) { return "%s/" + std::to_string(gpu); }

%s

int main() {
  const size_t wanted[] = {3000, 2000, 0};
  int failures = 0;
  for (int gpu = 0; gpu < 3; ++gpu) {
    std::string found;
    try {
      found = std::to_string(getBar1SizeOfGpu(gpu));
    } catch (const std::exception& error) {
      found = error.what();
    }
    if (found == std::to_string(wanted[gpu])) continue;
    std::printf("device %%d: %%s\\n", gpu, found.c_str());
    ++failures;
  }
  return failures;
}
""" % (work, function))
# Device 0 has BARs of 32 bits, device 1 of 64 bits, device 2 no window into its memory.
for device, sizes in enumerate(({0: 1000, 1: 3000}, {0: 1000, 2: 2000}, {0: 1000})):
    os.mkdir("%s/%d" % (work, device))
    for number, size in sizes.items():
        with open("%s/%d/resource%d" % (work, device, number), "w") as resource:
            resource.truncate(size)
subprocess.run(["g++", "-std=c++14", "-w", work + "/bar.cpp", "-o", work + "/bar"], check=True)
sys.exit(subprocess.run([work + "/bar"]).returncode)
