// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/docs/docs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "plan/make_plan.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "tree/scan.h"

namespace torchpatch::upkeep {

namespace {

/// Plans a release and board as prepare does.
void plan_pair(const Release& release, const Board& board, SiteData& data) {
  const auto pair = std::make_pair(release.version, board.id);
  try {
    Plan plan = plan::make_plan(*data.catalog, release.version.text(), board.id, "", {});
    std::erase_if(plan.issues, [](const IssueDecision& each) { return each.status == IssueStatus::not_affected; });
    data.plans.emplace(pair, std::move(plan));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    std::vector<std::string> reasons;  // one per image: the message without its first line
    for (const std::string& line : split(error.message(), '\n')) reasons.emplace_back(trim(line));
    if (reasons.size() > 1) reasons.erase(reasons.begin());
    data.misfits.emplace(pair, std::move(reasons));
  }
}

const tree::OutputRecord kDocsRecord = {".torchpatch-docs", "documentation by torchpatch",
                                        "it contains files that are not documentation written by torchpatch"};

/// Returns a line of the record: a page's digest and name.
std::string record_line(std::string_view bytes, const std::string& name) {
  return concat(sha256(bytes).hex(), "  ", name);
}

/// Refuses to replace a directory with added files (a checkout's .git, a CNAME) or modified pages, which would be lost.
void require_own_files(const std::string& output) {
  std::set<std::string> own, directories;
  for (std::string& line : split(read_file(output + "/" + kDocsRecord.path), '\n')) {
    for (std::string above = parent_path(line.substr(std::min(line.find("  ") + 2, line.size())));
         above != "." && above != "/"; above = parent_path(above))
      directories.insert(above);
    own.insert(std::move(line));
  }
  for (const tree::ScannedEntry& entry : tree::list_tree(output)) {
    const bool is_page = entry.type == tree::EntryType::regular &&
                         (entry.path == kDocsRecord.path ||
                          own.contains(record_line(read_file(concat(output, "/", entry.path)), entry.path)));
    const bool is_own = entry.type == tree::EntryType::directory ? directories.contains(entry.path) : is_page;
    if (is_own) continue;
    throw Error(ErrorKind::environment,
                concat("replacing ", quote(output), ": torchpatch did not write ", quote(entry.path), " in it"),
                "move it away, or write to another directory and copy from there");
  }
}

void write_file(const std::string& root, const record::GeneratedFile& file) {
  const std::string path = root + "/" + file.name;
  make_directories(parent_path(path));
  write_file_atomically(path, file.bytes);
}

}  // namespace

SiteData make_site_data(const Catalog& catalog) {
  SiteData data;
  data.catalog = &catalog;
  for (const auto& [version, release] : catalog.releases) data.releases.push_back(&release);
  for (const auto& [id, board] : catalog.boards)
    for (const Image& image : board.images) data.targets.push_back({&board, &image});
  const std::vector<int> none(data.releases.size(), SiteData::kNoFit);
  for (const auto& [id, issue] : catalog.issues) data.matrix[id].assign(data.targets.size(), none);
  std::map<IssueDecision, int> numbers;  // in order of occurrence
  for (std::size_t target = 0; target < data.targets.size(); ++target) {
    const auto& [board, image] = data.targets[target];
    for (std::size_t release = 0; release < data.releases.size(); ++release) {
      const std::optional<Plan> plan = plan::plan_if_fits(catalog, *data.releases[release], *board, *image);
      if (!plan) continue;
      for (const IssueDecision& decision : plan->issues) {
        const IssueDecision answer = answer_of(decision);
        const auto [number, is_new] = numbers.try_emplace(answer, static_cast<int>(numbers.size()));
        if (is_new) data.answers.push_back(answer);
        data.matrix.at(decision.issue)[target][release] = number->second;
      }
    }
  }
  for (const Release* release : data.releases)
    for (const auto& [id, board] : catalog.boards) plan_pair(*release, board, data);
  return data;
}

WrittenDocs write_docs(const std::vector<record::GeneratedFile>& files, const std::string& output,
                       tree::IfExists if_exists, Console& console) {
  WrittenDocs written;
  written.output = tree::output_path(output);
  tree::Staging staging(written.output, if_exists, console, kDocsRecord);
  if (tree::output_state(written.output, kDocsRecord) == tree::OutputState::prepared) require_own_files(written.output);
  std::string record;
  for (const record::GeneratedFile& file : files) {
    write_file(staging.path(), file);
    record += record_line(file.bytes, file.name) + "\n";
    ++written.files;
    written.bytes += file.bytes.size();
  }
  write_file(staging.path(), {kDocsRecord.path, record});
  staging.commit(false);
  return written;
}

}  // namespace torchpatch::upkeep
