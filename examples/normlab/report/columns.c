/* SPDX-License-Identifier: MIT */
#include "columns.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define NBSP "\xc2\xa0"
#define AT(field) offsetof(norm_head_summary, field)

const struct column columns[] = {
    {"windows", "windows", "Windows of the text that were measured.", COLUMN_COUNT, false, NULL, AT(windows)},
    {"rows", "rows", "Rows of attention, one a token, in the means.", COLUMN_COUNT, false, NULL, AT(rows)},
    {"empty_rows", "empty rows", "Rows whose weights sum to 0; left out of the means.", COLUMN_COUNT, false, NULL,
     AT(empty_rows)},
    {"nan_rows", "NaN rows", "Rows with a weight that is not a number; left out of the means.", COLUMN_COUNT, false,
     NULL, AT(nan_rows)},
    {"entropy", "entropy", "Mean of H = -\xe2\x88\x91 p log p: 0 when one token takes all.", COLUMN_NATS, true,
     "Entropy", AT(entropy)},
    {"relative_entropy", "of the most",
     "Mean of H / log n over the n visible tokens: 100 % when they all weigh the same.", COLUMN_SHARE, true,
     "Entropy, of the most possible", AT(relative_entropy)},
    {"exp_entropy", "exp H", "Mean of exp H: over how many tokens the attention is spread.", COLUMN_TOKENS, true, NULL,
     AT(exp_entropy)},
    {"inverse_square", "1 / \xe2\x88\x91 p\xc2\xb2",
     "Mean of 1 / \xe2\x88\x91 p\xc2\xb2: the same question, with less say for small weights.", COLUMN_TOKENS, true,
     NULL, AT(inverse_square)},
    {"max_weight", "largest", "Mean of the largest weight of a row.", COLUMN_SHARE, true, "Largest weight",
     AT(max_weight)},
    {"first_mass", "first", "Mean weight on the first token of the window.", COLUMN_SHARE, true,
     "Weight on the first token", AT(first_mass)},
    {"self_mass", "self", "Mean weight on the token itself.", COLUMN_SHARE, true, NULL, AT(self_mass)},
    {"previous_mass", "previous", "Mean weight on the token before.", COLUMN_SHARE, true, "Weight on the token before",
     AT(previous_mass)},
    {"distance", "distance", "Mean distance to the tokens looked at, each by its weight.", COLUMN_TOKENS, true,
     "Distance looked back", AT(distance)},
    {"support", "support", "Mean number of weights that are not 0.", COLUMN_TOKENS, true, NULL, AT(support)},
    {"weight_sum", "weight sum", "Mean sum of a row's weights; the other columns divide by it.", COLUMN_SCORE, false,
     NULL, AT(weight_sum)},
    {"max_score", "top score", "Largest score of all rows, after the model's own scale.", COLUMN_SCORE, true, NULL,
     AT(max_score)},
    {"row_max_score", "row's top", "Mean of the rows' largest scores.", COLUMN_SCORE, true, NULL, AT(row_max_score)},
};
const size_t column_count = sizeof columns / sizeof columns[0];

double column_value(const struct column *column, const norm_head_summary *head)
{
    double value;
    memcpy(&value, (const char *)head + column->offset, sizeof value);
    return value;
}

struct column_number whole_show(double value)
{
    struct column_number n;
    char digits[32];
    size_t at = 0;
    int length = snprintf(digits, sizeof digits, "%.0f", value);
    for (int i = 0; i < length && at + 2 < sizeof n.text; i++) {
        n.text[at++] = digits[i];
        if (digits[i] != '-' && i + 1 < length && (length - 1 - i) % 3 == 0)
            n.text[at++] = ',';
    }
    n.text[at] = '\0';
    return n;
}

/* Three digits that matter, without an exponent where one reads better. */
static void show_three(char *text, size_t size, double value)
{
    double magnitude = fabs(value);
    if (magnitude >= 1e6 || (magnitude > 0 && magnitude < 1e-3))
        snprintf(text, size, "%.2e", value);
    else if (magnitude >= 99.95)
        snprintf(text, size, "%.0f", value);
    else
        snprintf(text, size, "%.*f", magnitude >= 9.995 ? 1 : 2, value);
}

struct column_number column_show(const struct column *column, double value, bool brief)
{
    struct column_number n;
    if (!isfinite(value)) {
        snprintf(n.text, sizeof n.text, "%s",
                 isnan(value) ? "\xe2\x80\x93"
                 : value > 0  ? "\xe2\x88\x9e"
                              : "-\xe2\x88\x9e");
        return n;
    }
    switch (column->kind) {
    case COLUMN_COUNT:
        return whole_show(value);
    case COLUMN_SHARE:
        snprintf(n.text, sizeof n.text, brief && value >= 0.0995 ? "%.0f" : "%.1f", 100 * value);
        break;
    case COLUMN_NATS:
        snprintf(n.text, sizeof n.text, brief ? "%.1f" : "%.2f", value);
        break;
    case COLUMN_TOKENS:
    case COLUMN_SCORE:
        if (brief)
            snprintf(n.text, sizeof n.text, "%.0f", value);
        else
            show_three(n.text, sizeof n.text, value);
        break;
    }
    return n;
}

const char *column_unit(const struct column *column)
{
    switch (column->kind) {
    case COLUMN_NATS:
        return NBSP "nats";
    case COLUMN_SHARE:
        return NBSP "%";
    case COLUMN_TOKENS:
        return NBSP "tokens";
    case COLUMN_COUNT:
    case COLUMN_SCORE:
        break;
    }
    return "";
}
