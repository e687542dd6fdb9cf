// SPDX-License-Identifier: BSD-3-Clause
#include "ops/keep/bundle.h"

#include <algorithm>

#include "git/library.h"
#include "model/url.h"
#include "ops/keep/read_bundle.h"
#include "source/bare_repository.h"
#include "support/error.h"
#include "support/file_digest.h"
#include "support/text.h"
#include "tree/staging.h"

namespace torchpatch::ops {

namespace {

std::vector<std::string> releases_of(const emit::BundleIndex& index) {
  std::vector<std::string> releases;
  for (const emit::BundleClosure& closure : index.closures) {
    if (std::find(releases.begin(), releases.end(), closure.release) == releases.end()) {
      releases.push_back(closure.release);
    }
  }
  return releases;
}

void describe_index(const emit::BundleIndex& index, emit::BundleReport& report) {
  report.releases = releases_of(index);
  report.repositories = index.repositories.size();
  for (const emit::BundleRepository& repository : index.repositories) {
    report.commits += repository.commits.size();
    report.objects += repository.objects;
  }
}

/// Compares the pins with those of the catalog's release.
void compare_pins(const emit::BundleClosure& closure, const Catalog& catalog, emit::BundleReport& report) {
  const auto found = catalog.releases.find(*Version::parse(closure.release));
  if (found == catalog.releases.end()) {
    report.notes.push_back(concat("this catalog has no release ", closure.release, ": its pins are not compared"));
    return;
  }
  for (const emit::BundlePin& pin : closure.components) {
    const ComponentPin* const known = found->second.find(pin.component);
    if (known && known->commit == pin.commit && canonical_url(known->url) == canonical_url(pin.url)) continue;
    report.problems.push_back(concat("release ", closure.release, ": ", component_name(pin.component), " is commit ",
                                     pin.commit.hex(), " of ", redact_url(pin.url), ", in the catalog ",
                                     known ? concat(known->commit.hex(), " of ", redact_url(known->url)) : "nothing"));
  }
}

}  // namespace

emit::BundleReport verify_bundle(const std::string& file, const Catalog& catalog, int jobs, Console& console) {
  git::initialize_library();
  emit::BundleReport report;
  report.file = file;
  const FileDigest digest = digest_of_file(open_regular_file(file, "the bundle "), file);
  report.sha256 = digest.sha256.hex();
  report.size = digest.size;
  try {
    const BundleFile bundle(file);
    describe_index(bundle.index(), report);
    const TempDir directory;
    report.problems = read_bundle(bundle, directory.path(), jobs, console);
    for (const emit::BundleClosure& closure : bundle.index().closures) compare_pins(closure, catalog, report);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    report.problems.push_back(error.message());
  }
  std::sort(report.notes.begin(), report.notes.end());
  report.notes.erase(std::unique(report.notes.begin(), report.notes.end()), report.notes.end());
  return report;
}

emit::MirrorReport unpack_bundle(const std::string& file, const std::string& output, int jobs, Console& console) {
  git::initialize_library();
  const BundleFile bundle(file);
  tree::Staging staging(output, tree::IfExists::refuse, console);
  const std::vector<std::string> problems = read_bundle(bundle, staging.path(), jobs, console);
  if (!problems.empty()) {
    throw Error(ErrorKind::data,
                concat("unpacking the bundle ", quote(file), ": it is not what it says\n  ", join(problems, "\n  ")),
                "bring it again from where it was made, and compare its SHA-256");
  }
  emit::MirrorReport report{"unpacked", output, releases_of(bundle.index()), {}};
  for (const emit::BundleRepository& repository : bundle.index().repositories) {
    emit::MirroredRepository row{
        repository.url, source::repository_path(output, repository.url), {}, repository.objects, repository.objects,
        repository.size};
    for (const emit::BundleCommit& commit : repository.commits) row.commits.push_back(commit.commit);
    report.repositories.push_back(std::move(row));
  }
  staging.commit(false);
  return report;
}

}  // namespace torchpatch::ops
