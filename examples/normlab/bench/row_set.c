/* SPDX-License-Identifier: MIT */
#include "bench/row_set.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/row_work.h"
#include "say.h"

#define LINE 64
/* Between the beginnings of two arrays, besides whole pages: loads and stores at the same place of different pages
 * disturb each other in many processors. */
#define SHIFT (17 * LINE)
/* So many different numbers, or one row; the rest of the ring repeats them. */
#define DIFFERENT ((size_t)1 << 18)

static size_t width_of(const struct row_set *set)
{
    return set->wide ? sizeof(double) : sizeof(float);
}

static void *place(struct row_set *set, int index, size_t bytes)
{
    unsigned char *memory = malloc(bytes + 5 * SHIFT + LINE);
    set->memory[index] = memory;
    if (memory == NULL)
        return NULL;
    memset(memory, 1, bytes + 5 * SHIFT + LINE); /* zeros could stay pages that are only promised */
    memory += (LINE - (uintptr_t)memory % LINE) % LINE;
    return memory + index * SHIFT;
}

bool row_set_open(struct row_set *ret_set, bool wide, size_t bytes, size_t longest)
{
    *ret_set = (struct row_set){.wide = wide};
    struct row_set *set = ret_set;
    const size_t width = width_of(set), ring = bytes / 2 / width;
    set->capacity = ring > longest ? ring : longest;
    if (set->capacity > SIZE_MAX / 64) {
        say_no_memory();
        return false;
    }
    /* memcpy moves as much as an operation on three arrays does: half of that on each side. */
    set->half = (3 * set->capacity * width / 2 + LINE) / LINE * LINE;
    set->z = place(set, 0, set->capacity * width);
    set->w = place(set, 1, set->capacity * width);
    set->g = place(set, 2, set->capacity * width);
    set->d = place(set, 3, set->capacity * width);
    set->copy = place(set, 4, 2 * set->half);
    if (set->z == NULL || set->w == NULL || set->g == NULL || set->d == NULL || set->copy == NULL) {
        row_set_close(set);
        say("out of memory: %zu MiB for the working set", (4 * set->capacity * width + 2 * set->half) >> 20);
        return false;
    }
    return true;
}

void row_set_close(struct row_set *set)
{
    for (int i = 0; i < 5; i++)
        free(set->memory[i]);
    *set = (struct row_set){0};
}

/* The first `known` numbers of an array, over and over. */
static void repeat(const struct row_set *set, void *array, size_t known)
{
    const size_t total = set->slices * set->rows * set->n, width = width_of(set);
    unsigned char *bytes = array;
    while (known < total) {
        const size_t more = known < total - known ? known : total - known;
        memcpy(bytes + known * width, bytes, more * width);
        known += more;
    }
}

static size_t different_rows(const struct row_set *set)
{
    const size_t rows = set->slices * set->rows, most = DIFFERENT / set->n > 1 ? DIFFERENT / set->n : 1;
    return rows < most ? rows : most;
}

static bool fill(struct row_set *set, enum scores kind, void *array)
{
    const size_t rows = different_rows(set), count = rows * set->n;
    double *values = malloc(count * sizeof *values);
    if (values == NULL) {
        say_no_memory();
        return false;
    }
    scores_fill(kind, rows, set->n, values);
    for (size_t i = 0; i < count; i++)
        if (set->wide)
            ((double *)array)[i] = values[i];
        else
            ((float *)array)[i] = (float)values[i];
    free(values);
    repeat(set, array, count);
    return true;
}

bool row_set_shape(struct row_set *set, enum scores kind, size_t n, size_t arrays, size_t slice_bytes,
                   size_t ring_bytes)
{
    const size_t row = n * arrays * width_of(set);
    set->n = n;
    set->at = 0;
    set->rows = slice_bytes / row > 1 ? slice_bytes / row : 1;
    if (set->rows > set->capacity / n)
        set->rows = set->capacity / n;
    set->slices = ring_bytes / (row * set->rows);
    if (set->slices > set->capacity / (n * set->rows))
        set->slices = set->capacity / (n * set->rows);
    if (set->slices < 1)
        set->slices = 1;
    return fill(set, kind, set->z) && fill(set, SCORES_NORMAL, set->g);
}

bool row_set_weigh(struct row_set *set, const norm_normalizer *normalizer, const norm_exec *exec)
{
    const struct row_set whole = *set;
    struct row_work work = {.set = set, .normalizer = normalizer, .exec = exec};
    set->rows = different_rows(set);
    set->slices = 1;
    set->at = 0;
    const bool fine = row_work_forward(&work, 1);
    const size_t known = set->rows * set->n;
    *set = whole;
    if (fine)
        repeat(set, set->w, known);
    return fine;
}

size_t row_set_bytes(const struct row_set *set, size_t arrays)
{
    return set->slices * set->rows * set->n * arrays * width_of(set);
}
