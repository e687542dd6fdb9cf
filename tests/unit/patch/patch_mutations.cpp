// SPDX-License-Identifier: BSD-3-Clause
#include "unit/patch/patch_mutations.h"

#include "patch/patch_file.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

using Lines = std::vector<std::string>;

std::size_t choose(std::size_t count, std::mt19937& random) { return random() % count; }

std::string text_of(const Lines& lines) { return join(lines, "\n"); }

/// A hunk of a patch text: the index of its header line and of the line behind it.
struct Range {
  std::size_t begin;
  std::size_t end;
  Hunk header;
};

std::vector<Range> find_hunks(const Lines& lines) {
  std::vector<Range> hunks;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::optional<Hunk> header = parse_hunk_header(lines[i]);
    if (!header) continue;
    long old_left = header->old_count;
    long new_left = header->new_count;
    std::size_t end = i + 1;
    for (; end < lines.size() && (old_left > 0 || new_left > 0 || starts_with(lines[end], "\\")); ++end) {
      const char kind = lines[end].empty() ? ' ' : lines[end][0];
      if (kind == ' ' || kind == '-') --old_left;
      if (kind == ' ' || kind == '+') --new_left;
    }
    hunks.push_back({i, end, *header});
    i = end - 1;
  }
  return hunks;
}

std::string header_text(const Hunk& hunk) {
  return concat("@@ -", hunk.old_start, ",", hunk.old_count, " +", hunk.new_start, ",", hunk.new_count, " @@");
}

class Mutator {
 public:
  Mutator(const std::string& patch, std::mt19937& random)
      : patch_(patch), lines_(split(patch, '\n')), hunks_(find_hunks(lines_)), random_(random) {}

  std::vector<Mutation> run() {
    if (hunks_.empty()) return {};
    hunk_ = hunks_[choose(hunks_.size(), random_)];
    damage_lines();
    damage_header();
    damage_order();
    damage_text();
    return std::move(mutations_);
  }

 private:
  void add(const std::string& name, const Lines& lines, Agreement agreement = Agreement::same) {
    mutations_.push_back({name, text_of(lines), agreement});
  }

  /// Calls `change` on a line of this kind of the chosen hunk.
  template <typename Change>
  void damage_line(char kind, const std::string& name, Change change, Agreement agreement = Agreement::same) {
    std::vector<std::size_t> candidates;
    for (std::size_t i = hunk_.begin + 1; i < hunk_.end; ++i)
      if (starts_with(lines_[i], std::string(1, kind))) candidates.push_back(i);
    if (candidates.empty()) return;
    Lines lines = lines_;
    change(lines[candidates[choose(candidates.size(), random_)]]);
    add(name, lines, agreement);
  }

  void damage_lines() {
    damage_line(' ', "context altered", [](std::string& line) { line += "#"; });
    damage_line(' ', "context with a space behind", [](std::string& line) { line += " "; });
    damage_line(' ', "context with a carriage return", [](std::string& line) { line += "\r"; });
    damage_line(' ', "context without its first character", [](std::string& line) { line.erase(0, 1); });
    damage_line('-', "removed line altered", [](std::string& line) { line += "#"; });
    // Where the hunk's last line is then left over behind it, git passes over it in silence.
    damage_line(
        '-', "removed line made context", [](std::string& line) { line[0] = ' '; }, Agreement::strict);
    damage_line('+', "added line altered", [](std::string& line) { line += "#"; });
    damage_line(
        '+', "added line made context", [](std::string& line) { line[0] = ' '; }, Agreement::strict);
  }

  void change_header(const std::string& name, Hunk header, Agreement agreement) {
    Lines lines = lines_;
    lines[hunk_.begin] = header_text(header);
    add(name, lines, agreement);
  }

  void damage_header() {
    for (const std::uint32_t shift : {1u, 3u, 40u}) {
      Hunk header = hunk_.header;
      header.old_start += shift;
      header.new_start += shift;
      change_header(concat("shifted by ", shift), header, Agreement::same);
    }
    Hunk header = hunk_.header;
    ++header.old_start;
    change_header("old start alone shifted", header, Agreement::strict);
    header = hunk_.header;
    ++header.old_count;
    change_header("old count too large", header, Agreement::strict);
    header = hunk_.header;
    ++header.new_count;
    change_header("new count too large", header, Agreement::strict);
  }

  void damage_order() {
    Lines repeated(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(hunk_.end));
    repeated.insert(repeated.end(), lines_.begin() + static_cast<std::ptrdiff_t>(hunk_.begin), lines_.end());
    add("hunk repeated", repeated, Agreement::strict);
    for (std::size_t i = 0; i + 1 < hunks_.size(); ++i) {
      if (hunks_[i].end != hunks_[i + 1].begin) continue;
      Lines dropped = lines_;
      dropped.erase(dropped.begin() + static_cast<std::ptrdiff_t>(hunks_[i].begin),
                    dropped.begin() + static_cast<std::ptrdiff_t>(hunks_[i].end));
      add("hunk dropped", dropped);
      Lines swapped(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(hunks_[i].begin));
      const auto append = [&](std::size_t begin, std::size_t end) {
        swapped.insert(swapped.end(), lines_.begin() + static_cast<std::ptrdiff_t>(begin),
                       lines_.begin() + static_cast<std::ptrdiff_t>(end));
      };
      append(hunks_[i + 1].begin, hunks_[i + 1].end);
      append(hunks_[i].begin, hunks_[i].end);
      append(hunks_[i + 1].end, lines_.size());
      add("hunks swapped", swapped, Agreement::strict);
      return;
    }
  }

  void damage_text() {
    for (int i = 0; i < 3; ++i) {
      const std::size_t length = 1 + choose(patch_.size() - 1, random_);
      mutations_.push_back({concat("cut at byte ", length), patch_.substr(0, length), Agreement::strict});
    }
    std::string crlf;
    for (const char c : patch_) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    mutations_.push_back({"CRLF", crlf, Agreement::strict});
    mutations_.push_back({"text behind", patch_ + "not a line of a patch\n", Agreement::strict});
  }

  const std::string& patch_;
  Lines lines_;
  std::vector<Range> hunks_;
  std::mt19937& random_;
  Range hunk_{};
  std::vector<Mutation> mutations_;
};

bool is_text(const TreeFile& file) {
  const bool is_file = file.mode == FileMode::regular || file.mode == FileMode::executable;
  return is_file && file.bytes.find('\0') == std::string::npos;
}

void drift_lines(const std::string& how, Lines& lines, std::mt19937& random) {
  const auto place = lines.begin() + static_cast<std::ptrdiff_t>(choose(lines.size(), random));
  if (how == "lines at the top") lines.insert(lines.begin(), {"// one", "// two"});
  if (how == "a line inside") lines.insert(place, "inserted");
  if (how == "a line gone") lines.erase(place);
  if (how == "half of it twice") {
    const Lines half(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(lines.size() / 2));
    lines.insert(lines.end(), half.begin(), half.end());
  }
  if (how == "no newline at the end" && lines.size() > 1 && lines.back().empty()) lines.pop_back();
}

}  // namespace

std::vector<Mutation> mutate_patch(const std::string& patch, std::mt19937& random) {
  return Mutator(patch, random).run();
}

std::vector<Drift> drift_tree(const Tree& tree, std::mt19937& random) {
  std::vector<Drift> drifts;
  for (const char* how :
       {"lines at the top", "a line inside", "a line gone", "half of it twice", "no newline at the end"}) {
    Drift drift{how, tree};
    for (auto& [path, file] : drift.tree) {
      if (!is_text(file) || file.bytes.empty()) continue;
      Lines lines = split(file.bytes, '\n');
      drift_lines(how, lines, random);
      file.bytes = text_of(lines);
    }
    drifts.push_back(std::move(drift));
  }
  return drifts;
}

}  // namespace torchpatch::patch
