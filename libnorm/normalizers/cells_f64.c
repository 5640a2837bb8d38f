/* SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "normalizers/cells.h"

#define CELL double
#define CELL_MIN DBL_MIN
#define CELLS norm__cells_f64
#include "normalizers/cells_template.h"
