// SPDX-License-Identifier: BSD-3-Clause
#include "git/growing_pack.h"

#include <fcntl.h>
#include <unistd.h>

#include "git/mapped_file.h"
#include "git/pack_layout.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {
namespace {

constexpr int kFastCompression = 1;

/// Packs and indexes end in the SHA-1 of what stands before.
bool is_intact(const std::string& path) {
  const UniqueFd file = open_foreign_file(path);
  if (!file) return false;
  const MappedFile mapped(file, path);
  const std::string_view bytes = mapped.bytes();
  if (bytes.size() < kPackChecksumBytes) return false;
  Sha1Hasher hasher;
  hasher.update(bytes.substr(0, bytes.size() - kPackChecksumBytes));
  return hasher.finish() == bytes.substr(bytes.size() - kPackChecksumBytes);
}

}  // namespace

GrowingPack::GrowingPack(std::string directory) : directory_(std::move(directory)), path_(directory_ + "/tmp_pack") {
  file_ = UniqueFd(::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file_) throw system_error("writing the pack " + quote(path_));
  append(pack_header(0));
}

GrowingPack::~GrowingPack() {
  if (file_) ::unlink(path_.c_str());
}

void GrowingPack::append(std::string_view bytes) {
  write_all(file_.get(), bytes, path_);
  size_ += bytes.size();
}

ObjectId GrowingPack::write(ObjectType type, std::string_view bytes) {
  const ObjectId id = git_object_id(object_type_name(type), bytes);
  if (bytes.size() > kMaxObjectBytes) throw object_too_large(id, bytes.size(), path_);
  if (!ids_.insert(id).second) return id;
  const std::string entry = pack_entry({type, std::string(bytes)}, kFastCompression);
  places_.push_back({id, size_, entry_crc(entry)});
  append(entry);
  return id;
}

/// Writes the header, whose count is known only now, and the checksum over all of it, which is returned.
std::string GrowingPack::write_ends() {
  const std::string header = pack_header(static_cast<std::uint32_t>(places_.size()));
  if (pwrite(file_.get(), header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) {
    throw system_error("writing the pack " + quote(path_));
  }
  Sha1Hasher hasher;
  hasher.update(MappedFile(file_, path_).bytes());
  const std::string checksum = hasher.finish();
  append(checksum);
  return checksum;
}

void GrowingPack::finish() {
  if (places_.empty()) return;
  const std::string checksum = write_ends();
  const std::string stem = concat(directory_, "/pack-", to_hex(checksum));
  // The pack counts once its index is there, which goes last: git takes an index without a pack for damage.
  if (::rename(path_.c_str(), (stem + ".pack").c_str()) != 0) throw system_error("writing the pack " + quote(path_));
  file_.reset();
  write_file_atomically(stem + ".idx", pack_index_bytes(std::move(places_), checksum));
}

bool are_packs_intact(const std::string& directory) {
  constexpr std::string_view kPack = ".pack";
  std::size_t count = 0;
  try {
    for (const std::string& name : list_directory(directory)) {
      if (!ends_with(name, kPack)) continue;
      const std::string stem = concat(directory, "/", name.substr(0, name.size() - kPack.size()));
      if (!is_intact(stem + ".pack") || !is_intact(stem + ".idx")) return false;
      ++count;
    }
  } catch (const Error&) {
    return false;
  }
  return count > 0;
}

}  // namespace torchpatch::git
