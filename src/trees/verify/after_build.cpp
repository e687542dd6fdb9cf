// SPDX-License-Identifier: BSD-3-Clause
#include "trees/verify/after_build.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "model/repository_path.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

bool lies_at_or_below(std::string_view path, std::string_view directory) {
  return path == directory ||
         (path.size() > directory.size() && starts_with(path, directory) && path[directory.size()] == '/');
}

/// Whether Python can import a file of this name: sources, byte code, libraries; .pth files name more of them.
bool is_module(std::string_view name) {
  constexpr std::array<std::string_view, 5> kEndings = {".py", ".pyc", ".pyo", ".so", ".pth"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return ends_with(name, ending); });
}

/// Whether a list has files below a directory.
bool has_listed_below(const std::string& directory, const record::Sums& sums) {
  const auto first = sums.lower_bound(directory + "/");
  return first != sums.end() && starts_with(first->first, directory + "/");
}

/// Returns the source, or the directory of sources, whose name a module at `path` has, or empty text. Python 2 takes
/// foomodule.so for foo.
std::string shadowed_by(const std::string& path, const record::Sums& sums) {
  const std::string name = base_name(path);
  if (!is_module(name) && name.find('.') != std::string::npos) return {};
  std::string module = path.substr(0, path.size() - name.size() + std::min(name.find('.'), name.size()));
  std::vector<std::string> modules = {module};
  if (ends_with(module, "module")) modules.push_back(module.substr(0, module.size() - 6));
  for (const std::string& each : modules) {
    if (sums.contains(each + ".py")) return each + ".py";
    if (has_listed_below(each, sums)) return each + "/";
  }
  return {};
}

/// Returns the directory whose sources have their byte code at `path`, or in what it lies in; or empty text.
std::string sources_of_byte_code(const std::string& path, const record::Sums& sums) {
  const std::string cache = base_name(path) == "__pycache__" ? path : parent_path(path);
  if (base_name(cache) != "__pycache__") return {};
  const std::string sources = parent_path(cache);
  return has_listed_below(sources, sums) ? sources + "/" : "";
}

/// Returns the pinned path that the sources lacked, and that this takes the place of, or empty text.
std::string gap_at(const std::string& path, const Manifest& manifest) {
  for (const ManifestGap& gap : manifest.gaps) {
    const std::string missing = gap.out_path();
    if (lies_at_or_below(path, missing) || lies_at_or_below(missing, path)) return missing;
  }
  return {};
}

/// Whether a path at the top of a component is a build's own.
bool is_of_build(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"build", "dist", ".eggs", "compile_commands.json"};
  return std::ranges::count(kNames, name) > 0 || ends_with(name, ".egg-info") || ends_with(name, ".log");
}

/// Returns what lies in the directory beside the components where build.sh puts wheels and logs, and is none, or
/// nothing.
std::optional<std::string> no_product(const std::vector<tree::ScannedEntry>& scanned) {
  for (const tree::ScannedEntry& entry : scanned) {
    if (!starts_with(entry.path, "dist/")) continue;
    const bool is_product = entry.type == tree::EntryType::regular && parent_path(entry.path) == "dist" &&
                            (ends_with(entry.path, ".whl") || ends_with(entry.path, ".log"));
    if (!is_product) return entry.path;
  }
  return std::nullopt;
}

/// Packages that a build installs, and into which it writes before.
bool is_installed_package(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {"torch",    "torchvision", "torchaudio",
                                                      "torchgen", "caffe2",      "functorch"};
  return std::ranges::count(kNames, name) > 0;
}

/// Returns a module at or below `path`, or nothing.
std::optional<std::string> module_in(const std::string& path, const std::vector<tree::ScannedEntry>& scanned) {
  auto entry = std::ranges::lower_bound(scanned, path, {}, &tree::ScannedEntry::path);
  for (; entry != scanned.end() && starts_with(entry->path, path); ++entry) {
    const bool is_file = entry->type != tree::EntryType::directory;
    if (is_file && lies_at_or_below(entry->path, path) && is_module(entry->path)) return entry->path;
  }
  return std::nullopt;
}

}  // namespace

std::string no_build_adds(const std::string& path, const ScannedTree& tree) {
  const std::string component = path.substr(0, path.find('/'));
  const auto is_it = [&](Component each) { return component == component_directory(each); };
  if (path == "dist") {
    const auto other = no_product(tree.scanned);
    return other ? concat("holds ", quote(*other), ", which is neither a wheel nor a log") : "";
  }
  if (component == path || std::ranges::none_of(tree.manifest.components, is_it))
    return "is in no list, and where no build writes";
  if (const std::string gap = gap_at(path, tree.manifest); !gap.empty())
    return concat("takes the place of ", quote(gap), ", which the sources lacked");
  if (const std::string sources = sources_of_byte_code(path, tree.sums); !sources.empty())
    return concat("Python runs it in the place of the sources in ", quote(sources), ": remove it; no build needs it");
  if (const std::string source = shadowed_by(path, tree.sums); !source.empty())
    return concat("is imported in the place of ", quote(source));
  const std::string inside = path.substr(component.size() + 1);
  const std::string top = inside.substr(0, inside.find('/'));
  if (is_of_build(top)) return {};
  if (top == inside) return "is in no list, and where no build writes";
  if (const auto module = module_in(path, tree.scanned); module && !is_installed_package(top))
    return concat("is in no list, and Python may import ", quote(*module), ", where no build writes modules");
  return {};
}

}  // namespace torchpatch::trees
