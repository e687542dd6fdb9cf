// SPDX-License-Identifier: BSD-3-Clause
/// Texts and JSON of the commands' results (docs/formats.md: "What --json prints").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/manifest.h"
#include "model/plan.h"
#include "model/verify.h"
#include "support/json.h"

namespace torchpatch::report {

enum class Format { text, json };

/// explain: every issue with its decision and reason, patches in order, environment, warnings, plan digest.
/// JSON: {"schema":1, "issues":[{id, applies, status, reason, fix, variant}], …}.
std::string plan_report(const Plan& plan, Format format);

/// list: what `kind` ("releases", "boards", "issues", "patchsets") there is, one line each.
std::string list_report(const Catalog& catalog, const std::string& kind, Format format);

/// show: one entry in full, with its sources and what is unverified.
std::string show_release(const Release& release, Format format);
std::string show_board(const Board& board, Format format);
std::string show_issue(const Issue& issue, Format format);
/// The catalog says for which releases the proofs are to hold.
std::string show_patchset(const Patchset& patchset, const Catalog& catalog, Format format);

// What `show --json` prints of them.
Json release_json(const Release& release);
Json board_json(const Board& board);
Json issue_json(const Issue& issue);
Json patchset_json(const Patchset& patchset, const Catalog& catalog);

/// What docs wrote.
struct DocsReport {
  std::string output;  ///< as given
  std::string first;   ///< the file to open
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};
/// docs --json: {"schema":1, "output", "first", "files", "bytes"}.
std::string docs_report(const DocsReport& report);

std::string verify_report(const VerifyReport& report, Format format);

}  // namespace torchpatch::report
