// SPDX-License-Identifier: BSD-3-Clause
#include "ops/host_checks.h"

#include <algorithm>
#include <set>

#include "support/text.h"

namespace torchpatch::ops {
namespace {

using emit::HostCheck;
using emit::HostVerdict;

/// Room for the objects and libraries of a build without CUDA; one with CUDA is taken to need twice as much. A rule of
/// thumb: no measurement stands behind it, so it only warns.
constexpr std::int64_t kDiskMib = 10240;

/// Packages that setup.py and the code generators import: without them no build begins. Without numpy torch is built
/// without it, and pillow is of use at run time.
const std::set<std::string> kImported = {"pyyaml", "setuptools"};

class Checker {
 public:
  Checker(const DoctorTarget& target, const Plan& plan, const HostFacts& host)
      : target_(target), plan_(plan), host_(host) {
    release_ = target.is_manifest ? "manifest" : concat("release ", plan.release->version.text());
    if (plan.image != nullptr) image_ = concat("image ", plan.image->id);
  }

  /// What is compiled or linked here must run on the board.
  void compare_with_image() {
    if (plan_.image == nullptr) return;
    const std::string arch = plan_.image->arch.value_or(plan_.board->arch);
    add_same("arch", host_.arch, arch,
             "build in a container of the board's image, or say --set cross=true where a cross compiler with the "
             "board's libraries builds",
             !is_cross());
    add_same("os", host_.os, plan_.image->os, "other libraries that the build finds here may be missing on the board",
             false);
    if (plan_.image->glibc && !is_cross()) {
      add_range("glibc", *VersionRange::parse("<=" + plan_.image->glibc->text()), image_,
                "build in a container of the board's image: what is linked with a newer glibc does not load there");
    }
    if (plan_.image->cuda && holds(plan_.facts, "gpu")) {
      add_range("cuda", *VersionRange::parse(plan_.image->cuda->text()), image_,
                concat("install CUDA ", plan_.image->cuda->text(), ", the board's"));
    }
  }

  void compare_python() {
    const std::string advice = "take another: PYTHON=python3.x, for doctor and for the build";
    add_python(plan_.release->python, concat("release ", plan_.release->version.text()), advice);
    if (!target_.python.empty()) {
      add_python({target_.python}, "manifest", advice);
    } else if (plan_.image != nullptr) {
      std::vector<std::string> texts;
      for (const Version& version : plan_.image->python) texts.push_back(version.text());
      add_python(texts, image_, "a wheel is for one Python alone; " + advice);
    }
  }

  void compare_tools() {
    const auto& bounds = target_.is_manifest ? target_.tool_bounds : plan_.release->build_tools;
    for (const auto& [tool, range] : bounds) add_range(tool, range, release_, tool_advice(tool, range));
    if (plan_.release->cuda && holds(plan_.facts, "gpu")) {
      add_range("cuda", *plan_.release->cuda, concat("release ", plan_.release->version.text()),
                concat("build with a CUDA that is ", plan_.release->cuda->text(), ", or without: USE_CUDA=0"));
    }
  }

  void compare_sizes(int mib_per_job) {
    std::optional<std::int64_t> memory = host_.memory_mib;
    if (memory) *memory += host_.swap_mib.value_or(0);
    add_size("memory", memory, mib_per_job, "add swap; one compile job alone may need this much", true);
    const bool has_cuda = holds(plan_.facts, "gpu");
    add_size("disk", host_.disk_mib, has_cuda ? 2 * kDiskMib : kDiskMib, "make room where the build is to be", false);
  }

  std::vector<HostCheck> take() { return std::move(checks_); }

 private:
  bool is_cross() const { return holds(plan_.facts, "cross"); }

  void add(HostCheck check, const std::string& advice) {
    check.is_target = check.source == image_;
    if (check.verdict != HostVerdict::ok) check.advice = advice;
    if (check.verdict == HostVerdict::ok || check.verdict == HostVerdict::unknown) check.fails = false;
    checks_.push_back(std::move(check));
  }

  void add_same(const std::string& name, const std::string& found, const std::string& wanted, const std::string& advice,
                bool fails) {
    const HostVerdict verdict = found.empty()     ? HostVerdict::unknown
                                : found == wanted ? HostVerdict::ok
                                                  : HostVerdict::differs;
    add({name, found, wanted, image_, verdict, fails}, advice);
  }

  /// Adds a check of a tool; what is missing or unknown says so itself.
  void add_tool(HostCheck check, const std::string& name, HostVerdict verdict, const std::string& advice) {
    const HostTool tool = host_.tool(name);
    if (tool.version) {
      check.found = tool.version->text();
      check.verdict = verdict;
      return add(check, advice);
    }
    check.verdict = tool.is_missing ? HostVerdict::missing : HostVerdict::unknown;
    check.fails = known_facts().count(name) > 0 || kImported.count(name) > 0;
    add(check, tool.is_missing ? advice : tool.origin);
  }

  void add_range(const std::string& name, const VersionRange& range, const std::string& source,
                 const std::string& advice) {
    const HostTool tool = host_.tool(name);
    add_tool({name, {}, range.text(), source, HostVerdict::ok, true}, name,
             tool.version ? compare_version(*tool.version, range) : HostVerdict::unknown, advice);
  }

  /// `minors`: in the order of the data, which need not be that of the versions.
  void add_python(const std::vector<std::string>& minors, const std::string& source, const std::string& advice) {
    const HostTool python = host_.tool("python");
    std::vector<Version> wanted;
    for (const std::string& minor : minors) wanted.push_back(*Version::parse(minor));
    if (wanted.empty()) return;
    HostVerdict verdict = HostVerdict::differs;
    if (python.version) {
      const auto is_it = [&](const Version& minor) { return python.version->is_in_family(minor); };
      const auto [least, most] = std::minmax_element(wanted.begin(), wanted.end());
      if (std::any_of(wanted.begin(), wanted.end(), is_it)) {
        verdict = HostVerdict::ok;
      } else if (*python.version < *least) {
        verdict = HostVerdict::too_old;
      } else if (*python.version > *most) {
        verdict = HostVerdict::too_new;
      }
    }
    add_tool({"python", {}, join(minors, ", "), source, verdict, true}, "python", verdict, advice);
  }

  void add_size(const std::string& name, const std::optional<std::int64_t>& mib, std::int64_t wanted,
                const std::string& advice, bool fails) {
    const HostVerdict verdict = !mib ? HostVerdict::unknown : *mib < wanted ? HostVerdict::too_little : HostVerdict::ok;
    add({name, mib ? concat(*mib, " MiB") : "", concat(">=", wanted, " MiB"), "rule of thumb", verdict, fails}, advice);
  }

  /// Python's packages are what no fact is about.
  static std::string tool_advice(const std::string& tool, const VersionRange& range) {
    if (known_facts().count(tool) > 0) return concat("take a ", tool, " that is ", range.text());
    return concat("python3 -m pip install ", shell_quote(concat(tool, join(split(range.text(), ' '), ","))));
  }

  const DoctorTarget& target_;
  const Plan& plan_;
  const HostFacts& host_;
  std::string release_, image_;
  std::vector<HostCheck> checks_;
};

}  // namespace

HostVerdict compare_version(const Version& version, const VersionRange& range) {
  for (const std::string& text : split(range.text(), ' ')) {
    const std::optional<VersionRange> part = VersionRange::parse(text);
    if (!part || part->contains(version)) continue;
    if (text[0] == '<') return HostVerdict::too_new;
    if (text[0] == '>') return HostVerdict::too_old;
    const std::optional<Version> wanted = Version::parse(text.substr(text.find_first_not_of('=')));
    return wanted && version < *wanted ? HostVerdict::too_old : HostVerdict::too_new;
  }
  return HostVerdict::ok;
}

std::vector<HostCheck> check_host(const DoctorTarget& target, const Plan& plan, const HostFacts& host,
                                  int mib_per_job) {
  Checker checker(target, plan, host);
  checker.compare_with_image();
  checker.compare_python();
  checker.compare_tools();
  checker.compare_sizes(mib_per_job);
  return checker.take();
}

}  // namespace torchpatch::ops
