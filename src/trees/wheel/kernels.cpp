// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "support/text.h"
#include "trees/wheel/wheel.h"

namespace torchpatch::trees {

namespace {

/// Returns whether a symbol contains a function's name, which C++ mangling precedes by its length; or is that name.
bool is_function(std::string_view symbol, const std::string& function) {
  const std::size_t at = symbol.find(concat(function.size(), function));
  return symbol == function || (at != symbol.npos && (at == 0 || symbol[at - 1] < '0' || symbol[at - 1] > '9'));
}

/// Uses the launch with the most threads among several, by operations or releases.
void add_launch(const Catalog& catalog, const Release* release, Kernel& kernel) {
  for (const auto& [id, issue] : catalog.issues) {
    for (const KernelLaunch& launch : issue.launches) {
      if (launch.threads <= kernel.threads || (release && !launch.releases.contains(release->version))) continue;
      if (std::ranges::none_of(launch.functions, [&](const auto& name) { return is_function(kernel.name, name); }))
        continue;
      kernel.threads = launch.threads;
      kernel.operation = launch.operation;
      kernel.issue = id;
    }
  }
  if (kernel.threads != 0)
    kernel.verdict = kernel.most_threads < kernel.threads ? KernelVerdict::fails : KernelVerdict::fits;
}

}  // namespace

std::vector<Kernel> judge_kernels(const WheelElf& file, const WheelContents& wheel, const WheelTarget& target) {
  std::vector<Kernel> judged;
  if (!target.board.gpu || !target.board.gpu->registers_per_block) return judged;
  constexpr std::int64_t kLargestBlock = 1024;
  const Release* const release = release_of_wheel(target.catalog, wheel.name, wheel.version);
  for (const elf::GpuKernel& each : file.kernels) {
    Kernel kernel{each.name, KernelVerdict::fits, each.registers, each.bound,
                  elf::most_threads(each, *target.board.gpu->registers_per_block)};
    if (kernel.bound != 0) {
      if (kernel.most_threads < kernel.bound) kernel.verdict = KernelVerdict::cannot_launch;
    } else if (kernel.most_threads < kLargestBlock) {
      kernel.verdict = KernelVerdict::limited;
      add_launch(target.catalog, release, kernel);
    }
    judged.push_back(std::move(kernel));
  }
  return judged;
}

}  // namespace torchpatch::trees
