// SPDX-License-Identifier: BSD-3-Clause
#include "source/closure/object_source.h"

#include <memory>
#include <set>

#include "git/object_store.h"
#include "source/store/archive_store.h"
#include "support/error.h"
#include "support/text.h"
#include "support/wire.h"
#include "support/worker_pool.h"

namespace torchpatch::source {

namespace {

std::string read_blob(git::ObjectStore& store, const BlobRequest& request) {
  const std::string action = concat("reading ", request.name, ": blob ", request.id.hex());
  auto object = store.read(request.id, request.store);
  if (!object) throw Error(ErrorKind::source, action + " is in no folder");
  if (object->type != git::ObjectType::blob)
    throw Error(ErrorKind::source, concat(action, " is a ", git::object_type_name(object->type)));
  return std::move(object->bytes);
}

}  // namespace

std::vector<std::string> ObjectSource::bring(const std::vector<WantedCommit>& wanted, Console&) {
  return std::vector<std::string>(wanted.size(), "not in any mirror");
}

void ObjectSource::note_use(int, const ObjectId&) {}

std::string ObjectSource::hint() const {
  return "name a folder that holds them with --mirror, or bring them into one with git";
}

const std::vector<OpenArchive>& ObjectSource::archives() const {
  static const std::vector<OpenArchive> kNone;
  return kNone;
}

std::vector<std::string> read_blobs(const std::vector<BlobRequest>& requests, ObjectSource& source, Console& console) {
  std::vector<std::string> contents(requests.size());
  if (requests.empty()) return contents;
  WorkerJob job;
  job.items = requests.size();
  job.start = [&]() -> WorkerTask {
    const auto store = std::make_shared<git::ObjectStore>(source.object_folders(), git::Indexes::checked);
    return [&, store](std::size_t item) {
      WireWriter writer;
      writer.put(read_blob(*store, requests[item]));
      writer.put(store->warnings());
      return writer.take();
    };
  };
  std::size_t done = 0;
  std::set<std::string> told;
  job.on_result = [&](std::size_t item, std::string_view bytes) {
    WireReader reader(bytes);
    reader.get(contents[item]);
    for (const std::string& line : reader.get<std::vector<std::string>>())
      if (told.insert(line).second) console.warning(line);
    console.progress("reading what the patches touch", ++done, requests.size(), 0);
  };
  job.describe = [&](std::size_t item) { return "reading " + requests[item].name; };
  run_workers(job);
  console.progress_done();
  return contents;
}

}  // namespace torchpatch::source
