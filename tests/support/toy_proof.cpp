// SPDX-License-Identifier: BSD-3-Clause
#include "support/toy_proof.h"

#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::test {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

void write_proof(const ToyUpstream& upstream, const ToyProof& proof) {
  const std::string directory = upstream.catalog_directory() + "/patchsets/block-limit";
  make_directories(directory + "/proof");
  write_file_atomically(directory + "/proof/limit.sh",
                        "grep -q 'limit of 512' \"$1\" || { echo 'the limit is not 512'; exit 3; }\n");
  write_file_atomically(
      directory + "/proof.json",
      concat(R"({"schema": 1, "patchset": "block-limit", "proofs": [{"id": "limit", "claim": "The limit is 512",
  "releases": "==1.1.0", "tools": )",
             proof.tools, R"(, "tree": [{"repository": "torch", "paths": ["include", "tools/run.sh"]}], "commands": )",
             proof.commands, R"(, "red": ")", proof.red, "\"", proof.more, "}]}"));
}

void mutate_patch(const ToyUpstream& upstream) {
  const std::string directory = upstream.catalog_directory() + "/patchsets/block-limit";
  const std::string patch = directory + "/V1/0001-cap.patch", list = directory + "/patchset.json";
  const std::string text = read_file(patch);
  const std::string mutant = replaced(text, "limit of 512", "limit of 999");
  write_file_atomically(patch, mutant);
  write_file_atomically(list, replaced(read_file(list), sha256(text).hex(), sha256(mutant).hex()));
}

}  // namespace torchpatch::test
