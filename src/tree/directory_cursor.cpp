// SPDX-License-Identifier: BSD-3-Clause
#include "tree/directory_cursor.h"

#include <fcntl.h>

#include <algorithm>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::tree {
namespace {

constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// True where `directory` is `ancestor` or lies below it.
bool is_within(std::string_view directory, std::string_view ancestor) {
  return starts_with(directory, ancestor) && (directory.size() == ancestor.size() || directory[ancestor.size()] == '/');
}

}  // namespace

DirectoryCursor::DirectoryCursor(std::string root)
    : root_(std::move(root)), root_fd_(::open(root_.c_str(), kOpenDirectory)) {
  if (!root_fd_) throw system_error("opening directory " + quote(root_));
}

int DirectoryCursor::enter(std::string_view directory) {
  while (!levels_.empty() && !is_within(directory, levels_.back().path)) levels_.pop_back();
  std::size_t begin = levels_.empty() ? 0 : levels_.back().path.size() + 1;
  while (begin < directory.size()) {
    const std::size_t end = std::min(directory.find('/', begin), directory.size());
    const std::string name(directory.substr(begin, end - begin));
    UniqueFd fd(::openat(current(), name.c_str(), kOpenDirectory | O_NOFOLLOW));
    if (!fd) throw system_error("opening directory " + quote(concat(root_, "/", directory.substr(0, end))));
    levels_.push_back({std::string(directory.substr(0, end)), std::move(fd)});
    begin = end + 1;
  }
  return current();
}

int DirectoryCursor::enter_parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return enter(slash == std::string_view::npos ? std::string_view() : path.substr(0, slash));
}

std::string_view last_component(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace torchpatch::tree
