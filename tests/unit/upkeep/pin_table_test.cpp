// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include "support/error.h"
#include "support/find.h"
#include "support/text.h"
#include "upkeep/release/add_release.h"

namespace torchpatch::upkeep {

namespace {

const std::string kCommit = std::string(40, 'a'), kOther = std::string(40, 'b');

std::string fetch(const std::string& name, const std::string& forge, const std::string& commit) {
  return concat("  src_", name, " = fetchFrom", forge, " {\n    owner = \"acme\";\n    repo = \"", name,
                "\";\n    rev = \"", commit, "\";\n    hash = \"sha256-x\";\n  };\n");
}

std::string copies(const std::string& name, const std::vector<std::string>& lines) {
  return concat("  src_", name, "_recursive = runCommand \"", name, "\" { } ''\n    cp -r ${src_", name, "} $out\n    ",
                join(lines, "\n    "), "\n  '';\n");
}

}  // namespace

TEST_CASE("read_pin_table: nixpkgs' src.nix has the submodules of torch, not those of submodules") {
  const std::string text = concat(
      "assert version == \"9.9.0\";\nrec {\n", fetch("onnx", "GitHub", kCommit), fetch("pybind11", "GitHub", kOther),
      fetch("eigen", "GitLab", "3.4"), copies("onnx", {"cp -r ${src_pybind11_recursive}/* $out/third_party/pybind11"}),
      copies("pytorch", {"chmod u+w $out/third_party/onnx", "cp -r ${src_onnx_recursive}/* $out/third_party/onnx",
                         "cp -r ${src_eigen_recursive}/* $out/third_party/eigen"}),
      copies("tensorpipe", {"cp -r ${src_pybind11_recursive}/* $out/third_party/pybind11"}), "}\n");
  const PinTable table = read_pin_table(text, "src.nix");
  CHECK(table.source == "src.nix of nixpkgs");
  CHECK(keys_of(table.gitlinks) == std::vector<std::string>{"third_party/onnx"});
  CHECK(table.gitlinks.at("third_party/onnx").text() == kCommit + " https://github.com/acme/onnx.git");
  CHECK(table.absent == std::vector<std::string>{"third_party/eigen"});
  CHECK_THROWS_AS(read_pin_table(text, "table"), Error);
  CHECK(read_pin_table("{}\n", "src.nix").gitlinks.empty());
}

}  // namespace torchpatch::upkeep
