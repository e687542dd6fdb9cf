// SPDX-License-Identifier: BSD-3-Clause
#include "archive/commit_note.h"

#include "support/object_id.h"
#include "support/text.h"

namespace torchpatch::archive {
namespace {

std::string id_or_nothing(std::string_view text) { return ObjectId::parse(text) ? std::string(text) : std::string(); }

}  // namespace

std::string commit_of_tar(std::string_view start) {
  constexpr std::size_t kTypeFlag = 156, kRecords = 512, kIdDigits = 40;
  constexpr std::string_view kRecord = "52 comment=";
  if (start.size() < kTarNoteBytes || start[kTypeFlag] != 'g') return {};
  const std::string_view record = start.substr(kRecords);
  return starts_with(record, kRecord) ? id_or_nothing(record.substr(kRecord.size(), kIdDigits)) : std::string();
}

std::string commit_of_zip(std::string_view end) {
  constexpr std::string_view kSignature("PK\5\6", 4), kCommentSize("\x28\0", 2);
  if (end.size() < kZipNoteBytes) return {};
  end = end.substr(end.size() - kZipNoteBytes);
  if (!starts_with(end, kSignature) || end.substr(20, 2) != kCommentSize) return {};
  return id_or_nothing(end.substr(22));
}

}  // namespace torchpatch::archive
