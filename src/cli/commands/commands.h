// SPDX-License-Identifier: BSD-3-Clause
/// The commands of each file of this directory; command_table() orders and describes them by help.txt.
#pragma once

#include <vector>

#include "cli/command.h"

namespace torchpatch::cli {

Command prepare_command();
Command flags_command();
Command recipe_command();
Command release_add_command();
Command outdated_command();
Command port_command();
std::vector<Command> trees_commands();    ///< verify, diff, export, doctor: about a prepared tree
std::vector<Command> catalog_commands();  ///< explain, list, show, docs: what the catalog says
std::vector<Command> proofs_commands();   ///< check, prove, patch certify, results record: what it promises
std::vector<Command> author_commands();   ///< board new, issue new, patch new, edit, refresh and remove, release remove
std::vector<Command> audit_commands();    ///< audit, and signatures of its reports
std::vector<Command> wheel_commands();    ///< what a build made
std::vector<Command> matrix_commands();   ///< many releases and boards at once
std::vector<Command> keep_commands();     ///< mirror, bundle, cache: where objects are kept
std::vector<Command> plumbing_commands();  ///< for scripts, shells and packagers

}  // namespace torchpatch::cli
