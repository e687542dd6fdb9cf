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
  throw Error(
      ErrorKind::usage, concat("--set ", quote(name), " is not a fact"),
      near.empty() ? concat("the facts are ", join(names, ", "), "; build variables have capital letters") : near);
}

/// Applies --set on top of the other facts.
void add_settings(Facts& facts, const std::map<std::string, std::string>& settings) {
  for (const auto& [name, value] : settings) {
    if (is_variable(name)) continue;
    if (name == "components") throw Error(ErrorKind::usage, "components cannot be set", "use --component");
    if (name == "release") throw Error(ErrorKind::usage, "the release cannot be set", "use --version");
    const FactKind* const kind = find_value(known_facts(), name);
    if (!kind) refuse_fact(name);
    if (has_hidden(value)) {
      throw Error(ErrorKind::usage, concat("--set ", name, ": ", quote(value),
                                           " is not one line of UTF-8 text without hidden characters"));
    }
    facts[name] = parse_fact(name, *kind, value);
  }
}

/// Adds facts derived from others, unless they are in --set.
void add_derived(Facts& facts, const Board& board, const std::map<std::string, std::string>& settings) {
  const std::int64_t* const bits = find_value(kBits, std::get<std::string>(facts.at("arch")));
  if (bits && !settings.contains("bits")) facts["bits"] = *bits;
  const bool has_gpu = std::get<bool>(facts.at("gpu"));
  for (const std::string name : {"compute_capability", "registers_per_block"}) {
    if (has_gpu == board.gpu.has_value() || settings.count(name) > 0) continue;
    if (has_gpu)
      facts.erase(name);  // an unknown GPU
    else
      facts[name] = std::monostate{};
  }
}

constexpr std::string_view kMcpu = "-mcpu=", kMarch = "-march=", kNative = "native";

const std::string& arch_of(const Plan& plan) { return std::get<std::string>(plan.facts.at("arch")); }

std::string flags_of_file(const Board& board, const Image& image) { return image.cpu_flags.value_or(board.cpu_flags); }

/// Returns the core if a board's flags consist of its -mcpu, or null.
const Core* core_of(const Catalog& catalog, std::string_view flags) {
  return flags.starts_with(kMcpu) ? catalog.cores.find(flags.substr(kMcpu.size())) : nullptr;
}

std::string flags_for(const Core& core, const Plan& plan) {
  const Version* const gcc = version_of(plan.facts, "gcc");
  for (const CoreFlags& each : core.flags)
    if (gcc && each.gcc.contains(*gcc)) return each.flags;
  return core.flags.back().flags;
}

/// Returns the version of an architecture: 8.2 of armv8.2-a, 8 of armv8-a.
std::optional<Version> version_of_arch(std::string_view arch) {
  constexpr std::string_view kArm = "armv", kProfile = "-a";
  if (!arch.starts_with(kArm)) return std::nullopt;
  arch.remove_prefix(kArm.size());
  return Version::parse(arch.substr(0, arch.find(kProfile)));
}

/// Returns the architecture in a board's flags, or empty text.
std::string arch_asked_for(const Catalog& catalog, std::string_view flags) {
  if (const Core* const core = core_of(catalog, flags)) return core->arch;
  if (!flags.starts_with(kMarch)) return {};
  flags.remove_prefix(kMarch.size());
  return std::string(flags.substr(0, flags.find_first_of(" +")));
}

/// The meaning of --build-target.
struct Target {
  std::string who;  ///< "neoverse-n1", "the host graviton2"
  std::string arch;
  std::string flags;
};

Target native_target(const Catalog& catalog, const Plan& plan) {
  if (holds(plan.facts, "cross")) {
    throw Error(ErrorKind::usage,
                "--build-target native: impossible for a cross compiler, which runs on another machine",
                "pass the core of the board, or omit --build-target for the board's flags");
  }
  if (!plan.host) return {"the board", {}, board_cpu_flags(catalog, plan)};
  const std::string flags = flags_of_file(*plan.host->board, *plan.host->image);
  const Core* const core = core_of(catalog, flags);
  return {concat("the host ", quote(plan.host->board->id)), arch_asked_for(catalog, flags),
          core ? flags_for(*core, plan) : flags};
}

Target named_target(const Catalog& catalog, const Plan& plan) {
  const std::string& name = plan.options.build_target;
  const Core* const core = catalog.cores.find(name);
  if (core) return {quote(core->id), core->arch, flags_for(*core, plan)};
  std::vector<std::string> names = {std::string(kNative), kCustomTarget};
  for (const Core& each : catalog.cores.cores) {
    names.push_back(each.id);
    names.insert(names.end(), each.aliases.begin(), each.aliases.end());
  }
  const std::string near = did_you_mean(name, names);
  throw Error(ErrorKind::usage, concat("unknown core ", quote(name), " for --build-target"),
              near.empty() ? concat("known: ", join(names, ", ")) : near);
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
  facts["components"] = collect(components, [](Component each) -> std::string { return name_of(each); });
  add_settings(facts, settings);
  add_derived(facts, board, settings);
  return facts;
}

std::string board_cpu_flags(const Catalog& catalog, const Plan& plan) {
  if (arch_of(plan) != plan.image->arch.value_or(plan.board->arch)) return {};  // --set arch: another machine
  const std::string flags = flags_of_file(*plan.board, *plan.image);
  const Core* const core = arch_of(plan) == "aarch64" ? core_of(catalog, flags) : nullptr;
  return core ? flags_for(*core, plan) : flags;
}

std::string build_target_flags(const Catalog& catalog, const Plan& plan) {
  if (arch_of(plan) != "aarch64") {
    throw Error(ErrorKind::usage, concat("--build-target needs aarch64, the board is ", arch_of(plan)),
                "omit it: the board has its own flags, and --set CFLAGS adds to them");
  }
  const Target target =
      plan.options.build_target == kNative ? native_target(catalog, plan) : named_target(catalog, plan);
  const std::string board_arch = arch_asked_for(catalog, flags_of_file(*plan.board, *plan.image));
  const auto wanted = version_of_arch(target.arch), there = version_of_arch(board_arch);
  if (wanted && there && *wanted > *there && !plan.options.force) {
    throw Error(ErrorKind::usage,
                concat("--build-target ", plan.options.build_target, ": ", target.who, " uses the instructions of ",
                       target.arch, ", but board ", quote(plan.board->id), " has those of ", board_arch,
                       "; the result would crash on this board with 'Illegal instruction'"),
                "omit --build-target for the board's flags, or use generic; --force continues anyway");
  }
  return target.flags;
}

}  // namespace torchpatch::plan
