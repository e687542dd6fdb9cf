// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/port/port_request.h"

#include <algorithm>

#include "catalog/data_file.h"
#include "support/file.h"
#include "support/json_fields.h"
#include "support/text.h"
#include "upkeep/port/port_work.h"

namespace torchpatch::upkeep {

std::string port_request_path(const std::string& work) { return work + "/torchpatch-port.json"; }

void write_port_request(const std::string& work, const PortRequest& request) {
  const std::string path = port_request_path(work);
  write_file_atomically(path, canonical_json(to_json(request), path));
}

PortRequest read_port_request(const std::string& work) {
  const std::string path = port_request_path(work);
  if (!catalog::is_present(path))
    throw Error(ErrorKind::environment, concat("no port is under way in ", quote(work)),
                "--work names the directory that port left its conflicts in");
  Findings findings;
  PortRequest request = read_json<PortRequest>(read_file(path), path, findings);
  findings.raise_if_any("reading the state of the port");
  return request;
}

void remove_port(const std::string& work) {
  for (const std::string& name : list_directory(work)) {
    const std::string path = concat(work, "/", name);
    if (is_port_work(path) || is_half_port_work(path)) remove_tree(path);
  }
  remove_tree(port_request_path(work));  // what says that a port is under way goes last
  if (list_directory(work).empty()) remove_tree(work);
}

std::string skip_in_port(const std::string& work) {
  PortRequest request = read_port_request(work);
  std::vector<std::string>& waiting = request.waiting;
  for (const std::string& id : list_directory(work))
    if (is_port_work(concat(work, "/", id)) && std::ranges::count(waiting, id) == 0) waiting.push_back(id);
  if (waiting.empty())
    throw Error(ErrorKind::usage, concat("no patchset is left in ", quote(work)), "go on with --continue");
  const auto is_open = [&](const std::string& each) {
    const std::string path = concat(work, "/", each);
    return !is_port_work(path) || !has_settled_conflict(path);
  };
  auto first = std::ranges::find_if(waiting, is_open);
  if (first == waiting.end()) first = waiting.begin();
  const std::string id = *first;
  request.skipped.push_back(id);
  waiting.erase(first);
  write_port_request(work, request);
  remove_tree(concat(work, "/", id));
  return id;
}

bool abort_port(const std::string& work) {
  const PortRequest request = read_port_request(work);
  remove_port(work);
  return request.has_written;
}

}  // namespace torchpatch::upkeep
