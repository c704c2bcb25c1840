/* SPDX-License-Identifier: MIT */
/*
 * core/files/h5_*: states out and in, in one block of rows and in several; the same values by
 * HDF5's own filters, in both directions; what is refused, and that the library prints nothing.
 */
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files/formats.h"
#include "core/model/registry.h"
#include "core/files/h5_chunk.h"
#include "tests/support/support.h"

static struct ca_error error;

#define FLIPS 300

/* HDF5 loses memory where it refuses a damaged file. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:H5FL_\nleak:libhdf5\n"; }
const char *__lsan_default_options(void);
const char *__lsan_default_options(void) { return "print_suppressions=0"; }

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* A lattice as a run has it at generation 70: its first half sparse, the second one noise. */
struct state {
    struct ca_setup setup;
    struct ca_lattice cells;
    struct ca_row_source source;
};

static void state_make(struct state *state, const char *name, struct ca_size size)
{
    const struct ca_model *model = test_model(name);
    uint64_t random = test_seed() + (uint64_t)size.w;

    *state = (struct state){.setup = {.model = model, .size = size, .seed = UINT64_MAX}};
    ca_values_default(&state->setup.params, model->params);
    ck_assert_ok(ca_lattice_alloc(&state->cells, size, model->type, model->planes, &error));
    for (int p = 0; p < model->planes; p++)
        for (int64_t i = 0; i < ca_cells(size); i++)
            if (model->type == CA_U8)
                ((uint8_t *)state->cells.plane[p])[i] =
                    i < ca_cells(size) / 2 && next_random(&random) % 97
                        ? 0
                        : (uint8_t)(next_random(&random) & model->max_value);
            else
                ((float *)state->cells.plane[p])[i] = (float)next_random(&random) / 1024 - 1000;
    state->source = ca_lattice_source(&state->cells);
    state->source.setup = &state->setup;
    state->source.generation = 70;
    state->source.init = "from \"caf\xc3\xa9\".npy";
    state->source.init_generation = 30;
}

static void state_write(const struct state *state, const char *path)
{
    ck_assert_ok(ca_h5_write(path, state->setup.model, &state->source, &error));
}

/* Reads a state of that shape. */
static enum ca_status state_read(const struct state *like, const char *path,
                                 struct ca_lattice *cells, struct ca_error *cause)
{
    struct ca_row_sink sink = ca_lattice_sink(cells);
    const struct ca_model *model = like->setup.model;
    uint64_t generation = 0;
    enum ca_status status;

    ck_assert_int_eq(ca_lattice_alloc(cells, like->setup.size, model->type, model->planes, cause),
                     CA_OK);
    status = ca_h5_read(path, model, like->setup.size, &sink, &generation, cause);
    if (status == CA_OK)
        ck_assert_uint_eq(generation, 70);
    return status;
}

static void state_expect(const struct state *state, const char *path)
{
    struct ca_lattice cells;

    ck_assert_ok(state_read(state, path, &cells, &error));
    ck_assert_int_eq(ca_lattice_compare(&state->cells, &cells).count, 0);
    ca_lattice_free(&cells);
}

/* --- whole files ------------------------------------------------------------------------------ */

static const struct {
    const char *model;
    struct ca_size size;
} shapes[] = {
    {"anneal", {1, 1, 1}},
    {"anneal", {16, 1, 1}}, /* a chunk of two bytes, one word of its checksum */
    {"anneal", {300, 201, 1}},
    {"anneal", {H5_CHUNK_CELLS + 9, 3, 1}}, /* a row of two chunks */
    {"life3d", {7, 5, 9}},
    {"life3d", {64, 64, 300}},   /* chunks of several layers, the last one not full */
    {"life3d", {3000, 5000, 3}}, /* chunks of some rows of a layer; blocks that end in one */
    {"cloud", {31, 17, 5}},
    {"cloud", {2000, 3000, 2}}, /* several blocks of three planes */
    {"fhp", {100, 52, 1}},
    {"water", {65, 40, 1}},
    {"water", {1500, 2100, 1}},
};

START_TEST(what_is_written_is_read)
{
    const char *path = test_path("state.h5");
    struct ca_state_run run;
    struct ca_size size;
    struct state state;

    state_make(&state, shapes[_i].model, shapes[_i].size);
    state_write(&state, path);
    state_expect(&state, path);
    ck_assert_ok(ca_h5_run(path, &run, &error));
    ck_assert_ptr_eq(run.model, state.setup.model);
    ck_assert(ca_size_equal(run.size, shapes[_i].size));
    ck_assert_uint_eq(run.seed, UINT64_MAX);
    ck_assert_str_eq(run.init, state.source.init);
    ck_assert_uint_eq(run.init_generation, 30);
    ck_assert_uint_eq(run.generation, 70);
    ck_assert_uint_eq(run.hash, test_digest(&state.setup, &state.cells));
    ck_assert(ca_values_equal(&run.params, &state.setup.params));
    ck_assert_ok(ca_h5_size(path, state.setup.model, &size, &error));
    ck_assert(ca_size_equal(size, shapes[_i].size));
    for (int m = 0; ca_models[m]; m++)
        if (ca_models[m] != state.setup.model) {
            ck_assert_int_eq(ca_h5_size(path, ca_models[m], &size, &error), CA_IO);
            ck_assert_contains(error.text, ca_models[m]->name);
        }
    ca_lattice_free(&state.cells);
}
END_TEST

/* A plane as HDF5 reads it, malloc'd; or in place of it one of the same form that it has written:
 * over a chunk that a filter was left out of it writes wrongly. */
static void *plane_by_hdf5(const struct state *state, const char *path, int p, bool write)
{
    const struct ca_model *model = state->setup.model;
    size_t bytes = (size_t)ca_cells(state->setup.size) * ca_type_bytes(model->type);

    hid_t type = model->type == CA_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_UINT8;
    hid_t file = H5Fopen(path, write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT), set;
    void *cells = malloc(bytes);
    char name[64];

    snprintf(name, sizeof name, "/VTKHDF/CellData/%s", model->plane_names[p]);
    set = H5Dopen2(file, name, H5P_DEFAULT);
    ck_assert(file >= 0 && set >= 0);
    if (write) {
        hid_t list = H5Dget_create_plist(set), own = H5Dget_type(set), space = H5Dget_space(set);

        H5Dclose(set);
        ck_assert_int_ge(H5Ldelete(file, name, H5P_DEFAULT), 0);
        set = H5Dcreate2(file, name, own, space, H5P_DEFAULT, list, H5P_DEFAULT);
        ck_assert_int_ge(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, state->cells.plane[p]),
                         0);
        H5Sclose(space);
        H5Tclose(own);
        H5Pclose(list);
    } else {
        ck_assert_int_ge(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells), 0);
    }
    H5Dclose(set);
    H5Fclose(file);
    return cells;
}

/* HDF5 takes our chunks apart, checksum included, and we take apart its own. */
START_TEST(filters_are_those_of_hdf5)
{
    const char *path = test_path("state.h5");
    struct state state;
    struct stat status;

    state_make(&state, shapes[_i].model, shapes[_i].size);
    state_write(&state, path);
    /* Noise has a bit a cell and plane. */
    ck_assert_int_eq(stat(path, &status), 0);
    if (state.setup.model->max_value == 1)
        ck_assert_int_lt(status.st_size * 8,
                         ca_cells(shapes[_i].size) * state.setup.model->planes * 11 / 10 +
                             H5_CHUNK_CELLS + 65536);
    for (int p = 0; p < state.setup.model->planes; p++) {
        size_t bytes = (size_t)ca_cells(shapes[_i].size) * ca_type_bytes(state.setup.model->type);
        void *cells = plane_by_hdf5(&state, path, p, false);

        ck_assert(memcmp(cells, state.cells.plane[p], bytes) == 0);
        free(cells);
    }
    for (int p = 0; p < state.setup.model->planes; p++)
        free(plane_by_hdf5(&state, path, p, true));
    state_expect(&state, path);
    ca_lattice_free(&state.cells);
}
END_TEST

/* Whatever the time is. */
static void expect_no_times(const char *path)
{
    static const char *const names[] = {"/", "/calab", "/calab/parameters", "/VTKHDF/CellData/hum"};

    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);

    for (size_t i = 0; i < COUNT(names); i++) {
        H5O_info_t info;

        ck_assert_int_ge(H5Oget_info_by_name(file, names[i], &info, H5P_DEFAULT), 0);
        ck_assert_msg(info.mtime == 0 && info.ctime == 0, "%s", names[i]);
    }
    H5Fclose(file);
}

START_TEST(a_state_makes_one_file)
{
    struct state state;

    state_make(&state, "cloud", (struct ca_size){31, 17, 5});
    state_write(&state, test_path("a.h5"));
    state_write(&state, test_path("b.h5"));
    expect_no_times(test_path("a.h5"));
    test_same_files(test_path("a.h5"), test_path("b.h5"));
    ca_lattice_free(&state.cells);
}
END_TEST

/* --- what is refused -------------------------------------------------------------------------- */

static void expect_refused(const struct state *state, const char *path, const char *part)
{
    struct ca_lattice cells;

    ck_assert_msg(state_read(state, path, &cells, &error) == CA_IO, "%s: not refused", part);
    ck_assert_contains(error.text, part);
    ca_lattice_free(&cells);
}

START_TEST(what_is_no_state)
{
    const char *path = test_path("bad.h5");
    struct state state, other;
    size_t size;
    char *bytes;

    hid_t file;

    state_make(&state, "anneal", (struct ca_size){300, 201, 1});
    state_make(&other, "fhp", (struct ca_size){10, 10, 1});
    expect_refused(&state, test_path("none.h5"), "none.h5: No such file");
    test_write(path, "", 0);
    expect_refused(&state, path, "bad.h5: this is not a whole HDF5 file: file signature not found");
    test_write(path, "P1\n2 2\n1 0 0 1\n", 15);
    expect_refused(&state, path, "file signature not found");
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    expect_refused(&state, path, "not a state of calab: object 'calab' doesn't exist");
    state_write(&other, path);
    expect_refused(&state, path, "a state of fhp, expected one of anneal");

    state_write(&state, path);
    bytes = test_read(path, &size);
    for (size_t cut = 0; cut < size; cut += 1 + size / 50) {
        test_write(path, bytes, cut);
        expect_refused(&state, path, "not a whole HDF5 file");
    }
    state.source.setup = NULL;
    ck_assert_int_eq(ca_h5_write(path, state.setup.model, &state.source, &error), CA_IO);
    ck_assert_contains(error.text, "from no run");
    ca_lattice_free(&state.cells);
    ca_lattice_free(&other.cells);
}
END_TEST

/* A changed byte is found, or changes nothing. */
START_TEST(flipped_bits)
{
    const char *path = test_path("bad.h5");
    uint64_t random = test_seed();
    struct state state;
    int refused = 0;
    size_t size;
    char *bytes;

    state_make(&state, "cloud", (struct ca_size){31, 17, 5});
    state_write(&state, path);
    bytes = test_read(path, &size);
    for (int i = 0; i < FLIPS; i++) {
        size_t at = next_random(&random) % size;
        char bit = (char)(1 << next_random(&random) % 8);
        struct ca_lattice cells;

        bytes[at] ^= bit;
        test_write(path, bytes, size);
        if (state_read(&state, path, &cells, &error) == CA_OK)
            ck_assert_msg(ca_lattice_compare(&state.cells, &cells).count == 0, "byte %zu", at);
        else
            ck_assert_msg(error.status == CA_IO, "byte %zu: %s", at, error.text), refused++;
        ca_lattice_free(&cells);
        bytes[at] ^= bit;
    }
    ck_assert_int_gt(refused, FLIPS / 2);
    ca_lattice_free(&state.cells);
}
END_TEST

static void expect_numbers(hid_t image, const char *name, const double expected[], int count)
{
    hid_t attribute = H5Aopen(image, name, H5P_DEFAULT);
    hid_t space = H5Aget_space(attribute);
    double numbers[9] = {0};

    ck_assert_int_eq(H5Sget_simple_extent_npoints(space), count);
    ck_assert_int_ge(H5Aread(attribute, H5T_NATIVE_DOUBLE, numbers), 0);
    for (int i = 0; i < count; i++)
        ck_assert_msg(numbers[i] == expected[i], "%s[%d] is %g", name, i, numbers[i]);
    H5Sclose(space);
    H5Aclose(attribute);
}

/* What VTK reads: points from corner to corner of the cells, a plane of them in two dimensions. */
START_TEST(an_image_for_vtk)
{
    static const char *const models[] = {"anneal", "life3d"};
    const char *path = test_path("image.h5");

    for (int deep = 0; deep < 2; deep++) {
        struct ca_size size = {7, 5, deep ? 3 : 1};
        struct state state;

        hid_t file, image;

        state_make(&state, models[deep], size);
        state.source.init_generation = 70; /* of no step since */
        state_write(&state, path);
        state_expect(&state, path);
        file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        image = H5Gopen2(file, "/VTKHDF", H5P_DEFAULT);
        expect_numbers(image, "WholeExtent", (const double[]){0, 7, 0, 5, 0, deep ? 3 : 0}, 6);
        expect_numbers(image, "Version", (const double[]){1, 0}, 2);
        expect_numbers(image, "Origin", (const double[]){0, 0, 0}, 3);
        expect_numbers(image, "Spacing", (const double[]){1, 1, 1}, 3);
        expect_numbers(image, "Direction", (const double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9);
        H5Gclose(image);
        H5Fclose(file);
        ca_lattice_free(&state.cells);
    }
}
END_TEST

/* Each changes one thing of a whole file by HDF5 itself. */
static void put_attribute(hid_t file, const char *group, const char *name, hid_t type,
                          const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR), attribute;

    if (H5Aexists_by_name(file, group, name, H5P_DEFAULT) > 0)
        H5Adelete_by_name(file, group, name, H5P_DEFAULT);
    attribute =
        H5Acreate_by_name(file, group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Awrite(attribute, type, value), 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void put_text(hid_t file, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, strlen(text) + 1);
    put_attribute(file, "/calab", name, type, text);
    H5Tclose(type);
}

static void another_version(hid_t file)
{
    put_attribute(file, "/calab", "version", H5T_NATIVE_INT, &(int){2});
}
static void unknown_model(hid_t file) { put_text(file, "model", "ising\x1b[2J"); }
static void long_model(hid_t file)
{
    char text[2000];

    memset(text, 'x', sizeof text);
    text[1999] = '\0';
    put_text(file, "model", text);
}
static void late_start(hid_t file)
{
    put_attribute(file, "/calab", "init_generation", H5T_NATIVE_INT, &(int){71});
}
static void real_seed(hid_t file)
{
    put_attribute(file, "/calab", "seed", H5T_NATIVE_DOUBLE, &(double){1});
}
static void another_hash(hid_t file) { put_text(file, "hash", "0123456789abcdef"); }
static void short_hash(hid_t file) { put_text(file, "hash", "12"); }
static void long_hash(hid_t file) { put_text(file, "hash", "0123456789abcdef."); }
static void hash_of_letters(hid_t file) { put_text(file, "hash", "0123456789abcdeg"); }
static void late_end(hid_t file)
{
    put_attribute(file, "/calab", "generation", H5T_NATIVE_UINT64, &(uint64_t){UINT64_C(1) << 63});
}
static void half_a_map(hid_t file)
{
    put_attribute(file, "/calab", "map_x", H5T_NATIVE_DOUBLE, &(double){1});
}
static void put_map(hid_t file, double x, double cell)
{
    put_attribute(file, "/calab", "map_x", H5T_NATIVE_DOUBLE, &x);
    put_attribute(file, "/calab", "map_y", H5T_NATIVE_DOUBLE, &(double){2});
    put_attribute(file, "/calab", "map_cell", H5T_NATIVE_DOUBLE, &cell);
    put_attribute(file, "/calab", "map_x_is_middle", H5T_NATIVE_UINT8, &(uint8_t){0});
    put_attribute(file, "/calab", "map_y_is_middle", H5T_NATIVE_UINT8, &(uint8_t){0});
}
static void map_of_no_cells(hid_t file) { put_map(file, 1, 0); }
static void map_of_nowhere(hid_t file) { put_map(file, NAN, 1); }
static void no_number(hid_t file)
{
    put_attribute(file, "/calab/parameters", "density", H5T_NATIVE_DOUBLE, &(double){NAN});
}
static void out_of_range(hid_t file)
{
    put_attribute(file, "/calab/parameters", "density", H5T_NATIVE_DOUBLE, &(double){2});
}
static void no_parameters(hid_t file) { H5Ldelete(file, "/calab/parameters", H5P_DEFAULT); }
static void no_plane(hid_t file) { H5Ldelete(file, "/VTKHDF/CellData/cell", H5P_DEFAULT); }

/* Another data set in place of the plane. */
static void put_plane(hid_t file, int axes, hsize_t side, hid_t type, bool chunked)
{
    hsize_t all[3] = {side, side, side}, chunk[3] = {2, 2, 2};
    hid_t space = H5Screate_simple(axes, all, NULL), list = H5Pcreate(H5P_DATASET_CREATE), set;

    no_plane(file);
    if (chunked)
        H5Pset_chunk(list, axes, chunk);
    set = H5Dcreate2(file, "/VTKHDF/CellData/cell", type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    ck_assert_int_ge(set, 0);
    H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
}

static void three_axes(hid_t file) { put_plane(file, 3, 8, H5T_STD_U8LE, true); }
static void absurd_size(hid_t file) { put_plane(file, 2, 1ULL << 40, H5T_STD_U8LE, true); }
static void no_chunks(hid_t file) { put_plane(file, 2, 8, H5T_STD_U8LE, false); }
static void wide_values(hid_t file) { put_plane(file, 2, 8, H5T_STD_U16LE, true); }

static const struct {
    void (*change)(hid_t file);
    const char *part;
} changes[] = {
    {another_version, "version 2 of its format, expected 1"},
    {unknown_model, "'ising?[2J' is not a model"},
    {long_model, "its group /calab is not whole"},
    {late_start, "generation 70 does not fit a run that began with 71"},
    {real_seed, "its group /calab is not whole"},
    {another_hash, "that which was written with them 0123456789abcdef"},
    {short_hash, "its hash '12' does not have 16 hexadecimal digits"},
    {long_hash, "does not have 16 hexadecimal digits"},
    {hash_of_letters, "does not have 16 hexadecimal digits"},
    {late_end, "generation 9223372036854775808 does not fit a run"},
    {half_a_map, "its attributes /calab/map_... cannot be read"},
    {map_of_no_cells, "its lattice lies at 1, 2 with cells of 0"},
    {map_of_nowhere, "its lattice lies at nan, 2 with cells of 1"},
    {no_number, "/calab/parameters: density = 'nan' is not a finite"},
    {out_of_range, "/calab/parameters: density = '2' is out of range"},
    {no_parameters, "its group /calab is not whole: object 'parameters' doesn't exist"},
    {no_plane, "there is no data set /VTKHDF/CellData/cell of 2 axes"},
    {three_axes, "there is no data set /VTKHDF/CellData/cell of 2 axes"},
    {absurd_size, "bad.h5: "},
    {no_chunks, "is not stored as calab stores a plane"},
    {wide_values, "is not stored as calab stores a plane"},
};

START_TEST(files_that_lie)
{
    const char *path = test_path("bad.h5");
    struct state state;

    hid_t file;

    state_make(&state, "anneal", (struct ca_size){8, 8, 1});
    state_write(&state, path);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    ck_assert(file >= 0);
    changes[_i].change(file);
    H5Fclose(file);
    expect_refused(&state, path, changes[_i].part);
    ca_lattice_free(&state.cells);
}
END_TEST

/* A plane that is a link into another file. Once it has read or written a file, the library makes
 * no such link, so that a child writes the files. */
START_TEST(link_to_another_file)
{
    const char *path = test_path("bad.h5"), *other = test_path("other.h5");
    struct state state;
    pid_t child;

    hid_t file;

    state_make(&state, "anneal", (struct ca_size){8, 8, 1});
    child = fork();
    if (child == 0) {
        state_write(&state, other);
        state_write(&state, path);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    no_plane(file);
    ck_assert_int_ge(H5Lcreate_external("other.h5", "/VTKHDF/CellData/cell", file,
                                        "/VTKHDF/CellData/cell", H5P_DEFAULT, H5P_DEFAULT),
                     0);
    H5Fclose(file);
    expect_refused(&state, path, "there is no data set /VTKHDF/CellData/cell of 2 axes");
    ca_lattice_free(&state.cells);
}
END_TEST

/* A full disk, by the limit of a file's size; afterwards the library still works. */
START_TEST(a_full_disk)
{
    struct rlimit limit = {4096, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    const char *path = test_path("kept.h5");
    struct state state;
    char *text;

    state_make(&state, "anneal", (struct ca_size){300, 201, 1});
    test_write(path, "old", 3);
    signal(SIGXFSZ, SIG_IGN);
    for (limit.rlim_cur = 100; limit.rlim_cur < 7000; limit.rlim_cur += 1500) {
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        ck_assert_int_eq(ca_h5_write(path, state.setup.model, &state.source, &error), CA_IO);
        ck_assert_contains(error.text, "kept.h5: File too large");
        text = test_read(path, NULL);
        ck_assert_str_eq(text, "old");
        ck_assert_int_eq(test_files(), 1);
    }
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    state_write(&state, path);
    state_expect(&state, path);
    ca_lattice_free(&state.cells);
}
END_TEST

START_TEST(a_pipe_gets_nothing)
{
    struct state state;

    state_make(&state, "anneal", (struct ca_size){8, 8, 1});
    ck_assert_int_eq(symlink("/dev/null", test_path("null.h5")), 0);
    ck_assert_int_eq(ca_h5_write(test_path("null.h5"), state.setup.model, &state.source, &error),
                     CA_IO);
    ck_assert_contains(error.text, "cannot go to a pipe or a device");
    ca_lattice_free(&state.cells);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_state_makes_one_file, what_is_no_state, flipped_bits,
                              link_to_another_file, a_full_disk, a_pipe_gets_nothing,
                              an_image_for_vtk},
                     .table = {{what_is_written_is_read, COUNT(shapes)},
                               {filters_are_those_of_hdf5, COUNT(shapes)},
                               {files_that_lie, COUNT(changes)}});
}
