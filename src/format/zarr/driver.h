#pragma once

#include "format/driver.h"

namespace tegula::zarr {

// zarr0 (the original layout) to zarr3.
extern const Driver kZarrDriver;

}  // namespace tegula::zarr
