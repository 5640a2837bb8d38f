/* SPDX-License-Identifier: MIT */
/* Prints the table of docs/numerics.md: the largest errors of every normalizer against 280 bits. Arguments: rows a
 * normalizer, scores of the longest row, seed. */
#include <stdio.h>
#include <stdlib.h>

#include <libnorm/version.h>

#include "errors.h"
#include "support/support.h"

/* The tests' main wants one. */
Suite *support_suite(void)
{
    return suite_create("none");
}

static void number(double x, const char *form)
{
    printf(" ");
    printf(form, x);
    printf(" |");
}

int main(int argc, char **argv)
{
    const size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
    const size_t longest = argc > 2 ? strtoul(argv[2], NULL, 10) : 64;
    const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    printf("%zu rows of up to %zu scores for each, seed %llu.\n\n", rows, longest, (unsigned long long)seed);
    printf("| normalizer | weights f32 | ulp | VJP f32 | weights f64 | ulp | VJP f64 |\n"
           "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < errors_spec_count; i++) {
        const struct measured m = errors_measure(errors_specs[i], rows, longest, seed + i);
        printf("| `%s` |", errors_specs[i]);
        const struct errors *const widths[] = {&m.f32, &m.f64};
        for (int w = 0; w < 2; w++) {
            number(widths[w]->weight, "%.1e");
            if (widths[w]->weight_ulp > 0)
                number(widths[w]->weight_ulp, "%.2f");
            else
                printf(" |");
            number(widths[w]->vjp, "%.1e");
        }
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
