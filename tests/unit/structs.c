/* SPDX-License-Identifier: MIT */
#include "base/structs.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "support/support.h"

/* What this library knows, what an older caller knew, and what a newer one will know. */
struct now {
    uint32_t struct_size, flags;
    int32_t a, b;
    double c;
};
struct newer {
    struct now now;
    int64_t d;
};
enum { first_release = offsetof(struct now, c) };

START_TEST(no_struct_stands_for_zeros)
{
    struct now own;
    memset(&own, 0xFF, sizeof own);
    ck_assert_int_eq(norm__struct_read(&own, sizeof own, NULL, first_release, 0, "now", NULL), LIBNORM_OK);
    ck_assert_uint_eq(own.struct_size, sizeof own);
    ck_assert(own.flags == 0 && own.a == 0 && own.b == 0 && own.c == 0);
}
END_TEST

START_TEST(an_older_caller_gets_zeros_for_what_it_did_not_know)
{
    struct now own, given = {first_release, 2, 3, 4, 5.0};
    ck_assert_int_eq(norm__struct_read(&own, sizeof own, &given, first_release, 2, "now", NULL), LIBNORM_OK);
    ck_assert_uint_eq(own.struct_size, sizeof own);
    ck_assert_uint_eq(own.flags, 2);
    ck_assert(own.a == 3 && own.b == 4 && own.c == 0);
}
END_TEST

START_TEST(a_newer_caller_is_served_if_it_does_not_use_what_is_new)
{
    struct newer given = {{sizeof given, 1, 3, 4, 5.0}, 0};
    struct now own;
    norm_error error = {sizeof error, 0, 0, ""};
    ck_assert_int_eq(norm__struct_read(&own, sizeof own, &given, first_release, 1, "now", &error), LIBNORM_OK);
    ck_assert(own.struct_size == sizeof own && own.flags == 1 && own.a == 3 && own.b == 4 && own.c == 5);
    unsigned char *tail = (unsigned char *)&given.d;
    for (size_t i = 0; i < sizeof given.d; i++) {
        given.d = 0;
        tail[i] = 1;
        ck_assert_int_eq(norm__struct_read(&own, sizeof own, &given, first_release, 1, "now", &error),
                         LIBNORM_E_ARGUMENT);
    }
    ck_assert_str_eq(error.text,
                     "now is from a newer libnorm and uses a field this one does not have (byte 31 of 32)");
}
END_TEST

START_TEST(sizes_below_the_first_release_and_unknown_flags_are_refused)
{
    struct now own, given = {first_release - 1, 0, 3, 4, 5.0};
    norm_error error = {sizeof error, 0, 0, ""};
    ck_assert_int_eq(norm__struct_read(&own, sizeof own, &given, first_release, 0, "now", &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "now.struct_size is 15: expected sizeof(now), at least 16");
    given.struct_size = 0;
    ck_assert_int_eq(norm__struct_read(&own, sizeof own, &given, first_release, 0, "now", NULL), LIBNORM_E_ARGUMENT);
    given.struct_size = sizeof given;
    given.flags = 0x80000005u;
    ck_assert_int_eq(norm__struct_read(&own, sizeof own, &given, first_release, 5, "now", &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "now.flags has unknown bits 0x80000000");
}
END_TEST

START_TEST(results_are_written_as_far_as_the_caller_knows)
{
    const struct now own = {sizeof own, 9, 1, 2, 3.0};
    struct now older = {first_release, 0, 0, 0, -1.0};
    struct newer newer = {{sizeof newer, 0, 0, 0, 0}, -1};
    norm_error error = {sizeof error, 0, 0, ""};
    ck_assert_int_eq(norm__struct_writable(&older, first_release, "now", &error), LIBNORM_OK);
    norm__struct_write(&older, &own, sizeof own);
    ck_assert(older.struct_size == first_release && older.flags == 9 && older.b == 2 && older.c == -1);
    norm__struct_write(&newer, &own, sizeof own);
    ck_assert(newer.now.struct_size == sizeof newer && newer.now.c == 3 && newer.d == -1);
    older.struct_size = 8;
    ck_assert_int_eq(norm__struct_writable(&older, first_release, "now", &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "now.struct_size is 8: expected sizeof(now), at least 16");
    ck_assert_int_eq(norm__struct_writable(NULL, first_release, "now", &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "now is NULL");
}
END_TEST

static void assert_exec_refused(const norm_exec *exec, const char *message)
{
    norm_error error = {sizeof error, 0, 0, ""};
    norm_exec own;
    ck_assert_int_eq(norm__exec_read(&own, exec, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, message);
}

START_TEST(an_exec_is_checked)
{
    norm_exec own, exec = {.struct_size = sizeof exec, .threads = 1024, .cpu_level = LIBNORM_CPU_AVX2};
    norm_allocator allocator = {NULL, NULL, NULL};
    ck_assert_int_eq(norm__exec_read(&own, NULL, NULL), LIBNORM_OK);
    ck_assert_int_eq(own.threads, 0);
    ck_assert_int_eq(norm__exec_read(&own, &exec, NULL), LIBNORM_OK);
    ck_assert(own.threads == 1024 && own.cpu_level == LIBNORM_CPU_AVX2);
    exec.threads = 1025;
    assert_exec_refused(&exec, "norm_exec.threads is 1025: expected 0 to 1024");
    exec.threads = -1;
    assert_exec_refused(&exec, "norm_exec.threads is -1: expected 0 to 1024");
    exec.threads = 0;
    exec.cpu_level = 41;
    assert_exec_refused(&exec, "norm_exec.cpu_level is 41: expected 0 or LIBNORM_CPU_...");
    exec.cpu_level = 0;
    exec.flags = 1;
    assert_exec_refused(&exec, "norm_exec.flags has unknown bits 0x1");
    exec.flags = 0;
    exec.workspace_size = 10;
    assert_exec_refused(&exec, "norm_exec.workspace is NULL, but its size is 10");
    exec.workspace_size = 0;
    exec.allocator = &allocator;
    assert_exec_refused(&exec, "norm_exec.allocator lacks alloc or release");
    exec.struct_size = 16;
    char message[100];
    snprintf(message, sizeof message, "norm_exec.struct_size is 16: expected sizeof(norm_exec), at least %zu",
             offsetof(norm_exec, progress) + sizeof exec.progress);
    assert_exec_refused(&exec, message);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("structs");
    TCase *tests = tcase_create("structs");
    tcase_add_test(tests, no_struct_stands_for_zeros);
    tcase_add_test(tests, an_older_caller_gets_zeros_for_what_it_did_not_know);
    tcase_add_test(tests, a_newer_caller_is_served_if_it_does_not_use_what_is_new);
    tcase_add_test(tests, sizes_below_the_first_release_and_unknown_flags_are_refused);
    tcase_add_test(tests, results_are_written_as_far_as_the_caller_knows);
    tcase_add_test(tests, an_exec_is_checked);
    suite_add_tcase(suite, tests);
    return suite;
}
