// SPDX-License-Identifier: BSD-3-Clause
/// A toy workspace whose torch goes on behind its release: what port is tried on.
#pragma once

#include <filesystem>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/text.h"
#include "support/toy_proof.h"

namespace torchpatch::test {

inline const std::string kHeader = "include/limits.h";

/// A certified toy, whose torch goes on behind its release.
struct PortToy : ToyWorkspace {
  PortToy() {
    write_proof(upstream, {.more = ""});
    upstream.certify();
    set_variable("SOURCE_DATE_EPOCH", "1700000000");  // 2023-11-14
    git(torch, {"checkout", "-q", "-B", "main", upstream.torch_commit()});
  }

  std::string file(const std::string& name) const { return torch + "/" + name; }
  void edit(const std::string& name, const std::string& from, const std::string& to) const {
    test::edit(file(name), from, to);
  }
  std::string commit(const std::string& subject) const {
    git(torch, {"add", "-A"});
    git(torch, {"commit", "-q", "-m", subject});
    return git(torch, {"rev-parse", "HEAD"});
  }
  /// Releases what upstream has now; the proof holds for it, too.
  void release(const std::string& version = "1.2.0") const {
    std::string text = read_file(in_catalog("releases/1.1.0.json"));
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {pinned, git(torch, {"rev-parse", "HEAD"})}, {"1.1.0", version}})
      for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + 1))
        text.replace(at, from.size(), to);
    write_file_atomically(in_catalog(concat("releases/", version, ".json")), text);
    const std::string proof = in_catalog("patchsets/block-limit/proof.json");
    if (read_file(proof).find("==1.1.0") != std::string::npos) test::edit(proof, "==1.1.0", ">=1.1.0");
    for (const std::string& page : list_directory(in_catalog("known_issues")))  // the issues go on
      if (read_file(in_catalog("known_issues/" + page)).find(">=1.1.0 <1.2.0") != std::string::npos)
        test::edit(in_catalog("known_issues/" + page), ">=1.1.0 <1.2.0", ">=1.1.0");
  }
  CliResult port(std::vector<std::string> more = {}) const {
    std::vector<std::string> line = {"port", "1.2.0"};
    return go(line, std::move(more));
  }
  CliResult go_on(const std::string& how, std::vector<std::string> more = {}) const {
    return go({"port", how}, std::move(more));
  }
  CliResult go(std::vector<std::string> line, std::vector<std::string> more) const {
    line.insert(line.end(), {"--mirror", upstream.mirror(), "--work", path("desk"), "--quiet"});
    line.insert(line.end(), more.begin(), more.end());
    return run(line);
  }

  std::string in_catalog(const std::string& name) const { return upstream.catalog_directory() + "/" + name; }
  std::string patchset() const { return read_file(in_catalog("patchsets/block-limit/patchset.json")); }
  std::string work() const { return path("desk/block-limit"); }
  bool is_certified() const { return file_exists(in_catalog("patchsets/block-limit/certificates/1.2.0.json")); }
  /// The catalog is whole, and its certificates are those of the pinned files.
  void checks_out() const {
    const CliResult checked = run({"check", "--mirror", upstream.mirror(), "--quiet"});
    INFO(checked.out << checked.err);
    CHECK(checked.exit_code == 0);
  }
  std::vector<std::string> catalog_state() const {
    std::vector<std::string> state;
    for (const std::string& name : list_files_below(upstream.catalog_directory()))
      state.push_back(concat(name, " ", sha256(read_file(in_catalog(name))).hex()));
    return state;
  }

  /// Adds a certified patchset with one patch on torch, an issue of every board that it answers; V1 is for `range`.
  void add_patchset(const std::string& id, const std::string& name, const std::string& from, const std::string& to,
                    const std::string& range = "==1.1.0") const {
    edit(name, from, to);
    take_patchset(id, range);
  }
  /// The same, of what is not committed in torch.
  void take_patchset(const std::string& id, const std::string& range = "==1.1.0") const {
    git(torch, {"add", "-A"});
    const std::string patch =
        concat("Description: Change it\nOrigin: vendor, Example\nBug: https://example.org/1\nForwarded: no\n",
               "Last-Update: 2026-11-21\nSPDX-License-Identifier: BSD-3-Clause\n\n",
               git(torch, {"diff", "--cached", "--full-index", "--binary", "-M"}), "\n");
    git(torch, {"reset", "-q", "--hard"});
    write(concat("patchsets/", id, "/V1/0001.patch"), patch);
    describe(id, concat(R"({"id": "V1", "releases": ")", range,
                        R"(", "patches": [{"file": "V1/0001.patch", "repository": "torch", "sha256": ")",
                        sha256(patch).hex(), R"("}]})"));
    upstream.certify();
  }
  /// Writes a patchset with one variant, and an issue of every board that it answers.
  void describe(const std::string& id, const std::string& variant, const std::string& kind = "patch") const {
    write(concat("patchsets/", id, "/patchset.json"),
          concat(R"({"schema": 1, "id": ")", id, R"(", "summary": "It", "variants": [)", variant, "]}"));
    write(concat("known_issues/", id, ".md"),
          concat("# Issue ", id, "\n\n```json\n{\"schema\": 1, \"id\": \"", id,
                 R"(", "severity": "runtime-failure", "releases": ["*"], "when": {}, "symptoms": ["too )", id,
                 R"("], "links": ["https://example.org/1"], "seeds": [], "fixes": [{"id": "fix-)", id,
                 R"(", "kind": ")", kind, R"(", "summary": "Fix", "patchset": ")", id,
                 "\"}]}\n```\n\n## Symptom\n\nText.\n\n## Cause\n\nText.\n\n## Fix\n\nText.\n\n## How to "
                 "verify\n\nText.\n"));
  }
  void write(const std::string& name, const std::string& text) const {
    make_directories(parent_path(in_catalog(name)));
    write_file_atomically(in_catalog(name), text);
  }
  std::string patchset_json(const std::string& id) const {
    return read_file(in_catalog(concat("patchsets/", id, "/patchset.json")));
  }

  /// Lets 1.1.0 have what upstream has now.
  void pin() {
    const std::string now = commit("Pinned");
    test::edit(in_catalog("releases/1.1.0.json"), pinned, now);
    pinned = now;
    std::filesystem::remove_all(in_catalog("patchsets/block-limit/certificates"));
    std::filesystem::remove_all(in_catalog("patchsets/block-limit/proofs"));
    upstream.certify();
  }

  std::string torch = upstream.mirror() + "/torch";
  std::string pinned = upstream.torch_commit();
};

}  // namespace torchpatch::test
