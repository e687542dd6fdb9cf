// SPDX-License-Identifier: BSD-3-Clause
#include "patch/apply.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

std::string describe(Failure failure, const std::string& path, int hunk, const std::string& message) {
  return concat(failure_name(failure), ": ", quote(path), hunk > 0 ? concat(", hunk ", hunk) : "", ": ", message);
}

std::string advice(Failure failure) {
  switch (failure) {
    case Failure::already_applied:
      return "leave the patch out";
    case Failure::wrong_content:
      return "the patch is certified for other content of this file";
    case Failure::conflict:
    case Failure::file_absent:
    case Failure::file_exists:
      return "the patch was made for another version of this tree";
  }
  return "";
}

}  // namespace

const char* failure_name(Failure failure) {
  switch (failure) {
    case Failure::already_applied:
      return "already applied";
    case Failure::conflict:
      return "conflict";
    case Failure::file_absent:
      return "file absent";
    case Failure::file_exists:
      return "file exists";
    case Failure::wrong_content:
      return "wrong content";
  }
  return "";
}

ApplyError::ApplyError(Failure failure, std::string path, int hunk, const std::string& message)
    : Error(ErrorKind::patch, describe(failure, path, hunk, message), advice(failure)),
      failure_(failure),
      path_(std::move(path)),
      hunk_(hunk) {}

}  // namespace torchpatch::patch
