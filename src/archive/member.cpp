// SPDX-License-Identifier: BSD-3-Clause
#include "archive/member.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "model/path_rule.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::archive {

namespace {

constexpr std::uint64_t kBlockBytes = 512;

}  // namespace

std::uint64_t Input::size() const {
  struct stat status {};
  if (file < 0) return bytes.size();
  if (fstat(file, &status) != 0) fail("its size is not known");
  return static_cast<std::uint64_t>(status.st_size);
}

std::string Input::read(std::uint64_t at, std::uint64_t size) const {
  if (const std::uint64_t end = this->size(); at > end || size > end - at) fail("it is cut short");
  if (file < 0) return std::string(bytes.substr(at, size));
  std::string out(size, '\0');
  for (std::uint64_t done = 0; done < size;) {
    const ssize_t got = pread(file, out.data() + done, size - done, static_cast<off_t>(at + done));
    if (got <= 0) fail("it cannot be read to its end");
    done += static_cast<std::uint64_t>(got);
  }
  return out;
}

void Input::fail(const std::string& reason) const {
  throw Error(ErrorKind::source, concat("reading the archive ", quote(name), ": ", reason));
}

void Input::refuse(const std::string& reason, std::string hint) const {
  throw Error(ErrorKind::unsafe, concat("reading the archive ", quote(name), ": ", reason), std::move(hint));
}

void Input::check_path(const std::string& path, const std::string& what) const {
  const auto problem = output_path_problem(path);
  if (!problem) return;
  const bool is_clone = problem->find(".git") != std::string::npos;
  refuse(concat(what, quote(path), " ", *problem), is_clone ? "make the archive with 'git archive'" : "");
}

void Tally::add_member(std::string_view path, std::uint64_t read) {
  if (++members_ > limits_.members) input_.refuse(concat("it has more than ", limits_.members, " members"));
  path_bytes_ += path.size();
  if (path_bytes_ > limits_.path_bytes)
    input_.refuse(concat("its paths have more than ", limits_.path_bytes, " bytes"));
  add_bytes(kBlockBytes, read);
}

void Tally::check_size(const std::string& path, std::uint64_t size) const {
  if (size > limits_.member_bytes)
    input_.refuse(concat("the member ", quote(path), " is larger than ", limits_.member_bytes >> 20, " MiB"));
}

void Tally::add_bytes(std::uint64_t bytes, std::uint64_t read) {
  total_bytes_ += bytes;
  if (total_bytes_ > limits_.total_bytes)
    input_.refuse(concat("it holds more than ", limits_.total_bytes >> 30, " GiB"));
  if (total_bytes_ >= limits_.ratio_from && total_bytes_ / limits_.ratio >= std::max<std::uint64_t>(read, 1))
    input_.refuse(concat("it expands to more than ", limits_.ratio, " times its size"));
}

}  // namespace torchpatch::archive
