// SPDX-License-Identifier: BSD-3-Clause
#include "model/recipe.h"

#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

Document recipe_document(const RecipeReport& report) {
  const std::string files = counted(report.files, "file");
  if (report.is_written) {
    return {.title = concat("wrote ", files, " to ", shell_quote(report.directory)),
            .blocks = {Terms{{{"next", said(concat("read ", shell_quote(report.directory + "/README.md")))}}}}};
  }
  Items different;
  for (const std::string& name : report.different) different.items.push_back(said("different " + quote(name)));
  return {.title = concat(quote(report.directory), ": ", files, ", differences: ", report.different.size()),
          .blocks = {different}};
}

}  // namespace torchpatch::report
