/* SPDX-License-Identifier: MIT */
/* core/pbm and core/asc: pictures and grids, what is refused; and files cut and flipped at random.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "tests/support/support.h"

static struct ca_error error;

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

        for (int64_t c = 0; c < w * h; c++)
            cells[c] = next_random(&random) & 1;
        lattice.plane[0] = cells;
        source = ca_lattice_source(&lattice);
        for (int plain = 0; plain < 2; plain++) {
            ck_assert_ok(ca_pbm_write(test_path("a.pbm"), &source, 1, plain, &error));
            ck_assert_ok(ca_pbm_size(test_path("a.pbm"), &found, &error));
            ck_assert_ok(test_pbm_read(test_path("a.pbm"), &back, &size, &error));
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
        size_t size;
        char *bytes;

        ck_assert_ok(ca_pbm_write(test_path("f.pbm"), &source, 2, plain, &error));
        bytes = test_read(test_path("f.pbm"), &size);
        ck_assert_uint_eq(size, forms[plain].count);
        ck_assert_mem_eq(bytes, forms[plain].bytes, size);
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
        ROW("\xef\xbb\xbfP1\n3 2\n101\n010\n"),
        ROW("P1\n# a comment\n3 # width\n2\n1 0 1 # row\n0#\n1 0"),
        ROW("P1\n# produced by a program\n3 2\n1 0 1 \n0 1 0 \n"),
        ROW("P4\n3 2\n\xa0\x40"),
        ROW("P4\n# comment\n3\t2 \xbf\x5f"), /* what pads a row does not count */
    };
    static const uint8_t expected[] = {1, 0, 1, 0, 1, 0};

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ca_size size;
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
        "nodata_VALUE nan dx 2 dy 2.0000001 XLLCENTER -3 YLLCENTER 4 nrows 2 ncols 3\n1 2.5 0 4 5 "
        "6",
        "\xef\xbb\xbfncols\t3\r\nnRows\t2\r\nNODATA\t7\r\n1\t2.5\t0\r\n.4D+01\t+5\t6.0d0\r\n",
    };
    static const float expected[] = {1, 2.5f, 0, 4, 5, 6};

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct ca_size size, found;
        float *values;

        test_put("a.asc", texts[i]);
        ck_assert_ok(ca_asc_size(test_path("a.asc"), &found, &error));
        ck_assert_ok(ca_asc_read(test_path("a.asc"), "", &values, &size, &error));
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
    float *values;

    test_put("one.asc", one);
    ck_assert_ok(ca_asc_read(test_path("one.asc"), "", &values, &size, &error));
    ck_assert_float_eq(values[0], 7);
    free(values);
    test_put("four.asc", four);
    ck_assert_ok(ca_asc_read(test_path("four.asc"), "", &values, &size, &error));
    ck_assert_float_eq(values[3], 4);
    free(values);
    test_write(test_path("less.asc"), four, strlen(four) - 1);
    ck_assert_int_eq(ca_asc_read(test_path("less.asc"), "", &values, &size, &error), CA_IO);
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
        {"ncols 2\nnrows 2\nnan 2\n3 4\n",
         {":3: 'nan', which means no data", "every cell must have a value"}},
        {"ncols 2\nnrows 2\n1 2\n-inf 4\n",
         {":4: '-inf', expected a number of -10000000 ... 10000000", "NODATA_value"}},
        {"ncols 2\nnrows 2\n1 2\n3 1e39\n", {":4: '1e39'", "single precision"}},
        {"ncols 2\nnrows 2\n1 2\n-9999 4\n", {":4: '-9999'", "no data"}},
        {"ncols 2\nnrows 2\nnodata_value 7\n1 2\n3 7.0\n", {":5: '7.0'", "no data"}},
        {"ncols 2\nnrows 2\n1 2\n3 10000001\n", {":4: '10000001'", "-10000000 ... 10000000"}},
        {"ncols 2\nnrows 2\n1 2\n3 -3.4028235e38\n", {":4:", "NODATA_value in the header"}},
        {"ncols 2\nnrows 2\n1 2\n3 0x10\n", {":4: '0x10'", "expected a number"}},
        {"ncols 2\nnrows 2\n1 2\n3 1,5\n", {":4: '1,5'", "expected a number"}},
        {"ncols 1\nnrows 1\ncellsize -1\n1\n", {"cellsize = -1 is not allowed", "above 0"}},
        {"ncols 1\nnrows 1\ncellsize 0\n1\n", {"cellsize = 0 is not allowed", "above 0"}},
        {"ncols 1\nnrows 1\ncellsize nan\n1\n", {"cellsize = nan is not allowed", "above 0"}},
        {"ncols 1\nnrows 1\ncellsize inf\n1\n", {"cellsize = inf is not allowed", "above 0"}},
        {"ncols 1\nnrows 1\ndx 1\ndy 0\n1\n", {"dy = 0 is not allowed", "above 0"}},
        {"ncols 1\nnrows 1\ndx 1\ndy 1.00001\n1\n", {"dx = 1 and dy = 1.00001", "square"}},
        {"ncols 1\nnrows 1\ndx 1\n1\n", {"dx and dy stand", "together"}},
        {"ncols 1\nnrows 1\ncellsize 2 dx 1\ndy 1\n1\n", {"cellsize = 2, but dx = 1", ""}},
        {"ncols 1\nnrows 1\nxllcorner nan\n1\n", {"xllcorner = nan is not", "finite"}},
        {"ncols 1\nnrows 1\nyllcenter 1 yllcorner 1\n1\n", {"yllcorner and yllcenter", "one"}},
        {"ncols 2\nnrows 2\ncellsize", {":3: the file ends", "header key"}},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ca_size size;
        float *values;

        test_put("bad.asc", rows[i].text);
        ck_assert_msg(ca_asc_read(test_path("bad.asc"), "", &values, &size, &error) == CA_IO, "%s",
                      rows[i].text);
        ck_assert_ptr_null(values);
        ck_assert_contains(error.text, "bad.asc");
        for (int p = 0; p < 2 && rows[i].parts[p]; p++)
            ck_assert_contains(error.text, rows[i].parts[p]);
    }
}
END_TEST

/* Cells without data, however they are written, become NaN; what is as large but no such value is
 * refused. */
START_TEST(asc_without_data)
{
    static const struct {
        const char *no_data, *value;
        bool is_gap;
    } rows[] = {
        {"-9999", "-9999.0", true},
        {"-9999", "nan", true},
        {"-9999", "-NaN", true},
        {"-9999", "-1.#IND", true},
        {"nan", "NAN", true},
        {"-3.4028230e38", "-3.4028235e+38", true},
        {"-3.4028234663852886e+38", "-3.4028230e38", true},
        {"-3.4e38", "-3.4028235e38", true},
        {"-1.79769313486232e+308", "-1.7976931348623157e308", true},
        {"-3.3e38", "-3.4e38", false},
        {"3.4028235e38", "-3.4028235e38", false},
        {"1e29", "1.0001e29", false},
        {"nan", "-9999", false},
        {"5000", "5001", false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        bool refused = !rows[i].is_gap && fabs(atof(rows[i].value)) > 1e7;
        struct ca_size size;
        char text[160];
        float *values;

        snprintf(text, sizeof text, "ncols 2\nnrows 1\nNODATA_value %s\n3 %s\n", rows[i].no_data,
                 rows[i].value);
        test_put("gap.asc", text);
        ck_assert_msg((ca_asc_read(test_path("gap.asc"), NULL, &values, &size, &error) == CA_OK) ==
                          !refused,
                      "%s", text);
        if (!refused)
            ck_assert_msg((isnan(values[1]) != 0) == rows[i].is_gap && values[0] == 3, "%s %g %g",
                          text, values[0], values[1]);
        free(values);
        if (!rows[i].is_gap)
            continue;
        ck_assert_int_eq(ca_asc_read(test_path("gap.asc"), " or so", &values, &size, &error),
                         CA_IO);
        ck_assert_contains(error.text, "which means no data; every cell must have a value or so");
    }
}
END_TEST

static void expect_map(const char *header, struct ca_map expected)
{
    struct ca_map map;

    test_put("map.asc", test_text("ncols 1\nnrows 1\n%s\n1\n", header));
    ck_assert_ok(ca_asc_map(test_path("map.asc"), &map, &error));
    ck_assert(map.given == expected.given && map.x_is_middle == expected.x_is_middle &&
              map.y_is_middle == expected.y_is_middle && map.has_no_data == expected.has_no_data);
    ck_assert_double_eq(map.x, expected.x);
    ck_assert_double_eq(map.y, expected.y);
    ck_assert_double_eq(map.cell, expected.cell);
    ck_assert_double_eq(map.no_data, expected.no_data);
}

START_TEST(asc_lies_on_a_map)
{
    expect_map("", (struct ca_map){.cell = 1});
    expect_map(
        "xllcorner 2600000.5 yllcenter -3 cellsize 25",
        (struct ca_map){.given = true, .x = 2600000.5, .y = -3, .y_is_middle = true, .cell = 25});
    expect_map("xllcenter 4\nyllcorner 5 dx 0.5 dy 0.5 nodata_value -1",
               (struct ca_map){.given = true,
                               .x = 4,
                               .y = 5,
                               .x_is_middle = true,
                               .cell = 0.5,
                               .has_no_data = true,
                               .no_data = -1});
}
END_TEST

/* Cut and flipped at random, a file is refused or read, never worse. */
static void read_any(const char *path)
{
    struct ca_lattice lattice;
    struct ca_size size;
    uint8_t *cells;
    float *values;

    for (int m = 0; ca_models[m]; m++)
        if (test_npy_read(path, ca_models[m], &lattice, &error) == CA_OK)
            ca_lattice_free(&lattice);
    test_pbm_read(path, &cells, &size, &error);
    free(cells);
    ca_asc_read(path, "", &values, &size, &error);
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

    ck_assert_int_eq(ca_lattice_alloc(&lattice, (struct ca_size){3, 2, 1}, CA_U8, 1, &error), 0);
    ck_assert_ok(test_npy_write(test_path("whole.npy"), &lattice, 2, &error));
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
    return RUN_TESTS(.test = {pbm_round_trip, pbm_forms, pbm_reads, pbm_refuses, asc_reads,
                              the_smallest_asc, asc_refuses, asc_without_data, asc_lies_on_a_map,
                              damaged_files});
}
