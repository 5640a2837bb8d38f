/* SPDX-License-Identifier: MIT */
/* Blocks of rows of one head after the other. */
#include "measure/meter.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/structs.h"
#include "bounds/check.h"
#include "measure/distance.h"
#include "measure/head.h"
#include "measure/order.h"

/* The records of the caller, whose size is theirs. */
struct sheet {
    const norm_distance_meter *meter;
    norm_distance_record *records;
};

static norm_distance_record *record_at(const struct sheet *sheet, size_t bin, size_t k)
{
    const size_t i = bin * sheet->meter->top_count + k;
    return (norm_distance_record *)(void *)((unsigned char *)sheet->records + i * sheet->records->struct_size);
}

/* Which length a row of n tokens belongs to; length_count: none. */
static size_t bin_of(const norm_distance_meter *m, size_t n)
{
    size_t bin = 0;
    while (bin < m->length_count && m->lengths[bin] < n)
        bin++;
    return bin;
}

static norm_status check_records(const norm_distance_meter *m, const norm_head_view *view, double window,
                                 const struct sheet *sheet, norm_error *error)
{
    for (size_t i = 0; i < m->length_count * m->top_count; i++) {
        const norm_distance_record *record = record_at(sheet, i / m->top_count, i % m->top_count);
        norm_distance_record own;
        if (record->struct_size != sheet->records->struct_size)
            return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "record %zu has the struct_size %u: expected %u", i,
                              (unsigned)record->struct_size, (unsigned)sheet->records->struct_size);
        norm_status status =
            norm__struct_writable(record, NORM__DISTANCE_RECORD_FIRST, "norm_distance_record", error);
        if (status == LIBNORM_OK && view->first_row > 0) {
            status = norm__distance_record_read(&own, record, error);
            if (status == LIBNORM_OK &&
                (own.layer != view->layer || own.head != view->head || own.window != window ||
                 own.length != (double)m->lengths[i / m->top_count] ||
                 own.selected != (double)m->tops[i % m->top_count]))
                status = norm__fail(error, LIBNORM_E_ARGUMENT, -1, "record %zu is not of layer %d, head %d", i,
                                    (int)view->layer, (int)view->head);
        }
        if (status != LIBNORM_OK)
            return status;
    }
    return LIBNORM_OK;
}

static norm_status check_view(const norm_distance_meter *m, const norm_head_view *view, const float *vectors,
                              int64_t stride, double window, norm_error *error)
{
    if (vectors == NULL && view->rows > 0 && view->values == NULL)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_head_view.values is NULL, and so is vectors");
    if (vectors == NULL && view->rows > 0 && view->head_dim != m->dim)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "norm_head_view.head_dim is %llu: expected dim, %zu",
                          (unsigned long long)view->head_dim, m->dim);
    if (vectors != NULL && stride != 0 && stride < (int64_t)m->dim)
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1, "vector_stride is %lld: expected 0 or at least dim, %zu",
                          (long long)stride, m->dim);
    for (uint64_t r = 0; r < view->rows; r++)
        if (view->visible[r] > m->max_tokens)
            return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                              "norm_head_view.visible[%llu] is %llu: expected at most max_tokens, %zu",
                              (unsigned long long)r, (unsigned long long)view->visible[r], m->max_tokens);
    if (view->first_row != 0 && (view->first_row != m->rows || view->layer != m->layer || view->head != m->head ||
                                 window != m->window))
        return norm__fail(error, LIBNORM_E_ARGUMENT, -1,
                          "row %llu of layer %d, head %d does not follow row %zu of layer %d, head %d",
                          (unsigned long long)view->first_row, (int)view->layer, (int)view->head, m->rows,
                          (int)m->layer, (int)m->head);
    return LIBNORM_OK;
}

static void begin_head(norm_distance_meter *m, const norm_head_view *view, double window, const struct sheet *sheet)
{
    m->layer = view->layer;
    m->head = view->head;
    m->window = window;
    m->rows = m->known = m->good = 0;
    for (size_t i = 0; i < m->length_count * m->top_count; i++) {
        norm_distance_record own;
        norm__distance_record_empty(&own, view->layer, view->head, window, (double)m->lengths[i / m->top_count],
                                    (double)m->tops[i % m->top_count]);
        norm__struct_write(record_at(sheet, i / m->top_count, i % m->top_count), &own, sizeof own);
    }
}

/* The weights of a row in double, zeros behind. False: one is not finite. */
static bool read_weights(const float *from, size_t n, double *to, size_t padded, bool *ret_positive)
{
    bool fine = true, positive = true;
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i];
        fine &= fabs(to[i]) < INFINITY;
        positive &= to[i] >= 0;
    }
    memset(to + n, 0, (padded - n) * sizeof *to);
    *ret_positive = positive;
    return fine;
}

/* s for every N of a row, largest weights first, and where the mean is wanted that. */
static void sum_contexts(norm_distance_meter *m, const struct norm__meter_place *place)
{
    const size_t slots = m->top_count + 1, most = (size_t)m->tops[m->top_count - 1];
    double *s = m->contexts + place->index * slots * m->dim;
    const double *weight = m->weight + place->index * m->padded, *total = m->totals + place->index * m->dim;
    size_t *order = m->order + place->index * most, selected = 0;
    norm__order(weight, place->n, most < place->n ? most : place->n, order);
    memset(s, 0, slots * m->dim * sizeof *s);
    for (size_t k = 0; k < m->top_count && m->tops[k] < place->n; k++) {
        if (k > 0)
            memcpy(s + k * m->dim, s + (k - 1) * m->dim, m->dim * sizeof *s);
        for (; selected < m->tops[k]; selected++) {
            const double w = weight[order[selected]], *x = norm__meter_vector(m, order[selected]);
            for (size_t j = 0; j < m->dim; j++)
                s[k * m->dim + j] += w * x[j];
        }
    }
    for (size_t j = 0; j < m->dim; j++)
        s[m->top_count * m->dim + j] = total[j] / (double)place->n;
}

/* Adds to the counts of rows that cannot be measured for N number k and beyond. */
static void count_out(const struct sheet *sheet, size_t bin, size_t first, bool bad)
{
    for (size_t k = first; k < sheet->meter->top_count; k++) {
        norm_distance_record *record = record_at(sheet, bin, k);
        if (bad)
            record->nan_rows += 1;
        else
            record->short_rows += 1;
    }
}

static void finish_row(norm_distance_meter *m, const struct norm__meter_place *place, const struct sheet *sheet)
{
    /* The members that a row changes are in every caller's struct. */
    const size_t bin = bin_of(m, place->n);
    size_t k = 0;
    while (k < m->top_count && m->tops[k] < place->n)
        k++;
    norm__meter_row(m, place, record_at(sheet, bin, 0), sheet->records->struct_size);
    count_out(sheet, bin, k, false);
}

/* Rows first ... first + count - 1 of the view together. */
static void add_group(norm_distance_meter *m, const norm_head_view *view, uint64_t first, size_t count,
                      const struct sheet *sheet)
{
    struct norm__meter_place places[NORM__METER_ROWS];
    size_t used = 0, longest = 0;
    for (uint64_t r = first; r < first + count; r++) {
        struct norm__meter_place place = {used, (size_t)view->visible[r], true};
        const size_t bin = bin_of(m, place.n);
        if (bin == m->length_count)
            continue;
        const bool fine = read_weights(view->weights + (int64_t)r * view->weight_stride, place.n,
                                       m->weight + used * m->padded, m->padded, &place.positive);
        if (!fine || place.n > m->good) {
            count_out(sheet, bin, 0, true);
        } else if (place.n < 2) {
            count_out(sheet, bin, 0, false);
        } else {
            longest = place.n > longest ? place.n : longest;
            places[used++] = place;
        }
    }
    if (used == 0)
        return;
    if (m->parts & (LIBNORM_DISTANCE_EXPECTED | LIBNORM_DISTANCE_BOUNDS))
        m->loops->weigh(m->weight, m->padded, used, longest, m->x, m->dim, m->totals);
    for (size_t q = 0; q < used; q++)
        sum_contexts(m, &places[q]);
    m->loops->dots(m->contexts, used * (m->top_count + 1), m->dim, m->panels, norm__meter_padded(longest), m->dots,
                   m->padded);
    for (size_t q = 0; q < used; q++)
        finish_row(m, &places[q], sheet);
}

norm_status norm_distance_meter_add(norm_distance_meter *meter, const norm_head_view *view, const float *vectors,
                                    int64_t vector_stride, double window, norm_distance_record *records,
                                    norm_error *ret_error)
{
    norm_head_view seen;
    if (!norm__error_usable(ret_error))
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__bound_pointer(meter, "meter", ret_error);
    if (status == LIBNORM_OK)
        status = norm__bound_pointer(records, "records", ret_error);
    if (status == LIBNORM_OK)
        status = norm__head_view_read(&seen, view, ret_error);
    const struct sheet sheet = {meter, records};
    if (status == LIBNORM_OK)
        status = check_view(meter, &seen, vectors, vector_stride, window, ret_error);
    if (status == LIBNORM_OK)
        status = check_records(meter, &seen, window, &sheet, ret_error);
    if (status != LIBNORM_OK)
        return status;
    if (seen.first_row == 0)
        begin_head(meter, &seen, window, &sheet);
    uint64_t tokens = 0;
    for (uint64_t r = 0; r < seen.rows; r++)
        if (bin_of(meter, (size_t)seen.visible[r]) < meter->length_count && seen.visible[r] > tokens)
            tokens = seen.visible[r];
    const float *from = vectors != NULL ? vectors : seen.values;
    const int64_t packed = vector_stride != 0 ? vector_stride : (int64_t)meter->dim;
    const int64_t stride = vectors != NULL ? packed : seen.value_stride;
    norm__meter_tokens(meter, from, stride, (size_t)tokens);
    for (uint64_t r = 0; r < seen.rows; r += NORM__METER_ROWS)
        add_group(meter, &seen, r, seen.rows - r < NORM__METER_ROWS ? (size_t)(seen.rows - r) : NORM__METER_ROWS,
                  &sheet);
    meter->rows += (size_t)seen.rows;
    return LIBNORM_OK;
}

int32_t norm_distance_observe(void *user, const norm_head_view *view)
{
    const size_t first = offsetof(norm_distance_observer, vector_stride) + sizeof(int64_t);
    norm_distance_observer o;
    norm_head_view seen;
    if (user == NULL)
        return LIBNORM_E_ARGUMENT;
    norm_status status = norm__struct_read(&o, sizeof o, user, first, 0, "norm_distance_observer", NULL);
    if (status == LIBNORM_OK)
        status = norm__head_view_read(&seen, view, NULL);
    if (status != LIBNORM_OK)
        return status;
    if (o.records == NULL || o.meter == NULL || seen.layer < 0 || (uint64_t)seen.layer >= o.n_layer || seen.head < 0 ||
        (uint64_t)seen.head >= o.n_head)
        return LIBNORM_E_ARGUMENT;
    const size_t index = (size_t)seen.layer * (size_t)o.n_head + (size_t)seen.head;
    const size_t each = o.meter->length_count * o.meter->top_count * o.records->struct_size;
    norm_distance_record *records = (norm_distance_record *)(void *)((unsigned char *)o.records + index * each);
    return norm_distance_meter_add(o.meter, view, o.vectors, o.vector_stride, o.window, records, NULL);
}
