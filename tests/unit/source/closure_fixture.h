// SPDX-License-Identifier: BSD-3-Clause
/// What the tests of the closure share.
#pragma once

#include <zlib.h>

#include <string>
#include <vector>

#include "source/closure/closure.h"
#include "source/closure/object_source.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"
#include "unit/git/git_sandbox.h"
#include "unit/git/raises.h"

namespace torchpatch::test {

/// A repository that may be fetched from where it is recorded; with no URL from nowhere.
inline source::PinnedRepository pinned(const ObjectId& commit, const std::string& url) {
  return {{}, url, commit, commit, !url.empty(), {}};
}

/// Keeps the warnings, and what it is told of the work.
class RecordingConsole : public NullConsole {
 public:
  void warning(const std::string& line) override { warnings.push_back(line); }
  void status(const std::string& line) override { statuses.push_back(line); }
  std::vector<std::string> warnings, statuses;
};

inline Release release_of(const std::string& url, const ObjectId& commit) {
  Release release;
  release.version = *Version::parse("1.1.0");
  release.components[Component::torch] = {url, "v1.1.0", "1.1.0", commit};
  return release;
}

inline source::Closure read_torch(source::ObjectSource& source, const Release& release, Console& console,
                                  const std::vector<MovedRepository>& moved = {},
                                  const std::vector<SubmoduleOverride>& overrides = {}) {
  return source::read_closure(release, {Component::torch}, overrides, moved, source, 2, console);
}

inline constexpr const char* kTorchUrl = "https://example.org/pytorch/pytorch.git";

/// Repositories in one sandbox, which is the mirror.
struct Upstream {
  GitSandbox sandbox;
  RecordingConsole console;

  /// Writes a .gitmodules entry for each (path, url) and stages the gitlink.
  void add_submodule(const std::string& repository, const std::string& path, const std::string& url,
                     const ObjectId& commit) {
    const std::string file = sandbox.path() + "/" + repository + "/.gitmodules";
    const std::string before = file_exists(file) ? read_file(file) : "";
    sandbox.write(repository + "/.gitmodules",
                  concat(before, "[submodule \"", path, "\"]\n\tpath = ", path, "\n\turl = ", url, "\n"));
    sandbox.stage_gitlink(repository, path, commit);
  }
  /// Stores any bytes as a loose object, as git hash-object --literally would; returns its id.
  ObjectId store(const std::string& repository, const std::string& type, const std::string& bytes) const {
    const ObjectId id = git_object_id(type, bytes);
    const std::string text = concat(type, " ", bytes.size()) + '\0' + bytes;
    std::string packed(compressBound(text.size()), '\0');
    uLongf size = packed.size();
    REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
                     text.size()) == Z_OK);
    sandbox.write(concat(repository, "/.git/objects/", id.hex().substr(0, 2), "/", id.hex().substr(2)),
                  packed.substr(0, size));
    return id;
  }
  /// Stores a commit of a tree.
  ObjectId store_commit(const std::string& repository, const ObjectId& tree) const {
    return store(repository, "commit",
                 concat("tree ", tree.hex(), "\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\nx\n"));
  }
  source::Closure read(const ObjectId& commit, const std::vector<MovedRepository>& moved = {}) {
    source::MirrorSource source({sandbox.path()}, console);
    return read_torch(source, release_of(kTorchUrl, commit), console, moved);
  }
  /// Returns the message of the Error of this kind.
  std::string refusal(ErrorKind kind, const ObjectId& commit) {
    return message_of(kind, [&] { read(commit); });
  }
};

}  // namespace torchpatch::test
