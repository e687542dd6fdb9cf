// SPDX-License-Identifier: BSD-3-Clause
#include "sample/base_projects.h"

#include "support/text.h"

namespace torchpatch::sample {

namespace {

/// 2019-04-30, noon. Torch's commit is the newest.
constexpr std::int64_t kTorchTime = 1556625600;
constexpr std::int64_t kDay = 86400;

void add_file(Project& project, const std::string& path, const std::string& content,
              FileMode mode = FileMode::regular) {
  project.files[path] = {mode, content, {}, {}};
}

Project make_project(const std::string& title, std::int64_t time) {
  Project project;
  project.title = title;
  project.time = time;
  add_file(project, "README.md",
           concat("# A stand-in for ", title,
                  "\n\ntorchpatch wrote this repository itself, to show its work where upstream's is not at hand. The "
                  "lines that\npatches expect stand where upstream has them; everything else is filler. It cannot be "
                  "built.\n"));
  return project;
}

std::string every_byte() {
  std::string bytes;
  for (int value = 0; value < 256; ++value) bytes += static_cast<char>(value);
  return bytes;
}

/// One of each kind of file that a tree can hold, and names that sort or print oddly.
void add_kinds_of_files(Project& project) {
  add_file(project, "stand_in/run.sh", "#!/bin/sh\necho 'This is a stand-in; there is nothing to run.'\n",
           FileMode::executable);
  add_file(project, "stand_in/latest", "run.sh", FileMode::link);
  add_file(project, "stand_in/up/readme", "../../README.md", FileMode::link);
  add_file(project, "stand_in/empty", "");
  add_file(project, "stand_in/no_newline.txt", "The last line of this file has no newline.");
  add_file(project, "stand_in/every_byte.bin", every_byte());
  add_file(project, "stand_in/up.txt",
           "This file's name sorts before 'up/readme', and the name of its directory after it.\n");
  add_file(project, "stand_in/na\xc3\xafve name.txt",
           "The name of this file has a space and a letter outside of ASCII.\n");
  // Attributes have no say: what is written is the blob, with LF.
  add_file(project, ".gitattributes", "*.bat text eol=crlf\n");
  add_file(project, "stand_in/lines.bat", "rem The lines of this file end with LF.\n");
}

void add_submodule(Project& project, const std::string& path, const std::string& url, const std::string& name) {
  project.submodules.push_back({path, url, name});
}

Projects make_submodules() {
  Projects projects;
  for (const char* name : {"clang-cindex-python3", "googletest", "onnx", "protobuf", "pybind11"}) {
    projects[name] = make_submodule_project(name);
  }
  add_submodule(projects["onnx"], "third_party/pybind11", stand_in_url("pybind/pybind11"), "pybind11");
  add_submodule(projects["protobuf"], "third_party/googletest", stand_in_url("google/googletest"), "googletest");
  add_submodule(projects["pybind11"], "tools/clang", "../../wjakob/clang-cindex-python3", "clang-cindex-python3");
  return projects;
}

}  // namespace

std::string stand_in_url(const std::string& repository) {
  return concat("https://stand-in.invalid/", repository, ".git");
}

Project make_submodule_project(const std::string& name) { return make_project(name, kTorchTime - 30 * kDay); }

Projects make_base_projects(const Release& release) {
  Projects projects = make_submodules();
  for (const auto& [component, pin] : release.components) {
    const std::string name = component_name(component);
    const std::int64_t age = component == Component::torch ? 0 : kDay;
    projects[name] = make_project(concat(name, " ", pin.version), kTorchTime - age);
    projects[name].tag = pin.tag;
  }
  Project& torch = projects["torch"];
  add_kinds_of_files(torch);
  add_submodule(torch, "third_party/onnx", stand_in_url("onnx/onnx"), "onnx");
  add_submodule(torch, "third_party/protobuf", stand_in_url("google/protobuf"), "protobuf");
  add_submodule(torch, "third_party/pybind11", stand_in_url("pybind/pybind11"), "pybind11");
  return projects;
}

}  // namespace torchpatch::sample
