// SPDX-License-Identifier: BSD-3-Clause
#include "git/fetch_commits.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <utility>

#include "git/library.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

using RepositoryHandle = std::unique_ptr<git_repository, Deleter<git_repository_free>>;
using RemoteHandle = std::unique_ptr<git_remote, Deleter<git_remote_free>>;
using Progress = std::function<void(const std::string& line)>;

/// A bare repository inside the target, so that its packs can be renamed; removed at the end.
class Incoming {
 public:
  explicit Incoming(const std::string& repository) {
    std::string path = concat(repository, "/", kIncoming, "XXXXXX");
    if (!mkdtemp(path.data())) throw system_error(concat("creating ", quote(path)));
    path_ = path;
    check(git_repository_init(Out(handle_), path_.c_str(), 1), concat("making the repository ", quote(path_)));
  }
  ~Incoming() {
    handle_.reset();
    remove_tree(path_);
  }
  Incoming(const Incoming&) = delete;
  Incoming& operator=(const Incoming&) = delete;

  git_repository* get() const { return handle_.get(); }
  std::string packs() const { return path_ + "/objects/pack"; }

 private:
  std::string path_;
  RepositoryHandle handle_;
};

/// Reads OpenSSL's and git's variables; libgit2 itself reads none (Debian's uses mbedTLS).
void use_certificate_authorities() {
  const auto variable = [](std::initializer_list<const char*> names) -> const char* {
    for (const char* name : names)
      if (const char* value = std::getenv(name); value && *value) return value;
    return nullptr;
  };
  const char* file = variable({"GIT_SSL_CAINFO", "CURL_CA_BUNDLE", "SSL_CERT_FILE"});
  const char* directory = variable({"GIT_SSL_CAPATH", "SSL_CERT_DIR"});
  if (!file && !directory) return;
  check(git_libgit2_opts(GIT_OPT_SET_SSL_CERT_LOCATIONS, file, directory), "reading the certificate authorities");
}

/// Reports arriving objects, at most twice a second: libgit2 calls it for each object.
class Reporter {
 public:
  explicit Reporter(const Progress& on_progress) : on_progress_(on_progress) {}

  /// libgit2's callback. An exception must not cross its frames, so it is stored and ends the fetch.
  static int report(const git_indexer_progress* stats, void* payload) noexcept {
    auto* const self = static_cast<Reporter*>(payload);
    try {
      self->report(*stats);
      return 0;
    } catch (...) {
      self->raised_ = std::current_exception();
      return GIT_EUSER;
    }
  }

  /// Raises the stored exception, if any.
  void rethrow() {
    if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
  }

 private:
  void report(const git_indexer_progress& stats) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(500)) return;
    last_ = now;
    on_progress_(
        concat(stats.received_objects, " of ", stats.total_objects, " objects, ", stats.received_bytes, " bytes"));
  }

  const Progress& on_progress_;
  std::chrono::steady_clock::time_point last_{};
  std::exception_ptr raised_;
};

/// A connection to a server for one fetch.
class Connection {
 public:
  Connection(git_repository* repository, const std::string& url, const Progress& on_progress) : reporter_(on_progress) {
    check(git_remote_create_anonymous(Out(remote_), repository, url.c_str()), "preparing the fetch");
    git_remote_connect_options options = {};
    check(git_remote_connect_options_init(&options, GIT_REMOTE_CONNECT_OPTIONS_VERSION), "preparing the connection");
    options.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
    options.proxy_opts.type = GIT_PROXY_AUTO;
    check(git_remote_connect_ext(remote_.get(), GIT_DIRECTION_FETCH, &options), "connecting");
    on_progress(kConnected);
  }

  /// Returns libgit2's code, which is negative if the server lacks a commit or does not serve commits by id.
  int download(std::vector<std::string> refspecs) {
    git_fetch_options options = {};
    check(git_fetch_options_init(&options, GIT_FETCH_OPTIONS_VERSION), "preparing the fetch");
    options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
    options.update_fetchhead = 0;
    options.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
    options.proxy_opts.type = GIT_PROXY_AUTO;
    options.callbacks.transfer_progress = Reporter::report;
    options.callbacks.payload = &reporter_;
    std::vector<char*> strings;
    for (std::string& refspec : refspecs) strings.push_back(refspec.data());
    const git_strarray array = {strings.data(), strings.size()};
    const int code = git_remote_fetch(remote_.get(), &array, &options, nullptr);
    reporter_.rethrow();
    return code;
  }

 private:
  Reporter reporter_;
  RemoteHandle remote_;
};

bool has_all(git_repository* repository, const std::vector<ObjectId>& commits) {
  OdbHandle objects;
  check(git_repository_odb(Out(objects), repository), "opening the received pack");
  for (const ObjectId& commit : commits) {
    git_oid id = {};
    check(git_oid_fromstr(&id, commit.hex().c_str()), "reading a commit's id");
    if (!git_odb_exists(objects.get(), &id)) return false;
  }
  return true;
}

/// Fetches by id if the server allows that, else everything its branches and tags reach.
void download_commits(git_repository* repository, const std::string& url, const std::vector<ObjectId>& commits,
                      const Progress& on_progress) {
  std::vector<std::string> by_id;
  for (const ObjectId& commit : commits) by_id.push_back(concat("+", commit.hex(), ":refs/fetched/", commit.hex()));
  Connection(repository, url, on_progress).download(by_id);  // other failures occur again below
  if (has_all(repository, commits)) return;
  check(Connection(repository, url, on_progress)
            .download({"+refs/heads/*:refs/fetched/heads/*", "+refs/tags/*:refs/fetched/tags/*"}),
        "fetching");
  if (!has_all(repository, commits))
    throw Error(ErrorKind::source,
                "the server does not serve commits by id, and no branch or tag on it contains this one");
}

/// Moves packs. Indexes come last, since a pack counts once its index exists.
void take_packs(const std::string& from, const std::string& to) {
  for (const char* extension : {".pack", ".idx"}) {
    for (const std::string& name : list_directory(from)) {
      if (!ends_with(name, extension)) continue;
      const std::string target = concat(to, "/", name);
      if (std::rename(concat(from, "/", name).c_str(), target.c_str()) != 0)
        throw system_error(concat("writing ", quote(target)));
    }
  }
}

}  // namespace

void fetch_commits(const std::string& url, const std::string& repository, const std::vector<ObjectId>& commits,
                   const std::string& references, const Progress& on_progress) {
  initialize_library();
  use_certificate_authorities();
  const Incoming incoming(repository);
  download_commits(incoming.get(), url, commits, on_progress);
  take_packs(incoming.packs(), repository + "/objects/pack");
  make_directories(parent_path(concat(repository, "/", references, "x")));
  for (const ObjectId& commit : commits)
    write_file_atomically(concat(repository, "/", references, commit.hex()), commit.hex() + "\n");
}

}  // namespace torchpatch::git
