// SPDX-License-Identifier: BSD-3-Clause
#include "record/json.h"
#include "report/reports.h"

namespace torchpatch::report {

Json data_finding_json(const Finding& finding) {
  return {{"file", finding.file}, {"line", finding.line}, {"key", finding.key}, {"message", finding.message}};
}

Json error_json(const Error& error) {
  return {{"schema", 1},
          {"error",
           {{"code", name_of(error.kind())},
            {"exit_code", static_cast<int>(error.kind())},
            {"message", error.message()},
            {"hint", record::text_or_null(error.hint())},
            {"context", error.context()},
            {"findings", record::array_of(error.findings(), data_finding_json)}}}};
}

}  // namespace torchpatch::report
