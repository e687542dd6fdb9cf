// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack.h"

#include <unistd.h>

#include <algorithm>
#include <list>
#include <unordered_map>

#include "git/mapped_file.h"
#include "git/pack_entry.h"
#include "support/delta.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

/// git makes chains of 50, and none of more than 8191 (fast-import).
constexpr std::size_t kMostDeltas = 10'000;
/// Most bytes that are made on the way to one object: a few seconds of work.
constexpr std::uint64_t kMostChainBytes = 16 * kMaxObjectBytes;

std::string pack_path(const std::string& index_path) {
  return index_path.substr(0, index_path.size() - std::string_view(".idx").size()) + ".pack";
}

/// What a stream of `size` bytes may take compressed. Deflate adds five bytes to each block that it cannot compress;
/// nobody's blocks are as small as this allows.
std::size_t most_compressed_bytes(std::uint64_t size) { return size + size / 4 + (64 << 10); }

/// As much as a core keeps close: more saves few bases, and each is then read from memory.
constexpr std::size_t kMaxBaseBytes = 1u << 20;
/// What a row takes besides the object's bytes, about.
constexpr std::size_t kRowBytes = 200;

/// Objects that deltas were applied to, kept for those that follow: the last ones that were used, up to 1 MiB.
class DeltaBases {
 public:
  using Base = std::shared_ptr<const Object>;

  /// Returns the object at this place of the pack, or null.
  Base find(std::uint64_t start) {
    const auto place = places_.find(start);
    if (place == places_.end()) return nullptr;
    rows_.splice(rows_.end(), rows_, place->second);
    return place->second->object;
  }

  /// Keeps an object, if it is not large, and gives up those that have not been used for longest.
  void add(std::uint64_t start, const Base& object) {
    if (size_of(*object) > kMaxBaseBytes || places_.contains(start)) return;
    rows_.push_back({start, object});
    places_.emplace(start, std::prev(rows_.end()));
    bytes_ += size_of(*object);
    while (bytes_ > kMaxBaseBytes) {
      bytes_ -= size_of(*rows_.front().object);
      places_.erase(rows_.front().start);
      rows_.pop_front();
    }
  }

 private:
  struct Row {
    std::uint64_t start;
    Base object;
  };
  static std::size_t size_of(const Object& object) { return object.bytes.size() + kRowBytes; }

  std::list<Row> rows_;  ///< least recently used first
  std::unordered_map<std::uint64_t, std::list<Row>::iterator> places_;
  std::size_t bytes_ = 0;
};

/// Mapped at a time: all of most packs. A few packs are open, and a worker has 4 GiB of addresses, on 32 bits two or
/// three.
constexpr std::uint64_t kWindowBytes = sizeof(void*) == 4 ? 128u << 20 : 1u << 30;
/// Windows begin at multiples of this, which every page size divides.
constexpr std::uint64_t kWindowAlignment = 1u << 20;

/// The bytes of a pack, mapped a window at a time: a pack may be larger than a worker's address space.
class PackFile {
 public:
  /// Opens the pack of an index and checks its first and last bytes: magic, version, number of objects, checksum.
  PackFile(const std::string& index_path, const PackIndex& index)
      : path_(pack_path(index_path)), file_(open_foreign_file(path_)) {
    if (!file_) fail("it is not there");
    size_ = file_size(file_, path_);
    if (size_ < kPackHeaderBytes + kPackChecksumBytes) fail("it is truncated");
    const std::string header = read_at(0, kPackHeaderBytes);
    const std::uint32_t version = read_u32(header, 4);
    if (!header.starts_with(kPackMagic) || (version != 2 && version != 3)) fail("it is not a pack");
    if (read_u32(header, 8) != index.object_count()) fail("its index is that of another pack");
    if (read_at(size_ - kPackChecksumBytes, kPackChecksumBytes) != index.pack_checksum())
      fail("its checksum is not the one in its index");
  }

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }

  /// Returns `size` bytes from `start` on, or as many as there are before the checksum; good until the next call.
  /// Raises source where `start` lies outside.
  std::string_view bytes_at(std::uint64_t start, std::size_t size) {
    const std::uint64_t all = size_ - kPackChecksumBytes;
    if (start >= all) fail("an offset lies outside the pack");
    const std::uint64_t end = start + std::min<std::uint64_t>(size, all - start);
    const bool is_mapped = window_ && start >= window_start_ && end <= window_start_ + window_->bytes().size();
    if (!is_mapped) map(start, end);
    return window_->bytes().substr(start - window_start_, end - start);
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorKind::source, concat("reading the pack ", quote(path_), ": ", reason));
  }

  std::string read_at(std::uint64_t offset, std::size_t size) const {
    std::string bytes(size, '\0');
    if (pread(file_.get(), bytes.data(), size, static_cast<off_t>(offset)) != static_cast<ssize_t>(size))
      fail("it is truncated");
    return bytes;
  }

  void map(std::uint64_t start, std::uint64_t end) {
    window_.reset();
    window_start_ = size_ <= kWindowBytes ? 0 : start / kWindowAlignment * kWindowAlignment;
    const std::uint64_t window_end = std::min(size_, std::max(end, window_start_ + kWindowBytes));
    window_.emplace(file_, path_, window_start_, window_end - window_start_);
  }

  std::string path_;
  UniqueFd file_;
  std::uint64_t size_ = 0;
  std::optional<MappedFile> window_;
  std::uint64_t window_start_ = 0;
};

}  // namespace

/// The file, and what reading from it needs.
struct Pack::Open {
  Open(const std::string& index_path, const PackIndex& pack_index) : index(pack_index), file(index_path, pack_index) {}

  Object unpack(std::uint64_t start) {
    const PackEntry entry = parse(start);
    if (entry.type) {
      Object object{*entry.type, {}};
      inflate(entry, object.bytes);
      return object;
    }
    std::vector<PackEntry> deltas{entry};
    DeltaBases::Base base = find_base(base_of(entry), deltas);
    std::uint64_t made = 0;
    for (; deltas.size() > 1; deltas.pop_back()) {
      const auto object = std::make_shared<Object>(apply(deltas.back(), *base));
      bases_.add(deltas.back().start, object);
      base = object;
      made += base->bytes.size();
      if (made > kMostChainBytes) {
        throw entry_error(ErrorKind::unsafe, file.path(), start,
                          concat("is made of deltas that make more than ", kMostChainBytes, " bytes"));
      }
    }
    return apply(entry, *base);
  }

  /// A delta makes about as much as what it is made of; its own size stands within its stream.
  std::uint64_t size_of(std::uint64_t start) {
    std::vector<std::uint64_t> chain;
    std::uint64_t size = 0;
    while (chain.size() < kMostDeltas) {
      if (const auto known = sizes_.find(start); known != sizes_.end()) {
        size = known->second;
        break;
      }
      const PackEntry entry = parse(start);
      size = entry.size;
      if (entry.type) break;
      chain.push_back(start);
      start = base_of(entry);
    }
    for (const std::uint64_t each : chain) sizes_[each] = size;
    return size;
  }

  const PackIndex& index;
  PackFile file;

 private:
  PackEntry parse(std::uint64_t start) {
    return parse_pack_entry(file.bytes_at(start, kMostEntryHeaderBytes), start, file.path());
  }

  std::uint64_t base_of(const PackEntry& delta) const {
    if (delta.base != 0) return delta.base;
    const auto base = index.find(delta.base_id);
    if (base) return *base;
    throw entry_error(ErrorKind::source, file.path(), delta.start,
                      concat("is a delta of ", delta.base_id.hex(), ", which this pack has not"));
  }

  void inflate(const PackEntry& entry, std::string& out) {
    const std::string_view compressed =
        file.bytes_at(entry.start + entry.header_size, most_compressed_bytes(entry.size));
    inflater_.inflate(entry, compressed, file.path(), out);
  }

  /// Follows the chain from the delta that `deltas` ends with; returns the object that it begins with, or one on the
  /// way that is at hand.
  DeltaBases::Base find_base(std::uint64_t start, std::vector<PackEntry>& deltas) {
    for (;;) {
      if (DeltaBases::Base known = bases_.find(start)) return known;
      const PackEntry entry = parse(start);
      if (entry.type) {
        const auto object = std::make_shared<Object>(Object{*entry.type, {}});
        inflate(entry, object->bytes);
        bases_.add(start, object);
        return object;
      }
      // Bases that are named by their ids may go in circles.
      if (deltas.size() == kMostDeltas) {
        throw entry_error(ErrorKind::source, file.path(), deltas.front().start,
                          concat("is made of more than ", kMostDeltas, " deltas"));
      }
      deltas.push_back(entry);
      start = base_of(entry);
    }
  }

  Object apply(const PackEntry& delta, const Object& base) {
    inflate(delta, instructions_);
    auto bytes = apply_delta(instructions_, base.bytes, kMaxObjectBytes);
    if (instructions_.capacity() > kMaxBaseBytes) instructions_ = {};
    if (bytes) return {base.type, std::move(*bytes)};
    throw entry_error(ErrorKind::source, file.path(), delta.start, "is a delta that does not go with its base");
  }

  EntryInflater inflater_;
  std::string instructions_;  ///< of the delta that was inflated last: one buffer for all
  DeltaBases bases_;
  std::unordered_map<std::uint64_t, std::uint64_t> sizes_;
};

Pack::Pack(const std::string& index_path) : index_path_(index_path), index_(index_path) {}
Pack::~Pack() = default;

void Pack::close() { open_.reset(); }

void Pack::check() {
  if (is_checked_) return;
  index_.check_entries(PackFile(index_path_, index_).size());
  is_checked_ = true;
}

Pack::Open& Pack::open() {
  if (!open_) open_ = std::make_unique<Open>(index_path_, index_);
  return *open_;
}

Object Pack::read(std::uint64_t place) { return open().unpack(place); }

std::uint64_t Pack::size_of(std::uint64_t place) { return open().size_of(place); }

Object Pack::read(const ObjectId& id) {
  check();
  if (const auto place = index_.find(id)) return read(*place);
  throw Error(ErrorKind::source,
              concat("reading the pack ", quote(pack_path(index_path_)), ": it has no object ", id.hex()));
}

}  // namespace torchpatch::git
