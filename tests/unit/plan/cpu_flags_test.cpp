// SPDX-License-Identifier: BSD-3-Clause
#include "plan/facts.h"

#include <algorithm>

#include "catalog/load_catalog.h"
#include "plan/make_plan.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/source_directory.h"
#include "support/text.h"

namespace torchpatch::plan {
namespace {

struct Shipped {
  Plan make(const std::string& board, const std::string& image = "") {
    return make_plan(catalog, release, board, image, options);
  }
  /// Returns CFLAGS and where they come from, or what was refused.
  std::string flags(const std::string& board, const std::string& image = "") {
    try {
      const Plan plan = make(board, image);
      const auto found = std::ranges::find(plan.environment, "CFLAGS", &PlannedSetting::name);
      return found == plan.environment.end() ? "unset" : concat(found->value, " by ", found->origin);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      CHECK_FALSE(error.hint().empty());
      return error.message();
    }
  }

  Catalog catalog = catalog::load_catalog({{"shipped", torchpatch::test::source_directory()}});
  PlanOptions options;
  std::string release = "1.5.1";
};

TEST_CASE("board_cpu_flags: an ARMv8.0 core gets -march and -mtune, which XNNPACK can override") {
  Shipped shipped;
  shipped.options.host = "graviton1";
  CHECK(shipped.flags("ultra96") == "-march=armv8-a -mtune=cortex-a53 by host graviton1");
  shipped.release = "1.8.1";
  CHECK(shipped.flags("rpi4", "debian-11") == "-march=armv8-a -mtune=cortex-a72 by host graviton1");
}

TEST_CASE("board_cpu_flags: a plan for another machine than the board has none") {
  Shipped shipped;
  shipped.options.force = true;
  for (const std::string arch : {"aarch64", "x86_64"}) {
    shipped.options.settings = {{"arch", arch}};
    CHECK(shipped.make("neoverse-n1", "ubuntu-20.04").cpu_flags == (arch == "aarch64" ? "-mcpu=neoverse-n1" : ""));
  }
}

TEST_CASE("board_cpu_flags: a compiler gets what it knows of a core") {
  Shipped shipped;
  const auto flags = [&](const std::string& board, const std::string& gcc) {
    shipped.options.settings = {{"gcc", gcc}};
    shipped.options.force = true;
    return shipped.make(board).cpu_flags;
  };
  CHECK(flags("neoverse-n1", "9.4") == "-mcpu=neoverse-n1");
  CHECK(flags("neoverse-n1", "7.5") == "-march=armv8.2-a");
  CHECK(flags("neoverse-n1", "5.4") == "-march=armv8-a");
  CHECK(flags("neoverse-n1", "none") == "-march=armv8-a");
  CHECK(flags("neoverse-v1", "10.2") == "-march=armv8.4-a");
  CHECK(flags("graviton4", "12.2") == "-mcpu=neoverse-512tvb");
  CHECK(flags("graviton4", "13.3") == "-mcpu=neoverse-v2");
  CHECK(flags("orin-agx", "9.4") == "-march=armv8.2-a");
  CHECK(flags("xavier", "7.5") == "-march=armv8.2-a");
  CHECK(flags("pynq-z2", "7.5") == "-mcpu=cortex-a9 -mfpu=neon -mfloat-abi=hard");
}

TEST_CASE(
    "the shipped catalog: no image of a 64-bit board gets -mcpu of an ARMv8.0 core, or of one that is not in the "
    "table") {
  Shipped shipped;
  shipped.options.force = true;
  for (const auto& [id, board] : shipped.catalog.boards) {
    for (const Image& image : board.images) {
      if (image.arch.value_or(board.arch) != "aarch64") continue;
      INFO(id << " " << image.id);
      const std::string flags = shipped.make(id, image.id).cpu_flags;
      for (const std::string old : {"-mcpu=cortex-a53", "-mcpu=cortex-a57", "-mcpu=cortex-a72"})
        CHECK(flags.find(old) == std::string::npos);
      const std::string file = image.cpu_flags.value_or(board.cpu_flags);
      if (starts_with(file, "-mcpu=")) CHECK(shipped.catalog.cores.find(file.substr(6)) != nullptr);
    }
  }
}

TEST_CASE("build target: takes the flags of a core by its name or alias") {
  Shipped shipped;
  const auto flags = [&](const std::string& target, const std::string& board, const std::string& image = "") {
    shipped.options.build_target = target;
    return shipped.flags(board, image);
  };
  CHECK(flags("n1", "neoverse-v1", "ubuntu-20.04") == "-mcpu=neoverse-n1 by --build-target n1");
  CHECK(flags("generic", "ultra96") == "-march=armv8-a by --build-target generic");
  CHECK(flags("neoverse", "graviton4", "ubuntu-20.04") ==
        "-march=armv8.2-a -mtune=neoverse-n1 by --build-target neoverse");
  CHECK(flags("neoverse", "neoverse-v1", "ubuntu-18.04") == "-march=armv8.2-a by --build-target neoverse");
  CHECK(flags("thunderx2", "graviton2", "ubuntu-18.04") ==
        "-march=armv8.1-a -mtune=thunderx2t99 by --build-target thunderx2");
  CHECK(flags("cortex-a72", "ultra96") == "-march=armv8-a -mtune=cortex-a72 by --build-target cortex-a72");
  CHECK(flags("neoverse-n", "graviton2") == "unknown core 'neoverse-n' for --build-target");
  CHECK(flags("n1", "pynq-z2") == "--build-target needs aarch64, the board is armv7l");
}

TEST_CASE("build target custom: takes the flags of --set alone, and needs both") {
  Shipped shipped;
  shipped.options.build_target = "custom";
  CHECK(shipped.flags("graviton2") == "--build-target custom: CFLAGS is not set");
  shipped.options.settings["CFLAGS"] = shipped.options.settings["CXXFLAGS"] = "-mcpu=neoverse-n1+crypto";
  CHECK(shipped.flags("graviton2") == "-mcpu=neoverse-n1+crypto by --set");
  shipped.options.host = "graviton3";  // whose builds have the board's flags otherwise
  CHECK(shipped.flags("graviton2") == "-mcpu=neoverse-n1+crypto by --set");
}

TEST_CASE("build target: refuses instructions that the board lacks") {
  Shipped shipped;
  shipped.options.build_target = "n1";
  const std::string refusal =
      "--build-target n1: 'neoverse-n1' uses the instructions of armv8.2-a, but board 'ultra96' has those of armv8-a; "
      "the result would crash on this board with 'Illegal instruction'";
  CHECK(shipped.flags("ultra96") == refusal);
  shipped.options.force = true;
  CHECK(shipped.flags("ultra96") == "-march=armv8.2-a by --build-target n1");
}

TEST_CASE("build target native: is the machine that builds, where the board has its instructions") {
  Shipped shipped;
  shipped.options.build_target = "native";
  CHECK(shipped.flags("ultra96") == "-march=armv8-a -mtune=cortex-a53 by --build-target native");
  CHECK(shipped.flags("xavier") == "-march=armv8.2-a by --build-target native");
  shipped.options.host = "graviton1";
  CHECK(shipped.flags("ultra96") == "-march=armv8-a -mtune=cortex-a72 by --build-target native");
  shipped.options.host = "graviton2";
  CHECK(shipped.flags("ultra96") ==
        "--build-target native: the host 'graviton2' uses the instructions of armv8.2-a, but board 'ultra96' has those "
        "of "
        "armv8-a; the result would crash on this board with 'Illegal instruction'");
  shipped.options.settings = {{"cross", "true"}};
  CHECK(shipped.flags("ultra96") ==
        "--build-target native: impossible for a cross compiler, which runs on another machine");
}

}  // namespace
}  // namespace torchpatch::plan
