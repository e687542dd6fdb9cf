// SPDX-License-Identifier: BSD-3-Clause
#include "source/archive_contents.h"

#include <algorithm>

#include "source/wire.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::source {
namespace {

constexpr std::string_view kKind = "torchpatch archive 1";

auto lower_bound(const std::vector<ArchiveEntry>& entries, std::string_view path) {
  return std::lower_bound(entries.begin(), entries.end(), path,
                          [](const ArchiveEntry& entry, std::string_view key) { return entry.path < key; });
}

/// Returns the directory that every path lies in, or empty text.
std::string top_directory(const std::vector<ArchiveEntry>& entries) {
  if (entries.empty()) return {};
  const std::string prefix = entries.front().path.substr(0, entries.front().path.find('/') + 1);
  const bool is_shared = !prefix.empty() && std::all_of(entries.begin(), entries.end(), [&](const ArchiveEntry& entry) {
    return starts_with(entry.path, prefix);
  });
  return is_shared ? prefix.substr(0, prefix.size() - 1) : "";
}

}  // namespace

const ArchiveEntry* ArchiveContents::find(std::string_view path) const {
  const auto found = lower_bound(entries, path);
  return found != entries.end() && found->path == path ? &*found : nullptr;
}

bool ArchiveContents::has_below(std::string_view directory) const {
  if (directory.empty()) return !entries.empty();
  const std::string prefix = concat(directory, "/");
  const auto found = lower_bound(entries, prefix);
  return found != entries.end() && starts_with(found->path, prefix);
}

void arrange(ArchiveContents& contents) {
  contents.top = top_directory(contents.entries);
  if (!contents.top.empty()) {
    for (ArchiveEntry& entry : contents.entries) entry.path.erase(0, contents.top.size() + 1);
  }
  std::sort(contents.entries.begin(), contents.entries.end(),
            [](const ArchiveEntry& a, const ArchiveEntry& b) { return a.path < b.path; });
}

std::string encode_archive_contents(const ArchiveContents& contents) {
  WireWriter writer;
  for (const std::string_view text :
       {kKind, std::string_view(contents.format), std::string_view(contents.commit), std::string_view(contents.top)}) {
    writer.text(text);
  }
  writer.number(contents.entries.size());
  for (const ArchiveEntry& entry : contents.entries) {
    writer.text(entry.path);
    writer.number(static_cast<std::uint32_t>(entry.mode));
    writer.id(entry.blob);
    writer.number(entry.unix_blob ? 1 : 0);
    if (entry.unix_blob) writer.id(*entry.unix_blob);
  }
  return writer.take();
}

ArchiveContents decode_archive_contents(std::string_view bytes) {
  WireReader reader(bytes);
  if (reader.text() != kKind) throw Error(ErrorKind::source, "these are not the contents of an archive");
  ArchiveContents contents;
  contents.format = reader.text();
  contents.commit = reader.text();
  contents.top = reader.text();
  for (std::uint64_t count = reader.number(); count > 0; --count) {
    ArchiveEntry entry;
    entry.path = reader.path();
    entry.mode = reader.file_mode();
    entry.blob = reader.id();
    if (reader.flag()) entry.unix_blob = reader.id();
    contents.entries.push_back(std::move(entry));
  }
  reader.finish();
  return contents;
}

}  // namespace torchpatch::source
