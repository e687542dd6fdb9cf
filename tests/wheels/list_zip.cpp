// SPDX-License-Identifier: BSD-3-Clause
// What the reader of wheels finds in zips, for zips.py: list_zip FILE… prints for each file a line "zip", and for each
// member of it but directories a line with its SHA-256 and path, or a line "refused" with the reason.
#include <iostream>
#include <vector>

#include "archive/read_archive.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"

using namespace torchpatch;

int main(int argc, char** argv) {
  for (const std::string& file : std::vector<std::string>(argv + 1, argv + argc)) {
    std::string lines;
    try {
      const UniqueFd opened = open_regular_file(file);
      archive::read_zip({opened.get(), file}, {}, [&](archive::Member&& member) {
        if (member.type != archive::MemberType::directory)
          lines += sha256(member.bytes).hex() + " " + member.path + "\n";
      });
    } catch (const Error& error) {
      lines = "refused " + error.message() + "\n";
    }
    std::cout << "zip\n" << lines;
  }
}
