// SPDX-License-Identifier: BSD-3-Clause
// SIGKILL at every system call of a run: OUT is the old tree or none before the rename, the new one after it, never a
// mixture; and the next run succeeds and leaves nothing beside OUT.

#include "support/catch.h"
#include "unit/tree/small_tree.h"
#include "unit/tree/traced_child.h"

namespace torchpatch::tree {
namespace {

/// Runs prepare_small_tree() in a child that is killed when it is about to begin its `calls`-th system call. Returns
/// false where it ended by itself before.
bool prepare_killed_at(const std::string& out, IfExists if_exists, int calls) {
  test::TracedChild child([&] { test::prepare_small_tree(out, if_exists, "new"); });
  for (int i = 0; i < calls; ++i)
    if (!child.run_to_next_call()) return false;
  return true;
}

/// Kills a run at each of its system calls in turn; returns the states that OUT was found in, one after the other.
std::vector<std::string> states_after_kills(IfExists if_exists, bool has_old) {
  std::vector<std::string> states;
  for (int calls = 1;; ++calls) {
    const TempDir temp;
    const std::string out = temp.path() + "/out";
    if (has_old) test::prepare_small_tree(out, IfExists::refuse, "old");
    const bool was_killed = prepare_killed_at(out, if_exists, calls);
    if (const std::string state = test::state_of(out); states.empty() || states.back() != state)
      states.push_back(state);
    test::prepare_small_tree(out, IfExists::replace, "next");
    REQUIRE(test::state_of(out) == "next");
    REQUIRE(list_directory(temp.path()) == std::vector<std::string>{"out"});
    if (!was_killed) return states;
  }
}

using States = std::vector<std::string>;

}  // namespace

TEST_CASE("Staging: SIGKILL at any system call leaves no OUT or the whole one") {
  CHECK(states_after_kills(IfExists::refuse, false) == States{"absent", "new"});
}

TEST_CASE("Staging: SIGKILL at any system call of a replacement leaves the old OUT or the new one") {
  CHECK(states_after_kills(IfExists::replace, true) == States{"old", "new"});
}

}  // namespace torchpatch::tree
