// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "emit/format/json_text.h"
#include "emit/format/model_json.h"
#include "emit/format/text_table.h"
#include "emit/run/reports.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Json = nlohmann::ordered_json;

/// The facts of an image that may be unknown.
std::vector<std::pair<const char*, const std::optional<Version>*>> versions_of(const Image& image) {
  return {{"glibc", &image.glibc},
          {"gcc", &image.gcc},
          {"cmake", &image.cmake},
          {"cuda", &image.cuda},
          {"cudnn", &image.cudnn}};
}

std::vector<std::string> pythons_of(const Image& image) {
  std::vector<std::string> versions;
  for (const Version& version : image.python) versions.push_back(version.text());
  return versions;
}

Json image_json(const Image& image) {
  Json object = {{"id", image.id}, {"title", image.title}, {"os", image.os}};
  if (image.arch) object["arch"] = *image.arch;
  if (image.cpu_flags) object["cpu_flags"] = *image.cpu_flags;
  for (const auto& [name, version] : versions_of(image)) {
    if (*version) object[name] = (*version)->text();
    if (image.known_absent.count(name) > 0) object[name] = nullptr;
  }
  object["python"] = pythons_of(image);
  return object;
}

Json gpu_json(const Gpu& gpu) {
  Json object = {{"compute_capability", gpu.compute_capability.text()}};
  if (gpu.registers_per_block) object["registers_per_block"] = *gpu.registers_per_block;
  return object;
}

std::string board_json(const Board& board) {
  Json root = {{"schema", 1},
               {"id", board.id},
               {"title", board.title},
               {"aliases", board.aliases},
               {"arch", board.arch},
               {"cpu_flags", board.cpu_flags},
               {"memory_mib", board.memory_mib}};
  if (board.gpu) root["gpu"] = gpu_json(*board.gpu);
  root["has"] = board.has;
  root["lacks"] = board.lacks;
  root["images"] = Json::array();
  for (const Image& image : board.images) root["images"].push_back(image_json(image));
  root["default_images"] = Json::array();
  for (const DefaultImage& entry : board.default_images) {
    root["default_images"].push_back({{"releases", entry.releases.text()}, {"image", entry.image}});
  }
  root["environment"] = object_json(board.environment);
  root["build_steps"] = board.build_steps;
  root["sources"] = sources_json(board.sources);
  return report_json(root);
}

std::string gpu_text(const Board& board) {
  if (!board.gpu) return "none";
  const auto& registers = board.gpu->registers_per_block;
  return concat("compute capability ", board.gpu->compute_capability.text(), ", ",
                registers ? std::to_string(*registers) : "unknown", " registers per block");
}

Rows fact_rows(const Board& board) {
  Rows rows = {{"arch", board.arch},
               {"CPU flags", board.cpu_flags},
               {"memory", concat(board.memory_mib, " MiB")},
               {"GPU", gpu_text(board)}};
  if (!board.aliases.empty()) rows.push_back({"aliases", join(board.aliases, " ")});
  if (!board.has.empty()) rows.push_back({"has", join(board.has, " ")});
  if (!board.lacks.empty()) rows.push_back({"lacks", join(board.lacks, " ")});
  return rows;
}

Rows image_rows(const Board& board) {
  Rows rows;
  for (const Image& image : board.images) {
    std::vector<std::string> facts = {image.os, "Python " + join(pythons_of(image), " ")};
    if (image.arch) facts.push_back(*image.arch);
    for (const auto& [name, version] : versions_of(image)) {
      if (*version) facts.push_back(concat(name, " ", (*version)->text()));
      if (image.known_absent.count(name) > 0) facts.push_back(concat("no ", name));
    }
    rows.push_back({image.id, image.title, join(facts, ", ")});
  }
  return rows;
}

std::string board_text(const Board& board) {
  Rows defaults;
  for (const DefaultImage& entry : board.default_images) defaults.push_back({entry.releases.text(), entry.image});
  Rows environment;
  for (const auto& [name, value] : board.environment) environment.push_back({concat(name, "=", shell_quote(value))});
  Rows steps;
  for (const std::string& step : board.build_steps) steps.push_back({step});
  return concat("board ", board.id, ": ", plain_line(board.title), "\n", text_table(fact_rows(board), "  "),
                text_section("images", image_rows(board)), text_section("image by default, for releases", defaults),
                text_section("environment of the build", environment), text_section("before the build", steps),
                text_section("sources", source_rows(board.sources)));
}

}  // namespace

std::string show_board(const Board& board, Format format) {
  return format == Format::json ? board_json(board) : board_text(board);
}

}  // namespace torchpatch::emit
