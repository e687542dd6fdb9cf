// SPDX-License-Identifier: BSD-3-Clause
#include "patch/parse_patch.h"

#include <algorithm>
#include <array>
#include <set>

#include "patch/binary_patch.h"
#include "patch/check_file_patch.h"
#include "patch/file_header.h"
#include "patch/hunk.h"
#include "patch/line_reader.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

constexpr std::string_view kBinary = "GIT binary patch";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_binary_notice(std::string_view line) {
  return (starts_with(line, "Binary files ") || starts_with(line, "Files ")) && ends_with(line, " differ");
}

/// Header lines that no prose has; behind a damaged "diff --git" line they would be taken for it.
bool is_mode_line(std::string_view line) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"old mode ", "new mode ", "new file mode ",
                                                         "deleted file mode ", "similarity index "};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) {
    return starts_with(line, prefix) && line.size() > prefix.size() && line[prefix.size()] >= '0' &&
           line[prefix.size()] <= '9';
  });
}

/// Refuses lines that only a patch has, where none is being read: the change they stand for would be lost.
void check_stray(const LineReader& in) {
  const std::string_view line = in.line();
  if (starts_with(line, "@@ -") || line == kBinary) in.fail("a hunk without a file header before it");
  if (is_binary_notice(line))
    in.fail("this change of a binary file has no data", "make the patch with git diff --binary");
  if (is_mode_line(line)) in.fail("a header line without 'diff --git' before it");
  if (starts_with(line, "diff ") && line.find(" --git ") != std::string_view::npos) in.fail("damaged file header");
  if (starts_with(line, "diff --")) in.fail("this kind of diff cannot be applied", "make the patch with git diff");
}

/// Skips free text: what stands before the first file, and between mails.
void skip_text(LineReader& in) {
  for (; !in.at_end() && !is_file_header(in); in.advance()) check_stray(in);
}

/// Lines that other programs write before a file's header, and blank ones.
bool is_between_files(std::string_view line) {
  return line.empty() || starts_with(line, "Index: ") || starts_with(line, "======") || starts_with(line, "diff ") ||
         starts_with(line, "Only in ");
}

bool is_signature(std::string_view line) { return line == "-- " || line == "--"; }

/// Skips what may stand behind a file: nearly nothing, until a mail's signature ends its patch.
void skip_after_file(LineReader& in) {
  for (; !in.at_end() && !is_file_header(in); in.advance()) {
    if (!in.has_newline()) in.fail("the patch breaks off inside a line");
    if (is_signature(in.line()) || starts_with(in.line(), "From ")) return skip_text(in);
    check_stray(in);
    if (!is_between_files(in.line()))
      in.fail(concat("this line is not part of a patch: ", quote(in.line().substr(0, 80))));
  }
}

FilePatch parse_file(LineReader& in) {
  const LineReader header = in;
  FilePatch file = parse_file_header(in);
  while (starts_with(in.line(), "@@")) file.hunks.push_back(parse_hunk(in));
  if (file.hunks.empty() && in.line() == kBinary) file.binary = parse_binary(in);
  if (!file.has_content() && !in.at_end() && !is_file_header(in)) check_stray(in);
  check_file_patch(header, file);
  return file;
}

}  // namespace

PatchFile parse_patch(std::string_view text, std::string_view name) {
  LineReader in(text, name);
  if (starts_with(text, kByteOrderMark)) in.fail("the patch begins with a byte order mark");
  skip_text(in);
  PatchFile patch;
  patch.preamble = std::string(in.text_before());
  while (!in.at_end()) {
    patch.files.push_back(parse_file(in));
    skip_after_file(in);
  }
  if (patch.files.empty())
    in.fail("no change of a file was found", "a patch is what git diff or git format-patch writes");
  return patch;
}

std::vector<std::string> touched_paths(const PatchFile& patch) {
  std::set<std::string> paths;
  const auto insert = [&](const std::string& path) {
    if (path.empty()) return;
    paths.insert(path);
    for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
         slash = path.rfind('/', slash - 1))
      paths.insert(path.substr(0, slash));
  };
  for (const FilePatch& file : patch.files) {
    insert(file.old_path);
    insert(file.new_path);
  }
  return {paths.begin(), paths.end()};
}

}  // namespace torchpatch::patch
