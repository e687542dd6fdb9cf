// SPDX-License-Identifier: BSD-3-Clause
/// One function a command; each is defined in the file of its name.
#pragma once

#include "cli/command.h"

namespace torchpatch::cli {

Command prepare_command();
Command verify_command();
Command explain_command();
Command fetch_commits_command();
Command doctor_command();
Command prove_command();
Command list_command();
Command show_command();
Command audit_command();
Command audit_sign_command();
Command audit_verify_signature_command();
Command diff_command();
Command export_command();
Command check_command();
Command docs_command();
Command mirror_command();
Command bundle_create_command();
Command bundle_verify_command();
Command bundle_unpack_command();
Command cache_list_command();
Command cache_verify_command();
Command cache_gc_command();
Command patch_certify_command();
Command results_record_command();
Command apply_tree_command();
Command write_source_command();
Command completion_command();
Command man_command();

}  // namespace torchpatch::cli
