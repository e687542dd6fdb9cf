// SPDX-License-Identifier: BSD-3-Clause
#include "emit/check/heat_map.h"

#include <set>

#include "support/text.h"

namespace torchpatch::emit {

namespace {

/// What is known of one release and board.
struct Tally {
  std::set<std::string> images;
  std::map<CellStatus, std::set<std::string>> issues;  ///< of all images
};

SquareKind kind_of(const Tally& tally) {
  const auto has = [&](CellStatus status) { return tally.issues.contains(status); };
  if (tally.images.empty()) return SquareKind::no_image;
  if (has(CellStatus::broken)) return SquareKind::broken;
  if (has(CellStatus::uncertified)) return SquareKind::uncertified;
  if (has(CellStatus::undecided)) return SquareKind::undecided;
  return has(CellStatus::applied) || has(CellStatus::files) ? SquareKind::patched : SquareKind::plain;
}

std::size_t count_issues(const Tally& tally, SquareKind kind) {
  const auto count = [&](CellStatus status) {
    const auto found = tally.issues.find(status);
    return found == tally.issues.end() ? 0 : found->second.size();
  };
  switch (kind) {
    case SquareKind::broken:
      return count(CellStatus::broken);
    case SquareKind::uncertified:
      return count(CellStatus::uncertified);
    case SquareKind::undecided:
      return count(CellStatus::undecided);
    case SquareKind::patched:
      return count(CellStatus::applied) + count(CellStatus::files);
    case SquareKind::plain:
    case SquareKind::no_image:
      return 0;
  }
  return 0;
}

std::string title_of(const Tally& tally, const std::string& release, const std::string& board) {
  const std::string who = concat(release, " on ", board, ": ");
  if (tally.images.empty()) return who + "no image of the board fits the release";
  std::vector<std::string> parts;
  for (const auto& [status, issues] : tally.issues) {
    parts.push_back(concat(issues.size(), " ", cell_status_name(status)));
  }
  return concat(who, tally.images.size(), tally.images.size() == 1 ? " image" : " images", parts.empty() ? "" : ", ",
                join(parts, ", "));
}

}  // namespace

const std::vector<SquareKind>& square_kinds() {
  static const std::vector<SquareKind> kinds = {SquareKind::broken,  SquareKind::uncertified, SquareKind::undecided,
                                                SquareKind::patched, SquareKind::plain,       SquareKind::no_image};
  return kinds;
}

const char* square_class(SquareKind kind) {
  switch (kind) {
    case SquareKind::broken:
      return "broken";
    case SquareKind::uncertified:
      return "uncertified";
    case SquareKind::undecided:
      return "undecided";
    case SquareKind::patched:
      return "patched";
    case SquareKind::plain:
      return "plain";
    case SquareKind::no_image:
      return "no-image";
  }
  return "";
}

SquareMeaning square_meaning(SquareKind kind) {
  switch (kind) {
    case SquareKind::broken:
      return {"x1", "issues whose patch is broken"};
    case SquareKind::uncertified:
      return {"u1", "issues whose patch has no certificate"};
    case SquareKind::undecided:
      return {"?1", "issues that are undecided"};
    case SquareKind::patched:
      return {"1", "issues answered by patches or added files"};
    case SquareKind::plain:
      return {"0", "no change of the tree is needed"};
    case SquareKind::no_image:
      return {"-", "no image of the board fits the release"};
  }
  return {};
}

std::string Square::label() const {
  switch (kind) {
    case SquareKind::broken:
      return concat("x", issues);
    case SquareKind::uncertified:
      return concat("u", issues);
    case SquareKind::undecided:
      return concat("?", issues);
    case SquareKind::patched:
    case SquareKind::plain:
      return concat(issues);
    case SquareKind::no_image:
      return "-";
  }
  return "";
}

HeatMap make_heat_map(const CheckReport& report) {
  std::map<std::pair<std::string, std::string>, Tally> tallies;
  for (const CheckCell& cell : report.cells) {
    Tally& tally = tallies[{cell.release, cell.board}];
    tally.images.insert(cell.image);
    tally.issues[cell.status].insert(cell.issue);
  }
  HeatMap map;
  for (const std::string& release : report.releases) {
    std::vector<Square>& row = map.emplace_back();
    for (const std::string& board : report.boards) {
      const Tally& tally = tallies[{release, board}];
      const SquareKind kind = kind_of(tally);
      row.push_back({kind, count_issues(tally, kind), title_of(tally, release, board)});
    }
  }
  return map;
}

}  // namespace torchpatch::emit
