// SPDX-License-Identifier: BSD-3-Clause
#include "plan/image_choice.h"

#include <algorithm>

#include "plan/facts.h"
#include "plan/make_plan.h"
#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

// An ImageChoice is also used for a host's image: its misfits are what will not build there or not run on the board,
// its warnings what might not.

std::string of_image(const Plan& plan) { return concat(" of image ", quote(plan.image->id)); }

void compare_arch(const Plan& plan, const Board& host, ImageChoice& choice) {
  const std::string& arch = std::get<std::string>(plan.facts.at("arch"));
  const std::string own = Machine{&host, choice.image}.arch();
  if (own != arch && !holds(plan.facts, "cross")) choice.misfits.push_back(concat("it is ", own, ", the board ", arch));
}

/// Binaries need at least the glibc and libstdc++ that they were linked with. A cross compiler includes the board's.
void compare_libraries(const Plan& plan, ImageChoice& choice) {
  const Image& image = *choice.image;
  if (image.os != plan.image->os) {
    choice.warnings.push_back(concat("its system is ", image.os, ", the board's ", plan.image->os,
                                     ": other libraries used by the build may also differ"));
  }
  if (holds(plan.facts, "cross")) return;
  const Version* glibc = version_of(plan.facts, "glibc");
  if (!glibc || !image.glibc) {
    choice.warnings.push_back(concat("its glibc or the one", of_image(plan),
                                     " is unknown; binaries linked against a newer glibc will not load on the board"));
  } else if (*image.glibc > *glibc) {
    choice.misfits.push_back(concat("binaries linked against its glibc ", image.glibc->text(), " will not load with ",
                                    glibc->text(), of_image(plan)));
  }
  const Version* gcc = version_of(plan.facts, "gcc");
  // Updates of a system keep the symbols of its libstdc++.
  if (image.os != plan.image->os && gcc && image.gcc && *image.gcc > *gcc) {
    choice.warnings.push_back(concat("its gcc ", image.gcc->text(), " has a newer libstdc++ than ", gcc->text(),
                                     of_image(plan), ", which may lack some of its symbols"));
  }
}

void compare_python(const Plan& plan, ImageChoice& choice) {
  const std::vector<Version>& python = choice.image->python;
  if (std::ranges::count(python, plan.python, &Version::text) > 0) return;
  choice.misfits.push_back(
      concat("it has Python ", join(collect(python, &Version::text), ", "), ", the build needs ", plan.python));
}

void compare_cuda(const Plan& plan, ImageChoice& choice) {
  const Version* cuda = version_of(plan.facts, "cuda");
  if (!cuda || !holds(plan.facts, "gpu")) return;
  const Image& image = *choice.image;
  if (image.cuda && *image.cuda != *cuda)
    choice.misfits.push_back(concat("it has CUDA ", image.cuda->text(), ", the build needs ", cuda->text()));
  else if (image.known_absent.contains("cuda"))
    choice.misfits.push_back(concat("it has no CUDA, the build needs ", cuda->text()));
  else if (!image.cuda)
    choice.warnings.push_back(concat("its CUDA is unknown, the build needs ", cuda->text()));
}

ImageChoice judge(const Plan& plan, const Board& board, const Image& image) {
  ImageChoice choice;
  choice.image = &image;
  compare_arch(plan, board, choice);
  compare_libraries(plan, choice);
  compare_python(plan, choice);
  compare_cuda(plan, choice);
  return choice;
}

std::string misfit_text(const ImageChoice& choice) {
  return concat("image ", quote(choice.image->id), ": ", join(choice.misfits, "; "));
}

bool fits(const std::vector<std::string>& misfits) { return misfits.empty(); }

[[noreturn]] void refuse_host(const Plan& plan, const Board& host, const std::vector<ImageChoice>& choices) {
  std::string other;
  for (const Image& each : host.images)
    if (other.empty() && fits(judge(plan, host, each).misfits))
      other = concat("--host ", host.id, ":", each.id, " fits; or ");
  throw Error(ErrorKind::usage,
              concat("host ", quote(host.id), " cannot build for board ", quote(plan.board->id), of_image(plan), ": ",
                     join(collect(choices, misfit_text), "; ")),
              concat(other,
                     "build in a container of the board's image, or pass --set cross=true if you use a cross compiler "
                     "with the board's libraries; --force continues anyway"));
}

/// Returns the named image, or the first that can build for the board.
ImageChoice choose_host(const Plan& plan, const Board& board, const std::string& image) {
  std::vector<ImageChoice> choices;
  if (!image.empty())
    choices.push_back(judge(plan, board, named_image(board, image)));
  else
    for (const Image& each : board.images) choices.push_back(judge(plan, board, each));
  const auto fitting = std::ranges::find_if(choices, fits, &ImageChoice::misfits);
  if (fitting != choices.end()) return *fitting;
  if (choices.empty() || !plan.options.force) refuse_host(plan, board, choices);
  ImageChoice forced = choices.front();
  forced.warnings.insert(forced.warnings.begin(), "--force: " + misfit_text(forced));
  return forced;
}

/// Build tools are the host's, unless set by --set.
void set_fact(Plan& plan, const std::string& name, const std::optional<Version>& version) {
  if (plan.options.settings.contains(name)) return;
  plan.facts.erase(name);
  if (version) plan.facts[name] = *version;
}

bool builds_with(const Release& release, const std::string& python) {
  return std::ranges::count(release.python, python) > 0;
}

/// Returns the first Python of the image that the release supports, else the image's first; --set python replaces the
/// image's own.
std::string choose_python(const Release& release, const Image& image, const PlanOptions& options) {
  if (const std::string* const setting = find_value(options.settings, "python")) return *setting;
  for (const Version& python : image.python)
    if (builds_with(release, python.text())) return python.text();
  return image.python.empty() ? std::string() : image.python.front().text();
}

std::vector<std::string> find_misfits(const Release& release, const ImageChoice& choice) {
  std::vector<std::string> misfits;
  const std::string who = concat("release ", release.version.text());
  if (!builds_with(release, choice.python)) {
    misfits.push_back(concat(who, " builds with Python ", join(release.python, ", "), ", not with ",
                             choice.python.empty() ? "none" : choice.python));
  }
  const std::string& arch = std::get<std::string>(choice.facts.at("arch"));
  if (std::ranges::count(release.unsupported_archs, arch) > 0)
    misfits.push_back(concat(who, " no longer supports ", arch));
  const Version* version = version_of(choice.facts, "cuda");
  if (holds(choice.facts, "gpu") && version && release.cuda && !release.cuda->contains(*version))
    misfits.push_back(concat(who, " needs CUDA ", release.cuda->text(), ", not ", version->text()));
  return misfits;
}

ImageChoice make_choice(const Release& release, const Board& board, const Image& image, const PlanOptions& options,
                        const std::vector<Component>& components) {
  ImageChoice choice;
  choice.image = &image;
  choice.python = choose_python(release, image, options);
  choice.facts = make_facts(release, board, image, choice.python, components, options.settings);
  choice.misfits = find_misfits(release, choice);
  return choice;
}

[[noreturn]] void refuse_images(const Release& release, const Board& board, const std::vector<ImageChoice>& choices) {
  throw Error(ErrorKind::usage,
              concat("release ", release.version.text(), " and board ", quote(board.id), " are incompatible:\n  ",
                     join(collect(choices, misfit_text), "\n  ")),
              "--force continues anyway; --set python=VERSION selects another installed Python");
}

/// Returns the images to choose from, in order of preference: only the named one, or all with the default first.
std::vector<const Image*> images_in_order(const Release& release, const Board& board, const std::string& name) {
  if (!name.empty()) return {&named_image(board, name)};
  std::vector<const Image*> images;
  const Image* preferred = default_image(release, board);
  if (preferred) images.push_back(preferred);
  for (const Image& image : board.images)
    if (&image != preferred) images.push_back(&image);
  return images;
}

bool has_components(const Release& release, const PlanOptions& options) {
  return std::ranges::all_of(options.components, [&](Component each) { return release.find(each) != nullptr; });
}

bool has_stand_ins(const Catalog& catalog) {
  return std::ranges::any_of(catalog.releases, [](const auto& each) { return each.second.stand_in.has_value(); });
}

}  // namespace

void plan_host(const Catalog& catalog, Plan& plan) {
  if (plan.options.host.empty()) return;
  const std::size_t colon = plan.options.host.find(':');
  const Board& board = catalog.board(plan.options.host.substr(0, colon));
  const ImageChoice chosen =
      choose_host(plan, board, colon == std::string::npos ? "" : plan.options.host.substr(colon + 1));
  plan.host = Machine{&board, chosen.image};
  for (const std::string& warning : chosen.warnings)
    plan.warnings.push_back(concat("host ", quote(concat(board.id, ":", chosen.image->id)), ": ", warning));
  const Image& image = *chosen.image;
  set_fact(plan, "gcc", image.gcc);
  set_fact(plan, "cmake", image.cmake);
  if (!holds(plan.facts, "cross")) set_fact(plan, "glibc", image.glibc);
  if (!plan.options.settings.contains("memory_mib")) plan.facts["memory_mib"] = board.memory_mib;
}

const Image* default_image(const Release& release, const Board& board) {
  for (const DefaultImage& choice : board.default_images)
    if (choice.releases.contains(release.version)) return board.find_image(choice.image);
  return nullptr;
}

const Image& named_image(const Board& board, const std::string& name) {
  if (const Image* image = board.find_image(name)) return *image;
  const std::vector<std::string> ids = collect(board.images, &Image::id);
  const std::string near = did_you_mean(name, ids);
  throw Error(ErrorKind::usage, concat("board ", quote(board.id), " has no image ", quote(name)),
              near.empty() ? concat("its images: ", join(ids, ", ")) : near);
}

ImageChoice choose_image(const Release& release, const Board& board, const std::string& name,
                         const PlanOptions& options, const std::vector<Component>& components) {
  std::vector<ImageChoice> choices;
  for (const Image* image : images_in_order(release, board, name))
    choices.push_back(make_choice(release, board, *image, options, components));
  if (choices.empty()) throw Error(ErrorKind::data, concat("board ", quote(board.id), " has no image"));
  const auto fitting = std::ranges::find_if(choices, fits, &ImageChoice::misfits);
  if (fitting == choices.end()) {
    if (!options.force) refuse_images(release, board, choices);
    choices.front().warnings.push_back("--force: " + misfit_text(choices.front()));
    return choices.front();
  }
  return *fitting;
}

std::vector<const Image*> fitting_images(const Release& release, const Board& board, const std::string& name,
                                         const PlanOptions& options) {
  std::vector<const Image*> fitting;
  for (const Image* image : images_in_order(release, board, name))
    if (fits(make_choice(release, board, *image, options, {}).misfits)) fitting.push_back(image);
  return fitting;
}

std::vector<FittingRelease> fitting_releases(const Catalog& catalog, const Board& board) {
  std::vector<FittingRelease> fitting;
  for (const auto& [version, release] : catalog.releases) {
    std::vector<const Image*> images = fitting_images(release, board, "", {});
    if (!images.empty()) fitting.push_back({&release, &board, std::move(images), false});
  }
  return fitting;
}

void look_at_certificates(const Catalog& catalog, std::vector<FittingRelease>& fitting) {
  for (FittingRelease& each : fitting) {
    each.is_certified =
        is_certified(make_plan(catalog, each.release->version.text(), each.board->id, each.images.front()->id, {}));
  }
}

std::string fitting_text(const Catalog& catalog, const Board& board, const std::string& image) {
  const std::string releases = releases_where(
      catalog, [&](const Release& release) { return !fitting_images(release, board, image, {}).empty(); });
  const std::string whom = concat("board ", quote(board.id), image.empty() ? "" : " with image " + quote(image));
  return releases.empty() ? concat("no release fits ", whom) : concat("releases that fit ", whom, ": ", releases);
}

const Release* newest_release(const Catalog& catalog, const std::string& board, const std::string& image,
                              const PlanOptions& options) {
  const Board& target = catalog.board(board);
  const bool wants_stand_in = has_stand_ins(catalog);
  for (auto at = catalog.releases.rbegin(); at != catalog.releases.rend(); ++at) {
    const Release& release = at->second;
    if (release.version.is_pre_release() || release.stand_in.has_value() != wants_stand_in ||
        !has_components(release, options))
      continue;
    if (fitting_images(release, target, image, options).empty()) continue;
    if (is_certified(make_plan(catalog, release.version.text(), board, image, options))) return &release;
  }
  return nullptr;
}

}  // namespace torchpatch::plan
