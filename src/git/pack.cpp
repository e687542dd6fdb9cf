// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack.h"

#include <unistd.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <unordered_map>

#include "support/delta.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::source, concat("opening ", quote(path), ": ", reason));
}

struct stat status_of(const UniqueFd& file, const std::string& path) {
  struct stat status = {};
  if (fstat(file.get(), &status) != 0) fail(path, std::strerror(errno));
  return status;
}

constexpr std::size_t kFanOutStart = 8;
constexpr std::size_t kNamesStart = kFanOutStart + std::size_t{256} * 4;
constexpr std::size_t kTrailerBytes = 2 * sizeof ObjectId::bytes;
/// An id, a CRC and an offset.
constexpr std::size_t kEntryBytes = sizeof ObjectId::bytes + 4 + 4;
constexpr std::uint32_t kLongOffsetFlag = 0x80000000u;
constexpr int kMostGuesses = 6;

/// git creates chains of 50, and at most 8191 (fast-import).
constexpr std::size_t kMostDeltas = 10'000;
/// Limit of bytes produced for one object: a few seconds of work.
constexpr std::uint64_t kMostChainBytes = 16 * kMaxObjectBytes;

std::string pack_path(const std::string& index_path) {
  return index_path.substr(0, index_path.size() - std::string_view(".idx").size()) + ".pack";
}

/// Returns an upper bound for the compressed size of `size` bytes. Deflate adds five bytes to each incompressible
/// block, and no real encoder has blocks as small as this allows for.
std::size_t most_compressed_bytes(std::uint64_t size) { return size + size / 4 + (64 << 10); }

/// About the size of a core's cache: more hits few additional bases, and from main memory.
constexpr std::size_t kMaxBaseBytes = 1u << 20;
/// Approximate overhead of a row.
constexpr std::size_t kRowBytes = 200;

/// A cache of objects that deltas were applied to: the most recently used, up to 1 MiB.
class DeltaBases {
 public:
  using Base = std::shared_ptr<const Object>;

  /// Returns the object at this offset, or null.
  Base find(std::uint64_t start) {
    const auto place = places_.find(start);
    if (place == places_.end()) return nullptr;
    rows_.splice(rows_.end(), rows_, place->second);
    return place->second->object;
  }

  /// Adds an object unless it is large, and evicts the least recently used ones.
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

/// Size of the mapped window: all of most packs. Several packs are open, and a worker has 4 GiB of address space, on 32
/// bits two or three.
constexpr std::uint64_t kWindowBytes = sizeof(void*) == 4 ? 128u << 20 : 1u << 30;
/// Windows begin at multiples of this; it is a multiple of every page size.
constexpr std::uint64_t kWindowAlignment = 1u << 20;

/// The bytes of a pack, mapped in windows: a pack may be larger than a worker's address space.
class PackFile {
 public:
  /// Opens the pack of an index and checks its header and trailer: magic, version, number of objects, checksum.
  PackFile(const std::string& index_path, const PackIndex& index)
      : path_(pack_path(index_path)), file_(open_foreign_file(path_)) {
    if (!file_) fail("it does not exist");
    size_ = file_size(file_, path_);
    if (size_ < kPackHeaderBytes + kPackChecksumBytes) fail("it is truncated");
    const std::string header = read_at(0, kPackHeaderBytes);
    const std::uint32_t version = read_u32(header, 4);
    if (!header.starts_with(kPackMagic) || (version != 2 && version != 3)) fail("it is not a pack");
    if (read_u32(header, 8) != index.object_count()) fail("its index belongs to a different pack");
    if (read_at(size_ - kPackChecksumBytes, kPackChecksumBytes) != index.pack_checksum())
      fail("its checksum is not the one in its index");
  }

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }

  /// Returns `size` bytes from `start`, or those left before the checksum; valid until the next call. Raises source if
  /// `start` is outside the pack.
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

UniqueFd open_foreign_file(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return file;
  if (!file && errno == ELOOP) fail(path, "it is a symbolic link");
  if (!file) fail(path, std::strerror(errno));
  if (!S_ISREG(status_of(file, path).st_mode)) fail(path, "it is not a regular file");
  return file;
}

std::size_t file_size(const UniqueFd& file, const std::string& path) {
  const off_t size = status_of(file, path).st_size;
  if (!std::in_range<std::size_t>(size))
    fail(path, concat("its ", size, " bytes exceed what a 32-bit program can map"));
  return static_cast<std::size_t>(size);
}

MappedFile::MappedFile(const UniqueFd& file, const std::string& path) {
  if (!file) fail(path, std::strerror(ENOENT));
  size_ = file_size(file, path);
  if (size_ == 0) fail(path, "it is empty");
  map(file, path, 0);
}

MappedFile::MappedFile(const UniqueFd& file, const std::string& path, std::uint64_t offset, std::size_t size)
    : size_(size) {
  map(file, path, offset);
}

void MappedFile::map(const UniqueFd& file, const std::string& path, std::uint64_t offset) {
  void* data = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), static_cast<off_t>(offset));
  if (data == MAP_FAILED) fail(path, std::strerror(errno));
  data_ = data;
}

MappedFile::~MappedFile() {
  if (data_) munmap(data_, size_);
}

void MappedFile::release_pages() const { madvise(data_, size_, MADV_DONTNEED); }

PackIndex::PackIndex(const std::string& path) : PackIndex(open_foreign_file(path), path) {}

PackIndex::PackIndex(const UniqueFd& file, const std::string& path) : path_(path), file_(file, path) {
  const std::string_view bytes = file_.bytes();
  if (bytes.size() < kNamesStart + kTrailerBytes) fail("it is truncated");
  if (bytes.substr(0, 4) != "\377tOc") fail("it is not an index of version 2");
  if (read_u32(bytes, 4) != 2) fail(concat("its version is ", read_u32(bytes, 4), ", not 2"));
  for (std::size_t i = 1; i < 256; ++i)
    if (fan_out(i) < fan_out(i - 1)) fail("its fan-out table is not monotonic");
  count_ = fan_out(255);
  // In 64 bits: the size of 2^32 entries does not fit into 32.
  const std::uint64_t size = bytes.size();
  const std::uint64_t without_long_offsets = kNamesStart + kEntryBytes * std::uint64_t{count_} + kTrailerBytes;
  if (size < without_long_offsets || (size - without_long_offsets) % 8 != 0 ||
      (size - without_long_offsets) / 8 > count_)
    fail(concat("its size does not fit ", count_, " objects"));
  long_offset_count_ = static_cast<std::size_t>((size - without_long_offsets) / 8);
}

void PackIndex::fail(const std::string& reason) const {
  throw Error(ErrorKind::source, concat("reading the pack index ", quote(path_), ": ", reason));
}

std::uint32_t PackIndex::fan_out(std::size_t first_byte) const {
  return read_u32(file_.bytes(), kFanOutStart + 4 * first_byte);
}

std::string_view PackIndex::name(std::uint32_t position) const {
  return file_.bytes().substr(kNamesStart + sizeof ObjectId::bytes * position, sizeof ObjectId::bytes);
}

std::size_t PackIndex::offsets_start() const {
  return kNamesStart + (sizeof ObjectId::bytes + 4) * std::size_t{count_};
}

std::uint64_t PackIndex::offset(std::uint32_t position) const {
  const std::size_t offsets = offsets_start();
  const std::uint32_t value = read_u32(file_.bytes(), offsets + 4 * std::size_t{position});
  if ((value & kLongOffsetFlag) == 0) return value;
  const std::size_t row = value & ~kLongOffsetFlag;
  if (row >= long_offset_count_) fail("it has an offset outside its table of 64-bit offsets");
  return read_u64(file_.bytes(), offsets + 4 * std::size_t{count_} + 8 * row);
}

std::optional<std::uint64_t> PackIndex::find(const ObjectId& id) const {
  const std::size_t first_byte = id.bytes[0];
  std::uint32_t low = first_byte == 0 ? 0 : fan_out(first_byte - 1);
  std::uint32_t high = fan_out(first_byte);
  // Interpolation search: ids are evenly distributed, so the next four bytes predict the position, and each probe
  // elsewhere reads a page. For crafted ids it becomes a binary search after a few guesses.
  const std::uint64_t wanted = read_u32(id.view(), 1);
  std::uint64_t low_start = 0;
  std::uint64_t high_start = std::uint64_t{1} << 32;
  for (int looks = 0; low < high; ++looks) {
    const bool is_even = looks < kMostGuesses && low_start <= wanted && wanted < high_start;
    const std::uint64_t guess =
        is_even ? (wanted - low_start) * (high - low) / (high_start - low_start) : (high - low) / 2;
    const auto middle = low + static_cast<std::uint32_t>(guess);
    const int order = id.view().compare(name(middle));
    if (order == 0) return offset(middle);
    if (order < 0) {
      high = middle;
      high_start = read_u32(name(middle), 1);
    } else {
      low = middle + 1;
      low_start = read_u32(name(middle), 1);
    }
  }
  return std::nullopt;
}

std::vector<ObjectId> PackIndex::ids() const {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> places;
  places.reserve(count_);
  for (std::uint32_t position = 0; position < count_; ++position) places.emplace_back(offset(position), position);
  std::sort(places.begin(), places.end());
  std::vector<ObjectId> ids;
  ids.reserve(count_);
  for (const auto& [place, position] : places) ids.push_back(ObjectId::from_bytes(name(position).data()));
  return ids;
}

void PackIndex::check_names() const {
  const std::string_view names = file_.bytes().substr(kNamesStart);
  std::uint32_t position = 0;
  std::uint64_t previous = 0;
  for (std::size_t first_byte = 0; first_byte < 256; ++first_byte) {
    for (const std::uint32_t end = fan_out(first_byte); position < end; ++position) {
      // Eight bytes distinguish nearly all ids.
      const std::uint64_t start = read_u64(names, sizeof ObjectId::bytes * position);
      if (start >> 56 != first_byte) fail("an object id is outside its fan-out bucket");
      const bool is_sorted = start > previous || position == 0 || name(position - 1) < name(position);
      if (!is_sorted) fail("its object ids are not sorted");
      previous = start;
    }
  }
}

void PackIndex::check_offsets(std::uint64_t pack_size) const {
  const std::string_view offsets = file_.bytes().substr(offsets_start());
  for (std::uint32_t position = 0; position < count_; ++position) {
    std::uint64_t start = read_u32(offsets, 4 * std::size_t{position});
    if ((start & kLongOffsetFlag) != 0) start = offset(position);
    if (start < kPackHeaderBytes || start >= pack_size - sizeof ObjectId::bytes)
      fail("an offset lies outside the pack");
  }
}

void PackIndex::check_entries(std::uint64_t pack_size) const {
  check_names();
  check_offsets(pack_size);
  file_.release_pages();
}

std::string_view PackIndex::pack_checksum() const {
  const std::string_view bytes = file_.bytes();
  return bytes.substr(bytes.size() - kTrailerBytes, sizeof ObjectId::bytes);
}

/// An open pack file, and what reading from it needs.
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
                          concat("consists of deltas that expand to more than ", kMostChainBytes, " bytes"));
      }
    }
    return apply(entry, *base);
  }

  /// A delta's result has about the size of its base; the exact size is inside its stream.
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
                      concat("is a delta of ", delta.base_id.hex(), ", which is not in this pack"));
  }

  void inflate(const PackEntry& entry, std::string& out) {
    const std::string_view compressed =
        file.bytes_at(entry.start + entry.header_size, most_compressed_bytes(entry.size));
    inflater_.inflate(entry, compressed, file.path(), out);
  }

  /// Follows the chain from the last of `deltas` to its first object, or to one in the cache; returns that.
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
      // Bases given by id may form a cycle.
      if (deltas.size() == kMostDeltas)
        throw entry_error(ErrorKind::source, file.path(), deltas.front().start,
                          concat("is a chain of more than ", kMostDeltas, " deltas"));
      deltas.push_back(entry);
      start = base_of(entry);
    }
  }

  Object apply(const PackEntry& delta, const Object& base) {
    inflate(delta, instructions_);
    auto bytes = apply_delta(instructions_, base.bytes, kMaxObjectBytes);
    if (instructions_.capacity() > kMaxBaseBytes) instructions_ = {};
    if (bytes) return {base.type, std::move(*bytes)};
    throw entry_error(ErrorKind::source, file.path(), delta.start, "is a delta that does not match its base");
  }

  EntryInflater inflater_;
  std::string instructions_;  ///< instructions of the last delta: one reused buffer
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
