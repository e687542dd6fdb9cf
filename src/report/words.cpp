// SPDX-License-Identifier: BSD-3-Clause
#include "report/words.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <variant>

#include "support/text.h"

namespace torchpatch::report {

namespace {

/// Converts "<9" to "below 9", ">=7" to "7 or later"; "3.5" and "==3.5" remain a number.
std::string comparison_words(const std::string& comparison) {
  const std::size_t sign = comparison.find_first_of("0123456789");
  const std::string number = comparison.substr(std::min(sign, comparison.size()));
  const std::string relation = comparison.substr(0, sign);
  if (relation == ">=") return number + " or later";
  if (relation == "<") return "below " + number;
  if (relation == "<=") return "at most " + number;
  if (relation == ">") return "above " + number;
  return number.empty() ? "any" : number;
}

std::string range_words(const VersionRange& range) {
  return join(collect(split(range.text(), ' '), comparison_words), ", ");
}

/// Returns the words for an amount, without "or later".
std::string amount_words(const VersionRange& range, const std::string& unit) {
  std::string words = range_words(range);
  constexpr std::string_view kLater = " or later";
  if (ends_with(words, kLater)) words.replace(words.size() - kLater.size(), kLater.size(), " or more");
  return concat(words, " ", unit);
}

struct FlagWords {
  std::string_view fact, yes, no;
};
constexpr FlagWords kFlagWords[] = {{"gpu", "with a GPU", "without a GPU"},
                                    {"cross", "built on another machine", "built on the board"},
                                    {"distributed", "with torch.distributed", "without torch.distributed"}};

/// Facts with a range: the text before it, or for an amount the unit after it.
struct RangeWords {
  std::string_view fact, before, unit;
};
constexpr RangeWords kRangeWords[] = {{"bits", "", "bits"},
                                      {"cmake", "CMake", ""},
                                      {"compute_capability", "compute capability", ""},
                                      {"cuda", "CUDA", ""},
                                      {"cudnn", "cuDNN", ""},
                                      {"memory_mib", "", "MiB of memory"},
                                      {"python", "Python", ""},
                                      {"registers_per_block", "", "registers per block"}};

std::string flag_words(const Clause& clause, bool expected) {
  const auto* words = std::ranges::find(kFlagWords, clause.fact, &FlagWords::fact);
  if (words == std::end(kFlagWords)) return clause.text;
  return std::string(expected ? words->yes : words->no);
}

std::string ranged_words(const Clause& clause, const VersionRange& range) {
  const auto* words = std::ranges::find(kRangeWords, clause.fact, &RangeWords::fact);
  if (words == std::end(kRangeWords)) return concat(clause.fact, " ", range_words(range));
  if (!words->unit.empty()) return amount_words(range, std::string(words->unit));
  return concat(words->before, " ", range_words(range));
}

std::string named_words(const Clause& clause, std::vector<std::string> names) {
  if (clause.fact == "has") return "with " + join(names, " and ");
  if (clause.fact == "lacks") return "without " + join(names, " and ");
  if (clause.fact != "components") return join(names, " or ");
  for (std::string& name : names)
    if (name != "torch") name.insert(0, "torch");
  return join(names, " and ");
}

std::string clause_words(const Clause& clause) {
  if (const bool* expected = std::get_if<bool>(&clause.expected)) return flag_words(clause, *expected);
  if (const auto* range = std::get_if<VersionRange>(&clause.expected)) return ranged_words(clause, *range);
  return named_words(clause, std::get<std::vector<std::string>>(clause.expected));
}

}  // namespace

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

void add_some(std::vector<Block>& blocks, std::string heading, std::vector<std::string> texts, std::size_t most) {
  if (texts.size() > most + 1) {
    const std::string rest = concat(texts.size() - most, " more; --all prints them");
    texts.resize(most);
    texts.push_back(rest);
  }
  add_items(blocks, std::move(heading), texts);
}

std::string target_text(const std::string& release, const std::string& board, const std::string& image) {
  return concat(release, " for ", board, " (", image, ")");
}

std::string stand_in_text(const std::string& stand_in) { return "this is not PyTorch: " + stand_in; }

std::string signature_text(const std::string& signer, const std::string& key) {
  return concat("signed by ", printable(signer), " with ", printable(key));
}

std::string certificate_text(bool is_certified) { return is_certified ? "certified" : "NOT CERTIFIED"; }

std::vector<std::string> content_lines(const std::map<Component, ComponentPin>& pins) {
  std::vector<std::string> lines;
  for (const auto& [component, pin] : pins) {
    if (!pin.content) continue;
    const std::string name = name_of(component);
    if (pin.is_content())
      lines.push_back(concat(name, ": ", pin.content->text(), "; the commit above is constructed from it"));
    else
      lines.push_back(concat(name, ": --archive ", name, "=", pin.content->archive,
                             " uses the content of that file instead of the commit, and proves less; SHA-256 ",
                             pin.content->sha256.hex()));
    if (!pin.content->absent.empty()) lines.back() += "; it lacks " + join(pin.content->absent, ", ");
  }
  return lines;
}

std::string issues_text(const std::vector<std::string>& issues) { return "for " + join(issues, ", "); }

std::string fix_text(FixKind kind, const std::string& fix, const std::string& variant) {
  return concat("fix ", fix, " (", name_of(kind), variant.empty() ? "" : ", variant " + variant, ")");
}

std::string image_assumed_text(const std::string& image) { return concat(image, " assumed; use --image to change it"); }

std::string condition_text(const Condition& condition) {
  if (condition.empty()) return "always";
  return join(collect(condition, &Clause::text), "; ");
}

std::vector<std::pair<const char*, const std::optional<Version>*>> versions_of(const Image& image) {
  return {{"glibc", &image.glibc},
          {"gcc", &image.gcc},
          {"cmake", &image.cmake},
          {"cuda", &image.cuda},
          {"cudnn", &image.cudnn}};
}

std::string image_text(const Image& image) {
  std::vector<std::string> facts = {image.os, "Python " + join(collect(image.python, &Version::text), " ")};
  if (image.arch) facts.push_back(*image.arch);
  for (const auto& [name, version] : versions_of(image)) {
    if (*version) facts.push_back(concat(name, " ", (*version)->text()));
    if (image.known_absent.contains(name)) facts.push_back(concat("no ", name));
  }
  return join(facts, ", ");
}

std::string condition_words(const Condition& condition) {
  std::vector<std::string> words;
  for (const Clause& clause : condition)
    if (clause.fact != "release") words.push_back(clause_words(clause));
  return join(words, ", ");
}

std::string front_ends_text(const Release& release) {
  const std::set<Component> others = built_by(release, FrontEndKind::scikit_build_core);
  if (others.empty()) return "setup.py";
  const std::string names = join(collect(others, [](Component each) { return std::string(name_of(each)); }), ", ");
  const bool is_all = others.size() == release.components.size();
  return concat(names, " by scikit-build-core", is_all ? "" : ", the others by setup.py");
}

std::string gpu_text(const Board& board) {
  if (!board.gpu) return "none";
  const auto& registers = board.gpu->registers_per_block;
  return concat("compute capability ", board.gpu->compute_capability.text(), ", ",
                registers ? std::to_string(*registers) : "unknown", " registers per block");
}

std::string short_id(const ObjectId& id) { return id.hex().substr(0, 12); }

std::string chosen_text(const std::string& option) {
  return concat("note: prepared with ", quote(option), ", a choice that cannot be verified");
}

}  // namespace torchpatch::report
