// SPDX-License-Identifier: BSD-3-Clause
/// A proof for the toy upstream's patchset.
#pragma once

#include <string>

#include "support/toy_upstream.h"

namespace torchpatch::test {

/// What a proof.json may differ in.
struct ToyProof {
  std::string tools = R"(["sh"])";
  std::string commands = R"([["sh", "{proof}/limit.sh", "{tree}/pytorch/include/limits.h"]])";
  std::string red = "the limit is not 512";
  std::string more = {};  ///< further members of the proof, each with a comma in front
};

/// Writes the proof "limit" of "block-limit" into the catalog: a script that looks for the limit which the patches set.
void write_proof(const ToyUpstream& upstream, const ToyProof& proof = {});

/// Changes the effect of the first patch: it sets another limit.
void mutate_patch(const ToyUpstream& upstream);

}  // namespace torchpatch::test
