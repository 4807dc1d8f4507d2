// Includes everything that all formats have in common.
#pragma once

#include "tegula/array.h"
#include "tegula/capabilities.h"
#include "tegula/error.h"
#include "tegula/version.h"
