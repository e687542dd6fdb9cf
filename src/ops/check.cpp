// SPDX-License-Identifier: BSD-3-Clause
#include "ops/check.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "ops/check_release.h"
#include "ops/recorded_data.h"
#include "ops/run_planning.h"
#include "patch/lint.h"
#include "patch/parse_patch.h"
#include "source/run_lookups.h"
#include "source/wire.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

std::vector<const Board*> chosen_boards(const Catalog& catalog, const std::vector<std::string>& names) {
  std::set<const Board*> chosen;
  for (const std::string& name : names) chosen.insert(&catalog.board(name));
  std::vector<const Board*> boards;
  for (const auto& [id, board] : catalog.boards) {
    if (names.empty() || chosen.contains(&board)) boards.push_back(&board);
  }
  return boards;
}

void lint(const std::string& patchset, const Patch& patch, Findings& findings) {
  const std::string file = concat("patchsets/", patchset, "/", patch.file);
  try {
    for (const patch::LintFinding& finding : patch::lint_patch(patch::parse_patch(patch.text, patch.file))) {
      findings.add(file, finding.line, "", finding.message);
    }
  } catch (const Error& error) {
    findings.add(file, 0, "", error.message());
  }
}

std::vector<Finding> lint_patches(const Catalog& catalog) {
  Findings findings;
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      for (const Patch& patch : variant.patches) lint(id, patch, findings);
    }
  }
  return findings.list();
}

std::string encode(const ReleaseCheck& check) {
  source::WireWriter writer;
  writer.number(check.cells.size());
  for (const emit::CheckCell& cell : check.cells) {
    for (const std::string* text :
         {&cell.release, &cell.board, &cell.image, &cell.issue, &cell.fix, &cell.variant, &cell.reason}) {
      writer.text(*text);
    }
    writer.number(static_cast<std::uint64_t>(cell.status));
  }
  writer.ids(check.needed);
  return writer.take();
}

ReleaseCheck decode(std::string_view bytes) {
  source::WireReader reader(bytes);
  ReleaseCheck check;
  for (std::uint64_t count = reader.number(); count > 0; --count) {
    emit::CheckCell cell;
    for (std::string* text :
         {&cell.release, &cell.board, &cell.image, &cell.issue, &cell.fix, &cell.variant, &cell.reason}) {
      *text = reader.text();
    }
    cell.status = reader.choice(emit::CellStatus::undecided);
    check.cells.push_back(std::move(cell));
  }
  for (const ObjectId& commit : reader.ids()) check.needed.insert(commit);
  return check;
}

}  // namespace

emit::CheckReport check(const Catalog& catalog, source::ObjectSource* source, const CheckOptions& options,
                        Console& console) {
  const std::vector<const Release*> releases = chosen_releases(catalog, options.releases);
  const std::vector<const Board*> boards = chosen_boards(catalog, options.boards);
  const auto cells_of = [&](std::size_t item, source::PinnedLookup* lookup) {
    return encode(check_release(catalog, *releases[item], boards, lookup));
  };
  const source::LookupTask look = [&](source::PinnedLookup& lookup, std::size_t item) {
    return cells_of(item, &lookup);
  };

  emit::CheckReport report;
  report.has_sources = source != nullptr;
  report.findings = lint_patches(catalog);
  for (const Release* release : releases) report.releases.push_back(release->version.text());
  for (const Board* board : boards) report.boards.push_back(board->id);
  const std::vector<source::LookupResult> results =
      source ? source::run_lookups(releases.size(), look, catalog.moved_repositories, *source, options.jobs, console)
             : run_planning(
                   releases.size(), [&](std::size_t item) { return cells_of(item, nullptr); }, options.jobs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    ReleaseCheck checked = decode(results[i].bytes);
    std::move(checked.cells.begin(), checked.cells.end(), std::back_inserter(report.cells));
    for (const source::MissingPin& pin : results[i].missing) {
      if (!checked.needed.contains(pin.repository.commit)) continue;
      report.missing.push_back({report.releases[i], source::missing_text(pin)});
    }
  }
  return report;
}

}  // namespace torchpatch::ops
