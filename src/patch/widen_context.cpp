// SPDX-License-Identifier: BSD-3-Clause
#include "patch/widen_context.h"

#include <algorithm>

#include "patch/apply.h"
#include "patch/locate_hunk.h"

namespace torchpatch::patch {
namespace {

/// A removed or added line, and the line of the old file (0-based) that it is or stands before.
struct Change {
  const HunkLine* line = nullptr;
  std::size_t at = 0;
  std::size_t end() const { return at + (line->kind == LineKind::removed ? 1 : 0); }
};

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

std::vector<Change> changes_of(const std::vector<Hunk>& hunks, std::string_view before, const std::string& path) {
  HunkLocator locator(before);
  std::vector<Change> changes;
  for (std::size_t i = 0; i < hunks.size(); ++i) {
    const std::optional<Place> place = locator.place(hunks[i]);
    if (!place) throw ApplyError(Failure::conflict, path, static_cast<int>(i + 1), locator.explain(hunks[i]));
    std::size_t at = place->line;
    for (const HunkLine& line : hunks[i].lines) {
      if (line.kind != LineKind::context) changes.push_back({&line, at});
      if (line.kind != LineKind::added) ++at;
    }
  }
  // Hunks off their lines may come in another order than they stand in.
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  return changes;
}

/// Builds hunks from the changes of a file, in order.
class Widener {
 public:
  Widener(std::string_view before, std::size_t context) : lines_(split_lines(before)), context_(context) {}

  std::vector<Hunk> build(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      if (hunks_.empty() || change.at > end_ + 2 * context_) begin(change);
      keep_until(change.at);
      add(change.line->kind, change.line->text);
      end_ = change.end();
    }
    finish();
    return std::move(hunks_);
  }

 private:
  void begin(const Change& change) {
    finish();
    next_ = change.at - std::min(change.at, context_);
    Hunk hunk;
    hunk.old_start = number(next_);
    hunk.new_start = static_cast<std::uint32_t>(static_cast<long>(next_) + shift_);
    hunks_.push_back(std::move(hunk));
  }

  /// Ends the last hunk. A start is 1-based, but where the side is empty it is the line before.
  void finish() {
    if (hunks_.empty()) return;
    keep_until(std::min(end_ + context_, lines_.size()));
    Hunk& hunk = hunks_.back();
    if (hunk.old_count > 0) ++hunk.old_start;
    if (hunk.new_count > 0) ++hunk.new_start;
    shift_ += static_cast<long>(hunk.new_count) - static_cast<long>(hunk.old_count);
  }

  void keep_until(std::size_t line) {
    while (next_ < line) add(LineKind::context, std::string(lines_[next_]));
  }

  void add(LineKind kind, std::string text) {
    Hunk& hunk = hunks_.back();
    hunk.lines.push_back({kind, std::move(text)});
    if (kind != LineKind::added) {
      ++hunk.old_count;
      ++next_;
    }
    if (kind != LineKind::removed) ++hunk.new_count;
  }

  static std::uint32_t number(std::size_t line) { return static_cast<std::uint32_t>(line); }

  std::vector<std::string_view> lines_;
  std::size_t context_;
  std::vector<Hunk> hunks_;
  std::size_t next_ = 0;  ///< the first old line that is not in a hunk yet
  std::size_t end_ = 0;   ///< behind the last change
  long shift_ = 0;        ///< lines that the hunks so far add
};

}  // namespace

std::vector<Hunk> widen_context(const std::vector<Hunk>& hunks, std::string_view before, std::size_t context,
                                const std::string& path) {
  return Widener(before, context).build(changes_of(hunks, before, path));
}

}  // namespace torchpatch::patch
