// SPDX-License-Identifier: BSD-3-Clause
#include "report/site/site_pages.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "support/text.h"

namespace torchpatch::report {

namespace {

/// Returns a symptom from its first letter or digit, in lower case, as readers look it up.
std::string sort_key(const std::string& symptom) {
  const std::string lower = lower_case(symptom);
  const auto first =
      std::find_if(lower.begin(), lower.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
  return std::string(first, lower.end());
}

std::string initial(const std::string& key) {
  if (key.empty() || key[0] < 'a') return "0 to 9 and signs";
  return std::string(1, static_cast<char>(key[0] - 'a' + 'A'));
}

/// Returns the issues by symptom: by key, then by text.
std::map<std::pair<std::string, std::string>, std::vector<Line>> collect_symptoms(const Catalog& catalog) {
  std::map<std::pair<std::string, std::string>, std::vector<Line>> symptoms;
  for (const auto& [id, issue] : catalog.issues)
    for (const std::string& words : issue.symptoms) symptoms[{sort_key(words), words}].push_back({issue_link(issue)});
  return symptoms;
}

std::vector<bool> planned_releases(const SiteData& data, const Board& board) {
  std::vector<bool> planned;
  for (const Release* release : data.releases) planned.push_back(plan_for(data, *release, board.id) != nullptr);
  return planned;
}

std::string gpu_words(const Board& board) {
  if (!board.gpu) return "none";
  const auto& registers = board.gpu->registers_per_block;
  return concat("compute capability ", board.gpu->compute_capability.text(),
                registers ? concat(", ", *registers, " registers per block") : "");
}

std::string memory_words(const Board& board) {
  return board.memory_mib % 1024 == 0 ? concat(board.memory_mib / 1024, " GiB") : concat(board.memory_mib, " MiB");
}

/// Returns "6 cores, cortex-a57": the core in its flags, or the architecture.
std::string core_words(const Board& board) {
  const std::string& flags = board.cpu_flags;
  const std::size_t name = flags.find('=') + 1;  // of -mcpu or -march; 0 if neither
  return concat(board.cores ? counted(static_cast<std::uint64_t>(*board.cores), "core") + ", " : "",
                name == 0 ? board.arch : flags.substr(name, flags.find(' ', name) - name));
}

Terms board_facts(const SiteData& data, const Board& board) {
  const std::vector<bool> planned = planned_releases(data, board);
  const bool is_any = std::find(planned.begin(), planned.end(), true) != planned.end();
  return {{{"Releases", said(is_any ? release_runs(data.releases, planned) : "none of the catalog")},
           {"CPU", {text(board.arch + ", "), code(board.cpu_flags)}},
           {"GPU", said(gpu_words(board))},
           {"Cores", said(board.cores ? concat(*board.cores) : "")},
           {"Memory", said(memory_words(board))},
           {"Has", said(join(board.has, ", "))},
           {"Lacks", said(join(board.lacks, ", "))},
           {"Build environment", settings_line(board.environment)},
           {"Name", {code(board.id)}},
           {"Also called", said(join(board.aliases, ", "))}}};
}

/// Returns the newest release that prepare accepts for an image; nothing if there is none.
std::optional<Pick> newest_for(const SiteData& data, std::size_t target) {
  for (std::size_t release = data.releases.size(); release-- > 0;)
    if (is_ready(data, {target, release})) return Pick{target, release};
  return std::nullopt;
}

/// Calls `use(target)` for each image of a board, newest first.
template <typename Use>
void each_image(const SiteData& data, const Board& board, Use use) {
  for (std::size_t target = data.targets.size(); target-- > 0;)
    if (data.targets[target].board == &board) use(target);
}

/// Returns the newest release for any image of a board, preferably for its default image.
std::optional<Pick> newest_of(const SiteData& data, const Board& board) {
  std::optional<Pick> newest;
  each_image(data, board, [&](std::size_t target) {
    const std::optional<Pick> each = newest_for(data, target);
    if (!each || (newest && each->release < newest->release)) return;
    if (!newest || each->release > newest->release || is_default(data, *each)) newest = each;
  });
  return newest;
}

std::vector<Block> commands(const SiteData& data, const Board& board) {
  const std::optional<Pick> newest = newest_of(data, board);
  if (!newest) return {};
  std::vector<Block> blocks = {
      Heading{2, "Prepare and build"},
      Paragraph{{text("On any machine with torchpatch; this is the newest release whose patches are all certified for "
                      "the board:")}},
      Literal{prepare_command(data, *newest) + "\n"},
      Paragraph{{text("Copy the tree to the board and run there (torchpatch itself is not needed):")}},
      Literal{"out/torchpatch/check.sh\nout/torchpatch/build.sh --install\n"}};
  if (board.build_steps.empty()) return blocks;
  blocks.push_back(Paragraph{{text("On this board the build script first runs:")}});
  blocks.push_back(Literal{join(board.build_steps, "\n") + "\n"});
  return blocks;
}

/// Returns every image with its releases, and the command for the newest of them.
Items image_commands(const SiteData& data, const Board& board) {
  Items items;
  each_image(data, board, [&](std::size_t target) {
    std::vector<bool> fitting;
    for (std::size_t i = 0; i < data.releases.size(); ++i) fitting.push_back(fits(data, {target, i}));
    const Image& image = *data.targets[target].image;
    const bool is_any = std::ranges::count(fitting, true) > 0;
    Line line = {strong(image.title), text(" "), code(image.id),
                 text(": " + (is_any ? release_runs(data.releases, fitting) : "no release of the catalog"))};
    if (const std::optional<Pick> newest = newest_for(data, target))
      line.insert(line.end(), {line_end(), code(prepare_command(data, *newest))});
    items.items.push_back(std::move(line));
  });
  return items;
}

/// How a plan handles an issue: "patch T2", `USE_NCCL=0`.
struct DoneFor {
  const Issue* issue;
  IssueDecision answer;
  Line settings;

  Line line(bool has_variant) const {
    IssueDecision named = answer;
    if (!has_variant) named.variant.clear();
    Line words = {tag(answer_words(named), answer_tone(named))};
    if (settings.empty()) return words;
    words.push_back(text(" · "));
    words.insert(words.end(), settings.begin(), settings.end());
    return words;
  }
  /// Returns a key for comparison.
  std::string key(bool has_variant) const {
    std::string words = issue->id;
    for (const Inline& part : line(has_variant)) words += "\n" + part.text;
    return words;
  }
};

/// Returns how a plan handles each issue, most severe first.
std::vector<DoneFor> done_for(const SiteData& data, const Plan& plan) {
  std::vector<DoneFor> list;
  for (const Issue* issue : issues_by_severity(*data.catalog)) {
    const auto found = std::ranges::find(plan.issues, issue->id, &IssueDecision::issue);
    if (found == plan.issues.end()) continue;
    list.push_back({issue, answer_of(*found), settings_for(plan, found->issue)});
  }
  return list;
}

/// Returns the keys common to every plan of the board, ignoring variants of patches.
std::set<std::string> common_keys(const SiteData& data, const Board& board) {
  std::map<std::string, std::size_t> counts;
  std::size_t plans = 0;
  for (const Release* release : data.releases) {
    const Plan* plan = plan_for(data, *release, board.id);
    if (!plan) continue;
    ++plans;
    for (const DoneFor& done : done_for(data, *plan)) ++counts[done.key(false)];
  }
  std::set<std::string> common;
  for (const auto& [key, count] : counts)
    if (count == plans) common.insert(key);
  return common;
}

Line board_issue_line(const DoneFor& done, bool has_variant, bool has_severity) {
  Line line = {issue_link(*done.issue), text(" · ")};
  if (has_severity) line.insert(line.end(), {severity_tag(*done.issue), text(" · ")});
  const Line words = done.line(has_variant);
  line.insert(line.end(), words.begin(), words.end());
  return line;
}

/// Lists once what applies to every release.
std::vector<Block> for_every_release(const SiteData& data, const Plan& plan, const std::set<std::string>& common) {
  std::vector<Block> blocks = {Heading{2, "Known issues of every release"}};
  for (const Severity& severity : severities()) {
    Items items;
    for (const DoneFor& done : done_for(data, plan))
      if (done.issue->severity == severity.id && common.contains(done.key(false)))
        items.items.push_back(board_issue_line(done, false, false));
    if (items.items.empty()) continue;
    blocks.push_back(Heading{3, severity.heading});
    blocks.push_back(std::move(items));
  }
  return blocks;
}

/// Consecutive releases with the same result.
struct Group {
  std::size_t first, last;
  const Plan* plan;
  Items rest;  ///< in addition to what every release gets
  std::string key;
};

Group make_group(const SiteData& data, std::size_t release, const Plan& plan, const std::set<std::string>& common) {
  Group group{release, release, &plan, {}, concat(plan.image->id, "\n", plan.python)};
  for (const DoneFor& done : done_for(data, plan)) {
    if (common.contains(done.key(false))) continue;
    group.rest.items.push_back(board_issue_line(done, true, true));
    group.key += "\n" + done.key(true);
  }
  return group;
}

std::vector<Group> make_groups(const SiteData& data, const Board& board, const std::set<std::string>& common) {
  std::vector<Group> groups;
  for (std::size_t release = 0; release < data.releases.size(); ++release) {
    const Plan* plan = plan_for(data, *data.releases[release], board.id);
    if (!plan) continue;
    Group group = make_group(data, release, *plan, common);
    if (!groups.empty() && groups.back().key == group.key && groups.back().last + 1 == release)
      groups.back().last = release;
    else
      groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<Block> known_issues(const SiteData& data, const Board& board) {
  const std::set<std::string> common = common_keys(data, board);
  std::vector<Group> groups = make_groups(data, board, common);
  if (groups.empty()) return {};
  std::reverse(groups.begin(), groups.end());
  std::vector<Block> blocks = for_every_release(data, *groups.front().plan, common);
  blocks.push_back(Heading{2, "Known issues by release"});
  blocks.push_back(
      Paragraph{{text("Newest first, for the default image of each release. Consecutive releases with the same issues "
                      "share an entry.")}});
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Group& group = groups[i];
    blocks.push_back(Heading{3, release_run(data.releases, group.first, group.last)});
    blocks.push_back(Paragraph{{text(concat(group.plan->image->title, ", Python ", group.plan->python))}});
    if (group.rest.items.empty()) continue;
    const std::string summary = counted(group.rest.items.size(), "issue");
    blocks.push_back(Fold{summary, {std::move(group.rest)}, i == 0});
  }
  return blocks;
}

/// Returns the reasons why releases do not match the board, with the releases of each.
std::vector<std::pair<std::string, std::vector<bool>>> misfits_of(const SiteData& data, const Board& board) {
  std::vector<std::pair<std::string, std::vector<bool>>> list;
  for (std::size_t i = 0; i < data.releases.size(); ++i) {
    if (!data.misfits.contains({data.releases[i]->version, board.id})) continue;
    const std::string all = misfit_words(data, *data.releases[i], board.id);
    auto place = std::find_if(list.begin(), list.end(), [&](const auto& each) { return each.first == all; });
    if (place == list.end()) place = list.insert(list.end(), {all, std::vector<bool>(data.releases.size())});
    place->second[i] = true;
  }
  return list;
}

std::vector<Block> misfits(const SiteData& data, const Board& board) {
  Items items;
  for (const auto& [reason, chosen] : misfits_of(data, board))
    items.items.push_back({strong(release_runs(data.releases, chosen)), text(": " + reason)});
  if (items.items.empty()) return {};
  std::vector<bool> misfit;
  for (const Release* release : data.releases) misfit.push_back(data.misfits.contains({release->version, board.id}));
  return {Heading{2, "Unsupported releases"}, Paragraph{{text(release_runs(data.releases, misfit) + ".")}},
          Fold{"Why, image by image", {std::move(items)}, false}};
}

/// Returns the boards by vendor, each with its distinguishing facts.
std::vector<Block> board_cards(const SiteData& data) {
  std::map<std::string, Items> vendors;
  for (const auto& [id, board] : data.catalog->boards) {
    const std::optional<Pick> newest = newest_of(data, board);
    const bool has_logic = std::ranges::count(board.has, "programmable-logic") > 0;
    Line card = {board_link(board),
                 line_end(),
                 text(concat(core_words(board), " · ", memory_words(board))),
                 line_end(),
                 text(board.gpu   ? concat("GPU: compute capability ", board.gpu->compute_capability.text())
                      : has_logic ? "programmable logic, no GPU"
                                  : "no GPU"),
                 line_end(),
                 text("newest release: ")};
    card.push_back(newest ? release_link(data.releases[newest->release]->version.text()) : text("none"));
    vendors[vendor_words(board)].items.push_back(std::move(card));
  }
  std::vector<Block> blocks;
  for (auto& [vendor, cards] : vendors) add_blocks(blocks, {Heading{3, vendor}, std::move(cards)});
  return blocks;
}

/// Returns entry points for readers with different goals.
std::vector<Block> ways_in(const SiteData& data) {
  std::vector<Block> blocks = {
      Heading{2, "I have an error"},
      Paragraph{{text("Use the "), link_to({PageKind::symptoms}, "symptoms from A to Z"),
                 text(", or search a log from the terminal:")}},
      Literal{"torchpatch diagnose build.log\n"}, Heading{2, "I want to build"},
      Paragraph{{text("Choose a board, or a "), link_to({PageKind::releases}, "release"), text("; see the "),
                 link_to({PageKind::coverage}, "coverage"), text(" of releases and boards.")}}};
  add_blocks(blocks, board_cards(data));
  add_blocks(blocks,
             {Heading{2, "I must review"},
              Paragraph{{text("Every "), link_to({PageKind::patchsets}, "patch"),
                         text(" with its certificates and proofs, or each changed line of a prepared tree with its "
                              "issue:")}},
              Literal{"torchpatch audit out --format html --output audit.html\n"}});
  return blocks;
}

Table image_table(const Board& board) {
  Table table{
      "Images of the board", {"Image", "System", "glibc", "gcc", "CMake", "CUDA", "cuDNN", "Python", "Chosen for"}, {}};
  for (const Image& image : board.images) {
    std::vector<std::string> ranges;
    for (const DefaultImage& choice : board.default_images)
      if (choice.image == image.id) ranges.push_back(choice.releases.text());
    const std::string system = image.arch && *image.arch != board.arch ? concat(image.os, ", ", *image.arch) : image.os;
    std::vector<Cell>& row = table.rows.emplace_back();
    row = {cell({text(image.title + " "), code(image.id)}), cell(system)};
    for (const auto& [name, version] : versions_of(image))
      row.push_back(cell(*version ? (*version)->text() : image.known_absent.contains(name) ? "none" : "unknown"));
    row.push_back(cell(join(collect(image.python, &Version::text), ", ")));
    row.push_back(cell(join(ranges, ", ")));
  }
  return table;
}

}  // namespace

Document index_document(const SiteData& data) {
  Document page{
      {PageKind::index},
      "Known issues of PyTorch on boards",
      "Paste an error from a PyTorch build on a Jetson, Raspberry Pi, Zynq or Arm server, and find the known issue."};
  add_blocks(page.blocks, ways_in(data));
  for (const Severity& severity : severities()) {
    Items items;
    for (const Issue* issue : issues_by_severity(*data.catalog))
      if (issue->severity == severity.id)
        items.items.push_back({issue_link(*issue), text(" "), code(issue->symptoms.front())});
    if (items.items.empty()) continue;
    page.blocks.push_back(Heading{2, severity.heading});
    page.blocks.push_back(std::move(items));
  }
  return page;
}

Document symptoms_document(const SiteData& data) {
  Document page{{PageKind::symptoms},
                "Symptoms from A to Z",
                "Every message of the known issues, sorted by first letter.",
                {Paragraph{{text("Messages as they appear in logs, sorted by first letter or digit.")}}}};
  std::string last;
  Items items;
  const auto flush = [&] {
    if (!items.items.empty()) page.blocks.push_back(std::move(items));
    items = {};
  };
  for (const auto& [key, issues] : collect_symptoms(*data.catalog)) {
    if (const std::string letter = initial(key.first); letter != last) {
      flush();
      page.blocks.push_back(Heading{2, letter});
      last = letter;
    }
    items.items.push_back(joined({{code(key.second), text(" ")}, joined(issues, " · ")}, ""));
  }
  flush();
  return page;
}

Document coverage_document(const SiteData& data) {
  Document page{{PageKind::coverage},
                "Coverage",
                "Releases and boards at a glance.",
                {Paragraph{{text(concat("What torchpatch does for ", data.releases.size(), " releases on ",
                                        data.catalog->boards.size(),
                                        " boards, for the default image of each: the number of issues that it fixes in "
                                        "the tree, by patches or added files. Marked are those that we ran, on any "
                                        "image; all others are planned."))}}}};
  Table runs{"Builds that we ran", {"Release", "Board", "Image", "Level", "Date", "Note", "Where"}, {}};
  for (const BuildEvidence& each : data.catalog->evidence)
    runs.rows.push_back({cell({release_link(each.release)}), cell({board_link(each.board)}), cell(each.image),
                         cell(name_of(each.level)), cell(each.date), cell(each.note), cell(each.source)});
  if (runs.rows.empty()) return page;
  const std::string summary = counted(runs.rows.size(), "build") + " that we ran";
  page.blocks.push_back(Fold{summary, {std::move(runs)}});
  return page;
}

std::vector<Document> site_documents(const SiteData& data) {
  std::vector<Document> pages = {index_document(data), symptoms_document(data)};
  const auto add_family = [&](std::vector<Document> family) {
    for (std::size_t i = 0; i < family.size(); ++i) {
      if (i > 0) family[i].previous = {family[i - 1].self, family[i - 1].title};
      if (i + 1 < family.size()) family[i].next = {family[i + 1].self, family[i + 1].title};
    }
    std::move(family.begin(), family.end(), std::back_inserter(pages));
  };
  std::vector<Document> issues, boards, releases, patchsets;
  for (const auto& [id, issue] : data.catalog->issues) issues.push_back(issue_document(data, issue));
  for (const auto& [id, board] : data.catalog->boards) boards.push_back(board_document(data, board));
  for (const Release* release : data.releases) releases.push_back(release_document(data, *release));
  for (const auto& [id, patchset] : data.catalog->patchsets) patchsets.push_back(patchset_document(data, patchset));
  add_family(std::move(issues));
  pages.push_back(boards_document(data));
  add_family(std::move(boards));
  pages.push_back(releases_document(data));
  add_family(std::move(releases));
  pages.push_back(patchsets_document(data));
  add_family(std::move(patchsets));
  pages.push_back(coverage_document(data));
  return pages;
}

Document board_document(const SiteData& data, const Board& board) {
  Document page{{PageKind::board, board.id},
                board.title,
                concat("PyTorch on ", board.title, ": releases, images, patches, and how to build."),
                {board_facts(data, board)}};
  add_blocks(page.blocks, commands(data, board));
  add_blocks(page.blocks, {Heading{2, "Images"}, image_commands(data, board), image_table(board)});
  add_blocks(page.blocks, known_issues(data, board));
  add_blocks(page.blocks, misfits(data, board));
  add_blocks(page.blocks, source_blocks(board.sources));
  return page;
}

Document boards_document(const SiteData& data) {
  Table table{"Boards of the catalog", {"Board", "Name", "CPU", "GPU", "Memory", "Releases"}, {}};
  for (const auto& [id, board] : data.catalog->boards) {
    table.rows.push_back({cell({link_to({PageKind::board, id}, board.title)}), cell({code(id)}), cell(board.arch),
                          cell(board.gpu ? board.gpu->compute_capability.text() : "none"), cell(memory_words(board)),
                          cell(release_runs(data.releases, planned_releases(data, board)))});
  }
  return {{PageKind::boards},
          "Boards",
          "The boards, and the releases of PyTorch that each supports.",
          {Paragraph{{text("An issue applies to a board by its condition, not by the board's name. The column GPU has "
                           "the compute capability.")}},
           std::move(table)}};
}

}  // namespace torchpatch::report
