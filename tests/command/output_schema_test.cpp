// SPDX-License-Identifier: BSD-3-Clause
// docs/schema/output says what --json prints. TestWorkspace::run() holds every output of the tests to it; these tests
// say that nothing is left out, neither a command nor a key.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "catalog/load_catalog.h"
#include "cli/command_line.h"
#include "command/toy_workspace.h"
#include "report/reports.h"
#include "report/shown.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/json_schema.h"
#include "support/schema_writer.h"
#include "support/source_directory.h"
#include "support/text.h"

namespace torchpatch::test {
namespace {

using Lines = std::vector<std::vector<std::string>>;

std::set<std::string> json_commands() {
  std::set<std::string> names;
  for (const cli::Command& command : cli::describe_program(cli::command_table()))
    for (const cli::OptionDescription& option : command.options)
      if (option.names.back() == "--json") names.insert(command.name);
  return names;
}

/// Calls `look` with every schema in a schema.
template <typename Look>
void each_schema(const Json& schema, const Look& look) {
  look(schema);
  for (const auto& [key, value] : schema.members) each_schema(value, look);
  for (const Json& item : schema.items) each_schema(item, look);
}

/// Returns whether `shown` has all that `file` has; defaulted members of objects may come in addition.
bool holds_all_of(const Json& shown, const Json& file) {
  if (shown.kind != file.kind) return false;
  if (file.kind == Json::Kind::array) return std::ranges::equal(shown.items, file.items, holds_all_of);
  if (file.kind != Json::Kind::object) return indented_json(shown, -1) == indented_json(file, -1);
  return std::ranges::all_of(file.members, [&](const JsonMember& member) {
    const Json* const found = shown.find(member.name);
    return found && holds_all_of(*found, member.value);
  });
}

std::vector<std::string> problems_of_output(const std::string& command, const Json& printed) {
  const std::string file = output_schema_file(command);
  return schema_problems(json_of_file(file), printed, parent_path(file));
}

/// What a command prints: the schemas of one or more structs, perhaps others by reference.
struct Output {
  std::string name, title, description;
  void (*add)(SchemaWriter& writer, Json& alternatives);
  std::vector<std::string> references{};
};

template <typename... Reports>
void add_schemas(SchemaWriter& writer, Json& alternatives) {
  (alternatives.push_back(writer.reference(Reports{})), ...);
}

void add_error(SchemaWriter& writer, Json& alternatives) {
  alternatives.push_back(writer.reference(Error(ErrorKind::internal, "")));
}

const std::vector<Output> kOutputs = {
    {"audit", "torchpatch audit --json", "What a reviewer reads; with --against how the patches changed.",
     add_schemas<AuditReport, SeriesReport>},
    {"build",
     "torchpatch build --json",
     "The verdict on the wheels; if the build failed, what diagnose prints; of a tree that was changed, what verify "
     "prints.",
     add_schemas<WheelReport, Diagnosis>,
     {"verify.schema.json"}},
    {"cache gc", "torchpatch cache gc --json", "What was removed.", add_schemas<CollectReport>},
    {"cache list", "torchpatch cache list --json", "What is in the cache.", add_schemas<CacheReport>},
    {"cache verify", "torchpatch cache verify --json", "What is wrong in the cache.", add_schemas<CacheCheck>},
    {"check", "torchpatch check --json", "The status of each issue for every release, board and image.",
     add_schemas<CheckReport>},
    {"diagnose", "torchpatch diagnose --json", "The known issues that match a log, best match first.",
     add_schemas<Diagnosis>},
    {"diff", "torchpatch diff --json", "How two trees, manifests or plans differ.", add_schemas<DiffReport>},
    {"docs", "torchpatch docs --json", "What was written.", add_schemas<report::DocsReport>},
    {"doctor", "torchpatch doctor --json", "What will fail on this host.", add_schemas<DoctorReport>},
    {"error", "An error with --json", "What a command prints instead of its result if it ends with an error.",
     add_error},
    {"explain",
     "torchpatch explain --json",
     "Why each known issue does or does not apply; of a tree that differs from what was prepared, what verify prints; "
     "of an "
     "issue alone, what show issue prints.",
     add_schemas<Plan>,
     {"verify.schema.json", "show.schema.json#/$defs/Issue"}},
    {"export",
     "torchpatch export --json",
     "The archive that was written; of a tree that differs from what was prepared, what verify prints.",
     add_schemas<ExportReport>,
     {"verify.schema.json"}},
    {"flags", "torchpatch flags --json", "Which variables a release reads; with --check the mistakes in a script.",
     add_schemas<FlagsReport, FlagCheckReport>},
    {"matrix status", "torchpatch matrix status --json", "The state of each pair.", add_schemas<MatrixStatus>},
    {"mirror", "torchpatch mirror --json", "What was copied, and where.", add_schemas<MirrorReport>},
    {"mirror unpack", "torchpatch mirror unpack --json", "What was copied, and where.", add_schemas<MirrorReport>},
    {"mirror verify", "torchpatch mirror verify --json", "What is wrong with a bundle.", add_schemas<BundleReport>},
    {"outdated", "torchpatch outdated --json", "Upstream's tags that the catalog does not have.",
     add_schemas<OutdatedReport>},
    {"patch refresh", "torchpatch patch refresh --json", "The result for each patch of a work directory.",
     add_schemas<RefreshReport>},
    {"patch remove", "torchpatch patch remove --json",
     "What depends on a variant or patchset, and whether it was removed.", add_schemas<RemovalReport>},
    {"port", "torchpatch port --json", "The result for each patchset that was ported to a release.",
     add_schemas<PortReport>},
    {"prove", "torchpatch prove --json", "The outcomes of proofs.", add_schemas<ProveReport>},
    {"recipe",
     "torchpatch recipe --json",
     "What was written, or with --check which files are not what would be; of a tree that differs from what was "
     "prepared, "
     "what verify prints.",
     add_schemas<RecipeReport>,
     {"verify.schema.json"}},
    {"release add", "torchpatch release add --json", "What was written, and what to review.",
     add_schemas<ReleaseDraft>},
    {"release remove", "torchpatch release remove --json", "What depends on a release, and whether it was removed.",
     add_schemas<RemovalReport>},
    {"show", "torchpatch show --json", "One entry of the catalog in full.",
     add_schemas<Release, Board, Issue, report::ShownPatchset, report::ShownImage, report::ShownFix,
                 report::ShownSetting>},
    {"verify", "torchpatch verify --json",
     "Whether a tree is the pinned commits plus the patches. explain, recipe and export print this of a tree that is "
     "not.",
     add_schemas<VerifyReport>},
    {"kernels", "torchpatch kernels --json", "The kernels of libraries and wheels for a board's GPU.",
     add_schemas<KernelReport>},
    {"wheel check", "torchpatch wheel check --json", "Whether wheels will work on a board.", add_schemas<WheelReport>},
    {"wheel fix-names", "torchpatch wheel fix-names --json", "What was renamed, and where the wheel is.",
     add_schemas<WheelFix>}};

}  // namespace

TEST_CASE("docs/schema/output: is what FIELDS describes") {
  for (const Output& output : kOutputs) {
    Json definitions = Json::object(), alternatives = Json::array();
    SchemaWriter writer(JsonForm::report, definitions);
    output.add(writer, alternatives);
    for (const std::string& file : output.references) alternatives.push_back({{"$ref", file}});
    const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                         {"title", output.title},
                         {"description", output.description},
                         {"oneOf", alternatives},
                         {"$defs", definitions}};
    const std::string file = output_schema_file(output.name), text = canonical_json(schema, file);
    if (std::getenv("TORCHPATCH_ACCEPT") != nullptr) write_file_atomically(file, text);
    INFO(output.name << ": to accept the new text: TORCHPATCH_ACCEPT=1 tools/test");
    CHECK((file_exists(file) ? read_file(file) : "") == text);
  }
}

/// What files have, show prints: all of it, unchanged.
TEST_CASE("show --json: has every member of the data file, for every file of the catalog") {
  const std::string root = source_directory();
  const Catalog catalog = catalog::load_catalog({{"shipped", root}});
  std::size_t checked = 0;
  const auto check = [&](const std::string& kind, const std::string& id, const Json& file) {
    INFO(kind << " " << id);
    CHECK(holds_all_of(report::show_entry(catalog, kind, id).json, file));
    ++checked;
  };
  for (const std::string& name : list_directory(root + "/releases"))
    check("release", name.substr(0, name.rfind('.')), json_of_file(concat(root, "/releases/", name)));
  for (const std::string& name : list_directory(root + "/boards"))
    check("board", name.substr(0, name.rfind('.')), json_of_file(concat(root, "/boards/", name)));
  for (const std::string& id : list_directory(root + "/patchsets"))
    check("patchset", id, json_of_file(concat(root, "/patchsets/", id, "/patchset.json")));
  for (const std::string& name : list_directory(root + "/known_issues")) {
    const std::string page = read_file(concat(root, "/known_issues/", name));
    const std::size_t begin = page.find("```json\n") + 8;
    Findings findings;
    const auto metadata = parse_json(page.substr(begin, page.find("\n```", begin) - begin), name, 1, findings);
    check("issue", name.substr(0, name.rfind('.')), *metadata);
  }
  CHECK(checked > 200);
}

TEST_CASE("docs/schema/output: a schema for each command that has --json, one for errors, and no other") {
  std::set<std::string> expected = {output_schema_file("error")};
  for (const std::string& command : json_commands()) expected.insert(output_schema_file(command));
  std::set<std::string> found;
  const std::string directory = parent_path(output_schema_file("error"));
  for (const std::string& name : list_directory(directory)) found.insert(directory + "/" + name);
  CHECK(found == expected);
}

TEST_CASE("docs/schema: no object takes a key that its schema does not name") {
  const std::string directory = source_directory() + "/docs/schema";
  for (const std::string& name : list_files_below(directory)) {
    INFO(name);
    each_schema(json_of_file(concat(directory, "/", name)), [&](const Json& schema) {
      if (const Json* const type = member(schema, "type"); type && type->string == "object")
        CHECK(member(schema, "additionalProperties") != nullptr);
    });
  }
}

TEST_CASE("docs/formats.md: names every key that --json prints") {
  const std::string page = read_file(source_directory() + "/docs/formats.md");
  const auto is_part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  std::set<std::string> words;
  for (auto begin = page.begin(); begin != page.end();) {
    const auto end = std::find_if_not(begin, page.end(), is_part);
    words.emplace(begin, end);
    begin = std::find_if(end, page.end(), is_part);
  }
  std::set<std::string> keys = property_names(json_of_file(output_schema_file("error")));
  for (const std::string& command : json_commands())
    keys.merge(property_names(json_of_file(output_schema_file(command))));
  std::vector<std::string> missing;
  std::ranges::set_difference(keys, words, std::back_inserter(missing));
  CHECK(missing == std::vector<std::string>{});
}

TEST_CASE("docs/schema/output: what the reports' own tests expect conforms") {
  const std::string golden = source_directory() + "/tests/unit/report/golden/";
  std::size_t count = 0;
  for (const std::string& name : list_directory(golden)) {
    const bool is_companion = starts_with(name, "sbom.") || starts_with(name, "provenance.") || name == "openvex.json";
    if (!ends_with(name, ".json") || is_companion) continue;
    const std::string first = name.substr(0, name.find_first_of("-."));
    const std::string command = first == "plan" ? "explain" : first == "manifest" ? "prepare" : first;
    INFO(name);
    CHECK(problems_of_output(command, json_of_file(golden + name)) == std::vector<std::string>{});
    ++count;
  }
  CHECK(count > 10);
}

TEST_CASE("schema_problems: a key that no schema names is told, behind references to other files as well") {
  Json listed = {{"schema", 1}, {"issues", Json::array()}, {"extra", 1}};
  CHECK(problems_of_output("list", listed).size() > 1);
  CHECK(std::ranges::count(problems_of_output("list", listed), ".extra: unknown key") == 1);
  Json verified = json_of_file(source_directory() + "/tests/unit/report/golden/verify-differences.json");
  CHECK(problems_of_output("export", verified).empty());
  verified["differences"].items.front()["extra"] = 1;
  CHECK(std::ranges::count(problems_of_output("export", verified), ".differences[0].extra: unknown key") == 1);
}

TEST_CASE("json output: every command prints what its schema says") {
  ToyWorkspace toy;
  const std::string out = toy.path("out"), mirror = toy.upstream.mirror();
  toy.upstream.certify();
  for (const char* tag : {"v1.1.0", "v1.2.0"}) git(mirror + "/torch", {"tag", tag, toy.upstream.torch_commit()});
  REQUIRE(toy.run({"patch", "edit", "block-limit", "V1", "--version", "1.1.0", "--mirror", mirror, "--work",
                   toy.path("work")})
              .exit_code == 0);
  toy.write("log", "no error\n");
  toy.write("script", "export USE_NCCL=0\n");
  const Lines toy_lines = {{"prepare", "--version", "1.1.0", "--board", "small", "--mirror", mirror, "--dry-run"},
                           {"prepare", "--version", "1.1.0", "--board", "small", "--mirror", mirror, "--output", out},
                           {"verify", out},
                           {"explain", out},
                           {"explain", "--version", "1.1.0", "--board", "plain"},
                           {"diagnose", toy.path("log")},
                           {"doctor", out},
                           {"flags", "--version", "1.1.0"},
                           {"flags", "--version", "1.1.0", "--check", toy.path("script"), "--board", "small"},
                           {"list", "patchsets"},
                           {"show", "patchset", "block-limit"},
                           {"check", "--mirror", mirror},
                           {"prove", "--mirror", mirror},
                           {"outdated", "torch", "--mirror", mirror},
                           {"audit", out, "--mirror", mirror},
                           {"audit", "--all", "--mirror", mirror},
                           {"audit", "--version", "1.1.0", "--board", "small", "--against", out},
                           {"docs", "--output", toy.path("docs")},
                           {"diff", out, "1.1.0:plain"},
                           {"export", out, "--output", toy.path("out.tar")},
                           {"mirror", "--version", "1.1.0", "--mirror", mirror, "--output", toy.path("mirror")},
                           {"mirror", "--version", "1.1.0", "--mirror", mirror, "--bundle", toy.path("bundle.tar")},
                           {"mirror", "verify", toy.path("bundle.tar")},
                           {"mirror", "unpack", toy.path("bundle.tar"), "--output", toy.path("unpacked")},
                           {"patch", "refresh", toy.path("work")},
                           {"patch", "remove", "block-limit", "--into", toy.upstream.catalog_directory()},
                           {"release", "remove", "1.1.0", "--into", toy.upstream.catalog_directory()},
                           {"cache", "list", "--directory", toy.path("mirror")},
                           {"cache", "verify", "--directory", toy.path("mirror")},
                           {"cache", "gc"},
                           {"config"}};
  const Lines shipped_lines = {
      // what needs real boards
      {"recipe", "--version", "1.8.1", "--board", "rpi4", "--set", "cross=true", "--kind", "sysroot", "--output",
       toy.path("recipe")},
      {"matrix", "--versions", "==1.8.1", "--boards", "rpi4,tx2", "--emit", "slurm", "--output", toy.path("matrix")},
      {"matrix", "status", toy.path("matrix")}};
  std::set<std::string> left = json_commands();
  const auto run_all = [&](const Lines& lines) {
    for (std::vector<std::string> line : lines) {
      INFO(join(line, " "));
      if (line.size() == 1 || left.erase(line[0] + " " + line[1]) == 0) left.erase(line[0]);
      line.insert(line.end(), {"--quiet", "--json"});
      const CliResult result = toy.run(line);  // holds it to the schema
      CHECK(result.exit_code <= 1);
      CHECK_THAT(result.out, Catch::StartsWith("{\n  \"schema\": 1,\n"));
    }
  };
  run_all(toy_lines);
  toy.set_variable("TORCHPATCH_DATA", source_directory());
  run_all(shipped_lines);
  // build_test.cpp, wheel_test.cpp, tests/wheels, release_add_test.cpp and port_test.cpp run these.
  CHECK(left == std::set<std::string>{"build", "kernels", "port", "release add", "wheel check", "wheel fix-names"});
}

}  // namespace torchpatch::test
