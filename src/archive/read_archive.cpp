// SPDX-License-Identifier: BSD-3-Clause
#include "archive/read_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>

#include "archive/write_archive.h"
#include "model/path_rule.h"
#include "support/error.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::archive {

namespace {

constexpr std::uint64_t kBlockBytes = 512;

constexpr std::size_t kReadBytes = 256 << 10;
/// libarchive decodes up to 25 layers of compression; a normal archive has one, and "none" is counted as the last.
constexpr int kMaxFilters = 2;

struct FreeReader {
  void operator()(::archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<::archive, FreeReader>;

/// Returns libarchive's reason for the last failure, which may quote names from the archive.
std::string reason_of(::archive* reader) {
  const char* text = archive_error_string(reader);
  return text ? printable(text) : "libarchive gives no reason";
}

Reader new_reader(const Input& input) {
  Reader reader(archive_read_new());
  if (!reader) input.fail("out of memory");
  // One by one: archive_read_support_filter_all() would run programs for formats it cannot decompress itself.
  for (const auto support : {archive_read_support_filter_gzip, archive_read_support_filter_xz,
                             archive_read_support_filter_bzip2, archive_read_support_filter_zstd})
    if (support(reader.get()) != ARCHIVE_OK) input.fail(reason_of(reader.get()));
  return reader;
}

void open(const Input& input, ::archive* reader) {
  if (input.file >= 0) lseek(input.file, 0, SEEK_SET);
  const int code = input.file >= 0 ? archive_read_open_fd(reader, input.file, kReadBytes)
                                   : archive_read_open_memory(reader, input.bytes.data(), input.bytes.size());
  if (code != ARCHIVE_OK) input.fail(concat("it is neither a tar nor a zip (", reason_of(reader), ")"));
  if (archive_filter_count(reader) > kMaxFilters) input.refuse("it is compressed more than once");
}

std::string format_name(::archive* reader) {
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

/// Returns a member's path or target in the form that the rule expects.
std::string plain_path(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  while (starts_with(path, "./")) path.remove_prefix(2);
  return std::string(path);
}

class TarReader {
 public:
  TarReader(const Input& input, const ReadLimits& limits, const MemberSink& sink)
      : input_(input), tally_(input, limits), sink_(sink), reader_(new_reader(input)), buffer_(kReadBytes, '\0') {
    archive_read_support_format_tar(reader_.get());
    open(input_, reader_.get());
  }

  std::string read() {
    for (;;) {
      archive_entry* entry = nullptr;
      const int code = archive_read_next_header(reader_.get(), &entry);
      if (code == ARCHIVE_EOF) break;
      // Warnings are about irrelevant things, such as a name's character set.
      if (code != ARCHIVE_OK && code != ARCHIVE_WARN) input_.fail(reason_of(reader_.get()));
      take(entry);
    }
    if (!has_files_) input_.fail("it has no files");
    return format_name(reader_.get());
  }

 private:
  void take(archive_entry* entry) {
    const char* name = archive_entry_pathname(entry);
    if (!name) name = archive_entry_pathname_utf8(entry);
    if (!name) input_.refuse("a member has no name");
    const std::string path = plain_path(name);
    tally_.add_member(path, bytes_read());
    if (path == ".") return;
    input_.check_path(path, "the member ");
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
        input_.refuse(concat("the member ", quote(path), " is neither a file, a directory nor a link"));
    }
  }

  /// With two members of one path, the result would depend on their order.
  void remember(const std::string& path, MemberType type) {
    has_files_ = has_files_ || type != MemberType::directory;
    const auto [place, is_new] = seen_.try_emplace(path, type);
    if (is_new || (type == MemberType::directory && place->second == type)) return;
    input_.refuse(concat("the member ", quote(path), " occurs twice"));
  }

  std::string content(archive_entry* entry, const std::string& path) {
    if (archive_entry_size_is_set(entry)) {
      const auto size = archive_entry_size(entry);
      if (size < 0) input_.fail(concat("the member ", quote(path), " has a negative size"));
      tally_.check_size(path, static_cast<std::uint64_t>(size));
    }
    std::string bytes;
    for (;;) {
      const la_ssize_t size = archive_read_data(reader_.get(), buffer_.data(), buffer_.size());
      if (size == 0) break;
      if (size < 0) input_.fail(concat("the member ", quote(path), ": ", reason_of(reader_.get())));
      note_step();
      tally_.add_bytes(static_cast<std::uint64_t>(size), bytes_read());
      bytes.append(buffer_, 0, static_cast<std::size_t>(size));
      tally_.check_size(path, bytes.size());
    }
    if (archive_entry_size_is_set(entry) && bytes.size() != static_cast<std::uint64_t>(archive_entry_size(entry)))
      input_.fail(concat("the member ", quote(path), " is shorter than its header declares"));
    return bytes;
  }

  std::string target(const char* text, const std::string& path) const {
    std::string earlier = plain_path(text);
    input_.check_path(earlier, concat("the member ", quote(path), " is a hard link, and its target "));
    const auto found = seen_.find(earlier);
    if (found == seen_.end() || (found->second != MemberType::file && found->second != MemberType::executable)) {
      input_.refuse(concat("the member ", quote(path), " is a hard link to ", quote(earlier),
                           ", which is not an earlier file of the archive"));
    }
    return earlier;
  }

  std::uint64_t bytes_read() const {
    return static_cast<std::uint64_t>(std::max<la_int64_t>(archive_filter_bytes(reader_.get(), -1), 0));
  }

  const Input& input_;
  Tally tally_;
  const MemberSink& sink_;
  Reader reader_;
  std::string buffer_;
  std::map<std::string, MemberType> seen_;
  bool has_files_ = false;
};

/// Returns the first `size` decompressed bytes of the input.
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

}  // namespace

std::uint64_t Input::size() const {
  struct stat status {};
  if (file < 0) return bytes.size();
  if (fstat(file, &status) != 0) fail("its size is unknown");
  return static_cast<std::uint64_t>(status.st_size);
}

std::string Input::read(std::uint64_t at, std::uint64_t size) const {
  if (const std::uint64_t end = this->size(); at > end || size > end - at) fail("it is truncated");
  if (file < 0) return std::string(bytes.substr(at, size));
  std::string out(size, '\0');
  for (std::uint64_t done = 0; done < size;) {
    const std::uint64_t piece = std::min(size - done, ByteSteps::kBytes);
    const ssize_t got = pread(file, out.data() + done, piece, static_cast<off_t>(at + done));
    if (got <= 0) fail("reading it to the end failed");
    done += static_cast<std::uint64_t>(got);
    note_step();
  }
  return out;
}

void Input::fail(const std::string& reason) const {
  throw Error(ErrorKind::source, concat("reading the archive ", quote(name), ": ", reason));
}

void Input::refuse(const std::string& reason, std::string hint) const {
  throw Error(ErrorKind::unsafe, concat("reading the archive ", quote(name), ": ", reason), std::move(hint));
}

void Input::check_path(const std::string& path, const std::string& what) const {
  const auto problem = output_path_problem(path);
  if (!problem) return;
  const bool is_clone = problem->find(".git") != std::string::npos;
  refuse(concat(what, quote(path), " ", *problem), is_clone ? "make the archive with 'git archive'" : "");
}

void Tally::add_member(std::string_view path, std::uint64_t read) {
  if (++members_ > limits_.members) input_.refuse(concat("it has more than ", limits_.members, " members"));
  path_bytes_ += path.size();
  if (path_bytes_ > limits_.path_bytes)
    input_.refuse(concat("its paths have more than ", limits_.path_bytes, " bytes"));
  add_bytes(kBlockBytes, read);
}

void Tally::check_size(const std::string& path, std::uint64_t size) const {
  if (size > limits_.member_bytes)
    input_.refuse(concat("the member ", quote(path), " is larger than ", limits_.member_bytes >> 20, " MiB"));
}

void Tally::add_bytes(std::uint64_t bytes, std::uint64_t read) {
  total_bytes_ += bytes;
  if (total_bytes_ > limits_.total_bytes)
    input_.refuse(concat("it contains more than ", limits_.total_bytes >> 30, " GiB"));
  if (total_bytes_ >= limits_.ratio_from && total_bytes_ / limits_.ratio >= std::max<std::uint64_t>(read, 1))
    input_.refuse(concat("it expands to more than ", limits_.ratio, " times its size"));
}

ArchiveFacts read_archive(const Input& input, const ReadLimits& limits, const MemberSink& sink) {
  const std::string start = input.read(0, std::min<std::uint64_t>(input.size(), kZipHeader.size()));
  if (start == kZipHeader || start == kZipEnd) return read_zip(input, limits, sink);
  const std::string format = TarReader(input, limits, sink).read();
  return {format, commit_of_tar(start_of(input, kTarNoteBytes))};
}

}  // namespace torchpatch::archive
