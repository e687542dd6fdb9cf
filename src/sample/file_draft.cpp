// SPDX-License-Identifier: BSD-3-Clause
#include "sample/file_draft.h"

#include <algorithm>

#include "sample/filler.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::sample {

namespace {

/// Lines behind the last one that somebody expects, so that no hunk seems to stand at the end of its file.
constexpr std::uint32_t kTrailingLines = 5;

std::uint32_t last_old_line(const patch::Hunk& hunk) {
  return hunk.old_count == 0 ? hunk.old_start : hunk.old_start + hunk.old_count - 1;
}

/// Adds what one patch expects of one file.
class Expectation {
 public:
  Expectation(const patch::FilePatch& patch, const std::string& name, FileDrafts& files)
      : patch_(patch), name_(name), draft_(files[patch.old_path]) {}

  void add() {
    if (patch_.old_mode == FileMode::gitlink) fail("it changes a gitlink");
    if (patch_.old_mode) draft_.mode = *patch_.old_mode;
    if (patch_.binary) add_binary();
    for (const patch::Hunk& hunk : patch_.hunks) add_hunk(hunk);
    if (patch_.kind == patch::ChangeKind::remove && patch_.hunks.empty()) end_at(0);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorKind::data,
                concat("making up what patch ", quote(name_), " expects of ", quote(patch_.old_path), ": ", why));
  }

  void add_binary() {
    const std::optional<patch::BinaryHunk>& reverse = patch_.binary->reverse;
    if (!reverse || reverse->method != patch::BinaryMethod::literal) fail("its old content is not in the patch");
    draft_.content = reverse->data;
  }

  void add_hunk(const patch::Hunk& hunk) {
    std::uint32_t number = hunk.old_start;
    for (const patch::HunkLine& line : hunk.lines) {
      if (line.kind != patch::LineKind::added) add_line(number++, line.text);
    }
    // As git reads it: a hunk without context behind its last change stands at the end of the file.
    if (hunk.lines.back().kind != patch::LineKind::context) end_at(last_old_line(hunk));
  }

  void add_line(std::uint32_t number, const std::string& text) {
    const auto [line, is_new] = draft_.lines.emplace(number, text);
    if (!is_new && line->second != text) fail(concat("another patch has another line ", number));
    if (draft_.last_line && number > *draft_.last_line) fail(concat("for another patch it ends before line ", number));
    if (!ends_with(text, "\n")) end_at(number);
  }

  void end_at(std::uint32_t number) {
    if (draft_.last_line.value_or(number) != number || last_expected_line() > number) {
      fail(concat("another patch expects more than ", number, " lines"));
    }
    draft_.last_line = number;
  }

  std::uint32_t last_expected_line() const { return draft_.lines.empty() ? 0 : draft_.lines.rbegin()->first; }

  const patch::FilePatch& patch_;
  const std::string& name_;
  FileDraft& draft_;
};

}  // namespace

void expect_patch(const patch::PatchFile& patch, const std::string& name, FileDrafts& files) {
  for (const patch::FilePatch& file : patch.files) {
    if (!file.old_path.empty()) Expectation(file, name, files).add();
  }
}

void suggest_line(const std::string& path, std::uint32_t number, const std::string& text, FileDrafts& files) {
  FileDraft& draft = files[path];
  if (draft.content || (draft.last_line && number > *draft.last_line)) return;
  draft.lines.emplace(number, text);
}

std::string draft_content(const std::string& path, const FileDraft& draft) {
  if (draft.content) return *draft.content;
  const std::uint32_t expected = draft.lines.empty() ? 0 : draft.lines.rbegin()->first;
  const std::uint32_t count = draft.last_line.value_or(expected + kTrailingLines);
  std::string content;
  for (std::uint32_t number = 1; number <= count; ++number) {
    const auto line = draft.lines.find(number);
    content += line == draft.lines.end() ? filler_line(path, number) : line->second;
  }
  return content;
}

}  // namespace torchpatch::sample
