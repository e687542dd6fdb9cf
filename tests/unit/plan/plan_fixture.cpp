// SPDX-License-Identifier: BSD-3-Clause
#include "unit/plan/plan_fixture.h"

#include "support/text.h"

namespace torchpatch::plan::test {

namespace {

Release make_release(const std::string& text, const std::vector<std::string>& python, const std::string& cuda) {
  Release release;
  release.version = version(text);
  release.python = python;
  release.cuda = range(cuda);
  return release;
}

Image make_image(const std::string& id, const std::vector<std::string>& python) {
  Image image;
  image.id = id;
  image.os = "ubuntu-16.04";
  for (const std::string& text : python) image.python.push_back(version(text));
  return image;
}

Board make_duo() {
  Board board;
  board.id = "duo";
  board.aliases = {"jetson-duo"};
  board.arch = "aarch64";
  board.memory_mib = 8192;
  board.gpu = Gpu{version("6.2"), 32768};
  board.has = {"programmable-logic"};
  board.lacks = {"nccl", "magma"};
  Image old_image = make_image("old", {"3.4", "3.5", "2.7"});
  old_image.cuda = version("9.0");
  old_image.gcc = version("5.4");
  Image new_image = make_image("new", {"3.6"});
  new_image.cuda = version("10.2");
  board.images = {old_image, new_image};
  board.default_images = {{range("<1.6"), "old"}, {range(">=1.6"), "new"}};
  board.environment = {{"TORCH_CUDA_ARCH_LIST", "6.2"}};
  return board;
}

Board make_bare() {
  Board board;
  board.id = "bare";
  board.arch = "armv7l";
  board.memory_mib = 512;
  Image image = make_image("only", {"3.6", "3.5"});
  image.known_absent = {"cuda", "cudnn"};
  board.images = {image};
  board.default_images = {{range("*"), "only"}};
  return board;
}

}  // namespace

Catalog make_catalog() {
  Catalog catalog;
  Release old_release = make_release("1.1.0", {"2.7", "3.5", "3.6"}, ">=8.0 <10.2");
  old_release.components[Component::torch] = {"https://example.org/torch.git", "v1.1.0", "1.1.0", object_id('1')};
  old_release.components[Component::vision] = {"https://example.org/vision.git", "v0.3.0", "0.3.0", object_id('2')};
  old_release.flags = {{"USE_NCCL", "setup.py:9"}};
  old_release.environment = {{"PYTORCH_BUILD_VERSION", "1.1.0"}};
  Release new_release = make_release("1.9.0", {"3.6", "3.7"}, ">=10.2");
  new_release.components[Component::torch] = {"https://example.org/torch.git", "v1.9.0", "1.9.0", object_id('9')};
  new_release.notes = {"torchvision is left out"};
  catalog.releases.emplace(old_release.version, old_release);
  catalog.releases.emplace(new_release.version, new_release);
  catalog.boards.emplace("duo", make_duo());
  catalog.boards.emplace("bare", make_bare());
  return catalog;
}

Condition needs_range(const std::string& fact, const std::string& expected) {
  return {{fact, range(expected), concat(fact, ' ', expected)}};
}

Condition needs_flag(const std::string& fact, bool expected) {
  return {{fact, expected, concat(fact, expected ? " true" : " false")}};
}

Issue& add_issue(Catalog& catalog, const std::string& id, Condition when, std::vector<Fix> fixes) {
  Issue& issue = catalog.issues[id];
  issue.id = id;
  issue.releases = {range("*")};
  issue.when = std::move(when);
  issue.fixes = std::move(fixes);
  return issue;
}

Fix advice(const std::string& id) {
  Fix fix;
  fix.id = id;
  fix.summary = id;
  return fix;
}

Fix optional_advice(const std::string& id) {
  Fix fix = advice(id);
  fix.is_optional = true;
  return fix;
}

Fix patch_fix(const std::string& id, const std::string& patchset) {
  Fix fix = advice(id);
  fix.kind = FixKind::patch;
  fix.patchset = patchset;
  return fix;
}

Fix environment_fix(const std::string& id, const std::string& name, const std::string& value) {
  Fix fix = advice(id);
  fix.kind = FixKind::environment;
  fix.environment = {{name, value, "why " + name}};
  return fix;
}

Patchset& add_patchset(Catalog& catalog, const std::string& id, const std::string& releases,
                       const std::string& digits) {
  Patchset& patchset = catalog.patchsets[id];
  patchset.id = id;
  Variant variant{"v", range(releases), {}, {}};
  for (const char digit : digits)
    variant.patches.push_back({concat("v/", digit, ".patch"), digest_of(digit), RepositoryPath{}, "text"});
  patchset.variants.push_back(variant);
  return patchset;
}

CertificateEdge edge(char patch, const std::string& path, char before, char after, char follows) {
  CertificateEdge edge;
  edge.commit = object_id('1');
  edge.path = path;
  edge.patch = digest_of(patch);
  edge.before = object_id(before);
  edge.after = object_id(after);
  if (follows != '-') edge.follows = digest_of(follows);
  return edge;
}

}  // namespace torchpatch::plan::test
