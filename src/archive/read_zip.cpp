// SPDX-License-Identifier: BSD-3-Clause
#include "archive/read_archive.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

#include "archive/write_archive.h"
#include "support/find.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::archive {

namespace {

// Sizes of records without their variable parts.
constexpr std::size_t kHeaderBytes = 30, kEntryBytes = 46, kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr std::string_view kEnd64 = "PK\6\6", kLocator = "PK\6\7", kDescriptor = "PK\7\10";
constexpr std::uint64_t kFull16 = 0xFFFF, kFull32 = 0xFFFFFFFF;
constexpr std::uint64_t kEncrypted = 1, kLevelFlags = 3 << 1, kSizesFollow = 1 << 3;
constexpr std::uint64_t kZip64Field = 1, kUnicodePathField = 0x7075;
constexpr std::uint64_t kMsDosNoFile = 0x18;  ///< a directory or a volume label
constexpr std::uint64_t kNewestVersion = 45;  ///< format version: 4.5 introduced Zip64
constexpr std::uint64_t kMaxDirectoryBytes = 256ull << 20;
constexpr std::uint64_t kReadPieceBytes = 256 << 10;
constexpr std::uint64_t kOutPieceBytes = 16 << 20;  ///< between two steps; zlib counts in 32 bits

/// A member, from the central directory.
struct Entry {
  std::string name;  ///< as in the file, with a directory's trailing slash
  std::string path;  ///< without that slash
  MemberType type = MemberType::file;
  std::uint64_t flags = 0, method = 0, checksum = 0, packed = 0, size = 0, offset = 0;
};

/// Compares paths with '/' before any other byte, so that a directory is directly followed by its contents.
bool stands_before(const Entry* a, const Entry* b) {
  const auto key = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); };
  return std::ranges::lexicographical_compare(a->path, b->path, {}, key, key);
}

class ZipReader {
 public:
  ZipReader(const Input& input, const ReadLimits& limits, const MemberSink& sink)
      : input_(input), tally_(input, limits), sink_(sink) {}

  ArchiveFacts read() {
    find_directory();
    read_directory();
    check_paths();
    std::ranges::sort(entries_, {}, &Entry::offset);
    if (entries_.front().offset != 0) refuse("other bytes precede its first member");
    for (std::size_t i = 0; i < entries_.size(); ++i)
      take(entries_[i], i + 1 < entries_.size() ? entries_[i + 1].offset : directory_at_);
    return {"zip", commit_of_zip(comment_)};
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    input_.refuse(reason, "different programs may extract different files from it: rebuild it or download it again");
  }
  [[noreturn]] void refuse_member(const std::string& name, const std::string& reason) const {
    refuse(concat("the member ", quote(name), " ", reason));
  }

  /// Finds the end record as zipfile does, and the central directory before it.
  void find_directory() {
    const std::uint64_t size = input_.size();
    const std::uint64_t tail_size = std::min<std::uint64_t>(size, kEndBytes + kFull16);
    const std::string tail = input_.read(size - tail_size, tail_size);
    const auto is_end_at = [&](std::size_t at) {
      return at + kEndBytes <= tail.size() && std::string_view(tail).substr(at, kZipEnd.size()) == kZipEnd &&
             read_zip_number(tail, at + 20, 2) == tail.size() - at - kEndBytes;
    };
    std::size_t at = tail.size() - kEndBytes;
    if (tail.size() < kEndBytes || !is_end_at(at)) at = tail.rfind(kZipEnd);
    if (at == tail.npos || tail.size() - at < kEndBytes)
      input_.fail("it is not a zip, or it is truncated: no end record found");
    if (!is_end_at(at)) refuse("its end record is followed by extra bytes, or bytes are missing");
    for (std::size_t other = tail.find(kZipEnd); other < at; other = tail.find(kZipEnd, other + 1))
      if (is_end_at(other)) refuse("it has two end records");
    comment_ = tail.substr(at + kEndBytes);
    read_end(std::string_view(tail).substr(at, kEndBytes), size - tail_size + at);
  }

  /// Reads the end record at `end`, and that of Zip64 before it.
  void read_end(std::string_view record, std::uint64_t end) {
    std::uint64_t here = read_zip_number(record, 8, 2), bytes = read_zip_number(record, 12, 4);
    count_ = read_zip_number(record, 10, 2);
    directory_at_ = read_zip_number(record, 16, 4);
    const std::string locator = end < kLocatorBytes ? "" : input_.read(end - kLocatorBytes, kLocatorBytes);
    if (starts_with(locator, kLocator)) {
      end -= std::min<std::uint64_t>(end, kEnd64Bytes + kLocatorBytes);
      const std::string large = input_.read(end, kEnd64Bytes);
      // zipfile looks directly before the locator, others where it points.
      const bool is_plain = locator == concat(kLocator, zip_number(0, 4), zip_number(end, 8), zip_number(1, 4)) &&
                            starts_with(large, concat(kEnd64, zip_number(kEnd64Bytes - 12, 8))) &&
                            read_zip_number(large, 16, 8) == 0;
      const auto take = [&](std::uint64_t& value, std::uint64_t full, std::size_t at) {
        const std::uint64_t by_large = read_zip_number(large, at, 8);
        if (!is_plain || (value != full && value != by_large)) refuse("its end records contradict each other");
        value = by_large;
      };
      take(here, kFull16, 24);
      take(count_, kFull16, 32);
      take(bytes, kFull32, 40);
      take(directory_at_, kFull32, 48);
    }
    if (read_zip_number(record, 4, 4) != 0 || here != count_) refuse("it is one part of a multi-part zip");
    if (directory_at_ > end || bytes != end - directory_at_)
      refuse("its central directory does not end where its end record begins");
    if (bytes > kMaxDirectoryBytes)
      input_.refuse(concat("its central directory has more than ", kMaxDirectoryBytes >> 20, " MiB"));
    directory_bytes_ = bytes;
  }

  void read_directory() {
    const std::string directory = input_.read(directory_at_, directory_bytes_);
    std::string_view rest = directory;
    bool has_files = false;
    while (starts_with(rest, kZipEntry) && rest.size() >= kEntryBytes) {
      const std::uint64_t name = read_zip_number(rest, 28, 2), extra = read_zip_number(rest, 30, 2);
      const std::uint64_t whole = kEntryBytes + name + extra + read_zip_number(rest, 32, 2);
      if (whole > rest.size()) break;
      entries_.push_back(
          read_entry(rest, std::string(rest.substr(kEntryBytes, name)), rest.substr(kEntryBytes + name, extra)));
      has_files = has_files || entries_.back().type != MemberType::directory;
      rest.remove_prefix(whole);
    }
    if (!rest.empty() || entries_.size() != count_) refuse("its central directory is damaged");
    if (!has_files) input_.fail("it has no files");
  }

  Entry read_entry(std::string_view record, std::string name, std::string_view extra) {
    Entry entry;
    entry.name = std::move(name);
    entry.flags = read_zip_number(record, 8, 2);
    entry.method = read_zip_number(record, 10, 2);
    entry.checksum = read_zip_number(record, 16, 4);
    entry.packed = read_zip_number(record, 20, 4);
    entry.size = read_zip_number(record, 24, 4);
    entry.offset = read_zip_number(record, 42, 4);
    entry.path = entry.name.substr(0, entry.name.size() - (ends_with(entry.name, "/") ? 1 : 0));
    tally_.add_member(entry.path, input_.size());
    check_name(entry);
    read_extra(entry.name, extra, {&entry.size, &entry.packed, &entry.offset});
    if (entry.flags & kEncrypted) input_.fail(concat("the member ", quote(entry.path), " is encrypted"));
    if (entry.method != 0 && entry.method != Z_DEFLATED)
      input_.fail(concat("the member ", quote(entry.path), " is compressed by method ", entry.method, ", not deflate"));
    if ((entry.flags & ~(kLevelFlags | kSizesFollow | kZipUtf8)) != 0)
      refuse_member(entry.name, "has unsupported flags");
    if (read_zip_number(record, 6, 1) > kNewestVersion)
      refuse_member(entry.name, "needs a newer version of the format");
    if (read_zip_number(record, 34, 2) != 0) refuse_member(entry.name, "is in another part of the archive");
    if (entry.method == 0 && entry.packed != entry.size)
      refuse_member(entry.name, "is not compressed, but has two different sizes");
    // A program that reads from the front would have to guess where its data end.
    if (entry.method == 0 && entry.flags & kSizesFollow && entry.size != 0)
      refuse_member(entry.name, "is not compressed, and its size is stored after its data");
    entry.type = type_of(entry, read_zip_number(record, 38, 4));
    tally_.check_size(entry.path, entry.size);
    tally_.add_bytes(entry.size, input_.size());
    return entry;
  }

  void check_name(const Entry& entry) const {
    input_.check_path(entry.path, "the member ");
    if (entry.name.find('\\') != std::string::npos)
      refuse_member(entry.name, "has a backslash in its name, which some programs read as a slash");
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (!(entry.flags & kZipUtf8) && !std::ranges::all_of(entry.name, is_ascii))
      refuse_member(entry.name, "has a name that is not marked as UTF-8");
  }

  /// Replaces values that need more than 32 bits with those in the Zip64 field, and refuses another name. Returns
  /// whether there is a Zip64 field.
  bool read_extra(const std::string& name, std::string_view extra, std::initializer_list<std::uint64_t*> values) const {
    std::string_view large;
    while (!extra.empty()) {
      const std::size_t size = extra.size() < 4 ? 0 : read_zip_number(extra, 2, 2);
      if (extra.size() < 4 + size) refuse_member(name, "has extra fields that are cut short");
      const std::uint64_t kind = read_zip_number(extra, 0, 2);
      const std::string_view field = extra.substr(4, size);
      if (kind == kUnicodePathField && (field.size() < 5 || field.substr(5) != name))
        refuse_member(name, "has a different name in an extra field");
      if (kind == kZip64Field && !large.empty()) refuse_member(name, "has two Zip64 fields");
      if (kind == kZip64Field) large = field;
      extra.remove_prefix(4 + size);
    }
    const bool is_large = !large.empty();
    for (std::uint64_t* const value : values) {
      if (*value != kFull32) continue;
      if (large.size() < 8) refuse_member(name, "has no value in its Zip64 field");
      *value = read_zip_number(large, 0, 8);
      large.remove_prefix(8);
    }
    if (!large.empty()) refuse_member(name, "has an unnecessary Zip64 field");
    return is_large;
  }

  /// Unix modes count whatever system the zip claims to be from, as in pip.
  MemberType type_of(const Entry& entry, std::uint64_t attributes) const {
    const auto mode = static_cast<mode_t>(attributes >> 16);
    const mode_t type = mode & S_IFMT;
    if (ends_with(entry.name, "/")) {
      if ((type != 0 && type != S_IFDIR) || entry.size != 0)
        refuse_member(entry.name, "has the name of a directory, but not the attributes or size of one");
      return MemberType::directory;
    }
    if (type == S_IFDIR || attributes & kMsDosNoFile)
      refuse_member(entry.name, "has the name of a file, but not the attributes of one");
    if (type == S_IFLNK) return MemberType::link;
    if (type != 0 && type != S_IFREG) refuse_member(entry.name, "is neither a file, a directory nor a link");
    return mode & 0111 ? MemberType::executable : MemberType::file;
  }

  void check_paths() const {
    std::vector<const Entry*> sorted = collect(entries_, [](const Entry& entry) { return &entry; });
    std::ranges::sort(sorted, stands_before);
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const Entry &before = *sorted[i - 1], &entry = *sorted[i];
      const bool are_directories = before.type == MemberType::directory && entry.type == MemberType::directory;
      if (entry.path == before.path && !are_directories) refuse_member(entry.path, "occurs twice");
      if (before.type != MemberType::directory && starts_with(entry.path, before.path + "/"))
        refuse_member(entry.path, concat("is below ", quote(before.path), ", which is a file"));
    }
  }

  /// Reads a member, which must end where the next one begins.
  void take(const Entry& entry, std::uint64_t next) const {
    const auto [begin, is_large] = check_header(entry);
    if (begin > next || entry.packed > next - begin) refuse_member(entry.name, "overlaps the next one");
    const std::size_t width = is_large ? 8 : 4;
    std::string after;
    if (entry.flags & kSizesFollow)
      after = concat(kDescriptor, zip_number(entry.checksum, 4), zip_number(entry.packed, width),
                     zip_number(entry.size, width));
    const std::uint64_t end = begin + entry.packed;
    if (next - end != after.size() || input_.read(end, after.size()) != after)
      refuse_member(entry.name, "is followed by bytes that belong to no member");
    Member member{entry.path, entry.type, {}};
    member.bytes = content(entry, begin);
    sink_(std::move(member));
  }

  /// Checks a member's own header against its entry; returns where its data begin, and whether it has a Zip64 field.
  std::pair<std::uint64_t, bool> check_header(const Entry& entry) const {
    const std::string header = input_.read(entry.offset, kHeaderBytes + entry.name.size());
    const std::uint64_t extra_size = read_zip_number(header, 28, 2);
    const std::string extra = input_.read(entry.offset + header.size(), extra_size);
    std::uint64_t packed = read_zip_number(header, 18, 4), size = read_zip_number(header, 22, 4);
    const bool is_large = read_extra(entry.name, extra, {&size, &packed});
    const auto agrees = [&](std::uint64_t found, std::uint64_t wanted) {
      return found == wanted || (entry.flags & kSizesFollow && found == 0);
    };
    const bool is_same = starts_with(header, kZipHeader) && read_zip_number(header, 26, 2) == entry.name.size() &&
                         header.substr(kHeaderBytes) == entry.name &&
                         ((read_zip_number(header, 6, 2) ^ entry.flags) & ~kLevelFlags) == 0 &&
                         read_zip_number(header, 8, 2) == entry.method &&
                         agrees(read_zip_number(header, 14, 4), entry.checksum) && agrees(packed, entry.packed) &&
                         agrees(size, entry.size);
    if (!is_same) refuse_member(entry.name, "has a header that differs from the central directory");
    return {entry.offset + header.size() + extra_size, is_large};
  }

  std::string content(const Entry& entry, std::uint64_t begin) const {
    std::string bytes = entry.method == 0 ? input_.read(begin, entry.packed) : inflated(entry, begin);
    if (bytes.size() != entry.size || zip_checksum(bytes) != entry.checksum) fail_damaged(entry);
    return bytes;
  }

  [[noreturn]] void fail_damaged(const Entry& entry) const {
    input_.fail(concat("the member ", quote(entry.path), " is damaged"));
  }

  /// Inflates a member's data, to at most one byte more than its size.
  std::string inflated(const Entry& entry, std::uint64_t begin) const {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) input_.fail("out of memory");
    const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
    std::string bytes(entry.size + 1, '\0'), piece;
    std::uint64_t left = entry.packed;
    int code = Z_OK;
    while (code == Z_OK) {
      if (stream.avail_in == 0) {
        piece = input_.read(begin + entry.packed - left, std::min(left, kReadPieceBytes));
        left -= piece.size();
        stream.next_in = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_in = static_cast<uInt>(piece.size());
      }
      stream.next_out = reinterpret_cast<Bytef*>(bytes.data()) + stream.total_out;
      stream.avail_out = static_cast<uInt>(std::min<std::uint64_t>(bytes.size() - stream.total_out, kOutPieceBytes));
      code = inflate(&stream, Z_NO_FLUSH);
      note_step();
    }
    if (code != Z_STREAM_END || left != 0 || stream.avail_in != 0) fail_damaged(entry);
    bytes.resize(stream.total_out);
    return bytes;
  }

  const Input& input_;
  Tally tally_;
  const MemberSink& sink_;
  std::string comment_;
  std::uint64_t count_ = 0, directory_at_ = 0, directory_bytes_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace

std::uint64_t zip_checksum(std::string_view bytes) {
  uLong checksum = 0;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, ByteSteps::kBytes);
    checksum = crc32_z(checksum, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
    bytes.remove_prefix(piece.size());
    note_step();
  }
  return checksum;
}

ArchiveFacts read_zip(const Input& input, const ReadLimits& limits, const MemberSink& sink) {
  return ZipReader(input, limits, sink).read();
}

}  // namespace torchpatch::archive
