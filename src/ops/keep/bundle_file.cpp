// SPDX-License-Identifier: BSD-3-Clause
#include "ops/keep/bundle_file.h"

#include <unistd.h>

#include <cerrno>
#include <optional>

#include "archive/tar.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"

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

}  // namespace

std::string bundle_head(const emit::BundleIndex& index) {
  const std::string json = emit::bundle_index_json(index);
  const std::string digest = concat(sha256(json).hex(), "  ", kBundleIndexName, "\n");
  return small_member(kBundleIndexName, json, index.timestamp) +
         small_member(kBundleDigestName, digest, index.timestamp);
}

std::string bundle_member_header(const emit::BundleIndex& index, const emit::BundleRepository& repository) {
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
  index_ = emit::parse_bundle_index(json, path_ + ":" + kBundleIndexName);
  const std::string head = bundle_head(index_);
  expect(0, head, "the index and its SHA-256");
  head_size_ = head.size();
}

void BundleFile::check_members() {
  std::uint64_t position = head_size_;
  for (const emit::BundleRepository& repository : index_.repositories) {
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

}  // namespace torchpatch::ops
