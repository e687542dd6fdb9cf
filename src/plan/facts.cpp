// SPDX-License-Identifier: BSD-3-Clause
#include "plan/facts.h"

#include <optional>

#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

void add_part(Facts& facts, const Image& image, const std::string& name, const std::optional<Version>& version) {
  if (version)
    facts[name] = *version;
  else if (image.known_absent.contains(name))
    facts[name] = std::monostate{};
}

void add_image(Facts& facts, const Image& image) {
  facts["os"] = image.os;
  add_part(facts, image, "glibc", image.glibc);
  add_part(facts, image, "gcc", image.gcc);
  add_part(facts, image, "cmake", image.cmake);
  add_part(facts, image, "cuda", image.cuda);
  add_part(facts, image, "cudnn", image.cudnn);
}

void add_board(Facts& facts, const Board& board) {
  facts["memory_mib"] = board.memory_mib;
  facts["has"] = board.has;
  facts["lacks"] = board.lacks;
  facts["gpu"] = board.gpu.has_value();
  if (!board.gpu) {
    facts["compute_capability"] = facts["registers_per_block"] = std::monostate{};
    return;
  }
  facts["compute_capability"] = board.gpu->compute_capability;
  if (board.gpu->registers_per_block) facts["registers_per_block"] = *board.gpu->registers_per_block;
}

const std::map<std::string, std::int64_t> kBits = {{"aarch64", 64}, {"x86_64", 64}, {"ppc64le", 64}, {"riscv64", 64},
                                                   {"armv7l", 32},  {"armv6l", 32}, {"i686", 32}};

[[noreturn]] void refuse_value(const std::string& name, const std::string& value, const std::string& expected) {
  throw Error(ErrorKind::usage, concat("--set ", name, ": ", quote(value), " is not ", expected));
}

FactValue parse_fact(const std::string& name, FactKind kind, const std::string& value) {
  if (kind == FactKind::text) return value;
  if (kind == FactKind::list) return value == kKnownAbsent ? std::vector<std::string>{} : split(value, ',');
  if (kind == FactKind::boolean) {
    if (value != "true" && value != "false") refuse_value(name, value, "true or false");
    return value == "true";
  }
  if (value == kKnownAbsent) return std::monostate{};
  if (kind == FactKind::integer) {
    const auto number = parse_decimal(value);
    if (!number || *number > INT64_MAX) refuse_value(name, value, "a number or none");
    return static_cast<std::int64_t>(*number);
  }
  const auto version = Version::parse(value);
  if (!version || version->is_pre_release()) refuse_value(name, value, "a version such as 7.5 or none");
  return *version;
}

[[noreturn]] void refuse_fact(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [fact, kind] : known_facts())
    if (fact != "components" && fact != "release") names.push_back(fact);
  const std::string near = did_you_mean(name, names);
  throw Error(ErrorKind::usage, concat("--set ", quote(name), " is not a fact"),
              near.empty()
                  ? concat("the facts are ", join(names, ", "), "; a variable of the build has capital letters")
                  : near);
}

/// Lays the facts of --set over the others.
void add_settings(Facts& facts, const std::map<std::string, std::string>& settings) {
  for (const auto& [name, value] : settings) {
    if (is_variable(name)) continue;
    if (name == "components")
      throw Error(ErrorKind::usage, "--set components is not possible", "--component names what is prepared");
    if (name == "release")
      throw Error(ErrorKind::usage, "--set release is not possible", "--version names the release");
    const FactKind* const kind = find_value(known_facts(), name);
    if (!kind) refuse_fact(name);
    if (has_hidden(value)) {
      throw Error(ErrorKind::usage,
                  concat("--set ", name, ": ", quote(value), " is not one line of UTF-8 without hidden characters"));
    }
    facts[name] = parse_fact(name, *kind, value);
  }
}

/// Facts that follow from others, unless --set names them too.
void add_derived(Facts& facts, const Board& board, const std::map<std::string, std::string>& settings) {
  const std::int64_t* const bits = find_value(kBits, std::get<std::string>(facts.at("arch")));
  if (bits && !settings.contains("bits")) facts["bits"] = *bits;
  const bool has_gpu = std::get<bool>(facts.at("gpu"));
  for (const std::string name : {"compute_capability", "registers_per_block"}) {
    if (has_gpu == board.gpu.has_value() || settings.count(name) > 0) continue;
    if (has_gpu)
      facts.erase(name);  // some GPU, of which nothing is known
    else
      facts[name] = std::monostate{};
  }
}

}  // namespace

Image chosen_image(const Plan& plan) {
  Image image = *plan.image;
  const std::map<std::string, std::string>& settings = plan.options.settings;
  if (!image.arch) image.arch = plan.board->arch;
  if (const std::string* const arch = find_value(settings, "arch")) image.arch = *arch;
  if (const std::string* const os = find_value(settings, "os")) image.os = *os == kKnownAbsent ? "" : *os;
  const auto lay_over = [&](const char* fact, std::optional<Version>& version) {
    if (const std::string* const set = find_value(settings, fact)) version = Version::parse(*set);
  };
  lay_over("glibc", image.glibc);
  lay_over("gcc", image.gcc);
  lay_over("cmake", image.cmake);
  lay_over("cuda", image.cuda);
  lay_over("cudnn", image.cudnn);
  return image;
}

bool is_variable(const std::string& setting) {
  const std::size_t first = setting.starts_with('_') ? 1 : 0;
  return setting.size() > first && setting[first] >= 'A' && setting[first] <= 'Z';
}

Facts make_facts(const Release& release, const Board& board, const Image& image, const std::string& python,
                 const std::vector<Component>& components, const std::map<std::string, std::string>& settings) {
  Facts facts;
  facts["release"] = release.version;
  add_board(facts, board);
  add_image(facts, image);
  facts["arch"] = image.arch.value_or(board.arch);
  facts["distributed"] = true;
  facts["cross"] = false;
  if (const auto version = Version::parse(python)) facts["python"] = *version;
  facts["components"] = collect(components, [](Component each) -> std::string { return component_name(each); });
  add_settings(facts, settings);
  add_derived(facts, board, settings);
  return facts;
}

}  // namespace torchpatch::plan
