/* SPDX-License-Identifier: MIT */
/* State files by rows: states of several chunks, pipes, and failures at either end. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/files/formats.h"
#include "tests/support/support.h"

#define W 4096
#define ROWS 5000 /* of three planes: 59 MiB, two chunks */

/* W + 64 values: a row begins at one of 64 places, so that rows that are next to each other differ,
 * and so do the planes of a row. */
static uint8_t pattern[W + 64];

static const uint8_t *row_values(int p, int64_t row) { return pattern + (row * 19 + p * 7) % 64; }

static int64_t fails_from; /* the row from which on it fails, -1: never */
static int64_t passed;     /* rows that the sink has got */

static enum ca_status make(void *context, void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error)
{
    (void)context;
    if (fails_from >= 0 && first + rows > fails_from)
        return ca_fail(error, CA_CUDA_FAILED, "the source failed");
    for (int p = 0; p < 3; p++)
        for (int64_t r = 0; r < rows; r++)
            memcpy((uint8_t *)planes[p] + r * W, row_values(p, first + r), W);
    return CA_OK;
}

static enum ca_status take(void *context, void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error)
{
    int64_t limit = *(int64_t *)context;

    ck_assert_int_eq(first, passed);
    if (limit >= 0 && first + rows > limit)
        return ca_fail(error, CA_NO_MEMORY, "the sink failed");
    for (int p = 0; p < 3; p++)
        for (int64_t r = 0; r < rows; r++)
            ck_assert(memcmp((uint8_t *)planes[p] + r * W, row_values(p, first + r), W) == 0);
    passed += rows;
    return CA_OK;
}

static struct ca_row_source source(void)
{
    return (struct ca_row_source){{W, 50, ROWS / 50}, CA_U8, 3, make, NULL};
}

static void begin(void)
{
    uint32_t bits = 1;

    fails_from = -1;
    passed = 0;
    for (int x = 0; x < W + 64; x++) {
        pattern[x] = bits & 1;
        bits = bits >> 1 ^ (-(bits & 1) & 0x80200003u); /* a shift register of 32 bits */
    }
}

START_TEST(large_states_round_trip)
{
    struct ca_row_source from = source();
    int64_t limit = -1;
    struct ca_row_sink to = {take, &limit};
    struct ca_error error;

    ck_assert_ok(ca_npy_write(test_path("large.npy"), test_model("cloud"), &from, &error));
    ck_assert_ok(
        ca_npy_read(test_path("large.npy"), test_model("cloud"), from.size, &to, NULL, &error));
    ck_assert_int_eq(passed, ROWS);
}
END_TEST

static void *copy_pipe(void *context)
{
    FILE *in = fopen(test_path("pipe"), "rb"), *out = fopen(test_path("piped.npy"), "wb");
    static char bytes[65536];

    (void)context;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0;)
        fwrite(bytes, 1, n, out);
    fclose(in);
    fclose(out);
    return NULL;
}

/* A pipe cannot seek, and gets the planes one after the other all the same. */
START_TEST(pipes_get_the_same_bytes)
{
    struct ca_row_source from = source();
    struct ca_error error;
    pthread_t thread;
    size_t one, other;
    char *a, *b;

    ck_assert_int_eq(mkfifo(test_path("pipe"), 0600), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, copy_pipe, NULL), 0);
    ck_assert_ok(ca_npy_write(test_path("pipe"), test_model("cloud"), &from, &error));
    pthread_join(thread, NULL);
    ck_assert_ok(ca_npy_write(test_path("whole.npy"), test_model("cloud"), &from, &error));
    a = test_read(test_path("piped.npy"), &one);
    b = test_read(test_path("whole.npy"), &other);
    ck_assert_uint_eq(one, other);
    ck_assert(memcmp(a, b, one) == 0);
}
END_TEST

START_TEST(failures_end_the_pass)
{
    struct ca_row_source from = source();
    int64_t limit = ROWS - 1;
    struct ca_row_sink to = {take, &limit};
    struct ca_error error;
    size_t size;
    char *text;

    test_put("kept.npy", "old");
    fails_from = ROWS - 1; /* in the last chunk */
    ck_assert_int_eq(ca_npy_write(test_path("kept.npy"), test_model("cloud"), &from, &error),
                     CA_CUDA_FAILED);
    ck_assert_contains(error.text, "the source failed");
    text = test_read(test_path("kept.npy"), &size);
    ck_assert_str_eq(text, "old");
    fails_from = -1;
    ck_assert_int_eq(ca_rows_pass(&from, &to, &error), CA_NO_MEMORY);
    ck_assert_contains(error.text, "the sink failed");
    ck_assert_int_lt(passed, ROWS);
    ck_assert_int_gt(passed, 0);
}
END_TEST

/* A value that is too large in the last chunk is found, with its place. */
START_TEST(values_are_checked_in_every_chunk)
{
    struct ca_row_source from = source();
    int64_t limit = -1, at = 0;
    struct ca_row_sink to = {take, &limit};
    struct ca_error error;
    struct stat status;
    FILE *file;

    ck_assert_ok(ca_npy_write(test_path("bad.npy"), test_model("cloud"), &from, &error));
    ck_assert_int_eq(stat(test_path("bad.npy"), &status), 0);
    at = (int64_t)status.st_size - 5;
    file = fopen(test_path("bad.npy"), "r+b");
    ck_assert_int_eq(fseek(file, (long)at, SEEK_SET), 0);
    putc(9, file);
    fclose(file);
    ck_assert_int_eq(
        ca_npy_read(test_path("bad.npy"), test_model("cloud"), from.size, &to, NULL, &error),
        CA_IO);
    ck_assert_contains(error.text, test_text("offset %lld: value 9 of plane cld", (long long)at));
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = begin,
                     .test = {large_states_round_trip, pipes_get_the_same_bytes,
                              failures_end_the_pass, values_are_checked_in_every_chunk});
}
