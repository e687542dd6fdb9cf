// SPDX-License-Identifier: BSD-3-Clause
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

const char* wheel_verdict_text(WheelVerdict verdict) {
  static constexpr const char* kTexts[] = {"works", "works once installed", "unknown", "may crash", "will not import"};
  return entry_of(kTexts, verdict);
}

/// Returns the C++ name of a symbol, without parameter and return types, or the symbol if it is not mangled.
std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return name ? name.get() : symbol;
}

Tone tone_of(WheelVerdict verdict) {
  if (verdict == WheelVerdict::works) return Tone::good;
  return verdict <= WheelVerdict::unknown ? Tone::caution : Tone::bad;
}

/// Returns one line for findings that differ only in their file: "will not import: needs GLIBC_2.34 of libc.so.6,
/// debian-11 has 2.31: torch/lib/libtorch.so and 3 more files (glibc-too-new)".
Items finding_lines(const CheckedWheel& wheel) {
  struct Same {
    const WheelFinding* first;
    std::size_t files;
  };
  std::vector<Same> groups;
  for (const WheelFinding& finding : wheel.findings) {
    const auto same = std::ranges::find_if(groups, [&](const Same& group) {
      return group.first->verdict == finding.verdict && group.first->found == finding.found &&
             group.first->wanted == finding.wanted;
    });
    if (same == groups.end())
      groups.push_back({&finding, 1});
    else
      ++same->files;
  }
  Items lines;
  for (const auto& [finding, files] : groups) {
    const bool is_note = finding->verdict == WheelVerdict::works;
    std::string words = ": " + visible(finding->found);
    if (!finding->wanted.empty()) words += ", " + visible(finding->wanted);
    if (!finding->path.empty()) words += ": " + printable(finding->path);
    if (files > 1) words += concat(" and ", counted(files - 1, "more file"));
    if (!finding->issue.empty()) words += concat(" (", finding->issue, ")");
    lines.items.push_back(
        {is_note ? toned("note", Tone::soft) : toned(wheel_verdict_text(finding->verdict), tone_of(finding->verdict)),
         text(words)});
  }
  return lines;
}

/// Returns what to do, without duplicates.
std::vector<std::string> advice_of(const WheelReport& report) {
  std::vector<std::string> advice;
  if (!report.install.empty()) advice.push_back(concat("on the board, as root: ", report.install));
  for (const CheckedWheel& wheel : report.wheels) {
    for (const WheelFinding& finding : wheel.findings) {
      const std::string words = visible(finding.advice);
      if (!words.empty() && std::ranges::count(advice, words) == 0) advice.push_back(words);
    }
  }
  return advice;
}

}  // namespace

Document wheel_document(const WheelReport& report) {
  Document page;
  for (const CheckedWheel& wheel : report.wheels) {
    page.blocks.push_back(Paragraph{
        {text(concat(printable(wheel.file), ": ")), toned(wheel_verdict_text(wheel.verdict), tone_of(wheel.verdict)),
         text(wheel.is_cpu_only ? ", CPU only," : ""), text(concat(" on ", report.board, " (", report.image, ")"))}});
    Items findings = finding_lines(wheel);
    if (!findings.items.empty()) page.blocks.push_back(std::move(findings));
  }
  if (!report.image_reason.empty()) {
    page.blocks.push_back(
        Paragraph{{text(concat("image ", report.image, ": ", report.image_reason, "; use --image to change it"))}});
  }
  add_items(page.blocks, "what to do", advice_of(report));
  return page;
}

Document kernels_document(const KernelReport& report) {
  Document page;
  if (report.files.empty()) page.blocks.push_back(Paragraph{{text(concat("no kernels for sm_", report.architecture))}});
  for (const KernelFile& file : report.files) {
    std::vector<Kernel> kernels = file.kernels;
    std::erase_if(kernels, [](const Kernel& kernel) { return kernel.verdict == KernelVerdict::fits; });
    std::ranges::stable_sort(kernels, {}, &Kernel::most_threads);
    std::ranges::stable_sort(kernels, std::greater(), &Kernel::verdict);
    page.blocks.push_back(Paragraph{{text(concat(
        printable(file.path.empty() ? file.file : file.path), ": ", counted(file.kernels.size(), "kernel"), " for sm_",
        report.architecture, "; ", kernels.size(), " fail in blocks of 1,024 threads or of their launch bound"))}});
    Rows rows = {{"most", "registers", "bound", "launched with", "kernel"}};
    for (const Kernel& kernel : kernels) {
      rows.push_back({concat(kernel.most_threads), concat(kernel.registers),
                      kernel.bound == 0 ? "-" : concat(kernel.bound),
                      kernel.threads == 0 ? "-" : concat(kernel.threads, ": ", kernel.operation),
                      printable(demangled(kernel.name))});
    }
    if (!kernels.empty()) page.blocks.push_back(plain_table(rows));
  }
  return page;
}

Document wheel_fix_document(const WheelFix& fix) {
  Rows rows;
  for (const Renaming& module : fix.modules)
    rows.push_back({"renamed", printable(module.from), "to", printable(module.to)});
  if (fix.platform) rows.push_back({"platform", fix.platform->from, "to", fix.platform->to});
  Document page;
  page.blocks.push_back(Paragraph{{text(fix.output.empty() ? concat(printable(fix.file), ": OK, all names are right")
                                                           : concat("wrote ", printable(fix.output)))}});
  if (!rows.empty()) page.blocks.push_back(plain_table(rows));
  return page;
}

}  // namespace torchpatch::report
