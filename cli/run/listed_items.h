// What a folder or group holds, for `ls` and `tree`.
#pragma once

#include <string>
#include <vector>

#include "app/command.h"
#include "run/opening.h"
#include "tegula/array.h"
#include "text/json_writer.h"

namespace tegula::cli {

struct ListFlags {
  std::string uri;
  OpenFlags open;
};

struct Item {
  std::string name;  // empty: `uri` itself, which is an array
  std::string uri;
  Found found;
  std::string trouble = {};  // why it could not be looked at
};

// One level, sorted by name. Throws not_found when nothing is there.
std::vector<Item> items_of(const std::string& uri, const ListFlags& flags, const Globals& globals);
// Name, what it is, extents, fields; an array that does not open is listed with the reason.
std::vector<std::string> item_row(const Item& item, const ListFlags& flags, const Globals& globals);
// The members of a JSON object that was begun.
void write_item(JsonWriter& json, const Item& item, const ListFlags& flags, const Globals& globals);

}  // namespace tegula::cli
