// SPDX-License-Identifier: BSD-3-Clause
#include "patch/review.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "support/file.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::patch {

namespace {

constexpr std::string_view kLicence = "SPDX-License-Identifier";

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

std::optional<HeaderField> parse_field(std::string_view line, int number) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view name = line.substr(0, colon);
  if (!std::ranges::all_of(name, is_name_character)) return std::nullopt;
  return HeaderField{std::string(name), std::string(trim(line.substr(colon + 1))), number};
}

void parse_line(std::string_view line, int number, PatchHeader& header) {
  if (line[0] == ' ' || line[0] == '\t') {
    if (header.fields.empty())
      header.stray_line = number;
    else
      header.fields.back().value += concat("\n", line.substr(1));
    return;
  }
  const bool is_comment = line[0] == '#';
  std::optional<HeaderField> field = parse_field(is_comment ? trim(line.substr(1)) : line, number);
  if (field && (!is_comment || field->name == kLicence))
    header.fields.push_back(std::move(*field));
  else if (!is_comment && header.stray_line == 0)
    header.stray_line = number;
}

bool is_url(std::string_view text) {
  const bool is_web = starts_with(text, "https://") || starts_with(text, "http://");
  return is_web && text.find_first_of(" \t\n") == std::string_view::npos;
}

bool is_origin(std::string_view text) {
  const std::string_view kind = text.substr(0, text.find(','));
  return std::ranges::count(kOriginKinds, kind) > 0 && !trim(text.substr(kind.size())).empty();
}

bool is_forwarded(std::string_view text) { return text == "no" || text == "not-needed" || is_url(text); }

bool is_date(std::string_view text) {
  std::string form(text);
  std::ranges::replace_if(
      form, [](char c) { return c >= '0' && c <= '9'; }, '0');
  if (form != "0000-00-00") return false;
  const auto number = [&](std::size_t begin, std::size_t size) {
    return std::stoi(std::string(text.substr(begin, size)));
  };
  return std::chrono::year_month_day(std::chrono::year(number(0, 4)),
                                     std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                     std::chrono::day(static_cast<unsigned>(number(8, 2))))
      .ok();
}

bool is_text(std::string_view text) { return !text.empty(); }

struct FieldRule {
  const char* name;
  bool (*is_right)(std::string_view value);
  const char* form;
};

constexpr std::array<FieldRule, 6> kFieldRules = {{
    {"Description", is_text, "a text"},
    {"Origin", is_origin, "'upstream', 'backport', 'vendor' or 'other', followed by a comma and a link or name"},
    {"Bug", is_url, "an http or https link"},
    {"Forwarded", is_forwarded, "'no', 'not-needed' or an http or https link"},
    {"Last-Update", is_date, "a date YYYY-MM-DD"},
    {"SPDX-License-Identifier", is_text, "a licence expression"},
}};

void lint_header(const PatchHeader& header, std::vector<LintFinding>& findings) {
  for (const FieldRule& rule : kFieldRules) {
    const HeaderField* field = header.find(rule.name);
    if (field == nullptr && rule.name == std::string_view("Description")) field = header.find("Subject");
    if (field == nullptr)
      findings.push_back({0, concat("the header has no field ", quote(rule.name))});
    else if (visible(field->value) != field->value || field->value.find('\t') != std::string::npos)
      findings.push_back({field->line, concat("the field ", quote(field->name), " has an invisible character")});
    else if (!rule.is_right(field->value))
      findings.push_back({field->line, concat("the field ", quote(field->name), " must be ", rule.form)});
  }
  if (header.stray_line != 0)
    findings.push_back({header.stray_line, "this header line is neither a field nor the continuation of one"});
}

/// Without context a hunk can only be located again if it covers the file from its first line.
bool lacks_context(const Hunk& hunk) {
  const bool has_context = std::ranges::count(hunk.lines, LineKind::context, &HunkLine::kind) > 0;
  return !has_context && (hunk.old_start > 1 || hunk.new_start > 1);
}

void lint_file(const FilePatch& file, std::vector<LintFinding>& findings) {
  if (file.has_content() && (file.old_id.size() != kFullId || file.new_id.size() != kFullId))
    findings.push_back({0, concat("the change of ", quote(file.path()),
                                  " has no index line with two full ids: use git diff --full-index")});
  if (std::ranges::any_of(file.hunks, lacks_context))
    findings.push_back({0, concat("a hunk of ", quote(file.path()), " has no context: use git diff -U3")});
  if (file.kind == ChangeKind::copy)
    findings.push_back(
        {0, concat(quote(file.path()), " is a copy, which cannot be reverted: use git diff --no-renames")});
  if (file.binary && !file.binary->reverse)
    findings.push_back({0, concat("the binary change of ", quote(file.path()), " has no reverse data")});
}

/// Indexed by RiskKind.
constexpr std::array<const char*, 10> kNames = {
    "build-script", "network",   "executable-bit", "binary",          "link",
    "gitlink",      "generated", "hidden-text",    "whitespace-only", "unexplained"};

using Words = std::set<std::string>;

/// Returns the first of `parts` contained in the text, or an empty view.
template <std::size_t kCount>
std::string_view first_contained(std::string_view text, const std::array<std::string_view, kCount>& parts) {
  const std::string_view* const found =
      find_where(parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
  return found ? *found : std::string_view();
}

bool is_build_script(const std::string& path) {
  constexpr std::array<std::string_view, 9> kScriptNames = {"setup.py",       "CMakeLists.txt", "Makefile",
                                                            "pyproject.toml", "setup.cfg",      "configure",
                                                            "meson.build",    "BUILD.bazel",    "Dockerfile"};
  constexpr std::array<std::string_view, 6> kEndings = {".cmake", ".sh", ".mk", ".bat", ".ps1", ".bzl"};
  const std::string name = base_name(path);
  return std::ranges::count(kScriptNames, name) > 0 ||
         std::ranges::any_of(kEndings, [&](std::string_view ending) { return name.ends_with(ending); }) ||
         starts_with(path, "tools/setup_helpers/") || starts_with(path, ".github/") || starts_with(path, ".circleci/");
}

/// Texts that contain a host, open a connection or make a program fetch something.
constexpr std::array<std::string_view, 19> kNetworkMarks = {
    "http://",      "https://",       "ftp://",       "git://",
    "ssh://",       "curl ",          "wget ",        "urlopen",
    "urlretrieve",  "urllib.request", "requests.get", "requests.post",
    "git clone",    "git fetch",      "pip install",  "externalproject_add",
    "fetchcontent", "file(download",  "socket("};

constexpr std::array<std::string_view, 5> kGeneratedMarks = {"do not edit", "don't edit", "@generated", "autogenerated",
                                                             "automatically generated"};
constexpr std::array<std::string_view, 7> kGeneratedNames = {"_pb2.py",    ".pb.cc",      ".pb.h", ".min.js",
                                                             "aclocal.m4", "Makefile.in", ".lock"};

/// Returns whether a character may be mistaken for another: all but ASCII, the copyright sign, and accented letters
/// that normalisation (Python's NFKC) does not turn into ASCII.
bool may_look_like_another(char32_t value) {
  constexpr std::array<char32_t, 6> kLookAlikes = {0x131, 0x132, 0x133, 0x13F, 0x140, 0x149};
  const bool is_accented = value >= 0xC0 && value <= 0x17E && std::ranges::count(kLookAlikes, value) == 0;
  return value >= 0x80 && value != 0xA9 && !is_accented;
}

/// Returns why a line may differ from what a reader sees, or empty text. Tabs and a final carriage return are visible.
std::string_view misleading_text(std::string_view text) {
  if (ends_with(text, "\n")) text.remove_suffix(1);
  if (ends_with(text, "\r")) text.remove_suffix(1);
  bool is_plain = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::optional<CodePoint> point = decode_utf8(text, at);
    if (point && point->value != '\t' && is_hidden(point->value))
      return "the line has invisible or reordering characters";
    is_plain = is_plain && point && !may_look_like_another(point->value);
    at += point ? point->length : 1;
  }
  return is_plain ? "" : "the line has characters that look like others";
}

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_word_character(char c) { return c == '_' || (c != '-' && is_name_character(c)); }

/// Whether a word between blanks, quotes or brackets is more than letters, a name or a number: "8.7", "%ld", "<<".
bool is_sign(std::string_view word) {
  const auto is_english = [](char c) { return c == '/' || (is_name_character(c) && (c < '0' || c > '9')); };
  return word.size() > 1 && !std::ranges::all_of(word, is_english) && !std::ranges::all_of(word, is_word_character);
}

/// Words of four letters or more, in lower case, and signs; a name such as "check_env_flag" or "BinaryOpsKernel" counts
/// whole and in parts.
Words tokenize(std::string_view text) {
  constexpr std::size_t kShortest = 4;
  Words words;
  std::string whole, part;
  const auto keep = [&](std::string& word) {
    if (word.size() >= kShortest) words.insert(lower_case(word));
    word.clear();
  };
  for (const char c : concat(text, " ")) {
    if (is_word_character(c) && c != '_') {
      const std::size_t size = part.size();
      const bool begins_word = is_capital(c) && size > 0 && !is_capital(part.back());
      const bool ends_capitals = !is_capital(c) && size > 1 && is_capital(part[size - 1]) && is_capital(part[size - 2]);
      std::string next = ends_capitals ? part.substr(size - 1) : "";  // "CTCLoss" is "CTC" and "Loss"
      if (ends_capitals) part.pop_back();
      if (begins_word || ends_capitals) keep(part);
      if (ends_capitals) part = std::move(next);
      whole += c;
      part += c;
      continue;
    }
    keep(part);
    if (c == '_')
      whole += c;
    else
      keep(whole);
  }
  std::string pieces(text);
  std::ranges::replace_if(
      pieces, [](char c) { return std::string_view("\n\t,;:()[]{}\"'").find(c) != std::string_view::npos; }, ' ');
  for (std::string word : split(pieces, ' ')) {
    word.erase(word.find_last_not_of('.') + 1);
    if (is_sign(word)) words.insert(std::move(word));
  }
  return words;
}

bool share_a_word(const Words& a, const Words& b) {
  return std::ranges::any_of(a, [&](const std::string& word) { return b.contains(word); });
}

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != '\f' && c != '\v') out += c;
  return out;
}

bool changes_blanks_alone(const Hunk& hunk) {
  std::string before, after;
  for (const HunkLine& line : hunk.lines) {
    if (line.kind == LineKind::removed) before += without_blanks(line.text);
    if (line.kind == LineKind::added) after += without_blanks(line.text);
  }
  return before == after;
}

class Finder {
 public:
  explicit Finder(const PatchFile& patch) : patch_(patch) {
    const PatchHeader header = parse_header(patch.preamble);
    for (const char* name : {"Description", "Subject"})
      if (const HeaderField* field = header.find(name)) description_.merge(tokenize(field->value));
  }

  std::vector<Risk> find() {
    for (const FilePatch& file : patch_.files) {
      find_in_file(file);
      for (const Hunk& hunk : file.hunks) find_in_lines(file, hunk);
      for (const Hunk& hunk : file.hunks) find_in_hunk(file, hunk);
    }
    return std::move(risks_);
  }

 private:
  void add(RiskKind kind, const FilePatch& file, std::uint32_t line, std::string why) {
    risks_.push_back({kind, file.path(), line, std::move(why)});
  }

  void find_in_file(const FilePatch& file) {
    if (is_build_script(file.path())) add(RiskKind::build_script, file, 0, "this file runs during the build");
    const FileMode before = file.old_mode.value_or(FileMode::regular);
    const FileMode after = file.new_mode.value_or(before);
    const bool is_removed = file.kind == ChangeKind::remove;
    if (!is_removed && after == FileMode::executable && (file.kind == ChangeKind::create || before != after))
      add(RiskKind::executable_bit, file, 0, "the file becomes executable");
    else if (file.kind != ChangeKind::create && before == FileMode::executable && before != after)
      add(RiskKind::executable_bit, file, 0, "the file is no longer executable");
    if (file.binary) add(RiskKind::binary, file, 0, "the change is binary: compare the blobs");
    if (before == FileMode::link || after == FileMode::link) add(RiskKind::link, file, 0, "this is a symbolic link");
    if (before == FileMode::gitlink || after == FileMode::gitlink)
      add(RiskKind::gitlink, file, 0, "this pins the commit of a submodule");
    find_generated(file);
  }

  void find_generated(const FilePatch& file) {
    const std::string name = base_name(file.path());
    for (const std::string_view ending : kGeneratedNames) {
      if (name.ends_with(ending))
        return add(RiskKind::generated, file, 0,
                   concat("names that end in ", quote(ending), " are typical of generated files"));
    }
    for (const Hunk& hunk : file.hunks) {
      for (const HunkLine& line : hunk.lines) {
        const std::string_view mark = first_contained(lower_case(line.text), kGeneratedMarks);
        if (!mark.empty()) return add(RiskKind::generated, file, 0, concat("the file contains ", quote(mark)));
      }
    }
  }

  void find_in_lines(const FilePatch& file, const Hunk& hunk) {
    std::uint32_t number = hunk.new_start;
    for (const HunkLine& line : hunk.lines) {
      if (line.kind == LineKind::removed) continue;
      if (line.kind == LineKind::added) {
        const std::string_view mark = first_contained(lower_case(line.text), kNetworkMarks);
        if (!mark.empty()) add(RiskKind::network, file, number, concat("the line has ", quote(mark)));
        const std::string_view misleading = misleading_text(line.text);
        if (!misleading.empty()) add(RiskKind::hidden_text, file, number, std::string(misleading));
      }
      ++number;
    }
  }

  /// Returns the first line that the hunk adds, or if it only removes lines, the first of these.
  static std::uint32_t changed_line(const Hunk& hunk) {
    std::uint32_t before = hunk.old_start, after = hunk.new_start, removed = 0;
    for (const HunkLine& line : hunk.lines) {
      if (line.kind == LineKind::added) return after;
      if (line.kind == LineKind::removed && removed == 0) removed = before;
      if (line.kind == LineKind::context) ++after;
      ++before;
    }
    return removed;
  }

  void find_in_hunk(const FilePatch& file, const Hunk& hunk) {
    if (changes_blanks_alone(hunk))
      return add(RiskKind::whitespace_only, file, changed_line(hunk), "only whitespace changes");
    if (description_.empty()) return;
    Words words;
    for (const HunkLine& line : hunk.lines)
      if (line.kind != LineKind::context) words.merge(tokenize(line.text));
    if (share_a_word(words, description_) || share_a_word(tokenize(base_name(file.path())), description_)) return;
    add(RiskKind::unexplained, file, changed_line(hunk),
        "the description mentions neither the file nor any word of these lines");
  }

  const PatchFile& patch_;
  Words description_;
  std::vector<Risk> risks_;
};

}  // namespace

const HeaderField* PatchHeader::find(std::string_view name) const {
  return find_where(fields, [&](const HeaderField& field) { return lower_case(field.name) == lower_case(name); });
}

PatchHeader parse_header(std::string_view preamble) {
  PatchHeader header;
  LineReader in(preamble, "");
  int number = 1;
  for (; !in.at_end() && in.line().empty(); in.advance()) ++number;
  for (; !in.at_end() && !in.line().empty() && in.line() != "---"; in.advance(), ++number) {
    const bool is_mail_start = header.fields.empty() && starts_with(in.line(), "From ");
    if (!is_mail_start) parse_line(in.line(), number, header);
  }
  return header;
}

std::vector<LintFinding> lint_patch(const PatchFile& patch) {
  std::vector<LintFinding> findings;
  lint_header(parse_header(patch.preamble), findings);
  for (const FilePatch& file : patch.files) lint_file(file, findings);
  return findings;
}

const char* risk_name(RiskKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::vector<Risk> find_risks(const PatchFile& patch) { return Finder(patch).find(); }

}  // namespace torchpatch::patch
