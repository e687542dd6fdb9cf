// SPDX-License-Identifier: BSD-3-Clause
#include "support/file.h"
#include "support/find.h"
#include "support/program.h"
#include "support/text.h"
#include "trees/wheel/wheel.h"

namespace torchpatch::trees {

namespace {

/// A loaded file in a list.
struct Loaded {
  const WheelElf* file = nullptr;
  std::size_t loader = 0;  ///< index of the file that needed it; its own index for the first
};

/// Returns the path of a library found by a run path of a file in the wheel.
std::string find_by_run_path(const WheelElf& file, const std::string& library, const WheelSurroundings& around) {
  for (const std::string& entry : file.facts.run_path) {
    const std::optional<std::string> directory = inside_wheel(installed_path(file.path), entry);
    if (directory && around.paths.contains(join_path(*directory, library))) return join_path(*directory, library);
  }
  return {};
}

/// Returns the path where the loader finds a library for a file.
std::string find_library(const std::vector<Loaded>& loaded, std::size_t at, const std::string& library,
                         const WheelSurroundings& around) {
  const bool is_alone = !loaded[at].file->facts.hands_down_run_path;
  for (std::string path;; at = loaded[at].loader) {
    const WheelElf& file = *loaded[at].file;
    if (is_alone || file.facts.hands_down_run_path) path = find_by_run_path(file, library, around);
    if (!path.empty() || is_alone || at == loaded[at].loader) return path;
  }
}

}  // namespace

std::optional<std::string> inside_wheel(const std::string& file, const std::string& entry) {
  std::string rest = entry;
  for (const std::string_view origin : {"$ORIGIN", "${ORIGIN}"})
    if (starts_with(rest, origin) && (rest.size() == origin.size() || rest[origin.size()] == '/'))
      rest = parent_path(file) + rest.substr(origin.size());
  if (rest == entry) return std::nullopt;
  std::vector<std::string> parts;
  for (const std::string& part : split(rest, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
      continue;
    }
    if (parts.empty()) return std::nullopt;
    parts.pop_back();
  }
  return join(parts, "/");
}

namespace {

/// Returns, by path, the libraries in the wheel that a file needs and glibc's loader does not find when loading the
/// file for Python or another file (ld.so(8)): by DT_RUNPATH of the file, or else DT_RPATH of it and of the files that
/// loaded it; libraries already loaded under that name count.
std::map<std::string, std::set<std::string>> find_lost(const WheelSurroundings& around) {
  std::unordered_map<std::string, const WheelElf*> files;
  for (const WheelElf& file : around.contents.elf_files) files.emplace(installed_path(file.path), &file);
  std::map<std::string, std::set<std::string>> lost;
  for (const WheelElf& root : around.contents.elf_files) {
    if (around.needed.contains(base_name(root.path))) continue;
    // Breadth first, each library name once.
    std::vector<Loaded> loaded = {{&root}};
    std::unordered_set<std::string> names = {base_name(root.path)};
    for (std::size_t at = 0; at < loaded.size(); ++at) {
      check_interrupted();
      for (const std::string& library : loaded[at].file->facts.needed) {
        if (!around.libraries.contains(library) || names.contains(library)) continue;
        const std::string path = find_library(loaded, at, library, around);
        if (path.empty()) {
          lost[loaded[at].file->path].insert(library);
          continue;
        }
        names.insert(library);
        if (const auto* const found = find_value(files, path)) loaded.push_back({*found, at});
      }
    }
  }
  return lost;
}

}  // namespace

std::optional<std::uint32_t> WheelTarget::gpu_architecture() const {
  if (!board.gpu) return std::nullopt;
  const std::vector<int>& numbers = board.gpu->compute_capability.numbers();
  return static_cast<std::uint32_t>(10 * numbers.front() + (numbers.size() > 1 ? numbers[1] : 0));
}

std::string machine_problem(const elf::ElfFacts& facts, const std::string& arch) {
  const int bits = arch == "armv7l" ? 32 : 64;
  if (facts.machine != arch) return "is for " + facts.machine;
  if (facts.bits != bits) return concat("is for ", facts.machine, " with ", facts.bits, " bits");
  if (facts.is_big_endian) return concat("is for ", facts.machine, ", big-endian");
  if (arch == "armv7l" && facts.float_abi == elf::FloatAbi::soft) return "passes floating-point arguments as soft";
  return facts.is_loadable ? "" : "is neither a library nor a program";
}

WheelSurroundings look_around(const WheelContents& contents, const WheelTarget& target, std::vector<Version> pythons) {
  WheelSurroundings around{contents, target, target.catalog.platforms.find_system(target.image.os), std::move(pythons)};
  for (const std::string& path : contents.paths) around.paths.insert(installed_path(path));
  for (const std::string& path : contents.not_elf) around.paths.erase(installed_path(path));
  for (const WheelElf& file : contents.elf_files) {
    if (file.facts.is_program)
      around.paths.erase(installed_path(file.path));
    else
      around.libraries.emplace(base_name(file.path), &file);
    around.needed.insert(file.facts.needed.begin(), file.facts.needed.end());
  }
  around.lost = find_lost(around);
  return around;
}

}  // namespace torchpatch::trees
