// SPDX-License-Identifier: BSD-3-Clause
#include "ops/docs/docs.h"

#include <map>
#include <memory>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/shared_options.h"
#include "report/show.h"
#include "report/site/site.h"
#include "support/text.h"

namespace torchpatch::cli {
namespace {

struct DocsLine {
  CatalogOptions catalog;
  std::string output;
  std::string format;
  bool replace = false;
  bool json = false;
};

/// A form of the documentation.
struct DocsForm {
  const char* first;  ///< what there is to open
  std::vector<SiteFile> (*files)(const SiteData& data);
};

const std::map<std::string, DocsForm>& docs_forms() {
  static const std::map<std::string, DocsForm> forms = {{"html", {"index.html", report::site_html}},
                                                        {"md", {"README.md", report::site_markdown}},
                                                        {"man", {"torchpatch-issues.7", report::site_man}},
                                                        {"json", {"torchpatch-docs.json", report::site_json}}};
  return forms;
}

int docs(const DocsLine& line, Context& context) {
  const DocsForm& form = docs_forms().at(line.format.empty() ? "html" : line.format);
  const Catalog catalog = load_catalog(line.catalog, context.environment);
  const ops::WrittenDocs written =
      ops::write_docs(form.files(ops::make_site_data(catalog)),
                      {line.output, line.replace ? tree::IfExists::replace : tree::IfExists::refuse}, context.console);
  const std::string first = line.output + "/" + form.first;
  if (line.json) {
    print(context, report::docs_report({line.output, first, written.files, written.bytes}));
  } else {
    print(context, concat("wrote ", written.files, " files, ", (written.bytes + 500) / 1000, " kB, to ",
                          printable(line.output), "\nnext: open ", printable(first), "\n"));
  }
  return kDone;
}

Action declare_docs(OptionSet& options) {
  const auto line = std::make_shared<DocsLine>();
  options.value("-o,--output", line->output, "DIR", "directory to write", Need::required);
  options.choice("--format", line->format, {"html", "md", "man", "json"}, "form of the documentation; default: html");
  options.flag("--replace", line->replace, "swap documentation that torchpatch wrote before for the new one");
  declare_catalog_options(options, line->catalog);
  options.flag("--json", line->json, "print what was written as JSON");
  return [line](Context& context) { return docs(*line, context); };
}

}  // namespace

Command docs_command() {
  return {.name = "docs",
          .summary = "write the known issues, boards and releases as a site to read",
          .details =
              "Writes a site of plain files: a search that takes an error message or a whole build log and finds the "
              "known issue, a page for each issue, board, release and patchset, and the coverage map. It needs no "
              "server and no network, and without JavaScript there is an index of symptoms. The other forms are "
              "Markdown for GitHub, manual pages of section 7, and one JSON file (docs/formats.md).\n\n"
              "Everything comes from the catalog; the same catalog gives the same bytes. DIR is written whole or not "
              "at all; with --replace, documentation of before is swapped for the new one, unless somebody put other "
              "files into it.",
          .examples = {"torchpatch docs --output site",
                       "torchpatch docs --output man7 --format man && man -l man7/*cmake-4.7",
                       "torchpatch docs --catalog ~/our-boards --output site --replace"},
          .declare = declare_docs};
}

}  // namespace torchpatch::cli
