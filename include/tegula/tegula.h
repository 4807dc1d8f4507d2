// Everything at once.
#pragma once

#include "tegula/array.h"
#include "tegula/capabilities.h"
#include "tegula/error.h"
#include "tegula/version.h"
