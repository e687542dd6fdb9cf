// SPDX-License-Identifier: BSD-3-Clause
#include "patch/patch_file.h"

#include <algorithm>
#include <array>

#include "support/find.h"
#include "support/text.h"

namespace torchpatch::patch {

namespace {

/// Letters after a backslash, and the bytes they represent.
constexpr std::string_view kLetters = "abtnvfr\"\\";
constexpr std::string_view kBytes = "\a\b\t\n\v\f\r\"\\";

bool is_octal(char c) { return c >= '0' && c <= '7'; }

/// Parses three octal digits, at most 377.
std::optional<char> octal_byte(std::string_view digits) {
  if (digits.size() < 3 || digits[0] > '3' || !std::all_of(digits.begin(), digits.begin() + 3, is_octal)) return {};
  return static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
}

/// Parses an escape after its backslash and removes it from `text`.
std::optional<char> read_escape(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  if (const std::size_t letter = kLetters.find(text[0]); letter != std::string_view::npos) {
    text.remove_prefix(1);
    return kBytes[letter];
  }
  const std::optional<char> byte = octal_byte(text);
  if (byte) text.remove_prefix(3);
  return byte;
}

/// Two paths of 4096 bytes, each byte an octal escape, with quotes and prefixes.
constexpr std::size_t kMaxNames = 2 * 4 * 4096 + 512;

/// Returns whether `text`, quoted or plain, represents `name`.
bool is_name(std::string_view text, std::string_view name) {
  if (text.empty() || text[0] != '"') return strip_component(text) == name;
  const std::optional<UnquotedName> unquoted = unquote_name(text);
  return unquoted && unquoted->rest.empty() && strip_component(unquoted->name) == name;
}

struct Halves {
  std::string first;  ///< stripped
  std::string_view second;
};

/// Splits after a quoted first name.
std::optional<Halves> split_quoted(std::string_view names) {
  const std::optional<UnquotedName> unquoted = unquote_name(names);
  if (!unquoted || unquoted->rest.empty() || unquoted->rest[0] != ' ') return std::nullopt;
  const std::optional<std::string_view> first = strip_component(unquoted->name);
  if (!first) return std::nullopt;
  return Halves{std::string(*first), unquoted->rest.substr(1)};
}

/// The lines between "diff --git" and the content of a file, each at most once.
struct ExtendedHeader {
  std::optional<FileMode> old_mode, new_mode, created_mode, removed_mode, index_mode;
  std::optional<std::string> rename_from, rename_to, copy_from, copy_to;
  std::optional<int> similarity, dissimilarity;
  std::optional<std::string> old_id, new_id;

  /// Returns the kind of change, or nothing if lines contradict each other or one of a pair is missing.
  std::optional<ChangeKind> kind() const {
    const bool is_rename = rename_from.has_value();
    const bool is_copy = copy_from.has_value();
    if (is_rename != rename_to.has_value() || is_copy != copy_to.has_value()) return std::nullopt;
    if (old_mode.has_value() != new_mode.has_value()) return std::nullopt;
    if (created_mode.has_value() + removed_mode.has_value() + is_rename + is_copy > 1) return std::nullopt;
    if (old_mode && (created_mode || removed_mode)) return std::nullopt;
    if (similarity && !is_rename && !is_copy) return std::nullopt;
    if (created_mode) return ChangeKind::create;
    if (removed_mode) return ChangeKind::remove;
    if (is_rename) return ChangeKind::rename;
    return is_copy ? ChangeKind::copy : ChangeKind::modify;
  }
};

template <typename Value>
void set_once(const LineReader& in, std::optional<Value>& field, Value value) {
  if (field) in.fail("this header line occurs twice");
  field = std::move(value);
}

FileMode read_mode(const LineReader& in, std::string_view octal) {
  const std::optional<FileMode> mode = parse_file_mode(octal);
  if (!mode || *mode == FileMode::directory) in.refuse(concat("mode ", quote(octal), " is not a file mode"));
  return *mode;
}

std::string read_name(const LineReader& in, std::string_view text) {
  if (text.empty() || text[0] != '"') return std::string(text);
  std::optional<UnquotedName> unquoted = unquote_name(text);
  if (!unquoted || !unquoted->rest.empty()) in.fail("malformed quoted name");
  return std::move(unquoted->name);
}

int read_percentage(const LineReader& in, std::string_view text) {
  const bool has_sign = ends_with(text, "%");
  const std::optional<std::uint64_t> value = parse_decimal(text.substr(0, text.size() - (has_sign ? 1 : 0)));
  if (!has_sign || !value || *value > 100) in.fail("malformed percentage");
  return static_cast<int>(*value);
}

bool is_id(std::string_view text) {
  return text.size() >= 4 && text.size() <= 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Parses "old..new" or "old..new mode".
void read_index(const LineReader& in, std::string_view text, ExtendedHeader& header) {
  const std::size_t space = text.find(' ');
  const std::string_view ids = text.substr(0, space);
  const std::size_t dots = ids.find("..");
  if (dots == std::string_view::npos || !is_id(ids.substr(0, dots)) || !is_id(ids.substr(dots + 2)))
    in.fail("malformed index line");
  set_once(in, header.old_id, std::string(ids.substr(0, dots)));
  set_once(in, header.new_id, std::string(ids.substr(dots + 2)));
  if (space != std::string_view::npos) header.index_mode = read_mode(in, text.substr(space + 1));
}

struct Rule {
  std::string_view prefix;
  void (*read)(const LineReader& in, std::string_view value, ExtendedHeader& header);
};

template <std::optional<FileMode> ExtendedHeader::*field>
void mode_line(const LineReader& in, std::string_view value, ExtendedHeader& header) {
  set_once(in, header.*field, read_mode(in, value));
}

template <std::optional<std::string> ExtendedHeader::*field>
void name_line(const LineReader& in, std::string_view value, ExtendedHeader& header) {
  set_once(in, header.*field, read_name(in, value));
}

template <std::optional<int> ExtendedHeader::*field>
void percentage_line(const LineReader& in, std::string_view value, ExtendedHeader& header) {
  set_once(in, header.*field, read_percentage(in, value));
}

constexpr std::array<Rule, 11> kRules = {{
    {"old mode ", mode_line<&ExtendedHeader::old_mode>},
    {"new mode ", mode_line<&ExtendedHeader::new_mode>},
    {"new file mode ", mode_line<&ExtendedHeader::created_mode>},
    {"deleted file mode ", mode_line<&ExtendedHeader::removed_mode>},
    {"rename from ", name_line<&ExtendedHeader::rename_from>},
    {"rename to ", name_line<&ExtendedHeader::rename_to>},
    {"copy from ", name_line<&ExtendedHeader::copy_from>},
    {"copy to ", name_line<&ExtendedHeader::copy_to>},
    {"similarity index ", percentage_line<&ExtendedHeader::similarity>},
    {"dissimilarity index ", percentage_line<&ExtendedHeader::dissimilarity>},
    {"index ", read_index},
}};

/// Parses the extended header lines from the current line, and advances `in` past them. Raises data for malformed or
/// repeated lines, unsafe for modes that the path-and-mode rule refuses.
ExtendedHeader parse_extended_header(LineReader& in) {
  ExtendedHeader header;
  const auto is_here = [&](const Rule& rule) { return starts_with(in.line(), rule.prefix); };
  while (const Rule* const rule = find_where(kRules, is_here)) {
    if (!in.has_newline()) in.fail("the patch ends inside a header");
    rule->read(in, in.line().substr(rule->prefix.size()), header);
    in.advance();
  }
  return header;
}

constexpr std::string_view kGitHeader = "diff --git ";
constexpr std::string_view kMinus = "--- ";
constexpr std::string_view kPlus = "+++ ";

/// The names in the lines "---" and "+++".
struct Sides {
  SideName old_side;
  SideName new_side;
};

SideName read_side(LineReader& in, std::string_view prefix) {
  if (!starts_with(in.line(), prefix)) in.fail(concat("a line with ", quote(prefix), " is missing here"));
  if (!in.has_newline()) in.fail("the patch ends inside a header");
  std::optional<SideName> side = parse_side_name(in.line().substr(prefix.size()));
  if (!side)
    in.fail("this line has no file name below a first component",
            "use names that git apply -p1 accepts: a/NAME and b/NAME");
  in.advance();
  return std::move(*side);
}

Sides read_sides(LineReader& in) {
  Sides sides;
  sides.old_side = read_side(in, kMinus);
  sides.new_side = read_side(in, kPlus);
  if (!starts_with(in.line(), "@@")) in.fail("a hunk is missing here");
  if (sides.old_side.is_null && sides.new_side.is_null) in.fail("both sides are /dev/null");
  return sides;
}

/// Sets the modes. The index line's mode is the old one if no other line states it.
void set_modes(const LineReader& in, const ExtendedHeader& header, FilePatch& file) {
  file.old_mode = file.kind == ChangeKind::remove ? header.removed_mode : header.old_mode;
  file.new_mode = file.kind == ChangeKind::create ? header.created_mode : header.new_mode;
  if (!header.index_mode) return;
  if (file.kind == ChangeKind::create || (file.old_mode && file.old_mode != header.index_mode))
    in.fail("the index line and the header have different modes");
  file.old_mode = header.index_mode;
}

/// Returns the name in a header without rename or copy.
std::string one_name(const LineReader& in, std::string_view names, const FilePatch& file,
                     const std::optional<Sides>& sides) {
  if (sides) {
    const bool is_null_right = sides->old_side.is_null == (file.kind == ChangeKind::create) &&
                               sides->new_side.is_null == (file.kind == ChangeKind::remove);
    if (!is_null_right)
      in.fail("/dev/null contradicts the header",
              "to create a file use 'new file mode', to remove it 'deleted file mode'");
    return sides->old_side.is_null ? sides->new_side.name : sides->old_side.name;
  }
  const std::optional<std::string> name = common_header_name(names);
  if (!name) in.fail("the two names in the header differ, but there is no rename or copy line");
  return *name;
}

void set_names(const LineReader& in, std::string_view names, const ExtendedHeader& header,
               const std::optional<Sides>& sides, FilePatch& file) {
  std::string old_name;
  std::string new_name;
  if (file.kind == ChangeKind::rename || file.kind == ChangeKind::copy) {
    old_name = file.kind == ChangeKind::rename ? *header.rename_from : *header.copy_from;
    new_name = file.kind == ChangeKind::rename ? *header.rename_to : *header.copy_to;
    if (old_name == new_name) in.fail("a file is renamed or copied to itself");
    if (starts_with(new_name, old_name + "/")) in.fail("a file is renamed or copied to a place below itself");
  } else {
    old_name = new_name = one_name(in, names, file, sides);
  }
  const bool sides_agree = !sides || ((sides->old_side.is_null || sides->old_side.name == old_name) &&
                                      (sides->new_side.is_null || sides->new_side.name == new_name));
  if (!sides_agree || !header_names_are(names, old_name, new_name))
    in.fail("the lines of this header name different files");
  if (file.kind != ChangeKind::create) file.old_path = std::move(old_name);
  if (file.kind != ChangeKind::remove) file.new_path = std::move(new_name);
}

FilePatch parse_git_header(LineReader& in) {
  if (!in.has_newline()) in.fail("the patch ends inside a header");
  const LineReader first = in;
  const std::string_view names = in.line().substr(kGitHeader.size());
  in.advance();
  const ExtendedHeader header = parse_extended_header(in);
  const std::optional<ChangeKind> kind = header.kind();
  if (!kind) first.fail("the lines of this header contradict each other, or one is missing");

  FilePatch file;
  file.kind = *kind;
  file.similarity = header.similarity;
  file.old_id = header.old_id.value_or("");
  file.new_id = header.new_id.value_or("");
  set_modes(first, header, file);
  std::optional<Sides> sides;
  if (starts_with(in.line(), kMinus) || starts_with(in.line(), kPlus)) sides = read_sides(in);
  set_names(first, names, header, sides, file);
  return file;
}

/// A heuristic: GNU diff -N dates a missing side to the start of 1970, in the local time zone.
bool is_epoch(const SideName& side) {
  return starts_with(side.after, "1970-01-01 ") || starts_with(side.after, "1969-12-31 ");
}

FilePatch parse_traditional_header(LineReader& in) {
  const LineReader first = in;
  const Sides sides = read_sides(in);
  if (is_epoch(sides.old_side) || is_epoch(sides.new_side))
    first.fail("a date of 1970 in a file header is ambiguous: the file may be created or removed",
               "write /dev/null for the side that does not exist, or make the patch with git diff");
  FilePatch file;
  if (sides.old_side.is_null) {
    file.kind = ChangeKind::create;
    file.new_mode = FileMode::regular;
    file.new_path = sides.new_side.name;
  } else if (sides.new_side.is_null) {
    file.kind = ChangeKind::remove;
    file.old_mode = FileMode::regular;
    file.old_path = sides.old_side.name;
  } else if (sides.old_side.name == sides.new_side.name) {
    file.old_path = sides.old_side.name;
    file.new_path = sides.new_side.name;
  } else {
    first.fail("the lines '---' and '+++' name different files");
  }
  return file;
}

}  // namespace

std::optional<UnquotedName> unquote_name(std::string_view text) {
  if (text.empty() || text[0] != '"') return std::nullopt;
  text.remove_prefix(1);
  UnquotedName unquoted;
  while (!text.empty()) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c == '"') {
      unquoted.rest = text;
      return unquoted;
    }
    if (c != '\\') {
      unquoted.name += c;
      continue;
    }
    const std::optional<char> byte = read_escape(text);
    if (!byte) return std::nullopt;
    unquoted.name += *byte;
  }
  return std::nullopt;
}

std::optional<std::string_view> strip_component(std::string_view name) {
  const std::size_t slash = name.find('/');
  const bool has_rest = slash != std::string_view::npos && slash != 0 && slash + 1 < name.size();
  return has_rest ? std::optional(name.substr(slash + 1)) : std::nullopt;
}

std::optional<SideName> parse_side_name(std::string_view text) {
  SideName side;
  std::string spelled;
  if (!text.empty() && text[0] == '"') {
    std::optional<UnquotedName> unquoted = unquote_name(text);
    if (!unquoted || (!unquoted->rest.empty() && unquoted->rest[0] != '\t')) return std::nullopt;
    spelled = std::move(unquoted->name);
    side.after = unquoted->rest.substr(unquoted->rest.empty() ? 0 : 1);
  } else {
    const std::size_t tab = text.find('\t');
    spelled = std::string(text.substr(0, tab));
    side.after = tab == std::string_view::npos ? std::string_view() : text.substr(tab + 1);
    side.is_null = spelled == "/dev/null";
  }
  if (side.is_null) return side;
  const std::optional<std::string_view> name = strip_component(spelled);
  if (!name) return std::nullopt;
  side.name = std::string(*name);
  return side;
}

std::optional<std::string> common_header_name(std::string_view names) {
  if (names.size() > kMaxNames) return std::nullopt;
  if (!names.empty() && names[0] == '"') {
    std::optional<Halves> halves = split_quoted(names);
    if (!halves || !is_name(halves->second, halves->first)) return std::nullopt;
    return std::move(halves->first);
  }
  for (std::size_t space = names.find(' '); space != std::string_view::npos; space = names.find(' ', space + 1)) {
    const std::optional<std::string_view> first = strip_component(names.substr(0, space));
    if (first && is_name(names.substr(space + 1), *first)) return std::string(*first);
  }
  return std::nullopt;
}

bool header_names_are(std::string_view names, std::string_view old_name, std::string_view new_name) {
  if (!names.empty() && names[0] == '"') {
    const std::optional<Halves> halves = split_quoted(names);
    return halves && halves->first == old_name && is_name(halves->second, new_name);
  }
  const std::size_t slash = names.find('/');
  if (slash == std::string_view::npos || slash == 0) return false;
  const std::size_t end = slash + 1 + old_name.size();
  return end < names.size() && names.substr(slash + 1, old_name.size()) == old_name && names[end] == ' ' &&
         is_name(names.substr(end + 1), new_name);
}

bool is_file_header(const LineReader& in) {
  return starts_with(in.line(), kGitHeader) || (starts_with(in.line(), kMinus) && starts_with(in.next_line(), kPlus));
}

FilePatch parse_file_header(LineReader& in) {
  return starts_with(in.line(), kGitHeader) ? parse_git_header(in) : parse_traditional_header(in);
}

}  // namespace torchpatch::patch
