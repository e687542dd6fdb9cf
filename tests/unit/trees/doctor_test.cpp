// SPDX-License-Identifier: BSD-3-Clause
#include "trees/doctor/doctor.h"

#include <algorithm>

#include "support/catch.h"
#include "support/error.h"
#include "support/find.h"

using namespace torchpatch;
namespace {

Version version(const std::string& text) { return *Version::parse(text); }
VersionRange range(const std::string& text) { return *VersionRange::parse(text); }

Clause clause(const std::string& fact, const std::string& text) { return {fact, range(text), fact + " " + text}; }

Issue issue(const std::string& id, const std::string& severity, const std::vector<Clause>& when, FixKind kind) {
  Issue issue;
  issue.id = id;
  issue.severity = severity;
  issue.releases = {range(">=1.9")};
  issue.when = when;
  issue.symptoms = {"log of " + id};
  Fix fix;
  fix.id = "fix-" + id;
  fix.kind = kind;
  fix.summary = "Answer " + id;
  issue.fixes = {fix};
  return issue;
}

Catalog catalog() {
  Catalog catalog;
  Release release;
  release.version = version("1.9.0");
  release.python = {"3.6", "3.7", "3.10"};
  release.cuda = range(">=9.2 <11.5");
  release.components[Component::torch] = {};
  release.build_tools = {{"gcc", range(">=5 <11")}, {"numpy", range("<2")}, {"setuptools", range("<=59.5.0")}};
  catalog.releases[release.version] = release;
  Board board;
  board.id = "small";
  board.arch = "aarch64";
  board.memory_mib = 4096;
  board.gpu = Gpu{version("6.2"), 32768};
  Image image;
  image.id = "old";
  image.os = "ubuntu-18.04";
  image.glibc = version("2.27");
  image.gcc = version("7.5");
  image.cuda = version("10.2");
  image.python = {version("3.6")};
  board.images = {image};
  catalog.boards["small"] = board;
  BuildSize build;
  build.recipe = RecipeKind::native;
  build.disk_mib = 4000;
  catalog.build_sizes.builds = {build};
  for (const Issue& each :
       {issue("gcc-11", "build-failure", {clause("gcc", ">=11")}, FixKind::environment),
        issue("gcc-12", "build-failure", {clause("gcc", ">=12")}, FixKind::advice),
        issue("numpy-2", "runtime-failure", {clause("python", ">=3.6")}, FixKind::advice),
        issue("out-of-memory", "build-failure", {clause("memory_mib", "<16384")}, FixKind::advice),
        issue("registers", "runtime-failure", {clause("registers_per_block", "<65536")}, FixKind::advice),
        issue("glibc-2.30", "build-failure", {clause("glibc", ">=2.30")}, FixKind::environment),
        issue("slow-arch", "build-failure", {{"arch", std::vector<std::string>{"aarch64"}, "arch aarch64"}},
              FixKind::advice),
        issue("glibc-too-new", "runtime-failure", {{"cross", true, "cross true"}}, FixKind::advice)})
    catalog.issues[each.id] = each;
  return catalog;
}

/// A host on which all is well.
HostFacts host() {
  HostFacts host;
  host.arch = "aarch64";
  host.os = "ubuntu-18.04";
  host.processors = 4;
  host.memory_mib = 7900;
  host.swap_mib = 2048;
  host.disk_mib = 50000;
  for (const auto& [name, text] : std::map<std::string, std::string>{{"glibc", "2.27"},
                                                                     {"gcc", "7.5.0"},
                                                                     {"cmake", "3.10.2"},
                                                                     {"python", "3.6.9"},
                                                                     {"cuda", "10.2.300"},
                                                                     {"numpy", "1.19.5"},
                                                                     {"setuptools", "39.0.1"}})
    host.tools[name] = {version(text), false, "/usr/bin/" + name};
  return host;
}

HostFacts host_with(const std::string& tool, const std::string& text) {
  HostFacts changed = host();
  changed.tools[tool].version = version(text);
  return changed;
}

HostFacts host_without(const std::string& tool) {
  HostFacts changed = host();
  changed.tools[tool] = {std::nullopt, true, "not in PATH"};
  return changed;
}

trees::DoctorTarget target(const std::string& board = {}) { return {"1.9.0", board, "", {}, {}, {}, false}; }

/// The checks of one name that are not ok.
std::vector<HostCheck> wrong(const DoctorReport& report) {
  std::vector<HostCheck> checks;
  std::copy_if(report.checks.begin(), report.checks.end(), std::back_inserter(checks),
               [](const HostCheck& check) { return check.verdict != HostVerdict::ok; });
  return checks;
}

const HostIssue* find(const DoctorReport& report, const std::string& id) {
  const auto found =
      std::find_if(report.issues.begin(), report.issues.end(), [&](const HostIssue& it) { return it.id == id; });
  return found == report.issues.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("doctor: nothing fails on a host within all bounds") {
  for (const char* board : {"", "small"}) {
    const DoctorReport report = trees::doctor(catalog(), target(board), host());
    CHECK(wrong(report).empty());
    CHECK(count_failures(report) == 0);
    CHECK(find(report, "gcc-11") == nullptr);
    CHECK(find(report, "numpy-2") == nullptr);        // 1.19 is not 2
    CHECK(find(report, "out-of-memory") == nullptr);  // enough for two jobs
  }
}

TEST_CASE("doctor: a tool beyond its bound is the issue that applies") {
  const DoctorReport report = trees::doctor(catalog(), target(), host_with("gcc", "12.2.0"));
  REQUIRE(wrong(report).size() == 1);
  const HostCheck check = wrong(report)[0];
  CHECK(check.name == "gcc");
  CHECK(check.found == "12.2.0");
  CHECK(check.bound == ">=5 <11");
  CHECK(check.source == "release 1.9.0");
  CHECK(check.verdict == HostVerdict::too_new);
  CHECK(check.fails);
  CHECK(check.issue == "gcc-12");
  CHECK(check.shows == "log of gcc-12");
  CHECK(check.advice == "install gcc-10 and g++-10, then set CC=gcc-10 CXX=g++-10");  // which the bound takes
  CHECK(find(report, "gcc-12")->outcome == IssueOutcome::fails);
  CHECK(find(report, "gcc-11")->outcome == IssueOutcome::handled);
  CHECK(count_failures(report) == 1);  // the check and its issue are one thing
}

TEST_CASE("doctor: a tool that is too new fails nothing where the prepared tree answers what is known of it") {
  const DoctorReport report = trees::doctor(catalog(), target(), host_with("gcc", "11.4.0"));
  REQUIRE(wrong(report).size() == 1);
  CHECK(wrong(report)[0].issue == "gcc-11");
  CHECK_FALSE(wrong(report)[0].fails);
  CHECK(wrong(report)[0].advice == "install gcc-10 and g++-10, then set CC=gcc-10 CXX=g++-10");
  CHECK(count_failures(report) == 0);
}

TEST_CASE("doctor: too old, and outside the bound without a known issue") {
  const DoctorReport report = trees::doctor(catalog(), target(), host_with("gcc", "4.9.2"));
  REQUIRE(wrong(report).size() == 1);
  CHECK(wrong(report)[0].verdict == HostVerdict::too_old);
  CHECK(wrong(report)[0].fails);
  CHECK(wrong(report)[0].issue.empty());
  CHECK(wrong(report)[0].advice == "install gcc-10 and g++-10, then set CC=gcc-10 CXX=g++-10");
}

TEST_CASE("doctor: an issue without a bound fails the build all the same") {
  Catalog unbounded = catalog();
  unbounded.releases.begin()->second.build_tools.erase("gcc");
  const DoctorReport report = trees::doctor(unbounded, target(), host_with("gcc", "12.2.0"));
  CHECK(wrong(report).empty());
  CHECK(count_failures(report) == 1);
}

TEST_CASE("doctor: packages of Python") {
  const DoctorReport newer = trees::doctor(catalog(), target(), host_with("numpy", "2.1.0"));
  REQUIRE(wrong(newer).size() == 1);
  CHECK(wrong(newer)[0].issue == "numpy-2");
  CHECK(wrong(newer)[0].advice ==
        "python3 -m pip install 'numpy<1.20'");  // the last that the host's Python 3.6 can have
  CHECK(wrong(newer)[0].fails);
  for (const char* os : {"debian-12", "raspios-13", "ubuntu-23.04"}) {
    HostFacts facts = host_with("numpy", "2.1.0");
    facts.os = os;
    const std::vector<HostCheck> checks = wrong(trees::doctor(catalog(), target(), facts));
    const auto numpy = std::ranges::find(checks, "numpy", &HostCheck::name);
    REQUIRE(numpy != checks.end());
    CHECK(numpy->advice == "in a virtual environment: python3 -m pip install 'numpy<1.20'");
  }
  for (const char* os : {"debian-11", "ubuntu-22.04", "debian", "amazon-2023"}) CHECK_FALSE(is_managed_python(os));
  const DoctorReport without = trees::doctor(catalog(), target(), host_without("numpy"));
  REQUIRE(wrong(without).size() == 1);
  CHECK(wrong(without)[0].verdict == HostVerdict::missing);
  CHECK_FALSE(wrong(without)[0].fails);  // torch is then built without it
  CHECK(find(without, "numpy-2") == nullptr);
  CHECK(count_failures(trees::doctor(catalog(), target(), host_without("setuptools"))) == 1);
}

TEST_CASE("doctor: pip is told of no release that is too new for an old Python") {
  const std::optional<VersionRange> below_2 = VersionRange::parse("<2"), below_1_18 = VersionRange::parse("<1.18");
  CHECK(trees::pip_requirement("numpy", &*below_2, "3.5") == "numpy<1.19");
  CHECK(trees::pip_requirement("numpy", &*below_1_18, "3.5") == "numpy<1.18");
  CHECK(trees::pip_requirement("numpy", &*below_2, "3.9") == "numpy<2");
  CHECK(trees::pip_requirement("pyyaml", nullptr, "3.5") == "pyyaml<5.4");
  CHECK(trees::pip_requirement("six", nullptr, "3.5") == "six");
}

TEST_CASE("doctor: a Python that will not do does not fail its packages as well") {
  DoctorReport report = trees::doctor(catalog(), target(), host_with("python", "2.6"));
  report.checks.push_back({"numpy", "", "<2", "x", HostVerdict::missing, true});
  report.checks.push_back({"import-yaml", "", "yaml", "x", HostVerdict::missing, true});
  trees::leave_out_packages_of_wrong_python(report);
  CHECK(count_failures(report) == count_failures(trees::doctor(catalog(), target(), host_with("python", "2.6"))));
  CHECK(std::ranges::none_of(report.checks, [](const HostCheck& each) { return each.name == "import-yaml"; }));
}

TEST_CASE("doctor: only what a tool of the host makes of a build is a failure") {
  const DoctorReport report = trees::doctor(catalog(), target("small"), host_with("numpy", "2.1.0"));
  CHECK(find(report, "numpy-2")->outcome == IssueOutcome::by_hand);    // fails at run time
  CHECK(find(report, "slow-arch")->outcome == IssueOutcome::by_hand);  // the same on every host of this arch
}

TEST_CASE("doctor: Python is compared with the list of the release and with the board's") {
  const auto verdict = [](const std::string& python) {
    const std::vector<HostCheck> checks = wrong(trees::doctor(catalog(), target(), host_with("python", python)));
    return checks.empty() ? HostVerdict::ok : checks[0].verdict;
  };
  CHECK(verdict("3.10.4") == HostVerdict::ok);
  CHECK(verdict("3.5.2") == HostVerdict::too_old);
  CHECK(verdict("3.11.2") == HostVerdict::too_new);
  CHECK(verdict("3.8.0") == HostVerdict::differs);
  const std::vector<HostCheck> checks = wrong(trees::doctor(catalog(), target("small"), host_with("python", "3.7.3")));
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].bound == "3.6");
  CHECK(checks[0].source == "image old");
  CHECK(checks[0].fails);
}

TEST_CASE("doctor: a host that is not the board") {
  HostFacts other = host_with("glibc", "2.31");
  other.arch = "x86_64";
  other.os = "debian-11";
  const DoctorReport report = trees::doctor(catalog(), target("small"), other);
  const std::vector<HostCheck> checks = wrong(report);
  REQUIRE(checks.size() == 3);
  CHECK(checks[0].name == "arch");
  CHECK(checks[0].verdict == HostVerdict::differs);
  CHECK(checks[0].fails);
  CHECK(checks[1].name == "os");
  CHECK_FALSE(checks[1].fails);
  CHECK(checks[2].bound == "<=2.27");
  CHECK(checks[2].issue == "glibc-too-new");
  CHECK(checks[2].fails);
  trees::DoctorTarget cross = target("small");
  cross.options.settings = {{"cross", "true"}};
  const DoctorReport crossed = trees::doctor(catalog(), cross, other);
  CHECK(count_failures(crossed) == 0);
  CHECK(wrong(crossed).size() == 2);
  CHECK(find(report, "glibc-2.30") != nullptr);
  CHECK(find(crossed, "glibc-2.30") == nullptr);  // a cross compiler brings the board's own
}

TEST_CASE("doctor: CUDA is needed for a board with a GPU, and by nobody else") {
  const DoctorReport board = trees::doctor(catalog(), target("small"), host_without("cuda"));
  REQUIRE(wrong(board).size() == 2);
  CHECK(wrong(board)[0].source == "image old");
  CHECK(wrong(board)[0].verdict == HostVerdict::missing);
  CHECK(wrong(board)[0].fails);
  const DoctorReport plain = trees::doctor(catalog(), target(), host_without("cuda"));
  CHECK(wrong(plain).empty());
  CHECK(plain.notes.back() == "CUDA not found: a build here is CPU only");
}

TEST_CASE("doctor: a gcc that nvcc refuses fails a build with CUDA, unless its issue is answered") {
  HostFacts facts = host_with("nvcc-gcc", "9.3.0");
  const auto of_nvcc = [&](const Catalog& from, const std::string& board) {
    const DoctorReport report = trees::doctor(from, target(board), facts);
    const HostCheck* const found =
        find_where(report.checks, [](const HostCheck& check) { return check.name == "nvcc-gcc"; });
    return found ? *found : HostCheck{};
  };
  CHECK(of_nvcc(catalog(), "small").verdict == HostVerdict::ok);
  CHECK(of_nvcc(catalog(), "small").bound == "a gcc that nvcc accepts");
  facts.newest_nvcc_gcc = version("8");
  const HostCheck refused = of_nvcc(catalog(), "small");
  CHECK(refused.verdict == HostVerdict::too_new);
  CHECK(refused.fails);
  CHECK(refused.bound == "<=8");
  CHECK(refused.source == "CUDA 10.2.300");
  CHECK(refused.advice == "install g++-8, then set CUDAHOSTCXX=/usr/bin/g++-8");
  CHECK(refused.issue.empty());
  CHECK(of_nvcc(catalog(), "").issue.empty());
  facts.tools["gcc"].version = version("9.3.0");
  Catalog answered = catalog();
  Issue both = issue("cuda-10-gcc-9", "build-failure", {clause("cuda", ">=10 <11")}, FixKind::environment);
  both.when.push_back(clause("gcc", ">=9"));
  answered.issues["cuda-10-gcc-9"] = both;
  CHECK(of_nvcc(answered, "small").issue == "cuda-10-gcc-9");
  CHECK_FALSE(of_nvcc(answered, "small").fails);
}

TEST_CASE("doctor: the board's cuDNN is needed where it has a GPU") {
  Catalog with = catalog();
  with.boards.at("small").images.at(0).cudnn = version("8.2.1");
  const auto of_cudnn = [&](const HostFacts& facts) { return wrong(trees::doctor(with, target("small"), facts)); };
  CHECK(of_cudnn(host_with("cudnn", "8.2.1")).empty());
  CHECK(of_cudnn(host_with("cudnn", "8.0.0")).empty());
  REQUIRE(of_cudnn(host_with("cudnn", "8.3.2")).size() == 1);
  CHECK(of_cudnn(host_with("cudnn", "8.3.2"))[0].verdict == HostVerdict::too_new);
  REQUIRE(of_cudnn(host_with("cudnn", "7.6.3")).size() == 1);
  REQUIRE(of_cudnn(host_without("cudnn")).size() == 1);
  CHECK(of_cudnn(host_without("cudnn"))[0].verdict == HostVerdict::missing);
  CHECK(of_cudnn(host_without("cudnn"))[0].bound == ">=8 <8.3");
  CHECK(of_cudnn(host_without("cudnn"))[0].advice ==
        "install cuDNN 8.2, the board's, with its headers, or prepare the tree again with --set USE_CUDNN=0");
}

TEST_CASE("doctor: without a board what nobody read is undecided") {
  const DoctorReport report = trees::doctor(catalog(), target(), host());
  REQUIRE(find(report, "registers") != nullptr);
  CHECK(find(report, "registers")->outcome == IssueOutcome::undecided);
  CHECK(find(report, "registers")->reason == "registers_per_block is not known");
  trees::DoctorTarget told = target();
  told.options.settings = {{"registers_per_block", "65536"}};
  CHECK(find(trees::doctor(catalog(), told, host()), "registers") == nullptr);
}

TEST_CASE("doctor: what could not be read is unknown, and no failure") {
  const DoctorReport report = trees::doctor(catalog(), target(), HostFacts{});
  for (const HostCheck& check : report.checks) {
    INFO(check.name);
    CHECK(check.verdict == HostVerdict::unknown);
  }
  CHECK(count_failures(report) == 0);
  CHECK_FALSE(report.max_jobs.has_value());
  CHECK(find(report, "gcc-12")->outcome == IssueOutcome::undecided);
}

TEST_CASE("doctor: suggests as many jobs as memory, swap and processors allow") {
  const auto jobs = [](std::int64_t memory, std::int64_t swap, std::int64_t processors, bool has_cuda) {
    HostFacts facts = has_cuda ? host() : host_without("cuda");
    facts.memory_mib = memory;
    facts.swap_mib = swap;
    facts.processors = processors;
    return trees::doctor(catalog(), target(), facts).max_jobs;
  };
  CHECK(jobs(8192, 0, 8, false) == 4);
  CHECK(jobs(8192, 2048, 8, false) == 5);
  CHECK(jobs(8192, 0, 2, false) == 2);
  CHECK(jobs(8192, 0, 8, true) == 2);
  CHECK(jobs(512, 0, 8, false) == 1);
}

TEST_CASE("doctor: too little memory is the known issue") {
  HostFacts facts = host();
  facts.memory_mib = 1000;
  facts.swap_mib = 0;
  const DoctorReport report = trees::doctor(catalog(), target(), facts);
  REQUIRE(wrong(report).size() == 1);
  CHECK(wrong(report)[0].verdict == HostVerdict::too_little);
  CHECK(wrong(report)[0].found == "1000 MiB");
  CHECK(wrong(report)[0].bound == ">=4096 MiB");
  CHECK(wrong(report)[0].source == "rule of thumb");
  CHECK(wrong(report)[0].issue == "out-of-memory");
  CHECK(count_failures(report) == 1);
}

TEST_CASE("doctor: little room on the disk only warns") {
  HostFacts facts = host_without("cuda");
  facts.disk_mib = 3999;
  const DoctorReport report = trees::doctor(catalog(), target(), facts);
  REQUIRE(wrong(report).size() == 1);
  CHECK(wrong(report)[0].name == "disk");
  CHECK(wrong(report)[0].bound == ">=4000 MiB");
  CHECK_FALSE(wrong(report)[0].fails);
}

TEST_CASE("doctor: a manifest has bounds of its own") {
  Manifest manifest;
  manifest.release = "1.9.0";
  manifest.board = "small";
  manifest.image = "old";
  manifest.python = "3.6";
  manifest.tool_bounds = {{"gcc", "<7"}};
  const DoctorReport report = trees::doctor(catalog(), trees::target_of(manifest), host());
  REQUIRE(wrong(report).size() == 1);
  CHECK(wrong(report)[0].source == "manifest");
  CHECK(wrong(report)[0].bound == "<7");
  manifest.python = "none";
  CHECK(wrong(trees::doctor(catalog(), trees::target_of(manifest), host())).size() == 1);
  manifest.tool_bounds = {{"gcc", "seven"}};
  try {
    trees::target_of(manifest);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::data);
    CHECK(error.message() == "manifest: the bound 'seven' of 'gcc' is not a version range");
  }
}

TEST_CASE("doctor: a patch without a certificate answers nothing") {
  Catalog uncertified = catalog();
  Issue& gcc = uncertified.issues["gcc-11"];
  gcc.fixes[0].kind = FixKind::patch;
  gcc.fixes[0].patchset = "gcc-11";
  Patchset patchset;
  patchset.id = "gcc-11";
  patchset.variants = {{"V1", range("*"), {{"V1/0001-a.patch", {}, {Component::torch, ""}, ""}}, {}}};
  uncertified.patchsets["gcc-11"] = patchset;
  const DoctorReport report = trees::doctor(uncertified, target(), host_with("gcc", "11.4.0"));
  CHECK(find(report, "gcc-11")->outcome == IssueOutcome::fails);
  CHECK(wrong(report)[0].fails);
  CHECK(wrong(report)[0].advice == "install gcc-10 and g++-10, then set CC=gcc-10 CXX=g++-10");
}
