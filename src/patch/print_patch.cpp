// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "patch/apply.h"
#include "patch/binary_patch.h"
#include "patch/file_header.h"
#include "patch/parse_patch.h"
#include "support/text.h"

namespace torchpatch::patch {

namespace {

[[noreturn]] void fail(const FilePatch& file, const std::string& why) {
  throw PatchError(concat("taking back the change of ", quote(file.path()), ": ", why));
}

Hunk reverse_hunk(Hunk hunk) {
  std::swap(hunk.old_start, hunk.new_start);
  std::swap(hunk.old_count, hunk.new_count);
  for (HunkLine& line : hunk.lines) {
    if (line.kind == LineKind::context) continue;
    line.kind = line.kind == LineKind::added ? LineKind::removed : LineKind::added;
  }
  return hunk;
}

FilePatch reverse_file(const FilePatch& file) {
  if (file.kind == ChangeKind::copy) fail(file, "a copy cannot be taken back");
  const bool is_created = file.kind == ChangeKind::create, is_removed = file.kind == ChangeKind::remove;
  FilePatch reverse = file;
  reverse.kind = is_created ? ChangeKind::remove : is_removed ? ChangeKind::create : file.kind;
  std::swap(reverse.old_path, reverse.new_path);
  std::swap(reverse.old_id, reverse.new_id);
  // A mode on the index line is that of both sides.
  if (is_created || is_removed || file.new_mode) std::swap(reverse.old_mode, reverse.new_mode);
  std::ranges::transform(file.hunks, reverse.hunks.begin(), reverse_hunk);
  if (file.binary) {
    if (!file.binary->reverse) fail(file, "the binary patch has no reverse side");
    std::swap(reverse.binary->forward, *reverse.binary->reverse);
  }
  return reverse;
}

std::string print_names(const FilePatch& file) {
  const std::string& old_name = file.old_path.empty() ? file.new_path : file.old_path;
  return concat("diff --git ", quote_name("a/" + old_name), " ", quote_name("b/" + file.path()), "\n");
}

std::string print_modes(const FilePatch& file) {
  if (file.kind == ChangeKind::create) return concat("new file mode ", file_mode_text(*file.new_mode), "\n");
  if (file.kind == ChangeKind::remove) return concat("deleted file mode ", file_mode_text(*file.old_mode), "\n");
  if (!file.new_mode) return {};
  return concat("old mode ", file_mode_text(*file.old_mode), "\nnew mode ", file_mode_text(*file.new_mode), "\n");
}

std::string print_move(const FilePatch& file) {
  if (file.kind != ChangeKind::rename && file.kind != ChangeKind::copy) return {};
  const char* verb = file.kind == ChangeKind::rename ? "rename" : "copy";
  const std::string similarity = file.similarity ? concat("similarity index ", *file.similarity, "%\n") : "";
  return concat(similarity, verb, " from ", quote_name(file.old_path), "\n", verb, " to ", quote_name(file.new_path),
                "\n");
}

std::string print_index(const FilePatch& file) {
  if (file.old_id.empty()) return {};
  const bool has_mode = file.kind != ChangeKind::remove && file.old_mode && !file.new_mode;
  const std::string mode = has_mode ? concat(" ", file_mode_text(*file.old_mode)) : "";
  return concat("index ", file.old_id, "..", file.new_id, mode, "\n");
}

/// git ends a name that has spaces with a tab, so that programs do not take its end for a time.
std::string print_side(const char* prefix, const std::string& name) {
  if (name.empty()) return "/dev/null\n";
  const std::string quoted = quote_name(prefix + name);
  return quoted + (quoted[0] != '"' && name.find(' ') != std::string::npos ? "\t\n" : "\n");
}

std::string print_range(std::uint32_t start, std::uint32_t count) {
  return count == 1 ? std::to_string(start) : concat(start, ",", count);
}

void print_hunk(const Hunk& hunk, std::string& text) {
  text += concat("@@ -", print_range(hunk.old_start, hunk.old_count), " +", print_range(hunk.new_start, hunk.new_count),
                 " @@", hunk.section, "\n");
  for (const HunkLine& line : hunk.lines) {
    text += static_cast<char>(line.kind);
    text += line.text;
    if (line.text.empty() || line.text.back() != '\n') text += "\n\\ No newline at end of file\n";
  }
}

void print_file(const FilePatch& file, std::string& text) {
  text += print_names(file) + print_modes(file) + print_move(file) + print_index(file);
  if (!file.hunks.empty()) text += "--- " + print_side("a/", file.old_path) + "+++ " + print_side("b/", file.new_path);
  for (const Hunk& hunk : file.hunks) print_hunk(hunk, text);
  if (file.binary) text += print_binary(*file.binary);
}

}  // namespace

PatchFile reverse_patch(const PatchFile& patch) {
  PatchFile reverse;
  for (auto file = patch.files.rbegin(); file != patch.files.rend(); ++file)
    reverse.files.push_back(reverse_file(*file));
  // What makes room for a file must come before it.
  std::stable_partition(reverse.files.begin(), reverse.files.end(),
                        [](const FilePatch& file) { return file.kind == ChangeKind::remove; });
  return reverse;
}

std::string print_patch(const PatchFile& patch) {
  std::string text = patch.preamble;
  for (const FilePatch& file : patch.files) print_file(file, text);
  return text;
}

}  // namespace torchpatch::patch
