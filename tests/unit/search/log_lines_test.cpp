// SPDX-License-Identifier: BSD-3-Clause
#include "search/find_issues.h"

#include "support/catch.h"
#include "support/text.h"

namespace torchpatch::search {
namespace {

std::string forms(std::string_view line) {
  std::vector<std::string> list;
  for (const Word& word : tokenize(line)) list.push_back(word.form);
  return join(list, " ");
}

TEST_CASE("words: versions are one, identifiers stay whole") {
  CHECK(forms("version `GLIBC_2.38' not found") == "version glibc_# not found");
  CHECK(forms("ImportError: libcudart.so.10.0: cannot open") == "importerror libcudart.so.# cannot open");
  CHECK(forms("libpython3.7m.so.1.0") == "libpython#m.so.#");
  CHECK(forms("'vld1q_f32_x2' sm_53 8x8 1.x") == "vld1q_f32_x2 sm_# 8x8 1.x");
  CHECK(tokenize("GLIBC_2.38")[0].text == "glibc_2.38");
  CHECK(forms("Manually-specified CUDA::nvToolsExt") == "manually specified cuda nvtoolsext");
}

TEST_CASE("words: a path is its last part, places and addresses are none") {
  CHECK(forms("/home/me/pytorch/third_party/gloo/types.h:66:11: error: x") == "types.h error x");
  CHECK(forms("C:\\src\\cub.cuh(63): error") == "c cub.cuh error");
  CHECK(forms("at 0x00007fff12 in a/third_party/") == "at in third_party");
  CHECK(forms("unable to access 'https://example.org/me/psimd.git/'") == "unable to access https psimd.git");
  CHECK(forms("You are running version 3.10.2") == "you are running version #");
}

TEST_CASE("words: quotes of every kind are none, and what is not ASCII neither") {
  CHECK(forms("error: ‘int32_t’ does not") == forms("error: 'int32_t' does not"));
  CHECK(forms("«cstdint» `x'") == "cstdint x");
  CHECK(forms("").empty());
  CHECK(tokenize(std::string(1000, 'a') + " b").size() == 2);
  CHECK(tokenize(concat(join(std::vector<std::string>(500, "a"), " "))).size() == 200);
}

TEST_CASE("lines: what a terminal shows of them") {
  CHECK(plain_line("\x1b[31merror:\x1b[0m \x1b[1;35mx\x1b[K") == "error: x");
  CHECK(plain_line("[01;31merror[m[K [12%] a[0]") == "error [12%] a[0]");
  CHECK(plain_line("10%\r50%\rdone\r") == "done");
  CHECK(plain_line("\x1b]0;title\aerror") == "error");
  CHECK(plain_line("\x1b").empty());
  CHECK(plain_line("\x1b]never ended").empty());
}

TEST_CASE("lines: healthy builds have commands, progress, status and warnings") {
  for (const char* line :
       {"[ 12%] Building CXX object x.o", "-- Not using cuDNN", "  -- indented", "Building wheel torch-1.1.0",
        "/usr/bin/c++ -DA -Ib -O2 -Werror=format -fPIC -c x.cpp -o x.o", "a.h:3:1: warning: unused variable 'x'",
        "2024-03-02T11:02:41.1193873Z [ 15%] Building CXX object y.o",
        "disabling MKLDNN because USE_MKLDNN is not set"}) {
    INFO(line);
    CHECK(is_ordinary(line));
  }
  for (const char* line : {"FAILED: bin/torch_shm_manager", "ld: a.o: undefined reference to `b'", "", "x -y z",
                           "c++: fatal error: Killed signal terminated program cc1plus"}) {
    INFO(line);
    CHECK_FALSE(is_ordinary(line));
  }
}

TEST_CASE("lines: what compilers say in other languages is English") {
  CHECK(translated("x.h:1:1: Fehler: »int32_t« bezeichnet keinen Typ") ==
        "x.h:1:1: error: »int32_t« does not name a type");
  CHECK(forms(translated("对‘shm_open’未定义的引用")) == "undefined reference to shm_open");
  CHECK(translated("erreur: ‘x’ n'a pas été déclaré dans cette portée") == "error: ‘x’ was not declared in this scope");
  CHECK(translated("error: x") == "error: x");
}

}  // namespace
}  // namespace torchpatch::search
