// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/board_file.h"

#include <algorithm>

#include "catalog/citations.h"
#include "catalog/fields.h"

namespace torchpatch::catalog {

namespace {

/// The figures that need a source.
const std::vector<std::string> kBoardFigures = {"memory_mib",     "gpu.compute_capability", "gpu.registers_per_block",
                                                "images.*.glibc", "images.*.gcc",           "images.*.cmake",
                                                "images.*.cuda",  "images.*.cudnn",         "images.*.python"};

constexpr std::int64_t kMaxMemoryMib = std::int64_t{1} << 30;  // one exbibyte
constexpr std::int64_t kMaxRegisters = std::int64_t{1} << 30;

std::optional<Gpu> read_gpu(ObjectReader& reader) {
  std::optional<Gpu> gpu;
  read_object(reader, "gpu", Presence::optional, [&](ObjectReader& object) {
    gpu.emplace();
    gpu->compute_capability = required_as<Version>(object, "compute_capability");
    gpu->registers_per_block = object.optional_integer("registers_per_block", 1, kMaxRegisters);
  });
  return gpu;
}

/// Reads the version of a part of an image; null says that the image is known to lack it.
std::optional<Version> read_part(ObjectReader& reader, const std::string& key, Image& image) {
  const Json* value = reader.optional_any(key);
  if (value && value->kind == Json::Kind::null) {
    image.known_absent.insert(key);
    return std::nullopt;
  }
  return optional_as<Version>(reader, key);
}

Image read_image(ObjectReader& reader) {
  Image image;
  image.id = required_text(reader, "id", kId);
  image.title = required_text(reader, "title", kLine);
  image.os = required_text(reader, "os", kName);
  if (const std::string arch = optional_text(reader, "arch", kName); !arch.empty()) image.arch = arch;
  if (const std::string flags = optional_text(reader, "cpu_flags", kLine); !flags.empty()) image.cpu_flags = flags;
  image.glibc = read_part(reader, "glibc", image);
  image.gcc = read_part(reader, "gcc", image);
  image.cmake = read_part(reader, "cmake", image);
  image.cuda = read_part(reader, "cuda", image);
  image.cudnn = read_part(reader, "cudnn", image);
  image.python = required_minor_versions(reader, "python");
  return image;
}

void read_images(ObjectReader& reader, Board& board) {
  read_objects(reader, "images", Presence::required, [&](ObjectReader& item) {
    Image image = read_image(item);
    if (!image.id.empty() && board.find_image(image.id) != nullptr)
      item.report("id", concat("image ", quote(image.id), " is there twice"));
    board.images.push_back(std::move(image));
  });
}

std::vector<std::string> image_ids(const Board& board) {
  std::vector<std::string> ids;
  for (const Image& image : board.images) ids.push_back(image.id);
  return ids;
}

void read_default_images(ObjectReader& reader, Board& board) {
  read_objects(reader, "default_images", Presence::required, [&](ObjectReader& item) {
    DefaultImage choice;
    choice.releases = required_as<VersionRange>(item, "releases", VersionRange::parse);
    choice.image = required_text(item, "image", kId);
    if (!choice.image.empty() && board.find_image(choice.image) == nullptr) {
      const std::string hint = did_you_mean(choice.image, image_ids(board));
      item.report("image", concat("no image ", quote(choice.image), hint.empty() ? "" : "; ", hint));
    }
    board.default_images.push_back(std::move(choice));
  });
}

}  // namespace

Entry<Board> read_board(const DataFile& file, const std::string& stem, Findings& findings) {
  ObjectReader reader(file.json, file.path, "", findings);
  Entry<Board> entry;
  reader.require_schema();
  entry.replaces = optional_as<Sha256>(reader, "replaces");
  Board& board = entry.value;
  board.id = required_id(reader, "id", stem);
  board.title = required_text(reader, "title", kLine);
  board.aliases = optional_texts(reader, "aliases", kId);
  board.arch = required_text(reader, "arch", kName);
  board.cpu_flags = required_text(reader, "cpu_flags", kLine);
  board.memory_mib = reader.required_integer("memory_mib", 1, kMaxMemoryMib);
  board.gpu = read_gpu(reader);
  board.has = optional_texts(reader, "has", kName);
  board.lacks = optional_texts(reader, "lacks", kName);
  read_images(reader, board);
  read_default_images(reader, board);
  board.environment = optional_environment(reader, "environment");
  board.build_steps = optional_lines(reader, "build_steps");
  board.sources = read_source_notes(reader);
  board.citations = read_citations(reader);
  reader.finish();
  check_figures(file.json, file.path, board.sources, kBoardFigures, findings);
  return entry;
}

}  // namespace torchpatch::catalog
