/* SPDX-License-Identifier: MIT */
/* Pictures in files: each pixel against the state that was written beside it, and what is refused.
 * The pictures are read by libpng, and by the few lines that a greymap takes. */
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sim/snapshot.h"
#include "core/sim/frame_text.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

struct pixels {
    int w, h, bytes; /* of a pixel */
    uint8_t *at;
};

static struct pixels read_png(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    struct pixels pixels;

    ck_assert_msg(png_image_begin_read_from_file(&image, path), "%s: %s", path, image.message);
    image.format = PNG_FORMAT_RGB;
    pixels = (struct pixels){(int)image.width, (int)image.height, 3, malloc(PNG_IMAGE_SIZE(image))};
    ck_assert_msg(png_image_finish_read(&image, NULL, pixels.at, 0, NULL), "%s", image.message);
    return pixels;
}

static struct pixels read_pgm(const char *path)
{
    size_t size, header;
    char *bytes = test_read(path, &size);
    struct pixels pixels = {0};
    int full, used;

    ck_assert_int_eq(sscanf(bytes, "P5\n%d %d\n%d%n", &pixels.w, &pixels.h, &full, &used), 3);
    pixels.bytes = full == 255 ? 1 : 2;
    header = (size_t)used + 1;
    ck_assert_uint_eq(size - header, (size_t)(pixels.w * pixels.h * pixels.bytes));
    pixels.at = malloc(size - header);
    memcpy(pixels.at, bytes + header, size - header);
    return pixels;
}

/* 0 ... 255 or 65535. */
static int grey(const struct pixels *pixels, int x, int y)
{
    const uint8_t *p = pixels->at + (y * pixels->w + x) * pixels->bytes;

    return pixels->bytes == 1 ? *p : p[0] << 8 | p[1];
}

static bool is_black(const struct pixels *pixels, int x, int y)
{
    const uint8_t *p = pixels->at + (y * pixels->w + x) * pixels->bytes;

    return !(p[0] | p[1] | p[2]);
}

/* Runs and reads the state; `line` has a %s for each of its two files. */
static struct ca_lattice still_run(const char *model, const char *line, const char *a,
                                   const char *b)
{
    struct ca_lattice lattice;
    struct ca_error error;

    calab_good("run %s -q -o %s %s %s", model, test_path("s.npy"), test_text("-o %s -o %s", a, b),
               line);
    ck_assert_ok(test_npy_read(test_path("s.npy"), test_model(model), &lattice, &error));
    return lattice;
}

static int cell(const struct ca_lattice *lattice, int p, int64_t x, int64_t y, int64_t z)
{
    const uint8_t *plane = lattice->plane[p];

    return plane[(z * lattice->size.h + y) * lattice->size.w + x];
}

/* The cell of column x and line y of a slice. */
static int cell_of(const struct ca_lattice *lattice, char across, int at, int x, int y)
{
    return across == 'z'   ? cell(lattice, 0, x, y, at)
           : across == 'y' ? cell(lattice, 0, x, at, y)
                           : cell(lattice, 0, at, x, y);
}

static const struct {
    char across;
    int at, w, h;
    const char *text;
} slices[] = {{'z', 4, 7, 5, "z4"}, {'y', 3, 7, 9, "y3"}, {'x', 6, 5, 9, "x6"},
              {'z', 4, 7, 5, "z"},  {'x', 3, 5, 9, "x"},  {'z', 0, 7, 5, "z0"}};

START_TEST(a_pixel_a_cell)
{
    struct pixels png, pgm;
    struct ca_lattice lattice;
    int live = 0;

    lattice = still_run("life3d", test_text("-s 7x5x9 -n 0 --slice %s", slices[_i].text),
                        test_path("a.png"), test_path("a.pgm"));
    png = read_png(test_path("a.png"));
    pgm = read_pgm(test_path("a.pgm"));
    ck_assert(png.w == slices[_i].w && png.h == slices[_i].h);
    ck_assert(pgm.w == png.w && pgm.h == png.h && pgm.bytes == 1);
    for (int y = 0; y < png.h; y++)
        for (int x = 0; x < png.w; x++) {
            bool on = cell_of(&lattice, slices[_i].across, slices[_i].at, x, y);

            ck_assert_int_eq(is_black(&png, x, y), !on);
            ck_assert_int_eq(grey(&pgm, x, y), on ? 255 : 0);
            live += on;
        }
    ck_assert(live > 0 && live < png.w * png.h);
    free(png.at);
    free(pgm.at);
    ca_lattice_free(&lattice);
}
END_TEST

/* Of an even number of slices the middle one is the first behind the middle. */
START_TEST(the_middle_of_an_even_depth)
{
    static const struct {
        char across;
        int at;
    } rows[] = {{'z', 4}, {'y', 2}, {'x', 3}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        struct pixels png, pgm;
        struct ca_lattice lattice;

        lattice = still_run("life3d", test_text("-s 6x4x8 -n 0 --slice %c", rows[i].across),
                            test_path("a.png"), test_path("a.pgm"));
        png = read_png(test_path("a.png"));
        pgm = read_pgm(test_path("a.pgm"));
        for (int y = 0; y < pgm.h; y++)
            for (int x = 0; x < pgm.w; x++) {
                bool on = cell_of(&lattice, rows[i].across, rows[i].at, x, y);

                ck_assert_int_eq(grey(&pgm, x, y), on ? 255 : 0);
                ck_assert_int_eq(is_black(&png, x, y), !on);
            }
        free(png.at);
        free(pgm.at);
        ca_lattice_free(&lattice);
    }
}
END_TEST

START_TEST(projections)
{
    static const struct {
        char across;
        int w, h, slices;
    } rows[] = {{'z', 7, 5, 9}, {'y', 7, 9, 5}, {'x', 5, 9, 7}};

    for (size_t i = 0; i < COUNT(rows); i++)
        for (int sum = 0; sum < 2; sum++) {
            struct pixels png, pgm;
            struct ca_lattice lattice;

            lattice = still_run("life3d",
                                test_text("-s 7x5x9 -n 0 --set density=0.2 --project %s --slice %c",
                                          sum ? "sum" : "max", rows[i].across),
                                test_path("p.png"), test_path("p.pgm"));
            png = read_png(test_path("p.png"));
            pgm = read_pgm(test_path("p.pgm"));
            ck_assert(pgm.w == rows[i].w && pgm.h == rows[i].h && png.w == pgm.w && png.h == pgm.h);
            ck_assert_int_eq(pgm.bytes, sum ? 2 : 1);
            for (int y = 0; y < pgm.h; y++)
                for (int x = 0; x < pgm.w; x++) {
                    int live = 0, colour;
                    double level;

                    for (int at = 0; at < rows[i].slices; at++)
                        live += cell_of(&lattice, rows[i].across, at, x, y);
                    level = sum ? lround(255.0 * live / rows[i].slices) / 255.0 : live ? 1 : 0;
                    colour = ca_colour_of_ramp(level, false, CA_TONE_DARK, CA_COLOURS_DIRECT);
                    for (int c = 0; c < 3; c++)
                        ck_assert_int_eq(png.at[3 * (y * png.w + x) + c],
                                         colour >> (16 - 8 * c) & 255);
                    ck_assert_int_eq(grey(&pgm, x, y),
                                     sum    ? (int)lround(65535.0 * live / rows[i].slices)
                                     : live ? 255
                                            : 0);
                }
            free(png.at);
            free(pgm.at);
            ca_lattice_free(&lattice);
        }
}
END_TEST

/* A cloud's z points upwards; each cell is a square. */
START_TEST(heights_and_squares)
{
    struct ca_lattice lattice =
        still_run("cloud", "-s 6x4x5 -n 1 --set act0=0.2 --slice y2 --scale 3", test_path("c.png"),
                  test_path("c.pgm"));
    struct pixels png = read_png(test_path("c.png")), pgm = read_pgm(test_path("c.pgm"));

    ck_assert(png.w == 18 && png.h == 15 && pgm.w == 18 && pgm.h == 15);
    for (int y = 0; y < 15; y++)
        for (int x = 0; x < 18; x++) {
            bool any = false;

            for (int p = 0; p < 3; p++)
                any |= cell(&lattice, p, x / 3, 2, 4 - y / 3);
            ck_assert_int_eq(!any, is_black(&png, x, y));
            ck_assert_int_eq(grey(&pgm, x, y), grey(&pgm, x / 3 * 3, y / 3 * 3));
        }
    free(png.at);
    free(pgm.at);
    ca_lattice_free(&lattice);
}
END_TEST

/* More rows than are read at once. */
START_TEST(a_large_picture)
{
    struct ca_lattice lattice =
        still_run("anneal", "-s 4099x1100 -n 0", test_path("l.pgm"), test_path("l.png"));
    struct pixels pgm = read_pgm(test_path("l.pgm")), png = read_png(test_path("l.png"));
    int64_t wrong = 0;

    ck_assert(pgm.w == 4099 && pgm.h == 1100);
    for (int y = 0; y < pgm.h; y++)
        for (int x = 0; x < pgm.w; x++)
            wrong += grey(&pgm, x, y) != 255 * cell(&lattice, 0, x, y, 0) ||
                     is_black(&png, x, y) == cell(&lattice, 0, x, y, 0);
    ck_assert_int_eq(wrong, 0);
    free(pgm.at);
    free(png.at);
    ca_lattice_free(&lattice);
}
END_TEST

/* Floats have 16 bits of grey, and water is blue. */
START_TEST(water_is_blue)
{
    struct ca_lattice lattice =
        still_run("water", "-s 16x4 -n 0 --init dam", test_path("w.pgm"), test_path("w.png"));
    struct pixels pgm = read_pgm(test_path("w.pgm")), png = read_png(test_path("w.png"));
    const uint8_t *wet = png.at;

    ck_assert_int_eq(pgm.bytes, 2);
    ck_assert_int_gt(wet[2], wet[0]);
    ck_assert_mem_ne(wet, png.at + 3 * 15, 3); /* the dry end of a row */
    free(pgm.at);
    free(png.at);
    ca_lattice_free(&lattice);
}
END_TEST

START_TEST(a_series_of_pictures)
{
    struct outcome o = calab("run anneal -q -s 20x10 -n 5 --every 2 --scale 2 -o %s -o %s",
                             test_path("f%06d.png"), test_path("f%d.pgm"));

    ck_assert_msg(o.status == 0, "%s", o.err);
    for (int t = 0; t < 6; t += 2) {
        struct pixels pixels;

        pixels = read_png(test_path(test_text("f%06d.png", t)));
        ck_assert(pixels.w == 40 && pixels.h == 20);
        free(pixels.at);
        free(read_pgm(test_path(test_text("f%d.pgm", t))).at);
    }
    ck_assert_int_ne(access(test_path("f000006.png"), F_OK), 0);
}
END_TEST

/* A disk that is full leaves the file that was there. */
START_TEST(a_full_disk)
{
    static const char *const names[] = {"d.png", "d.pgm"};
    const struct surroundings small = {.file_limit = 4096};

    for (size_t i = 0; i < COUNT(names); i++) {
        const char *path = test_path(names[i]);
        struct outcome o;
        size_t size;

        test_write(path, "old", 3);
        o = calab_in(&small, "run anneal -q -s 512x512 -n 0 -o %s", path);
        ck_assert_int_eq(o.status, CA_IO);
        ck_assert_contains(o.err, names[i], "File too large");
        test_read(path, &size);
        ck_assert_uint_eq(size, 3);
    }
}
END_TEST

/* The command and the experiment file of a run have what was asked of its pictures. */
START_TEST(texts)
{
    static const char file[] = "model = \"life3d\"; size = \"8x6x4\"; steps = 0;\n"
                               "output = \"picture,slice=y1,project=sum,scale=2:%s\";\n";
    struct pixels pixels;

    test_put("t.cfg", test_text(file, test_path("t.png")));
    calab_good("run -q -c %s", test_path("t.cfg"));
    pixels = read_png(test_path("t.png"));
    ck_assert(pixels.w == 16 && pixels.h == 8);
    free(pixels.at);
}
END_TEST

static const struct refusal refusals[] = {
    {"run anneal --slice y -o x.png", 2, "slice: anneal has two dimensions", ""},
    {"run anneal --project max -o x.png", 2, "project: anneal has two dimensions", ""},
    {"run life3d -s 8x8x4 --slice z4 -o x.png", 2,
     "slice = z4 is not in the lattice, which is 8x8x4", "0 ... 3"},
    {"run life3d --slice w -o x.png", 2, "slice = 'w' is not allowed: x, y or z", "z12"},
    {"run life3d --slice z-1 -o x.png", 2, "slice = 'z-1' is not allowed", ""},
    {"run life3d --slice z99999999999 -o x.png", 2, "slice = 'z99999999999'", ""},
    {"run life3d --slice z1,scale=9 -o x.png", 2, "slice = 'z1,scale=9'", ""},
    {"run life3d --slice z1:y -o x.png", 2, "slice = 'z1:y' is not allowed", ""},
    {"run life3d --project min -o x.png", 2, "project = 'min' is not allowed: max | sum", ""},
    {"run life3d --scale 0 -o x.png", 2, "scale = '0' is not allowed: 1 ... 64", ""},
    {"run life3d --scale 65 -o x.png", 2, "scale = '65' is not allowed", ""},
    {"run life3d --scale 2 -o x.npy", 2, "--scale: goes with a picture", "-o FILE.png"},
    {"run life3d --scale 2", 2, "--scale: goes with a picture", ""},
    {"run life3d -b reference,threads --scale 2", 2, "--scale", ""},
    {"run life3d -o picture:x.npy", 2, "a picture is written to a file .pgm, .png, .mp4 or .gif",
     ""},
    {"run life3d -o picture,colour=3:x.png", 2, "'colour' is not allowed: of a picture", ""},
    {"run life3d -o picture,scale=3", 2, "':FILE' is expected", ""},
    {"run anneal -s 65536x8 --scale 64 -n 0 -o x.png", 2, "at most 1000000 pixels", "4194304"},
    {"run anneal --init x.png", 2, "x.png", ".npy"},
    {"run anneal -n 0 -o /nowhere/x.png", 8, "cannot write /nowhere/x.png", ""},
};

START_TEST(what_is_refused)
{
    calab_refuses(&refusals[_i]);
    ck_assert_int_ne(access("x.png", F_OK), 0);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {projections, the_middle_of_an_even_depth, heights_and_squares,
                              a_large_picture, water_is_blue, a_series_of_pictures, a_full_disk,
                              texts},
                     .table = {{a_pixel_a_cell, COUNT(slices)},
                               {what_is_refused, COUNT(refusals)}});
}
