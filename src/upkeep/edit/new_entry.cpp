// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/edit/new_entry.h"

#include <algorithm>

#include "catalog/data_file.h"
#include "catalog/marked_places.h"
#include "model/text_rules.h"
#include "support/file.h"
#include "support/text.h"
#include "upkeep/certify/certify.h"

namespace torchpatch::upkeep {

extern const std::string_view kNewIssue;  // new_issue.md, as embedded by cmake/embed.cmake

namespace {

std::string mark(std::string_view what) { return concat(catalog::kMarker, ": ", what); }

/// Raises usage unless `id` is an id, and no entry of that kind has it.
void check_new_id(const NewEntry& wanted, const std::string& kind, const std::string& path, bool is_taken) {
  if (!kIdRule.holds(wanted.id))
    throw Error(ErrorKind::usage, concat(quote(wanted.id), " is not ", kIdRule.description));
  if (is_taken) {
    throw Error(ErrorKind::usage, concat("the ", kind, " ", quote(wanted.id), " is there already"),
                concat("choose another id; 'torchpatch show ", kind, " ", wanted.id, "' shows it"));
  }
  if (catalog::is_present(path))
    throw Error(ErrorKind::usage, concat(quote(path), " is there already"), "choose another id, or edit that file");
}

/// What the sources of a skeleton say: keys, and where they come from.
Json note(const std::vector<std::string>& keys, const std::string& source, bool is_verified) {
  return {{"keys", keys}, {"source", source}, {"verified", is_verified}};
}

// An image whose figures are read or marked.

struct Figure {
  const char* name;
  const char* command;  ///< what tells it on the board
};
constexpr Figure kFigures[] = {{"glibc", "what 'ldd --version' says"},
                               {"gcc", "what 'gcc -dumpfullversion' says"},
                               {"cmake", "what 'cmake --version' says"},
                               {"cuda", "what 'nvcc --version' says"},
                               {"cudnn", "what 'dpkg -l libcudnn*' says"}};

struct ImageSkeleton {
  Json image;
  std::vector<std::string> read{}, marked{};  ///< keys below the image: "gcc"
};

void add_figure(ImageSkeleton& skeleton, const std::string& name, const std::string& command, const HostTool& tool) {
  const bool is_read = tool.version || tool.is_missing;
  (is_read ? skeleton.read : skeleton.marked).push_back(name);
  if (tool.version)
    skeleton.image[name] = tool.version->text();
  else if (tool.is_missing)
    skeleton.image[name] = nullptr;
  else
    skeleton.image[name] = mark(command + "; null: it has none; leave it out where you do not know");
}

void add_python(ImageSkeleton& skeleton, const HostTool& tool) {
  const bool is_read = tool.version && tool.version->numbers().size() > 1;
  (is_read ? skeleton.read : skeleton.marked).emplace_back("python");
  skeleton.image["python"] =
      Json::array({is_read ? concat(tool.version->numbers()[0], ".", tool.version->numbers()[1])
                           : mark("major and minor number of 'python3 --version'; the first one is what builds use")});
}

ImageSkeleton make_image(const HostFacts& host) {
  const bool is_id = kIdRule.holds(host.os);
  ImageSkeleton skeleton;
  skeleton.image = {{"id", is_id ? host.os : "system"},
                    {"title", mark("the name of the system, as its maker has it")},
                    {"os", kNameRule.holds(host.os) ? host.os : mark("ID-VERSION_ID of /etc/os-release")}};
  for (const Figure& figure : kFigures) add_figure(skeleton, figure.name, figure.command, host.tool(figure.name));
  add_python(skeleton, host.tool("python"));
  return skeleton;
}

std::vector<std::string> image_keys(const ImageSkeleton& skeleton, const std::vector<std::string>& names) {
  std::vector<std::string> keys;
  const Json& id = skeleton.image.members.front().value;
  for (const std::string& name : names) keys.push_back(concat("images.", id.string, ".", name));
  return keys;
}

/// Puts the image of the host, or a marked one, in place of what the board has, with its sources.
void set_images(Json& board, const HostFacts& host, const std::string& origin, Json& sources) {
  const ImageSkeleton skeleton = make_image(host);
  board["images"] = Json::array({skeleton.image});
  const Json chosen = {{"releases", mark("the releases that this image is taken for by itself, such as >=1.0 <1.11")},
                       {"image", skeleton.image.members.front().value}};
  board["default_images"] = Json::array({chosen});
  if (!skeleton.read.empty()) sources.push_back(note(image_keys(skeleton, skeleton.read), origin, true));
  if (!skeleton.marked.empty())
    sources.push_back(note(image_keys(skeleton, skeleton.marked), mark("where these figures are from"), false));
}

/// Puts in place what concerns the machine beside its images.
void set_machine(Json& board, const HostFacts& host, const std::string& origin, Json& sources) {
  const bool has_arch = kNameRule.holds(host.arch);
  const std::string features = host.cpu_features.empty() ? "" : "; it has " + join(host.cpu_features, " ");
  board["arch"] = has_arch ? host.arch : mark("what 'uname -m' says");
  board["cpu_flags"] = mark("flags of the compiler for its core, such as -mcpu=cortex-a72" + features);
  if (host.memory_mib)
    board["memory_mib"] = *host.memory_mib;
  else
    board["memory_mib"] = mark("memory in MiB, as 'free -m' says");
  sources.push_back(host.memory_mib ? note({"memory_mib"}, origin, true)
                                    : note({"memory_mib"}, mark("where the memory is from"), false));
}

/// What no file of the machine tells: its GPU, and what is not to be had for it.
void set_gpu(Json& board, Json& sources) {
  board["gpu"] = {{"compute_capability", mark("what deviceQuery says; a board without a GPU has no gpu")},
                  {"registers_per_block", mark("what deviceQuery says")}};
  board["lacks"] = Json::array({mark("libraries that are not to be had there: nccl, magma")});
  board["environment"] = {
      {"TORCH_CUDA_ARCH_LIST", mark("the compute capability; without a GPU USE_CUDA and 0 instead")}};
  sources.push_back(note({"gpu"}, mark("where the figures of the GPU are from"), false));
}

// Another board, taken over.

/// Returns the file of a board in the topmost layer that has it.
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

bool is_of_machine(const std::string& key) {
  return key == "memory_mib" || key == "images" || starts_with(key, "images.");
}

/// The notes of another board, none of them verified for this one; `keep` says which keys are taken over.
template <typename Keep>
Json borrowed_notes(const Json& from, const std::string& id, const Keep& keep) {
  Json notes = Json::array();
  const Json* const given = from.find("sources");
  for (std::size_t i = 0; given && i < given->items.size(); ++i) {
    std::vector<std::string> keys;
    const Json* const listed = given->items[i].find("keys");
    for (std::size_t k = 0; listed && k < listed->items.size(); ++k)
      if (keep(listed->items[k].string)) keys.push_back(listed->items[k].string);
    const Json* const source = given->items[i].find("source");
    if (!keys.empty())
      notes.push_back(note(
          keys, concat("taken from the board ", id, ", which has it from: ", source ? source->string : ""), false));
  }
  return notes;
}

Json first_members(const NewBoard& wanted) {
  return {{"schema", 1}, {"id", wanted.entry.id}, {"title", mark("the name of the board, as its maker has it")}};
}

Json like_board(const NewBoard& wanted, const std::string& id) {
  const Json from = board_file(wanted.entry, id);
  Json board = first_members(wanted);
  for (const auto& [name, value] : from.members) {
    if (name == "replaces" || name == "aliases" || name == "citations" || name == "absences" || name == "sources")
      continue;
    if (board.find(name) == nullptr) board[name] = value;
  }
  Json sources = borrowed_notes(from, id, [&](const std::string& key) { return !wanted.host || !is_of_machine(key); });
  if (wanted.host) {
    const std::string origin = concat("read on the machine by torchpatch on ", wanted.today);
    set_machine(board, *wanted.host, origin, sources);
    set_images(board, *wanted.host, origin, sources);
  }
  board["sources"] = sources;
  return board;
}

Json blank_board(const NewBoard& wanted) {
  const HostFacts unknown;
  const HostFacts& host = wanted.host ? *wanted.host : unknown;
  const std::string origin = concat("read on the machine by torchpatch on ", wanted.today);
  Json board = first_members(wanted), sources = Json::array();
  set_machine(board, host, origin, sources);
  set_gpu(board, sources);
  set_images(board, host, origin, sources);
  const Json environment = board["environment"];
  std::erase_if(board.members, [](const JsonMember& member) { return member.name == "environment"; });
  board["environment"] = environment;
  board["sources"] = sources;
  return board;
}

}  // namespace

std::string write_new_board(const NewBoard& wanted) {
  const Catalog catalog = catalog::load_catalog_with_findings(wanted.entry.layers).catalog;
  const std::string path = concat(wanted.entry.directory, "/boards/", wanted.entry.id, ".json");
  const bool is_taken = std::ranges::any_of(catalog.boards, [&](const auto& each) {
    return each.first == wanted.entry.id || std::ranges::count(each.second.aliases, wanted.entry.id) > 0;
  });
  check_new_id(wanted.entry, "board", path, is_taken);
  const Json board = wanted.like.empty() ? blank_board(wanted) : like_board(wanted, catalog.board(wanted.like).id);
  return write_recorded(path, canonical_json(board, path));
}

std::string write_new_issue(const NewEntry& wanted) {
  const Catalog catalog = catalog::load_catalog_with_findings(wanted.layers).catalog;
  const std::string path = concat(wanted.directory, "/known_issues/", wanted.id, ".md");
  check_new_id(wanted, "issue", path, catalog.issues.contains(wanted.id));
  return write_recorded(path, fill_template(kNewIssue, {{"ID", wanted.id}, {"MARK", catalog::kMarker}}));
}

}  // namespace torchpatch::upkeep
