// SPDX-License-Identifier: BSD-3-Clause
// tests/data/invalid/<kind>/<reason>.(json|md) takes one file's place in the catalog tests/data/invalid/base;
// <reason>.err is the whole error. A new pair of files is a new case. TORCHPATCH_ACCEPT=1 in the environment writes the
// .err files.

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "catalog/load_catalog.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/file.h"
#include "support/source_directory.h"
#include "support/text.h"

namespace torchpatch::catalog {
namespace {

namespace fs = std::filesystem;

const std::string kData = torchpatch::test::source_directory() + "/tests/data/invalid";

/// Kind → the place of the file, in the catalog or (with "layer/" in front) in a layer over it.
const std::map<std::string, std::string> kPlaces = {
    {"release", "base/releases/1.1.0.json"},
    {"board", "base/boards/tx2.json"},
    {"board-beside", "base/boards/other.json"},
    {"issue", "base/known_issues/threads.md"},
    {"issue-beside", "base/known_issues/other.md"},
    {"patchset", "base/patchsets/threads/patchset.json"},
    {"patchset-beside", "base/patchsets/helper/patchset.json"},
    {"certificate", "base/patchsets/threads/certificates/1.1.0.json"},
    {"proof", "base/patchsets/threads/proof.json"},
    {"proof-record", "base/patchsets/threads/proofs/1.1.0.json"},
    {"result", "base/results/1.1.0.json"},
    {"moved", "base/moved_repositories.json"},
    {"variables", "base/variables.json"},
    {"cores", "base/cores.json"},
    {"platforms", "base/platforms.json"},
    {"build-sizes", "base/build_sizes.json"},
    {"evidence", "base/evidence.json"},
    {"advisories", "base/advisories.json"},
    {"layer-release", "layer/releases/1.1.0.json"},
    {"layer-board", "layer/boards/tx2.json"},
    {"layer-certificate", "layer/patchsets/threads/certificates/1.1.0.json"},
    {"layer-result", "layer/results/1.1.0.json"},
};

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Returns the error that loading gives, with $DIR for the place of the catalog.
std::string load_error(const std::string& directory) {
  std::vector<Layer> layers = {{"shipped", directory + "/base"}};
  if (is_directory(directory + "/layer")) layers.push_back({"mine", directory + "/layer"});
  try {
    load_catalog(layers);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::data);
    return replace_all(error.message(), directory, "$DIR") + "\n";
  }
  return "no error\n";
}

std::vector<std::string> find_cases() {
  std::vector<std::string> cases;
  for (const std::string& path : list_files_below(kData))
    if (!starts_with(path, "base/") && !ends_with(path, ".err")) cases.push_back(path);
  return cases;
}

TEST_CASE("load_catalog: the base of the invalid cases is valid") { CHECK(load_error(kData) == "no error\n"); }

TEST_CASE("load_catalog: reports each invalid file with its whole error") {
  const std::vector<std::string> cases = find_cases();
  REQUIRE(cases.size() >= 60);
  for (const std::string& path : cases) {
    DYNAMIC_SECTION(path) {
      const TempDir temp;
      fs::copy(kData + "/base", temp.path() + "/base", fs::copy_options::recursive);
      const std::string place = temp.path() + "/" + kPlaces.at(parent_path(path));
      make_directories(parent_path(place));
      fs::copy_file(kData + "/" + path, place, fs::copy_options::overwrite_existing);

      const std::string actual = load_error(temp.path());
      const std::string expected = kData + "/" + path.substr(0, path.rfind('.')) + ".err";
      if (std::getenv("TORCHPATCH_ACCEPT") != nullptr) write_file_atomically(expected, actual);
      CHECK(actual == read_file(expected));
    }
  }
}

}  // namespace
}  // namespace torchpatch::catalog
