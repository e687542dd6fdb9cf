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

namespace torchpatch::emit {

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

/// What docs wrote.
struct DocsReport {
  std::string output;  ///< as given
  std::string first;   ///< the file to open
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};
/// docs --json: {"schema":1, "output", "first", "files", "bytes"}.
std::string docs_report(const DocsReport& report);

/// One difference that verify found.
struct Difference {
  std::string path;  ///< relative to OUT; or a repository, or empty for the whole
  /// changed, missing, extra, mode, link, type, unreadable, manifest, sums, base-tree, commit, patch, licence,
  /// companion, patch-not-in-catalog, override-not-in-catalog, pin-not-in-catalog, result, expected-id, signature
  std::string reason;
  std::string detail;
};
/// A good signature of the manifest.
struct GoodSignature {
  std::string file;    ///< relative to OUT
  std::string signer;  ///< principal, or the file of the public key
  std::string key;     ///< "ED25519 key SHA256:…"
};
struct VerifyReport {
  std::string root;
  Manifest manifest;
  std::vector<Difference> differences;       ///< sorted by path
  std::vector<std::string> notes;            ///< such as "not PyTorch: …"
  std::vector<std::string> added_by_build;   ///< with --after-build
  std::optional<GoodSignature> signature{};  ///< with --signature, where there is no difference about it
  std::uint64_t files = 0, links = 0, bytes = 0;
};
std::string verify_report(const VerifyReport& report, Format format);

}  // namespace torchpatch::emit
