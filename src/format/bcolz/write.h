// Changes of a carray or of all columns of a ctable together. Wherever one is cut short, what is there opens as before
// or as after: chunks are written so that the rows counted stay valid, and `sizes` in an order in which the shortest
// column, which decides, changes last when rows are added and first when rows go.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "format/bcolz/snapshot.h"
#include "store/store.h"
#include "tegula/array.h"

namespace tegula::bcolz {

std::shared_ptr<const Opened> create(std::shared_ptr<Store> store, const Schema& schema, const CreateOptions& options);

// Nothing may be pending in `opened` (pending_set.h).
void append(const Opened& opened, const Batch& rows, const Work& work);
void resize(const Opened& opened, const std::vector<std::uint64_t>& shape, const Work& work);
void write(const Opened& opened, const Selection& selection, std::string_view field, const StridedView& values,
           const Work& work);

void add_column(const Opened& table, const Attribute& column, const Column& values, const Work& work);
void drop_column(const Opened& table, std::string_view name);
void rename_column(const Opened& table, std::string_view from, std::string_view to, const Work& work);

}  // namespace tegula::bcolz
