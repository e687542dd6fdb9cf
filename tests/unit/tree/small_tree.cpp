// SPDX-License-Identifier: BSD-3-Clause
#include "unit/tree/small_tree.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "support/error.h"

namespace torchpatch::test {
namespace {

void write_tree(const std::string& root, const std::string& text) {
  if (::mkdir((root + "/torchpatch").c_str(), 0755) != 0) throw system_error("creating torchpatch/");
  for (const char* name : {"/a", "/torchpatch/manifest.json"}) {
    const UniqueFd file(::open((root + name).c_str(), O_WRONLY | O_CREAT | O_EXCL, 0644));
    if (!file) throw system_error("creating a file");
    write_all(file.get(), text, name);
  }
}

}  // namespace

void prepare_small_tree(const std::string& out, tree::IfExists if_exists, const std::string& text) {
  NullConsole console;
  tree::Staging staging(out, if_exists, console);
  write_tree(staging.path(), text);
  staging.commit(false);
}

std::string state_of(const std::string& out) {
  if (!file_exists(out)) return "absent";
  if (list_files_below(out) != std::vector<std::string>{"a", "torchpatch/manifest.json"}) return "mixed";
  const std::string text = read_file(out + "/a");
  return read_file(out + "/torchpatch/manifest.json") == text ? text : "mixed";
}

}  // namespace torchpatch::test
