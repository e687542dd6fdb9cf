// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command_table.h"

#include "cli/commands/commands.h"

namespace torchpatch::cli {

const std::vector<Command>& command_table() {
  static const std::vector<Command> commands = {prepare_command(),
                                                verify_command(),
                                                explain_command(),
                                                doctor_command(),
                                                list_command(),
                                                show_command(),
                                                check_command(),
                                                prove_command(),
                                                audit_command(),
                                                audit_sign_command(),
                                                audit_verify_signature_command(),
                                                docs_command(),
                                                diff_command(),
                                                export_command(),
                                                mirror_command(),
                                                bundle_create_command(),
                                                bundle_verify_command(),
                                                bundle_unpack_command(),
                                                cache_list_command(),
                                                cache_verify_command(),
                                                cache_gc_command(),
                                                apply_tree_command(),
                                                fetch_commits_command(),
                                                patch_certify_command(),
                                                results_record_command(),
                                                write_source_command(),
                                                completion_command(),
                                                man_command()};
  return commands;
}

}  // namespace torchpatch::cli
