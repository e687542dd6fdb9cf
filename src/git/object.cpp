// SPDX-License-Identifier: BSD-3-Clause
#include "git/object.h"

#include <algorithm>
#include <array>

#include "support/text.h"

namespace torchpatch::git {

namespace {

/// Indexed by type number minus 1.
constexpr std::array kTypeNames = {"commit", "tree", "blob", "tag"};
constexpr std::size_t kMaxModeDigits = 7;
constexpr std::int64_t kLastSecond = 253402300799;  // 9999-12-31 23:59:59

[[noreturn]] void fail_parsing(const std::string& what, const std::string& reason) {
  throw Error(ErrorKind::source, concat("reading a ", what, " object: ", reason));
}

bool is_directory(const TreeEntry& entry) { return entry.mode == "40000" || entry.mode == "040000"; }

/// git's order: bytewise, with a slash appended to names of directories.
bool comes_before(const TreeEntry& a, const TreeEntry& b) {
  const std::size_t common = std::min(a.name.size(), b.name.size());
  const int order = a.name.compare(0, common, b.name, 0, common);
  if (order != 0) return order < 0;
  const auto next = [common](const TreeEntry& entry) {
    if (entry.name.size() > common) return static_cast<unsigned char>(entry.name[common]);
    return static_cast<unsigned char>(is_directory(entry) ? '/' : '\0');
  };
  return next(a) < next(b);
}

/// Removes the first entry from `bytes` and returns it.
TreeEntry take_entry(std::string_view& bytes) {
  const std::size_t space = bytes.find(' ');
  if (space == std::string_view::npos || space == 0 || space > kMaxModeDigits ||
      bytes.find_first_not_of("01234567") != space)
    fail_parsing("tree", "an entry has no octal mode");
  const std::size_t end = bytes.find('\0', space);
  if (end == std::string_view::npos || bytes.size() - end - 1 < sizeof ObjectId::bytes)
    fail_parsing("tree", "it ends inside an entry");
  TreeEntry entry{std::string(bytes.substr(0, space)), std::string(bytes.substr(space + 1, end - space - 1)),
                  ObjectId::from_bytes(bytes.data() + end + 1)};
  bytes.remove_prefix(end + 1 + sizeof ObjectId::bytes);
  return entry;
}

/// A file "a" and a directory "a" need not be adjacent in the order.
void check_unique(const std::vector<TreeEntry>& entries) {
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const TreeEntry& entry : entries) names.push_back(entry.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) fail_parsing("tree", concat("it names ", quote(*twice), " twice"));
}

/// Removes a line that begins with `word` and a space from `bytes`; returns its rest, or nothing.
std::optional<std::string_view> take_line(std::string_view& bytes, std::string_view word) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos || end <= word.size() || bytes.substr(0, word.size()) != word ||
      bytes[word.size()] != ' ')
    return std::nullopt;
  const std::string_view rest = bytes.substr(word.size() + 1, end - word.size() - 1);
  bytes.remove_prefix(end + 1);
  return rest;
}

ObjectId parse_commit_id(std::optional<std::string_view> hex) {
  const auto id = hex ? ObjectId::parse(*hex) : std::nullopt;
  if (!id) fail_parsing("commit", "it has no tree or a malformed parent");
  return *id;
}

/// Parses the time in "Name <mail> 1556649600 +0000".
std::int64_t parse_time(std::string_view person) {
  const std::size_t mail_end = person.rfind("> ");
  if (mail_end == std::string_view::npos) fail_parsing("commit", "its committer has no time");
  const std::string_view time = person.substr(mail_end + 2);
  const auto seconds = parse_decimal(time.substr(0, time.find(' ')));
  if (!seconds || *seconds > static_cast<std::uint64_t>(kLastSecond))
    fail_parsing("commit", "its time is out of range");
  return static_cast<std::int64_t>(*seconds);
}

/// Parses the zone at the end of "Name <mail> 1556649600 -0700"; returns seconds, 0 if there is none.
std::int64_t parse_zone(std::string_view person) {
  constexpr std::size_t kLength = 5;
  if (person.size() < kLength) return 0;
  const std::string_view zone = person.substr(person.size() - kLength);
  const bool is_zone = (zone[0] == '+' || zone[0] == '-') &&
                       std::ranges::all_of(zone.substr(1), [](char c) { return c >= '0' && c <= '9'; });
  if (!is_zone) return 0;
  const auto digit = [&](std::size_t at) { return static_cast<std::int64_t>(zone[at] - '0'); };
  const std::int64_t minutes = (digit(1) * 10 + digit(2)) * 60 + digit(3) * 10 + digit(4);
  return (zone[0] == '-' ? -minutes : minutes) * 60;
}

/// Returns the first line of a commit's message, which begins after the first empty line.
std::string subject_of(std::string_view bytes) {
  const std::size_t header_end = starts_with(bytes, "\n") ? 0 : bytes.find("\n\n");
  if (header_end == std::string_view::npos) return {};
  const std::string_view message = trim(bytes.substr(header_end));
  return std::string(trim(message.substr(0, message.find('\n'))));
}

}  // namespace

const char* object_type_name(ObjectType type) { return kTypeNames[static_cast<std::size_t>(type) - 1]; }

std::optional<ObjectType> object_type_of(std::string_view name) {
  const auto found = std::ranges::find(kTypeNames, name);
  return object_type_of(static_cast<unsigned>(found - kTypeNames.begin()) + 1);
}

std::optional<ObjectType> object_type_of(unsigned number) {
  if (number == 0 || number > kTypeNames.size()) return std::nullopt;
  return static_cast<ObjectType>(number);
}

Error object_too_large(const ObjectId& id, std::uint64_t size, const std::string& name) {
  return Error(ErrorKind::unsafe, concat("reading object ", id.hex(), " from ", quote(name), ": it has ", size,
                                         " bytes, more than the ", kMaxObjectBytes, " that torchpatch reads"));
}

std::vector<TreeEntry> parse_tree(std::string_view bytes) {
  std::vector<TreeEntry> entries;
  while (!bytes.empty()) {
    entries.push_back(take_entry(bytes));
    const std::size_t count = entries.size();
    if (count > 1 && !comes_before(entries[count - 2], entries[count - 1]))
      fail_parsing("tree", concat(quote(entries[count - 1].name), " is not in git's order"));
  }
  check_unique(entries);
  return entries;
}

std::string format_tree(std::vector<TreeEntry> entries) {
  std::ranges::sort(entries, comes_before);
  std::string bytes;
  for (const TreeEntry& entry : entries)
    bytes.append(entry.mode).append(1, ' ').append(entry.name).append(1, '\0').append(entry.id.view());
  return bytes;
}

Commit parse_commit(std::string_view bytes) {
  Commit commit;
  commit.tree = parse_commit_id(take_line(bytes, "tree"));
  while (const auto parent = take_line(bytes, "parent")) commit.parents.push_back(parse_commit_id(parent));
  if (!take_line(bytes, "author")) fail_parsing("commit", "it has no author");
  const auto committer = take_line(bytes, "committer");
  if (!committer) fail_parsing("commit", "it has no committer");
  commit.time = parse_time(*committer);
  commit.zone = parse_zone(*committer);
  commit.subject = subject_of(bytes);
  return commit;
}

ObjectId parse_tag(std::string_view bytes) {
  const auto hex = take_line(bytes, "object");
  const auto id = hex ? ObjectId::parse(*hex) : std::nullopt;
  if (!id) fail_parsing("tag", "it names no object");
  const auto name = take_line(bytes, "type");
  if (!name || !object_type_of(*name)) fail_parsing("tag", "it does not name the type of its object");
  return *id;
}

}  // namespace torchpatch::git
