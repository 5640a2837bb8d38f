/* SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "normalizers/cells.h"

#define CELL float
#define CELL_MIN FLT_MIN
#define CELLS norm__cells_f32
#include "normalizers/cells_template.h"
