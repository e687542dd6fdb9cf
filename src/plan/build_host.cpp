// SPDX-License-Identifier: BSD-3-Clause
#include "plan/build_host.h"

#include <algorithm>

#include "plan/image_choice.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

/// An image of the host, and what speaks against building there.
struct HostChoice {
  BuildHost host;
  std::vector<std::string> misfits;   ///< what is built there will not run on the board, or not build at all
  std::vector<std::string> warnings;  ///< it may not
};

std::string of_image(const Plan& plan) { return concat(" of image ", quote(plan.image->id)); }

void compare_arch(const Plan& plan, HostChoice& choice) {
  const std::string& arch = std::get<std::string>(plan.facts.at("arch"));
  if (choice.host.arch() != arch && !holds(plan.facts, "cross")) {
    choice.misfits.push_back(concat("it is ", choice.host.arch(), ", the board ", arch));
  }
}

/// What is linked needs at least the glibc and the libstdc++ that it was linked with. A cross compiler brings the
/// board's own.
void compare_libraries(const Plan& plan, HostChoice& choice) {
  const Image& image = *choice.host.image;
  if (image.os != plan.image->os) {
    choice.warnings.push_back(concat("its system is ", image.os, ", the board's ", plan.image->os,
                                     ": other libraries that the build finds may differ, too"));
  }
  if (holds(plan.facts, "cross")) {
    return;
  }
  const Version* glibc = version_of(plan.facts, "glibc");
  if (!glibc || !image.glibc) {
    choice.warnings.push_back(concat("its glibc or that", of_image(plan),
                                     " is not known; what is linked with a newer one does not load on the board"));
  } else if (*image.glibc > *glibc) {
    choice.misfits.push_back(concat("what is linked with its glibc ", image.glibc->text(), " does not load with ",
                                    glibc->text(), of_image(plan)));
  }
  const Version* gcc = version_of(plan.facts, "gcc");
  if (gcc && image.gcc && *image.gcc > *gcc) {
    choice.warnings.push_back(concat("its gcc ", image.gcc->text(), " has a newer libstdc++ than ", gcc->text(),
                                     of_image(plan), ", which may lack symbols of it"));
  }
}

void compare_python(const Plan& plan, HostChoice& choice) {
  const std::vector<Version>& python = choice.host.image->python;
  const auto is_it = [&](const Version& version) { return version.text() == plan.python; };
  if (std::none_of(python.begin(), python.end(), is_it)) {
    std::vector<std::string> texts;
    for (const Version& version : python) {
      texts.push_back(version.text());
    }
    choice.misfits.push_back(concat("it has Python ", join(texts, ", "), ", the build needs ", plan.python));
  }
}

void compare_cuda(const Plan& plan, HostChoice& choice) {
  const Version* cuda = version_of(plan.facts, "cuda");
  if (!cuda || !holds(plan.facts, "gpu")) {
    return;
  }
  const Image& image = *choice.host.image;
  if (image.cuda && *image.cuda != *cuda) {
    choice.misfits.push_back(concat("it has CUDA ", image.cuda->text(), ", the build needs ", cuda->text()));
  } else if (image.known_absent.count("cuda") > 0) {
    choice.misfits.push_back(concat("it has no CUDA, the build needs ", cuda->text()));
  } else if (!image.cuda) {
    choice.warnings.push_back(concat("its CUDA is not known, the build needs ", cuda->text()));
  }
}

HostChoice judge(const Plan& plan, const Board& board, const Image& image) {
  HostChoice choice{{&board, &image}, {}, {}};
  compare_arch(plan, choice);
  compare_libraries(plan, choice);
  compare_python(plan, choice);
  compare_cuda(plan, choice);
  return choice;
}

std::string misfit_text(const HostChoice& choice) {
  return concat("image ", quote(choice.host.image->id), ": ", join(choice.misfits, "; "));
}

[[noreturn]] void refuse(const Plan& plan, const Board& host, const std::vector<HostChoice>& choices) {
  std::vector<std::string> reasons;
  for (const HostChoice& choice : choices) {
    reasons.push_back(misfit_text(choice));
  }
  throw Error(ErrorKind::usage,
              concat("host ", quote(host.id), " cannot build for board ", quote(plan.board->id), of_image(plan), ": ",
                     join(reasons, "; ")),
              "build in a container of the board's image, or say --set cross=true where a cross compiler with the "
              "board's libraries builds; --force goes on all the same");
}

/// Returns the image that was named, or the first that can build for the board.
HostChoice choose_host(const Plan& plan, const Board& board, const std::string& image) {
  std::vector<HostChoice> choices;
  if (!image.empty()) {
    choices.push_back(judge(plan, board, named_image(board, image)));
  } else {
    for (const Image& each : board.images) {
      choices.push_back(judge(plan, board, each));
    }
  }
  const auto fitting =
      std::find_if(choices.begin(), choices.end(), [](const HostChoice& choice) { return choice.misfits.empty(); });
  if (fitting != choices.end()) {
    return *fitting;
  }
  if (choices.empty() || !plan.options.force) {
    refuse(plan, board, choices);
  }
  HostChoice forced = choices.front();
  forced.warnings.insert(forced.warnings.begin(), "--force: " + misfit_text(forced));
  return forced;
}

/// The tools that build are the host's; --set outranks it.
void set_fact(Plan& plan, const std::string& name, const std::optional<Version>& version) {
  if (plan.options.settings.count(name) > 0) {
    return;
  }
  plan.facts.erase(name);
  if (version) {
    plan.facts[name] = *version;
  }
}

}  // namespace

void plan_host(const Catalog& catalog, Plan& plan) {
  if (plan.options.host.empty()) {
    return;
  }
  const std::size_t colon = plan.options.host.find(':');
  const Board& board = catalog.board(plan.options.host.substr(0, colon));
  const HostChoice chosen =
      choose_host(plan, board, colon == std::string::npos ? "" : plan.options.host.substr(colon + 1));
  plan.host = chosen.host;
  for (const std::string& warning : chosen.warnings) {
    plan.warnings.push_back(concat("host ", quote(board.id), ": ", warning));
  }
  const Image& image = *chosen.host.image;
  set_fact(plan, "gcc", image.gcc);
  set_fact(plan, "cmake", image.cmake);
  if (!holds(plan.facts, "cross")) {
    set_fact(plan, "glibc", image.glibc);
  }
  if (plan.options.settings.count("memory_mib") == 0) {
    plan.facts["memory_mib"] = board.memory_mib;
  }
}

}  // namespace torchpatch::plan
