// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <set>

#include "catalog/data_file.h"
#include "catalog/load_catalog.h"
#include "model/text_rules.h"
#include "support/find.h"
#include "support/text.h"
#include "upkeep/certify/certify.h"
#include "upkeep/edit/entries.h"

namespace torchpatch::upkeep {

namespace {

/// Returns the opposite bound of a part that bounds both sides: ==1.3.1, or 1.3, a family that ends before 1.4.
std::string other_bound(const std::string& part, Direction direction) {
  const bool is_exact = starts_with(part, "==");
  const std::string version = is_exact ? part.substr(2) : part;
  if (direction == Direction::newer) return ">=" + version;
  const std::optional<Version> family = Version::parse(version);
  if (is_exact || !family || family->is_pre_release()) return "<=" + version;
  std::vector<std::string> numbers = split(version, '.');
  numbers.back() = concat(family->numbers().back() + 1);
  return "<" + join(numbers, ".");
}

/// Returns the range with `bound` instead of its bound in the given direction.
std::string with_bound(const VersionRange& range, const std::string& bound, Direction direction) {
  const bool is_newer = direction == Direction::newer;
  std::vector<std::string> bounds;
  for (const std::string& part : split(range.text(), ' ')) {
    if (part == "*" || starts_with(part, is_newer ? "<" : ">")) continue;
    const bool bounds_both = starts_with(part, "==") || part.find_first_of("<>=") == std::string::npos;
    bounds.push_back(bounds_both ? other_bound(part, direction) : part);
  }
  bounds.insert(is_newer ? bounds.end() : bounds.begin(), bound);
  return join(bounds, " ");
}

/// Returns the start of a range; if it has no lower bound, its end.
std::optional<Version> first_bound(const VersionRange& range) {
  const std::string part = split(range.text(), ' ').front();
  return Version::parse(part.substr(std::min(part.find_first_not_of("<>="), part.size())));
}

Variant& variant_of(Patchset& patchset, const std::string& id) {
  variant_named(patchset, id);  // checks that it exists
  return *std::ranges::find(patchset.variants, id, &Variant::id);
}

/// Adds a copy of a variant with another id and range, in order of releases.
Variant& add_copy(Patchset& patchset, const std::string& from, const std::string& id, const std::string& range) {
  Variant added = variant_named(patchset, from);
  added.id = id;
  added.releases = VersionRange::parse(range).value();
  const std::optional<Version> begin = first_bound(added.releases);
  const auto place = std::ranges::find_if(patchset.variants, [&](const Variant& other) {
    const std::optional<Version> other_begin = first_bound(other.releases);
    return begin && other_begin && *other_begin > *begin;
  });
  return *patchset.variants.insert(place, std::move(added));
}

}  // namespace

std::string patchset_folder(const std::string& directory, const std::string& id) {
  return concat(directory, "/", patchset_path(id));
}

std::string patchset_directory(const std::string& patchset, const std::vector<catalog::Layer>& layers) {
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer)
    if (catalog::is_present(patchset_folder(layer->directory, patchset) + "/patchset.json")) return layer->directory;
  throw Error(ErrorKind::internal, concat("no layer has the patchset ", quote(patchset)));
}

const catalog::Layer* layer_over_patchset(const Catalog& catalog, const std::string& patchset, const Version& release,
                                          const std::vector<catalog::Layer>& layers) {
  const auto layer_of = [&](const std::string& entry) {
    return std::ranges::find(layers, catalog.origins.at(entry).layer, &catalog::Layer::name);
  };
  const auto pins = layer_of(catalog::release_entry(release.text()));
  return pins > layer_of(catalog::patchset_entry(patchset)) ? &*pins : nullptr;
}

const Variant& variant_named(const Patchset& patchset, const std::string& id) {
  const auto found = std::ranges::find(patchset.variants, id, &Variant::id);
  if (found != patchset.variants.end()) return *found;
  throw Error(ErrorKind::usage, concat("patchset ", quote(patchset.id), " has no variant ", quote(id)),
              "it has " + join(collect(patchset.variants, &Variant::id), ", "));
}

std::string unused_variant_id(const Patchset& patchset, std::string wanted) {
  while (std::ranges::count(patchset.variants, wanted, &Variant::id) > 0) wanted += "-port";
  return wanted;
}

std::string widened_range(const VersionRange& range, const Version& release, Direction direction) {
  if (range.contains(release)) return range.text();
  return with_bound(range, (direction == Direction::newer ? "<=" : ">=") + release.text(), direction);
}

std::string ended_range(const VersionRange& range, const Version& release, Direction direction) {
  if (!range.contains(release)) return range.text();
  return with_bound(range, (direction == Direction::newer ? "<" : ">") + release.text(), direction);
}

void end_variant(Patchset& patchset, const std::string& id, const Version& release, Direction direction,
                 const std::string& why, const Catalog& catalog) {
  const bool is_newer = direction == Direction::newer;
  const VersionRange old = variant_named(patchset, id).releases;
  variant_of(patchset, id).releases = VersionRange::parse(ended_range(old, release, direction)).value();
  const bool continues_behind = std::ranges::any_of(catalog.releases, [&](const auto& each) {
    return (is_newer ? each.first > release : each.first < release) && old.contains(each.first);
  });
  if (old.contains(release) && continues_behind) {
    const std::string copy = unused_variant_id(patchset, id);
    add_copy(patchset, id, copy, ended_range(old, release, is_newer ? Direction::older : Direction::newer));
    variant_of(patchset, is_newer ? id : copy).ends.clear();
  }
  if (!why.empty()) variant_of(patchset, id).ends = why;
}

std::string widen_variant(Patchset& patchset, const std::string& id, const Version& release, Direction direction,
                          const Catalog& catalog) {
  Variant& variant = variant_of(patchset, id);
  const VersionRange wider = VersionRange::parse(widened_range(variant.releases, release, direction)).value();
  const bool adds_others = std::ranges::any_of(catalog.releases, [&](const auto& each) {
    return each.first != release && wider.contains(each.first) && !variant.releases.contains(each.first);
  });
  if (!adds_others) {
    variant.releases = wider;
    return id;
  }
  Variant& copy = add_copy(patchset, id, unused_variant_id(patchset, release.text()), "==" + release.text());
  copy.ends.clear();
  return copy.id;
}

void add_variant(Patchset& patchset, const std::string& id, const std::string& from, const Version& release,
                 std::vector<Patch> patches) {
  Variant& added = add_copy(patchset, from, id, "==" + release.text());
  added.ends.clear();
  added.patches = std::move(patches);
}

extern const std::string_view kNewIssue;  // new_issue.md, as embedded by cmake/embed.cmake

namespace {

std::string mark(std::string_view what) { return concat(catalog::kMarker, ": ", what); }

/// Raises usage unless `id` is valid and unused for that kind of entry.
void check_new_id(const NewEntry& wanted, const std::string& kind, const std::string& path, bool is_taken) {
  if (!kIdRule.holds(wanted.id))
    throw Error(ErrorKind::usage, concat(quote(wanted.id), " is not ", kIdRule.description));
  if (is_taken)
    throw Error(ErrorKind::usage, concat("the ", kind, " ", quote(wanted.id), " already exists"),
                concat("choose another id; 'torchpatch show ", kind, " ", wanted.id, "' shows it"));
  const std::string file = concat(wanted.directory, "/", path);
  if (catalog::is_present(file))
    throw Error(ErrorKind::usage, concat(quote(file), " already exists"), "choose another id, or edit that file");
}

/// Returns an entry of "sources": keys and their source.
Json note(const std::vector<std::string>& keys, const std::string& source, bool is_verified) {
  return {{"keys", keys}, {"source", source}, {"verified", is_verified}};
}

/// Replaces the board's images by the host's, with marks for what is unknown, and their sources.
void set_images(Json& board, const HostFacts& host, const std::string& origin, Json& sources) {
  static const std::map<std::string, const char*> kCommands = {{"glibc", "ldd --version"},
                                                               {"gcc", "gcc -dumpfullversion"},
                                                               {"cmake", "cmake --version"},
                                                               {"cuda", "nvcc --version"},
                                                               {"cudnn", "dpkg -l libcudnn*"}};
  const std::string id = kIdRule.holds(host.os) ? host.os : "system";
  Json image = {{"id", id},
                {"title", mark("the name of the system, as its vendor writes it")},
                {"os", kNameRule.holds(host.os) ? host.os : mark("ID-VERSION_ID of /etc/os-release")}};
  std::vector<std::string> read, marked;  // keys
  for (const char* name : {"glibc", "gcc", "cmake", "cuda", "cudnn"}) {
    const HostTool tool = host.tool(name);
    (tool.version || tool.is_missing ? read : marked).push_back(concat("images.", id, ".", name));
    if (tool.version)
      image[name] = tool.version->text();
    else if (tool.is_missing)
      image[name] = nullptr;
    else
      image[name] = mark(concat("what '", kCommands.at(name), "' prints; null if there is none; remove it if unknown"));
  }
  const HostTool python = host.tool("python");
  const bool is_read = python.version && python.version->numbers().size() > 1;
  (is_read ? read : marked).push_back(concat("images.", id, ".python"));
  image["python"] =
      Json::array({is_read ? concat(python.version->numbers()[0], ".", python.version->numbers()[1])
                           : mark("major and minor number of 'python3 --version'; builds use the first one")});
  board["images"] = Json::array({image});
  const Json chosen = {{"releases", mark("the releases for which this image is the default, such as >=1.0 <1.11")},
                       {"image", id}};
  board["default_images"] = Json::array({chosen});
  if (!read.empty()) sources.push_back(note(read, origin, true));
  if (!marked.empty()) sources.push_back(note(marked, mark("source of these figures"), false));
}

/// Sets what concerns the machine except its images.
void set_machine(Json& board, const HostFacts& host, const std::string& origin, Json& sources) {
  const std::string features = host.cpu_features.empty() ? "" : "; it has " + join(host.cpu_features, " ");
  board["arch"] = kNameRule.holds(host.arch) ? host.arch : mark("what 'uname -m' prints");
  board["cpu_flags"] = mark("flags of the compiler for its core, such as -mcpu=cortex-a72" + features);
  if (host.memory_mib)
    board["memory_mib"] = *host.memory_mib;
  else
    board["memory_mib"] = mark("memory in MiB, as 'free -m' prints");
  sources.push_back(host.memory_mib ? note({"memory_mib"}, origin, true)
                                    : note({"memory_mib"}, mark("source of the memory size"), false));
}

/// Marks what cannot be read from the machine: its GPU, and which libraries are not available for it.
void set_gpu(Json& board, Json& sources) {
  board["gpu"] = {{"compute_capability", mark("what deviceQuery prints; remove gpu if no GPU")},
                  {"registers_per_block", mark("what deviceQuery prints")}};
  board["lacks"] = Json::array({mark("libraries that are not available there: nccl, magma")});
  sources.push_back(note({"gpu"}, mark("source of the GPU figures"), false));
}

/// Returns a board's file in the topmost layer that has it.
Json board_file(const NewEntry& wanted, const std::string& id) {
  for (auto layer = wanted.layers.rbegin(); layer != wanted.layers.rend(); ++layer) {
    Findings findings;
    const std::string path = concat(layer->directory, "/boards/", id, ".json");
    const auto file = catalog::is_present(path) ? catalog::read_json_file(path, findings) : std::nullopt;
    findings.raise_if_any("reading the board " + quote(id));
    if (file) return file->json;
  }
  throw Error(ErrorKind::internal, concat("no layer has the board ", quote(id)));
}

/// Returns the notes of another board, all unverified for this one; if a host was read, without those on memory and
/// images.
Json borrowed_notes(const Json& from, const std::string& id, bool has_host) {
  const auto is_of_machine = [](const Json& key) {
    return key.string == "memory_mib" || key.string == "images" || starts_with(key.string, "images.");
  };
  Json notes = Json::array();
  const Json* const given = from.find("sources");
  for (std::size_t i = 0; given && i < given->items.size(); ++i) {
    std::vector<std::string> keys;
    const Json* const listed = given->items[i].find("keys");
    for (std::size_t k = 0; listed && k < listed->items.size(); ++k)
      if (!has_host || !is_of_machine(listed->items[k])) keys.push_back(listed->items[k].string);
    const Json* const source = given->items[i].find("source");
    if (!keys.empty())
      notes.push_back(
          note(keys, concat("copied from the board ", id, ", whose source is: ", source ? source->string : ""), false));
  }
  return notes;
}

}  // namespace

std::string write_new_board(const NewEntry& wanted, const std::string& like, const HostFacts* host,
                            const std::string& today, Console& console) {
  const Catalog catalog = catalog::load_catalog_with_findings(wanted.layers).catalog;
  const std::string path = concat("boards/", wanted.id, ".json");
  const bool is_taken = std::ranges::any_of(catalog.boards, [&](const auto& each) {
    return each.first == wanted.id || std::ranges::count(each.second.aliases, wanted.id) > 0;
  });
  check_new_id(wanted, "board", path, is_taken);
  const std::string origin = concat("read on the machine by torchpatch on ", today);
  Json board = {{"schema", 1}, {"id", wanted.id}, {"title", mark("the name of the board, as its vendor writes it")}};
  Json sources = Json::array();
  if (like.empty()) {
    const HostFacts facts = host ? *host : HostFacts{};
    set_machine(board, facts, origin, sources);
    set_gpu(board, sources);
    set_images(board, facts, origin, sources);
    board["environment"] = {
        {"TORCH_CUDA_ARCH_LIST", mark("the compute capability; without a GPU USE_CUDA and 0 instead")}};
  } else {
    static const std::set<std::string> kOwn = {"replaces", "aliases", "citations", "absences", "sources"};
    const std::string id = catalog.board(like).id;
    const Json from = board_file(wanted, id);
    for (const auto& [name, value] : from.members)
      if (!kOwn.contains(name) && board.find(name) == nullptr) board[name] = value;
    sources = borrowed_notes(from, id, host != nullptr);
    if (host) {
      set_machine(board, *host, origin, sources);
      set_images(board, *host, origin, sources);
    }
  }
  board["sources"] = sources;
  return write_recorded(wanted.directory, {{path, canonical_json(board, path)}}, console).front();
}

std::string write_new_issue(const NewEntry& wanted, Console& console) {
  const Catalog catalog = catalog::load_catalog_with_findings(wanted.layers).catalog;
  const std::string path = concat("known_issues/", wanted.id, ".md");
  check_new_id(wanted, "issue", path, catalog.issues.contains(wanted.id));
  const std::string text = fill_template(kNewIssue, {{"ID", wanted.id}, {"MARK", catalog::kMarker}});
  return write_recorded(wanted.directory, {{path, text}}, console).front();
}

}  // namespace torchpatch::upkeep
