// Everything at once.
#pragma once

#include "tegula/array.h"
#include "tegula/error.h"
#include "tegula/version.h"
