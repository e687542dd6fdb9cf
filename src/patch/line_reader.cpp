// SPDX-License-Identifier: BSD-3-Clause
#include "patch/line_reader.h"

#include <algorithm>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::patch {

LineReader::LineReader(std::string_view text, std::string_view name) : text_(text), name_(name), end_(line_end(0)) {}

std::size_t LineReader::line_end(std::size_t begin) const { return std::min(text_.find('\n', begin), text_.size()); }

std::string_view LineReader::next_line() const {
  if (!has_newline()) return {};
  return text_.substr(end_ + 1, line_end(end_ + 1) - end_ - 1);
}

void LineReader::advance() {
  begin_ = std::min(end_ + 1, text_.size());
  end_ = line_end(begin_);
  ++number_;
}

std::string LineReader::place() const { return concat("patch ", quote(name_), ", line ", number_, ": "); }

void LineReader::fail(const std::string& why, const std::string& hint) const {
  throw Error(ErrorKind::data, place() + why, hint);
}

void LineReader::refuse(const std::string& why, const std::string& hint) const {
  throw Error(ErrorKind::unsafe, place() + why, hint);
}

}  // namespace torchpatch::patch
