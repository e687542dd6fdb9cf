// SPDX-License-Identifier: BSD-3-Clause
/// What port was asked for, and how far it is: torchpatch-port.json of its work directory.
#pragma once

#include <string>
#include <vector>

#include "model/text_rules.h"
#include "support/fields.h"
#include "support/json_fields.h"
#include "support/text.h"
#include "upkeep/edit/patch_work.h"

namespace torchpatch::upkeep {

/// With conflicts it lies in the work directory.
struct PortRequest {
  std::string version;
  std::vector<std::string> patchsets;  ///< empty: those with a variant for the release before whose issues go on
  std::string from;                    ///< variant to begin with; empty: the one of the release before
  bool keeps_going = false;            ///< past conflicts
  std::vector<std::string> skipped{};
  std::vector<std::string> waiting{};  ///< patchsets that are left to a person
  bool has_written = false;            ///< the catalog has what was done so far
  WorkOrigin origin;
};
FIELDS(PortRequest, ("schema", SchemaVersion{1}), version, patchsets, from, ("keep_going", self.keeps_going), skipped,
       ("waiting", self.waiting, kIdRule),  // --skip removes what they name
       ("has_written", self.has_written), origin)

/// Returns where a work directory has it.
std::string port_request_path(const std::string& work);
/// Raises environment.
void write_port_request(const std::string& work, const PortRequest& request);
/// Returns the request that a work directory was made for. Raises environment where it is none.
PortRequest read_port_request(const std::string& work);
/// Removes what port wrote into a work directory, and the directory where nothing else is in it. Raises environment.
void remove_port(const std::string& work);
/// Leaves the first patchset out that waits for a person, from now on, one whose conflict is not settled before one
/// where it is; returns its id. Raises as above, usage where there is none.
std::string skip_in_port(const std::string& work);
/// The same, of a work directory that has a request; returns whether the catalog has some of what was done
/// (--keep-going). Raises as read_port_request.
bool abort_port(const std::string& work);

}  // namespace torchpatch::upkeep
