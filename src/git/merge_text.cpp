// SPDX-License-Identifier: BSD-3-Clause
#include "git/merge_text.h"

#include "git/library.h"

namespace torchpatch::git {

namespace {

git_merge_file_input input_of(const MergeSide& side) {
  git_merge_file_input input;
  check(git_merge_file_input_init(&input, GIT_MERGE_FILE_INPUT_VERSION), "merging two changes of a file");
  input.ptr = side.text.data();
  input.size = side.text.size();
  input.path = "file";  // equal on all sides, so that nothing counts as renamed
  return input;
}

/// Frees libgit2's result.
struct MergeResult : git_merge_file_result {
  MergeResult() : git_merge_file_result{} {}
  ~MergeResult() { git_merge_file_result_free(this); }
  MergeResult(const MergeResult&) = delete;
  MergeResult& operator=(const MergeResult&) = delete;
};

/// Represents a newline of the text.
constexpr char kNewline = '\x01';

bool is_word(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Puts each word, and each other character, on its own line; a newline becomes kNewline.
std::string words_as_lines(std::string_view text) {
  std::string lines;
  lines.reserve(2 * text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    lines += text[i] == '\n' ? kNewline : text[i];
    if (i + 1 == text.size() || !is_word(text[i]) || !is_word(text[i + 1])) lines += '\n';
  }
  return lines;
}

std::string lines_as_words(std::string_view lines) {
  std::string text;
  for (const char c : lines)
    if (c != '\n') text += c == kNewline ? '\n' : c;
  return text;
}

}  // namespace

MergedText merge_texts(const MergeSide& base, const MergeSide& ours, const MergeSide& theirs) {
  initialize_library();
  git_merge_file_options options;
  check(git_merge_file_options_init(&options, GIT_MERGE_FILE_OPTIONS_VERSION), "merging two changes of a file");
  options.flags = GIT_MERGE_FILE_STYLE_DIFF3;
  options.ancestor_label = base.label.c_str();
  options.our_label = ours.label.c_str();
  options.their_label = theirs.label.c_str();
  const git_merge_file_input sides[] = {input_of(base), input_of(ours), input_of(theirs)};
  MergeResult result;
  check(git_merge_file(&result, &sides[0], &sides[1], &sides[2], &options), "merging two changes of a file");
  return {result.automergeable != 0, std::string(result.ptr, result.len)};
}

MergedText merge_words(std::string_view base, std::string_view ours, std::string_view theirs) {
  for (const std::string_view text : {base, ours, theirs})
    if (text.find(kNewline) != std::string_view::npos) return {};
  const std::string lines[] = {words_as_lines(base), words_as_lines(ours), words_as_lines(theirs)};
  const MergedText merged = merge_texts({lines[0], {}}, {lines[1], {}}, {lines[2], {}});
  return merged.is_clean ? MergedText{true, lines_as_words(merged.text)} : MergedText{};
}

}  // namespace torchpatch::git
