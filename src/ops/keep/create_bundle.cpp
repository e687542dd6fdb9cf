// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>

#include "archive/write_archive.h"
#include "model/url.h"
#include "ops/keep/bundle.h"
#include "source/closure/repository_contents.h"
#include "source/store/fill_repositories.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/signals.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

constexpr std::size_t kCopyBytes = 1 << 20;

/// Packs on their way into a bundle, one after the other in a file beside it that nobody else can open: the index with
/// their digests comes before them.
class Spool {
 public:
  explicit Spool(const std::string& path) : path_(path) {
    std::string name = path + ".packs-XXXXXX";
    file_ = UniqueFd(::mkostemp(name.data(), O_CLOEXEC));
    if (!file_) throw system_error("writing " + quote(path) + ": creating a temporary file beside it");
    ::unlink(name.c_str());
  }

  void write(std::string_view bytes) {
    write_all(file_.get(), bytes, path_);
    hasher_->update(bytes);
    size_ += bytes.size();
  }
  void begin() {
    hasher_ = std::make_unique<Sha256Hasher>();
    size_ = 0;
  }
  void end(record::BundleRepository& repository) {
    repository.size = size_;
    repository.sha256 = hasher_->finish();
  }
  /// Copies the next `size` bytes to `sink`, from the first pack on.
  void copy(std::uint64_t size, const std::function<void(std::string_view)>& sink) {
    std::string buffer(kCopyBytes, '\0');
    while (size > 0) {
      check_interrupted();
      const ssize_t count = ::pread(file_.get(), buffer.data(), std::min<std::uint64_t>(size, buffer.size()),
                                    static_cast<off_t>(position_));
      if (count <= 0) throw system_error("reading what was packed for " + quote(path_));
      sink(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
      position_ += static_cast<std::uint64_t>(count);
      size -= static_cast<std::uint64_t>(count);
    }
  }

 private:
  std::string path_;
  UniqueFd file_;
  std::unique_ptr<Sha256Hasher> hasher_;
  std::uint64_t size_ = 0, position_ = 0;
};

std::vector<record::BundleClosure> closures_of(const std::vector<PinnedSet>& sets) {
  std::vector<record::BundleClosure> closures;
  for (const PinnedSet& set : sets) {
    record::BundleClosure closure{set.release->version.text(), {}, set.overrides};
    for (const Component component : set.components) {
      const ComponentPin& pin = *set.release->find(component);
      closure.components.push_back({component, pin.url, pin.commit});
    }
    closures.push_back(std::move(closure));
  }
  return closures;
}

std::int64_t newest_time(const std::vector<source::Closure>& closures) {
  std::int64_t newest = 0;
  for (const source::Closure& closure : closures) {
    for (const source::ClosureRepository& repository : closure.repositories) {
      newest = std::max(newest, repository.time);
    }
  }
  return newest;
}

/// Lists what each repository is to hold; notes it in the index.
std::vector<source::PackRequest> plan_packs(const std::vector<source::RepositoryCommits>& repositories,
                                            const source::ObjectSource& source, int jobs, record::BundleIndex& index,
                                            Console& console) {
  std::vector<source::ContentsRequest> requests;
  for (const source::RepositoryCommits& each : repositories)
    requests.push_back({url_file_path(each.url), each.commits});
  const auto contents = source::list_contents(requests, source.object_folders(), jobs, console);
  std::vector<source::PackRequest> packs;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    record::BundleRepository repository{repositories[i].url, {}, contents[i].objects.size(), 0, {}};
    for (const source::KeptCommit& commit : contents[i].commits) {
      if (!commit.missing.empty()) {
        throw Error(ErrorKind::source, concat("packing ", redact_url(repository.url), ": commit ", commit.commit.hex(),
                                              " is not whole: ", commit.missing));
      }
      repository.commits.push_back({commit.commit, commit.tree});
    }
    index.repositories.push_back(std::move(repository));
    packs.push_back({contents[i].objects, contents[i].near - 1, requests[i].name});
  }
  return packs;
}

/// Removes what killed runs have left beside `path`: the temporary files that no process holds the lock of.
void remove_left_over(const std::string& path) {
  const std::string prefix = base_name(path) + ".tmp-";
  for (const std::string& name : list_directory(parent_path(path))) {
    const std::string file = concat(parent_path(path), "/", name);
    if (!starts_with(name, prefix) || name.size() != prefix.size() + 6) continue;
    const UniqueFd left(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (left && ::flock(left.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(file.c_str());
  }
}

/// The bundle's own file.
class Output {
 public:
  explicit Output(const std::string& path) : path_(path), file_(path) { ::flock(file_.fd(), LOCK_EX | LOCK_NB); }

  void write(std::string_view bytes) {
    write_all(file_.fd(), bytes, path_);
    hasher_.update(bytes);
    size_ += bytes.size();
  }
  std::uint64_t size() const { return size_; }
  void commit(bool replace, MirrorReport& report) {
    // Some file systems tell only now that the disk is full.
    if (::fchmod(file_.fd(), 0644) != 0 || ::fsync(file_.fd()) != 0) throw system_error("writing " + quote(path_));
    if (replace) {
      file_.rename_to(path_);
    } else if (!file_.rename_to_new(path_)) {
      throw Error(ErrorKind::environment, concat("writing ", quote(path_), ": it is there by now"));
    }
    report.sha256 = hasher_.finish().hex();
    report.size = size_;
  }

 private:
  std::string path_;
  TemporaryFile file_;
  Sha256Hasher hasher_;
  std::uint64_t size_ = 0;
};

void write_bundle(const record::BundleIndex& index, Spool& spool, const BundleOptions& options, MirrorReport& report) {
  Output output(options.output);
  output.write(bundle_head(index));
  for (const record::BundleRepository& repository : index.repositories) {
    output.write(bundle_member_header(index, repository));
    spool.copy(repository.size, [&](std::string_view bytes) { output.write(bytes); });
    output.write(archive::tar_padding(repository.size));
  }
  output.write(archive::tar_end(output.size()));
  output.commit(options.replace, report);
}

MirrorReport report_of(const record::BundleIndex& index, const BundleOptions& options,
                       const std::vector<PinnedSet>& sets) {
  MirrorReport report{"bundled", options.output, versions_of(sets), {}};
  for (const record::BundleRepository& repository : index.repositories) {
    MirroredRepository row{repository.url,     repository.member(), {},
                           repository.objects, repository.objects,  repository.size};
    for (const record::BundleCommit& commit : repository.commits) row.commits.push_back(commit.commit);
    report.repositories.push_back(std::move(row));
  }
  return report;
}

}  // namespace

void check_bundle_output(const BundleOptions& options) {
  const auto refuse = [&](const std::string& reason, const std::string& hint) {
    throw Error(ErrorKind::environment, concat("writing ", quote(options.output), ": ", reason), hint);
  };
  if (is_directory(options.output)) refuse("it is a directory", "");
  if (!is_directory(parent_path(options.output))) refuse("its directory is not there", "make it first");
  if (!options.replace && file_exists(options.output)) {
    refuse("it is there already", "name another file, or give --replace");
  }
}

MirrorReport create_bundle(const Catalog& catalog, const BundleOptions& options, source::ObjectSource& source,
                           Console& console) {
  check_bundle_output(options);
  const std::vector<PinnedSet> sets = pinned_sets(catalog, options.choice);
  const std::vector<source::Closure> closures = read_closures(sets, catalog, source, options.jobs, console);
  record::BundleIndex index{newest_time(closures), closures_of(sets), {}};
  const std::vector<source::PackRequest> packs =
      plan_packs(source::repositories_of(closures), source, options.jobs, index, console);

  remove_left_over(options.output);
  Spool spool(options.output);
  const auto open = [&](std::size_t) -> git::PackWriter::Sink {
    spool.begin();
    return [&](std::string_view bytes) { spool.write(bytes); };
  };
  const auto close = [&](std::size_t pack, const git::WrittenPack&) { spool.end(index.repositories[pack]); };
  source::pack_objects(packs, source.object_folders(), options.jobs, open, close, console);

  MirrorReport report = report_of(index, options, sets);
  write_bundle(index, spool, options, report);
  return report;
}

}  // namespace torchpatch::ops
