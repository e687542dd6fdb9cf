// SPDX-License-Identifier: BSD-3-Clause
#include "cli/prepare_summary.h"

#include "cli/terminal_console.h"
#include "support/text.h"

namespace torchpatch::cli {
namespace {

std::string count(std::uint64_t number, const std::string& one, const std::string& many) {
  return concat(grouped(number), " ", number == 1 ? one : many);
}

std::string patch_lines(const Manifest& manifest) {
  std::string lines;
  for (const ManifestRepository& repository : manifest.repositories) {
    if (!repository.overridden) continue;
    lines += concat("  override  ", repository.path.text(), " at ", repository.commit.hex(), " instead of ",
                    repository.gitlink().hex(), ", for ", join(repository.overridden->issues, ", "), "\n");
  }
  for (const ManifestPatch& patch : manifest.patches) {
    lines += concat("  patch     ", patch.patchset, " ", patch.variant, " in ", patch.repository.text(), ": ",
                    count(patch.edges.size(), "file", "files"), ", for ", join(patch.issues, ", "),
                    patch.is_certified ? "" : " (NOT CERTIFIED)", "\n");
  }
  for (const ManifestAddedFile& file : manifest.added_files) {
    lines += concat("  added     ", file.path, " in ", file.repository.text(), ", for ", join(file.issues, ", "), "\n");
  }
  return lines;
}

}  // namespace

std::string prepare_summary(const ops::Prepared& prepared) {
  const Manifest& manifest = prepared.manifest;
  std::string text = concat("prepared release ", manifest.release, " for ", manifest.board, " (", manifest.image,
                            ") in ", shell_quote(prepared.output), "\n");
  if (manifest.stand_in) text += concat("  note      ", *manifest.stand_in, "\n");
  text += concat("  sources   ", count(manifest.repositories.size(), "repository", "repositories"), ", ",
                 count(manifest.file_count, "file", "files"), ", ", count(manifest.link_count, "link", "links"), ", ",
                 megabytes(static_cast<double>(manifest.byte_count)), "\n");
  if (!manifest.gaps.empty()) text += concat("  PARTIAL   ", gaps_text(manifest), "\n");
  text += patch_lines(manifest);
  text += concat("  tree      swh:1:dir:", manifest.tree.hex(), "\n  manifest  ", prepared.manifest_digest.hex(), "\n");
  const std::string out = shell_quote(prepared.output);
  if (manifest.stand_in) {
    return concat(text, "next: torchpatch verify ", out, "; then the same with --mirror DIR or from the network\n");
  }
  return concat(text, "next: read ", out, "/torchpatch/KNOWN_ISSUES.md; on ",
                manifest.host.empty() ? "the board" : manifest.host.at("board"), ", run ", out,
                "/torchpatch/check.sh, then ", out, "/torchpatch/build.sh\n");
}

}  // namespace torchpatch::cli
