/* SPDX-License-Identifier: MIT */
/* struct norm__cells for one width. The including file defines CELL, CELL_MIN (smallest normal number) and CELLS (the
 * name of the table). */

static void widen(const void *row, int64_t stride, const struct norm__sight *s, double *ret)
{
    const CELL *cell = row;
    size_t k = 0;
    if (s->seen == NULL && stride == 1) {
        for (size_t j = s->begin; j < s->end; j++)
            ret[k++] = (double)cell[j];
        return;
    }
    for (size_t j = s->begin; j < s->end; j++)
        if (s->seen == NULL || s->seen[j])
            ret[k++] = (double)cell[(int64_t)j * stride];
}

static void pack(const void *row, int64_t stride, const struct norm__sight *s, void *ret)
{
    const CELL *cell = row;
    CELL *out = ret;
    size_t k = 0;
    for (size_t j = s->begin; j < s->end; j++)
        if (s->seen == NULL || s->seen[j])
            out[k++] = cell[(int64_t)j * stride];
}

static CELL rounded(double x)
{
    const CELL y = (CELL)x;
    return y < CELL_MIN && y > -CELL_MIN ? (CELL)0 : y;
}

static double rounded_f64(double x)
{
    return (double)rounded(x);
}

static void narrow(const double *packed, const struct norm__sight *s, size_t cols, double hidden, bool flush, void *row,
                   int64_t stride)
{
    CELL *cell = row;
    size_t k = 0;
    for (size_t j = 0; j < s->begin; j++)
        cell[(int64_t)j * stride] = (CELL)hidden;
    for (size_t j = s->begin; j < s->end; j++) {
        CELL x = (CELL)hidden;
        if (s->seen == NULL || s->seen[j]) {
            x = flush ? rounded(packed[k]) : (CELL)packed[k];
            k++;
        }
        cell[(int64_t)j * stride] = x;
    }
    for (size_t j = s->end; j < cols; j++)
        cell[(int64_t)j * stride] = (CELL)hidden;
}

static void unpack(const void *packed, const struct norm__sight *s, size_t cols, double hidden, void *row,
                   int64_t stride)
{
    const CELL *in = packed;
    CELL *cell = row;
    size_t k = 0;
    for (size_t j = 0; j < s->begin; j++)
        cell[(int64_t)j * stride] = (CELL)hidden;
    for (size_t j = s->begin; j < s->end; j++)
        cell[(int64_t)j * stride] = s->seen == NULL || s->seen[j] ? in[k++] : (CELL)hidden;
    for (size_t j = s->end; j < cols; j++)
        cell[(int64_t)j * stride] = (CELL)hidden;
}

static void fill(double visible, const struct norm__sight *s, size_t cols, double hidden, void *row, int64_t stride)
{
    CELL *cell = row;
    for (size_t j = 0; j < cols; j++) {
        const bool in = j >= s->begin && j < s->end && (s->seen == NULL || s->seen[j]);
        cell[(int64_t)j * stride] = (CELL)(in ? visible : hidden);
    }
}

static void hide_outside(const struct norm__sight *s, size_t cols, double hidden, void *row)
{
    CELL *cell = row;
    for (size_t j = 0; j < s->begin; j++)
        cell[j] = (CELL)hidden;
    for (size_t j = s->end; j < cols; j++)
        cell[j] = (CELL)hidden;
}

/* Columns outside, rows inside: rows of a tile lie closer together in memory than columns. */
static void tile_in(const void *first_row, int64_t row_stride, int64_t stride, size_t rows, size_t cols, size_t pitch,
                    void *ret_tile)
{
    const CELL *from = first_row;
    CELL *to = ret_tile;
    for (size_t j = 0; j < cols; j++)
        for (size_t r = 0; r < rows; r++)
            to[r * pitch + j] = from[(int64_t)r * row_stride + (int64_t)j * stride];
}

static void tile_out(const void *tile, size_t pitch, size_t rows, size_t cols, void *first_row, int64_t row_stride,
                     int64_t stride)
{
    const CELL *from = tile;
    CELL *to = first_row;
    for (size_t j = 0; j < cols; j++)
        for (size_t r = 0; r < rows; r++)
            to[(int64_t)r * row_stride + (int64_t)j * stride] = from[r * pitch + j];
}

static void hide_neg_inf(const void *row, int64_t stride, size_t begin, size_t end, uint8_t *seen)
{
    const CELL *cell = row;
    for (size_t j = begin; j < end; j++)
        seen[j] = seen[j] && cell[(int64_t)j * stride] != -(CELL)INFINITY;
}

static size_t count(const void *packed, size_t n)
{
    const CELL *cell = packed;
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += cell[i] != 0;
    return found;
}

static size_t first(const void *packed, size_t n)
{
    const CELL *cell = packed;
    size_t i = 0;
    while (i < n && cell[i] == 0)
        i++;
    return i;
}

static bool is_pos_inf(const void *packed, size_t i)
{
    return ((const CELL *)packed)[i] == (CELL)INFINITY;
}

static size_t mark_pos_inf(const void *packed, size_t n, double one, double rest, void *ret)
{
    const CELL *in = packed;
    CELL *out = ret;
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        const bool is = in[i] == (CELL)INFINITY;
        found += is;
        out[i] = (CELL)(is ? one : rest);
    }
    return found;
}

const struct norm__cells CELLS = {
    .size = sizeof(CELL),
    .widen = widen,
    .pack = pack,
    .narrow = narrow,
    .unpack = unpack,
    .fill = fill,
    .hide_outside = hide_outside,
    .tile_in = tile_in,
    .tile_out = tile_out,
    .hide_neg_inf = hide_neg_inf,
    .count = count,
    .first = first,
    .is_pos_inf = is_pos_inf,
    .mark_pos_inf = mark_pos_inf,
    .rounded = rounded_f64,
};
