// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/issue_file.h"

#include <cmark.h>

#include <algorithm>
#include <array>
#include <memory>

#include "catalog/citations.h"
#include "catalog/conditions.h"
#include "catalog/fields.h"
#include "model/url.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

const std::vector<std::string> kSeverities = {"build-failure", "runtime-failure", "silent-wrong-results", "limitation"};
constexpr std::array kFixKinds = {FixKind::patch, FixKind::environment, FixKind::files, FixKind::post_build,
                                  FixKind::advice};

/// Reads a text that is one of a few names.
std::string required_choice(ObjectReader& reader, const std::string& key, const std::vector<std::string>& choices) {
  std::string name = required_text(reader, key, kLine);
  if (!name.empty() && std::find(choices.begin(), choices.end(), name) == choices.end())
    reader.report(key, concat(quote(name), " is none of ", join(choices, ", ")));
  return name;
}

std::optional<FixKind> read_kind(ObjectReader& reader) {
  std::vector<std::string> names;
  std::transform(kFixKinds.begin(), kFixKinds.end(), std::back_inserter(names), fix_kind_name);
  const std::string name = required_choice(reader, "kind", names);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return kFixKinds[static_cast<std::size_t>(found - names.begin())];
}

std::vector<EnvironmentSetting> read_settings(ObjectReader& reader) {
  std::vector<EnvironmentSetting> settings;
  const Json* object = reader.optional("environment", Json::Kind::object);
  for (std::size_t i = 0; object && i < object->members.size(); ++i) {
    const auto& [name, value] = object->members[i];
    const std::string path = concat(reader.key_path("environment"), '.', name);
    if (!kVariableName.holds(name)) {
      report_at(reader, value, path, concat(quote(name), " is not ", kVariableName.description));
      continue;
    }
    ObjectReader item(value, reader.file(), path, reader.findings());
    settings.push_back({name, required_text(item, "value", kLine), required_text(item, "why", kLine)});
    item.finish();
  }
  return settings;
}

/// Says which members a kind of fix needs and which it must not have.
void check_kind(ObjectReader& reader, const Fix& fix) {
  const bool has_patchset = fix.kind == FixKind::patch || fix.kind == FixKind::files;
  const bool needs_commands = fix.kind == FixKind::post_build;
  const bool may_have_commands = needs_commands || fix.kind == FixKind::files;
  const std::string kind = concat("a fix of kind ", fix_kind_name(fix.kind));
  if (has_patchset != !fix.patchset.empty())
    reader.report("patchset", concat(kind, has_patchset ? " needs a patchset" : " has no patchset"));
  if (needs_commands && fix.commands.empty()) reader.report("commands", concat(kind, " needs commands"));
  if (!may_have_commands && !fix.commands.empty()) reader.report("commands", concat(kind, " has no commands"));
  if (fix.kind == FixKind::environment && fix.environment.empty())
    reader.report("environment", concat(kind, " needs at least one variable"));
}

Fix read_fix(ObjectReader& reader) {
  Fix fix;
  fix.id = required_text(reader, "id", kId);
  const std::optional<FixKind> kind = read_kind(reader);
  fix.summary = required_text(reader, "summary", kLine);
  fix.patchset = optional_text(reader, "patchset", kId);
  fix.environment = read_settings(reader);
  fix.commands = optional_lines(reader, "commands");
  fix.when = read_condition(reader, "when");
  fix.is_optional = reader.optional_boolean("optional", false);
  if (kind) {
    fix.kind = *kind;
    check_kind(reader, fix);
  }
  return fix;
}

std::vector<VersionRange> read_ranges(ObjectReader& reader) {
  const TextRule is_range{form_of<VersionRange>(),
                          [](std::string_view text) { return VersionRange::parse(text).has_value(); }};
  std::vector<VersionRange> ranges;
  for (const std::string& text : required_texts(reader, "releases", is_range))
    ranges.push_back(*VersionRange::parse(text));
  return ranges;
}

Entry<Issue> read_metadata(ObjectReader& reader, const std::string& stem) {
  Entry<Issue> entry;
  reader.require_schema();
  entry.replaces = optional_as<Sha256>(reader, "replaces");
  Issue& issue = entry.value;
  issue.id = required_id(reader, "id", stem);
  issue.severity = required_choice(reader, "severity", kSeverities);
  issue.releases = read_ranges(reader);
  issue.when = read_condition(reader, "when");
  issue.symptoms = required_texts(reader, "symptoms", kLine);
  issue.links = optional_texts(reader, "links", kWebLink);
  issue.seeds = optional_texts(reader, "seeds", kLine);
  issue.citations = read_citations(reader);
  read_objects(reader, "fixes", Presence::required, [&](ObjectReader& item) { issue.fixes.push_back(read_fix(item)); });
  reader.finish();
  return entry;
}

/// cmark needs quadratic time for "![[]()" again and again (reliability §3.6); no honest page comes near this.
constexpr std::ptrdiff_t kMaxBrackets = 4000;

const std::vector<std::string> kSectionNames = {"Symptom", "Cause", "Fix", "How to verify"};

struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
struct FreeIterator {
  void operator()(cmark_iter* iterator) const { cmark_iter_free(iterator); }
};
using Document = std::unique_ptr<cmark_node, FreeNode>;
using Iterator = std::unique_ptr<cmark_iter, FreeIterator>;

/// Calls `visit` for every node below `root`, parents first; no recursion, so no depth is too deep.
template <typename Visit>
void for_each_node(cmark_node* root, Visit visit) {
  const Iterator iterator(cmark_iter_new(root));
  for (cmark_event_type event; (event = cmark_iter_next(iterator.get())) != CMARK_EVENT_DONE;)
    if (event == CMARK_EVENT_ENTER) visit(cmark_iter_get_node(iterator.get()));
}

bool is_heading(cmark_node* node, int level) {
  return cmark_node_get_type(node) == CMARK_NODE_HEADING && cmark_node_get_heading_level(node) == level;
}

bool is_json_block(cmark_node* node) {
  return cmark_node_get_type(node) == CMARK_NODE_CODE_BLOCK &&
         std::string_view(cmark_node_get_fence_info(node)) == "json";
}

std::string plain_text(cmark_node* heading) {
  std::string text;
  for_each_node(heading, [&](cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE)
      text += cmark_node_get_literal(node);
    else if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK)
      text += ' ';
  });
  return text;
}

/// Returns the line of a node; inline nodes go by the block around them.
int line_of_node(cmark_node* node) {
  while (node && cmark_node_get_start_line(node) == 0) node = cmark_node_parent(node);
  return node ? cmark_node_get_start_line(node) : 0;
}

/// Collects the findings of one page.
class PageReader {
 public:
  PageReader(const std::string& text, const std::string& file, Findings& findings)
      : text_(text), file_(file), findings_(findings), lines_(split(text, '\n')) {}

  std::optional<IssuePage> read();

 private:
  void report(int line, std::string message) { findings_.add(file_, line, "", std::move(message)); }
  bool check_bytes();
  void check_nodes(cmark_node* document);
  void read_sections(cmark_node* node, IssuePage& page);
  std::string lines_between(int first, int last) const;

  const std::string& text_;
  const std::string& file_;
  Findings& findings_;
  std::vector<std::string> lines_;
};

/// Looks for what cmark must not see; the first such line is enough.
bool PageReader::check_bytes() {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::string& line = lines_[i];
    std::string shown = line;
    std::ranges::replace(shown, '\t', ' ');
    if (!has_hidden(shown)) continue;
    const bool has_control = std::ranges::any_of(shown, is_control);
    report(static_cast<int>(i + 1), has_control           ? "has a control byte; lines end in a line feed alone"
                                    : is_valid_utf8(line) ? "has a character that does not show"
                                                          : "is not UTF-8");
    return false;
  }
  if (std::count(text_.begin(), text_.end(), '[') > kMaxBrackets) {
    report(0, concat("has more than ", kMaxBrackets, " opening brackets"));
    return false;
  }
  return true;
}

void PageReader::check_nodes(cmark_node* document) {
  for_each_node(document, [&](cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE)
      report(line_of_node(node), "has raw HTML; pages are plain CommonMark");
    else if (type == CMARK_NODE_IMAGE)
      report(line_of_node(node), "has an image; pages have none");
    else if (type == CMARK_NODE_LINK && !is_safe_link(cmark_node_get_url(node)))
      report(line_of_node(node), concat("links to ", quote(cmark_node_get_url(node)),
                                        "; a link begins with https://, http://, mailto: or #"));
  });
}

std::string PageReader::lines_between(int first, int last) const {
  std::vector<std::string> lines;
  for (int line = first; line <= last && line <= static_cast<int>(lines_.size()); ++line)
    lines.push_back(lines_[static_cast<std::size_t>(line - 1)]);
  return std::string(trim(join(lines, "\n")));
}

/// Reads the four sections from `node` on, the first block after the metadata.
void PageReader::read_sections(cmark_node* node, IssuePage& page) {
  const int first_line = node ? cmark_node_get_start_line(node) : static_cast<int>(lines_.size());
  std::vector<cmark_node*> headings;
  for (; node != nullptr; node = cmark_node_next(node))
    if (is_heading(node, 1))
      report(cmark_node_get_start_line(node), "has a second level-one heading");
    else if (is_heading(node, 2))
      headings.push_back(node);
    else if (headings.empty())
      report(cmark_node_get_start_line(node), "has text between the metadata and the first section");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < headings.size(); ++i) {
    const bool is_last = i + 1 == headings.size();
    const int end = is_last ? static_cast<int>(lines_.size()) : cmark_node_get_start_line(headings[i + 1]) - 1;
    names.push_back(plain_text(headings[i]));
    page.sections.emplace_back(names.back(), lines_between(cmark_node_get_end_line(headings[i]) + 1, end));
    if (page.sections.back().second.empty())
      report(cmark_node_get_start_line(headings[i]), concat("section ", quote(names.back()), " is empty"));
  }
  if (names != kSectionNames) {
    report(headings.empty() ? first_line : cmark_node_get_start_line(headings.front()),
           concat("must have the sections ", join(kSectionNames, ", "), " in this order, but has ",
                  names.empty() ? "none" : printable(join(names, ", "))));
  }
}

std::optional<IssuePage> PageReader::read() {
  if (!check_bytes()) return std::nullopt;
  const Document document(cmark_parse_document(text_.data(), text_.size(), CMARK_OPT_DEFAULT));
  check_nodes(document.get());
  cmark_node* title = cmark_node_first_child(document.get());
  IssuePage page;
  if (title == nullptr || !is_heading(title, 1)) {
    report(1, "must begin with a level-one heading, its title");
    return std::nullopt;
  }
  page.title = plain_text(title);
  if (trim(page.title).empty()) report(cmark_node_get_start_line(title), "has an empty title");
  cmark_node* block = cmark_node_next(title);
  if (block == nullptr || !is_json_block(block)) {
    report(cmark_node_get_end_line(title), "must have the metadata after its title, in a fenced block marked json");
    return std::nullopt;
  }
  page.json = cmark_node_get_literal(block);
  // A block that is not closed may end with the line that opens it.
  page.json_line = std::min(cmark_node_get_start_line(block) + 1, cmark_node_get_end_line(block));
  read_sections(cmark_node_next(block), page);
  return page;
}

}  // namespace

std::optional<IssueFile> parse_issue(const std::string& bytes, const std::string& path, const std::string& stem,
                                     Findings& findings) {
  std::optional<IssuePage> page = parse_issue_page(bytes, path, findings);
  std::optional<Json> json = page ? parse_json(page->json, path, page->json_line, findings) : std::nullopt;
  if (!json) return std::nullopt;
  IssueFile issue{DataFile{path, sha256(bytes), std::move(*json)}, {}};
  ObjectReader reader(issue.file.json, path, "", findings);
  issue.entry = read_metadata(reader, stem);
  issue.entry.value.title = page->title;
  issue.entry.value.sections = std::move(page->sections);
  return issue;
}

std::optional<IssueFile> read_issue(const std::string& path, const std::string& stem, Findings& findings) {
  const std::optional<std::string> bytes = read_bytes(path, kMaxPageBytes, findings);
  return bytes ? parse_issue(*bytes, path, stem, findings) : std::nullopt;
}

std::optional<IssuePage> parse_issue_page(const std::string& text, const std::string& file, Findings& findings) {
  return PageReader(text, file, findings).read();
}

}  // namespace torchpatch::catalog
