// SPDX-License-Identifier: BSD-3-Clause
#include "git/object_store.h"

#include <sys/stat.h>

#include <array>
#include <functional>
#include <list>

#include "git/pack.h"
#include "git/pack_writer.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"
#include "support/worker_pool.h"

namespace torchpatch::git {

namespace {

/// Enough for "commit 268435456" and a NUL.
constexpr std::size_t kMaxHeaderBytes = 32;

std::string loose_path(const std::string& object_folder, const ObjectId& id) {
  return concat(object_folder, "/", id.hex().insert(2, 1, '/'));
}

/// A loose object's header, and the bytes inflated after it.
struct Beginning {
  ObjectType type;
  std::uint64_t size;
  std::string content;
};

std::string action_on(const std::string& name) { return concat("reading the loose object ", quote(name), ": "); }

/// Raises source if it is malformed.
Beginning read_beginning(StreamInflater& inflater) {
  std::array<char, kMaxHeaderBytes> start = {};
  const std::string_view first(start.data(), inflater.read(start.data(), start.size()));
  const std::size_t space = first.find(' ');
  const std::size_t end = first.find('\0');
  inflater.require(end != std::string_view::npos && space < end, "it has no header");
  const auto type = object_type_of(first.substr(0, space));
  const auto size = parse_decimal(first.substr(space + 1, end - space - 1));
  inflater.require(type && size, "its header is malformed");
  return {*type, *size, std::string(first.substr(end + 1))};
}

/// Returns the mapped file of an object, or nothing if there is none.
std::optional<MappedFile> map_loose_object(const std::string& path, const ObjectId& id) {
  const UniqueFd file = open_foreign_file(path);
  if (!file) return std::nullopt;
  const std::size_t size = file_size(file, path);
  // Deflate adds at most a few bytes per block, so a file far over the limit cannot contain an object under it.
  if (size > kMaxObjectBytes + kMaxObjectBytes / 100) throw object_too_large(id, size, path);
  return std::optional<MappedFile>(std::in_place, file, path);
}

/// Limit of open packs. Each maps up to 1 GiB and keeps delta bases; objects are read repository by repository, and a
/// repository rarely has more than a few packs.
constexpr std::size_t kMaxOpenPacks = 3;

/// A folder of objects; its packs are opened when it is first searched.
struct Folder {
  std::string path;
  std::list<Pack> packs;
  bool is_open = false;
};

}  // namespace

Object inflate_loose_object(std::string_view compressed, const ObjectId& id, const std::string& name) {
  StreamInflater inflater(compressed, action_on(name));
  auto [type, size, bytes] = read_beginning(inflater);
  if (size > kMaxObjectBytes) throw object_too_large(id, size, name);
  inflater.require(size <= compressed.size() * kMaxInflation, "its header declares an impossible size");
  const std::size_t there = bytes.size();
  inflater.require(there <= size, "it is longer than its header declares");
  bytes.resize(size);
  inflater.require(inflater.read(bytes.data() + there, size - there) == size - there,
                   "it is shorter than its header declares");
  char byte = 0;
  inflater.require(inflater.read(&byte, 1) == 0, "it is longer than its header declares");
  inflater.require(inflater.consumed() == compressed.size(), "bytes follow its end");
  return {type, std::move(bytes)};
}

bool has_loose_object(const std::string& object_folder, const ObjectId& id) {
  return type_at(loose_path(object_folder, id)) == S_IFREG;
}

std::optional<Object> read_loose_object(const std::string& object_folder, const ObjectId& id) {
  const std::string path = loose_path(object_folder, id);
  const std::optional<MappedFile> file = map_loose_object(path, id);
  if (!file) return std::nullopt;
  return inflate_loose_object(file->bytes(), id, path);
}

std::optional<std::uint64_t> loose_object_size(const std::string& object_folder, const ObjectId& id) {
  const std::string path = loose_path(object_folder, id);
  const std::optional<MappedFile> file = map_loose_object(path, id);
  if (!file) return std::nullopt;
  StreamInflater inflater(file->bytes(), action_on(path));
  return read_beginning(inflater).size;
}

void make_repository_folders(const std::string& repository) {
  for (const char* part : {"/objects/info", "/objects/pack", "/refs/heads", "/refs/tags"})
    make_directories(repository + part);
}

RepositoryWriter::RepositoryWriter(const std::string& path) : path_(path) {
  if (::mkdir(path.c_str(), 0777) != 0) throw system_error("creating repository " + quote(path));
  make_repository_folders(path);
  write_file_atomically(path + "/HEAD", "ref: refs/heads/main\n");
  write_file_atomically(path + "/config", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n");
}

ObjectId RepositoryWriter::write(ObjectType type, std::string_view bytes) const {
  constexpr int kFastest = 1;
  const char* const name = object_type_name(type);
  const ObjectId id = git_object_id(name, bytes);
  const std::string path = loose_path(path_ + "/objects", id);
  if (file_exists(path)) return id;
  std::string stream;
  append_zlib_stream(stream, concat(name, " ", bytes.size(), '\0', bytes), kFastest);
  make_directories(parent_path(path));
  TemporaryFile file(path);
  write_all(file.fd(), stream, path);
  if (::fchmod(file.fd(), 0444) != 0) throw system_error("writing " + quote(path));  // as git does
  file.rename_to(path);
  return id;
}

void RepositoryWriter::set_ref(const std::string& ref, const ObjectId& commit) const {
  const std::string file = concat(path_, "/", ref);
  make_directories(parent_path(file));
  write_file_atomically(file, commit.hex() + "\n");
}

struct ObjectStore::Impl {
  std::vector<Folder> folders;
  std::list<Pack*> open_packs;  ///< least recently used first
  std::vector<std::string> warnings;
  Indexes indexes = Indexes::unchecked;
  bool are_all_packs_checked = false;

  void open(Folder& folder) {
    folder.is_open = true;
    try {
      if (type_at(folder.path + "/pack") == S_IFDIR) open_packs_of(folder);
    } catch (const Error& error) {
      warnings.push_back(error.message());
    }
  }

  void open_packs_of(Folder& folder) {
    const std::string pack_folder = folder.path + "/pack";
    for (const std::string& name : list_directory(pack_folder)) {
      if (!ends_with(name, ".idx")) continue;
      try {
        folder.packs.emplace_back(concat(pack_folder, "/", name));
      } catch (const Error& error) {
        warnings.push_back(error.message());
      }
    }
  }

  /// Calls `visit` with each folder, `near` first, until it returns true; returns that folder's index, or -1.
  int visit_folders(int near, const std::function<bool(Folder&)>& visit) {
    const int count = static_cast<int>(folders.size());
    const auto holds = [&](int index) {
      note_step();
      Folder& folder = folders[static_cast<std::size_t>(index)];
      if (!folder.is_open) open(folder);
      return visit(folder);
    };
    if (near >= 0 && near < count && holds(near)) return near;
    for (int i = 0; i < count; ++i)
      if (i != near && holds(i)) return i;
    // Trust a miss only after verifying that every index is sorted; warnings list those that are not.
    check_all_packs();
    return -1;
  }

  /// Calls `use` with every pack of the folder. A pack that raises is not used again; returns the last such error.
  std::optional<Error> use_packs(Folder& folder, const std::function<void(Pack&)>& use) {
    std::optional<Error> reason;
    for (auto pack = folder.packs.begin(); pack != folder.packs.end();) {
      note_step();
      try {
        use(*pack);
        ++pack;
      } catch (const Error& error) {
        reason = error;
        warnings.push_back(error.message());
        open_packs.remove(&*pack);
        pack = folder.packs.erase(pack);
      }
    }
    return reason;
  }

  void check_all_packs() {
    if (are_all_packs_checked) return;
    are_all_packs_checked = true;
    for (Folder& folder : folders) use_packs(folder, [](Pack& pack) { pack.check(); });
  }

  bool has(Folder& folder, const ObjectId& id) {
    bool is_packed = false;
    use_packs(folder, [&](Pack& pack) { is_packed = is_packed || pack.find(id).has_value(); });
    return is_packed || has_loose_object(folder.path, id);
  }

  /// Returns a good copy from the folder; if there are only bad ones, `damage` is set to the reason.
  std::optional<Object> read(Folder& folder, const ObjectId& id, std::optional<Error>& damage) {
    std::optional<Object> object;
    const std::optional<Error> reason = use_packs(folder, [&](Pack& pack) {
      if (object) return;
      const auto place = pack.find(id);
      if (!place) return;
      if (indexes == Indexes::unchecked) pack.check();
      object = read_copy(folder, id, damage, [&] { return read_packed(pack, *place); });
    });
    if (object) return object;
    if (reason) damage = reason;
    return read_copy(folder, id, damage, [&] { return read_loose_object(folder.path, id); });
  }

  std::optional<Object> read_copy(const Folder& folder, const ObjectId& id, std::optional<Error>& damage,
                                  const std::function<std::optional<Object>()>& unpack) {
    try {
      std::optional<Object> object = unpack();
      if (!object || git_object_id(object_type_name(object->type), object->bytes) == id) return object;
      throw Error(ErrorKind::source, concat("reading object ", id.hex(), " from ", quote(folder.path),
                                            ": the object stored there has a different id"));
    } catch (const Error& error) {
      warnings.push_back(error.message());
      damage = error;
      return std::nullopt;
    }
  }

  /// Returns the size of the folder's copy, or nothing if it has none or a damaged one, which read() will report.
  std::optional<std::uint64_t> size_of(Folder& folder, const ObjectId& id) {
    try {
      for (Pack& pack : folder.packs)
        if (const auto place = pack.find(id)) {
          pack.check();
          return used(pack).size_of(*place);
        }
      return loose_object_size(folder.path, id);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  Object read_packed(Pack& pack, std::uint64_t place) { return used(pack).read(place); }

  /// Marks the pack as most recently used; closes the least recently used one if there are too many.
  Pack& used(Pack& pack) {
    if (!open_packs.empty() && open_packs.back() == &pack) return pack;
    open_packs.remove(&pack);
    open_packs.push_back(&pack);
    if (open_packs.size() > kMaxOpenPacks) {
      open_packs.front()->close();
      open_packs.pop_front();
    }
    return pack;
  }
};

ObjectStore::ObjectStore(const std::vector<std::string>& object_folders, Indexes indexes)
    : impl_(std::make_unique<Impl>()) {
  impl_->indexes = indexes;
  for (const std::string& folder : object_folders) impl_->folders.push_back({folder, {}});
}

ObjectStore::~ObjectStore() = default;

std::optional<Object> ObjectStore::read(const ObjectId& id, int near) {
  std::optional<Object> object;
  std::optional<Error> damage;
  impl_->visit_folders(near, [&](Folder& folder) {
    object = impl_->read(folder, id, damage);
    return object.has_value();
  });
  if (!object && damage) throw *damage;
  return object;
}

int ObjectStore::find(const ObjectId& id, int near) {
  return impl_->visit_folders(near, [&](Folder& folder) { return impl_->has(folder, id); });
}

std::optional<std::uint64_t> ObjectStore::size_of(const ObjectId& id, int near) {
  std::optional<std::uint64_t> size;
  impl_->visit_folders(near, [&](Folder& folder) { return (size = impl_->size_of(folder, id)).has_value(); });
  return size;
}

const std::vector<std::string>& ObjectStore::warnings() const { return impl_->warnings; }

}  // namespace torchpatch::git
