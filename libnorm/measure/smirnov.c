/* SPDX-License-Identifier: MIT */
/* Kolmogorov's and Smirnov's test of two samples. */
#include <libnorm/statistics.h>

#include <math.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "bounds/check.h"
#include "measure/order.h"
#include "measure/smirnov.h"

#define FIRST (offsetof(norm_ks, rejected) + sizeof(int32_t))
/* Products of sizes, and these times a count, stay below 2^64. */
#define MOST ((size_t)1 << 31)
#define EXACT_PAIRS ((uint64_t)1 << 24)

static norm_status need(size_t a_count, size_t b_count, size_t *ret_bytes, norm_error *error)
{
    norm_status status = norm__bound_count(a_count, 1, MOST, "a_count", error);
    if (status == LIBNORM_OK)
        status = norm__bound_count(b_count, 1, MOST, "b_count", error);
    if (status == LIBNORM_OK)
        *ret_bytes = norm__piece(a_count * sizeof(size_t)) + norm__piece(b_count * sizeof(size_t)) +
                     norm__piece((b_count + 1) * sizeof(double));
    return status;
}

norm_status norm_measure_ks_workspace(size_t a_count, size_t b_count, size_t *ret_bytes, norm_error *ret_error)
{
    size_t bytes;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_pointer(ret_bytes, "ret_bytes", ret_error);
    if (status == LIBNORM_OK)
        status = need(a_count, b_count, &bytes, ret_error);
    if (status == LIBNORM_OK)
        *ret_bytes = bytes + NORM__ALIGN;
    return status;
}

static uint64_t apart(uint64_t x, uint64_t y)
{
    return x > y ? x - y : y - x;
}

/* The largest |i/a - j/b| times a b: whole, so that equal distances are equal. */
static uint64_t largest_distance(size_t a_count, const double *a, const size_t *a_order, size_t b_count,
                                 const double *b, const size_t *b_order)
{
    uint64_t largest = 0;
    for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
        const double x = a[a_order[i]], y = b[b_order[j]], value = x > y ? x : y;
        while (i < a_count && a[a_order[i]] == value)
            i++;
        while (j < b_count && b[b_order[j]] == value)
            j++;
        const uint64_t here = apart((uint64_t)i * b_count, (uint64_t)j * a_count);
        largest = here > largest ? here : largest;
    }
    return largest;
}

/* Two samples of n, distance h/n, by reflecting paths: 2 sum (-1)^(j+1) C(2n, n + jh) / C(2n, n). */
static double chance_equal(size_t n, size_t h)
{
    double sum = 0, term = 1, sign = 1;
    if (h == 0)
        return 1;
    for (size_t done = 0; n - done >= h; sign = -sign) {
        for (const size_t end = done + h; done < end;) {
            done++;
            term *= (double)(n - done + 1) / (double)(n + done);
        }
        sum += sign * term;
    }
    return fmin(1, 2 * sum);
}

/* Any sizes: the chance that a random order of i numbers of one sample and j of the other has been that far apart
 * somewhere, from what its last number was. Sums of positive terms. */
static double chance_exact(size_t a_count, size_t b_count, uint64_t distance, double *row)
{
    for (size_t i = 0; i <= a_count; i++)
        for (size_t j = 0; j <= b_count; j++) {
            const double before = i > 0 ? row[j] : 0, left = j > 0 ? row[j - 1] : 0;
            if (apart((uint64_t)i * b_count, (uint64_t)j * a_count) >= distance)
                row[j] = 1;
            else if (i + j == 0)
                row[j] = 0;
            else
                row[j] = ((double)i * before + (double)j * left) / (double)(i + j);
        }
    return row[b_count];
}

static double chance_large(size_t a_count, size_t b_count, double statistic)
{
    const double size = (double)a_count / ((double)a_count + (double)b_count) * (double)b_count;
    const double x = (sqrt(size) + 0.12 + 0.11 / sqrt(size)) * statistic;
    double sum = 0, sign = 1;
    if (x < 0.2)
        return 1;
    for (int k = 1; k <= 100; k++, sign = -sign)
        sum += sign * exp(-2.0 * k * k * x * x);
    return fmax(0, fmin(1, 2 * sum));
}

/* 2 / C(a + b, a) */
static double smallest_chance(size_t a_count, size_t b_count)
{
    const size_t few = a_count < b_count ? a_count : b_count, many = a_count < b_count ? b_count : a_count;
    double chance = 2;
    for (size_t i = 1; i <= few && chance > 0; i++)
        chance *= (double)i / (double)(many + i);
    return fmin(1, chance);
}

static norm_ks compare(size_t a_count, const double *a, size_t b_count, const double *b, double level,
                       struct norm__workspace *w)
{
    size_t *a_order = norm__workspace_take(w, a_count * sizeof *a_order);
    size_t *b_order = norm__workspace_take(w, b_count * sizeof *b_order);
    double *row = norm__workspace_take(w, (b_count + 1) * sizeof *row);
    const double an = (double)a_count, bn = (double)b_count;
    norm__order(a, a_count, a_count, a_order);
    norm__order(b, b_count, b_count, b_order);
    const uint64_t distance = largest_distance(a_count, a, a_order, b_count, b, b_order);
    norm_ks ks = {.struct_size = sizeof ks,
                  .statistic = (double)distance / (an * bn),
                  .threshold = sqrt(-log(level / 2) / 2) * sqrt((an + bn) / an / bn),
                  .smallest_p = smallest_chance(a_count, b_count),
                  .exact = a_count == b_count || (uint64_t)a_count * b_count <= EXACT_PAIRS};
    if (a_count == b_count)
        ks.p_value = chance_equal(a_count, (size_t)(distance / a_count));
    else if (ks.exact)
        ks.p_value = distance == 0 ? 1 : chance_exact(a_count, b_count, distance, row);
    else
        ks.p_value = chance_large(a_count, b_count, ks.statistic);
    ks.rejected = ks.p_value < level;
    return ks;
}

norm_status norm__ks(size_t a_count, const double *a, const char *a_name, size_t b_count, const double *b,
                     const char *b_name, double level, norm_ks *ret_ks, const norm_exec *exec, norm_error *error)
{
    norm_exec own;
    size_t bytes;
    struct norm__workspace w;
    norm_status status = norm__exec_read(&own, exec, error);
    if (status == LIBNORM_OK)
        status = need(a_count, b_count, &bytes, error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(a, a_count, NORM__ANY, a_name, error);
    if (status == LIBNORM_OK)
        status = norm__bound_array(b, b_count, NORM__ANY, b_name, error);
    if (status == LIBNORM_OK)
        status = norm__level(level, error);
    if (status == LIBNORM_OK)
        status = norm__workspace_open(&w, &own, bytes, error);
    if (status != LIBNORM_OK)
        return status;
    *ret_ks = compare(a_count, a, b_count, b, level, &w);
    norm__workspace_close(&w);
    return LIBNORM_OK;
}

norm_status norm__ks_writable(const norm_ks *given, norm_error *error)
{
    return norm__struct_writable(given, FIRST, "norm_ks", error);
}

norm_status norm_measure_ks(size_t a_count, const double *a, size_t b_count, const double *b, double level,
                            norm_ks *ret_ks, const norm_exec *exec, norm_error *ret_error)
{
    norm_ks ks;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__ks_writable(ret_ks, ret_error);
    if (status == LIBNORM_OK)
        status = norm__ks(a_count, a, "a", b_count, b, "b", level, &ks, exec, ret_error);
    if (status == LIBNORM_OK)
        norm__struct_write(ret_ks, &ks, sizeof ks);
    return status;
}
