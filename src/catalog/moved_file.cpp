// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/moved_file.h"

#include "catalog/fields.h"

namespace torchpatch::catalog {

std::vector<MovedRepository> read_moved_repositories(const DataFile& file, Findings& findings) {
  ObjectReader reader(file.json, file.path, "", findings);
  std::vector<MovedRepository> table;
  reader.require_schema();
  read_objects(reader, "moved", Presence::required, [&](ObjectReader& item) {
    MovedRepository moved;
    moved.from = required_text(item, "from", kUrl);
    moved.to = required_texts(item, "to", kUrl);
    moved.note = optional_text(item, "note", kLine);
    table.push_back(std::move(moved));
  });
  reader.finish();
  return table;
}

}  // namespace torchpatch::catalog
