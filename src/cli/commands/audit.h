// SPDX-License-Identifier: BSD-3-Clause
/// What 'audit' was asked for: the patches of a plan, of a prepared tree, or of the whole catalog.
#pragma once

#include <string>

#include "cli/command.h"
#include "cli/shared_options.h"
#include "cli/source_options.h"
#include "ops/audit/audit.h"
#include "report/audit/series.h"

namespace torchpatch::cli {

struct AuditLine {
  PlanLine plan;
  SourceOptions source;
  ops::AuditOptions options;
  ReportOptions form;
  std::string tree;     ///< a prepared tree, or empty
  std::string against;  ///< what to compare with, or empty
  bool all = false, no_pager = false;
};

/// Raises usage where options do not go together.
void check_audit_line(const AuditLine& line);

/// Returns the catalog that the line works with: a tree of an embedded source is judged by that source's layer.
Catalog audit_catalog(const AuditLine& line, const Environment& environment);

/// Audits what the line names.
AuditReport make_audit_report(const AuditLine& line, const Catalog& catalog, Context& context);

// audit --against: the series of patches that an audit is of, compared with another one.

/// Compares with what `line.against` names: a prepared tree or its manifest, a directory with another revision of the
/// catalog, or a release. The other one is the earlier side. Raises usage where it is none of these.
SeriesReport make_series_report(const AuditLine& line, const Catalog& catalog);

}  // namespace torchpatch::cli
