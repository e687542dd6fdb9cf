// SPDX-License-Identifier: BSD-3-Clause
#include "report/site/site_pages.h"

#include <algorithm>
#include <set>

#include "support/text.h"

namespace torchpatch::report {

namespace {

Line change(const IssueDecision& decision) {
  return {issue_id_link(decision.issue), text(concat(" (", answer_words(decision), ")"))};
}

using Answers = std::vector<int>;  ///< of one image, by release

struct Row {
  std::vector<std::size_t> targets;
  Answers answers;
};

class TableMaker {
 public:
  TableMaker(const SiteData& data, const std::string& issue) : data_(data), matrix_(data.matrix.at(issue)) {}

  Table make() {
    const std::vector<Row> rows = make_rows();
    const auto columns = make_columns(rows);
    Table table{"What applies to which board", {"Boards"}, {}};
    if (rows.empty()) return table;
    for (const auto& [first, last] : columns) table.heads.push_back(release_run(data_.releases, first, last));
    for (const Row& row : rows) {
      std::vector<Cell>& cells = table.rows.emplace_back();
      cells.push_back(cell(target_words(data_, row.targets)));
      for (const auto& [first, last] : columns) cells.push_back(cell_of(row.answers[first]));
    }
    return table;
  }

 private:
  bool applies(int answer) const {
    return answer != SiteData::kNoFit &&
           data_.answers[static_cast<std::size_t>(answer)].status != IssueStatus::not_affected;
  }

  /// Returns whether the two never differ, except for releases that only one supports, and share an answer.
  bool can_share(const Answers& row, const Answers& more) const {
    bool has_common = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] == SiteData::kNoFit || more[i] == SiteData::kNoFit) continue;
      if (row[i] != more[i]) return false;
      has_common = has_common || applies(row[i]);
    }
    return has_common;
  }

  std::vector<Row> make_rows() const {
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

  /// Returns the first and last release of each column.
  std::vector<std::pair<std::size_t, std::size_t>> make_columns(const std::vector<Row>& rows) const {
    std::vector<std::pair<std::size_t, std::size_t>> columns;
    for (std::size_t release = 0; release < data_.releases.size(); ++release)
      if (!columns.empty() && has_same_column(rows, columns.back().first, release))
        columns.back().second = release;
      else
        columns.emplace_back(release, release);
    return columns;
  }

  bool has_same_column(const std::vector<Row>& rows, std::size_t a, std::size_t b) const {
    return std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
      const bool is_same = row.answers[a] == row.answers[b];
      return is_same || (!applies(row.answers[a]) && !applies(row.answers[b]));
    });
  }

  Cell cell_of(int answer) const {
    if (!applies(answer)) return cell({text("–")}, Tone::soft);
    const IssueDecision& what = data_.answers[static_cast<std::size_t>(answer)];
    return cell({text(answer_words(what))}, answer_tone(what));
  }

  const SiteData& data_;
  const std::vector<Answers>& matrix_;
};

}  // namespace

bool changes_tree(const IssueDecision& decision) {
  return decision.status == IssueStatus::applied &&
         (decision.kind == FixKind::patch || decision.kind == FixKind::files);
}

std::string vendor_words(const Board& board) { return board.vendor.empty() ? "Other" : board.vendor; }

std::string evidence_words(const BuildEvidence& evidence) {
  return concat(level_words(evidence.level), ", ", evidence.date,
                evidence.note.empty() ? "" : concat(" (", evidence.note, ")"));
}

Releases releases_of(const Catalog& catalog) {
  Releases releases;
  for (const auto& [version, release] : catalog.releases) releases.push_back(&release);
  return releases;
}

std::string release_run(const Releases& releases, std::size_t first, std::size_t last) {
  const std::string& from = releases[first]->version.text();
  const std::string& to = releases[last]->version.text();
  return first == last ? from : concat(from, first + 1 == last ? ", " : " to ", to);
}

std::string release_runs(const Releases& releases, const std::vector<bool>& chosen) {
  if (std::find(chosen.begin(), chosen.end(), false) == chosen.end()) return "every release";
  std::vector<std::string> runs;
  for (std::size_t first = 0; first < chosen.size(); ++first) {
    if (!chosen[first]) continue;
    std::size_t last = first;
    while (last + 1 < chosen.size() && chosen[last + 1]) ++last;
    runs.push_back(release_run(releases, first, last));
    first = last;
  }
  return join(runs, ", ");
}

std::string answer_words(const IssueDecision& answer) {
  static constexpr const char* kStatuses[] = {"", "not affected", "undecided", "optional", "no certificate"};
  static constexpr const char* kKinds[] = {"patch", "environment", "files", "build step", "advice"};
  if (answer.status != IssueStatus::applied) return entry_of(kStatuses, answer.status);
  const std::string words = entry_of(kKinds, answer.kind);
  const bool has_variant = answer.kind == FixKind::patch || answer.kind == FixKind::files;
  return has_variant && !answer.variant.empty() ? concat(words, " ", answer.variant) : words;
}

Tone answer_tone(const IssueDecision& answer) {
  static constexpr Tone kTones[] = {Tone::good, Tone::soft, Tone::bad, Tone::caution, Tone::bad};
  const bool is_advice = answer.status == IssueStatus::applied && answer.kind == FixKind::advice;
  return is_advice ? Tone::caution : entry_of(kTones, answer.status);
}

const std::vector<Severity>& severities() {
  static const std::vector<Severity> list = {
      {"silent-wrong-results", "silent wrong results", "Silent wrong results", Tone::bad},
      {"build-failure", "build failure", "Build failures", Tone::bad},
      {"runtime-failure", "runtime failure", "Runtime failures", Tone::bad},
      {"limitation", "limitation", "Limitations", Tone::caution}};
  return list;
}

std::size_t severity_rank(const Issue& issue) {
  const auto found = std::ranges::find(severities(), issue.severity, &Severity::id);
  return static_cast<std::size_t>(found - severities().begin());
}

std::vector<const Issue*> issues_by_severity(const Catalog& catalog) {
  std::vector<const Issue*> issues;
  for (const auto& [id, issue] : catalog.issues) issues.push_back(&issue);
  std::ranges::sort(issues, {},
                    [](const Issue* issue) { return std::make_pair(severity_rank(*issue), lower_case(issue->title)); });
  return issues;
}

Inline severity_tag(const Issue& issue) {
  const std::size_t rank = severity_rank(issue);
  if (rank == severities().size()) return tag(issue.severity, Tone::none);
  return tag(severities()[rank].words, severities()[rank].tone);
}

Inline issue_link(const Issue& issue) { return link_to({PageKind::issue, issue.id}, issue.title); }
Inline issue_id_link(const std::string& id) { return link_to({PageKind::issue, id}, id); }
Inline board_link(const std::string& id) { return link_to({PageKind::board, id}, id); }
Inline board_link(const Board& board) { return link_to({PageKind::board, board.id}, board.title); }
Inline release_link(const std::string& version) { return link_to({PageKind::release, version}, version); }
Inline patchset_link(const std::string& id) { return link_to({PageKind::patchset, id}, id); }

Line settings_line(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::vector<Line> lines;
  for (const auto& [name, value] : settings) lines.push_back({code(concat(name, "=", shell_quote(value)))});
  return joined(lines, ", ");
}

Cell cell(std::string words) { return {{text(std::move(words))}, Tone::none}; }
Cell cell(Line line, Tone tone) { return {std::move(line), tone}; }

std::vector<Line> tree_changes(const Plan& plan) {
  std::vector<Line> changes;
  for (const IssueDecision& decision : plan.issues)
    if (changes_tree(decision)) changes.push_back(change(decision));
  return changes;
}

Line settings_for(const Plan& plan, const std::string& issue) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const PlannedSetting& setting : plan.environment)
    if (is_exported(setting) && std::ranges::count(origins_of(setting), "issue " + issue) > 0)
      settings.emplace_back(setting.name, setting.value);
  return settings_line(settings);
}

const Plan* plan_for(const SiteData& data, const Release& release, const std::string& board) {
  const auto found = data.plans.find({release.version, board});
  return found == data.plans.end() ? nullptr : &found->second;
}

bool fits(const SiteData& data, const Pick& pick) {
  return !data.matrix.empty() && data.matrix.begin()->second.at(pick.target).at(pick.release) != SiteData::kNoFit;
}

bool is_ready(const SiteData& data, const Pick& pick) {
  if (!fits(data, pick) || data.releases[pick.release]->version.is_pre_release()) return false;
  return std::ranges::none_of(data.matrix, [&](const auto& each) {
    const auto answer = static_cast<std::size_t>(each.second[pick.target][pick.release]);
    return data.answers[answer].status == IssueStatus::uncertified;
  });
}

bool is_default(const SiteData& data, const Pick& pick) {
  const Machine& target = data.targets[pick.target];
  const Plan* plan = plan_for(data, *data.releases[pick.release], target.board->id);
  return plan && plan->image->id == target.image->id;
}

std::string prepare_command(const SiteData& data, const Pick& pick, const std::string& more) {
  const Machine& target = data.targets[pick.target];
  return concat("torchpatch prepare --version ", data.releases[pick.release]->version.text(), " --board ",
                target.board->id, is_default(data, pick) ? "" : " --image " + target.image->id, more, " --output out");
}

std::string misfit_words(const SiteData& data, const Release& release, const std::string& board) {
  const std::string name = concat("release ", release.version.text(), " ");
  std::string words = join(data.misfits.at({release.version, board}), "; ");
  for (std::size_t at = 0; (at = words.find(name, at)) != std::string::npos;)
    words.replace(at, name.size(), "the release ");
  return words;
}

Table answer_table(const SiteData& data, const std::string& issue) { return TableMaker(data, issue).make(); }

Line target_words(const SiteData& data, const std::vector<std::size_t>& targets) {
  std::vector<Line> boards;
  for (std::size_t i = 0; i < targets.size();) {
    const Board& board = *data.targets[targets[i]].board;
    std::vector<std::string> images;
    for (; i < targets.size() && data.targets[targets[i]].board == &board; ++i)
      images.push_back(data.targets[targets[i]].image->id);
    Line line = {board_link(board.id)};
    if (images.size() < board.images.size()) line.push_back(text(concat(" (", join(images, ", "), ")")));
    boards.push_back(std::move(line));
  }
  if (boards.size() == data.catalog->boards.size() && targets.size() == data.targets.size())
    return {text("every board and image")};
  return joined(boards, ", ");
}

}  // namespace torchpatch::report
