// SPDX-License-Identifier: BSD-3-Clause
#include "unit/report/examples.h"

#include "support/digest.h"

namespace torchpatch::test {
namespace {

ObjectId id(const std::string& seed) { return git_blob_id(seed); }

VersionRange range(const std::string& text) { return VersionRange::parse(text).value(); }

Version version(const std::string& text) { return Version::parse(text).value(); }

std::vector<std::pair<std::string, std::string>> sections(const std::string& subject) {
  return {{"Symptom", subject + " fails.\n"},
          {"Cause", "A limit of the board:\n\n```c\nint limit = 1024;\n```\n"},
          {"Fix", "See the [report](https://github.com/pytorch/pytorch/issues/8103).\n"},
          {"How to verify", "Run `python3 -c 'import torch'`.\n"}};
}

Fix cap_threads() {
  Fix fix;
  fix.id = "cap-threads";
  fix.kind = FixKind::patch;
  fix.summary = "Use at most 512 threads per block";
  fix.patchset = "cuda-threads";
  fix.environment = {{"TORCH_CUDA_ARCH_LIST", "6.2", "only this GPU"}};
  return fix;
}

Fix plain_names() {
  Fix fix;
  fix.id = "plain-names";
  fix.kind = FixKind::post_build;
  fix.summary = "Give extension modules plain names";
  fix.commands = {"ls build/lib.*/torch", "true"};
  fix.when = {{"cross", true, "cross is true"}};
  fix.is_optional = true;
  return fix;
}

Issue issue(const std::string& name, const std::string& title, const std::string& severity) {
  Issue issue;
  issue.id = name;
  issue.title = title;
  issue.severity = severity;
  issue.releases = {range(">=1.0.0 <1.14")};
  issue.symptoms = {"too many resources requested for launch", "error: `x` in <y>"};
  issue.links = {"https://github.com/pytorch/pytorch/issues/8103"};
  issue.seeds = {"TX2 build notes, problem 2"};
  issue.sections = sections(title);
  return issue;
}

Release release() {
  Release release;
  release.version = version("1.1.0");
  release.date = "2019-04-30";
  release.python = {"2.7", "3.5"};
  release.cuda = range(">=8.0");
  release.components[Component::torch] = {"https://github.com/pytorch/pytorch.git", "v1.1.0", "1.1.0", id("commit")};
  release.components[Component::vision] = {
      "https://github.com/pytorch/vision.git", "v0.3.0", "0.3.0", id("vision"), {{"BUILD_VERSION", "0.3.0"}}};
  release.build_tools = {{"cmake", range("<4")}, {"gcc", range("<11")}};
  release.imports = {{Component::torch, {{"yaml", "aten/src/ATen/gen.py:4"}}}};
  release.flags = {{"USE_NCCL", "tools/setup_helpers/nccl.py:9"}};
  release.environment = {{"PYTORCH_BUILD_VERSION", "1.1.0"}, {"PYTORCH_BUILD_NUMBER", "1"}};
  release.notes = {"audio is left out here"};
  release.sources = {{{"python"}, "setup.py of the tag", true}, {{"cuda"}, "general knowledge", false}};
  return release;
}

/// One proof with a record that holds and one that is out of date, and a reason where there is none.
ProofSet proofs(const Variant& variant) {
  Proof limits;
  limits.id = "limits";
  limits.claim = "The limit is 512";
  limits.releases = range(">=1.1.0 <1.3.0");
  limits.tools = {"g++"};
  limits.tree = {{{}, {"aten/common.h"}}};
  limits.commands = {{"g++", "-I{tree}/pytorch", "{proof}/limits.cpp", "-o", "{work}/limits"}, {"{work}/limits"}};
  limits.red = "1024";
  Proof other = limits;
  other.id = "other";
  ProofSet set;
  set.proofs = {limits, other};
  set.unproven = {{range(">=1.3.0 <1.4.0"), "its sources are not there"}};
  set.files = {{"limits.cpp", "int main() {}\n"}};
  const std::map<std::string, std::string> tools = {{"g++", "g++ 12.2.0"}};
  const Sha256 subject = proof_subject(release(), variant, limits, set);
  set.records = {
      {"limits", version("1.1.0"), "T2", subject, 1, 0, ProofVerdict::proven, tools, "2026-11-21"},
      {"other", version("1.1.0"), "T2", sha256("before it changed"), 1, 0, ProofVerdict::proven, tools, "2026-11-20"}};
  return set;
}

Patchset cuda_threads() {
  Patch patch;
  patch.file = "T2/0001-cap-threads.patch";
  patch.text = "a patch";
  patch.sha256 = sha256(patch.text);
  AddedFile file;
  file.file = "files/limits.py";
  file.path = "tools/limits.py";
  file.bytes = "limit = 512\n";
  file.sha256 = sha256(file.bytes);
  Patchset patchset;
  patchset.id = "cuda-threads";
  patchset.summary = "At most 512 threads per block";
  patchset.after = {"nccl-default"};
  const SubmoduleOverride onnx{
      {Component::torch, "third_party/onnx"}, id("pinned onnx"), id("onnx"), "https://github.com/onnx/onnx.git"};
  patchset.variants = {{"T2", range(">=1.1.0 <1.3.0"), {patch}, {file}, {onnx}}};
  patchset.certificates = {{id("commit"), {}, "aten/common.h", patch.sha256, std::nullopt, id("before"), id("after")},
                           {id("commit"), {}, "aten/new.h", patch.sha256, sha256("another"), std::nullopt, id("new")}};
  patchset.certificates[1].overridden = onnx.commit;
  patchset.proof = proofs(patchset.variants[0]);
  return patchset;
}

Board board() {
  Image image;
  image.id = "jetpack-3.3";
  image.title = "JetPack 3.3";
  image.os = "ubuntu-16.04";
  image.glibc = version("2.23");
  image.gcc = version("5.4");
  image.known_absent = {"cudnn"};
  image.python = {version("3.5"), version("2.7")};
  Board board;
  board.id = "tx2";
  board.title = "NVIDIA Jetson TX2";
  board.aliases = {"jetson-tx2"};
  board.arch = "aarch64";
  board.cpu_flags = "-mcpu=cortex-a57";
  board.memory_mib = 8192;
  board.gpu = Gpu{version("6.2"), 32768};
  board.has = {"programmable-logic"};
  board.lacks = {"magma", "nccl"};
  board.images = {image};
  board.default_images = {{range(">=1.0 <1.6"), "jetpack-3.3"}};
  board.environment = {{"USE_NCCL", "0"}};
  board.build_steps = {"sudo nvpmodel -m 0"};
  board.sources = {{{"gpu"}, "https://developer.nvidia.com/embedded/jetson-tx2", true}};
  return board;
}

}  // namespace

std::vector<Issue> example_issues() {
  std::vector<Issue> issues = {
      issue("cuda-threads-per-block", "CUDA kernels ask for too many threads", "runtime-failure"),
      issue("gloo-optional", "Gloo does not build", "build-failure"),
      issue("magma-missing", "MAGMA is <missing>", "limitation"),
      issue("neon-loads", "NEON loads with gcc below 8.4", "build-failure"),
      issue("qnnpack", "QNNPACK assembly", "silent-wrong-results")};
  issues[0].when = {{"registers_per_block", range("<65536"), "registers_per_block <65536"},
                    {"lacks", std::vector<std::string>{"nccl", "magma"}, "lacks nccl, magma"},
                    {"arch", std::vector<std::string>{"aarch64"}, "arch is aarch64"}};
  issues[0].fixes = {cap_threads(), plain_names()};
  return issues;
}

std::vector<IssueDecision> example_decisions() {
  return {{"cuda-threads-per-block", IssueStatus::applied, "registers_per_block is 32768, <65536", "cap-threads",
           FixKind::patch, "T2"},
          {"gloo-optional", IssueStatus::uncertified, "distributed is true", "gloo-off", FixKind::patch, "G1"},
          {"magma-missing", IssueStatus::declined, "--without magma-advice", "", FixKind::advice, ""},
          {"neon-loads", IssueStatus::undecided, "gcc is not known", "", FixKind::advice, ""},
          {"qnnpack", IssueStatus::not_affected, "release 1.1.0 is not >=1.5.0 <1.7.0", "", FixKind::advice, ""}};
}

std::vector<AdvisoryDecision> example_advisories() {
  AdvisoryRecord about{.id = "CVE-2022-1",
                       .aliases = {"GHSA-aaaa-bbbb-cccc", "PYSEC-2022-1"},
                       .published = "2022-11-26",
                       .looked_up = "2026-11-27",
                       .summary = "`torch.eval` evaluates <anything>.",
                       .advice = "Evaluate nothing",
                       .repository = {},
                       .fixed_in = version("1.2.0"),
                       .fix = id("the fix"),
                       .disputed = "its author",
                       .issue = {},
                       .sources = {"https://example.org/1", "https://example.org/commit/" + id("the fix").hex()}};
  std::vector<AdvisoryDecision> decisions = {
      {about, AdvisoryStatus::affected, "release 1.1.0 is in <1.2.0; fixed in 1.2.0"}};
  about.disputed.clear();
  about.id = "CVE-2022-2", about.aliases.clear(), about.issue = "cuda-threads-per-block";
  decisions.push_back({about, AdvisoryStatus::fixed, "known issue cuda-threads-per-block", {}, true});
  about.id = "CVE-2022-3", about.issue.clear(), about.fix.reset();
  decisions.push_back(
      {about, AdvisoryStatus::not_affected, "release 1.1.0 is not in >=1.13.0", "Nothing is safe", true});
  about.id = "CVE-2022-4", about.repository.path = "third_party/onnx", about.looked_up = "2026-11-28";
  decisions.push_back({about, AdvisoryStatus::not_built, "distributed is false, not true"});
  about.id = "PYSEC-2022-5", about.repository = {Component::vision, "gone"}, about.fixed_in.reset();
  decisions.push_back({about, AdvisoryStatus::unjudged, "not yet judged for release 1.1.0"});
  return decisions;
}

Catalog example_catalog() {
  Catalog catalog;
  catalog.releases.emplace(version("1.1.0"), release());
  catalog.boards.emplace("tx2", board());
  for (const Issue& entry : example_issues()) catalog.issues.emplace(entry.id, entry);
  catalog.patchsets.emplace("cuda-threads", cuda_threads());
  return catalog;
}

Plan example_plan(const Catalog& catalog) {
  const Patchset& patchset = catalog.patchsets.at("cuda-threads");
  const Variant& variant = patchset.variants[0];
  Plan plan;
  plan.release = &catalog.releases.at(version("1.1.0"));
  plan.board = &catalog.boards.at("tx2");
  plan.image = &plan.board->images[0];
  plan.python = "3.5";
  plan.options.without_fixes = {"magma-advice"};
  plan.options.settings = {{"distributed", "true"}};
  plan.components = {Component::torch, Component::vision};
  plan.facts = {{"arch", std::string("aarch64")}, {"bits", std::int64_t{64}},
                {"cudnn", std::monostate{}},      {"distributed", true},
                {"glibc", version("2.23")},       {"lacks", std::vector<std::string>{"magma", "nccl"}}};
  plan.issues = example_decisions();
  const auto edge = [](const CertificateEdge& certified) {
    return PatchEdge{certified.path, certified.before, certified.after};
  };
  plan.patches = {
      {"cuda-threads", "T2", &variant.patches[0], {"cuda-threads-per-block"}, collect(patchset.certificates, edge)}};
  plan.overrides = {{"cuda-threads", "T2", &variant.overrides[0], {"cuda-threads-per-block"}}};
  plan.files = {{"cuda-threads", "T2", &variant.files[0], {"cuda-threads-per-block"}}};
  plan.environment = example_manifest().environment;
  plan.steps = {{"extension-names", "plain-names", false, {"ls build/lib.*/torch", "true"}},
                {"zynq-backend-missing", "zynq-backend", true, {"finish_wheel zynq"}}};
  plan.advisories = example_advisories();
  plan.warnings = {"cmake of the image is not known"};
  plan.digest = sha256("plan");
  return plan;
}

std::vector<HostRequirement> example_requirements() {
  HostRequirement arch{HostProbe::same, "arch", "aarch64", "image jetpack-3.3", true, {}, {}, "build on the board", {}};
  HostRequirement cmake{HostProbe::version, "cmake", {}, "<4 (release 1.1.0)", true, {}, {}, "take a cmake", {}};
  cmake.steps = {{"0", "ok", false, {}, {}}, {"4", "too new", true, "cmake-4", "take an older one"}};
  return {arch, cmake};
}

Manifest example_manifest() {
  Manifest manifest;
  manifest.tool_version = "0.1.0";
  manifest.release = "1.1.0";
  manifest.board = "tx2";
  manifest.image = "jetpack-3.3";
  manifest.python = "3.5";
  manifest.target = {{"arch", "aarch64"}, {"cuda", "9.0"}, {"gcc", "5.4"}, {"glibc", "2.23"}, {"os", "ubuntu-16.04"}};
  manifest.components = {Component::torch, Component::vision};
  manifest.versions = {{Component::torch, "1.1.0"}, {Component::vision, "0.3.0"}};
  manifest.without_fixes = {"magma-advice"};
  manifest.settings = {{"distributed", "true"}};
  manifest.plan = sha256("plan");
  manifest.trees = {{Component::torch, id("torch tree")}, {Component::vision, id("vision tree")}};
  manifest.tree = id("tree");
  manifest.timestamp = 1556653113;
  manifest.file_count = 3;
  manifest.link_count = 1;
  manifest.byte_count = 1234;
  manifest.repositories = {{{Component::torch, ""},
                            "https://github.com/pytorch/pytorch.git",
                            id("commit"),
                            "tree x\nauthor M\xC3\xA9 <m@example.org> 1 +0000\n\nraw \xFF\n",
                            id("base"),
                            id("patched"),
                            std::nullopt,
                            std::nullopt,
                            {{"LICENSE", "BSD-3-Clause"}}},
                           {{Component::torch, "third_party/onnx"},
                            "https://github.com/onnx/onnx.git",
                            id("onnx"),
                            "tree y\n",
                            id("onnx base"),
                            id("onnx patched"),
                            ManifestOverride{id("pinned onnx"), "cuda-threads", "T2", {"cuda-threads-per-block"}},
                            std::nullopt,
                            {{"COPYING", "GPL-2.0"}, {"LICENSE.md", ""}}},
                           {{Component::vision, ""},
                            "https://github.com/pytorch/vision.git",
                            id("vision"),
                            "tree z\n",
                            id("vision base"),
                            id("vision base")}};
  manifest.patches = {{"cuda-threads",
                       "T2",
                       "patches/0001-cuda-threads.patch",
                       sha256("a patch"),
                       {Component::torch, ""},
                       {"cuda-threads-per-block"},
                       true,
                       {{"aten/common.h", id("before"), id("after")}, {"aten/new.h", std::nullopt, id("new")}}}};
  manifest.added_files = {{"cuda-threads",
                           "T2",
                           {Component::torch, "third_party/onnx"},
                           "tools/limits.py",
                           FileMode::executable,
                           id("limits"),
                           sha256("limits"),
                           {"cuda-threads-per-block"}}};
  manifest.issues = example_decisions();
  manifest.answered_issues = {{"cuda-threads-per-block",
                               "CUDA kernels ask for too many threads",
                               "runtime-failure",
                               {"https://github.com/pytorch/pytorch/issues/8103"}}};
  manifest.advisories = example_advisories();
  manifest.environment = {
      {"PYTORCH_BUILD_VERSION", "1.1.0", "release 1.1.0", "", "setup.py:232"},
      {"USE_NCCL", "0", "board tx2", "it lacks NCCL", "tools/setup_helpers/nccl.py:9"},
      {"TORCH_CUDA_ARCH_LIST", "6.2", "issue cuda-threads-per-block", "only this GPU", "cmake/Cuda.cmake:1"},
      {"CXXFLAGS", "-mcpu=cortex-a57 -DNAME='it'", "board tx2", "its CPU", ""},
      {"BUILD_VERSION", "0.3.0", "release 1.1.0", "its wheel", "vision:setup.py:44", Component::vision}};
  manifest.tool_bounds = {{"cmake", "<4"}, {"gcc", "<11"}, {"setuptools", "<=59.5.0"}};
  manifest.warnings = {"cmake of the image is not known"};
  manifest.executables = {"pytorch/setup.py", "pytorch/tools/run it.sh"};
  manifest.links = {{"pytorch/tools/latest", "run it.sh"}};
  manifest.side_files = {{"build.sh", sha256("build"), true},
                         {"patches/0001-cuda-threads.patch", sha256("a patch"), false}};
  manifest.origins = {{"board tx2", "shipped", sha256("board")}, {"release 1.1.0", "mine", sha256("release")}};
  return manifest;
}

}  // namespace torchpatch::test
