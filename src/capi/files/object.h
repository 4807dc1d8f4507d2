// Arrays and groups by their URIs.
#pragma once

#include "capi/core/enums.h"
#include "capi/files/place.h"

namespace tegula::capi {

ObjectType object_at(const Place& place);

}  // namespace tegula::capi
