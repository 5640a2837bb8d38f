/* SPDX-License-Identifier: MIT */
#include "gpt2/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"
#include "support/tensors.h"

#define T(name, dtype, shape, begin, end)                                                                              \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":[" shape "],\"data_offsets\":[" #begin "," #end "]}"

static norm_status open_bytes(const struct support_bytes *file, struct norm__safetensors *st, norm_error *error)
{
    *error = (norm_error){sizeof *error, 0, 0, ""};
    return norm__safetensors_open(st, "'f'", file->data, file->size, NULL, error);
}

static norm_status open_header(const char *header, size_t size, norm_error *error)
{
    struct support_bytes file = support_safetensors(header, NULL, size);
    struct norm__safetensors st;
    norm_status status = open_bytes(&file, &st, error);
    if (status == LIBNORM_OK)
        norm__safetensors_close(&st);
    free(file.data);
    return status;
}

static void accepted(const char *header, size_t size)
{
    norm_error error;
    ck_assert_msg(open_header(header, size, &error) == LIBNORM_OK, "%s: %s", header, error.text);
}

static void refused(const char *header, size_t size, norm_status status, int64_t where, const char *text)
{
    norm_error error;
    ck_assert_int_eq(open_header(header, size, &error), status);
    ck_assert_str_eq(error.text, text);
    ck_assert_int_eq(error.where, where);
}

START_TEST(legal_files_are_accepted)
{
    accepted("{}", 0);
    accepted("{}      ", 0);
    accepted("{" T("a", "F32", "2,3", 0, 24) "," T("b", "BF16", "1", 24, 26) "}", 26);
    accepted("{" T("b", "BF16", "1", 24, 26) "," T("a", "F32", "2,3", 0, 24) "}", 26); /* any order */
    accepted("{" T("a", "F64", "", 0, 8) "}", 8);                                      /* rank 0 */
    accepted("{" T("a", "F32", "0", 0, 0) "," T("b", "U8", "3", 0, 3) "," T("c", "F16", "7,0,2", 3, 3) "}", 3);
    accepted("{\"__metadata__\":{\"format\":\"pt\",\"\":\"\"}," T("a", "BOOL", "1", 0, 1) "}", 1);
    accepted("{" T("a", "F4", "4", 0, 2) "," T("b", "F6_E2M3", "4", 2, 5) "," T("c", "F8_E4M3", "2", 5, 7) "}", 7);
    accepted("{" T("a", "F32", "0,9223372036854775807,2", 0, 0) "}", 0);
}
END_TEST

START_TEST(a_tensor_is_found_where_it_lies)
{
    struct support_bytes file = support_safetensors(
        "{" T("a", "F16", "3", 0, 6) "," T("b", "F32", "2,1", 6, 14) "," T("c", "I8", "1", 14, 15) "}",
        "abcdefghijklmno", 15);
    struct norm__safetensors st;
    struct norm__tensor t;
    norm_error error;
    ck_assert_int_eq(open_bytes(&file, &st, &error), LIBNORM_OK);
    ck_assert(norm__safetensors_find(&st, "b", &t));
    ck_assert_mem_eq(t.data, "ghijklmn", 8);
    ck_assert_uint_eq(t.offset, file.size - 9);
    ck_assert_uint_eq(t.elements, 2);
    ck_assert_int_eq(t.dtype, NORM__F32);
    ck_assert(norm__tensor_is(&t, (size_t[]){2, 1}, 2));
    ck_assert(!norm__tensor_is(&t, (size_t[]){1, 2}, 2));
    ck_assert(!norm__tensor_is(&t, (size_t[]){2}, 1));
    ck_assert_str_eq(norm__tensor_shape_text(&t).text, "[2, 1]");
    ck_assert(norm__safetensors_find(&st, "c", &t));
    ck_assert_int_eq(t.dtype, NORM__OTHER);
    ck_assert_str_eq(norm__tensor_dtype_text(&t).text, "I8");
    ck_assert(!norm__safetensors_find(&st, "d", &t));
    ck_assert(!norm__safetensors_find(&st, "__metadata__", &t));
    norm__safetensors_close(&st);
    free(file.data);
}
END_TEST

START_TEST(the_length_is_checked_before_anything_else)
{
    static const struct {
        unsigned char bytes[10];
        size_t size;
        int64_t where;
        const char *text;
    } bad[] = {
        {{0}, 0, 0, "'f': 0 bytes: expected at least the 8 of a safetensors length"},
        {{2, 0, 0, 0, 0, 0, 0}, 7, 7, "'f': 7 bytes: expected at least the 8 of a safetensors length"},
        {{255, 255, 255, 255, 255, 255, 255, 255},
         8,
         0,
         "'f': header of 18446744073709551615 bytes: expected at most 100000000 (is it safetensors?)"},
        {{1, 225, 245, 5, 0, 0, 0, 0, '{', '}'},
         10,
         0,
         "'f': header of 100000001 bytes: expected at most 100000000 (is it safetensors?)"},
        {{0, 225, 245, 5, 0, 0, 0, 0, '{', '}'},
         10,
         0,
         "'f': header of 100000000 bytes: the file ends 2 bytes after the length"},
        {{3, 0, 0, 0, 0, 0, 0, 0, '{', '}'}, 10, 0, "'f': header of 3 bytes: the file ends 2 bytes after the length"},
        {{0, 0, 0, 0, 0, 0, 0, 0, '{', '}'}, 10, 8, "'f': byte 8: expected the '{' of a header"},
        {{2, 0, 0, 0, 0, 0, 0, 0, ' ', '{'}, 10, 8, "'f': byte 8: expected the '{' of a header"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct norm__safetensors st;
        norm_error error = {sizeof error, 0, 0, ""};
        ck_assert_int_eq(norm__safetensors_open(&st, "'f'", bad[i].bytes, bad[i].size, NULL, &error), LIBNORM_E_FORMAT);
        ck_assert_str_eq(error.text, bad[i].text);
        ck_assert_int_eq(error.where, bad[i].where);
    }
}
END_TEST

START_TEST(a_key_that_appears_twice_is_named)
{
    refused("{" T("a", "U8", "1", 0, 1) "," T("a", "U8", "1", 1, 2) "}", 2, LIBNORM_E_FORMAT, 64,
            "'f': byte 64 (line 1, column 56): the key 'a' appears twice");
    refused("{\"transformer.h.11.attn.c_attn.weight\":1,\"transformer.h.11.attn.c_attn.weight\":1}", 0,
            LIBNORM_E_FORMAT, 86,
            "'f': byte 86 (line 1, column 78): the key 'transformer.h.11.attn.c_attn.weight' appears twice");
    refused("{\"a\":{\"dtype\":\"U8\",\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4, LIBNORM_E_FORMAT, 34,
            "'f': byte 34 (line 1, column 26): the key 'dtype' appears twice");
    refused("{\"a\\\\\\\"\":1,\"a\\\\\\\"\":1}", 0, LIBNORM_E_FORMAT, 26,
            "'f': byte 26 (line 1, column 18): the key 'a\\\\\\\"' appears twice");
}
END_TEST

START_TEST(malformed_headers_are_refused)
{
    refused("{\"a\":}", 0, LIBNORM_E_FORMAT, 14,
            "'f': byte 14 (line 1, column 6): not valid JSON: unexpected token near '}'");
    refused("{} x", 0, LIBNORM_E_FORMAT, 12,
            "'f': byte 12 (line 1, column 4): not valid JSON: end of file expected near 'x'");
    refused("{\"a\":[0,4]}", 4, LIBNORM_E_FORMAT, -1,
            "'f': tensor 'a': its entry is an array: expected an object with dtype, shape and data_offsets");
    refused("{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, LIBNORM_E_FORMAT, -1,
            "'f': tensor 'a': dtype is nothing: expected a string");
    refused("{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, LIBNORM_E_FORMAT, -1,
            "'f': tensor 'a': shape is nothing: expected an array of integers");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, LIBNORM_E_FORMAT, -1,
            "'f': tensor 'a': data_offsets is nothing: expected an array of two integers");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}", 4, LIBNORM_E_FORMAT, -1,
            "'f': tensor 'a': data_offsets is an array: expected an array of two integers");
    refused("{" T("a", "F33", "1", 0, 4) "}", 4, LIBNORM_E_UNSUPPORTED, -1, "'f': tensor 'a': unknown dtype 'F33'");
    refused("{\"__metadata__\":{\"step\":3}}", 0, LIBNORM_E_FORMAT, -1,
            "'f': __metadata__ 'step' is 3: expected a string");
    refused("{\"__metadata__\":\"pt\"}", 0, LIBNORM_E_FORMAT, -1,
            "'f': __metadata__ is 'pt': expected an object of strings");
}
END_TEST

START_TEST(shapes_and_offsets_are_plain_whole_numbers)
{
    static const struct {
        const char *json, *found;
    } bad[] = {{"-1", "-1"}, {"1.0", "1.0"}, {"1e3", "1000.0"}, {"1.5", "1.5"}, {"\"1\"", "'1'"}, {"null", "null"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char header[128], text[160];
        snprintf(header, sizeof header, "{\"a\":{\"dtype\":\"U8\",\"shape\":[2,%s],\"data_offsets\":[0,2]}}",
                 bad[i].json);
        snprintf(text, sizeof text, "'f': tensor 'a': a dimension is %s: expected an integer from 0 to 2^63 - 1",
                 bad[i].found);
        refused(header, 2, LIBNORM_E_FORMAT, -1, text);
        snprintf(header, sizeof header, "{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,%s]}}",
                 bad[i].json);
        snprintf(text, sizeof text, "'f': tensor 'a': a data offset is %s: expected an integer from 0 to 2^63 - 1",
                 bad[i].found);
        refused(header, 2, LIBNORM_E_FORMAT, -1, text);
    }
    refused("{" T("a", "U8", "9223372036854775808", 0, 0) "}", 0, LIBNORM_E_FORMAT, 55,
            "'f': byte 55 (line 1, column 47): not valid JSON: too big integer near '9223372036854775808'");
}
END_TEST

START_TEST(products_that_wrap_are_refused)
{
    static const char *const shapes[] = {"4294967296,4294967296",   "4611686018427387906,4,2",
                                         "9223372036854775807,2",   "9223372036854775807,9223372036854775807",
                                         "4294967296,4294967296,0", "576460752303423488"};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char header[160];
        snprintf(header, sizeof header, "{\"a\":{\"dtype\":\"F32\",\"shape\":[%s],\"data_offsets\":[0,0]}}", shapes[i]);
        refused(header, 0, LIBNORM_E_FORMAT, -1, "'f': tensor 'a': its shape times 32 bits does not fit an address");
    }
}
END_TEST

START_TEST(a_tensor_has_the_length_its_shape_says)
{
    refused("{" T("a", "F32", "1000,1000", 0, 4) "}", 4, LIBNORM_E_FORMAT, -1,
            "'f': tensor 'a': data_offsets [0, 4] hold 4 bytes: its shape and dtype need 4000000");
    refused("{" T("a", "F32", "", 0, 0) "}", 0, LIBNORM_E_FORMAT, -1,
            "'f': tensor 'a': data_offsets [0, 0] hold 0 bytes: its shape and dtype need 4");
    refused("{" T("a", "U8", "2", 4, 2) "}", 4, LIBNORM_E_FORMAT, -1,
            "'f': tensor 'a': data_offsets [4, 2] run backwards");
    refused("{" T("a", "F4", "3", 0, 2) "}", 2, LIBNORM_E_FORMAT, -1, "'f': tensor 'a': 12 bits are not whole bytes");
}
END_TEST

START_TEST(tensors_cover_the_data_exactly)
{
    refused("{" T("a", "U8", "2", 0, 2) "}", 1, LIBNORM_E_FORMAT, 8 + 53 + 1,
            "'f': tensor 'a': data_offsets [0, 2] reach beyond the 1 bytes of data: is the file cut off?");
    refused("{" T("a", "U8", "2", 0, 2) "}", 3, LIBNORM_E_FORMAT, 8 + 53 + 2,
            "'f': 1 bytes after the last tensor, which ends at offset 2 of the data: expected none");
    refused("{}", 1, LIBNORM_E_FORMAT, 10,
            "'f': 1 bytes after the last tensor, which ends at offset 0 of the data: expected none");
    refused("{" T("a", "U8", "2", 1, 3) "}", 3, LIBNORM_E_FORMAT, 8 + 53 + 1,
            "'f': tensor 'a' begins at offset 1 of the data: expected 0, where the header ends (a hole)");
    refused("{" T("b", "U8", "1", 3, 4) "," T("a", "U8", "2", 0, 2) "}", 4, LIBNORM_E_FORMAT, 8 + 105 + 3,
            "'f': tensor 'b' begins at offset 3 of the data: expected 2, where 'a' ends (a hole)");
    refused("{" T("b", "U8", "3", 1, 4) "," T("a", "U8", "2", 0, 2) "}", 4, LIBNORM_E_FORMAT, 8 + 105 + 1,
            "'f': tensor 'b' begins at offset 1 of the data: expected 2, where 'a' ends (an overlap)");
    refused("{" T("a", "U8", "2", 0, 2) "," T("b", "U8", "2", 0, 2) "}", 2, LIBNORM_E_FORMAT, 8 + 105,
            "'f': tensor 'b' begins at offset 0 of the data: expected 2, where 'a' ends (an overlap)");
}
END_TEST

Suite *support_suite(void)
{
    Suite *suite = suite_create("safetensors");
    TCase *tests = tcase_create("safetensors");
    tcase_add_test(tests, legal_files_are_accepted);
    tcase_add_test(tests, a_tensor_is_found_where_it_lies);
    tcase_add_test(tests, the_length_is_checked_before_anything_else);
    tcase_add_test(tests, a_key_that_appears_twice_is_named);
    tcase_add_test(tests, malformed_headers_are_refused);
    tcase_add_test(tests, shapes_and_offsets_are_plain_whole_numbers);
    tcase_add_test(tests, products_that_wrap_are_refused);
    tcase_add_test(tests, a_tensor_has_the_length_its_shape_says);
    tcase_add_test(tests, tensors_cover_the_data_exactly);
    suite_add_tcase(suite, tests);
    return suite;
}
