// SPDX-License-Identifier: BSD-3-Clause
#include "ops/docs.h"

#include <set>

#include "ops/site_data.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "tree/output_place.h"

namespace torchpatch::ops {
namespace {

const tree::OutputRecord kDocsRecord = {".torchpatch-docs", "documentation by torchpatch",
                                        "it holds files that are no documentation by torchpatch"};

std::vector<emit::SiteFile> make_files(const emit::SiteData& data, DocsFormat format) {
  switch (format) {
    case DocsFormat::html:
      return emit::site_html(data);
    case DocsFormat::markdown:
      return emit::site_markdown(data);
    case DocsFormat::man:
      return emit::site_man(data);
    case DocsFormat::json:
      return emit::site_json(data);
  }
  return {};
}

/// Refuses to replace a directory into which somebody put something (a checkout's .git, a CNAME): it would be lost.
void require_own_files(const std::string& output) {
  const std::string record = output + "/" + kDocsRecord.path;
  std::set<std::string> own = {kDocsRecord.path};
  for (std::string& name : split(read_file(record), '\n')) own.insert(std::move(name));
  for (const std::string& name : list_files_below(output)) {
    if (own.contains(name)) continue;
    throw Error(ErrorKind::environment,
                concat("replacing ", quote(output), ": torchpatch did not write ", quote(name), " in it"),
                "move it away, or write to another directory and copy from there");
  }
}

void write_file(const std::string& root, const emit::SiteFile& file) {
  const std::string path = root + "/" + file.path;
  make_directories(parent_path(path));
  write_file_atomically(path, file.bytes);
}

}  // namespace

WrittenDocs write_docs(const Catalog& catalog, const DocsOptions& options, Console& console) {
  WrittenDocs written;
  written.output = tree::output_path(options.output);
  tree::Staging staging(written.output, options.if_exists, console, kDocsRecord);
  if (tree::output_state(written.output, kDocsRecord) == tree::OutputState::prepared) {
    require_own_files(written.output);
  }
  const emit::SiteData data = make_site_data(catalog);
  std::string record;
  for (const emit::SiteFile& file : make_files(data, options.format)) {
    write_file(staging.path(), file);
    record += file.path + "\n";
    ++written.files;
    written.bytes += file.bytes.size();
  }
  write_file(staging.path(), {kDocsRecord.path, record});
  staging.commit(false);
  return written;
}

}  // namespace torchpatch::ops
