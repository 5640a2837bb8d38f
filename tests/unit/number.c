/* SPDX-License-Identifier: MIT */
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "support/support.h"

START_TEST(text_is_the_shortest_that_reads_back)
{
    ck_assert_str_eq(norm__text_f64(0.43).text, "0.43");
    ck_assert_str_eq(norm__text_f64(1e-8).text, "1e-08");
    ck_assert_str_eq(norm__text_f64(1.0 / 3).text, "0.3333333333333333");
    ck_assert_str_eq(norm__text_f64(DBL_MAX).text, "1.7976931348623157e+308");
    ck_assert_str_eq(norm__text_f64(-INFINITY).text, "-inf");
    ck_assert_str_eq(norm__text_f32(0.1f).text, "0.1");
    ck_assert_str_eq(norm__text_f32(FLT_MIN).text, "1.1754944e-38");
}
END_TEST

START_TEST(every_double_reads_back)
{
    struct support_random r = {support_seed(1)};
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = support_next(&r);
        double x, back = 0;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        norm__number number = norm__text_f64(x);
        ck_assert_msg(norm__read_f64(number.text, strlen(number.text), &back) && back == x, "%s", number.text);
    }
}
END_TEST

START_TEST(only_plain_decimal_numbers_are_read)
{
    static const char *const bad[] = {"",    "-",  ".",  "1e",  "1e+",   "0x1p3", "inf",
                                      "nan", " 1", "1 ", "1,5", "1e999", "1.2.3"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double x = 42;
        ck_assert_msg(!norm__read_f64(bad[i], strlen(bad[i]), &x) && x == 42, "%s", bad[i]);
    }
    double x = 0;
    ck_assert(norm__read_f64("-.5e1", 5, &x) && x == -5);
    ck_assert(norm__read_f64("1.", 2, &x) && x == 1);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("number");
    TCase *tests = tcase_create("number");
    tcase_add_test(tests, text_is_the_shortest_that_reads_back);
    tcase_add_test(tests, every_double_reads_back);
    tcase_add_test(tests, only_plain_decimal_numbers_are_read);
    suite_add_tcase(suite, tests);
    return suite;
}
