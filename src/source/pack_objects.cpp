// SPDX-License-Identifier: BSD-3-Clause
#include "source/pack_objects.h"

#include <map>
#include <memory>
#include <optional>

#include "git/object_store.h"
#include "source/wire.h"
#include "support/error.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::source {

namespace {

/// Objects that a worker answers with at a time: few, so that an answer stays small (worker_message.h).
constexpr std::size_t kChunk = 64;

/// Some objects of one request.
struct Chunk {
  std::size_t request = 0, first = 0, end = 0;
};

std::vector<Chunk> cut(const std::vector<PackRequest>& requests) {
  std::vector<Chunk> chunks;
  for (std::size_t request = 0; request < requests.size(); ++request) {
    const std::size_t count = requests[request].objects.size();
    for (std::size_t first = 0; first < count; first += kChunk) {
      chunks.push_back({request, first, std::min(first + kChunk, count)});
    }
  }
  return chunks;
}

std::string read_entries(git::ObjectStore& store, const PackRequest& request, const Chunk& chunk) {
  WireWriter writer;
  for (std::size_t i = chunk.first; i < chunk.end; ++i) {
    const ObjectId& id = request.objects[i];
    const auto object = store.read(id, request.near);
    if (!object) {
      throw Error(ErrorKind::source, concat("packing ", request.name, ": object ", id.hex(), " is in no folder"));
    }
    writer.text(git::pack_entry(*object));
  }
  return writer.take();
}

/// Takes answers in any order, and writes them in that of the chunks.
class Packer {
 public:
  Packer(const std::vector<PackRequest>& requests, const std::vector<Chunk>& chunks,
         const std::function<git::PackWriter::Sink(std::size_t)>& open,
         const std::function<void(std::size_t, git::WrittenPack)>& close, Console& console)
      : requests_(requests), chunks_(chunks), open_(open), close_(close), console_(console) {
    for (const PackRequest& request : requests) total_ += request.objects.size();
  }

  void take(std::size_t item, std::string_view answer) {
    waiting_.emplace(item, answer);
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; first = waiting_.begin()) {
      write(chunks_[next_++], first->second);
      waiting_.erase(first);
    }
  }

 private:
  void write(const Chunk& chunk, const std::string& answer) {
    const PackRequest& request = requests_[chunk.request];
    if (chunk.first == 0) writer_.emplace(static_cast<std::uint32_t>(request.objects.size()), open_(chunk.request));
    WireReader reader(answer);
    for (std::size_t i = chunk.first; i < chunk.end; ++i) {
      const std::string entry = reader.text();
      writer_->add(request.objects[i], entry);
      bytes_ += entry.size();
    }
    reader.finish();
    done_ += chunk.end - chunk.first;
    console_.progress("packing objects", done_, total_, bytes_);
    if (chunk.end == request.objects.size()) {
      close_(chunk.request, writer_->finish());
      writer_.reset();
    }
  }

  const std::vector<PackRequest>& requests_;
  const std::vector<Chunk>& chunks_;
  const std::function<git::PackWriter::Sink(std::size_t)>& open_;
  const std::function<void(std::size_t, git::WrittenPack)>& close_;
  Console& console_;
  std::map<std::size_t, std::string> waiting_;
  std::optional<git::PackWriter> writer_;
  std::size_t next_ = 0;
  std::uint64_t done_ = 0, total_ = 0, bytes_ = 0;
};

}  // namespace

void pack_objects(const std::vector<PackRequest>& requests, const std::vector<std::string>& object_folders, int jobs,
                  const std::function<git::PackWriter::Sink(std::size_t request)>& open,
                  const std::function<void(std::size_t request, git::WrittenPack pack)>& close, Console& console) {
  const std::vector<Chunk> chunks = cut(requests);
  Packer packer(requests, chunks, open, close, console);
  WorkerJob job;
  job.items = chunks.size();
  job.workers = jobs;
  job.start = [&]() -> WorkerTask {
    const auto store = std::make_shared<git::ObjectStore>(object_folders);
    return [&, store](std::size_t item) { return read_entries(*store, requests[chunks[item].request], chunks[item]); };
  };
  job.on_result = [&](std::size_t item, std::string_view answer) { packer.take(item, answer); };
  job.describe = [&](std::size_t item) { return "packing objects of " + requests[chunks[item].request].name; };
  run_workers(job);
  console.progress_done();
}

}  // namespace torchpatch::source
