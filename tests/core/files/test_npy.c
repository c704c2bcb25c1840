/* SPDX-License-Identifier: MIT */
/* core/npy: states out and in, what other writers make, and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "core/files/formats.h"
#include "core/files/rows.h"
#include "tests/support/support.h"

static struct ca_error error;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void fill(struct ca_lattice *lattice, const struct ca_model *model, uint64_t *random)
{
    for (int p = 0; p < lattice->planes; p++)
        for (int64_t i = 0; i < ca_cells(lattice->size); i++)
            if (lattice->type == CA_U8)
                ((uint8_t *)lattice->plane[p])[i] =
                    (uint8_t)(next_random(random) % (model->max_value + 1u));
            else
                ((float *)lattice->plane[p])[i] = (float)next_random(random) / 1024 - 1000;
}

START_TEST(npy_round_trip)
{
    static const struct ca_size sizes[] = {{1, 1, 1}, {3, 2, 4}, {33, 8, 2}, {200, 1, 3}};
    uint64_t random = test_seed();

    for (int m = 0; ca_models[m]; m++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            const struct ca_model *model = ca_models[m];
            const char *path = test_path("round.npy");
            struct ca_size size = sizes[s], found;
            struct ca_lattice out, in;
            char *bytes;
            size_t count;

            if (model->dimensions == 2)
                size.d = 1;
            ck_assert_int_eq(ca_lattice_alloc(&out, size, model->type, model->planes, &error), 0);
            fill(&out, model, &random);
            ck_assert_ok(test_npy_write(path, &out, model->dimensions, &error));
            ck_assert_ok(ca_npy_size(path, model, &found, &error));
            ck_assert(ca_size_equal(found, size));
            ck_assert_ok(test_npy_read(path, model, &in, &error));
            ck_assert_int_eq(ca_lattice_compare(&out, &in).count, 0);
            bytes = test_read(path, &count);
            ck_assert_mem_eq(bytes, "\x93NUMPY\x01\x00", 8);
            ck_assert_uint_eq((10u + (uint8_t)bytes[8] + 256u * (uint8_t)bytes[9]) % 64, 0);
            ca_lattice_free(&out);
            ca_lattice_free(&in);
        }
}
END_TEST

/* A state of more bytes than pass at once, in each row of each plane a cell that tells it. */
START_TEST(npy_in_several_passes)
{
    const struct ca_model *model = test_model("cloud");
    const struct ca_size size = {4096, 100, 33};
    const char *path = test_path("large.npy");
    struct ca_lattice out, in;

    ck_assert_int_gt(ca_cells(size) * model->planes, CA_ROW_CHUNK_BYTES);
    ck_assert_int_eq(ca_lattice_alloc(&out, size, model->type, model->planes, &error), 0);
    for (int p = 0; p < model->planes; p++)
        for (int64_t row = 0; row < ca_rows(size); row++)
            ((uint8_t *)out.plane[p])[row * size.w + (row * 7 + p) % size.w] = 1;
    ck_assert_ok(test_npy_write(path, &out, model->dimensions, &error));
    ck_assert_ok(test_npy_read(path, model, &in, &error));
    ck_assert_int_eq(ca_lattice_compare(&out, &in).count, 0);
    ca_lattice_free(&out);
    ca_lattice_free(&in);
}
END_TEST

/* What numpy.save writes of a 2 x 3 array of bytes, but for the padding. */
START_TEST(npy_header_is_numpys)
{
    struct ca_lattice lattice;
    char *bytes;

    ck_assert_int_eq(ca_lattice_alloc(&lattice, (struct ca_size){3, 2, 1}, CA_U8, 1, &error), 0);
    ck_assert_ok(test_npy_write(test_path("a.npy"), &lattice, 2, &error));
    bytes = test_read(test_path("a.npy"), NULL);
    ck_assert_ptr_nonnull(
        strstr(bytes + 10, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }"));
    ca_lattice_free(&lattice);
    ck_assert_int_eq(ca_lattice_alloc(&lattice, (struct ca_size){5, 4, 3}, CA_F32, 2, &error), 0);
    ck_assert_ok(test_npy_write(test_path("b.npy"), &lattice, 3, &error));
    bytes = test_read(test_path("b.npy"), NULL);
    ck_assert_ptr_nonnull(
        strstr(bytes + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4, 5), }"));
    ca_lattice_free(&lattice);
}
END_TEST

/* A .npy file of any header, followed by `count` bytes of value `value`. */
static const char *write_npy(int version, const char *header, size_t count, int value)
{
    size_t length = strlen(header), start = version == 1 ? 10 : 12;
    const char *path = test_path("made.npy");
    unsigned char *bytes = calloc(1, start + length + count);

    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (unsigned char)version;
    bytes[8] = length & 255;
    bytes[9] = length >> 8 & 255;
    if (version > 1)
        bytes[10] = (unsigned char)(length >> 16);
    memcpy(bytes + start, header, length);
    memset(bytes + start + length, value, count);
    test_write(path, bytes, start + length + count);
    free(bytes);
    return path;
}

START_TEST(npy_other_writers)
{
    static const struct {
        int version;
        const char *header;
    } rows[] = {
        {1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)}"},
        {2, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }    \n"},
        {3, "{\"shape\":(2,3,),\"fortran_order\":False,\"descr\":\"u1\"}"},
        {1, "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 3), }"},
        {2, "{'descr': '|b1', 'fortran_order': True, 'shape': (2, 3), }"},
        {3, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }"},
        {1, " { 'shape' : ( 2 , 3 ) , 'descr' : '|u1' , 'fortran_order' : False , } \n"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ca_lattice lattice;
        const char *path = write_npy(rows[i].version, rows[i].header, 6, 1);

        ck_assert_ok(test_npy_read(path, test_model("anneal"), &lattice, &error));
        ck_assert(ca_size_equal(lattice.size, (struct ca_size){3, 2, 1}));
        ck_assert_int_eq(((uint8_t *)lattice.plane[0])[5], 1);
        ca_lattice_free(&lattice);
    }
}
END_TEST

/* A state as NumPy saves a transposed array: the first axis is the fastest. The header is version
 * 1's.
 */
static void write_fortran(const char *path, const struct ca_lattice *state, int dimensions,
                          const char *descr, bool swapped)
{
    int64_t side[4] = {state->planes, state->size.d, state->size.h, state->size.w};
    size_t bytes = ca_type_bytes(state->type), count = (size_t)(ca_cells(state->size) * side[0]);
    char header[200], *values = malloc(count * bytes);
    FILE *file = fopen(path, "wb");
    int length;

    for (size_t i = 0; i < count; i++) {
        size_t cells = (size_t)ca_cells(state->size), c = i % cells, w = (size_t)side[3];
        size_t at[4] = {i / cells, c / w / (size_t)side[2], c / w % (size_t)side[2], c % w};
        size_t to = 0;

        for (int axis = 3; axis >= 0; axis--)
            to = to * (size_t)side[axis] + at[axis];
        for (size_t b = 0; b < bytes; b++)
            values[to * bytes + (swapped ? bytes - 1 - b : b)] =
                ((char *)state->plane[at[0]])[c * bytes + b];
    }
    length =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': True, 'shape': (", descr);
    if (state->planes > 1)
        length += sprintf(header + length, "%d, ", state->planes);
    if (dimensions == 3)
        length += sprintf(header + length, "%d, ", (int)side[1]);
    length += sprintf(header + length, "%d, %d), }\n", (int)side[2], (int)side[3]);
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    fputc(length, file);
    fputc(0, file);
    fwrite(header, 1, (size_t)length, file);
    fwrite(values, bytes, count, file);
    fclose(file);
    free(values);
}

START_TEST(npy_in_fortran_order)
{
    static const struct ca_size sizes[] = {{1, 1, 1}, {3, 2, 4}, {33, 8, 2}, {200, 1, 3}};
    const char *path = test_path("fortran.npy");
    uint64_t random = test_seed();

    for (int m = 0; ca_models[m]; m++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            const struct ca_model *model = ca_models[m];
            bool floats = model->type == CA_F32, swapped = floats && s % 2;
            struct ca_size size = sizes[s], found;
            struct ca_lattice out, in;

            if (model->dimensions == 2)
                size.d = 1;
            ck_assert_int_eq(ca_lattice_alloc(&out, size, model->type, model->planes, &error), 0);
            fill(&out, model, &random);
            write_fortran(path, &out, model->dimensions,
                          !floats   ? "|u1"
                          : swapped ? ">f4"
                                    : "<f4",
                          swapped);
            ck_assert_ok(ca_npy_size(path, model, &found, &error));
            ck_assert(ca_size_equal(found, size));
            ck_assert_ok(test_npy_read(path, model, &in, &error));
            ck_assert_int_eq(ca_lattice_compare(&out, &in).count, 0);
            ca_lattice_free(&out);
            ca_lattice_free(&in);
        }
}
END_TEST

/* A wrong value is named with where it stands in the file. */
START_TEST(npy_refuses_a_value_in_fortran_order)
{
    struct ca_lattice state;
    const char *path = test_path("fortran.npy");
    char expected[40], *bytes;
    size_t length;

    ck_assert_ok(ca_lattice_alloc(&state, (struct ca_size){5, 3, 1}, CA_U8, 1, &error));
    ((uint8_t *)state.plane[0])[1 * 5 + 4] = 7;
    write_fortran(path, &state, 2, "|u1", false);
    ca_lattice_free(&state);
    bytes = test_read(path, &length);
    ck_assert_int_eq(bytes[length - 15 + 4 * 3 + 1], 7);
    snprintf(expected, sizeof expected, "offset %zu: value 7", length - 15 + 4 * 3 + 1);
    ck_assert_int_eq(test_npy_read(path, test_model("anneal"), &state, &error), CA_IO);
    ck_assert_contains(error.text, expected);
}
END_TEST

#define U1(shape) "{'descr': '|u1', 'fortran_order': False, 'shape': " shape ", }"
#define F4(shape) "{'descr': '<f4', 'fortran_order': False, 'shape': " shape ", }"

static const struct {
    const char *model, *header;
    int version, bytes, value;
    const char *parts[3];
} npy_refused[] = {
    {"anneal", U1("(2, 3)"), 1, 5, 0, {"offset 69", "5 bytes", "expected 6"}},
    {"anneal", U1("(2, 3)"), 1, 7, 0, {"7 bytes", "expected 6"}},
    {"anneal", U1("(2, 3)"), 1, 0, 0, {"0 bytes", "expected 6"}},
    {"anneal", U1("(2, 3)"), 1, 6, 2, {"offset 69", "value 2 of plane cell", "0 ... 1"}},
    {"anneal", U1("(2, 3)"), 0, 6, 0, {"offset 6", "version 0", "1 ... 3"}},
    {"anneal", U1("(2, 3)"), 4, 6, 0, {"offset 6", "version 4", "1 ... 3"}},
    {"anneal", F4("(2, 3)"), 1, 24, 0, {"'<f4'", "expected '|u1'"}},
    {"water", U1("(3, 2, 3)"), 1, 18, 0, {"'|u1'", "expected '<f4'"}},
    {"water",
     "{'descr': '>f4', 'fortran_order': False, 'shape': (3, 2, 3), }",
     1,
     71,
     0,
     {"71 bytes", "expected 72"}},
    {"water",
     "{'descr': '>f8', 'fortran_order': False, 'shape': (3, 2, 3), }",
     1,
     144,
     0,
     {"'>f8'", "expected '<f4' or '>f4'"}},
    {"anneal",
     "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }",
     1,
     48,
     0,
     {"'<i8'", "expected '|u1' (bytes) or '|b1' (bool)"}},
    {"anneal", "{'descr': '', 'fortran_order': False, 'shape': (2, 3), }", 1, 6, 0, {"descr"}},
    {"fhp",
     "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 3), }",
     1,
     6,
     2,
     {"value 2", "0 ... 1"}},
    {"anneal",
     "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }",
     1,
     5,
     0,
     {"5 bytes", "expected 6"}},
    {"anneal", U1("(6,)"), 1, 6, 0, {"shape (6,)", "expected (H, W)"}},
    {"anneal", U1("()"), 1, 1, 0, {"shape ()", "expected (H, W)"}},
    {"anneal", U1("(1, 2, 3)"), 1, 6, 0, {"shape (1, 2, 3)", "expected (H, W)"}},
    {"life3d", U1("(2, 3)"), 1, 6, 0, {"shape (2, 3)", "expected (D, H, W)"}},
    {"water", F4("(2, 2, 3)"), 1, 48, 0, {"shape (2, 2, 3)", "expected (3, H, W)"}},
    {"cloud", U1("(2, 1, 1, 1)"), 1, 2, 0, {"expected (3, D, H, W)"}},
    {"anneal", U1("(0, 3)"), 1, 0, 0, {"shape (0, 3)", "H = 0"}},
    {"anneal", U1("(2147483648, 2147483648)"), 1, 0, 0, {"too large", "2^46"}},
    {"anneal", U1("(99999999999999999999, 1)"), 1, 0, 0, {"2^63"}},
    {"anneal", U1("(1000000, 1000000)"), 1, 6, 0, {"6 bytes", "expected 1000000000000"}},
    {"anneal", U1("(-2, 3)"), 1, 6, 0, {"whole number"}},
    {"anneal", U1("[2, 3]"), 1, 6, 0, {"parentheses"}},
    {"anneal", U1("(2; 3)"), 1, 6, 0, {"',' or ')'"}},
    {"anneal", U1("(1,1,1,1,1,1,1,1,1)"), 1, 1, 0, {"more than 8 axes"}},
    {"anneal", "{'descr': '|u1', 'shape': (2, 3), }", 1, 6, 0, {"lacks fortran_order"}},
    {"anneal", "{'fortran_order': False, 'shape': (2, 3)}", 1, 6, 0, {"lacks descr"}},
    {"anneal", "{'descr': '|u1', 'fortran_order': False}", 1, 6, 0, {"lacks shape"}},
    {"anneal",
     "{'descr': 'fifteen letters', 'fortran_order': False, 'shape': (2, 3)}",
     1,
     6,
     0,
     {"values of type 'fifteen letters'", "expected '|u1'"}},
    {"anneal", "{'descr': 'sixteen letters.'}", 1, 6, 0, {"a name of at most 15 characters"}},
    {"anneal", "{'a key of sixteen': 1}", 1, 6, 0, {"a name of at most 15 characters"}},
    {"anneal", "{'descr': '|u1', 'colour': 1}", 1, 6, 0, {"'colour'", "are allowed"}},
    {"anneal", "{'descr': [('a', '|u1')], 'shape': (2, 3)}", 1, 6, 0, {"quoted name"}},
    {"anneal", "{'descr': '|u1', 'fortran_order': 0, 'shape': (2, 3)}", 1, 6, 0, {"True or False"}},
    {"anneal", U1("(2, 3)") "x", 1, 6, 0, {"end of the header"}},
    {"anneal", "", 1, 0, 0, {"offset 10", "'{' is expected"}},
    {"anneal", "{'descr", 1, 0, 0, {"a name"}},
    {"anneal", "{'descr' '|u1'}", 1, 0, 0, {"':' is expected"}},
};

START_TEST(npy_refuses)
{
    const char *path = write_npy(npy_refused[_i].version, npy_refused[_i].header,
                                 (size_t)npy_refused[_i].bytes, npy_refused[_i].value);
    struct ca_lattice lattice;

    ck_assert_int_eq(test_npy_read(path, test_model(npy_refused[_i].model), &lattice, &error),
                     CA_IO);
    ck_assert_int_eq(error.status, CA_IO);
    ck_assert_ptr_null(lattice.plane[0]);
    ck_assert_contains(error.text, path);
    for (int p = 0; p < 3 && npy_refused[_i].parts[p]; p++)
        ck_assert_contains(error.text, npy_refused[_i].parts[p]);
}
END_TEST

/* Blanks behind the dictionary up to the longest header, and one more; and a byte that is zero. */
START_TEST(npy_headers_of_any_length)
{
    static const int lengths[] = {256, 65535, 65536, 65537};
    const struct ca_model *model = test_model("anneal");
    const char dictionary[] = U1("(2, 3)");
    char *header = malloc(65538), *bytes;
    struct ca_size size;
    size_t count;

    for (size_t i = 0; i < COUNT(lengths); i++) {
        memset(header, ' ', 65538);
        memcpy(header, dictionary, strlen(dictionary));
        header[lengths[i]] = '\0';
        ck_assert_int_eq(ca_npy_size(write_npy(2, header, 6, 0), model, &size, &error),
                         lengths[i] <= 65536 ? CA_OK : CA_IO);
    }
    ck_assert_contains(error.text, "65537 bytes, at most 65536");
    free(header);
    bytes = test_read(write_npy(1, U1("(2, 3)") "  ", 6, 0), &count);
    bytes[10 + strlen(dictionary)] = '\0';
    test_write(test_path("zero.npy"), bytes, count);
    ck_assert_int_eq(ca_npy_size(test_path("zero.npy"), model, &size, &error), CA_IO);
    ck_assert_contains(error.text, "a zero byte in the header");
    free(bytes);
}
END_TEST

START_TEST(npy_refuses_bytes)
{
    static const struct {
        const char *bytes;
        size_t count;
        const char *part;
    } rows[] = {
        {"", 0, "not a .npy file"},
        {"P4\n1 1\n\0", 8, "not a .npy file"},
        {"\x93NUMPY\x01\0\x10", 9, "not a .npy file"},
        {"\x93NUMPY\x01\0\xff\xff{", 11, "ends in its header"},
        {"\x93NUMPY\x02\0\xff\xff", 10, "ends in its header"},
        {"\x93NUMPY\x02\0\xff\xff\xff\xff", 12, "at most 65536"},
    };
    const struct ca_model *model = test_model("anneal");

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ca_size size = {7, 7, 7};

        test_write(test_path("bytes.npy"), rows[i].bytes, rows[i].count);
        ck_assert_int_eq(ca_npy_size(test_path("bytes.npy"), model, &size, &error), CA_IO);
        ck_assert_contains(error.text, rows[i].part);
        ck_assert_int_eq(size.w, 7);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {npy_round_trip, npy_in_several_passes, npy_header_is_numpys,
                              npy_other_writers, npy_in_fortran_order,
                              npy_refuses_a_value_in_fortran_order, npy_headers_of_any_length,
                              npy_refuses_bytes},
                     .table = {{npy_refuses, COUNT(npy_refused)}});
}
