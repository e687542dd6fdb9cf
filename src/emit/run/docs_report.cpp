// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "emit/format/json_text.h"
#include "emit/run/reports.h"

namespace torchpatch::emit {

std::string docs_report(const DocsReport& report) {
  const nlohmann::ordered_json root = {{"schema", 1},
                                       {"output", report.output},
                                       {"first", report.first},
                                       {"files", report.files},
                                       {"bytes", report.bytes}};
  return report_json(root);
}

}  // namespace torchpatch::emit
