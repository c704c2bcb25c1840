/* SPDX-License-Identifier: MIT */
/* Files of fields and of observables: what calab run writes, and what it refuses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/formats.h"
#include "core/sim/fields.h"
#include "core/sim/output.h"
#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/support_blocks.h"

static struct ca_error error;

/* The field of an fhp gas of 20x12 after 40 generations, or its mean over some before, as the
 * library computes it. */
static double *expected_of(const char *name, struct ca_size block, int states, int every)
{
    struct ca_experiment experiment;
    struct ca_simulation *simulation;
    const struct ca_field *field;
    struct ca_block_means means;
    struct ca_window window;
    double *values;

    ca_experiment_default(&experiment, test_model("fhp"));
    ca_experiment_backend(&experiment, experiment.model->backends, CA_FROM_COMMAND_LINE);
    experiment.size = (struct ca_size){20, 12, 1};
    experiment.origin[CA_KEY_SIZE] = CA_FROM_COMMAND_LINE;
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_ok(ca_simulation_step(simulation, 40 - (uint64_t)(states * every), &error));
    ck_assert_ok(ca_window_open(&window, simulation, block, &error));
    test_window_run(&window, simulation, (uint64_t)(states * every), (uint64_t)every);
    ck_assert_ok(ca_field_find(&field, experiment.model, name, &error));
    values = calloc((size_t)ca_window_values(&window, field), sizeof *values);
    means = ca_window_means(&window);
    ca_field_values(field, &means, values);
    ca_window_close(&window);
    ca_simulation_close(simulation);
    return values;
}

START_TEST(a_profile_as_csv)
{
    double *expected = expected_of("velocity", (struct ca_size){20, 1, 1}, 8, 3), got[2];
    char *text, *line;
    size_t size;

    calab_good("run fhp -q -b reference -s 20x12 -n 40 -o "
               "velocity,block=Wx1,window=24/3:%s",
               test_path("u.csv"));
    text = test_read(test_path("u.csv"), &size);
    line = strtok(text, "\n");
    ck_assert_str_eq(line, "# fhp 20x12, velocity in cells/step, blocks of 20x1, mean of 8 states, "
                           "generations 19 ... 40");
    ck_assert_str_eq(strtok(NULL, "\n"), "x,y,velocity_x,velocity_y");
    ck_assert_str_eq(strtok(NULL, "\n"), "0,0,nan,nan");
    for (int y = 1; y < 11; y++) {
        int at;

        line = strtok(NULL, "\n");
        ck_assert_int_eq(sscanf(line, "0,%d,%lf,%lf", &at, &got[0], &got[1]), 3);
        ck_assert_int_eq(at, y);
        for (int c = 0; c < 2; c++)
            ck_assert_double_eq_tol(got[c], expected[2 * y + c], 1e-11);
    }
    ck_assert_str_eq(strtok(NULL, "\n"), "0,11,nan,nan");
    ck_assert_ptr_null(strtok(NULL, "\n"));
    free(expected);
}
END_TEST

/* Components come first, then lines of blocks, of which the last ones are smaller. */
START_TEST(a_field_as_npy)
{
    double *expected = expected_of("momentum", (struct ca_size){8, 5, 1}, 1, 1), got[18];
    size_t size;
    char *bytes;

    calab_good("run fhp -q -b reference -s 20x12 -n 40 -o momentum,block=8x5:%s",
               test_path("p.npy"));
    bytes = test_read(test_path("p.npy"), &size);
    ck_assert_contains(bytes + 10, "'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 3)");
    ck_assert_uint_eq(size % 64, sizeof got % 64);
    memcpy(got, bytes + size - sizeof got, sizeof got);
    for (int i = 0; i < 9; i++)
        for (int c = 0; c < 2; c++)
            ck_assert_double_eq(got[c * 9 + i], expected[2 * i + c]);
    free(expected);
}
END_TEST

/* Each file of a series has the window that ends with it; generation 0 has none. */
START_TEST(a_series_of_windows)
{
    struct outcome o = calab("run fhp -q -b reference -s 20x12 -n 45 --every 20 -o "
                             "density,block=8x5,window=10/5:%s",
                             test_path("d%02d.csv"));
    char *text;
    size_t size;

    ck_assert_int_eq(o.status, 0);
    ck_assert_contains(o.out,
                       test_text("%s ... %s, 2\n", test_path("d20.csv"), test_path("d40.csv")));
    ck_assert_int_ne(access(test_path("d00.csv"), F_OK), 0);
    ck_assert_int_eq(access(test_path("d20.csv"), F_OK), 0);
    text = test_read(test_path("d40.csv"), &size);
    ck_assert_contains(text, "mean of 2 states, generations 35 ... 40\n");
}
END_TEST

/* What is written as a grid is the next run's terrain, to the last bit of its numbers; blocks give
 * it its cell size, and a gas has no data where all is solid. */
START_TEST(a_field_as_grid)
{
    char *text;
    size_t size;
    const char *level = test_path("level.asc"), *again = test_path("again.asc");

    calab_good("run water -q -s 7x5 -n 3 -o level,block=1x1:%s", level);
    calab_good("run water -q --init file --set terrain_file=%s -n 0 -o level,block=1x1:%s", level,
               again);
    text = test_read(level, &size);
    ck_assert_ptr_eq(strstr(text, "ncols 7\nnrows 5\nxllcorner 0\nyllcorner 0\ncellsize 1\n"
                                  "NODATA_value -9999\n"),
                     text);
    test_same_files(level, again);
    calab_good("run fhp -q -s 4x4 -n 0 --set density=0.5 -o speed,block=4x1:%s", level);
    text = test_read(level, &size);
    ck_assert_contains(text, "dx 4\ndy 1\nNODATA_value -9999\n-9999\n");
}
END_TEST

START_TEST(observables_by_generation)
{
    struct outcome o = calab_good("run anneal -q -b reference -s 16x16 -n 25 --every 10 -o "
                                  "observables:%s",
                                  test_path("o.csv"));
    char *text, expected[256], rows[3][64];
    size_t size;

    for (int i = 0; i < 3; i++) {
        o = calab_good("run anneal -q -b reference -s 16x16 -n %d", 10 * i);
        snprintf(rows[i], sizeof rows[i], "%d,%s", 10 * i, outcome_value(&o, "observables.live"));
        strcat(strcat(rows[i], ","), outcome_value(&o, "observables.walls"));
    }
    snprintf(expected, sizeof expected, "generation,live,walls\n%s\n%s\n%s\n", rows[0], rows[1],
             rows[2]);
    text = test_read(test_path("o.csv"), &size);
    ck_assert_str_eq(text, expected);
}
END_TEST

/* Numbers of 12 digits are in a table and in a field's file as they are. */
START_TEST(digits_of_tables)
{
    const struct ca_model *model = test_model("anneal");
    static const double values[CA_OBSERVABLES_MAX] = {123456789012, 0.123456789012};
    struct ca_blocks blocks = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 0, 0, 0};
    struct ca_map map = {0};
    struct ca_field_values of = {.model = model,
                                 .field = ca_fields(model),
                                 .blocks = &blocks,
                                 .map = &map,
                                 .values = values + 1,
                                 .states = 1};
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    ca_csv_row(stream, model, 7, values);
    fclose(stream);
    ck_assert_str_eq(text, "7,123456789012,0.123456789012\n");
    free(text);
    ck_assert_ok(ca_csv_write_field(test_path("d.csv"), &of, &error));
    text = test_read(test_path("d.csv"), &size);
    ck_assert_contains(text, "\n0,0,0.123456789012\n");
    free(text);
    ck_assert_ok(ca_asc_write_field(test_path("d.asc"), &of, &error));
    text = test_read(test_path("d.asc"), &size);
    ck_assert_contains(text, "\n0.123456789\n");
    free(text);
}
END_TEST

/* The header of a grid as it was read: that of the file, or of the blocks, of which the southern
 * ones reach beyond the lattice, whose own corner is at 2600000.25, 1200000. */
static void expect_header(const char *command, const char *header)
{
    char *text;

    calab_good("%s", command);
    text = test_read(test_path("out.asc"), NULL);
    text[strlen(header) < strlen(text) ? strlen(header) : 0] = '\0';
    ck_assert_str_eq(text, header);
    free(text);
}

START_TEST(a_grid_keeps_its_place)
{
    static const char terrain[] = "ncols 5\nnrows 3\nXLLCORNER 2600000.25\nyllcenter 1200012.5\n"
                                  "cellsize 25\nNODATA_value -3.4028234663852886e+38\n"
                                  "1 2 3 4 5\n6 7 -3.4028235e38 9 10\n11 12 13 14 15\n";
    static const char whole[] = "ncols 5\nnrows 3\nxllcorner 2600000.25\nyllcenter 1200012.5\n"
                                "cellsize 25\nNODATA_value -3.4028234663852886e+38\n";
    char run[600];

    test_put("t.asc", terrain);
    snprintf(run, sizeof run,
             "run water -q --init file --set terrain_file=%s --set nodata=value --set "
             "nodata_value=8",
             test_path("t.asc"));
    expect_header(test_text("%s -n 0 -o terrain,block=1x1:%s", run, test_path("out.asc")), whole);
    expect_header(test_text("%s -n 2 -b threads -o depth,block=1x1:%s", run, test_path("out.asc")),
                  whole);
    expect_header(test_text("%s -n 2 -o level,block=2x2:%s", run, test_path("out.asc")),
                  "ncols 3\nnrows 2\nxllcorner 2600000.25\nyllcenter 1200000\n"
                  "cellsize 50\nNODATA_value -3.4028234663852886e+38\n");

    /* A checkpoint knows it, also where the terrain is gone. */
    calab_good("%s", test_text("%s -n 2 -o %s", run, test_path("c.h5")));
    ck_assert_int_eq(unlink(test_path("t.asc")), 0);
    expect_header(
        test_text("convert %s level,block=1x1:%s", test_path("c.h5"), test_path("out.asc")), whole);
    expect_header(test_text("run water -q --init %s -n 1 -o level,block=1x1:%s", test_path("c.h5"),
                            test_path("out.asc")),
                  whole);
}
END_TEST

/* Where a value is what meant no data, another number does. */
START_TEST(a_value_is_never_no_data)
{
    static const char terrain[] = "ncols 2\nnrows 1\nxllcenter 3\nNODATA_value 7\n1 7\n";

    test_put("t.asc", terrain);
    expect_header(
        test_text("convert water %s terrain,block=1x1:%s --set nodata=value --set nodata_value=7",
                  test_path("t.asc"), test_path("out.asc")),
        "ncols 2\nnrows 1\nxllcenter 3\nyllcorner 0\ncellsize 1\n"
        "NODATA_value -9999\n1 7");
}
END_TEST

/* What is no altitude raises no volume above which nothing is noticed. */
START_TEST(terrain_of_another_no_data)
{
    static const char terrain[] =
        "ncols 2\nnrows 1\nNODATA_value -3.4028230e+38\n1 -3.4028235e+38\n";
    struct outcome o;

    test_put("t.asc", terrain);
    o = calab_good("run water -q --init file -n 1 --set nodata=wall --set terrain_file=%s",
                   test_path("t.asc"));
    ck_assert_double_eq(atof(outcome_value(&o, "observables.altitudes")), 1 + 10001);
}
END_TEST

/* Where the disk is full the rows stay that are whole, and what stood there before does without
 * any. The message names file and reason. */
START_TEST(rows_stay_on_a_full_disk)
{
    static const struct surroundings s = {.file_limit = 600}, none = {.file_limit = 30};
    const char *path = test_path("o.csv");
    char *text, *whole, *stay;
    struct outcome o = calab_good("run anneal -q -b reference -s 16x16 -n 300 --every 1 -o "
                                  "observables:%s",
                                  path);
    int rows = -1;

    whole = test_read(path, NULL);
    o = calab_in(&s, "run anneal -q -b reference -s 16x16 -n 300 --every 1 -o observables:%s",
                 path);
    text = test_read(path, NULL);
    ck_assert_int_eq(o.status, CA_IO);
    ck_assert_contains(o.err, "o.csv: File too large; its first rows, ");
    ck_assert_uint_gt(strlen(text), 500);
    ck_assert_uint_le(strlen(text), 600);
    ck_assert_int_eq(text[strlen(text) - 1], '\n');
    ck_assert_int_eq(strncmp(text, whole, strlen(text)), 0);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        rows++;
    stay = strstr(o.err, "first rows, ");
    ck_assert_int_eq(atoi(stay + strlen("first rows, ")), rows);
    ck_assert_int_eq(test_files(), 1);

    o = calab_in(&none, "run anneal -q -b reference -s 16x16 -n 300 --every 1 -o observables:%s",
                 path);
    ck_assert_int_eq(o.status, CA_IO);
    ck_assert_contains(o.err, "o.csv: File too large\n");
    ck_assert_int_eq(test_files(), 1);
    whole = test_read(path, NULL);
    ck_assert_str_eq(whole, text);
}
END_TEST

START_TEST(a_full_device)
{
    const char *const outputs[] = {"--every 1 -o observables", "-o density,block=1x1"};
    const char *path = test_path("full.csv");

    ck_assert_int_eq(symlink("/dev/full", path), 0);
    for (size_t i = 0; i < COUNT(outputs); i++)
        calab_fails(CA_IO, "cannot write /dev/full: No space left on device\n",
                    "run anneal -q -b reference -s 64x64 -n 2000 %s:%s", outputs[i], path);
}
END_TEST

/* A name before the colon is a field's. A file's may have a colon: behind a point, a slash or a
 * letter alone. */
START_TEST(colons_in_names)
{
    const char *const files[] = {"a:b.npy", "x.y:b.npy", "8:b.npy"};
    struct ca_size lattice = {64, 64, 64}, block;
    struct ca_output output;

    ck_assert_ok(ca_output_parse(&output, test_model("cloud"), "cover:c.csv", &error));
    block = ca_output_block(&output, lattice);
    ck_assert(block.w == 8 && block.h == 8 && block.d == 8); /* unless block= says another */

    for (size_t i = 0; i < COUNT(files); i++) {
        ck_assert_ok(ca_output_parse(&output, test_model("fhp"), files[i], &error));
        ck_assert_str_eq(output.path, files[i]);
        ck_assert(!output.field && !output.observables && !output.picture);
    }
    calab_good("run anneal -q -b reference -s 16x16 -n 1 -o %s", test_path("density:b.npy"));
    ck_assert_int_eq(access(test_path("density:b.npy"), F_OK), 0);
}
END_TEST

/* An experiment file, a run of seconds, and blocks of three dimensions. */
START_TEST(other_ways)
{
    char *csv;
    size_t size;

    test_put("c.cfg", test_text("model = \"cloud\"; size = \"9x8x7\"; steps = 3;\noutput = "
                                "\"cover,block=1x1xD:%s\";\n",
                                test_path("c.csv")));
    calab_good("run -q -c %s", test_path("c.cfg"));
    csv = test_read(test_path("c.csv"), &size);
    ck_assert_contains(csv, "x,y,z,cover\n0,0,0,", "\n8,7,0,");
    calab_good("run water -q -s 16x16 --seconds 0.05 -o depth:%s", test_path("w.csv"));
    ck_assert_int_eq(access(test_path("w.csv"), F_OK), 0);
}
END_TEST

static const struct refusal refusals[] = {
    {"run fhp -o speed,block=0x1:u.csv", 2, "block=0x1 is not allowed: WxH", "its letter"},
    {"run fhp -o speed,block=8:u.csv", 2, "block=8 is not allowed", ""},
    {"run fhp -o speed,block=8x8x8:u.csv", 2, "block=8x8x8 is not allowed", ""},
    {"run fhp -o speed,block=HxW:u.csv", 2, "block=HxW is not allowed", ""},
    {"run cloud -o cover,block=8x8:u.csv", 2, "block=8x8 is not allowed: WxHxD", ""},
    {"run fhp -o speed,window=5/2:u.csv", 2, "window=5/2 is not allowed", "a multiple of K"},
    {"run fhp -o speed,window=:u.csv", 2, "window= is not allowed", ""},
    {"run fhp -o speed,windows=5:u.csv", 2, "'windows=5' is not allowed", ""},
    {"run fhp -o speed:u.txt", 2, "u.txt: a field is written to a file .npy, .asc or .csv", ""},
    {"run fhp -o sped:u.csv", 2, "'sped' before the ':' is not an output of fhp", "speed"},
    {"run fhp -o velocty:u.npy", 2, "did you mean 'velocity'",
     "a file of that name write ./velocty:"},
    {"run fhp -o velocty,block=4x4:u.npy", 2, "did you mean 'velocity'", "./velocty,block"},
    {"run fhp -o drag:u.png", 2, "'drag' before the ':' is not an output of fhp",
     "force, solid, observables"},
    {"run fhp -o drag:u.png --scale 2", 2, "'drag' before the ':' is not an output of fhp", ""},
    {"run fhp --every 1 -o observable:u.csv", 2, "did you mean 'observables'", ""},
    {"run fhp --every 1 -o observables,block=1x1:u.csv", 2, "':FILE' is expected after", ""},
    {"run fhp -o speed,block=1x1,block=2x2:u.npy", 2, "a field has block= once", ""},
    {"run fhp -n 9 -o speed,window=2,window=3:u.npy", 2, "a field has window= once", ""},
    {"run fhp -n 20 -o speed,window=21:u.csv", 2, "longer than the 20 of the run", ""},
    {"run fhp --every 5 -o speed,window=6:u%d.csv", 2, "longer than the 5 from one file", ""},
    {"run fhp --seconds 1 -o speed,window=6:u.csv", 2, "needs a number of generations (--steps)",
     ""},
    {"run fhp -o observables:u.csv", 2, "'every' (--every N) has to say", ""},
    {"run fhp --every 2 -o observables:u%d.csv", 2, "go into one file", ""},
    {"run fhp --every 2 -o observables:u.npy", 2, "are written to a file .csv", ""},
    {"run fhp -o velocity:u.asc", 2, "u.asc: a field is written to a file .npy or .csv", ""},
    {"run cloud -o cover:u.asc", 2, "u.asc: a field is written to a file .npy or .csv", ""},
    {"run water -o u.asc", 2, "'u.asc': a .asc has a field of water, as in FIELD:FILE", ""},
    {"run water -n 1 -s 8x8 -o level:/dev/full", 2, "a field is written to a file", ""},
    {"run fhp -o speed:/nowhere/u.csv", 8, "cannot write /nowhere/u.csv", ""},
};

int main(void)
{
    return RUN_TESTS(.test = {a_profile_as_csv, a_field_as_npy, a_series_of_windows,
                              a_field_as_grid, observables_by_generation, digits_of_tables,
                              a_grid_keeps_its_place, terrain_of_another_no_data,
                              a_value_is_never_no_data, rows_stay_on_a_full_disk, a_full_device,
                              colons_in_names, other_ways},
                     .table = {{refusals_test(refusals), COUNT(refusals)}});
}
