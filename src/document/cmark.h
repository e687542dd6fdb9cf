// SPDX-License-Identifier: BSD-3-Clause
/// cmark's nodes as owned values. For this directory's .cpp files only.
#pragma once

#include <cmark.h>

#include <memory>
#include <string_view>

namespace torchpatch {

struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
using CmarkNode = std::unique_ptr<cmark_node, FreeNode>;

struct FreeIterator {
  void operator()(cmark_iter* iterator) const { cmark_iter_free(iterator); }
};
using CmarkIterator = std::unique_ptr<cmark_iter, FreeIterator>;

/// Returns the document that a text of CommonMark is.
inline CmarkNode parse_markdown(std::string_view markdown) {
  return CmarkNode(cmark_parse_document(markdown.data(), markdown.size(), CMARK_OPT_DEFAULT));
}

}  // namespace torchpatch
