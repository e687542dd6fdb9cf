// SPDX-License-Identifier: BSD-3-Clause
#include "plan/make_plan.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/text.h"
#include "unit/plan/plan_fixture.h"

namespace torchpatch::plan {
namespace {

using Catch::Contains;
using namespace test;

/// Board "server" builds for board "small" of the same instruction set: Python 3.6, glibc 2.27, gcc 7.5.
struct Pair {
  Pair() {
    Image& image = small.images.emplace_back();
    image.id = "pynq";
    image.os = "ubuntu-18.04";
    image.glibc = version("2.27");
    image.gcc = version("7.5");
    image.cmake = version("3.10");
    image.python = {version("3.6")};
    image.known_absent = {"cuda"};
    small.id = "small";
    small.arch = "aarch64";
    small.cpu_flags = "-mcpu=cortex-a53";
    small.memory_mib = 2048;
    server = small;
    server.id = "server";
    server.cpu_flags = "-mcpu=neoverse-n1";
    server.memory_mib = 32768;
    server.images.at(0).id = "ubuntu";
    server.images.at(0).python = {version("2.7"), version("3.6")};
  }

  Plan decide(const std::string& host = "server", const std::string& board = "small") {
    catalog = make_catalog();
    small.default_images = {{range("*"), small.images.front().id}};
    catalog.boards["small"] = small;
    catalog.boards["server"] = server;
    options.host = host;
    return make_plan(catalog, "1.1.0", board, "", options);
  }

  std::string refusal(const std::string& host = "server") {
    try {
      decide(host);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      return error.message();
    }
    return "no error";
  }

  Image& image() { return server.images.at(0); }

  Board small, server;
  PlanOptions options;
  Catalog catalog;
};

std::string value_of(const Plan& plan, const std::string& name) {
  for (const PlannedSetting& setting : plan.environment)
    if (setting.name == name) return setting.value + " by " + setting.origin;
  return "unset";
}

TEST_CASE("make_plan: a host that can build for the board is part of the plan") {
  Pair pair;
  const Plan plan = pair.decide();
  REQUIRE(plan.host);
  CHECK(plan.host->board->id == "server");
  CHECK(plan.host->image->id == "ubuntu");
  CHECK(plan.python == "3.6");
  CHECK(plan.warnings.empty());
  CHECK(value_of(plan, "CFLAGS") == "-mcpu=cortex-a53 by host server");
  CHECK(value_of(plan, "CXXFLAGS") == "-mcpu=cortex-a53 by host server");
  CHECK_FALSE(pair.decide("").host);
  CHECK(value_of(pair.decide(""), "CFLAGS") == "unset");
}

TEST_CASE("make_plan: the tools and the memory that build are the host's") {
  Pair pair;
  pair.image().gcc = version("5.4");
  pair.image().cmake.reset();
  pair.image().glibc = version("2.23");
  const Facts facts = pair.decide().facts;
  CHECK(facts.at("gcc") == FactValue(version("5.4")));
  CHECK(facts.count("cmake") == 0);
  CHECK(facts.at("glibc") == FactValue(version("2.23")));
  CHECK(facts.at("memory_mib") == FactValue(std::int64_t{32768}));
  CHECK(facts.at("os") == FactValue(std::string("ubuntu-18.04")));
  pair.options.settings = {{"gcc", "8.3"}, {"memory_mib", "100"}};
  CHECK(pair.decide().facts.at("gcc") == FactValue(version("8.3")));
  CHECK(pair.decide().facts.at("memory_mib") == FactValue(std::int64_t{100}));
}

TEST_CASE("make_plan: refuses a host with a newer glibc than the board's") {
  Pair pair;
  pair.image().glibc = version("2.31");
  CHECK(
      pair.refusal() ==
      "host 'server' cannot build for board 'small' of image 'pynq': image 'ubuntu': binaries linked against its glibc "
      "2.31 will not load with 2.27 of image 'pynq'");
  SECTION("unless a cross compiler has the board's") {
    pair.options.settings = {{"cross", "true"}};
    CHECK(pair.decide().facts.at("glibc") == FactValue(version("2.27")));
  }
  SECTION("unless forced, with a warning") {
    pair.options.force = true;
    CHECK_THAT(pair.decide().warnings.at(0),
               Contains("host 'server:ubuntu': --force: image 'ubuntu': binaries linked"));
  }
  SECTION("unless another image of the host fits") {
    Image older = pair.image();
    older.id = "older";
    older.glibc = version("2.23");
    pair.server.images.push_back(older);
    CHECK(pair.decide().host->image->id == "older");
    CHECK_THAT(pair.refusal("server:ubuntu"), Contains("will not load"));
    CHECK(pair.refusal("server:oldest") == "board 'server' has no image 'oldest'");
  }
  SECTION("and warns where one of the two is not known") {
    pair.image().glibc.reset();
    CHECK_THAT(pair.decide().warnings.at(0), Contains("its glibc or the one of image 'pynq' is unknown"));
  }
}

TEST_CASE("make_plan: refuses a host of another instruction set, unless it cross compiles") {
  Pair pair;
  pair.server.arch = "x86_64";
  CHECK_THAT(pair.refusal(), Contains("image 'ubuntu': it is x86_64, the board aarch64"));
  pair.options.settings = {{"cross", "true"}};
  CHECK(pair.decide().host->arch() == "x86_64");
  pair.options.settings.clear();
  pair.image().arch = "aarch64";
  CHECK(pair.decide().host->arch() == "aarch64");
}

TEST_CASE("make_plan: refuses a host without the Python or the CUDA of the build") {
  Pair pair;
  pair.image().python = {version("2.7"), version("3.8")};
  CHECK_THAT(pair.refusal(), Contains("it has Python 2.7, 3.8, the build needs 3.6"));
  pair.image().python = {version("3.6")};
  pair.small.gpu = Gpu{version("6.2"), 32768};
  pair.small.images.at(0).known_absent = {};
  pair.small.images.at(0).cuda = version("9.0");
  CHECK_THAT(pair.refusal(), Contains("it has no CUDA, the build needs 9.0"));
  pair.image().known_absent = {};
  CHECK(pair.decide().warnings.at(0) == "host 'server:ubuntu': its CUDA is unknown, the build needs 9.0");
  pair.image().cuda = version("10.0");
  CHECK_THAT(pair.refusal(), Contains("it has CUDA 10.0, the build needs 9.0"));
  pair.image().cuda = version("9.0");
  CHECK(pair.decide().warnings.empty());
}

TEST_CASE("make_plan: warns of another system and of a newer compiler") {
  Pair pair;
  pair.image().os = "debian-10";
  pair.image().gcc = version("8.3");
  const std::vector<std::string> warnings = pair.decide().warnings;
  REQUIRE(warnings.size() == 2);
  CHECK_THAT(warnings.at(0), Contains("its system is debian-10, the board's ubuntu-18.04"));
  CHECK_THAT(warnings.at(1), Contains("its gcc 8.3 has a newer libstdc++ than 7.5 of image 'pynq'"));
  pair.image().os = "ubuntu-18.04";
  CHECK(pair.decide().warnings.empty());
}

TEST_CASE("make_plan: an unknown host is refused like an unknown board") {
  Pair pair;
  CHECK(pair.refusal("servr") == "unknown board 'servr'");
}

TEST_CASE("make_plan: a host changes no tree") {
  Pair pair;
  CHECK(pair.decide().digest == pair.decide("").digest);
}

}  // namespace
}  // namespace torchpatch::plan
