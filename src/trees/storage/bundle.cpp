// SPDX-License-Identifier: BSD-3-Clause
#include "trees/storage/storage.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>

#include "git/object.h"
#include "git/pack.h"
#include "git/pack_writer.h"
#include "model/url.h"
#include "record/bundle_index.h"
#include "source/store/cache.h"
#include "source/store/fill_repositories.h"
#include "support/error.h"
#include "support/find.h"
#include "support/program.h"
#include "support/text.h"
#include "support/worker_pool.h"
#include "tree/staging.h"
#include "trees/prepare/patched_tree.h"

namespace torchpatch::trees {

namespace {

using archive::TarMember;
using record::BundleClosure;
using record::BundleIndex;
using record::BundleRepository;

constexpr const char* kIndexName = "index.json";
constexpr std::size_t kBlock = 512;
/// Limit of index.json, as for every JSON file.
constexpr std::uint64_t kMaxIndexBytes = 16 << 20;
constexpr std::size_t kCopyBytes = 1 << 20;

std::string small_member(const std::string& name, const std::string& bytes, std::int64_t mtime) {
  return archive::tar_header({name, TarMember::Type::file, bytes.size()}, mtime) + bytes +
         archive::tar_padding(bytes.size());
}

/// Returns everything before the first pack and its header: index.json and index.json.sha256.
std::string bundle_head(const BundleIndex& index) {
  const std::string json = record::bundle_index_json(index);
  const std::string digest = concat(sha256(json).hex(), "  ", kIndexName, "\n");
  return small_member(kIndexName, json, index.timestamp) +
         small_member(concat(kIndexName, ".sha256"), digest, index.timestamp);
}

std::string pack_header(const BundleIndex& index, const BundleRepository& repository) {
  return archive::tar_header({repository.member(), TarMember::Type::file, repository.size}, index.timestamp);
}

std::vector<ObjectId> commits_of(const BundleRepository& repository) {
  std::vector<ObjectId> commits;
  for (const record::BundleCommit& each : repository.commits) commits.push_back(each.commit);
  return commits;
}

std::vector<std::string> releases_of(const BundleIndex& index) {
  std::vector<std::string> releases;
  for (const BundleClosure& closure : index.closures)
    if (std::ranges::find(releases, closure.release) == releases.end()) releases.push_back(closure.release);
  return releases;
}

/// Returns the report on a bundle written or unpacked; `place_of` returns each repository's new location.
MirrorReport report_of(const char* action, const std::string& output, const BundleIndex& index,
                       const std::function<std::string(const BundleRepository&)>& place_of) {
  MirrorReport report{action, output, releases_of(index), {}};
  for (const BundleRepository& each : index.repositories)
    report.repositories.push_back({each.url, place_of(each), commits_of(each), each.objects, each.objects, each.size});
  return report;
}

// Reading. An index determines the file completely, so reading is comparing.

/// Describes a header block for messages: "'../x', a symbolic link".
std::string describe_block(const std::string& bytes) {
  const auto block = archive::parse_tar_block(bytes.substr(0, kBlock));
  if (!block) return bytes.size() < kBlock ? "the end of the file" : "something else";
  const char* type = "a member of another type";
  if (block->type == '0') type = "a file";
  if (block->type == '1') type = "a hard link";
  if (block->type == '2') type = "a symbolic link";
  if (block->type == '5') type = "a directory";
  if (block->type == 'x' || block->type == 'g') type = "a pax header";
  return concat(quote(block->path), ", ", type, " of ", block->size, " bytes");
}

/// Error of kind data: a bundle that torchpatch would not write this way.
class MalformedBundle : public Error {
 public:
  explicit MalformedBundle(const Error& error) : Error(error) {}
};

/// A bundle opened for reading.
class BundleFile {
 public:
  /// Reads the index, and checks that everything except the packs' contents is as torchpatch writes it: names, types,
  /// sizes, order, and nothing else. Raises environment if the file cannot be read, MalformedBundle.
  explicit BundleFile(const std::string& path) : path_(path), file_(open_regular_file(path, "the bundle ")) {
    check_members(read_index());
  }

  const BundleIndex& index() const { return index_; }
  /// Maps the file, for pack().
  std::shared_ptr<git::MappedFile> map() const { return std::make_shared<git::MappedFile>(file_, path_); }
  /// Returns the content of a repository's pack.
  std::string_view pack(const git::MappedFile& file, std::size_t repository) const {
    return file.bytes().substr(offsets_[repository], index_.repositories[repository].size);
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw MalformedBundle(Error(ErrorKind::data, concat("reading the bundle ", quote(path_), ": ", reason)));
  }

  std::string read_at(std::uint64_t position, std::size_t size) const {
    std::string bytes(size, '\0');
    std::size_t done = 0;
    while (done < size) {
      const ssize_t count = ::pread(file_.get(), bytes.data() + done, size - done, static_cast<off_t>(position + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw system_error("reading the bundle " + quote(path_));
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    bytes.resize(done);
    return bytes;
  }

  /// Checks the bytes at `position`; the error describes both what is expected and what was found.
  void expect(std::uint64_t position, const std::string& bytes, const std::string& what) const {
    const std::string found = read_at(position, bytes.size());
    if (found == bytes) return;
    if (found.size() < bytes.size()) fail(concat("it is truncated: ", what, " expected at byte ", position));
    fail(concat("at byte ", position, ": need ", what, ", found ", describe_block(found)));
  }

  /// Reads the index and returns the position of the packs.
  std::uint64_t read_index() {
    const std::string block = read_at(0, kBlock);
    const auto header = archive::parse_tar_block(block);
    if (!header || header->path != kIndexName || header->type != '0')
      fail(concat("it is not a torchpatch bundle: it begins with ", describe_block(block)));
    if (header->size > kMaxIndexBytes)
      fail(concat("its index has ", header->size, " bytes, more than ", kMaxIndexBytes));
    const std::string json = read_at(kBlock, header->size);
    if (json.size() != header->size) fail("it is truncated in its index");
    try {
      index_ = record::parse_bundle_index(json, path_ + ":" + kIndexName);
    } catch (const Error& error) {
      throw MalformedBundle(error);
    }
    const std::string head = bundle_head(index_);
    expect(0, head, "the index and its SHA-256");
    return head.size();
  }

  void check_members(std::uint64_t position) {
    for (const BundleRepository& repository : index_.repositories) {
      const std::string header = pack_header(index_, repository);
      expect(position, header, concat(quote(repository.member()), ", a file of ", repository.size, " bytes"));
      offsets_.push_back(position + header.size());
      position = offsets_.back() + repository.size;
      const std::string padding = archive::tar_padding(repository.size);
      if (read_at(position, padding.size()) != padding) fail(concat("at byte ", position, ": need zeros"));
      position += padding.size();
    }
    const std::string end = archive::tar_end(position);
    expect(position, end, "the end of the archive");
    if (!read_at(position + end.size(), 1).empty()) fail("bytes follow its end");
  }

  std::string path_;
  UniqueFd file_;
  BundleIndex index_;
  std::vector<std::uint64_t> offsets_;
};

[[noreturn]] void fail(const BundleRepository& repository, const std::string& reason) {
  throw Error(ErrorKind::data, concat(quote(repository.member()), ": ", reason));
}

/// The data written next to a pack.
struct PackContents {
  std::vector<git::PackPlace> places;
  std::vector<ObjectId> shallow;  ///< commits with parents
};

/// Checks a pack, in a worker. Raises source, data, unsafe.
PackContents check_pack(const BundleRepository& repository, std::string_view pack) {
  if (sha256(pack) != repository.sha256) fail(repository, "the SHA-256 of its contents differs from the index");
  std::size_t found = 0;
  PackContents contents;
  const auto visit = [&](const ObjectId& id, const git::Object& object) {
    const auto named = std::ranges::find(repository.commits, id, &record::BundleCommit::commit);
    if (named == repository.commits.end() || object.type != git::ObjectType::commit) return;
    ++found;
    if (git::parse_commit(object.bytes).tree != named->tree)
      fail(repository, concat("the tree of commit ", id.hex(), " is not ", named->tree.hex()));
    if (object.bytes.find("\nparent ") < object.bytes.find("\n\n")) contents.shallow.push_back(id);
  };
  contents.places = git::read_pack(pack, repository.member(), visit);
  if (contents.places.size() != repository.objects)
    fail(repository, concat("it has ", contents.places.size(), " objects, need ", repository.objects));
  if (found != repository.commits.size()) fail(repository, "a commit listed in the index is missing");
  return contents;
}

/// Writes the repository of a pack below `directory`, in a worker. Raises environment.
void write_repository(const BundleRepository& repository, std::string_view pack, const PackContents& contents,
                      const std::string& directory) {
  const std::string path = source::repository_path(directory, repository.url);
  const std::string_view checksum = pack.substr(pack.size() - 20);
  const std::string name = concat(path, "/objects/pack/pack-", to_hex(checksum));
  source::make_bare_repository(directory, path);
  write_file_atomically(name + ".pack", pack);
  write_file_atomically(name + ".idx", git::pack_index_bytes(contents.places, checksum));
  source::write_shallow_commits(path, contents.shallow);
  source::write_references(path, commits_of(repository));
}

/// Writes the repository of each pack, and returns problems.
std::vector<std::string> unpack_all(const BundleFile& bundle, const std::string& directory, int jobs,
                                    Console& console) {
  const std::vector<BundleRepository>& repositories = bundle.index().repositories;
  std::uint64_t largest = 0;
  for (const BundleRepository& repository : repositories) largest = std::max(largest, repository.size);
  std::map<std::size_t, std::string> by_item;
  WorkerJob job;
  job.items = repositories.size();
  job.workers = jobs;
  job.limits.address_space = 0;  // the whole file is mapped
  // Enough for the slowest kind of pack. A small one that unpacks to a thousand times its size ends there.
  job.limits.stall = std::chrono::seconds(30 + largest / 2'000'000);
  job.start = [&]() -> WorkerTask {
    return [&, file = bundle.map()](std::size_t item) -> std::string {
      const std::string_view pack = bundle.pack(*file, item);
      PackContents contents;
      try {
        contents = check_pack(repositories[item], pack);
      } catch (const Error& error) {
        return error.message();
      }
      write_repository(repositories[item], pack, contents, directory);
      return "";
    };
  };
  std::size_t done = 0;
  job.on_result = [&](std::size_t item, std::string_view problem) {
    if (!problem.empty()) by_item[item] = problem;
    console.progress("reading packs", ++done, job.items, 0);
  };
  job.describe = [&](std::size_t item) { return "reading " + quote(repositories[item].member()); };
  std::vector<std::string> problems;
  try {
    run_workers(job);
  } catch (const WorkerFailure& failure) {
    problems.push_back(failure.message());
  }
  console.progress_done();
  for (auto& [item, problem] : by_item) problems.push_back(std::move(problem));
  return problems;
}

/// Returns packs that do not contain exactly the objects of their commits.
std::vector<std::string> check_contents(const BundleIndex& index, const std::string& directory, int jobs,
                                        Console& console) {
  std::vector<std::string> problems;
  std::vector<source::ContentsRequest> requests;
  for (const BundleRepository& repository : index.repositories) {
    requests.push_back({url_file_path(repository.url), commits_of(repository),
                        source::repository_path(directory, repository.url) + "/objects"});
  }
  const auto contents = source::list_contents(requests, {}, jobs, console);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const BundleRepository& repository = index.repositories[i];
    bool is_whole = true;
    for (const source::KeptCommit& commit : contents[i].commits) {
      if (commit.missing.empty()) continue;
      is_whole = false;
      problems.push_back(
          concat(quote(repository.member()), ": commit ", commit.commit.hex(), " is not whole: ", commit.missing));
    }
    if (is_whole && contents[i].objects.size() != repository.objects) {
      problems.push_back(concat(quote(repository.member()), ": it has ",
                                repository.objects - contents[i].objects.size(),
                                " objects that belong to none of its commits"));
    }
  }
  return problems;
}

Release release_of(const BundleClosure& closure) {
  Release release;
  release.version = *Version::parse(closure.release);
  for (const auto& [component, pin] : closure.components) release.components[component] = {pin.url, "", "", pin.commit};
  return release;
}

/// Returns what the releases need and the bundle lacks, or what it has beyond that.
std::vector<std::string> check_closures(const BundleIndex& index, const std::string& directory, int jobs,
                                        Console& console) {
  source::MirrorSource source({directory}, console);
  std::vector<std::string> problems;
  std::vector<source::Closure> closures;
  for (const BundleClosure& each : index.closures) {
    const std::vector<Component> components = keys_of(each.components);
    try {
      closures.push_back(source::read_closure(release_of(each), components, each.overrides, {}, source, jobs, console));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::environment) throw;
      problems.push_back(concat("release ", each.release, ": ", error.message()));
    }
  }
  if (!problems.empty()) return problems;
  const auto is_same = [](const source::RepositoryCommits& needed, const BundleRepository& listed) {
    return needed.url == listed.url && needed.commits == commits_of(listed);
  };
  if (!std::ranges::equal(source::repositories_of(closures), index.repositories, is_same))
    problems.push_back("the repositories or commits in the index differ from those its releases need");
  return problems;
}

/// Writes the bundle's repositories to `<directory>/git`, which must be empty, and returns problems in index order:
/// packs other than in the index, damaged objects, incomplete commits, unneeded objects and commits, incomplete
/// releases. Raises environment.
std::vector<std::string> read_bundle(const BundleFile& bundle, const std::string& directory, int jobs,
                                     Console& console) {
  std::vector<std::string> problems = unpack_all(bundle, directory, jobs, console);
  if (problems.empty()) problems = check_contents(bundle.index(), directory, jobs, console);
  if (problems.empty()) problems = check_closures(bundle.index(), directory, jobs, console);
  return problems;
}

/// Compares the pins with those of the catalog's release.
void compare_closure(const BundleClosure& closure, const Catalog& catalog, BundleReport& report) {
  const auto found = catalog.releases.find(*Version::parse(closure.release));
  if (found == catalog.releases.end()) {
    report.notes.push_back(concat("this catalog has no release ", closure.release, ": its pins are not compared"));
    return;
  }
  for (const auto& [component, pin] : closure.components) {
    const ComponentPin* const known = found->second.find(component);
    if (known && known->commit == pin.commit && canonical_url(known->url) == canonical_url(pin.url)) continue;
    report.problems.push_back(concat("release ", closure.release, ": ", name_of(component), " is commit ",
                                     pin.commit.hex(), " of ", redact_url(pin.url), ", in the catalog ",
                                     known ? concat(known->commit.hex(), " of ", redact_url(known->url)) : "nothing"));
  }
}

// Writing.

/// Packs to be written to a bundle, collected in an inaccessible file next to it, because the index with their digests
/// comes first.
class Spool {
 public:
  explicit Spool(const std::string& path) : path_(path) {
    std::string name = path + ".packs-XXXXXX";
    file_ = UniqueFd(::mkostemp(name.data(), O_CLOEXEC));
    if (!file_) throw system_error("writing " + quote(path) + ": creating a temporary file next to it");
    ::unlink(name.c_str());
  }

  void write(std::string_view bytes) {
    write_all(file_.get(), bytes, path_);
    hasher_->update(bytes);
    size_ += bytes.size();
  }
  void begin_pack() {
    hasher_.emplace();
    size_ = 0;
  }
  void end_pack(BundleRepository& repository) {
    repository.size = size_;
    repository.sha256 = hasher_->finish();
  }
  /// Copies the next `size` bytes to `sink`, beginning with the first pack.
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
  std::optional<Sha256Hasher> hasher_;
  std::uint64_t size_ = 0, position_ = 0;
};

std::vector<BundleClosure> closures_of(const std::vector<PinnedSet>& sets) {
  std::vector<BundleClosure> closures;
  for (const PinnedSet& set : sets) {
    BundleClosure closure{set.release->version.text(), {}, set.overrides};
    for (const Component component : set.components) {
      const ComponentPin& pin = *set.release->find(component);
      closure.components[component] = {pin.url, pin.commit};
    }
    closures.push_back(std::move(closure));
  }
  return closures;
}

/// Lists the objects of each repository, and records them in the index.
std::vector<source::PackRequest> plan_packs(const std::vector<source::RepositoryCommits>& repositories,
                                            const source::ObjectSource& source, int jobs, BundleIndex& index,
                                            Console& console) {
  std::vector<source::ContentsRequest> requests;
  for (const source::RepositoryCommits& each : repositories)
    requests.push_back({url_file_path(each.url), each.commits});
  const auto contents = source::list_contents(requests, source.object_folders(), jobs, console);
  std::vector<source::PackRequest> packs;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    BundleRepository repository{repositories[i].url, {}, contents[i].objects.size(), 0, {}};
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

void write_bundle(const BundleIndex& index, Spool& spool, OutputFile& output, bool replace, MirrorReport& report) {
  output.write(bundle_head(index));
  for (const BundleRepository& repository : index.repositories) {
    output.write(pack_header(index, repository));
    spool.copy(repository.size, [&](std::string_view bytes) { output.write(bytes); });
    output.write(archive::tar_padding(repository.size));
  }
  output.write(archive::tar_end(output.size()));
  report.sha256 = output.commit(replace).hex();
  report.size = output.size();
}

}  // namespace

void check_bundle_output(const MirrorOptions& options) {
  const auto refuse = [&](const std::string& reason, const std::string& hint) {
    throw Error(ErrorKind::environment, concat("writing ", quote(options.output), ": ", reason), hint);
  };
  if (is_directory(options.output)) refuse("it is a directory", "");
  if (!is_directory(parent_path(options.output))) refuse("its directory was not found", "create it first");
  if (!options.replace && file_exists(options.output))
    refuse("it already exists", "choose another file, or use --replace");
}

MirrorReport create_bundle(const Catalog& catalog, const MirrorOptions& options, source::ObjectSource& source,
                           Console& console) {
  check_bundle_output(options);
  const std::vector<PinnedSet> sets = pinned_sets(catalog, options.choice);
  const std::vector<source::Closure> closures = read_closures(sets, catalog, source, options.jobs, console);
  BundleIndex index{0, closures_of(sets), {}};
  for (const source::Closure& closure : closures) index.timestamp = std::max(index.timestamp, newest_time(closure));
  const std::vector<source::PackRequest> packs =
      plan_packs(source::repositories_of(closures), source, options.jobs, index, console);

  OutputFile output(options.output);
  Spool spool(options.output);
  const auto open = [&](std::size_t) -> git::PackWriter::Sink {
    spool.begin_pack();
    return [&](std::string_view bytes) { spool.write(bytes); };
  };
  const auto close = [&](std::size_t pack, const git::WrittenPack&) { spool.end_pack(index.repositories[pack]); };
  source::pack_objects(packs, source.object_folders(), options.jobs, open, close, console);

  MirrorReport report = report_of("bundled", options.output, index, [](const auto& each) { return each.member(); });
  write_bundle(index, spool, output, options.replace, report);
  return report;
}

BundleReport verify_bundle(const std::string& file, const Catalog& catalog, int jobs, Console& console) {
  BundleReport report;
  report.file = file;
  try {
    const BundleFile bundle(file);  // before reading all of it: a file that is not a bundle may be endless
    const FileDigest digest = digest_of_file(open_regular_file(file, "the bundle "), file);
    report.sha256 = digest.sha256.hex();
    report.size = digest.size;
    report.releases = releases_of(bundle.index());
    report.repositories = bundle.index().repositories.size();
    for (const BundleRepository& repository : bundle.index().repositories) {
      report.commits += repository.commits.size();
      report.objects += repository.objects;
    }
    const TempDir directory;
    report.problems = read_bundle(bundle, directory.path(), jobs, console);
    for (const BundleClosure& closure : bundle.index().closures) compare_closure(closure, catalog, report);
  } catch (const MalformedBundle& malformed) {
    report.size = std::filesystem::file_size(file);
    report.problems.push_back(malformed.message());
  }
  std::sort(report.notes.begin(), report.notes.end());
  report.notes.erase(std::unique(report.notes.begin(), report.notes.end()), report.notes.end());
  return report;
}

MirrorReport unpack_bundle(const std::string& file, const std::string& output, int jobs, Console& console) {
  const BundleFile bundle(file);
  tree::Staging staging(output, tree::IfExists::refuse, console);
  const std::vector<std::string> problems = read_bundle(bundle, staging.path(), jobs, console);
  if (!problems.empty()) {
    throw Error(ErrorKind::data,
                concat("unpacking the bundle ", quote(file), ": its contents are wrong\n  ", join(problems, "\n  ")),
                "copy it again from its origin, and compare its SHA-256");
  }
  MirrorReport report = report_of("unpacked", output, bundle.index(), [&](const BundleRepository& repository) {
    return source::repository_path(output, repository.url);
  });
  staging.commit(false);
  return report;
}

}  // namespace torchpatch::trees
