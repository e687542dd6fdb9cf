// SPDX-License-Identifier: BSD-3-Clause
#include "report/words.h"

#include <algorithm>
#include <iterator>

#include "support/text.h"

namespace torchpatch::report {

Table plain_table(const Rows& rows) { return {{}, {}, plain_rows(rows)}; }

Items plain_items(const std::vector<std::string>& texts) {
  Items items;
  for (const std::string& each : texts) items.items.push_back({text(each)});
  return items;
}

Line said(const std::string& words) { return words.empty() ? Line{} : Line{text(words)}; }

void add_blocks(std::vector<Block>& blocks, std::vector<Block> more) {
  std::move(more.begin(), more.end(), std::back_inserter(blocks));
}

void add_rows(std::vector<Block>& blocks, std::string heading, const Rows& rows) {
  add_section(blocks, std::move(heading), {plain_table(rows)});
}

void add_items(std::vector<Block>& blocks, std::string heading, const std::vector<std::string>& texts) {
  add_section(blocks, std::move(heading), {plain_items(texts)});
}

std::string target_text(const std::string& release, const std::string& board, const std::string& image) {
  return concat(release, " for ", board, " (", image, ")");
}

std::string stand_in_text(const std::string& stand_in) { return "this is not PyTorch: " + stand_in; }

std::string signature_text(const std::string& signer, const std::string& key) {
  return concat("signed by ", printable(signer), " with ", printable(key));
}

std::string certificate_text(bool is_certified) { return is_certified ? "certified" : "NOT CERTIFIED"; }

std::string issues_text(const std::vector<std::string>& issues) { return "for " + join(issues, ", "); }

std::string fix_text(FixKind kind, const std::string& fix, const std::string& variant) {
  return concat(fix_kind_name(kind), " ", fix, variant.empty() ? "" : ", variant " + variant);
}

std::string condition_text(const Condition& condition) {
  if (condition.clauses.empty()) return "always";
  return join(texts_of(condition.clauses, &Clause::text), "; ");
}

std::vector<std::pair<const char*, const std::optional<Version>*>> versions_of(const Image& image) {
  return {{"glibc", &image.glibc},
          {"gcc", &image.gcc},
          {"cmake", &image.cmake},
          {"cuda", &image.cuda},
          {"cudnn", &image.cudnn}};
}

std::string image_text(const Image& image) {
  std::vector<std::string> facts = {image.os, "Python " + join(texts_of(image.python, &Version::text), " ")};
  if (image.arch) facts.push_back(*image.arch);
  for (const auto& [name, version] : versions_of(image)) {
    if (*version) facts.push_back(concat(name, " ", (*version)->text()));
    if (image.known_absent.contains(name)) facts.push_back(concat("no ", name));
  }
  return join(facts, ", ");
}

std::string gpu_text(const Board& board) {
  if (!board.gpu) return "none";
  const auto& registers = board.gpu->registers_per_block;
  return concat("compute capability ", board.gpu->compute_capability.text(), ", ",
                registers ? std::to_string(*registers) : "unknown", " registers per block");
}

std::string short_id(const ObjectId& id) { return id.hex().substr(0, 12); }

std::string chosen_text(const std::string& option) {
  return "chosen by who prepared it, and proven by nothing: " + quote(option);
}

}  // namespace torchpatch::report
