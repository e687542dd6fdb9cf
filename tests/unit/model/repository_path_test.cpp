// SPDX-License-Identifier: BSD-3-Clause
#include "model/repository_path.h"

#include "support/catch.h"

using namespace torchpatch;

TEST_CASE("RepositoryPath: text and back") {
  for (const std::string text : {"torch", "vision", "audio", "torch:third_party/ideep/mkl-dnn", "audio:a:b"}) {
    const auto path = RepositoryPath::parse(text);
    CAPTURE(text);
    REQUIRE(path);
    CHECK(path->text() == text);
  }
  CHECK(RepositoryPath::parse("torch:a/b") == RepositoryPath{Component::torch, "a/b"});
}

TEST_CASE("RepositoryPath: refuses unknown components and unsafe paths") {
  for (const std::string text : {"", ":", "pytorch", "Torch", "torch:", "torch:/a", "torch:../a", "torch:a/../b",
                                 "torch:a/", "torch:.git/modules", "text:a"}) {
    CAPTURE(text);
    CHECK_FALSE(RepositoryPath::parse(text));
  }
}

TEST_CASE("RepositoryPath: a component comes before its submodules") {
  CHECK(*RepositoryPath::parse("torch") < *RepositoryPath::parse("torch:a"));
  CHECK(*RepositoryPath::parse("torch:z") < *RepositoryPath::parse("vision"));
}

TEST_CASE("component names: directories of OUT") {
  CHECK(std::string(component_directory(Component::torch)) == "pytorch");
  CHECK(std::string(component_directory(Component::vision)) == "vision");
  CHECK(std::string(component_directory(Component::audio)) == "audio");
}
