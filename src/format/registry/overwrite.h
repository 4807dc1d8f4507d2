// Overwriting arrays and groups: the old one stays until the new one is whole.
#pragma once

#include <memory>
#include <string_view>

#include "store/store.h"

namespace tegula {

// Where the files of something new wait, and the note that says that they are being put in their place, in stores whose
// folders have no names to exchange.
inline constexpr std::string_view kWaitingFolder = ".tegula-new";
inline constexpr std::string_view kPlacingKey = ".tegula-placing";
// The note that a conversion keeps in its target until it is done, so that an interrupted one can continue.
inline constexpr std::string_view kConversionKey = ".tegula-conversion";

// Is there an array or a group that an overwriting creation replaces? A plain folder of arrays is neither.
bool is_replaceable(const Store& store);

// The store's own replacement. Without one: the new files are written into kWaitingFolder of the same store. When they
// are whole, kPlacingKey is put, the old files are removed, the new ones copied to their place and removed where they
// waited. A stop between leaves what open() refuses and finish_placing() completes.
std::unique_ptr<Replacement> begin_replacement(const std::shared_ptr<Store>& store);

// False: no new files were being put in their place.
bool finish_placing(Store& store, const Work& work);

}  // namespace tegula
