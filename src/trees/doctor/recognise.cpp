// SPDX-License-Identifier: BSD-3-Clause
#include <fnmatch.h>

#include <algorithm>

#include "support/error.h"
#include "support/file.h"
#include "support/find.h"
#include "support/text.h"
#include "trees/doctor/doctor.h"

namespace torchpatch::trees {

namespace {

using Texts = std::vector<std::string>;

/// Returns "/proc/cpuinfo 'CPU part : 0xd0c'" for the first line that a pattern matches, or empty text.
std::string matching_line(const Evidence& evidence, const std::string& root) {
  for (const std::string& line : lines_of_file(root + evidence.file))
    for (const std::string& pattern : evidence.any)
      if (!line.empty() && ::fnmatch(pattern.c_str(), line.c_str(), 0) == 0)
        return concat(evidence.file, " ", quote(visible(line)));
  return {};
}

/// Returns the matching lines; nothing unless all evidence matches.
Texts matching_lines(const std::vector<Evidence>& evidence, const std::string& root) {
  const auto line_of = [&](const Evidence& each) { return matching_line(each, root); };
  Texts lines = collect(evidence, line_of);
  return std::ranges::count(lines, "") > 0 ? Texts{} : lines;
}

/// Returns the relevant facts for an error message.
std::string what_was_found(const HostFacts& host, const std::string& root) {
  static const std::vector<Evidence> kShown = {{"/proc/device-tree/model", {"*"}},
                                               {"/proc/device-tree/compatible", {"*"}},
                                               {"/etc/nv_tegra_release", {"#*"}},
                                               {"/proc/cpuinfo", {"CPU part*", "model name*"}}};
  Texts found;
  for (const Evidence& each : kShown)
    if (const std::string line = matching_line(each, root); !line.empty()) found.push_back(line);
  found.push_back(concat("system ", host.os.empty() ? "unknown" : host.os, ", ", host.arch));
  return join(found, "; ");
}

Error not_recognised(const std::string& problem, const std::string& board, const std::string& image) {
  return {ErrorKind::environment, problem, concat("name them: --board ", board, " --image ", image)};
}

/// Returns the device and directory mounted at "/" according to a mountinfo (proc(5)); empty if there is none.
std::string root_mount(const std::string& mountinfo) {
  for (const std::string& line : lines_of_file(mountinfo)) {
    const Texts fields = split(line, ' ');
    if (fields.size() > 4 && fields[4] == "/") return concat(fields[2], " ", fields[3]);
  }
  return {};
}

/// Returns the evidence that the files describe another machine, or empty text.
std::string foreign_evidence(const HostFacts& host, const std::string& root) {
  for (const char* file : {"/.dockerenv", "/run/.containerenv", "/run/systemd/container"})
    if (file_exists(root + file)) return concat("this is a container: it has ", file);
  const Evidence groups = {"/proc/1/cgroup", {"*docker*", "*libpod*", "*kubepods*", "*containerd*", "*/lxc*"}};
  if (const std::string line = matching_line(groups, root); !line.empty()) return concat("this is a container: ", line);
  const std::string whole = root_mount(root + "/proc/1/mountinfo");
  const std::string own = root_mount(root + "/proc/self/mountinfo");
  if (!whole.empty() && own != whole)
    return concat("this is a chroot: '/' is ", own.empty() ? "not mounted" : quote(own), ", that of process 1 ",
                  quote(whole));
  const bool is_arm = starts_with(host.arch, "a");  // aarch64, armv7l
  const std::string line = matching_line({"/proc/cpuinfo", {"vendor_id*"}}, root);
  if (is_arm && !line.empty()) return concat("this processor is emulated: ", host.arch, ", but ", line);
  return {};
}

/// A matching board, with the lines that match.
struct Match {
  const Board* board;
  Texts lines;
};

/// Removes boards for which others match the same lines and more. Among boards with the same lines, memory decides: at
/// most the board's, and more than that of the next smaller one.
void keep_best(std::vector<Match>& matches, const HostFacts& host) {
  const std::vector<Match> all = matches;
  std::erase_if(matches, [&](const Match& match) {
    return std::ranges::any_of(all, [&](const Match& other) {
      const auto has = [&](const std::string& line) { return std::ranges::count(other.lines, line) > 0; };
      if (!std::ranges::all_of(match.lines, has)) return false;
      if (other.lines.size() > match.lines.size()) return true;
      const std::int64_t memory = host.memory_mib.value_or(0), mine = match.board->memory_mib;
      const std::int64_t others = other.board->memory_mib;
      return memory > 0 && memory <= others && (mine < memory || others < mine);
    });
  });
}

}  // namespace

Recognised recognise_board(const Catalog& catalog, const HostFacts& host, const std::string& root) {
  if (const std::string evidence = foreign_evidence(host, root); !evidence.empty())
    throw not_recognised("--board auto: " + evidence, "BOARD", "IMAGE");
  std::vector<Match> matches;
  for (const auto& [id, board] : catalog.boards)
    if (Texts lines = matching_lines(board.recognised_by, root); !lines.empty())
      matches.push_back({&board, std::move(lines)});
  keep_best(matches, host);
  const auto reason_of = [](const Match& match) { return join(match.lines, " and "); };
  if (matches.size() == 1) return {matches.front().board->id, reason_of(matches.front())};
  if (matches.empty())
    throw not_recognised("--board auto: found no board of the catalog: " + what_was_found(host, root),
                         "BOARD ('torchpatch list boards')", "IMAGE");
  const auto text_of = [&](const Match& match) { return concat(match.board->id, ", from ", reason_of(match)); };
  throw not_recognised("--board auto: the evidence disagrees: " + join(collect(matches, text_of), "; "),
                       matches.front().board->id, "IMAGE");
}

Recognised recognise_image(const Board& board, const HostFacts& host, const std::string& root) {
  if (const std::string evidence = foreign_evidence(host, root); !evidence.empty())
    throw not_recognised("--image auto: " + evidence, board.id, "IMAGE");
  std::vector<const Image*> fitting;
  std::string elsewhere;  // an image of another system that the evidence matches
  for (const Image& image : board.images) {
    const Texts lines = matching_lines(image.recognised_by, root);
    if (image.arch.value_or(board.arch) != host.arch || (lines.empty() && !image.recognised_by.empty())) continue;
    if (image.os != host.os) {
      if (!lines.empty()) elsewhere = concat("; ", join(lines, ", "), " is ", image.id, ", which has ", image.os);
      continue;
    }
    fitting.push_back(&image);
  }
  const std::string system = concat("system ", host.os.empty() ? "unknown" : host.os, ", ", host.arch);
  if (fitting.size() == 1) {
    Texts reasons = matching_lines(fitting.front()->recognised_by, root);
    reasons.push_back(system);
    return {fitting.front()->id, join(reasons, " and ")};
  }
  if (fitting.empty())
    throw not_recognised(concat("--image auto: board ", quote(board.id), " has no image like this one: ",
                                elsewhere.empty() ? what_was_found(host, root) : system + elsewhere),
                         board.id, concat("IMAGE ('torchpatch show board ", board.id, "')"));
  const auto id_of = [](const Image* image) { return image->id; };
  throw not_recognised(concat("--image auto: cannot distinguish ", join(collect(fitting, id_of), ", "), " by ", system),
                       board.id, fitting.back()->id);
}

}  // namespace torchpatch::trees
