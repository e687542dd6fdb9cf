// SPDX-License-Identifier: BSD-3-Clause
#include "emit/site/answer_table.h"

#include <algorithm>
#include <set>

#include "emit/site/site_words.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Answers = std::vector<int>;  ///< of one image, by release

struct Row {
  std::vector<std::size_t> targets;
  Answers answers;
};

class TableMaker {
 public:
  TableMaker(const SiteData& data, const std::string& issue) : data_(data), matrix_(data.matrix.at(issue)) {}
  Table make();

 private:
  bool applies(int answer) const {
    return answer != SiteData::kNoFit &&
           data_.answers[static_cast<std::size_t>(answer)].status != IssueStatus::not_affected;
  }
  bool can_share(const Answers& row, const Answers& more) const;
  std::vector<Row> make_rows() const;
  std::vector<std::pair<std::size_t, std::size_t>> make_columns(const std::vector<Row>& rows) const;
  bool has_same_column(const std::vector<Row>& rows, std::size_t a, std::size_t b) const;
  Cell cell_of(int answer) const;

  const SiteData& data_;
  const std::vector<Answers>& matrix_;
};

/// True where the two never differ, releases that do not go with one of them apart, and have an answer in common.
bool TableMaker::can_share(const Answers& row, const Answers& more) const {
  bool has_common = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == SiteData::kNoFit || more[i] == SiteData::kNoFit) continue;
    if (row[i] != more[i]) return false;
    has_common = has_common || applies(row[i]);
  }
  return has_common;
}

std::vector<Row> TableMaker::make_rows() const {
  std::vector<Row> rows;
  for (std::size_t target = 0; target < matrix_.size(); ++target) {
    const Answers& answers = matrix_[target];
    if (std::none_of(answers.begin(), answers.end(), [&](int answer) { return applies(answer); })) continue;
    const auto same =
        std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return can_share(row.answers, answers); });
    if (same == rows.end()) {
      rows.push_back({{target}, answers});
      continue;
    }
    same->targets.push_back(target);
    for (std::size_t i = 0; i < answers.size(); ++i) same->answers[i] = std::max(same->answers[i], answers[i]);
  }
  return rows;
}

bool TableMaker::has_same_column(const std::vector<Row>& rows, std::size_t a, std::size_t b) const {
  return std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
    const bool is_same = row.answers[a] == row.answers[b];
    return is_same || (!applies(row.answers[a]) && !applies(row.answers[b]));
  });
}

/// First and last release of each column.
std::vector<std::pair<std::size_t, std::size_t>> TableMaker::make_columns(const std::vector<Row>& rows) const {
  std::vector<std::pair<std::size_t, std::size_t>> columns;
  for (std::size_t release = 0; release < data_.releases.size(); ++release) {
    if (!columns.empty() && has_same_column(rows, columns.back().first, release)) {
      columns.back().second = release;
    } else {
      columns.emplace_back(release, release);
    }
  }
  return columns;
}

Cell TableMaker::cell_of(int answer) const {
  if (!applies(answer)) return cell({text("–")}, Tone::soft);
  const Answer& what = data_.answers[static_cast<std::size_t>(answer)];
  return cell({text(answer_words(what))}, answer_tone(what));
}

Table TableMaker::make() {
  const std::vector<Row> rows = make_rows();
  const auto columns = make_columns(rows);
  Table table{"What applies where", {"Boards"}, {}};
  if (rows.empty()) return table;
  for (const auto& [first, last] : columns) table.heads.push_back(release_run(data_, first, last));
  for (const Row& row : rows) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells.push_back(cell(target_words(data_, row.targets)));
    for (const auto& [first, last] : columns) cells.push_back(cell_of(row.answers[first]));
  }
  return table;
}

}  // namespace

Table answer_table(const SiteData& data, const std::string& issue) { return TableMaker(data, issue).make(); }

Line target_words(const SiteData& data, const std::vector<std::size_t>& targets) {
  std::vector<Line> boards;
  for (std::size_t i = 0; i < targets.size();) {
    const Board& board = *data.targets[targets[i]].board;
    std::vector<std::string> images;
    for (; i < targets.size() && data.targets[targets[i]].board == &board; ++i) {
      images.push_back(data.targets[targets[i]].image->id);
    }
    Line line = {board_link(board.id)};
    if (images.size() < board.images.size()) line.push_back(text(concat(" (", join(images, ", "), ")")));
    boards.push_back(std::move(line));
  }
  if (boards.size() == data.catalog->boards.size() && targets.size() == data.targets.size()) {
    return {text("every board and image")};
  }
  return joined(boards, ", ");
}

}  // namespace torchpatch::emit
