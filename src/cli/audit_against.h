// SPDX-License-Identifier: BSD-3-Clause
/// audit --against: the series of patches that an audit is of, compared with another one.
#pragma once

#include "cli/audit_line.h"
#include "emit/audit/series_report.h"

namespace torchpatch::cli {

/// Compares with what `line.against` names: a prepared tree or its manifest, a directory with another revision of the
/// catalog, or a release. The other one is the earlier side. Raises usage where it is none of these.
emit::SeriesReport make_series_report(const AuditLine& line, const Catalog& catalog);

}  // namespace torchpatch::cli
