/* SPDX-License-Identifier: MIT */
#include "normalizers/sight.h"

#include "normalizers/cells.h"

static bool bytes_in_place(const norm_rows *rows)
{
    return rows->visible != NULL && rows->visible_stride[2] == 1 && !(rows->flags & LIBNORM_ROWS_NEG_INF_HIDDEN);
}

bool norm__sight_has_holes(const norm_rows *rows)
{
    return rows->visible != NULL || (rows->flags & LIBNORM_ROWS_NEG_INF_HIDDEN) != 0;
}

size_t norm__sight_buffer(const norm_rows *rows)
{
    return norm__sight_has_holes(rows) && !bytes_in_place(rows) ? (size_t)rows->cols : 0;
}

static size_t cut(int64_t column, size_t cols)
{
    return column <= 0 ? 0 : (uint64_t)column > cols ? cols : (size_t)column;
}

static size_t causal_end(const norm_rows *rows, size_t row)
{
    int64_t end;
    if (__builtin_add_overflow(rows->causal_offset, (int64_t)row + 1, &end))
        return (size_t)rows->cols; /* row + 1 > 0, so only upwards */
    return cut(end, (size_t)rows->cols);
}

static void find_interval(struct norm__sight *s, const norm_rows *rows, size_t batch, size_t row)
{
    const int64_t at = (int64_t)batch * rows->interval_stride[0] + (int64_t)row * rows->interval_stride[1];
    if (rows->begin != NULL)
        s->begin = cut(rows->begin[at], (size_t)rows->cols);
    if (rows->end != NULL)
        s->end = cut(rows->end[at], (size_t)rows->cols);
    if (rows->flags & LIBNORM_ROWS_CAUSAL) {
        const size_t end = causal_end(rows, row);
        s->end = end < s->end ? end : s->end;
    }
    if (s->end < s->begin)
        s->end = s->begin;
}

struct norm__sight norm__sight_find(const norm_rows *rows, size_t batch, size_t row, const struct norm__cells *cells,
                                    const void *z, int64_t z_stride, uint8_t *buffer)
{
    struct norm__sight s = {0, (size_t)rows->cols, 0, NULL};
    find_interval(&s, rows, batch, row);
    s.n = s.end - s.begin;
    if (!norm__sight_has_holes(rows))
        return s;
    const uint8_t *bytes = NULL;
    int64_t step = 0;
    if (rows->visible != NULL) {
        bytes = rows->visible + ((int64_t)batch * rows->visible_stride[0] + (int64_t)row * rows->visible_stride[1]);
        step = rows->visible_stride[2];
    }
    if (bytes_in_place(rows)) {
        s.seen = bytes;
    } else {
        for (size_t j = s.begin; j < s.end; j++)
            buffer[j] = bytes == NULL || bytes[(int64_t)j * step] != 0;
        if (rows->flags & LIBNORM_ROWS_NEG_INF_HIDDEN)
            cells->hide_neg_inf(z, z_stride, s.begin, s.end, buffer);
        s.seen = buffer;
    }
    size_t n = 0;
    for (size_t j = s.begin; j < s.end; j++)
        n += s.seen[j] != 0;
    if (n == s.n)
        s.seen = NULL; /* no holes: the row can be used where it stands */
    s.n = n;
    return s;
}

size_t norm__sight_column(const struct norm__sight *sight, size_t i)
{
    if (sight->seen == NULL)
        return sight->begin + i;
    size_t column = sight->begin;
    for (;; column++) {
        if (sight->seen[column] == 0)
            continue;
        if (i == 0)
            return column;
        i--;
    }
}
