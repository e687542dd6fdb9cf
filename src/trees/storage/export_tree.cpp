// SPDX-License-Identifier: BSD-3-Clause
#include "trees/storage/storage.h"

#include <memory>

#include "model/path_rule.h"
#include "support/error.h"
#include "support/program.h"
#include "support/text.h"
#include "tree/scan.h"

namespace torchpatch::trees {

namespace {

using archive::TarMember;
using tree::EntryType;
using tree::ScannedEntry;

constexpr std::size_t kReadSize = 256 << 10;

std::string prefix_of(const ExportOptions& options) {
  return options.prefix.empty() ? parse_archive_name(options.output).stem : options.prefix;
}

/// Writes the tar to the file, hashed and compressed.
class ArchiveFile {
 public:
  ArchiveFile(const ExportOptions& options, archive::Compression compression)
      : file_(options.output),
        compressor_(archive::make_compressor(
            compression, [this](std::string_view bytes) { file_.write(bytes); }, options.jobs)) {}

  void write(std::string_view bytes) {
    tar_size_ += bytes.size();
    tar_hasher_.update(bytes);
    compressor_->write(bytes);
  }

  /// Completes the archive, renames it, and records sizes and digests.
  void commit(bool replace, ExportReport& report) {
    write(archive::tar_end(tar_size_));
    compressor_->finish();
    report.sha256 = file_.commit(replace);
    report.size = file_.size();
    report.tar_size = tar_size_;
    report.tar_sha256 = tar_hasher_.finish();
  }

  std::uint64_t tar_size() const { return tar_size_; }

 private:
  OutputFile file_;
  std::unique_ptr<archive::Compressor> compressor_;
  Sha256Hasher tar_hasher_;
  std::uint64_t tar_size_ = 0;
};

TarMember member_of(const ScannedEntry& entry, const std::string& prefix) {
  if (!entry.error.empty()) throw Error(ErrorKind::environment, entry.error);
  if (const auto problem = output_path_problem(entry.path))
    throw Error(ErrorKind::unsafe, concat("the path ", *problem));
  TarMember member{prefix + "/" + entry.path};
  switch (entry.type) {
    case EntryType::regular:
      if ((entry.mode & 0100) != 0) member.type = TarMember::Type::executable;
      member.size = entry.size;
      return member;
    case EntryType::link:
      member.type = TarMember::Type::link;
      member.target = entry.link_target;
      return member;
    case EntryType::directory:
      member.type = TarMember::Type::directory;
      return member;
    case EntryType::other:
      break;
  }
  throw Error(ErrorKind::unsafe, "it is neither a file, nor a directory, nor a link");
}

/// Writes an entry of a tree, with exactly the scanned and verified content.
void add_entry(const ScannedTree& tree, const ScannedEntry& entry, const std::string& prefix,
               tree::DirectoryCursor& directories, std::string& buffer, ArchiveFile& archive) try {
  archive.write(archive::tar_header(member_of(entry, prefix), tree.manifest.timestamp));
  if (entry.type != EntryType::regular) return;
  const Error changed(ErrorKind::environment, "it changed between two reads");
  tree::RegularFile file(directories, entry.path);
  if (file.size() != entry.size) throw changed;
  Sha256Hasher hasher;
  for (std::string_view part = file.read(buffer); !part.empty(); part = file.read(buffer)) {
    hasher.update(part);
    archive.write(part);
  }
  if (hasher.finish() != entry.sha256) throw changed;
  archive.write(archive::tar_padding(entry.size));
} catch (Error& error) {
  error.add_context(concat("while exporting ", quote(entry.path)));
  throw;
}

}  // namespace

ArchiveName parse_archive_name(const std::string& path) {
  using archive::Compression;
  const std::string name = base_name(path);
  for (const ArchiveName& known :
       {ArchiveName{Compression::none, "tar", ""}, ArchiveName{Compression::gzip, "tar.gz", ""},
        ArchiveName{Compression::zstd, "tar.zst", ""}}) {
    const std::string ending = "." + known.format;
    if (!ends_with(name, ending) || name.size() == ending.size()) continue;
    return {known.compression, known.format, name.substr(0, name.size() - ending.size())};
  }
  throw Error(ErrorKind::usage, concat(quote(path), " has no known archive extension"),
              "use .tar, .tar.gz or .tar.zst");
}

void check_export(const std::string& root, const ExportOptions& options) {
  const std::string prefix = prefix_of(options);
  auto problem = component_problem(prefix);
  if (!problem) problem = output_path_problem(prefix);
  if (problem) {
    throw Error(ErrorKind::usage, concat("the archive's top directory ", quote(prefix), " ", *problem),
                "choose another one with --prefix");
  }
  const std::string directory = real_path(parent_path(options.output));
  if (directory.empty()) {
    throw Error(ErrorKind::environment,
                concat("writing ", quote(options.output), ": ", quote(parent_path(options.output)), " was not found"),
                "create it first");
  }
  const std::string tree = real_path(root);
  if (!tree.empty() && starts_with(directory + "/", tree + "/")) {
    throw Error(ErrorKind::usage, concat("the archive ", quote(options.output), " would be inside the tree"),
                "write it somewhere else");
  }
  if (is_directory(options.output))
    throw Error(ErrorKind::environment, concat("writing ", quote(options.output), ": it is a directory"));
  if (!options.replace && file_exists(options.output)) {
    throw Error(ErrorKind::environment, concat("writing ", quote(options.output), ": it already exists"),
                "choose another file, or use --replace");
  }
}

ExportReport export_tree(const ScannedTree& tree, const ExportOptions& options, Console& console) {
  const ArchiveName name = parse_archive_name(options.output);
  ExportReport report;
  report.root = tree.root;
  report.output = options.output;
  report.format = name.format;
  report.prefix = prefix_of(options);
  report.manifest = tree.manifest;
  report.manifest_digest = tree.digest;

  ArchiveFile archive(options, name.compression);
  archive.write(archive::tar_header({report.prefix, TarMember::Type::directory}, tree.manifest.timestamp));
  tree::DirectoryCursor directories(tree.root);
  std::string buffer(kReadSize, '\0');
  std::uint64_t done = 0;
  for (const ScannedEntry& entry : tree.scanned) {
    check_interrupted();
    add_entry(tree, entry, report.prefix, directories, buffer, archive);
    ++(entry.type == EntryType::regular ? report.files
       : entry.type == EntryType::link  ? report.links
                                        : report.directories);
    console.progress("writing the archive", ++done, tree.scanned.size(), archive.tar_size());
  }
  console.progress_done();
  archive.commit(options.replace, report);
  return report;
}

}  // namespace torchpatch::trees
