// SPDX-License-Identifier: BSD-3-Clause
#include "support/prepared_sample.h"

#include <functional>
#include <stdexcept>

#include "catalog/load_catalog.h"
#include "document/text.h"
#include "plan/make_plan.h"
#include "record/manifest_file.h"
#include "report/reports.h"
#include "sample/write_repositories.h"
#include "support/digest.h"
#include "support/error.h"
#include "trees/diff/diff.h"
#include "trees/doctor/doctor.h"
#include "trees/prepare/prepare.h"
#include "trees/verify/verify.h"

namespace torchpatch::test {
namespace {

const std::string kRelease = "1.1.0";
const std::string kBoard = "tx2";

/// Everything is known of it, and all of it differs from what any board has.
HostFacts other_host() {
  HostFacts host{"x86_64", "debian-12", {"avx2"}, 2, 4096, 0, 1024, {}, {}};
  for (const char* name : {"glibc", "gcc", "cmake", "ninja", "python", "cuda", "cudnn", "numpy", "setuptools"})
    host.tools[name] = {Version::parse("3.11.2"), false, "/usr/bin"};
  return host;
}

/// Returns whether `action` came to an end without an Error.
bool ends(const std::function<void()>& action) {
  try {
    action();
    return true;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw std::logic_error(error.message());
    return false;
  }
}

}  // namespace

PreparedSample::PreparedSample(const std::string& data)
    : catalog_(catalog::load_catalog({{"shipped", data}, {"sample", data + "/layers/sample"}})), host_(other_host()) {
  sample::write_repositories(catalog_, path("upstream"), {kRelease});
  source_.emplace(std::vector{path("upstream")}, console_);
  PlanOptions options;
  options.components = {Component::torch};
  options.settings = {{"MAX_JOBS", "2"}};
  trees::PrepareOptions prepare;
  prepare.output = path("out");
  trees::prepare(catalog_, plan::make_plan(catalog_, kRelease, kBoard, "", options), *source_, prepare, console_);
  tree_ = trees::scan_prepared_tree(path("out"), 1, console_);
}

int PreparedSample::use(const std::string& bytes) {
  trees::ScannedTree tree = tree_;
  tree.manifest_bytes = bytes;
  tree.digest = sha256(bytes);
  if (!ends([&] { tree.manifest = record::parse_manifest(bytes, "manifest.json"); })) return 0;
  write_file_atomically(path("out/torchpatch/manifest.json"), bytes);
  int ended = 0;
  ended += ends([&] { prepare_locked(); });
  ended += ends([&] { verify(tree); });
  ended += ends([&] { doctor(tree.manifest); });
  ended += ends([&] { diff(tree); });
  return ended;
}

void PreparedSample::prepare_locked() {
  trees::PrepareOptions options;
  options.output = path("again");
  options.if_exists = tree::IfExists::replace;
  trees::prepare_locked(path("out/torchpatch/manifest.json"), *source_, options, console_);
}

void PreparedSample::verify(const trees::ScannedTree& tree) const {
  const VerifyReport report = trees::verify(tree, catalog_, {}, console_);
  document_text(report::verify_document(report));
  report_json(to_json(report, JsonForm::report));
}

void PreparedSample::doctor(const Manifest& manifest) const {
  const trees::DoctorTarget target = trees::target_of(manifest);
  trees::packages_to_read(catalog_, target);
  const DoctorReport report = trees::doctor(catalog_, target, host_);
  document_text(report::doctor_document(report));
  report_json(to_json(report, JsonForm::report));
}

void PreparedSample::diff(const trees::ScannedTree& tree) const {
  const trees::DiffInput a{"a", "tree", tree_.manifest, trees::DiffFiles{tree_.scanned, {}}};
  const trees::DiffInput b{"b", "tree", tree.manifest, trees::DiffFiles{tree.scanned, {}}};
  const DiffReport report = trees::diff(a, b, {});
  document_text(report::diff_document(report));
  document_markdown(report::diff_document(report));
  report_json(to_json(report, JsonForm::report));
}

}  // namespace torchpatch::test
