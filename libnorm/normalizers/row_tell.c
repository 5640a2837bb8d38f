/* SPDX-License-Identifier: MIT */
/* What a row tells besides its result. */
#include <math.h>

#include "normalizers/row.h"
#include "normalizers/sum.h"

double norm__row_entropy(const double *w, size_t n)
{
    const double total = norm__total(w, n);
    if (total == 0)
        return 0;
    struct norm__sum entropy = {0, 0};
    for (size_t i = 0; i < n; i++) {
        const double p = w[i] / total;
        if (p != 0)
            norm__sum_add(&entropy, -p * log(p));
    }
    return norm__sum_value(entropy);
}

static void put(double *array, size_t index, double value)
{
    if (array != NULL)
        array[index] = value;
}

void norm__row_tell(const struct norm__line *line, const struct norm__telling *t)
{
    const norm_row_outputs *o = &line->call->outputs;
    const uint32_t gives = line->call->kind->flags;
    const size_t i = line->index;
    struct norm__telling said = *t;
    switch (t->class) {
    case NORM__ROW_NAN:
        said.facts = NORM__NO_FACTS;
        said.max_score = said.entropy = NAN;
        said.support = (double)line->sight.n;
        line->slot->nan_rows++;
        break;
    case NORM__ROW_EMPTY:
        said.facts = NORM__NO_FACTS;
        said.facts.log_sum = -INFINITY;
        said.max_score = -INFINITY;
        said.entropy = said.support = 0;
        line->slot->empty_rows++;
        break;
    case NORM__ROW_POS_INF:
        said.facts.log_sum = gives & NORM__KIND_LOG_SUM ? INFINITY : NAN;
        said.facts.threshold = gives & NORM__KIND_THRESHOLD ? INFINITY : NAN;
        break;
    default:
        break;
    }
    line->slot->inf_rows += said.has_inf && t->class != NORM__ROW_NAN;
    put(o->log_sum, i, said.facts.log_sum);
    put(o->threshold, i, said.facts.threshold);
    put(o->support, i, said.support);
    put(o->entropy, i, said.entropy);
    put(o->max_score, i, said.max_score);
}

void norm__line_fill(const struct norm__line *line, int view, double visible, double hidden)
{
    const struct norm__call *c = line->call;
    c->cells->fill(visible, &line->sight, (size_t)c->rows.cols, hidden, norm__line_cells(line, view),
                   c->view[view].stride[2]);
}
