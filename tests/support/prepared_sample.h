// SPDX-License-Identifier: BSD-3-Clause
/// A prepared tree of the embedded upstream, for tests of what is done with a manifest.
#pragma once

#include <optional>
#include <string>

#include "model/catalog.h"
#include "model/doctor.h"
#include "source/closure/object_source.h"
#include "support/file.h"
#include "trees/verify/verify.h"

namespace torchpatch::test {

class PreparedSample {
 public:
  /// Writes the repositories of one release and prepares a tree with patches. `data` is
  /// the directory of the catalog: the checkout.
  explicit PreparedSample(const std::string& data);

  /// The bytes of its manifest.
  const std::string& manifest() const { return tree_.manifest_bytes; }

  /// Puts `bytes` in the manifest's place and has prepare --locked, verify, doctor and diff use it, and print what they
  /// find. Returns how many of the four came to an end; an Error is an answer, too. What else is raised, and an
  /// Error of kind internal (as std::logic_error), is a bug.
  int use(const std::string& bytes);

 private:
  std::string path(const std::string& name) const { return temp_.path() + "/" + name; }
  void prepare_locked();
  void verify(const trees::ScannedTree& tree) const;
  void doctor(const Manifest& manifest) const;
  void diff(const trees::ScannedTree& tree) const;

  TempDir temp_;
  mutable NullConsole console_;
  Catalog catalog_;
  std::optional<source::MirrorSource> source_;
  trees::ScannedTree tree_;
  HostFacts host_;
};

}  // namespace torchpatch::test
