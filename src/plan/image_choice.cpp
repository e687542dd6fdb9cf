// SPDX-License-Identifier: BSD-3-Clause
#include "plan/image_choice.h"

#include <algorithm>

#include "plan/facts.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

bool builds_with(const Release& release, const std::string& python) {
  return std::find(release.python.begin(), release.python.end(), python) != release.python.end();
}

/// Returns the first Python of the image that the release supports, else its first; --set python takes the place of the
/// image's own.
std::string choose_python(const Release& release, const Image& image, const PlanOptions& options) {
  const auto setting = options.settings.find("python");
  if (setting != options.settings.end()) {
    return setting->second;
  }
  for (const Version& python : image.python) {
    if (builds_with(release, python.text())) {
      return python.text();
    }
  }
  return image.python.empty() ? std::string() : image.python.front().text();
}

std::vector<std::string> find_misfits(const Release& release, const ImageChoice& choice) {
  std::vector<std::string> misfits;
  const std::string who = concat("release ", release.version.text());
  if (!builds_with(release, choice.python)) {
    misfits.push_back(concat(who, " builds with Python ", join(release.python, ", "), ", not with ",
                             choice.python.empty() ? "none" : choice.python));
  }
  const Version* version = version_of(choice.facts, "cuda");
  if (holds(choice.facts, "gpu") && version && release.cuda && !release.cuda->contains(*version)) {
    misfits.push_back(concat(who, " needs CUDA ", release.cuda->text(), ", not ", version->text()));
  }
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

/// Returns the image that the board's file names for this release, or null.
const Image* default_image(const Release& release, const Board& board) {
  for (const DefaultImage& choice : board.default_images) {
    if (choice.releases.contains(release.version)) {
      return board.find_image(choice.image);
    }
  }
  return nullptr;
}

std::string misfit_text(const ImageChoice& choice) {
  return concat("image ", quote(choice.image->id), ": ", join(choice.misfits, "; "));
}

[[noreturn]] void refuse(const Release& release, const Board& board, const std::vector<ImageChoice>& choices) {
  std::vector<std::string> reasons;
  for (const ImageChoice& choice : choices) {
    reasons.push_back(misfit_text(choice));
  }
  throw Error(ErrorKind::usage,
              concat("release ", release.version.text(), " and board ", quote(board.id), " do not go together:\n  ",
                     join(reasons, "\n  ")),
              "--force goes on all the same; --set python=VERSION names another Python that is there");
}

/// Takes a choice that does not fit, as --force asks.
ImageChoice forced(ImageChoice choice) {
  choice.warnings.push_back("--force: " + misfit_text(choice));
  return choice;
}

/// Returns the images to choose from, the preferred one first: the one named alone, or all with the default in front.
std::vector<const Image*> images_in_order(const Release& release, const Board& board, const std::string& name) {
  if (!name.empty()) {
    return {&named_image(board, name)};
  }
  std::vector<const Image*> images;
  const Image* preferred = default_image(release, board);
  if (preferred != nullptr) {
    images.push_back(preferred);
  }
  for (const Image& image : board.images) {
    if (&image != preferred) {
      images.push_back(&image);
    }
  }
  return images;
}

}  // namespace

const Image& named_image(const Board& board, const std::string& name) {
  if (const Image* image = board.find_image(name)) {
    return *image;
  }
  std::vector<std::string> ids;
  for (const Image& image : board.images) {
    ids.push_back(image.id);
  }
  const std::string near = did_you_mean(name, ids);
  throw Error(ErrorKind::usage, concat("board ", quote(board.id), " has no image ", quote(name)),
              near.empty() ? concat("its images are ", join(ids, ", ")) : near);
}

ImageChoice choose_image(const Release& release, const Board& board, const std::string& name,
                         const PlanOptions& options, const std::vector<Component>& components) {
  std::vector<ImageChoice> choices;
  for (const Image* image : images_in_order(release, board, name)) {
    choices.push_back(make_choice(release, board, *image, options, components));
  }
  if (choices.empty()) {
    throw Error(ErrorKind::data, concat("board ", quote(board.id), " has no image"));
  }
  const auto fits = [](const ImageChoice& choice) { return choice.misfits.empty(); };
  const auto fitting = std::find_if(choices.begin(), choices.end(), fits);
  if (fitting == choices.end()) {
    if (!options.force) {
      refuse(release, board, choices);
    }
    return forced(choices.front());
  }
  if (name.empty() && fitting->image != default_image(release, board)) {
    fitting->warnings.push_back(concat("board ", quote(board.id), " names no image that fits release ",
                                       release.version.text(), "; ", quote(fitting->image->id),
                                       " is the first that does"));
  }
  return *fitting;
}

}  // namespace torchpatch::plan
