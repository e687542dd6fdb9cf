// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/check_references.h"

#include <algorithm>

#include "catalog/patchset_rules.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

template <typename Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) {
    keys.push_back(key);
  }
  return keys;
}

/// Every name that --board takes → the board that has it.
std::map<std::string, std::string> board_names(Assembly& assembly) {
  std::map<std::string, std::string> names;
  for (const auto& [id, board] : assembly.catalog.boards) {
    names.emplace(id, id);
  }
  for (const auto& [id, board] : assembly.catalog.boards) {
    for (const std::string& alias : board.aliases) {
      const auto [known, is_new] = names.emplace(alias, id);
      if (!is_new) {
        assembly.report(board_entry(id), "aliases",
                        concat(quote(alias), " also names the board ", quote(known->second)));
      }
    }
  }
  return names;
}

/// A condition speaks of capabilities; with board ids in it, the next board with the same defect would be forgotten.
void check_condition(const Condition& condition, const std::map<std::string, std::string>& boards,
                     const std::string& entry, const std::string& key, Assembly& assembly) {
  for (const Clause& clause : condition.clauses) {
    const auto* names = std::get_if<std::vector<std::string>>(&clause.expected);
    for (std::size_t i = 0; names && i < names->size(); ++i) {
      if (boards.count((*names)[i]) > 0) {
        assembly.report(entry, concat(key, '.', clause.fact),
                        concat(quote((*names)[i]), " is a board; a condition names what the board has or lacks"));
      }
    }
  }
}

/// A fix of another kind with a patchset is a finding of its own.
bool has_content(const Patchset& patchset, FixKind kind) {
  if (kind != FixKind::patch && kind != FixKind::files) {
    return true;
  }
  return std::any_of(patchset.variants.begin(), patchset.variants.end(), [&](const Variant& variant) {
    const bool has_patches = !variant.patches.empty() || !variant.overrides.empty();
    return kind == FixKind::patch ? has_patches : !variant.files.empty();
  });
}

void check_fix_patchset(const Fix& fix, const std::string& entry, const std::string& key, Assembly& assembly) {
  if (fix.patchset.empty()) {
    return;
  }
  const auto found = assembly.catalog.patchsets.find(fix.patchset);
  if (found == assembly.catalog.patchsets.end()) {
    if (!assembly.is_known(patchset_entry(fix.patchset))) {
      const std::string hint = did_you_mean(fix.patchset, keys_of(assembly.catalog.patchsets));
      assembly.report(entry, key, concat("there is no patchset ", quote(fix.patchset), hint.empty() ? "" : "; ", hint));
    }
  } else if (!has_content(found->second, fix.kind)) {
    assembly.report(entry, key,
                    concat("patchset ", quote(fix.patchset), " has no ",
                           fix.kind == FixKind::patch ? "patches or overrides" : "files"));
  }
}

void check_issues(Assembly& assembly) {
  const std::map<std::string, std::string> boards = board_names(assembly);
  std::map<std::string, std::string> issue_of_fix;
  for (const auto& [id, issue] : assembly.catalog.issues) {
    const std::string entry = issue_entry(id);
    check_condition(issue.when, boards, entry, "when", assembly);
    for (std::size_t i = 0; i < issue.fixes.size(); ++i) {
      const Fix& fix = issue.fixes[i];
      const std::string key = concat("fixes[", i, ']');
      check_condition(fix.when, boards, entry, key + ".when", assembly);
      check_fix_patchset(fix, entry, key + ".patchset", assembly);
      const auto [known, is_new] = issue_of_fix.emplace(fix.id, id);
      if (!is_new && !fix.id.empty()) {
        assembly.report(entry, key + ".id",
                        concat(quote(fix.id), " is also a fix of the issue ", quote(known->second)));
      }
    }
  }
}

}  // namespace

void check_references(Assembly& assembly) {
  check_issues(assembly);
  check_order(assembly);
  check_added_files(assembly);
}

}  // namespace torchpatch::catalog
