// SPDX-License-Identifier: BSD-3-Clause
#include "model/catalog.h"

#include "model/issue.h"
#include "model/plan.h"
#include "support/catch.h"
#include "support/error.h"

using namespace torchpatch;

namespace {

Catalog make_catalog() {
  Catalog catalog;
  for (const char* text : {"1.1.0", "1.10.0", "1.10.1", "1.10.2", "2.0.0"}) {
    Release release;
    release.version = *Version::parse(text);
    catalog.releases[release.version] = release;
  }
  for (const auto& [id, alias] :
       {std::pair("tx2", "jetson-tx2"), std::pair("jetson-nano", "nano"), std::pair("xavier", "agx")}) {
    Board board;
    board.id = id;
    board.aliases = {alias};
    catalog.boards[id] = board;
  }
  catalog.issues["nccl-device-link"].id = "nccl-device-link";
  catalog.patchsets["cuda-threads"].id = "cuda-threads";
  return catalog;
}

/// Returns "message" or "message | hint".
template <typename Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.hint().empty() ? error.message() : error.message() + " | " + error.hint();
  }
  return "no error";
}

}  // namespace

TEST_CASE("Catalog::release: by its exact version") {
  const Catalog catalog = make_catalog();
  CHECK(catalog.release("1.10.0").version.text() == "1.10.0");
  CHECK(catalog.release("1.1.0").version.text() == "1.1.0");
}

TEST_CASE("Catalog::release: a partial version lists its family") {
  const Catalog catalog = make_catalog();
  const auto release_error = [&](const std::string& name) { return error_of([&] { catalog.release(name); }); };
  CHECK(release_error("1.10") == "'1.10' is not one release; of the 1.10 family there are 1.10.0, 1.10.1, 1.10.2");
  CHECK(release_error("1.1") == "'1.1' is not one release; of the 1.1 family there is 1.1.0");
  CHECK(release_error("1") == "'1' is not one release; of the 1 family there are 1.1.0, 1.10.0, 1.10.1, 1.10.2");
}

TEST_CASE("Catalog::release: hints never cross a number") {
  const Catalog catalog = make_catalog();
  const auto release_error = [&](const std::string& name) { return error_of([&] { catalog.release(name); }); };
  const std::string list = " | 'torchpatch list releases' lists them";
  CHECK(release_error("1.10.3") == "unknown release '1.10.3' | of the 1.10 family there are 1.10.0, 1.10.1, 1.10.2");
  CHECK(release_error("1.1.10") == "unknown release '1.1.10' | of the 1.1 family there is 1.1.0");
  CHECK(release_error("1.100") == "unknown release '1.100'" + list);
  CHECK(release_error("1.2") == "unknown release '1.2'" + list);
  CHECK(release_error("3") == "unknown release '3'" + list);
  CHECK(catalog.release("v1.1.0").version.text() == "1.1.0");
  CHECK(release_error("v1.10") == "'1.10' is not one release; of the 1.10 family there are 1.10.0, 1.10.1, 1.10.2");
  CHECK(release_error("vista") == "unknown release 'vista'" + list);
  CHECK(release_error("latest") == "unknown release 'latest'" + list);
  CHECK(release_error("") == "unknown release ''" + list);
  CHECK(release_error("1.10.0.0") == "unknown release '1.10.0.0'" + list);
}

TEST_CASE("Catalog::board: by id or alias, else with the nearest names") {
  const Catalog catalog = make_catalog();
  const auto board_error = [&](const std::string& name) { return error_of([&] { catalog.board(name); }); };
  CHECK(catalog.board("tx2").id == "tx2");
  CHECK(catalog.board("nano").id == "jetson-nano");
  CHECK(board_error("jetson-nanno") == "unknown board 'jetson-nanno' | did you mean 'jetson-nano'?");
  CHECK(board_error("jetson-tx") == "unknown board 'jetson-tx' | did you mean 'jetson-tx2'?");
  CHECK(catalog.board("TX2").id == "tx2");
  CHECK(board_error("tx1") == "unknown board 'tx1' | similar: tx2; 'torchpatch list boards' lists all");
}

TEST_CASE("Catalog: issues and patchsets by id") {
  const Catalog catalog = make_catalog();
  CHECK(catalog.issue("nccl-device-link").id == "nccl-device-link");
  CHECK(catalog.patchset("cuda-threads").id == "cuda-threads");
  CHECK(error_of([&] { catalog.issue("nccl-device-lnk"); }) ==
        "unknown issue 'nccl-device-lnk' | did you mean 'nccl-device-link'?");
  CHECK(error_of([&] { catalog.patchset("x"); }) == "unknown patchset 'x' | 'torchpatch list patchsets' lists them");
}

TEST_CASE("Release::find and Board::find_image: null where there is none") {
  Release release;
  release.components[Component::vision].tag = "v0.3.0";
  CHECK(release.find(Component::vision)->tag == "v0.3.0");
  CHECK(release.find(Component::torch) == nullptr);
  Board board;
  board.images.resize(2);
  board.images[1].id = "jetpack-3.3";
  CHECK(board.find_image("jetpack-3.3") == &board.images[1]);
  CHECK(board.find_image("jetpack-3") == nullptr);
}

TEST_CASE("names of fixes and statuses: as the formats spell them") {
  CHECK(std::string(name_of(FixKind::post_build)) == "post_build");
  CHECK(std::string(name_of(FixKind::patch)) == "patch");
  CHECK(std::string(name_of(IssueStatus::not_affected)) == "not_affected");
  CHECK(std::string(name_of(IssueStatus::uncertified)) == "uncertified");
}

TEST_CASE("Catalog::releases_at: those that pin a component at a commit, oldest first") {
  Catalog catalog = make_catalog();
  const ObjectId shared = *ObjectId::parse("0123456789012345678901234567890123456789");
  const ObjectId other = *ObjectId::parse("1123456789012345678901234567890123456789");
  for (const char* text : {"1.10.0", "1.10.2", "1.1.0"})
    catalog.releases.at(*Version::parse(text)).components[Component::vision].commit = shared;
  catalog.releases.at(*Version::parse("2.0.0")).components[Component::audio].commit = shared;
  CHECK(catalog.releases_at(Component::vision, shared) == std::vector<std::string>{"1.1.0", "1.10.0", "1.10.2"});
  CHECK(catalog.releases_at(Component::vision, other).empty());
}

TEST_CASE("affects: a release in any of the issue's ranges") {
  Issue issue;
  issue.releases = {*VersionRange::parse("<1.2"), *VersionRange::parse(">=1.10 <2")};
  CHECK(affects(issue, *Version::parse("1.1.0")));
  CHECK(affects(issue, *Version::parse("1.10.2")));
  CHECK_FALSE(affects(issue, *Version::parse("1.4.0")));
  CHECK_FALSE(affects(issue, *Version::parse("2.0.0")));
}

TEST_CASE("ContentPin: its commit is a function of tree, archive and digest, upstream's becomes a claim") {
  ContentPin content{
      .archive = "pytorch_2.6.0+dfsg.orig.tar.xz",
      .sha256 = Sha256::parse("099a9601bc40d67656e75735c44abedb0fbe92d08817852ab7472eebb7e6ddff").value(),
      .tree = ObjectId::parse("10d484a5c4e22f11d1dc463b43ff176a27f3d84d").value(),
      .commit = ObjectId::parse("c646a948993df52bcecae3537009fd690b2f6bd7").value()};  // git hash-object -t commit
  CHECK(git_object_id("commit", content.raw_commit()) == content.commit);

  const ObjectId upstream = git_blob_id("upstream");
  Catalog catalog;
  ComponentPin& pin = catalog.releases[*Version::parse("2.6.0")].components[Component::torch];
  pin.commit = upstream;
  pin.content = content;
  CHECK(!pin.is_content());
  CHECK(pin.is_at(content.commit));
  take_contents(catalog, [](const Version&, Component, const ContentPin&) { return false; });
  CHECK(pin.commit == upstream);
  take_contents(catalog, [](const Version&, Component, const ContentPin&) { return true; });
  CHECK(pin.is_content());
  CHECK(pin.commit == content.commit);
  CHECK(pin.content->claims == upstream);
  take_contents(catalog, [](const Version&, Component, const ContentPin&) { return true; });
  CHECK(pin.content->claims == upstream);
  CHECK(catalog.releases_at(Component::torch, content.commit) == std::vector<std::string>{"2.6.0"});
}
