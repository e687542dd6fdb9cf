// SPDX-License-Identifier: BSD-3-Clause
#include "report/reports.h"

#include <algorithm>
#include <map>
#include <optional>

#include "document/html.h"
#include "record/matrix/matrix_files.h"
#include "report/words.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

const char* state_text(PairState state) { return state == PairState::left_out ? "left out" : name_of(state); }

Tone pair_tone(PairState state) {
  static constexpr Tone kTones[] = {Tone::soft, Tone::soft, Tone::caution, Tone::bad, Tone::good};
  return entry_of(kTones, state);
}

/// What needs a look comes first.
int gravity_of(PairState state) {
  constexpr PairState kOrder[] = {PairState::failed, PairState::running, PairState::waiting, PairState::done,
                                  PairState::left_out};
  return static_cast<int>(std::ranges::find(kOrder, state) - kOrder);
}

std::vector<std::string> distinct(const MatrixStatus& status, const std::string PairStatus::*member) {
  std::vector<std::string> names;
  for (const PairStatus& pair : status.pairs)
    if (std::ranges::count(names, pair.*member) == 0) names.push_back(pair.*member);
  return names;
}

std::string counts_text(const MatrixStatus& status) {
  std::map<int, std::pair<PairState, std::size_t>> counts;
  for (const PairStatus& pair : status.pairs) {
    auto& [state, count] = counts[gravity_of(pair.state)];
    state = pair.state;
    ++count;
  }
  std::vector<std::string> parts;
  for (const auto& [order, each] : counts) parts.push_back(concat(each.second, " ", state_text(each.first)));
  return concat(counted(status.pairs.size(), "pair"), ": ", join(parts, ", "));
}

/// Returns "2026-11-27 18:05 UTC".
std::string utc_text(std::int64_t time) {
  const auto two = [](std::int64_t number) { return concat(number < 10 ? "0" : "", number); };
  return concat(day_text(time), " ", two(time / 3600 % 24), ":", two(time / 60 % 60), " UTC");
}

/// Returns how long a pair has run, or ran; nothing if that is unknown.
std::string time_words(const PairStatus& pair, std::int64_t now) {
  if (!pair.time || pair.state == PairState::waiting) return {};
  const std::int64_t end = pair.state == PairState::running ? now : *pair.time;
  const std::int64_t begin = pair.started.value_or(*pair.time);
  const auto seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(end - begin, 0));
  if (seconds == 0) return {};
  return seconds < 60 ? concat(seconds, " s") : minutes_text((seconds + 30) / 60);
}

/// Releases × boards; of several images each has its line, and in a page its time another one.
Table grid(const MatrixStatus& status, bool is_page) {
  Table table{"Releases and boards", {"release"}, {}};
  const std::vector<std::string> boards = distinct(status, &PairStatus::board);
  table.heads.insert(table.heads.end(), boards.begin(), boards.end());
  for (const std::string& release : distinct(status, &PairStatus::release)) {
    std::vector<Cell> row = {{{text(release)}}};
    for (const std::string& board : boards) {
      std::vector<const PairStatus*> pairs;
      for (const PairStatus& pair : status.pairs)
        if (pair.release == release && pair.board == board) pairs.push_back(&pair);
      std::ranges::stable_sort(pairs, {}, [](const PairStatus* pair) { return gravity_of(pair->state); });
      std::vector<Line> lines;
      for (const PairStatus* pair : pairs) {
        const bool is_on_its_way = pair->state == PairState::running || pair->state == PairState::failed;
        const std::string where = is_on_its_way && pair->stage ? concat(", ", name_of(*pair->stage)) : "";
        const std::string time = time_words(*pair, status.time);
        const bool is_behind = !is_page && !time.empty();
        lines.push_back({text(concat(state_text(pair->state), where, is_behind ? ", " + time : ""))});
        if (is_page && !time.empty()) lines.push_back({text(time)});
      }
      row.push_back({stacked(lines), pairs.empty() ? Tone::none : pair_tone(pairs.front()->state)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Returns "1.8.1 on rpi4 (debian-11)".
template <typename Pair>
std::string pair_name(const Pair& pair) {
  if (pair.board.empty()) return pair.release;  // the job that fetches the sources
  return concat(pair.release, " on ", pair.board, pair.image.empty() ? "" : concat(" (", pair.image, ")"));
}

/// A file of the results: in a page a link, by the way from the page to them.
Inline file_piece(const std::string& path, const std::optional<std::string>& way) {
  if (!way) return code(printable(path));
  return {.kind = Inline::Kind::web, .text = base_name(path), .address = concat("./", uri_of(*way + path))};
}

/// "1.8.1 on rpi4 (debian-11), 12 min, at build: …; log …"
Items pair_lines(const MatrixStatus& status, PairState state, const std::optional<std::string>& way) {
  std::vector<PairStatus> pairs = status.pairs;
  if (state != PairState::done) pairs.insert(pairs.begin(), status.sources);
  Items items;
  for (const PairStatus& pair : pairs) {
    if (pair.state != state) continue;
    Line line = {text(pair_name(pair))};
    const std::string time = time_words(pair, status.time);
    if (!time.empty()) line.push_back(text(", " + time));
    if (pair.stage && state != PairState::done)
      line.push_back(text(concat(time.empty() ? " at " : ", at ", name_of(*pair.stage))));
    if (!pair.reason.empty()) line.push_back(text(": " + visible(pair.reason)));
    std::vector<std::string> files = pair.wheels;
    if (!pair.log.empty()) files.push_back(pair.log);
    for (const std::string& file : files) line.insert(line.end(), {text("; "), file_piece(file, way)});
    items.items.push_back(std::move(line));
  }
  return items;
}

std::vector<Block> blocks_of(const MatrixStatus& status, const std::optional<std::string>& way = {}) {
  std::vector<Block> blocks = {Paragraph{{text(counts_text(status))}}};
  if (!status.pairs.empty()) blocks.push_back(grid(status, way.has_value()));
  add_section(blocks, "Failed", {pair_lines(status, PairState::failed, way)});
  add_section(blocks, "Running", {pair_lines(status, PairState::running, way)});
  add_section(blocks, "Done", {pair_lines(status, PairState::done, way)});
  add_section(blocks, "Left out", {pair_lines(status, PairState::left_out, way)});
  return blocks;
}

}  // namespace

Document matrix_status_document(const MatrixStatus& status) {
  Document page;
  page.blocks = blocks_of(status);
  return page;
}

std::string matrix_status_html(const MatrixStatus& status, const std::string& way) {
  const bool is_reloaded = std::ranges::any_of(status.pairs, is_open);
  const std::string note = is_reloaded ? "; this page reloads itself every 30 seconds" : "";
  return html_page({.title = "torchpatch matrix",
                    .description = "The result of each release and board.",
                    .home = {"torchpatch", "", false},
                    .main = concat("<h1>Builds for many boards</h1>\n<p class=\"soft\">As of ", utc_text(status.time),
                                   note, ".</p>\n", blocks_html(blocks_of(status, way))),
                    .style = page_style("td { white-space: nowrap; }\n"),
                    .script = is_reloaded ? "setTimeout(() => location.reload(), 30000);\n" : ""});
}

Document matrix_document(const Matrix& matrix, const std::string& output) {
  Document page;
  page.blocks.push_back(Paragraph{{text(concat(counted(matrix.pairs.size(), "pair"), " for ", name_of(matrix.engine),
                                               " in ", printable(output), "; see its README.md"))}});
  Items left_out;
  for (const LeftOutPair& pair : matrix.left_out)
    left_out.items.push_back({text(concat(pair_name(pair), ": ", visible(pair.reason)))});
  add_section(page.blocks, "Left out", {left_out});
  return page;
}

Json matrix_json(const Matrix& matrix, const std::string& output) {
  Json json = record::matrix_record(matrix);
  json["output"] = output;
  return json;
}

Document recipe_document(const RecipeReport& report) {
  const std::string files = counted(report.files, "file");
  if (report.is_written) {
    return {.title = concat("wrote ", files, " to ", shell_quote(report.directory)),
            .blocks = {Terms{{{"next", said(concat("read ", shell_quote(report.directory + "/README.md")))}}}}};
  }
  Items different;
  for (const std::string& name : report.different) different.items.push_back(said("differs: " + quote(name)));
  return {.title = concat(quote(report.directory), ": ", files, ", differences: ", report.different.size()),
          .blocks = {different}};
}

}  // namespace torchpatch::report
