// SPDX-License-Identifier: BSD-3-Clause
// docs/schema is for editors; the loaders decide. These tests keep the two, the data and docs/formats.md together.

#include <algorithm>
#include <regex>

#include "model/issue.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/json_schema.h"
#include "support/source_directory.h"
#include "support/text.h"

namespace torchpatch::catalog {
namespace {

using namespace torchpatch::test;

const std::string kRoot = source_directory();

Json parse(const std::string& text, const std::string& file) {
  Findings findings;
  const std::optional<Json> json = parse_json(text, file, 1, findings);
  findings.raise_if_any("reading a test's JSON");
  return *json;
}

const Json& read_schema(const std::string& name) {
  return json_of_file(concat(kRoot, "/docs/schema/", name, ".schema.json"));
}

/// Returns the text of the json block of a page.
std::string metadata_of(const std::string& page) {
  const std::size_t begin = page.find("```json\n") + 8;
  return page.substr(begin, page.find("\n```", begin) - begin);
}

/// Returns the schema that a file of a catalog directory follows, or empty text.
std::string schema_of(const std::string& path) {
  static const std::vector<std::pair<std::regex, std::string>> kSchemas = {
      {std::regex("releases/[^/]*[.]json"), "release"},
      {std::regex("boards/[^/]*[.]json"), "board"},
      {std::regex("known_issues/[^/]*[.]md"), "issue"},
      {std::regex("patchsets/[^/]*/patchset[.]json"), "patchset"},
      {std::regex("patchsets/[^/]*/certificates/[^/]*[.]json"), "certificates"},
      {std::regex("patchsets/[^/]*/proof[.]json"), "proof"},
      {std::regex("patchsets/[^/]*/proofs/[^/]*[.]json"), "proof_records"},
      {std::regex("results/[^/]*[.]json"), "results"},
      {std::regex("moved_repositories[.]json"), "moved_repositories"},
      {std::regex("variables[.]json"), "variables"},
      {std::regex("cores[.]json"), "cores"},
      {std::regex("platforms[.]json"), "platforms"},
      {std::regex("build_sizes[.]json"), "build_sizes"}};
  for (const auto& [pattern, schema] : kSchemas)
    if (std::regex_match(path, pattern)) return schema;
  return {};
}

std::vector<std::string> catalog_files(const std::string& directory) {
  std::vector<std::string> files;
  for (const std::string folder : {"releases", "boards", "known_issues", "patchsets", "results"}) {
    if (is_directory(directory + "/" + folder))
      for (const std::string& path : list_files_below(directory + "/" + folder)) files.push_back(folder + "/" + path);
  }
  for (const std::string file :
       {"moved_repositories.json", "variables.json", "cores.json", "platforms.json", "build_sizes.json"})
    if (file_exists(concat(directory, "/", file))) files.push_back(file);
  return files;
}

/// Returns the keys that a reader's source asks for: the first literal of each call that is a bare name.
std::set<std::string> keys_in_source(const std::vector<std::string>& sources) {
  std::set<std::string> keys = {"schema"};  // require_schema()
  const std::regex call("[(][ \n]*(?:[a-z_]+,[ \n]+){0,2}\"([a-z_0-9]+)\"");
  for (const std::string& source : sources) {
    const std::string text = read_file(concat(kRoot, "/src/", source));
    for (std::sregex_iterator found(text.begin(), text.end(), call), end; found != end; ++found)
      keys.insert((*found)[1]);
  }
  return keys;
}

TEST_CASE("docs/schema: names exactly the keys that the readers ask for") {
  const auto check = [](const std::vector<std::string>& schemas, const std::vector<std::string>& sources,
                        const std::set<std::string>& keys_from_values) {
    INFO("schema " << schemas.front());
    std::set<std::string> names;
    for (const std::string& schema : schemas) names.merge(property_names(read_schema(schema)));
    std::set<std::string> expected = keys_in_source(sources);
    expected.insert(keys_from_values.begin(), keys_from_values.end());
    CHECK(names == expected);
  };
  const std::set<std::string> components = {"torch", "vision", "audio"};
  std::set<std::string> facts;
  for (const auto& [name, kind] : known_facts()) facts.insert(name);
  // Readers of small formats stand beside those of the large ones that they go with.
  check({"release", "moved_repositories", "variables"},
        {"catalog/release_file.cpp", "catalog/fields.cpp", "catalog/citations.cpp"}, components);
  check({"board"}, {"catalog/board_file.cpp", "catalog/fields.cpp", "catalog/citations.cpp"}, {});
  check({"cores"}, {"catalog/core_file.cpp"}, {"keys", "source", "sources", "verified"});
  check({"platforms"}, {"catalog/platform_file.cpp"}, {"keys", "source", "sources", "verified"});
  check({"build_sizes"}, {"catalog/build_size_file.cpp"}, {"keys", "source", "sources", "verified"});
  check({"issue"}, {"catalog/issue_file.cpp", "catalog/citations.cpp"}, facts);
  check({"patchset"}, {"catalog/patchset_file.cpp"}, {});
  check({"certificates", "results"}, {"catalog/certificate_file.cpp"}, components);
  check({"proof", "proof_records"}, {"catalog/proof_file.cpp"}, {});
  check({"manifest"}, {"record/manifest_file.cpp"}, components);
  check({"approval"}, {"model/approval.h"}, {});
}

TEST_CASE("docs/schema: every data file conforms") {
  for (const std::string& directory : {kRoot, kRoot + "/tests/data/invalid/base"}) {
    for (const std::string& path : catalog_files(directory)) {
      const std::string schema = schema_of(path);
      if (!schema.empty()) {
        INFO(directory << "/" << path);
        const std::string text = read_file(directory + "/" + path);
        CHECK(schema_problems(read_schema(schema), parse(schema == "issue" ? metadata_of(text) : text, path)) ==
              std::vector<std::string>{});
      }
    }
  }
}

TEST_CASE("docs/formats.md: its examples conform to the schemas") {
  const std::string page = read_file(kRoot + "/docs/formats.md");
  const std::vector<std::pair<std::string, std::string>> examples = {{"## releases/", "release"},
                                                                     {"## boards/", "board"},
                                                                     {"## known_issues/", "issue"},
                                                                     {"## patchsets/", "patchset"},
                                                                     {"### Overrides", "patchset"},
                                                                     {"### Certificates", "certificates"},
                                                                     {"### Proofs", "proof"},
                                                                     {"### Outcomes of proofs", "proof_records"},
                                                                     {"## results/", "results"},
                                                                     {"## approvals/", "approval"},
                                                                     {"## moved_repositories", "moved_repositories"},
                                                                     {"## variables.json", "variables"},
                                                                     {"## cores.json", "cores"},
                                                                     {"## platforms.json", "platforms"},
                                                                     {"## build_sizes.json", "build_sizes"},
                                                                     {"## What `check` prints", "check"},
                                                                     {"## What --json prints", "output/error"}};
  for (const auto& [place, schema] : examples) {
    INFO("the example behind " << place);
    const std::size_t at = page.find(place);
    REQUIRE(at != std::string::npos);
    CHECK(schema_problems(read_schema(schema), parse(metadata_of(page.substr(at)), "formats.md")) ==
          std::vector<std::string>{});
  }
}

TEST_CASE("docs/schema: what check prints conforms") {
  const std::string file = kRoot + "/tests/unit/report/golden/check.json";
  CHECK(schema_problems(read_schema("check"), parse(read_file(file), file)) == std::vector<std::string>{});
}

TEST_CASE("schema_problems: finds what the schemas refuse") {
  const Json schema = read_schema("board");
  const std::string text = read_file(kRoot + "/tests/data/invalid/base/boards/tx2.json");
  const auto problems_with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    return schema_problems(schema, parse(changed.replace(at, from.size(), to), "board"));
  };
  using Problems = std::vector<std::string>;
  CHECK(problems_with("\"arch\"", "\"arhc\"") == Problems{".arch: is missing", ".arhc: unknown key"});
  CHECK(problems_with("8192", "\"8192\"") == Problems{".memory_mib: must be of type integer"});
  CHECK(problems_with("8192", "0") == Problems{".memory_mib: is too small"});
  CHECK(problems_with("\"schema\": 1", "\"schema\": 2") == Problems{".schema: is not the constant"});
  CHECK(problems_with("\"9.0\"", "9") == Problems{".images[0].cuda: is not exactly one of the alternatives"});
  CHECK(problems_with("\"2.7\"", "\"3.5\"") == Problems{".images[0].python: has an item twice"});
  CHECK(problems_with("TORCH_CUDA_ARCH_LIST", "torch") ==
        Problems{".environment.torch: does not match ^_?[A-Z][A-Z0-9_]*$"});
}

}  // namespace
}  // namespace torchpatch::catalog
