// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "fuzz/memory_files.h"
#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "patch/patch_file.h"
#include "support/print_patch.h"
#include "support/text.h"

namespace torchpatch::fuzz {
namespace {

using namespace torchpatch::patch;

std::optional<PatchFile> try_parse(std::string_view text) {
  return attempt([&] { return parse_patch(text, "fuzz"); });
}

std::optional<PatchFile> try_reverse(const PatchFile& patch) {
  return attempt([&] { return reverse_patch(patch); });
}

/// The parser refuses to move a file below itself, as git apply does in effect; the way back may be just that.
bool is_moved_up(const FilePatch& file) {
  return file.kind == ChangeKind::rename && starts_with(file.old_path, file.new_path + "/");
}

/// Takes one "MODE PATH SIZE" entry off the input; false where there is none.
bool take_file(std::string_view& input, std::map<std::string, TreeFile>& files) {
  const std::string_view line = input.substr(0, input.find('\n'));
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || line.size() == input.size()) return false;
  const std::optional<FileMode> mode = parse_file_mode(line.substr(0, first));
  const std::optional<std::uint64_t> size = parse_decimal(line.substr(last + 1));
  input.remove_prefix(line.size() + 1);
  if (!mode || *mode == FileMode::directory || !size || *size >= input.size()) return false;
  const auto length = static_cast<std::size_t>(*size);
  files[std::string(line.substr(first + 1, last - first - 1))] = {*mode, std::string(input.substr(0, length))};
  input.remove_prefix(length + 1);
  return true;
}

bool has_context(const patch::Hunk& hunk) {
  return std::any_of(hunk.lines.begin(), hunk.lines.end(),
                     [](const HunkLine& line) { return line.kind == LineKind::context; });
}

/// True where the reverse must apply: no file took the name of the directory that it left (git refuses the way back,
/// too: what it would read lies beyond what it would write), nothing was moved, no mode was another one, and no hunk
/// lies in the middle of a file without context. A binary reverse may be any bytes, and the line of a gitlink may have
/// more than its id, so these may be refused.
bool must_reverse(const PatchFile& patch, const Applied& applied) {
  const auto is_vague = [](const patch::Hunk& hunk) {
    return !has_context(hunk) && (hunk.old_start > 1 || hunk.new_start > 1);
  };
  const auto is_exact = [&](const FilePatch& file) {
    const auto made = applied.changes.find(file.path());  // a patch need not say what it changes
    const bool is_gitlink = file.old_mode == FileMode::gitlink || file.new_mode == FileMode::gitlink ||
                            (made != applied.changes.end() && made->second && made->second->mode == FileMode::gitlink);
    return !file.binary && !is_gitlink && std::none_of(file.hunks.begin(), file.hunks.end(), is_vague);
  };
  return applied.moved.empty() && applied.other_modes.empty() &&
         std::none_of(patch.files.begin(), patch.files.end(), is_moved_up) &&
         std::all_of(patch.files.begin(), patch.files.end(), is_exact);
}

void check_reverse(const PatchFile& patch, const Applied& applied, const MemoryFiles& before, MemoryFiles& after) {
  const std::optional<PatchFile> reverse = try_reverse(patch);
  if (!reverse) return;
  const std::optional<Applied> back = attempt([&] { return apply_patch(*reverse, after); });
  if (must_reverse(patch, applied)) require(back.has_value(), "the reverse applies");
  if (back && applied.moved.empty() && applied.other_modes.empty())
    require(after.with(back->changes).files() == before.files(), "the reverse restores the files");
}

}  // namespace

void check_parse_patch(std::string_view text) {
  const std::optional<PatchFile> patch = try_parse(text);
  if (!patch) return;
  require(try_parse(print_patch(*patch)) == patch, "a printed patch is parsed to the same");
  if (std::any_of(patch->files.begin(), patch->files.end(), is_moved_up)) return;
  const std::optional<PatchFile> reverse = try_reverse(*patch);
  if (reverse) require(try_parse(print_patch(*reverse)) == reverse, "a printed reverse is parsed to the same");
}

void check_apply_patch(std::string_view input) {
  std::map<std::string, TreeFile> tree;
  while (take_file(input, tree)) {
  }
  if (input.empty() || input[0] != '\n' || tree_problem(tree)) return;
  const std::optional<PatchFile> patch = try_parse(input.substr(1));
  if (!patch) return;

  MemoryFiles files(tree);
  const std::optional<Applied> applied = attempt([&] { return apply_patch(*patch, files); });
  require(files.files() == tree, "the files before are not changed");
  const std::set<std::string> touched = touched_paths(*patch);
  require(std::includes(touched.begin(), touched.end(), files.reads().begin(), files.reads().end()),
          "only touched paths are read");
  if (!applied) return;
  MemoryFiles after = files.with(applied->changes);
  require(!tree_problem(after.files()), "the files after make a tree");
  check_reverse(*patch, *applied, MemoryFiles(tree), after);
}

}  // namespace torchpatch::fuzz
