// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

std::string verdict_text(const VerifyReport& report) {
  if (!report.differences.empty()) return counted(report.differences.size(), "difference");
  return report.added_by_build.empty() ? "no difference" : "no difference but what a build added";
}

std::string prepare_again_text(const VerifyReport& report) {
  std::string command = "torchpatch prepare";
  for (const std::string& word : prepare_words(report.manifest)) command += concat(" ", shell_quote(word));
  return concat(command, " --replace --output ", shell_quote(report.root));
}

}  // namespace

std::string difference_text(const Difference& difference) {
  // A difference of the whole has no path.
  return concat(difference.reason, difference.path.empty() ? "" : " " + quote(difference.path),
                difference.detail.empty() ? "" : ": ", difference.detail);
}

Document verify_document(const VerifyReport& report) {
  const Manifest& manifest = report.manifest;
  std::vector<std::string> lines;
  std::multimap<std::string, const Difference*> followers;  // by the path that they follow from, till they are told
  for (const Difference& difference : report.differences)
    if (!difference.follows.empty()) followers.emplace(difference.follows, &difference);
  for (const Difference& difference : report.differences) {
    if (!difference.follows.empty()) continue;
    lines.push_back(difference_text(difference));
    const auto [first, last] = followers.equal_range(difference.path);
    for (auto follower = first; follower != last; ++follower)
      lines.push_back("  hence " + difference_text(*follower->second));
    followers.erase(first, last);
  }
  if (!report.differences.empty()) lines.push_back("to have it as it was prepared: " + prepare_again_text(report));
  for (const std::string& path : report.added_by_build) lines.push_back("added by build " + quote(path));
  for (const std::string& option : report.options) lines.push_back(chosen_text(option));
  for (const std::string& note : report.notes) lines.push_back("note: " + note);
  for (const ManifestGap& gap : manifest.gaps) lines.push_back("missing: " + quote(gap.out_path()));
  if (report.signature) lines.push_back(signature_text(report.signature->signer, report.signature->key));
  return {.blocks = {plain_items(lines), Heading{2, concat(quote(report.root), ": ", verdict_text(report))},
                     plain_items({concat(target_text(manifest.release, manifest.board, manifest.image), ", tree ",
                                         manifest.tree.hex()),
                                  concat(counted(manifest.repositories.size(), "repository", "repositories"), ", ",
                                         counted(manifest.patches.size(), "patch", "patches"), ", ",
                                         counted(report.files, "file"), ", ", counted(report.links, "link"), ", ",
                                         counted(report.bytes, "byte"))})}};
}

}  // namespace torchpatch::report
