// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "catalog/load_catalog.h"
#include "search/find_issues.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/json.h"
#include "support/source_directory.h"
#include "support/text.h"

namespace torchpatch::search {
namespace {

const Catalog& shipped() {
  static const Catalog catalog = catalog::load_catalog({{"shipped", test::source_directory()}});
  return catalog;
}

std::vector<std::string> found_in(std::string_view log) {
  static const SymptomIndex index = make_index(shipped());
  std::vector<std::string> ids;
  for (const Match& match : find_issues(index, log)) ids.push_back(match.issue->id);
  return ids;
}

TEST_CASE("search: every issue is found by one of its symptoms") {
  for (const auto& entry : shipped().issues) {
    const std::string& wanted = entry.first;
    INFO(wanted);
    CHECK(std::ranges::any_of(entry.second.symptoms, [&](const std::string& symptom) {
      const std::vector<std::string> ids = found_in(symptom);
      return std::ranges::find(ids, wanted) != ids.end();
    }));
  }
}

TEST_CASE("search: the telling word must be there") {
  CHECK(found_in("ImportError: libcufft.so.10: cannot open shared object file: No such file or directory") ==
        std::vector<std::string>{"wheel-of-another-jetpack"});
  CHECK(found_in("ImportError: libfoo.so.10: cannot open shared object file: No such file or directory").empty());
}

TEST_CASE("search: a few plain words tell something where they are the whole line") {
  CHECK(found_in("$ python3 -c 'import torch'\nIllegal instruction") ==
        std::vector<std::string>{"illegal-instruction"});
  CHECK(found_in("it was an illegal instruction of mine").empty());
  CHECK(found_in("$ python3 setup.py bdist_wheel\nKilled\n") == std::vector<std::string>{"out-of-memory"});
  CHECK(found_in("the worker was killed by its user").empty());
}

TEST_CASE("search: a message that a tool wraps is one") {
  CHECK(found_in("nvlink error : entry function 'a' with max regcount of 80\ncalls function 'b' with regcount of 96") ==
        std::vector<std::string>{"nccl-device-link"});
}

TEST_CASE("search: of equal lines the last counts") {
  static const SymptomIndex index = make_index(shipped());
  const std::string line = "Compatibility with CMake < 3.5 has been removed from CMake.\n";
  CHECK(find_issues(index, concat(line, "x\n", line)).at(0).number == 3);
}

TEST_CASE("search: a literal symptom counts on a line that healthy builds print, too") {
  CHECK(found_in("make[1]: *** [/nx/nccl/obj/collectives/device/devlink.o] Error 255") ==
        std::vector<std::string>{"nccl-device-link"});
  CHECK(found_in("make[1]: *** [/nx/nccl/obj/collectives/device/x.o] Error 255").empty());
  CHECK(found_in("[ 12%] collectives/device/devlink.o] Error 255").empty());
}

TEST_CASE("search: a symptom that is an option counts in a long command that failed") {
  std::string options;
  for (int i = 0; i < 300; ++i) options += concat(" -DX", i, " lib/CMakeFiles/c10.dir/x", i, ".o");
  for (const auto& [id, issue] : shipped().issues) {
    for (const std::string& symptom : issue.symptoms) {
      if (!starts_with(symptom, "-")) continue;
      INFO(symptom);
      const std::string command = concat(": && /usr/bin/c++ -fPIC", options, " ", symptom, options, " && :\n");
      CHECK(found_in("FAILED: lib/libc10.so \n" + command) == std::vector<std::string>{id});
      CHECK(found_in("2024-03-02T11:02:41.1193873Z FAILED: [code=1] lib/libc10.so\n" + command).size() == 1);
      CHECK(found_in("FAILED: lib/libc10.so\nninja: build stopped.\n" + command).empty());
      CHECK(found_in("[1/2] FAILED: lib/libc10.so\n" + command).empty());
    }
  }
  CHECK(found_in("FAILED: x.so\n: && /usr/bin/c++ -fPIC -Iinclude" + options + " -Wl,--no-as-needed && :\n").empty());
  static const SymptomIndex index = make_index(shipped());
  CHECK(find_issues(index,
                    "FAILED: lib/libc10.so\n: && c++ -fPIC -O3 -g -Wl,--as-needed -shared -Wl,-soname,libc10.so "
                    "-T/home/me/pytorch/cmake/linker_script.ld -Wl,--no-as-needed && :\n")
            .at(0)
            .origin == Origin::build);
}

TEST_CASE("search: the signal that ended a program, as shells, containers and qemu report it") {
  for (const char* line :
       {"/app/start-all.sh: line 295:    10 Illegal instruction     hindsight-api --port 8888",
        "./x.sh: line 3: 4211 Illegal instruction     (core dumped) python3 -c 'import torch'",
        "Illegal instruction (core dumped)", "qemu: uncaught target signal 4 (Illegal instruction) - core dumped",
        "app-1 exited with code 132", "Error: Process completed with exit code 132.",
        "ERROR: process \"/bin/sh -c python3 -c 'import torch'\" did not complete successfully: exit code: 132"}) {
    INFO(line);
    const std::vector<std::string> found = found_in(line);
    REQUIRE(!found.empty());
    CHECK(found.front() == "illegal-instruction");
  }
  CHECK(found_in("build.sh: line 12: 31337 Killed                  python3 setup.py develop").front() ==
        "out-of-memory");
  for (const char* line : {"app-1 exited with code 1", "Error: Process completed with exit code 2.",
                           "build.sh: line 12: 31337 Done                    true", "x.sh: line 12: 31337"})
    CHECK(found_in(line).empty());
}

TEST_CASE("search: one word, or the title of an issue, finds pages") {
  const std::vector<std::string> nccl = found_in("NCCL");
  for (const char* id : {"nccl-device-link", "nccl-backend-missing", "nccl-fetched-at-build", "nccl-init-rank"})
    CHECK(std::ranges::count(nccl, id) == 1);
  for (const auto& [id, issue] : shipped().issues) {
    INFO(issue.title);
    const std::vector<std::string> found = found_in(concat("\n", issue.title, "\n"));
    REQUIRE(!found.empty());
    CHECK(found.front() == id);
    CHECK(std::ranges::count(found, id) == 1);
  }
  CHECK(found_in(concat(shipped().issue("expand-insn-ice").title, "\nhello world")).empty());
  CHECK(found_in("file not found").empty());
  CHECK(found_in("NCCL\nhello world").empty());
  CHECK(found_in("NCCL frobnicated").empty());
}

TEST_CASE("search: the last error is answered, however sure an earlier line is") {
  static const SymptomIndex index = make_index(shipped());
  const auto diagnosis_of = [&](std::string_view log) {
    return find_issues(index, [&] { return std::exchange(log, {}); });
  };
  const std::string sure = "Compatibility with CMake < 3.5 has been removed from CMake.\n";
  const Diagnosis both = diagnosis_of(concat(sure, "x\nKilled\nmake: *** [all] Error 2\n"));
  REQUIRE(both.matches.size() == 2);
  CHECK(both.matches[0].issue->id == "cmake-4");
  CHECK(both.matches[1].issue->id == "out-of-memory");
  CHECK(both.matches[1].number == 3);
  CHECK(!both.unanswered);
  const Diagnosis one = diagnosis_of(concat(sure, "mine.c:3:1: error: frobnicated\ncollect2: error: ld returned 1\n"));
  REQUIRE(one.unanswered);
  CHECK(one.unanswered->line == "mine.c:3:1: error: frobnicated");
  CHECK(one.unanswered->number == 2);
  CHECK(!diagnosis_of("mine.c:3:1: error: frobnicated\n").unanswered);
  const Diagnosis wrapped = diagnosis_of(
      "nvlink error : entry function 'a' with max regcount of 80\nError: calls function 'b' with regcount of 96\n");
  CHECK(!wrapped.unanswered);
}

TEST_CASE("search: where a line comes from") {
  CHECK(origin_of("ImportError: libcudnn.so.8: cannot open shared object file", false) == Origin::run);
  CHECK(origin_of("ModuleNotFoundError: No module named 'torch.utils.hipify'", true) == Origin::unknown);
  CHECK(origin_of("x.cpp:1:1: error: 'x' was not declared", true) == Origin::build);
  CHECK(origin_of("/bin/sh: 1: protoc: Exec format error", false) == Origin::build);
  CHECK(origin_of("hello", false) == Origin::unknown);
  static const SymptomIndex index = make_index(shipped());
  const std::string error = "ModuleNotFoundError: No module named 'torch.utils.hipify'\n";
  CHECK(find_issues(index, error).at(0).origin == Origin::run);
  CHECK(find_issues(index, "  File \"setup.py\", line 12, in <module>\n" + error).at(0).origin == Origin::unknown);
}

TEST_CASE("search: a log is the same in whatever pieces it comes") {
  static const SymptomIndex index = make_index(shipped());
  Findings none;
  Json excerpts =
      *parse_json(read_file(test::source_directory() + "/tests/data/diagnose/written.json"), "written.json", 3, none);
  std::string log;
  for (Json& excerpt : excerpts.items)
    for (const Json& line : excerpt["log"].items) log += "1%\r50%\r" + line.string + "\r\r\n";
  const std::vector<Match> whole = find_issues(index, log);
  CHECK(whole.size() == 12);
  for (const std::size_t size : std::initializer_list<std::size_t>{1, 2, 7, 1000}) {
    std::string_view rest = log;
    const std::vector<Match> found = find_issues(index, [&] {
                                       const std::string_view piece = rest.substr(0, size);
                                       rest.remove_prefix(piece.size());
                                       return piece;
                                     }).matches;
    REQUIRE(found.size() == whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      CHECK(found[i].issue == whole[i].issue);
      CHECK(found[i].line == whole[i].line);
      CHECK(found[i].number == whole[i].number);
      CHECK(found[i].score == whole[i].score);
    }
  }
}

TEST_CASE("search: of a line without end its beginning is looked at, and what a carriage return begins anew") {
  const std::string message = "ImportError: libcufft.so.10: cannot open shared object file: No such file or directory";
  const std::vector<std::string> wanted = {"wheel-of-another-jetpack"};
  const std::string endless(std::size_t{1} << 20, 'a');
  CHECK(found_in(concat(message, " ", endless)) == wanted);
  CHECK(found_in(concat(endless, " ", message)).empty());
  CHECK(found_in(concat(endless, "\r", message)) == wanted);
  CHECK(found_in(concat(message, "\r", endless)).empty());
  CHECK(found_in(concat(endless, "\n", message)) == wanted);
}

/// What the search makes of a file of excerpts.
struct Measured {
  std::size_t with = 0, among_three = 0, right_first = 0, sure_of_these = 0, surely_wrong = 0;
  std::size_t without = 0, answered = 0;
};

Measured measure(const std::string& name) {
  const SymptomIndex index = make_index(shipped());
  Findings none;
  Json excerpts = *parse_json(read_file(test::source_directory() + "/tests/data/diagnose/" + name), name, 3, none);
  Measured sum;
  for (Json& excerpt : excerpts.items) {
    std::string log;
    for (const Json& line : excerpt["log"].items) log += line.string + "\n";
    const std::vector<Match> matches = find_issues(index, log);
    const bool is_sure = !matches.empty() && matches[0].confidence == Confidence::match;
    const std::string& wanted = excerpt["issue"].string;  // empty: none
    const auto place = std::ranges::find(matches, wanted, [](const Match& match) { return match.issue->id; });
    ++(wanted.empty() ? sum.without : sum.with);
    if (wanted.empty() && !matches.empty()) ++sum.answered;
    if (place - matches.begin() < 3 && place != matches.end()) ++sum.among_three;
    const bool is_first = !matches.empty() && place == matches.begin();
    if (is_first) ++sum.right_first;
    if (is_sure) ++(is_first ? sum.sure_of_these : sum.surely_wrong);
  }
  return sum;
}

TEST_CASE("search: what it finds of excerpts that nobody wrote symptoms by") {
  const Measured sum = measure("written.json");
  CHECK(sum.with == 214);
  CHECK(sum.without == 80);
  CHECK(sum.among_three * 100 >= sum.with * 85);
  CHECK(sum.sure_of_these * 100 >= sum.right_first * 85);
  CHECK(sum.surely_wrong * 100 <= (sum.with + sum.without) * 3);
  CHECK(sum.answered * 100 <= sum.without * 10);
}

TEST_CASE("search: what it finds of excerpts that were written from causes") {
  const Measured sum = measure("blind.json");
  CHECK(sum.with == 159);
  CHECK(sum.without == 51);
  CHECK(sum.among_three * 100 >= sum.with * 92);
  CHECK(sum.surely_wrong * 100 <= sum.with + sum.without);
  CHECK(sum.answered * 100 <= sum.without * 5);
}

}  // namespace
}  // namespace torchpatch::search
