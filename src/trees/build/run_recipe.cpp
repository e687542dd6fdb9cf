// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/stat.h>

#include "support/error.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"
#include "trees/build/build.h"

namespace torchpatch::trees {

namespace {

constexpr std::chrono::seconds kCleanUpTime{30};
constexpr std::size_t kLongestLine = 64 << 10;

/// Writes run.sh's output to the log, and shows its messages.
class LogWriter {
 public:
  LogWriter(std::string path, Console& console) : path_(std::move(path)), console_(console) {
    // Links are not followed: root may be writing in another user's directory.
    fd_ = UniqueFd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644));
    struct stat status = {};
    if (!fd_ || ::fstat(fd_.get(), &status) != 0) throw system_error("opening " + quote(path_));
    if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::environment, concat(quote(path_), " is not a regular file"));
    begin_ = static_cast<std::uint64_t>(status.st_size);
  }

  std::uint64_t begin() const { return begin_; }
  const std::string& error() const { return error_; }

  void add(std::string_view part) {
    if (part.empty()) return;
    write_all(fd_.get(), part, path_);
    line_ += part;
    std::size_t start = 0;
    for (std::size_t end = 0; (end = line_.find('\n', start)) != std::string::npos; start = end + 1)
      show(std::string_view(line_).substr(start, end - start));
    line_.erase(0, start);
    if (line_.size() > kLongestLine) line_.clear();
  }

 private:
  void show(std::string_view line) {
    if (const std::optional<CompileStep> step = step_of(line))
      return console_.progress("compiling", step->done, step->total, 0);
    for (const std::string_view script : {"run.sh: ", "build.sh: ", "cross.sh: "}) {
      if (!starts_with(line, script)) continue;
      if (starts_with(line.substr(script.size()), "error: ")) error_ = visible(line);
      console_.progress_done();
      console_.status(visible(line));
    }
  }

  std::string path_;
  Console& console_;
  UniqueFd fd_;
  std::uint64_t begin_ = 0;
  std::string line_;  ///< incomplete line
  std::string error_;
};

}  // namespace

std::optional<CompileStep> step_of(std::string_view line) {
  const std::size_t end = line.find("] ");
  if (!starts_with(line, "[") || end == std::string_view::npos || end > 24) return std::nullopt;
  const std::string_view inside = trim(line.substr(1, end - 1));
  const std::size_t slash = inside.find('/');
  const bool is_make = slash == std::string_view::npos && ends_with(inside, "%");
  const std::optional<std::uint64_t> done = parse_decimal(inside.substr(0, is_make ? inside.size() - 1 : slash));
  const std::optional<std::uint64_t> total =
      is_make ? 100 : parse_decimal(slash == std::string_view::npos ? "" : inside.substr(slash + 1));
  if (!done || !total || *done > *total) return std::nullopt;
  return CompileStep{*done, *total};
}

RecipeRun run_recipe(const std::string& directory, const std::vector<std::string>& words,
                     const std::map<std::string, std::string>& variables, Console& console) {
  const auto at = [&](const char* name) { return concat(directory, "/", name); };
  LogWriter log(at(kLogName), console);
  ProgramRun run;
  run.argv = {"/bin/sh",     "-c",         "exec /bin/sh \"$0\" \"$@\" >&2", concat(at(kRecipeName), "/run.sh"),
              at(kTreeName), at(kWorkName)};
  run.argv.insert(run.argv.end(), words.begin(), words.end());
  run.environment = {variables.begin(), variables.end()};
  run.grace = kCleanUpTime;
  run.watch = [&](std::string_view part) {
    log.add(part);
    return std::string();
  };
  const int exit_code = run_program(run).exit_code;
  console.progress_done();
  return {exit_code, log.error(), log.begin()};
}

}  // namespace torchpatch::trees
