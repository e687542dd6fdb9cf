// SPDX-License-Identifier: BSD-3-Clause
#include "tree/scan.h"

#include <memory>

#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"
#include "tree/directory_cursor.h"
#include "tree/listing.h"
#include "tree/packing.h"
#include "tree/regular_file.h"

namespace torchpatch::tree {
namespace {

/// A work item is a run of neighbouring files, of at most so many files and, but for a single larger file, bytes.
constexpr std::size_t kFilesPerItem = 64;
constexpr std::uint64_t kBytesPerItem = 8ull << 20;
constexpr std::size_t kReadSize = 256 << 10;

using Item = std::vector<std::size_t>;

std::vector<Item> make_items(const std::vector<ScannedEntry>& entries) {
  std::vector<Item> items;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].type != EntryType::regular || !entries[i].error.empty()) continue;
    if (items.empty() || items.back().size() == kFilesPerItem || bytes + entries[i].size > kBytesPerItem) {
      items.emplace_back();
      bytes = 0;
    }
    items.back().push_back(i);
    bytes += entries[i].size;
  }
  return items;
}

/// Hashes files of one tree; the work of one worker process.
class FileScanner {
 public:
  explicit FileScanner(const std::string& root) : directories_(root), buffer_(kReadSize, '\0') {}

  /// Appends size, both digests and the error text of one file to `message`.
  void scan(const std::string& path, std::string& message) {
    std::uint64_t size = 0;
    FileHasher::Result digests;
    std::string problem;
    try {
      RegularFile file(directories_, path);
      size = file.size();
      digests = hash(file);
    } catch (const Error& error) {
      problem = error.message();
    }
    pack_number(message, size);
    pack_digest(message, digests.blob);
    pack_digest(message, digests.sha256);
    pack_text(message, problem);
  }

 private:
  FileHasher::Result hash(RegularFile& file) {
    FileHasher hasher(file.size());
    for (std::string_view part = file.read(buffer_); !part.empty(); part = file.read(buffer_)) hasher.update(part);
    return hasher.finish();
  }

  DirectoryCursor directories_;
  std::string buffer_;
};

/// No foreign library runs here: only a device that hangs can stall a worker, and one file may be large.
WorkerLimits scan_limits() {
  WorkerLimits limits;
  limits.cpu = std::chrono::hours(1);
  limits.stall = std::chrono::minutes(10);
  return limits;
}

void unpack(Unpacker& message, ScannedEntry& entry) {
  entry.size = message.number();
  entry.blob = message.digest<ObjectId>();
  entry.sha256 = message.digest<Sha256>();
  entry.error = message.text();
}

}  // namespace

std::vector<ScannedEntry> scan_tree(const std::string& root, int jobs, Console& console) {
  std::vector<ScannedEntry> entries = list_tree(root);
  const std::vector<Item> items = make_items(entries);
  std::uint64_t total = 0;
  for (const Item& item : items) total += item.size();
  std::uint64_t done = 0;
  std::uint64_t bytes = 0;

  WorkerJob job;
  job.items = items.size();
  job.workers = jobs;
  job.limits = scan_limits();
  job.start = [&]() -> WorkerTask {
    auto scanner = std::make_shared<FileScanner>(root);
    return [&, scanner](std::size_t item) {
      std::string message;
      for (const std::size_t index : items[item]) scanner->scan(entries[index].path, message);
      return message;
    };
  };
  job.on_result = [&](std::size_t item, std::string_view result) {
    Unpacker message(result);
    for (const std::size_t index : items[item]) {
      unpack(message, entries[index]);
      bytes += entries[index].size;
      ++done;
    }
    console.progress("hashing files", done, total, bytes);
  };
  job.describe = [&](std::size_t item) { return "hashing " + quote(entries[items[item].front()].path); };
  run_workers(job);
  console.progress_done();
  return entries;
}

}  // namespace torchpatch::tree
