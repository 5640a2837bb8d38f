/* SPDX-License-Identifier: MIT */
/* Making normalizers of one's own, callbacks that fail, and who is released when. */
#include <libnorm/norm.h>

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "support/allocator.h"
#include "support/support.h"

enum { rows_ = 6, cols = 8000, cells = rows_ * cols }; /* more than one piece of rows */

/* F = exp, with a call that fails, a value that is wrong, and counts. */
struct user {
    atomic_int calls, released;
    int fail_at, code;
    size_t wrong_at;
    double wrong; /* 0: none */
};

static int32_t give(struct user *u, size_t n, const double *t, double *ret)
{
    for (size_t i = 0; i < n; i++)
        ret[i] = exp(t[i]);
    if (u->wrong != 0 && u->wrong_at < n)
        ret[u->wrong_at] = u->wrong;
    return atomic_fetch_add(&u->calls, 1) + 1 == u->fail_at ? u->code : 0;
}

static int32_t f(void *user, size_t n, const double *t, double *ret)
{
    return give(user, n, t, ret);
}

static int32_t df(void *user, size_t n, const double *t, double *ret)
{
    return give(user, n, t, ret);
}

static int32_t d2f(void *user, size_t n, const double *t, double *ret)
{
    return give(user, n, t, ret);
}

static int32_t zero(void *user, size_t n, const double *t, double *ret)
{
    (void)user;
    for (size_t i = 0; i < n; i++)
        ret[i] = fmax(t[i], 0);
    return 0;
}

static int32_t step(void *user, size_t n, const double *t, double *ret)
{
    (void)user;
    for (size_t i = 0; i < n; i++)
        ret[i] = t[i] > 0;
    return 0;
}

static int32_t row_apply(void *user, size_t n, const double *z, double *ret)
{
    return give(user, n, z, ret);
}

static int32_t row_vjp(void *user, size_t n, const double *z, const double *w, const double *g, double *ret)
{
    (void)z;
    for (size_t i = 0; i < n; i++)
        ret[i] = w[i] * g[i];
    struct user *u = user;
    return atomic_fetch_add(&u->calls, 1) + 1 == u->fail_at ? u->code : 0;
}

static void released(void *user)
{
    struct user *u = user;
    atomic_fetch_add(&u->released, 1);
}

static struct user user;
static norm_family family;
static norm_row_function function;
static norm_error error;
static norm_normalizer *made;
static norm_rows rows;
static double z[cells], g[cells], d[cells], e[cells];

static void setup(void)
{
    memset(&user, 0, sizeof user);
    family = (norm_family){.struct_size = sizeof family, .flags = LIBNORM_CALLBACK_ANY_THREAD, .user = &user,
                           .release = released, .f = f, .df = df, .d2f = d2f};
    function = (norm_row_function){.struct_size = sizeof function, .user = &user, .release = released,
                                   .apply = row_apply, .vjp = row_vjp};
    error = (norm_error){sizeof error, 0, 0, ""};
    made = NULL;
    rows = (norm_rows){.struct_size = sizeof rows, .batch = 1, .rows = rows_, .cols = cols};
    struct support_random random = {1};
    for (size_t i = 0; i < cells; i++) {
        z[i] = support_normal(&random);
        g[i] = support_normal(&random);
    }
}

static void make(void)
{
    ck_assert_int_eq(norm_normalizer_from_family(&family, NULL, NULL, &made, &error), LIBNORM_OK);
}

START_TEST(its_text_names_it_and_is_refused_by_parse)
{
    char text[64];
    size_t length;
    double value;
    norm_normalizer *parsed = NULL;
    ck_assert_int_eq(norm_normalizer_from_family(&family, "exp-2", NULL, &made, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_normalizer_spec(made, text, sizeof text, &length), LIBNORM_OK);
    ck_assert_str_eq(text, "own.exp-2:temperature=1");
    ck_assert_int_eq(norm_normalizer_parse(text, length, NULL, &parsed, &error), LIBNORM_E_SPEC);
    ck_assert_str_eq(error.text, "'own.exp-2' is a normalizer of a program's own: a text cannot make it, "
                                 "expected a built-in name");
    ck_assert(error.where == 0 && parsed == NULL);
    ck_assert_int_eq(norm_normalizer_get(made, "temperature", &value), LIBNORM_OK);
    ck_assert(value == 1);
    ck_assert_uint_eq(norm_normalizer_properties(made), LIBNORM_PROPERTY_SIMPLEX | LIBNORM_PROPERTY_FAMILY);
    norm_normalizer_free(made);
    make();
    ck_assert_int_eq(norm_normalizer_spec(made, text, sizeof text, NULL), LIBNORM_OK);
    ck_assert_str_eq(text, "own.family:temperature=1");
    norm_normalizer_free(made);
    ck_assert_int_eq(norm_normalizer_from_row_function(&function, NULL, NULL, &made, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_normalizer_spec(made, text, sizeof text, NULL), LIBNORM_OK);
    ck_assert_str_eq(text, "own.row:temperature=1");
    norm_normalizer_free(made);
}
END_TEST

static void refused(const char *name, const char *text)
{
    ck_assert_int_eq(norm_normalizer_from_family(&family, name, NULL, &made, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, text);
    ck_assert(made == NULL && user.released == 0);
}

START_TEST(bad_arguments_are_named_and_release_nothing)
{
    refused("", "norm_normalizer_from_family: name is '': expected 1 to 32 letters, digits, '_' or '-'");
    refused("a:b", "norm_normalizer_from_family: name is 'a:b': expected 1 to 32 letters, digits, '_' or '-'");
    refused("a234567890123456789012345678901234", "norm_normalizer_from_family: name is "
            "'a234567890123456789012345678901234': expected 1 to 32 letters, digits, '_' or '-'");
    family.df = NULL;
    refused(NULL, "norm_normalizer_from_family: norm_family.df is NULL");
    family.f = NULL;
    refused(NULL, "norm_normalizer_from_family: norm_family.f is NULL");
    family.flags = 2;
    refused(NULL, "norm_family.flags has unknown bits 0x2");
    family.struct_size = 8;
    ck_assert_int_eq(norm_normalizer_from_family(&family, NULL, NULL, &made, &error), LIBNORM_E_ARGUMENT);
    ck_assert_int_eq(norm_normalizer_from_family(NULL, NULL, NULL, &made, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_normalizer_from_family: family is NULL");
    ck_assert_int_eq(norm_normalizer_from_family(&family, NULL, NULL, NULL, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_normalizer_from_family: ret_normalizer is NULL");
    function.properties = LIBNORM_PROPERTY_FAMILY | 4096;
    ck_assert_int_eq(norm_normalizer_from_row_function(&function, NULL, NULL, &made, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_normalizer_from_row_function: norm_row_function.properties has bits 0x1010 that "
                                 "are unknown or not for it");
    function.vjp = NULL;
    ck_assert_int_eq(norm_normalizer_from_row_function(&function, NULL, NULL, &made, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "norm_normalizer_from_row_function: norm_row_function.vjp is NULL");
    ck_assert(made == NULL && user.released == 0);
}
END_TEST

START_TEST(release_is_called_once_with_the_last_handle)
{
    norm_normalizer *cold = NULL, *colder = NULL;
    make();
    ck_assert(norm_normalizer_ref(made) == made);
    ck_assert_int_eq(norm_normalizer_with(made, "temperature", 0.5, &cold, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_normalizer_with(cold, "temperature", 0.25, &colder, &error), LIBNORM_OK);
    norm_normalizer_free(made);
    norm_normalizer_free(made);
    norm_normalizer_free(cold);
    ck_assert_int_eq(user.released, 0);
    rows.rows = 1;
    ck_assert_int_eq(norm_apply_f64(colder, &rows, z, d, NULL, NULL, &error), LIBNORM_OK);
    ck_assert(fabs(log(d[1] / d[0]) - 4 * (z[1] - z[0])) < 1e-12);
    norm_normalizer_free(colder);
    ck_assert_int_eq(user.released, 1);
}
END_TEST

START_TEST(out_of_memory_releases_nothing_and_leaks_nothing)
{
    for (size_t at = 1; at <= 2; at++) {
        struct support_allocator a;
        support_allocator_init(&a, at);
        ck_assert_int_eq(norm_normalizer_from_family(&family, NULL, &a.allocator, &made, &error), LIBNORM_E_NOMEM);
        ck_assert_int_eq(norm_normalizer_from_row_function(&function, NULL, &a.allocator, &made, &error),
                         LIBNORM_E_NOMEM);
        ck_assert(made == NULL && user.released == 0 && a.live == 0 && a.wrong == 0);
    }
    struct support_allocator a;
    support_allocator_init(&a, 0);
    ck_assert_int_eq(norm_normalizer_from_family(&family, NULL, &a.allocator, &made, &error), LIBNORM_OK);
    ck_assert_uint_eq(a.live, 2);
    norm_normalizer *copy = NULL;
    ck_assert_int_eq(norm_normalizer_with(made, "temperature", 2, &copy, &error), LIBNORM_OK);
    norm_normalizer_free(made);
    norm_normalizer_free(copy);
    ck_assert(user.released == 1 && a.live == 0 && a.wrong == 0);
}
END_TEST

/* Every operation, until it no longer fails at call number k; returns how many calls it took. */
static int fail_each(norm_status (*run)(const norm_exec *exec), int32_t threads)
{
    struct support_allocator a;
    support_allocator_init(&a, 0);
    const norm_exec exec = {.struct_size = sizeof exec, .threads = threads, .allocator = &a.allocator};
    for (int k = 1;; k++) {
        atomic_store(&user.calls, 0);
        user.fail_at = k;
        user.code = 1000 + k;
        error = (norm_error){sizeof error, 0, 0, ""};
        const norm_status status = run(&exec);
        ck_assert(a.live == 0 && a.wrong == 0);
        if (status == LIBNORM_OK)
            return k - 1;
        ck_assert_int_eq(status, LIBNORM_E_CALLBACK);
        ck_assert_int_eq(error.where, 1000 + k);
        ck_assert_msg(strstr(error.text, " failed with code 10") != NULL, "%s", error.text);
    }
}

#define RUN(name, call)                                                                                                \
    static norm_status name(const norm_exec *exec)                                                                     \
    {                                                                                                                  \
        return call;                                                                                                   \
    }

RUN(run_apply, norm_apply_f64(made, &rows, z, d, NULL, exec, &error))
RUN(run_log_apply, norm_log_apply_f64(made, &rows, z, d, NULL, exec, &error))
RUN(run_vjp, norm_vjp_f64(made, &rows, z, NULL, g, d, exec, &error))
RUN(run_log_vjp, norm_log_vjp_f64(made, &rows, z, NULL, g, d, exec, &error))
RUN(run_jvp, norm_jvp_f64(made, &rows, z, NULL, g, d, exec, &error))
RUN(run_hvp, norm_hvp_f64(made, &rows, z, g, z, d, e, exec, &error))
RUN(run_param, norm_param_vjp_f64(made, &rows, z, NULL, g, "temperature", d, exec, &error))

START_TEST(a_code_comes_back_from_every_call_of_a_callback)
{
    make();
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        ck_assert_int_eq(fail_each(run_apply, threads), rows_);
        ck_assert_int_eq(fail_each(run_log_apply, threads), rows_);
        ck_assert_int_eq(fail_each(run_vjp, threads), 2 * rows_);
        ck_assert_int_eq(fail_each(run_log_vjp, threads), 2 * rows_);
        ck_assert_int_eq(fail_each(run_jvp, threads), 2 * rows_);
        ck_assert_int_eq(fail_each(run_hvp, threads), 3 * rows_);
        ck_assert_int_eq(fail_each(run_param, threads), 2 * rows_);
    }
    norm_normalizer_free(made);
    rows.cols = 5;
    ck_assert_int_eq(norm_normalizer_from_row_function(&function, "mine", NULL, &made, &error), LIBNORM_OK);
    ck_assert_int_eq(fail_each(run_apply, 1), rows_);
    ck_assert_int_eq(fail_each(run_vjp, 1), 2 * rows_);
    ck_assert_int_eq(fail_each(run_jvp, 1), (1 + 5) * rows_); /* apply, and a VJP a row of the Jacobian */
    user.fail_at = 2;
    user.code = -7;
    user.calls = 0;
    ck_assert_int_eq(run_vjp(NULL), LIBNORM_E_CALLBACK);
    ck_assert_str_eq(error.text, "norm_vjp_f64: vjp of own.mine failed with code -7 at row 0");
    ck_assert_int_eq(error.where, -7);
    norm_normalizer_free(made);
}
END_TEST

START_TEST(values_that_are_not_allowed_are_named)
{
    uint8_t visible[6] = {0, 1, 0, 1, 1, 1};
    rows.rows = 2;
    rows.cols = 6;
    rows.visible = visible;
    rows.visible_stride[2] = 1;
    make();
    user.wrong_at = 1;
    user.wrong = -0.5;
    ck_assert_int_eq(run_apply(NULL), LIBNORM_E_CALLBACK);
    ck_assert_str_eq(error.text, "norm_apply_f64: f of own.family gave -0.5 for column 3 of row 0: expected a finite "
                                 "number >= 0");
    ck_assert_int_eq(error.where, -1);
    user.wrong = NAN;
    ck_assert_int_eq(run_vjp(NULL), LIBNORM_E_CALLBACK);
    ck_assert_str_eq(error.text, "norm_vjp_f64: f of own.family gave nan for column 3 of row 0: expected a finite "
                                 "number >= 0");
    user.wrong = INFINITY;
    ck_assert_int_eq(run_apply(NULL), LIBNORM_E_CALLBACK);
    norm_normalizer_free(made);
    family.f = zero; /* right; the others are wrong */
    family.df = step;
    make();
    ck_assert_int_eq(run_hvp(NULL), LIBNORM_E_CALLBACK);
    ck_assert_str_eq(error.text, "norm_hvp_f64: d2f of own.family gave inf for column 3 of row 0: expected a finite "
                                 "number");
    norm_normalizer_free(made);
    ck_assert_int_eq(norm_normalizer_from_row_function(&function, NULL, NULL, &made, &error), LIBNORM_OK);
    user.wrong = -1;
    ck_assert_int_eq(run_apply(NULL), LIBNORM_OK); /* weights may be negative */
    ck_assert(d[3] == -1 && d[0] == 0);
    ck_assert_int_eq(run_log_apply(NULL), LIBNORM_E_CALLBACK);
    ck_assert_str_eq(error.text, "norm_log_apply_f64: apply of own.row gave -1 for column 3 of row 0: expected a "
                                 "number >= 0, whose logarithm was asked for");
    norm_normalizer_free(made);
}
END_TEST

START_TEST(a_row_whose_f_are_all_zero_is_empty)
{
    const double low[3] = {-1, -2, -3}, up[3] = {1, 2, 3};
    double w[3], log_w[3], out[3];
    rows = (norm_rows){.struct_size = sizeof rows, .batch = 1, .rows = 1, .cols = 3};
    family.f = zero;
    family.df = step;
    make();
    ck_assert_int_eq(norm_apply_f64(made, &rows, low, w, NULL, NULL, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_log_apply_f64(made, &rows, low, log_w, NULL, NULL, &error), LIBNORM_OK);
    ck_assert_int_eq(norm_vjp_f64(made, &rows, low, NULL, up, out, NULL, &error), LIBNORM_OK);
    for (int i = 0; i < 3; i++)
        ck_assert(w[i] == 0 && log_w[i] == -INFINITY && out[i] == 0);
    norm_normalizer_free(made);
}
END_TEST

START_TEST(what_callbacks_lack_is_unsupported)
{
    family.d2f = NULL;
    make();
    ck_assert_int_eq(norm_normalizer_supports(made, LIBNORM_OPERATION_HVP), 0);
    ck_assert_int_eq(norm_normalizer_supports(made, LIBNORM_OPERATION_LOSS), 0);
    ck_assert_int_eq(norm_normalizer_supports(made, LIBNORM_OPERATION_JVP), 1);
    ck_assert_int_eq(norm_normalizer_supports(made, LIBNORM_OPERATION_LOG_VJP), 1);
    ck_assert_int_eq(run_hvp(NULL), LIBNORM_E_UNSUPPORTED);
    ck_assert_str_eq(error.text, "norm_hvp_f64: own.family does not have this operation");
    norm_normalizer_free(made);
}
END_TEST

/* A host that counts the tasks it was given. */
static size_t tasks_given;
static void run_tasks(void *host, size_t tasks, void (*task)(void *arg, size_t index), void *arg)
{
    (void)host;
    tasks_given = tasks;
    for (size_t i = 0; i < tasks; i++)
        task(arg, i);
}

START_TEST(without_the_flag_a_call_stays_on_one_thread)
{
    const norm_exec exec = {.struct_size = sizeof exec, .threads = 3, .parallel_for = run_tasks};
    for (uint32_t flags = 0; flags <= LIBNORM_CALLBACK_ANY_THREAD; flags++) {
        norm_normalizer *copy = NULL;
        family.flags = flags;
        make();
        ck_assert_int_eq(norm_normalizer_with(made, "temperature", 2, &copy, &error), LIBNORM_OK);
        norm_normalizer_free(made);
        tasks_given = 0;
        ck_assert_int_eq(norm_apply_f64(copy, &rows, z, d, NULL, &exec, &error), LIBNORM_OK);
        ck_assert_uint_eq(tasks_given, flags == LIBNORM_CALLBACK_ANY_THREAD ? 2 : 0);
        norm_normalizer_free(copy);
    }
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("own");
    TCase *tests = tcase_create("own");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, its_text_names_it_and_is_refused_by_parse);
    tcase_add_test(tests, bad_arguments_are_named_and_release_nothing);
    tcase_add_test(tests, release_is_called_once_with_the_last_handle);
    tcase_add_test(tests, out_of_memory_releases_nothing_and_leaks_nothing);
    tcase_add_test(tests, a_code_comes_back_from_every_call_of_a_callback);
    tcase_add_test(tests, values_that_are_not_allowed_are_named);
    tcase_add_test(tests, a_row_whose_f_are_all_zero_is_empty);
    tcase_add_test(tests, what_callbacks_lack_is_unsupported);
    tcase_add_test(tests, without_the_flag_a_call_stays_on_one_thread);
    suite_add_tcase(suite, tests);
    return suite;
}
