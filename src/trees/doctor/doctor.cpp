// SPDX-License-Identifier: BSD-3-Clause
#include "trees/doctor/doctor.h"

#include <algorithm>

#include "plan/facts.h"
#include "plan/image_choice.h"
#include "plan/make_plan.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

/// The rule of build.env.
std::optional<std::int64_t> max_jobs(const HostFacts& host, int mib_per_job) {
  if (!host.memory_mib || !host.processors) return std::nullopt;
  const std::int64_t by_memory = (*host.memory_mib + host.swap_mib.value_or(0)) / mib_per_job;
  return std::max<std::int64_t>(1, std::min(*host.processors, by_memory));
}

std::vector<std::string> host_notes(const Plan& plan, const HostFacts& host) {
  std::vector<std::string> notes;
  if (plan.board != nullptr) return notes;
  notes.emplace_back(
      "without --board this host is the target; its GPU and which libraries are to be had are not known");
  if (host.tool("cuda").is_missing) notes.emplace_back("no CUDA was found: a build here is for the CPU alone");
  return notes;
}

std::vector<Component> chosen_components(const Release& release, const PlanOptions& options) {
  std::vector<Component> components;
  for (const auto& [component, pin] : release.components)
    if (options.components.empty() || options.components.count(component) > 0) components.push_back(component);
  return components;
}

/// Chooses the target's image as a plan would, for what the target is to be; the host's tools have no say in it.
void choose_target(const Catalog& catalog, const DoctorTarget& target, Plan& plan) {
  if (target.board.empty()) return;
  plan.board = &catalog.board(target.board);
  PlanOptions options = plan.options;
  options.force = true;  // what does not fit is told by the checks
  const plan::ImageChoice choice =
      plan::choose_image(*plan.release, *plan.board, target.image, options, plan.components);
  plan.image = choice.image;
  plan.python = choice.python;
}

void lay_over(std::optional<Version>& fact, Image& image, const std::string& name, const HostFacts& host,
              bool is_target) {
  const HostTool tool = host.tool(name);
  if (tool.version)
    fact = tool.version;
  else if (is_target && tool.is_missing)
    image.known_absent.insert(name);
}

Image image_on_host(const Plan& plan, const HostFacts& host, bool is_cross) {
  const bool is_target = plan.board == nullptr;
  Image image = is_target ? Image{} : *plan.image;
  if (is_target) image.os = host.os;
  lay_over(image.gcc, image, "gcc", host, is_target);
  lay_over(image.cmake, image, "cmake", host, is_target);
  lay_over(image.cuda, image, "cuda", host, is_target);
  lay_over(image.cudnn, image, "cudnn", host, is_target);
  // A cross compiler brings the board's own libraries.
  if (!is_cross) lay_over(image.glibc, image, "glibc", host, is_target);
  return image;
}

Board board_on_host(const Plan& plan, const HostFacts& host) {
  Board board = plan.board != nullptr ? *plan.board : Board{};
  if (plan.board == nullptr) board.arch = host.arch;
  board.memory_mib = host.memory_mib.value_or(board.memory_mib);
  return board;
}

std::string minor_of(const Version& version) {
  const std::vector<int>& numbers = version.numbers();
  return numbers.size() < 2 ? version.text() : concat(numbers[0], ".", numbers[1]);
}

/// Facts of a target that is the host, as far as nothing was read of them and --set does not say.
void forget_unknown(const HostFacts& host, const std::map<std::string, std::string>& settings, Facts& facts) {
  std::vector<std::string> unknown = {"has", "lacks"};
  if (host.arch.empty()) unknown.insert(unknown.end(), {"arch", "bits"});
  if (host.os.empty()) unknown.emplace_back("os");
  if (!host.memory_mib) unknown.emplace_back("memory_mib");
  const HostTool cuda = host.tool("cuda");
  if (!cuda.version && !cuda.is_missing)
    unknown.insert(unknown.end(), {"gpu", "compute_capability", "registers_per_block"});
  for (const std::string& name : unknown)
    if (settings.count(name) == 0) facts.erase(name);
}

Facts facts_on_host(const Plan& plan, const HostFacts& host) {
  std::map<std::string, std::string> settings = plan.options.settings;
  const bool is_target = plan.board == nullptr;
  // Whoever has nvcc builds for some GPU, of which nothing is known.
  if (is_target && host.tool("cuda").version) settings.emplace("gpu", "true");
  const auto cross = settings.find("cross");
  const bool is_cross = cross != settings.end() && cross->second == "true";
  const std::optional<Version> python = host.tool("python").version;
  Facts facts = plan::make_facts(*plan.release, board_on_host(plan, host), image_on_host(plan, host, is_cross),
                                 python ? minor_of(*python) : plan.python, plan.components, settings);
  if (is_target) forget_unknown(host, plan.options.settings, facts);
  return facts;
}

}  // namespace

bool builds_for_cuda(const Facts& facts) { return holds(facts, "gpu") && version_of(facts, "cuda") != nullptr; }

DoctorTarget target_of(const Manifest& manifest) {
  DoctorTarget target{manifest.release, manifest.board, manifest.image, {}, {}, {}, true};
  if (manifest.python != "none") target.python = manifest.python;  // with --set python=none nobody knows it
  target.options.components = {manifest.components.begin(), manifest.components.end()};
  target.options.with_fixes = {manifest.with_fixes.begin(), manifest.with_fixes.end()};
  target.options.without_fixes = {manifest.without_fixes.begin(), manifest.without_fixes.end()};
  target.options.settings = manifest.settings;
  target.options.unpatched = manifest.unpatched;
  for (const auto& [tool, text] : manifest.tool_bounds) {
    const std::optional<VersionRange> range = VersionRange::parse(text);
    if (!range)
      throw Error(ErrorKind::data, concat("manifest: the bound ", quote(text), " of ", quote(tool), " is no range"));
    target.tool_bounds.emplace(tool, *range);
  }
  return target;
}

std::vector<std::string> packages_to_read(const Catalog& catalog, const DoctorTarget& target) {
  std::vector<std::string> packages;
  const auto& bounds = target.is_manifest ? target.tool_bounds : catalog.release(target.release).build_tools;
  for (const auto& [tool, range] : bounds)
    if (known_facts().count(tool) == 0 && tool != "ninja") packages.push_back(tool);
  return packages;
}

DoctorReport doctor(const Catalog& catalog, const DoctorTarget& target, const HostFacts& host) {
  const HostPlan on_host = plan_on_host(catalog, target, host);
  const Plan& plan = on_host.plan;
  DoctorReport report;
  report.release = plan.release->version.text();
  report.stand_in = plan.release->stand_in;
  if (plan.board != nullptr) report.board = plan.board->id;
  if (plan.image != nullptr) report.image = plan.image->id;
  report.host = host;
  report.mib_per_job = mib_per_job(plan.release->version, builds_for_cuda(plan.facts));
  report.max_jobs = max_jobs(host, report.mib_per_job);
  report.checks = check_host(target, plan, host, report.mib_per_job);
  report.issues = issues_on_host(on_host.choices, report.checks);
  name_issues(on_host.choices, report.issues, plan.release->version, report.checks);
  report.notes = host_notes(plan, host);
  return report;
}

HostPlan plan_on_host(const Catalog& catalog, const DoctorTarget& target, const HostFacts& host) {
  HostPlan on_host;
  Plan& plan = on_host.plan;
  plan.release = &catalog.release(target.release);
  plan.options = target.options;
  plan.components = chosen_components(*plan.release, plan.options);
  choose_target(catalog, target, plan);
  plan.facts = facts_on_host(plan, host);
  on_host.choices = plan::choose_fixes(catalog, *plan.release, plan.facts, plan.options);
  plan::plan_patches(catalog, on_host.choices, plan);
  return on_host;
}

}  // namespace torchpatch::trees
