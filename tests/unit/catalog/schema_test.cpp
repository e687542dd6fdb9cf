// SPDX-License-Identifier: BSD-3-Clause
// docs/schema is for editors, and generated from what the loaders read by. These tests generate it, and keep the data
// and docs/formats.md together with it.

#include <algorithm>
#include <cstdlib>
#include <regex>

#include "catalog/load_catalog.h"
#include "model/catalog.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/json_schema.h"
#include "support/schema_writer.h"
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
      {std::regex("build_sizes[.]json"), "build_sizes"},
      {std::regex("evidence[.]json"), "evidence"},
      {std::regex("advisories[.]json"), "advisories"}};
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
  for (const std::string file : {"moved_repositories.json", "variables.json", "cores.json", "platforms.json",
                                 "build_sizes.json", "evidence.json", "advisories.json"})
    if (file_exists(concat(directory, "/", file))) files.push_back(file);
  return files;
}

/// A format that FIELDS describes, and what its schema says of it.
struct Format {
  std::string name, title, description;
  Json (*schema)(const std::string& title, const std::string& description);
};

template <typename Value>
Json schema_of_file(const std::string& title, const std::string& description) {
  return schema_of_format<Value>(title, description);
}

const std::vector<Format> kFormats = {
    {"release", "releases/<version>.json", "One PyTorch version and its companions, pinned by commit.",
     schema_of_file<Release>},
    {"board", "boards/<id>.json", "A target machine as capabilities, with its images.", schema_of_file<Board>},
    {"issue", "the json block of known_issues/<id>.md", "The metadata of a known issue.", schema_of_file<Issue>},
    {"patchset", "patchsets/<id>/patchset.json", "The patches of one fix, in variants.", schema_of_file<Patchset>},
    {"certificates", "patchsets/<id>/certificates/<release>.json",
     "The results of patches on files of pinned commits; written by torchpatch patch certify.",
     schema_of_file<CertificateFile>},
    {"proof", "patchsets/<id>/proof.json",
     "Commands that fail on the pinned tree without the patchset and pass with it.", schema_of_file<ProofSet>},
    {"proof_records", "patchsets/<id>/proofs/<release>.json",
     "Outcomes of proofs; written by torchpatch prove --record.", schema_of_file<ProofRecordFile>},
    {"results", "results/<release>.json",
     "Plan digest → git tree of each component with submodules inlined; written by torchpatch results record.",
     schema_of_file<ResultFile>},
    {"approval", "approvals/<name>.json", "What somebody reviewed and signed; written by torchpatch audit approve.",
     schema_of_file<Approval>},
    {"manifest", "torchpatch/manifest.json",
     "What was prepared: enough to verify it and to build it again. Written by torchpatch prepare.",
     schema_of_file<Manifest>},
    {"moved_repositories", "moved_repositories.json",
     "Current URLs of repositories that are no longer at their recorded URL.", schema_of_file<MovedRepositories>},
    {"variables", "variables.json", "Variables of builds that are not in the flags of a release.",
     schema_of_file<VariableTable>},
    {"cores", "cores.json", "CPU cores of Arm's 64-bit architecture, and the flags of each gcc for them.",
     schema_of_file<CoreTable>},
    {"platforms", "platforms.json",
     "What a wheel may require of a system: by the platform that its name claims, and by the system of an image.",
     schema_of_file<PlatformTable>},
    {"build_sizes", "build_sizes.json", "Time and space that builds took, by which jobs are sized.",
     schema_of_file<BuildSizes>},
    {"evidence", "evidence.json", "What was configured, built and run, and where that is documented.",
     schema_of_file<EvidenceTable>},
    {"advisories", "advisories.json",
     "Published vulnerabilities of PyTorch and of what it bundles, judged for each release.",
     schema_of_file<AdvisoryTable>}};

/// Returns the JSON of a data file, of a page that of its metadata; nothing if it is not strict.
std::optional<Json> data_of(const std::string& path) {
  Findings findings;
  const std::string text = read_file(path);
  std::optional<Json> json = parse_json(ends_with(path, ".md") ? metadata_of(text) : text, path, 1, findings);
  return findings.empty() ? json : std::nullopt;
}

}  // namespace

TEST_CASE("docs/schema: is what FIELDS describes") {
  for (const Format& format : kFormats) {
    const std::string file = concat(kRoot, "/docs/schema/", format.name, ".schema.json");
    const std::string text = canonical_json(format.schema(format.title, format.description), file);
    if (std::getenv("TORCHPATCH_ACCEPT") != nullptr) write_file_atomically(file, text);
    INFO("to accept the new text: TORCHPATCH_ACCEPT=1 tools/test");
    CHECK((file_exists(file) ? read_file(file) : "") == text);
  }
}

// The schemas of tests/data/schema were kept by hand beside readers of their own, until both were generated.
TEST_CASE("docs/schema: judges every data file and every invalid case as the schemas that were kept by hand did") {
  // Cases of tests/data/invalid that a generated schema does not refuse: they are left to check_fields, and the loader
  // refuses them.
  const std::set<std::string> differences = {"patchset/override-of-a-component.json",
                                             "proof-record/verdict-no-tool.json", "release/no-torch.json"};
  const std::map<std::string, std::string> schema_of_kind = {{"release", "release"},
                                                             {"board", "board"},
                                                             {"board-beside", "board"},
                                                             {"issue", "issue"},
                                                             {"issue-beside", "issue"},
                                                             {"patchset", "patchset"},
                                                             {"patchset-beside", "patchset"},
                                                             {"certificate", "certificates"},
                                                             {"proof", "proof"},
                                                             {"proof-record", "proof_records"},
                                                             {"result", "results"},
                                                             {"moved", "moved_repositories"},
                                                             {"variables", "variables"},
                                                             {"cores", "cores"},
                                                             {"platforms", "platforms"},
                                                             {"build-sizes", "build_sizes"},
                                                             {"layer-release", "release"},
                                                             {"layer-board", "board"},
                                                             {"layer-certificate", "certificates"},
                                                             {"layer-result", "results"}};
  std::vector<std::pair<std::string, std::string>> files;  // path below the checkout, schema
  for (const std::string& path : catalog_files(kRoot))
    if (const std::string schema = schema_of(path); !schema.empty()) files.emplace_back(path, schema);
  const std::string invalid = "tests/data/invalid/";
  for (const std::string& path : list_files_below(concat(kRoot, "/", invalid)))
    if (const auto found = schema_of_kind.find(path.substr(0, path.find('/')));
        found != schema_of_kind.end() && !ends_with(path, ".err"))
      files.emplace_back(invalid + path, found->second);
  std::size_t refused = 0;
  for (const auto& [path, schema] : files) {
    const std::optional<Json> data = data_of(concat(kRoot, "/", path));
    if (!data) continue;
    INFO(path);
    const std::string directory = kRoot + "/tests/data/schema";
    if (schema == "advisories" || schema == "evidence") continue;  // which came later
    const Json& by_hand = json_of_file(concat(directory, "/", schema, ".schema.json"));
    const bool was_refused = !schema_problems(by_hand, *data, directory).empty();
    const std::vector<std::string> problems = schema_problems(read_schema(schema), *data);
    CAPTURE(problems);
    CHECK((!problems.empty() != was_refused) ==
          differences.contains(path.substr(std::min(invalid.size(), path.size()))));
    refused += was_refused ? 1 : 0;
  }
  CHECK(files.size() > 900);
  CHECK(refused > 50);
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

TEST_CASE("evidence.json: each source is a section of a document that names the release") {
  const Catalog catalog = load_catalog({{"shipped", kRoot}});
  CHECK(catalog.evidence.size() > 30);
  for (const BuildEvidence& each : catalog.evidence) {
    INFO(each.source);
    const std::size_t colon = each.source.find(": ");
    REQUIRE(colon != std::string::npos);
    const std::string document = read_file(concat(kRoot, "/", each.source.substr(0, colon)));
    CHECK(document.find(concat("\n## ", each.source.substr(colon + 2), "\n")) != std::string::npos);
    CHECK(document.find(each.release) != std::string::npos);
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
                                                                     {"## evidence.json", "evidence"},
                                                                     {"## advisories.json", "advisories"},
                                                                     {"## What `check` prints", "output/check"},
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
  CHECK(schema_problems(read_schema("output/check"), parse(read_file(file), file)) == std::vector<std::string>{});
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

}  // namespace torchpatch::catalog
