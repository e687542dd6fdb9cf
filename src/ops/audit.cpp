// SPDX-License-Identifier: BSD-3-Clause
#include "ops/audit.h"

#include "ops/audit_patch.h"
#include "ops/later_releases.h"
#include "ops/patched_tree.h"
#include "ops/show_in_files.h"
#include "ops/touched_files.h"

namespace torchpatch::ops {

namespace {

TouchedFiles read_files(const Plan& plan, const std::vector<AuditStep>& steps, const Catalog& catalog,
                        source::ObjectSource& source, Console& console) {
  TouchedRequest request{plan.release, overrides_of(plan), {}};
  for (const AuditStep& step : steps) request.patches.push_back({step.repository, &step.parsed});
  TouchedFiles files = std::move(read_touched_files({request}, catalog.moved_repositories, source, 1, console).front());
  if (files.missing.empty()) return files;
  std::vector<std::string> lines;
  for (const source::MissingPin& pin : files.missing) lines.push_back(source::missing_text(pin));
  source::raise_missing("reading what the patches touch", lines, source, source.hint());
}

}  // namespace

emit::AuditReport audit(const Plan& plan, const Catalog& catalog, source::ObjectSource* source,
                        const AuditOptions& options, Console& console) {
  emit::AuditReport report;
  report.release = plan.release->version.text();
  report.board = plan.board->id;
  report.image = plan.image->id;
  report.plan = plan.digest;
  report.has_sources = source != nullptr;
  const std::vector<AuditStep> steps = plan_steps(plan);
  for (const AuditStep& step : steps) report.patches.push_back(describe_patch(step, report.release, catalog));
  find_overlaps(report.patches);
  if (source) {
    TouchedFiles files = read_files(plan, steps, catalog, *source, console);
    show_in_files(steps, base_files(files), static_cast<std::size_t>(options.context), report.patches);
    look_in_later_releases(std::vector<std::string>(steps.size(), report.release), steps, catalog, *source,
                           options.jobs, console, report.patches);
  }
  for (const PlannedFile& planned : plan.files) {
    const AddedFile& file = *planned.file;
    report.added_files.push_back({planned.patchset, planned.variant, file.repository, file.path, file.is_executable,
                                  file.bytes.size(), file.sha256, planned.issues});
  }
  return report;
}

}  // namespace torchpatch::ops
