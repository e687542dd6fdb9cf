// SPDX-License-Identifier: BSD-3-Clause
#include "ops/keep/bundle.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>

#include "archive/write_archive.h"
#include "git/mapped_file.h"
#include "git/object.h"
#include "git/pack_writer.h"
#include "model/url.h"
#include "source/closure/repository_contents.h"
#include "source/store/cache.h"
#include "source/store/mirror.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"
#include "support/worker_pool.h"
#include "tree/staging.h"

namespace torchpatch::ops {

namespace {

using archive::TarMember;

constexpr std::size_t kBlock = 512;
/// Of index.json: as of every JSON file.
constexpr std::uint64_t kMaxIndexBytes = 16 << 20;

std::string small_member(const std::string& name, const std::string& bytes, std::int64_t mtime) {
  return archive::tar_header({name, TarMember::Type::file, bytes.size()}, mtime) + bytes +
         archive::tar_padding(bytes.size());
}

/// Says what a header block is, for messages: "'../x', a symbolic link".
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

using record::BundleRepository;

/// How long a worker may take for a pack of the slowest kind: 30 s, and a second for each 2 MB. A small pack that
/// unpacks to a thousand times its size ends there.
std::chrono::milliseconds time_for(std::uint64_t largest_pack) {
  return std::chrono::seconds(30 + largest_pack / 2'000'000);
}

[[noreturn]] void fail(const BundleRepository& repository, const std::string& reason) {
  throw Error(ErrorKind::data, concat(quote(repository.member()), ": ", reason));
}

/// What a pack has of the commits that the index names.
class Commits {
 public:
  explicit Commits(const BundleRepository& repository) : repository_(repository) {}

  void visit(const ObjectId& id, const git::Object& object) {
    const auto named = std::find_if(repository_.commits.begin(), repository_.commits.end(),
                                    [&](const record::BundleCommit& each) { return each.commit == id; });
    if (named == repository_.commits.end() || object.type != git::ObjectType::commit) return;
    ++found_;
    if (git::parse_commit(object.bytes).tree != named->tree) {
      fail(repository_, concat("the tree of commit ", id.hex(), " is not ", named->tree.hex()));
    }
    if (object.bytes.find("\nparent ") < object.bytes.find("\n\n")) shallow_.push_back(id);
  }

  void write_references(const std::string& path) const {
    if (found_ != repository_.commits.size()) fail(repository_, "it lacks a commit that the index names");
    std::vector<ObjectId> all;
    for (const record::BundleCommit& commit : repository_.commits) all.push_back(commit.commit);
    source::write_shallow_commits(path, shallow_);
    source::write_references(path, all);
  }

 private:
  const BundleRepository& repository_;
  std::size_t found_ = 0;
  std::vector<ObjectId> shallow_;
};

class BundleReader {
 public:
  BundleReader(const BundleFile& bundle, const std::string& directory, int jobs, Console& console)
      : bundle_(bundle), index_(bundle.index()), directory_(directory), jobs_(jobs), console_(console) {}

  std::vector<std::string> read() {
    read_packs();
    if (problems_.empty()) check_contents();
    if (problems_.empty()) check_closures();
    return std::move(problems_);
  }

 private:
  void read_packs();
  void read_pack(std::string_view file, std::size_t item) const;
  void check_contents();
  void check_closures();

  const BundleFile& bundle_;
  const record::BundleIndex& index_;
  const std::string& directory_;
  int jobs_;
  Console& console_;
  std::vector<std::string> problems_;
};

/// In a worker: checks a pack and writes its repository.
void BundleReader::read_pack(std::string_view file, std::size_t item) const {
  const BundleRepository& repository = index_.repositories[item];
  const std::string_view bytes = file.substr(bundle_.offset(item), repository.size);
  if (sha256(bytes) != repository.sha256) fail(repository, "its bytes have another SHA-256 than the index says");
  Commits commits(repository);
  const std::vector<git::PackPlace> places = git::read_pack(
      bytes, repository.member(), [&](const ObjectId& id, const git::Object& object) { commits.visit(id, object); });
  if (places.size() != repository.objects) {
    fail(repository, concat("it has ", places.size(), " objects, and not ", repository.objects));
  }
  const std::string path = source::repository_path(directory_, repository.url);
  const std::string_view checksum = bytes.substr(bytes.size() - 20);
  const std::string pack = concat(path, "/objects/pack/pack-", to_hex(checksum));
  source::make_bare_repository(path);
  write_file_atomically(pack + ".pack", bytes);
  write_file_atomically(pack + ".idx", git::pack_index_bytes(places, checksum));
  commits.write_references(path);
}

void BundleReader::read_packs() {
  std::uint64_t largest = 0;
  for (const BundleRepository& repository : index_.repositories) largest = std::max(largest, repository.size);
  std::map<std::size_t, std::string> problems;
  WorkerJob job;
  job.items = index_.repositories.size();
  job.workers = jobs_;
  job.limits.address_space = 0;  // the whole file is mapped
  job.limits.stall = time_for(largest);
  job.start = [&]() -> WorkerTask {
    const auto file = std::make_shared<git::MappedFile>(bundle_.file(), bundle_.path());
    return [this, file](std::size_t item) -> std::string {
      try {
        read_pack(file->bytes(), item);
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::environment) throw;
        return error.message();
      }
      return "";
    };
  };
  std::size_t done = 0;
  job.on_result = [&](std::size_t item, std::string_view problem) {
    if (!problem.empty()) problems[item] = problem;
    console_.progress("reading packs", ++done, job.items, 0);
  };
  job.describe = [&](std::size_t item) { return "reading " + quote(index_.repositories[item].member()); };
  try {
    run_workers(job);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::source) throw;
    problems_.push_back(error.message());
  }
  console_.progress_done();
  for (auto& [item, problem] : problems) problems_.push_back(std::move(problem));
}

/// Each pack has what its commits consist of, and nothing else.
void BundleReader::check_contents() {
  std::vector<source::ContentsRequest> requests;
  for (const BundleRepository& repository : index_.repositories) {
    source::ContentsRequest request{
        url_file_path(repository.url), {}, source::repository_path(directory_, repository.url) + "/objects"};
    for (const record::BundleCommit& commit : repository.commits) request.commits.push_back(commit.commit);
    requests.push_back(std::move(request));
  }
  const auto contents = source::list_contents(requests, {}, jobs_, console_);
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const BundleRepository& repository = index_.repositories[i];
    bool is_whole = true;
    for (const source::KeptCommit& commit : contents[i].commits) {
      if (commit.missing.empty()) continue;
      is_whole = false;
      problems_.push_back(
          concat(quote(repository.member()), ": commit ", commit.commit.hex(), " is not whole: ", commit.missing));
    }
    if (is_whole && contents[i].objects.size() != repository.objects) {
      problems_.push_back(concat(quote(repository.member()), ": it has ",
                                 repository.objects - contents[i].objects.size(),
                                 " objects that none of its commits has"));
    }
  }
}

Release release_of(const record::BundleClosure& closure) {
  Release release;
  release.version = *Version::parse(closure.release);
  for (const record::BundlePin& pin : closure.components) {
    release.components[pin.component] = {pin.url, "", "", pin.commit};
  }
  return release;
}

/// All that the releases need is there, and nothing else.
void BundleReader::check_closures() {
  source::MirrorSource source({directory_}, console_);
  std::vector<source::Closure> closures;
  for (const record::BundleClosure& each : index_.closures) {
    std::vector<Component> components;
    for (const record::BundlePin& pin : each.components) components.push_back(pin.component);
    try {
      closures.push_back(
          source::read_closure(release_of(each), components, each.overrides, {}, source, jobs_, console_));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::environment) throw;
      problems_.push_back(concat("release ", each.release, ": ", error.message()));
    }
  }
  if (!problems_.empty()) return;
  const std::vector<source::RepositoryCommits> needed = source::repositories_of(closures);
  const bool is_equal =
      std::equal(needed.begin(), needed.end(), index_.repositories.begin(), index_.repositories.end(),
                 [](const source::RepositoryCommits& a, const BundleRepository& b) {
                   return a.url == b.url &&
                          std::equal(a.commits.begin(), a.commits.end(), b.commits.begin(), b.commits.end(),
                                     [](const ObjectId& x, const record::BundleCommit& y) { return x == y.commit; });
                 });
  if (!is_equal) problems_.push_back("the index lists other repositories or commits than its releases need");
}

std::vector<std::string> releases_of(const record::BundleIndex& index) {
  std::vector<std::string> releases;
  for (const record::BundleClosure& closure : index.closures) {
    if (std::find(releases.begin(), releases.end(), closure.release) == releases.end()) {
      releases.push_back(closure.release);
    }
  }
  return releases;
}

void describe_index(const record::BundleIndex& index, BundleReport& report) {
  report.releases = releases_of(index);
  report.repositories = index.repositories.size();
  for (const record::BundleRepository& repository : index.repositories) {
    report.commits += repository.commits.size();
    report.objects += repository.objects;
  }
}

/// Compares the pins with those of the catalog's release.
void compare_pins(const record::BundleClosure& closure, const Catalog& catalog, BundleReport& report) {
  const auto found = catalog.releases.find(*Version::parse(closure.release));
  if (found == catalog.releases.end()) {
    report.notes.push_back(concat("this catalog has no release ", closure.release, ": its pins are not compared"));
    return;
  }
  for (const record::BundlePin& pin : closure.components) {
    const ComponentPin* const known = found->second.find(pin.component);
    if (known && known->commit == pin.commit && canonical_url(known->url) == canonical_url(pin.url)) continue;
    report.problems.push_back(concat("release ", closure.release, ": ", component_name(pin.component), " is commit ",
                                     pin.commit.hex(), " of ", redact_url(pin.url), ", in the catalog ",
                                     known ? concat(known->commit.hex(), " of ", redact_url(known->url)) : "nothing"));
  }
}

}  // namespace

std::string bundle_head(const record::BundleIndex& index) {
  const std::string json = record::bundle_index_json(index);
  const std::string digest = concat(sha256(json).hex(), "  ", kBundleIndexName, "\n");
  return small_member(kBundleIndexName, json, index.timestamp) +
         small_member(kBundleDigestName, digest, index.timestamp);
}

std::string bundle_member_header(const record::BundleIndex& index, const record::BundleRepository& repository) {
  return archive::tar_header({repository.member(), TarMember::Type::file, repository.size}, index.timestamp);
}

BundleFile::BundleFile(const std::string& path) : path_(path), file_(open_regular_file(path, "the bundle ")) {
  read_index();
  check_members();
}

void BundleFile::fail(const std::string& reason) const {
  throw Error(ErrorKind::data, concat("reading the bundle ", quote(path_), ": ", reason));
}

std::string BundleFile::read_at(std::uint64_t position, std::size_t size) const {
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

void BundleFile::expect(std::uint64_t position, const std::string& bytes, const std::string& what) const {
  const std::string found = read_at(position, bytes.size());
  if (found == bytes) return;
  if (found.size() < bytes.size()) fail(concat("it is truncated: ", what, " should stand at byte ", position));
  fail(concat("at byte ", position, " should stand ", what, "; there stands ", describe_block(found)));
}

void BundleFile::read_index() {
  const std::string block = read_at(0, kBlock);
  const auto header = archive::parse_tar_block(block);
  if (!header || header->path != kBundleIndexName || header->type != '0') {
    fail(concat("it is not a bundle of torchpatch: it begins with ", describe_block(block)));
  }
  if (header->size > kMaxIndexBytes) fail(concat("its index has ", header->size, " bytes, more than ", kMaxIndexBytes));
  const std::string json = read_at(kBlock, header->size);
  if (json.size() != header->size) fail("it is truncated in its index");
  index_ = record::parse_bundle_index(json, path_ + ":" + kBundleIndexName);
  const std::string head = bundle_head(index_);
  expect(0, head, "the index and its SHA-256");
  head_size_ = head.size();
}

void BundleFile::check_members() {
  std::uint64_t position = head_size_;
  for (const record::BundleRepository& repository : index_.repositories) {
    const std::string header = bundle_member_header(index_, repository);
    expect(position, header, concat(quote(repository.member()), ", a file of ", repository.size, " bytes"));
    offsets_.push_back(position + header.size());
    position = offsets_.back() + repository.size;
    const std::string padding = archive::tar_padding(repository.size);
    if (read_at(position, padding.size()) != padding) fail(concat("at byte ", position, " should stand zeros"));
    position += padding.size();
  }
  const std::string end = archive::tar_end(position);
  expect(position, end, "the end of the archive");
  if (!read_at(position + end.size(), 1).empty()) fail("bytes follow its end");
}

std::vector<std::string> read_bundle(const BundleFile& bundle, const std::string& directory, int jobs,
                                     Console& console) {
  return BundleReader(bundle, directory, jobs, console).read();
}

BundleReport verify_bundle(const std::string& file, const Catalog& catalog, int jobs, Console& console) {
  BundleReport report;
  report.file = file;
  const FileDigest digest = digest_of_file(open_regular_file(file, "the bundle "), file);
  report.sha256 = digest.sha256.hex();
  report.size = digest.size;
  try {
    const BundleFile bundle(file);
    describe_index(bundle.index(), report);
    const TempDir directory;
    report.problems = read_bundle(bundle, directory.path(), jobs, console);
    for (const record::BundleClosure& closure : bundle.index().closures) compare_pins(closure, catalog, report);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    report.problems.push_back(error.message());
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
                concat("unpacking the bundle ", quote(file), ": it is not what it says\n  ", join(problems, "\n  ")),
                "bring it again from where it was made, and compare its SHA-256");
  }
  MirrorReport report{"unpacked", output, releases_of(bundle.index()), {}};
  for (const record::BundleRepository& repository : bundle.index().repositories) {
    MirroredRepository row{
        repository.url, source::repository_path(output, repository.url), {}, repository.objects, repository.objects,
        repository.size};
    for (const record::BundleCommit& commit : repository.commits) row.commits.push_back(commit.commit);
    report.repositories.push_back(std::move(row));
  }
  staging.commit(false);
  return report;
}

}  // namespace torchpatch::ops
