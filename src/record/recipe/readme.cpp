// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "model/board.h"
#include "record/recipe/parts.h"
#include "record/tree_scripts.h"
#include "support/text.h"

namespace torchpatch::record {

namespace {

/// The commands that install the wheels, with the Python that they are for.
std::string install_commands(const Parts& parts) {
  const bool is_own = parts.packages != nullptr && parts.packages->python == parts.manifest.python;
  std::string imports = "import torch";
  if (parts.has(Component::vision)) imports += ", torchvision";
  if (parts.has(Component::audio)) imports += ", torchaudio";
  const std::string& image = parts.manifest.image;
  const std::optional<Version> pynq = Version::parse(starts_with(image, "pynq-") ? image.substr(5) : "");
  const std::string python = is_own || parts.manifest.python == "none" ? "python3" : "python" + parts.manifest.python;
  std::string as_root = "sudo ", enter, note;
  if (pynq && *pynq >= *Version::parse("2.7")) {
    as_root = "sudo -s\n";
    enter = "\n. /etc/profile.d/pynq_venv.sh";
    note = "`pynq_venv.sh` enters PYNQ's virtual environment.\n";
  } else if (is_own && is_managed_python(std::string(parts.packages->os))) {
    enter = " python3-venv\npython3 -m venv --system-site-packages ~/torch\n. ~/torch/bin/activate";
    note = "pip installs only into virtual environments there (`externally-managed-environment`).\n";
  }
  return concat("```sh\n", as_root, "apt-get install ", join(runtime_packages(parts), " "), enter, "\n", python,
                " -m pip install --no-deps dist/*.whl\n(cd / && ", python, " -c '", imports,
                "; print(torch.ones(2) + 1)')\n```\n\n", note);
}

/// What comes out, and how it gets onto the board.
std::string result_text(const Parts& parts) {
  const std::string image = concat("torchpatch-", parts.manifest.release, "-", parts.manifest.board);
  if (parts.from.kind == RecipeKind::container) {
    return concat(
        "The image is named `", image,
        "`; an image of another stage has the stage's name appended. The wheels are in the stage `dev`, which "
        "`--stage dev` builds. To copy them to `./dist`, with podman likewise:\n\n```sh\ndocker run --rm "
        "--volume \"$PWD:/out\" ",
        image, "-dev cp -r /tree/dist /out/\n```\n\n");
  }
  const bool has_zynq = std::ranges::any_of(parts.manifest.added_files,
                                            [](const ManifestAddedFile& each) { return each.path == "zynq/setup.py"; });
  return concat("The wheels and logs are in `WORK/dist`. On the board, with Python ", parts.manifest.python, ":\n\n",
                install_commands(parts),
                has_zynq
                    ? "The wheel `torch_zynq` is the back end for the programmable logic, installed with the others; "
                      "`import torch_zynq` loads it (test: step 4 of docs/guides/zynq-pynq.md).\n"
                    : "",
                "\n");
}

std::string host_text(const Parts& parts) {
  const std::map<std::string, std::string>& host = parts.manifest.host;
  if (host.empty() || parts.from.kind != RecipeKind::native) return {};
  return concat("* Planned for ", host.at("board"), " with ", host.at("image"), " and Python ", parts.manifest.python,
                ", with its headers, NumPy and PyYAML; if `python3` is another, set `PYTHON=python",
                parts.manifest.python, "`.\n");
}

std::string cmake_text(const Parts& parts) {
  const std::string cmake = newer_cmake(parts);
  if (cmake.empty()) return {};
  const bool is_native = parts.from.kind == RecipeKind::native;
  return concat("* The system's CMake is too old for this release: ", is_native ? "install `" : "pip installs `", cmake,
                is_native ? "` with pip (`--check` prints the command).\n" : "`.\n");
}

std::string cuda_text(const Parts& parts) {
  if (!parts.cuda) return {};
  return concat("* CUDA ", parts.cuda->version, " is Debian's (`--cuda ", parts.cuda->name,
                "`), not JetPack's: without cuDNN, and ", "for a driver that supports CUDA ", parts.cuda->version,
                ".\n");
}

}  // namespace

std::string readme(const Parts& parts) {
  const RecipeKind kind = parts.from.kind;
  const std::map<std::string, std::string> texts = sections_of(kKindTexts);
  const auto text = [&](const char* part) { return texts.at(concat(name_of(kind), " ", part)); };
  const bool needs_root = kind == RecipeKind::chroot || kind == RecipeKind::sysroot;
  const bool has_tree = parts.from.manifest_digest.has_value();
  const bool stands_in = parts.manifest.target.count("os") == 0 || parts.manifest.target.at("os") != parts.system;
  return concat(
      "# ", subject(parts.manifest), ": ", name_of(kind), "\n\n", text("does"), "\n\n", "```sh\n",
      needs_root ? "sudo " : "", "sh run.sh ", has_tree ? "OUT WORK" : "WORK", "\n```\n\n",
      has_tree ? "* `OUT`: the tree that `torchpatch prepare` wrote. It is checked and copied, never changed.\n"
               : "* The tree is prepared first, by `torchpatch`, from `--mirror DIR` or the network.\n",
      host_text(parts), "* `WORK`: a new directory for everything the recipe makes",
      parts.from.disk_mib > 0 ? concat(", about ", parts.from.disk_mib, " MiB") : "", ".\n", "* Needs ", text("needs"),
      ". `sh run.sh ", has_tree ? "OUT " : "", "WORK --check` lists what this machine lacks.\n", "* ",
      parts.cuda ? "" : concat(text("options"), " "), "See `sh run.sh --help`.\n",
      kind == RecipeKind::native
          ? ""
          : concat("* Packages come from the servers of ", parts.system, "; the build itself has no network",
                   kind == RecipeKind::container ? " if the engine can cut it off.\n" : ".\n"),
      cmake_text(parts), "* Run it again to resume after an interruption.",
      needs_root ? " Mounts and emulation always end with the run.\n" : "\n",
      stands_in ? concat("* ", parts.system, " replaces the system of the image ", parts.manifest.image,
                         ": the result is for ", parts.system,
                         parts.manifest.python == "none" ? "" : concat(" and Python ", parts.manifest.python), ".\n")
                : "",
      cuda_text(parts), "\n", result_text(parts), "`run.sh` builds only the tree whose ",
      has_tree ? "manifest has the SHA-256" : "plan has the digest", "\n`",
      (has_tree ? *parts.from.manifest_digest : parts.manifest.plan).hex(),
      "`. `torchpatch recipe` with\n`--check DIR` instead of `--output` generates these files again and compares "
      "them.\n");
}

}  // namespace torchpatch::record
