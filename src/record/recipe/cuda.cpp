// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "record/recipe/parts.h"
#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

// Packages of Debian's non-free section, equal for amd64 and arm64, as listed by packages.debian.org. The compiler is
// the newest in the suite that nvcc's crt/host_config.h accepts.
constexpr CudaToolkit kToolkits[] = {
    {"debian-11.2", "11.2", "debian-11", "",
     "libcudart11.0 libcublas11 libcufft10 libcurand10 libcusolver11 libcusparse11 libnvrtc11.2 libnvtoolsext1 "
     "libnvjpeg11"},
    {"debian-11.8", "11.8", "debian-12", "-11",
     "libcudart11.0 libcublas11 libcufft10 libcurand10 libcusolver11 libcusparse11 libnvrtc11.2 libnvtoolsext1 "
     "libnvjpeg11"},
    {"debian-12.4", "12.4", "debian-13", "-13",
     "libcudart12 libcublas12 libcufft11 libcurand10 libcusolver11 libcusparse12 libnvrtc12 libnvtoolsext1 "
     "libnvjpeg12"},
};

const std::set<std::string> kOn = {"1", "ON", "on", "On", "YES", "yes", "TRUE", "true", "True", "Y", "y"};

/// Returns whether a variable of the plan disables a part of CUDA: USE_CUDNN=0 or, up to 1.3, NO_CUDNN=1.
bool leaves_out(const Manifest& manifest, const std::string& part) {
  return std::ranges::any_of(manifest.environment, [&](const PlannedSetting& setting) {
    if (!is_exported(setting) || setting.component.value_or(Component::torch) != Component::torch) return false;
    const bool is_on = kOn.contains(setting.value);
    return (setting.name == "USE_" + part && !is_on) || (setting.name == "NO_" + part && is_on);
  });
}

void check_plan(const Parts& parts, const CudaToolkit& toolkit) {
  const Manifest& manifest = parts.manifest;
  if (!plans_cuda(manifest)) {
    throw Error(ErrorKind::usage,
                concat("--cuda ", toolkit.name, ": the plan for ", quote(manifest.board), " does not use CUDA"),
                "omit --cuda");
  }
  std::vector<std::string> faults, settings;
  const std::string* const version = find_value(manifest.target, "cuda");
  if (!version || *version != toolkit.version) {
    faults.push_back(concat("for ", version ? concat("CUDA ", *version) : "no known CUDA"));
    settings.push_back(concat("--set cuda=", toolkit.version));
  }
  if (!leaves_out(manifest, "CUDNN")) {
    faults.emplace_back("with cuDNN, which Debian does not have for the board");
    settings.emplace_back("--set USE_CUDNN=0");
  }
  if (faults.empty()) return;
  throw Error(ErrorKind::usage, concat("--cuda ", toolkit.name, ": the tree is prepared ", join(faults, " and ")),
              concat("prepare it with ", join(settings, " ")));
}

}  // namespace

bool plans_cuda(const Manifest& manifest) {
  return manifest.target.contains("compute_capability") && !leaves_out(manifest, "CUDA");
}

std::vector<std::string> cuda_toolkits() {
  std::vector<std::string> names;
  for (const CudaToolkit& each : kToolkits) names.emplace_back(each.name);
  return names;
}

const CudaToolkit* find_cuda(const RecipeInput& input) {
  if (!input.cuda) return nullptr;
  const CudaToolkit* const found = std::ranges::find(kToolkits, *input.cuda, &CudaToolkit::name);
  if (found == std::end(kToolkits)) {
    throw Error(ErrorKind::usage, concat("--cuda: unknown version ", quote(*input.cuda)),
                concat("known: ", join(cuda_toolkits(), ", ")));
  }
  if (input.kind != RecipeKind::sysroot) {
    throw Error(ErrorKind::usage, concat("--cuda is for --kind sysroot, not for ", name_of(input.kind)),
                "omit --cuda: the recipe builds in a system with the board's CUDA");
  }
  return found;
}

void check_cuda(const Parts& parts) {
  if (!parts.cuda && !plans_cuda(parts.manifest)) return;
  if (!parts.cuda) {
    throw Error(
        ErrorKind::usage,
        concat(quote(parts.manifest.board), " has a GPU, but a sysroot recipe without --cuda builds for the CPU only"),
        concat("pass one of --cuda ", join(cuda_toolkits(), ", "),
               ", use --kind chroot or native, or prepare with --set USE_CUDA=0"));
  }
  const CudaToolkit& toolkit = *parts.cuda;
  if (parts.arch != "aarch64")
    throw Error(ErrorKind::usage, concat("--cuda ", toolkit.name, " is for aarch64, the board is ", parts.arch));
  if (parts.system != toolkit.os) {
    throw Error(ErrorKind::usage,
                concat("--cuda ", toolkit.name, " is packaged for ", toolkit.os, ", but --root is ", parts.system),
                concat("omit --root, or pass ", toolkit.os));
  }
  check_plan(parts, toolkit);
}

}  // namespace torchpatch::record
