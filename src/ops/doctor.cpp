// SPDX-License-Identifier: BSD-3-Clause
#include "ops/doctor.h"

#include <algorithm>

#include "emit/build/job_memory.h"
#include "ops/host_checks.h"
#include "ops/host_issues.h"
#include "ops/host_plan.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::ops {
namespace {

/// The rule of build.env.
std::optional<std::int64_t> max_jobs(const HostFacts& host, int mib_per_job) {
  if (!host.memory_mib || !host.processors) return std::nullopt;
  const std::int64_t by_memory = (*host.memory_mib + host.swap_mib.value_or(0)) / mib_per_job;
  return std::max<std::int64_t>(1, std::min(*host.processors, by_memory));
}

bool builds_for_cuda(const Facts& facts) { return holds(facts, "gpu") && version_of(facts, "cuda") != nullptr; }

std::vector<std::string> notes_of(const Plan& plan, const HostFacts& host) {
  std::vector<std::string> notes;
  if (plan.board != nullptr) return notes;
  notes.emplace_back(
      "without --board this host is the target; its GPU and which libraries are to be had are not known");
  if (host.tool("cuda").is_missing) notes.emplace_back("no CUDA was found: a build here is for the CPU alone");
  return notes;
}

}  // namespace

DoctorTarget target_of(const Manifest& manifest) {
  DoctorTarget target{manifest.release, manifest.board, manifest.image, {}, manifest.python, {}, true};
  target.options.components = {manifest.components.begin(), manifest.components.end()};
  target.options.with_fixes = {manifest.with_fixes.begin(), manifest.with_fixes.end()};
  target.options.without_fixes = {manifest.without_fixes.begin(), manifest.without_fixes.end()};
  target.options.settings = manifest.settings;
  target.options.unpatched = manifest.unpatched;
  for (const auto& [tool, text] : manifest.tool_bounds) {
    const std::optional<VersionRange> range = VersionRange::parse(text);
    if (!range) {
      throw Error(ErrorKind::data, concat("manifest: the bound ", quote(text), " of ", quote(tool), " is no range"));
    }
    target.tool_bounds.emplace(tool, *range);
  }
  return target;
}

std::vector<std::string> packages_to_read(const Catalog& catalog, const DoctorTarget& target) {
  std::vector<std::string> packages;
  const auto& bounds = target.is_manifest ? target.tool_bounds : catalog.release(target.release).build_tools;
  for (const auto& [tool, range] : bounds) {
    if (known_facts().count(tool) == 0 && tool != "ninja") packages.push_back(tool);
  }
  return packages;
}

emit::DoctorReport doctor(const Catalog& catalog, const DoctorTarget& target, const HostFacts& host) {
  const HostPlan on_host = plan_on_host(catalog, target, host);
  const Plan& plan = on_host.plan;
  emit::DoctorReport report;
  report.release = plan.release->version.text();
  report.stand_in = plan.release->stand_in;
  if (plan.board != nullptr) report.board = plan.board->id;
  if (plan.image != nullptr) report.image = plan.image->id;
  report.host = host;
  report.mib_per_job = emit::mib_per_job(plan.release->version, builds_for_cuda(plan.facts));
  report.max_jobs = max_jobs(host, report.mib_per_job);
  report.checks = check_host(target, plan, host, report.mib_per_job);
  report.issues = issues_on_host(on_host.choices, report.checks);
  name_issues(on_host.choices, report.issues, plan.release->version, report.checks);
  report.notes = notes_of(plan, host);
  return report;
}

}  // namespace torchpatch::ops
