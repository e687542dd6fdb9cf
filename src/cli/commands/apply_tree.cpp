// SPDX-License-Identifier: BSD-3-Clause
#include "ops/apply_tree.h"

#include <memory>

#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/option_set.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::cli {
namespace {

struct ApplyTreeLine {
  std::string git_dir, tree, patch;
};

int apply_tree(const ApplyTreeLine& line, Context& context) {
  const auto tree = ObjectId::parse(line.tree);
  if (!tree) {
    throw Error(ErrorKind::usage, concat("--tree ", quote(line.tree), " is not an object id of 40 hex digits"),
                "git rev-parse 'COMMIT^{tree}' gives it");
  }
  const ops::AppliedTree applied = ops::apply_tree(line.git_dir, *tree, line.patch);
  for (const std::string& note : applied.notes) context.console.warning(note);
  print(context, applied.tree.hex() + "\n");
  return kDone;
}

Action declare(OptionSet& options) {
  const auto line = std::make_shared<ApplyTreeLine>();
  options.value("--git-dir", line->git_dir, "DIR", "git directory of the repository", Need::required);
  options.value("--tree", line->tree, "ID", "the tree to apply the patch to", Need::required);
  options.value("--patch", line->patch, "FILE", "the patch", Need::required);
  return [line](Context& context) { return apply_tree(*line, context); };
}

}  // namespace

Command apply_tree_command() {
  return {.name = "apply-tree",
          .summary = "apply a patch to a tree of a repository and print the new tree's id",
          .details = "Computes what git apply would give and writes nothing.",
          .examples = {"torchpatch apply-tree --git-dir .git --tree ID --patch fix.patch"},
          .declare = declare,
          .audience = Audience::plumbing};
}

}  // namespace torchpatch::cli
