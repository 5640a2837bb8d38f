/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "support/support.h"

/* An allocator that keeps the books: what is out, what it was asked for, and when to refuse. */
struct book {
    size_t live, calls, refuse_from, last_align;
};

static void *book_alloc(void *user, size_t size, size_t align)
{
    struct book *book = user;
    void *p = NULL;
    book->last_align = align;
    if (++book->calls > book->refuse_from || posix_memalign(&p, align, size) != 0)
        return NULL;
    book->live += size;
    return p;
}

static void book_release(void *user, void *p, size_t size)
{
    struct book *book = user;
    book->live -= size;
    free(p);
}

START_TEST(sizes_that_do_not_fit_are_refused)
{
    size_t r = 7;
    ck_assert(norm__mul(SIZE_MAX / 3, 3, &r) && r == SIZE_MAX / 3 * 3);
    ck_assert(norm__mul(0, SIZE_MAX, &r) && r == 0);
    ck_assert(norm__mul(SIZE_MAX, 0, &r) && r == 0);
    ck_assert(norm__mul(SIZE_MAX, 1, &r) && r == SIZE_MAX);
    ck_assert(norm__add(SIZE_MAX - 5, 5, &r) && r == SIZE_MAX);
    r = 7;
    ck_assert(!norm__mul(SIZE_MAX / 2 + 1, 2, &r));
    ck_assert(!norm__mul(SIZE_MAX, SIZE_MAX, &r));
    ck_assert(!norm__add(SIZE_MAX, 1, &r));
    ck_assert(!norm__add(SIZE_MAX - 5, 6, &r));
    ck_assert_uint_eq(r, 7);
}
END_TEST

START_TEST(pieces_are_rounded_up_to_a_cache_line)
{
    ck_assert_uint_eq(norm__piece(0), 0);
    ck_assert_uint_eq(norm__piece(1), 64);
    ck_assert_uint_eq(norm__piece(64), 64);
    ck_assert_uint_eq(norm__piece(65), 128);
    ck_assert_uint_eq(norm__piece(SIZE_MAX - 63), SIZE_MAX - 63);
    ck_assert_uint_eq(norm__piece(SIZE_MAX - 62), SIZE_MAX);
    ck_assert_uint_eq(norm__piece(SIZE_MAX), SIZE_MAX);
}
END_TEST

START_TEST(memory_comes_aligned_from_the_callers_allocator_and_goes_back_with_its_size)
{
    struct book book = {0, 0, SIZE_MAX, 0};
    const norm_allocator allocator = {&book, book_alloc, book_release};
    void *p = norm__alloc(&allocator, 100), *q = norm__alloc_array(&allocator, 10, 24);
    ck_assert_ptr_nonnull(p);
    ck_assert_ptr_nonnull(q);
    ck_assert_uint_eq((uintptr_t)p % NORM__ALIGN, 0);
    ck_assert_uint_eq(book.last_align, NORM__ALIGN);
    ck_assert_uint_eq(book.live, 340);
    norm__release(&allocator, p, 100);
    norm__release(&allocator, q, 240);
    norm__release(&allocator, NULL, 5);
    ck_assert_uint_eq(book.live, 0);
    /* Size 0 is a pointer like any other: allocators need not know it. */
    p = norm__alloc(&allocator, 0);
    ck_assert_ptr_nonnull(p);
    ck_assert_uint_eq(book.live, 1);
    norm__release(&allocator, p, 0);
    ck_assert_uint_eq(book.live, 0);
    ck_assert_uint_eq(book.calls, 3);
    ck_assert_ptr_null(norm__alloc_array(&allocator, SIZE_MAX / 8 + 1, 8));
    ck_assert_ptr_null(norm__alloc(&allocator, (size_t)PTRDIFF_MAX + 1));
    ck_assert_uint_eq(book.calls, 3);
}
END_TEST

START_TEST(without_an_allocator_malloc_serves)
{
    unsigned char *p = norm__alloc(NULL, 1000);
    ck_assert_ptr_nonnull(p);
    ck_assert_uint_eq((uintptr_t)p % NORM__ALIGN, 0);
    memset(p, 1, 1000);
    norm__release(NULL, p, 1000);
    ck_assert_ptr_null(norm__alloc(NULL, PTRDIFF_MAX - 4096)); /* malloc's answer */
    ck_assert_ptr_null(norm__alloc(NULL, SIZE_MAX - 4096));    /* ours */
}
END_TEST

START_TEST(a_workspace_of_any_alignment_holds_the_pieces)
{
    const size_t wanted = norm__piece(10) + norm__piece(100) + norm__piece(64);
    for (size_t offset = 0; offset < 64; offset++) {
        struct support_guard g = support_guard_new(wanted + NORM__ALIGN, offset);
        norm_exec exec = {.struct_size = sizeof exec, .workspace = g.data, .workspace_size = g.size};
        struct norm__workspace w;
        ck_assert_int_eq(norm__workspace_open(&w, &exec, wanted, NULL), LIBNORM_OK);
        static const size_t sizes[] = {10, 100, 64};
        unsigned char *before = g.data;
        for (size_t i = 0; i < 3; i++) {
            unsigned char *p = norm__workspace_take(&w, sizes[i]);
            ck_assert_uint_eq((uintptr_t)p % NORM__ALIGN, 0);
            ck_assert(p >= before);
            before = p + sizes[i];
            memset(p, 0x11, sizes[i]);
        }
        norm__workspace_close(&w);
        ck_assert(support_guard_intact(&g));
        support_guard_free(&g);
    }
}
END_TEST

START_TEST(a_workspace_too_small_is_refused_with_the_size_it_needs)
{
    struct support_guard g = support_guard_new(400, 1);
    norm_exec exec = {.struct_size = sizeof exec, .workspace = g.data, .workspace_size = 128 + 62};
    norm_error error = {sizeof error, 0, 0, ""};
    struct norm__workspace w;
    ck_assert_int_eq(norm__workspace_open(&w, &exec, 128, &error), LIBNORM_E_ARGUMENT);
    ck_assert_str_eq(error.text, "workspace of 190 bytes is too small: 192 are needed");
    exec.workspace_size = 62; /* less than the way to the first aligned byte */
    ck_assert_int_eq(norm__workspace_open(&w, &exec, 1, &error), LIBNORM_E_ARGUMENT);
    exec.workspace_size = 128 + 63;
    ck_assert_int_eq(norm__workspace_open(&w, &exec, 128, &error), LIBNORM_OK);
    norm__workspace_close(&w);
    support_guard_free(&g);
}
END_TEST

START_TEST(a_workspace_of_our_own_is_given_back)
{
    struct book book = {0, 0, 1, 0};
    const norm_allocator allocator = {&book, book_alloc, book_release};
    norm_exec exec = {.struct_size = sizeof exec, .allocator = &allocator};
    norm_error error = {sizeof error, 0, 0, ""};
    struct norm__workspace w;
    ck_assert_int_eq(norm__workspace_open(&w, &exec, 0, &error), LIBNORM_OK);
    norm__workspace_close(&w);
    ck_assert_uint_eq(book.calls, 0);
    ck_assert_int_eq(norm__workspace_open(&w, &exec, 256, &error), LIBNORM_OK);
    ck_assert_uint_eq(book.live, 256);
    memset(norm__workspace_take(&w, 200), 1, 200);
    norm__workspace_close(&w);
    ck_assert_uint_eq(book.live, 0);
    ck_assert_int_eq(norm__workspace_open(&w, &exec, 256, &error), LIBNORM_E_NOMEM);
    ck_assert_int_eq(error.status, LIBNORM_E_NOMEM);
    ck_assert_str_eq(error.text, "out of memory: 256 bytes of workspace");
    ck_assert_int_eq(norm__workspace_open(&w, NULL, SIZE_MAX, NULL), LIBNORM_E_NOMEM);
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("memory");
    tcase_add_test(tests, sizes_that_do_not_fit_are_refused);
    tcase_add_test(tests, pieces_are_rounded_up_to_a_cache_line);
    tcase_add_test(tests, memory_comes_aligned_from_the_callers_allocator_and_goes_back_with_its_size);
    tcase_add_test(tests, without_an_allocator_malloc_serves);
    tcase_add_test(tests, a_workspace_of_any_alignment_holds_the_pieces);
    tcase_add_test(tests, a_workspace_too_small_is_refused_with_the_size_it_needs);
    tcase_add_test(tests, a_workspace_of_our_own_is_given_back);
    suite_add_tcase(suite, tests);
    return suite;
}
