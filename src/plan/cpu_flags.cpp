// SPDX-License-Identifier: BSD-3-Clause
#include "plan/cpu_flags.h"

#include <optional>

#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

constexpr std::string_view kMcpu = "-mcpu=", kMarch = "-march=", kNative = "native";

const std::string& arch_of(const Plan& plan) { return std::get<std::string>(plan.facts.at("arch")); }

std::string flags_of_file(const Board& board, const Image& image) { return image.cpu_flags.value_or(board.cpu_flags); }

/// Returns the core that flags of a board name and nothing else, or null.
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

/// Returns the architecture that flags of a board ask for, or empty text.
std::string arch_asked_for(const Catalog& catalog, std::string_view flags) {
  if (const Core* const core = core_of(catalog, flags)) return core->arch;
  if (!flags.starts_with(kMarch)) return {};
  flags.remove_prefix(kMarch.size());
  return std::string(flags.substr(0, flags.find_first_of(" +")));
}

/// What --build-target stands for.
struct Target {
  std::string who;  ///< "neoverse-n1", "the host graviton2"
  std::string arch;
  std::string flags;
};

Target native_target(const Catalog& catalog, const Plan& plan) {
  if (holds(plan.facts, "cross")) {
    throw Error(ErrorKind::usage, "--build-target native: a cross compiler does not run on what it compiles for",
                "name the core of the board, or leave --build-target out for the board's own flags");
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
  std::vector<std::string> names = {std::string(kNative)};
  for (const Core& each : catalog.cores.cores) {
    names.push_back(each.id);
    names.insert(names.end(), each.aliases.begin(), each.aliases.end());
  }
  const std::string near = did_you_mean(name, names);
  throw Error(ErrorKind::usage, concat("--build-target ", quote(name), " is no core that is known"),
              near.empty() ? concat("known are ", join(names, ", ")) : near);
}

}  // namespace

std::string board_cpu_flags(const Catalog& catalog, const Plan& plan) {
  if (arch_of(plan) != plan.image->arch.value_or(plan.board->arch)) return {};  // --set arch: another machine's
  const std::string flags = flags_of_file(*plan.board, *plan.image);
  const Core* const core = arch_of(plan) == "aarch64" ? core_of(catalog, flags) : nullptr;
  return core ? flags_for(*core, plan) : flags;
}

std::string build_target_flags(const Catalog& catalog, const Plan& plan) {
  if (arch_of(plan) != "aarch64") {
    throw Error(ErrorKind::usage, concat("--build-target is for aarch64, the board is ", arch_of(plan)),
                "leave it out: the board's file says the flags, and --set CFLAGS adds to them");
  }
  const Target target =
      plan.options.build_target == kNative ? native_target(catalog, plan) : named_target(catalog, plan);
  const std::string board_arch = arch_asked_for(catalog, flags_of_file(*plan.board, *plan.image));
  const auto wanted = version_of_arch(target.arch), there = version_of_arch(board_arch);
  if (wanted && there && *wanted > *there && !plan.options.force) {
    throw Error(ErrorKind::usage,
                concat("--build-target ", plan.options.build_target, ": ", target.who, " has the instructions of ",
                       target.arch, ", board ", quote(plan.board->id), " those of ", board_arch,
                       "; what is built would end there with 'Illegal instruction'"),
                "leave --build-target out for the board's own flags, or say generic; --force goes on all the same");
  }
  return target.flags;
}

}  // namespace torchpatch::plan
