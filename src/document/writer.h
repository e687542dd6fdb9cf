// SPDX-License-Identifier: BSD-3-Clause
/// BlockWriter, which walks documents, and cmark's nodes as owned values; shared by the writers of this directory. For
/// its .cpp files only.
#pragma once

#include <cmark.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace torchpatch {

/// Writes lines and blocks as the concatenation of their parts: Form defines `piece(const Inline&)` and a call operator
/// for each kind of block.
template <typename Form>
class BlockWriter {
 public:
  explicit BlockWriter(const Surroundings& around) : around_(around) {}

  std::string line(const Line& line) {
    std::string words;
    for (const Inline& part : line) words += static_cast<Form&>(*this).piece(part);
    return words;
  }

  std::string blocks(const std::vector<Block>& blocks) {
    std::string all;
    for (const Block& each : blocks)
      all += std::visit(static_cast<Form&>(*this), static_cast<const Block::variant&>(each));
    return all;
  }

 protected:
  const Surroundings& around_;
};

using CmarkNode = std::unique_ptr<cmark_node, decltype(&cmark_node_free)>;

using CmarkIterator = std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)>;

/// Parses CommonMark.
inline CmarkNode parse_markdown(std::string_view markdown) {
  return {cmark_parse_document(markdown.data(), markdown.size(), CMARK_OPT_DEFAULT), cmark_node_free};
}

}  // namespace torchpatch
