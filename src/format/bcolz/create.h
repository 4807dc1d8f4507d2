// New carrays and ctables, and the columns of a ctable: added, dropped, renamed.
#pragma once

#include <memory>
#include <string_view>

#include "format/bcolz/snapshot.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::bcolz {

// Writes an empty carray, or a ctable if `schema.table` is set, and opens it. Throws invalid_argument when something is
// there already, unless options.overwrite is set.
std::shared_ptr<const Snapshot> create(std::shared_ptr<Store> store, const Schema& schema,
                                       const CreateOptions& options);

// Each of these changes the list of column names last (or, to drop a column, first), so a table is always whole.
void add_column(const Snapshot& table, const Attribute& column, const Column& values, const Work& work);
void drop_column(const Snapshot& table, std::string_view name);
void rename_column(const Snapshot& table, std::string_view from, std::string_view to, const Work& work);

}  // namespace tegula::bcolz
