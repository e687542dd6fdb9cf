// SPDX-License-Identifier: BSD-3-Clause
#include "trees/flags/shell_commands.h"

#include "support/file.h"
#include "support/text.h"

namespace torchpatch::trees {

namespace {

// Lists of words, with a blank on either side of each.

/// Commands that build nothing and do not care for the variables of a build.
constexpr std::string_view kHarmless =
    " : [ [[ add-apt-repository apk apt apt-get apt-key awk basename break cat chmod chown command cp curl cut"
    " date df dirname dnf dpkg du echo exit export false find free getconf git grep groups hash head hg id"
    " install ldconfig ln ls lsb_release lscpu mkdir mktemp mount mv nproc nvcc nvidia-smi patch popd printf ps pushd"
    " pwd read readlink realpath return rm rmdir rsync sed shift shopt sleep sort ssh-keyscan sync sysctl"
    " tail tar tee test touch tr trap true type ulimit umask uname uniq unzip update-alternatives wc wget which"
    " whoami yum zypper ";
constexpr std::string_view kBuilders = " bazel cmake cmake3 gmake make ninja ninja-build ";
constexpr std::string_view kTests = " [ [[ command dpkg false grep hash test type which ";
constexpr std::string_view kShells = " ash bash dash sh zsh ";
/// Commands that run a shell somewhere else, which reads its commands from stdin.
constexpr std::string_view kRemoteShells = " chroot docker podman schroot ssh su systemd-nspawn vagrant ";
/// Words in front of a command; of `env` and `sudo` assignments may follow.
constexpr std::string_view kWrappers =
    " builtin ccache env exec ionice nice nohup setarch stdbuf sudo time timeout travis_wait xvfb-run ";

bool is_one(std::string_view word, std::string_view words) {
  return !word.empty() && words.find(concat(" ", word, " ")) != std::string_view::npos;
}

bool is_python(std::string_view program) {
  return program.starts_with("python") || program == "pypy3" || program == "$";  // $PYTHON, "${PYTHON:-python3}"
}

/// Whether a pip installs or packs what lies in a directory, not packages by name.
bool is_pip_build(const ShellCommand& words, std::size_t from) {
  bool builds = false, is_local = false;
  for (std::size_t i = from; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    builds |= text == "install" || text == "wheel";
    is_local |= text == "." || text.starts_with("./") || text.starts_with("../") || text.starts_with(".[") ||
                text == "-e" || text == "--editable" || text == "--no-build-isolation" || text.starts_with("git+") ||
                text.starts_with("--no-binary");
  }
  return builds && is_local;
}

}  // namespace

bool is_harmless_command(std::string_view program) { return is_one(program, kHarmless); }
bool is_test_command(std::string_view program) { return is_one(program, kTests); }
bool is_shell(std::string_view program) { return is_one(program, kShells); }
bool is_remote_shell(std::string_view program) { return is_one(program, kRemoteShells); }
bool is_wrapper(std::string_view program) { return is_one(program, kWrappers); }

bool is_building_command(const ShellCommand& words, std::size_t at) {
  const std::string program = base_name(words[at].text);
  if (is_one(program, kBuilders) || program.ends_with(".sh") || words[at].text.starts_with("./")) return true;
  if (program == "pip" || program == "pip3" || program == "uv") return is_pip_build(words, at + 1);
  const bool is_interpreter = is_python(program) || is_one(program, kShells);
  if (!is_interpreter && !program.ends_with(".py")) return false;
  for (std::size_t i = at; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (text.ends_with(".py") || text.ends_with(".sh")) return true;
    if (text == "-m" && i + 1 < words.size())
      return words[i + 1].text == "build" || (words[i + 1].text == "pip" && is_pip_build(words, i + 2));
    if (i > at && !text.starts_with("-")) return is_one(program, kShells);
  }
  return false;
}

}  // namespace torchpatch::trees
