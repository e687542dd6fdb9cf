// SPDX-License-Identifier: BSD-3-Clause
// Names of the model's enumerations, as data files and reports spell them.
#include "model/issue.h"
#include "model/plan.h"

namespace torchpatch {

const char* fix_kind_name(FixKind kind) {
  switch (kind) {
    case FixKind::patch:
      return "patch";
    case FixKind::environment:
      return "environment";
    case FixKind::files:
      return "files";
    case FixKind::post_build:
      return "post_build";
    case FixKind::advice:
      return "advice";
  }
  return "";
}

const char* issue_status_name(IssueStatus status) {
  switch (status) {
    case IssueStatus::applied:
      return "applied";
    case IssueStatus::not_affected:
      return "not_affected";
    case IssueStatus::undecided:
      return "undecided";
    case IssueStatus::declined:
      return "declined";
    case IssueStatus::uncertified:
      return "uncertified";
  }
  return "";
}

}  // namespace torchpatch
