/* SPDX-License-Identifier: MIT */
/* core/pbm and core/asc: pictures and grids, what is refused; and files cut and flipped at random.
 */
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "tests/support.h"

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

START_TEST(pbm_round_trip)
{
    static const int widths[] = {1, 7, 8, 9, 64, 100};
    uint64_t random = test_seed();

    for (size_t i = 0; i < COUNT(widths); i++) {
        int64_t w = widths[i], h = 1 + (int64_t)(next_random(&random) % 20);
        uint8_t *cells = malloc((size_t)(w * h)), *back;
        struct ca_lattice lattice = {.size = {w, h, 1}, .type = CA_U8, .planes = 1};
        struct ca_row_source source;
        struct ca_size size, found;
        struct ca_error error;

        for (int64_t c = 0; c < w * h; c++)
            cells[c] = next_random(&random) & 1;
        lattice.plane[0] = cells;
        source = ca_lattice_source(&lattice);
        for (int plain = 0; plain < 2; plain++) {
            ck_assert_int_eq(ca_pbm_write(test_path("a.pbm"), &source, 1, plain, &error), CA_OK);
            ck_assert_int_eq(ca_pbm_size(test_path("a.pbm"), &found, &error), CA_OK);
            ck_assert_int_eq(test_pbm_read(test_path("a.pbm"), &back, &size, &error), CA_OK);
            ck_assert(ca_size_equal(size, (struct ca_size){w, h, 1}) && ca_size_equal(size, found));
            ck_assert_mem_eq(cells, back, (size_t)(w * h));
            free(back);
        }
        free(cells);
    }
}
END_TEST

/* The bytes of both forms, of the cells that have bit 2. */
START_TEST(pbm_forms)
{
    static const struct {
        const char *bytes;
        size_t count;
    } forms[] = {
#define ROW(text) {text, sizeof text - 1}
        ROW("P4\n9 2\n\xa0\x80\x40\x00"),
        ROW("P1\n9 2\n1 0 1 0 0 0 0 0 1 \n0 1 0 0 0 0 0 0 0 \n"),
    };
    uint8_t cells[18] = {2, 1, 3, 0, 0, 0, 0, 0, 2, 0, 2};
    struct ca_lattice lattice = {.size = {9, 2, 1}, .type = CA_U8, .planes = 1, .plane = {cells}};
    struct ca_row_source source = ca_lattice_source(&lattice);

    for (int plain = 0; plain < 2; plain++) {
        struct ca_error error;
        size_t size;
        char *bytes;

        ck_assert_int_eq(ca_pbm_write(test_path("f.pbm"), &source, 2, plain, &error), CA_OK);
        bytes = test_read(test_path("f.pbm"), &size);
        ck_assert_uint_eq(size, forms[plain].count);
        ck_assert_mem_eq(bytes, forms[plain].bytes, size);
        free(bytes);
    }
}
END_TEST

START_TEST(pbm_reads)
{
    static const struct {
        const char *bytes;
        size_t count;
    } rows[] = {
        ROW("P1\n3 2\n101\n010\n"),
        ROW("P1 3 2 1 0 1 0 1 0"),
        ROW("P1\n# a comment\n3 # width\n2\n1 0 1 # row\n0#\n1 0"),
        ROW("P1\n# produced by a program\n3 2\n1 0 1 \n0 1 0 \n"),
        ROW("P4\n3 2\n\xa0\x40"),
        ROW("P4\n# comment\n3\t2 \xbf\x5f"), /* what pads a row does not count */
    };
    static const uint8_t expected[] = {1, 0, 1, 0, 1, 0};

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ca_size size;
        struct ca_error error;
        uint8_t *cells;

        test_write(test_path("r.pbm"), rows[i].bytes, rows[i].count);
        ck_assert_msg(test_pbm_read(test_path("r.pbm"), &cells, &size, &error) == CA_OK, "%zu: %s",
                      i, error.text);
        ck_assert(ca_size_equal(size, (struct ca_size){3, 2, 1}));
        ck_assert_mem_eq(cells, expected, 6);
        free(cells);
    }
}
END_TEST

START_TEST(pbm_refuses)
{
    static const struct {
        const char *bytes;
        size_t count;
        const char *parts[2];
    } rows[] = {
        {"", 0, {"begins with P1 or P4"}},
        {"P2\n1 1\n1", 8, {":1: offset 0", "begins with P1 or P4"}},
        {"P1", 2, {"width"}},
        {"P1\nx 1\n1", 8, {":2:", "width"}},
        {"P1\n3x 1\n1", 9, {":2:", "width"}},
        {"P1\n3\n-1\n1", 9, {":3:", "height"}},
        {"P1\n0 1\n", 7, {"W = 0", "1 ..."}},
        {"P1\n99999999999 1\n", 17, {"W = 99999999999"}},
        {"P1\n2147483648 2147483648\n", 25, {"too large", "2^46"}},
        {"P1\n3 2\n1010", 11, {"5 bytes", "at least 6"}},
        {"P1\n3 2\n101\n01\n\n", 15, {":6:", "ends before the last cell"}},
        {"P1\n3 2\n101\n012\n", 15, {":4:", "0 or 1"}},
        {"P1\n3 2\n101\n0101\n", 16, {":4:", "more cells"}},
        {"P4\n3 2\n\xa0", 8, {"1 bytes", "expected 2 for 3x2"}},
        {"P4\n3 2\n\xa0\x40\x40", 10, {"3 bytes", "expected 2 for 3x2"}},
        {"P4\n3 2", 6, {"one blank"}},
        {"P4\n1000000 1000000\n", 19, {"0 bytes", "expected 125000000000"}},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ca_size size;
        struct ca_error error;
        uint8_t *cells;

        test_write(test_path("bad.pbm"), rows[i].bytes, rows[i].count);
        ck_assert_msg(test_pbm_read(test_path("bad.pbm"), &cells, &size, &error) == CA_IO, "%zu",
                      i);
        ck_assert_ptr_null(cells);
        ck_assert_contains(error.text, "bad.pbm");
        for (int p = 0; p < 2 && rows[i].parts[p]; p++)
            ck_assert_contains(error.text, rows[i].parts[p]);
    }
}
END_TEST

START_TEST(asc_reads)
{
    static const char *const texts[] = {
        "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -1\n"
        "1 2.5 -0\n4e0 5 6\n",
        "NROWS 2\r\nNCOLS 3\r\nCELLSIZE 0.5\r\n1 2.5 -0.0\r\n4 5 6\r\n",
        "nrows 2 ncols 3 1 2.5 0 4 5 6\n",
        "nodata_VALUE nan dx 1 dy 2 XLLCENTER -3 YLLCENTER 4 nrows 2 ncols 3\n1 2.5 0 4 5 6",
    };
    static const float expected[] = {1, 2.5f, 0, 4, 5, 6};

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct ca_size size, found;
        struct ca_error error;
        float *values;

        test_write(test_path("a.asc"), texts[i], strlen(texts[i]));
        ck_assert_int_eq(ca_asc_size(test_path("a.asc"), &found, &error), CA_OK);
        ck_assert_msg(ca_asc_read(test_path("a.asc"), false, &values, &size, &error) == CA_OK, "%s",
                      error.text);
        ck_assert(ca_size_equal(size, (struct ca_size){3, 2, 1}) && ca_size_equal(size, found));
        ck_assert_mem_eq(values, expected, sizeof expected); /* bits: no -0 */
        free(values);
    }
}
END_TEST

/* No shorter file holds its numbers: a digit each, a blank between two, nothing at the end. */
START_TEST(the_smallest_asc)
{
    static const char one[] = "ncols 1\nnrows 1\n7", four[] = "ncols 2\nnrows 2\n1 2\n3 4";
    struct ca_size size;
    struct ca_error error;
    float *values;

    test_write(test_path("one.asc"), one, strlen(one));
    ck_assert_int_eq(ca_asc_read(test_path("one.asc"), false, &values, &size, &error), CA_OK);
    ck_assert_float_eq(values[0], 7);
    free(values);
    test_write(test_path("four.asc"), four, strlen(four));
    ck_assert_int_eq(ca_asc_read(test_path("four.asc"), false, &values, &size, &error), CA_OK);
    ck_assert_float_eq(values[3], 4);
    free(values);
    test_write(test_path("less.asc"), four, strlen(four) - 1);
    ck_assert_int_eq(ca_asc_read(test_path("less.asc"), false, &values, &size, &error), CA_IO);
    ck_assert_contains(error.text, "6 bytes are left, too few for 4 numbers");
}
END_TEST

START_TEST(asc_refuses)
{
    static const struct {
        const char *text;
        const char *parts[2];
    } rows[] = {
        {"", {":1:", "lacks ncols"}},
        {"ncols 2\n1 2\n", {"lacks nrows"}},
        {"nrows 2\n1 2\n", {"lacks ncols"}},
        {"ncols 2\nnrows 2\nncols 2\n", {":3: 'ncols'", "twice"}},
        {"ncols 2\nrows 2\n", {":2: 'rows'", "expected a header key"}},
        {"ncols two\nnrows 2\n", {":1: 'two'", "expected a number"}},
        {"ncols 0\nnrows 2\n1 2\n", {"ncols = 0", "1 ... 2147483648"}},
        {"ncols 2.5\nnrows 2\n1 2\n", {"ncols = 2.5"}},
        {"ncols -2\nnrows 2\n1 2\n", {"ncols = -2"}},
        {"ncols 1e9\nnrows 1e9\n1 2\n", {"too large"}},
        {"ncols 100000\nnrows 100000\n1 2\n", {"too few for 10000000000 numbers"}},
        {"ncols 2\nnrows 2\n1 2\n3\n     \n", {":6: the file ends", "expected a number"}},
        {"ncols 2\nnrows 2\n1 2\n3 4 5\n", {":4: '5'", "more numbers"}},
        {"ncols 2\nnrows 2\n1 2\n3 x\n", {":4: 'x'", "expected a number"}},
        {"ncols 2\nnrows 2\n1 2\n3 4y\n", {":4: '4y'", "expected a number"}},
        {"ncols 2\nnrows 2\nnan 2\n3 4\n", {":3: 'nan'", "finite"}},
        {"ncols 2\nnrows 2\n1 2\n-inf 4\n", {":4: '-inf'", "finite"}},
        {"ncols 2\nnrows 2\n1 2\n3 1e39\n", {":4: '1e39'", "finite"}},
        {"ncols 2\nnrows 2\n1 2\n-9999 4\n", {":4: '-9999'", "no data"}},
        {"ncols 2\nnrows 2\nnodata_value 7\n1 2\n3 7.0\n", {":5: '7.0'", "no data"}},
        {"ncols 2\nnrows 2\ncellsize", {":3: the file ends", "header key"}},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ca_size size;
        struct ca_error error;
        float *values;

        test_write(test_path("bad.asc"), rows[i].text, strlen(rows[i].text));
        ck_assert_msg(ca_asc_read(test_path("bad.asc"), false, &values, &size, &error) == CA_IO,
                      "%s", rows[i].text);
        ck_assert_ptr_null(values);
        ck_assert_contains(error.text, "bad.asc");
        for (int p = 0; p < 2 && rows[i].parts[p]; p++)
            ck_assert_contains(error.text, rows[i].parts[p]);
    }
}
END_TEST

/* Cut and flipped at random, a file is refused or read, never worse. */
static void read_any(const char *path)
{
    struct ca_lattice lattice;
    struct ca_size size;
    struct ca_error error;
    uint8_t *cells;
    float *values;

    for (int m = 0; ca_models[m]; m++)
        if (test_npy_read(path, ca_models[m], &lattice, &error) == CA_OK)
            ca_lattice_free(&lattice);
    test_pbm_read(path, &cells, &size, &error);
    free(cells);
    ca_asc_read(path, false, &values, &size, &error);
    free(values);
}

START_TEST(damaged_files)
{
    static const char asc[] = "ncols 3\nnrows 2\nnodata_value -1\n1 2.5 -0\n4e0 5 6\n";
    static const char pbm[] = "P1\n# c\n3 2\n101\n010\n";
    static const char pbm4[] = "P4\n9 2\n\xa0\x40\xa0\x40";
    char *files[4];
    size_t counts[] = {0, sizeof asc - 1, sizeof pbm - 1, sizeof pbm4 - 1};
    uint64_t random = test_seed();
    struct ca_lattice lattice;
    struct ca_error error;

    ck_assert_int_eq(ca_lattice_alloc(&lattice, (struct ca_size){3, 2, 1}, CA_U8, 1, &error), 0);
    ck_assert_int_eq(test_npy_write(test_path("whole.npy"), &lattice, 2, &error), CA_OK);
    ca_lattice_free(&lattice);
    files[0] = test_read(test_path("whole.npy"), &counts[0]);
    files[1] = strdup(asc);
    files[2] = strdup(pbm);
    files[3] = malloc(sizeof pbm4);
    memcpy(files[3], pbm4, sizeof pbm4);
    for (int round = 0; round < 1500; round++) {
        int f = round % 4;
        size_t count = counts[f];
        char *bytes = malloc(count + 1);

        memcpy(bytes, files[f], count);
        if (next_random(&random) % 2)
            count = next_random(&random) % (count + 1);
        for (uint64_t flips = next_random(&random) % 4; count > 0 && flips > 0; flips--)
            bytes[next_random(&random) % count] ^= (char)(1u << next_random(&random) % 8);
        test_write(test_path("damaged"), bytes, count);
        read_any(test_path("damaged"));
        free(bytes);
    }
    for (int f = 0; f < 4; f++)
        free(files[f]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("grid");
    TCase *tests = tcase_create("grid");

    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, pbm_round_trip);
    tcase_add_test(tests, pbm_forms);
    tcase_add_test(tests, pbm_reads);
    tcase_add_test(tests, pbm_refuses);
    tcase_add_test(tests, asc_reads);
    tcase_add_test(tests, the_smallest_asc);
    tcase_add_test(tests, asc_refuses);
    tcase_add_test(tests, damaged_files);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
