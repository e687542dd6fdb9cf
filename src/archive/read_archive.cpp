// SPDX-License-Identifier: BSD-3-Clause
#include "archive/read_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <map>
#include <memory>

#include "archive/write_archive.h"
#include "model/path_rule.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::archive {
namespace {

constexpr std::size_t kBlockBytes = 512;
constexpr std::size_t kReadBytes = 256 << 10;
/// libarchive peels up to 25 layers of compression; an honest archive has one, and the last that is counted is none.
constexpr int kMaxFilters = 2;

struct FreeReader {
  void operator()(::archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<::archive, FreeReader>;

/// Where the archive's bytes are: an open file, or memory.
struct Input {
  int file = -1;
  std::string_view bytes{};
  const std::string& name;
};

[[noreturn]] void fail(const Input& input, const std::string& reason) {
  throw Error(ErrorKind::source, concat("reading the archive ", quote(input.name), ": ", reason));
}

[[noreturn]] void refuse(const Input& input, const std::string& reason, std::string hint = {}) {
  throw Error(ErrorKind::unsafe, concat("reading the archive ", quote(input.name), ": ", reason), std::move(hint));
}

/// libarchive's reason for what failed last; its texts may quote names of the archive.
std::string reason_of(::archive* reader) {
  const char* text = archive_error_string(reader);
  return text ? printable(text) : "libarchive gives no reason";
}

Reader new_reader(const Input& input) {
  Reader reader(archive_read_new());
  if (!reader) fail(input, "out of memory");
  // One by one: archive_read_support_filter_all() would run programs for what it cannot decompress itself.
  for (const auto support : {archive_read_support_filter_gzip, archive_read_support_filter_xz,
                             archive_read_support_filter_bzip2, archive_read_support_filter_zstd})
    if (support(reader.get()) != ARCHIVE_OK) fail(input, reason_of(reader.get()));
  return reader;
}

void open(const Input& input, ::archive* reader) {
  const int code = input.file >= 0 ? archive_read_open_fd(reader, input.file, kReadBytes)
                                   : archive_read_open_memory(reader, input.bytes.data(), input.bytes.size());
  if (code != ARCHIVE_OK) fail(input, concat("it is neither a tar nor a zip (", reason_of(reader), ")"));
  if (archive_filter_count(reader) > kMaxFilters) refuse(input, "it is compressed more than once");
}

std::string format_name(::archive* reader) {
  if ((archive_format(reader) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP) return "zip";
  switch (archive_filter_code(reader, 0)) {
    case ARCHIVE_FILTER_GZIP:
      return "tar.gz";
    case ARCHIVE_FILTER_XZ:
      return "tar.xz";
    case ARCHIVE_FILTER_BZIP2:
      return "tar.bz2";
    case ARCHIVE_FILTER_ZSTD:
      return "tar.zst";
    default:
      return "tar";
  }
}

/// Returns a member's path or target as the rule wants it.
std::string plain_path(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  while (starts_with(path, "./")) path.remove_prefix(2);
  return std::string(path);
}

class ArchiveReader {
 public:
  ArchiveReader(const Input& input, const ReadLimits& limits, const MemberSink& sink)
      : input_(input), limits_(limits), sink_(sink), reader_(new_reader(input)), buffer_(kReadBytes, '\0') {
    archive_read_support_format_tar(reader_.get());
    archive_read_support_format_zip(reader_.get());
    open(input_, reader_.get());
  }

  ArchiveFacts read() {
    for (;;) {
      archive_entry* entry = nullptr;
      const int code = archive_read_next_header(reader_.get(), &entry);
      if (code == ARCHIVE_EOF) break;
      // A warning is about what does not matter here, such as a name's character set.
      if (code != ARCHIVE_OK && code != ARCHIVE_WARN) fail(input_, reason_of(reader_.get()));
      take(entry);
    }
    if (!has_files_) fail(input_, "it has no files");
    return {format_name(reader_.get()), {}};
  }

 private:
  void take(archive_entry* entry) {
    const char* name = archive_entry_pathname(entry);
    if (!name) name = archive_entry_pathname_utf8(entry);
    if (!name) refuse(input_, "a member has no name");
    const std::string path = plain_path(name);
    if (++members_ > limits_.members) refuse(input_, concat("it has more than ", limits_.members, " members"));
    count(kBlockBytes);
    if (path == ".") return;
    check_path(path, "the member ");
    const MemberType type = type_of(entry, path);
    remember(path, type);
    Member member{path, type, {}};
    if (type == MemberType::hard_link) member.bytes = target(archive_entry_hardlink(entry), path);
    if (type == MemberType::link) {
      const char* const text = archive_entry_symlink(entry);
      member.bytes = text ? text : "";
    }
    if (type == MemberType::file || type == MemberType::executable) member.bytes = content(entry, path);
    sink_(std::move(member));
  }

  MemberType type_of(archive_entry* entry, const std::string& path) const {
    if (archive_entry_hardlink(entry)) return MemberType::hard_link;
    switch (archive_entry_filetype(entry)) {
      case AE_IFREG:
        return archive_entry_perm(entry) & 0100 ? MemberType::executable : MemberType::file;
      case AE_IFLNK:
        return MemberType::link;
      case AE_IFDIR:
        return MemberType::directory;
      default:
        refuse(input_, concat("the member ", quote(path), " is neither a file, a directory nor a link"));
    }
  }

  void check_path(const std::string& path, const std::string& what) const {
    const auto problem = output_path_problem(path);
    if (!problem) return;
    const bool is_clone = problem->find(".git") != std::string::npos;
    refuse(input_, concat(what, quote(path), " ", *problem), is_clone ? "make the archive with 'git archive'" : "");
  }

  /// Two members of one path would leave it to the order which of them counts.
  void remember(const std::string& path, MemberType type) {
    path_bytes_ += path.size();
    if (path_bytes_ > limits_.path_bytes)
      refuse(input_, concat("its paths have more than ", limits_.path_bytes, " bytes"));
    has_files_ = has_files_ || type != MemberType::directory;
    const auto [place, is_new] = seen_.try_emplace(path, type);
    if (is_new || (type == MemberType::directory && place->second == type)) return;
    refuse(input_, concat("the member ", quote(path), " stands twice"));
  }

  std::string content(archive_entry* entry, const std::string& path) {
    const auto too_large = [&] {
      refuse(input_, concat("the member ", quote(path), " is larger than ", limits_.member_bytes >> 20, " MiB"));
    };
    if (archive_entry_is_encrypted(entry)) fail(input_, concat("the member ", quote(path), " is encrypted"));
    if (archive_entry_size_is_set(entry)) {
      const auto size = archive_entry_size(entry);
      if (size < 0) fail(input_, concat("the member ", quote(path), " has a negative size"));
      if (static_cast<std::uint64_t>(size) > limits_.member_bytes) too_large();
    }
    std::string bytes;
    for (;;) {
      const la_ssize_t size = archive_read_data(reader_.get(), buffer_.data(), buffer_.size());
      if (size == 0) break;
      if (size < 0) fail(input_, concat("the member ", quote(path), ": ", reason_of(reader_.get())));
      count(static_cast<std::uint64_t>(size));
      bytes.append(buffer_, 0, static_cast<std::size_t>(size));
      if (bytes.size() > limits_.member_bytes) too_large();
    }
    if (archive_entry_size_is_set(entry) && bytes.size() != static_cast<std::uint64_t>(archive_entry_size(entry)))
      fail(input_, concat("the member ", quote(path), " is shorter than it says"));
    return bytes;
  }

  std::string target(const char* text, const std::string& path) const {
    std::string earlier = plain_path(text);
    check_path(earlier, concat("the member ", quote(path), " is a hard link, and its target "));
    const auto found = seen_.find(earlier);
    if (found == seen_.end() || (found->second != MemberType::file && found->second != MemberType::executable)) {
      refuse(input_, concat("the member ", quote(path), " is a hard link to ", quote(earlier),
                            ", which is no file that came before it"));
    }
    return earlier;
  }

  void count(std::uint64_t bytes) {
    total_bytes_ += bytes;
    if (total_bytes_ > limits_.total_bytes)
      refuse(input_, concat("it holds more than ", limits_.total_bytes >> 30, " GiB"));
    if (total_bytes_ < limits_.ratio_from) return;
    const auto read = static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(reader_.get(), -1), 1));
    if (total_bytes_ / limits_.ratio >= read)
      refuse(input_, concat("it expands to more than ", limits_.ratio, " times its size"));
  }

  const Input& input_;
  const ReadLimits& limits_;
  const MemberSink& sink_;
  Reader reader_;
  std::string buffer_;
  std::map<std::string, MemberType> seen_;
  bool has_files_ = false;
  std::uint64_t members_ = 0, path_bytes_ = 0, total_bytes_ = 0;
};

/// Returns the last bytes of the input, or fewer than asked for where it is shorter.
std::string end_of(const Input& input, std::size_t size) {
  if (input.file < 0) return std::string(input.bytes.substr(input.bytes.size() - std::min(size, input.bytes.size())));
  const off_t end = lseek(input.file, 0, SEEK_END);
  std::string bytes(size, '\0');
  if (end < static_cast<off_t>(size) || pread(input.file, bytes.data(), size, end - static_cast<off_t>(size)) < 0)
    return {};
  return bytes;
}

/// Returns the first decompressed bytes of the input.
std::string start_of(const Input& input, std::size_t size) {
  const Reader reader = new_reader(input);
  archive_read_support_format_raw(reader.get());
  open(input, reader.get());
  archive_entry* entry = nullptr;
  if (archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) return {};
  std::string bytes(size, '\0');
  const la_ssize_t read = archive_read_data(reader.get(), bytes.data(), size);
  bytes.resize(static_cast<std::size_t>(std::max<la_ssize_t>(read, 0)));
  return bytes;
}

bool is_zip(const Input& input) {
  std::string start(2, '\0');
  if (input.file < 0) start = input.bytes.substr(0, start.size());
  if (input.file >= 0 && pread(input.file, start.data(), start.size(), 0) < 0) return false;
  return start == "PK";
}

/// libarchive turns names that are said to be UTF-8 into the character set of the locale, and into NFC on the way.
/// Where that is impossible, in the C locale, it leaves those of a tar as they are, but drops those of a zip.
class NameLocale {
 public:
  explicit NameLocale(bool is_zip)
      : locale_(newlocale(LC_CTYPE_MASK, is_zip ? "C.UTF-8" : "C", nullptr)),
        before_(locale_ ? uselocale(locale_) : nullptr) {}
  ~NameLocale() {
    if (!locale_) return;
    uselocale(before_);
    freelocale(locale_);
  }
  NameLocale(const NameLocale&) = delete;
  NameLocale& operator=(const NameLocale&) = delete;

 private:
  locale_t locale_, before_;
};

ArchiveFacts read_input(const Input& input, const ReadLimits& limits, const MemberSink& sink) {
  const NameLocale locale(is_zip(input));
  const auto rewind = [&] {
    if (input.file >= 0) lseek(input.file, 0, SEEK_SET);
  };
  rewind();
  ArchiveFacts facts = ArchiveReader(input, limits, sink).read();
  rewind();
  facts.commit = facts.format == "zip" ? commit_of_zip(end_of(input, kZipNoteBytes))
                                       : commit_of_tar(start_of(input, kTarNoteBytes));
  return facts;
}

}  // namespace

ArchiveFacts read_archive(int file, const std::string& name, const ReadLimits& limits, const MemberSink& sink) {
  const Input input{file, {}, name};
  return read_input(input, limits, sink);
}

ArchiveFacts read_archive(std::string_view bytes, const std::string& name, const ReadLimits& limits,
                          const MemberSink& sink) {
  const Input input{-1, bytes, name};
  return read_input(input, limits, sink);
}

}  // namespace torchpatch::archive
