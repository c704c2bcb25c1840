/* SPDX-License-Identifier: MIT */
/* calab convert: from each format to each other, the model found by the file, and what is refused.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/error.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static void convert(const char *model, const char *from, const char *to)
{
    calab_done("convert %s %s %s", model, from, to);
}

/* Round all formats of anneal and back to the array that the run has written. */
START_TEST(round_the_formats)
{
    static const char *const names[] = {"a.npy", "a.pbm", "a.rle", "a.plain.pbm", "b.npy"};

    calab_done("run anneal -q -s 37x21 -n 3 -o %s", test_path(names[0]));
    for (size_t i = 0; i + 1 < COUNT(names); i++)
        convert(strstr(names[i], ".rle") ? "" : "anneal", test_path(names[i]),
                test_path(names[i + 1]));
    test_same_files(test_path("a.npy"), test_path("b.npy"));
}
END_TEST

/* The shape of an array, the values in it, or the format say which model it is of. */
START_TEST(models_by_their_files)
{
    static const struct {
        const char *line, *to;
    } rows[] = {{"fhp -s 8x6", "f.pbm"},
                {"life3d -s 8x8x8", "l.rle3"},
                {"cloud -s 8x6x4", "c.png"},
                {"water -s 8x6", "w.png"}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        calab_done("run %s -q -n 2 -o %s", rows[i].line, test_path("m.npy"));
        convert("", test_path("m.npy"), test_path(rows[i].to));
        ck_assert_int_eq(access(test_path(rows[i].to), F_OK), 0);
    }
    convert("", test_path("l.rle3"), test_path("l.npy"));
    convert("", test_path("l.npy"), test_path("again.rle3"));
}
END_TEST

START_TEST(terrains_and_fields)
{
    static const char grid[] = "ncols 3\nnrows 2\nNODATA_value -1\n1 2.5 3\n4 -1 6\n";
    char *text;

    test_put("t.asc", grid);
    calab_done("convert %s %s --set nodata=value --set nodata_value=5", test_path("t.asc"),
               test_path("t.npy"));
    calab_done("convert %s level,block=1x1:%s", test_path("t.npy"), test_path("u.asc"));
    text = test_read(test_path("u.asc"), NULL);
    ck_assert_contains(text, "\n1 2.5 3\n4 5 6\n");
}
END_TEST

/* A pattern without a lattice lies in the middle of the size that is asked for; a picture has the
 * options of one. */
START_TEST(sizes_and_pictures)
{
    char *bytes;

    test_write(test_path("p.rle3"), "3D version=1\nx=1 y=1 z=1 rule=3D5..7/6\no!", 42);
    calab_done("convert %s %s -s 3x5x4", test_path("p.rle3"), test_path("p.npy"));
    calab_done("convert %s %s --slice y --scale 2", test_path("p.npy"), test_path("p.pgm"));
    bytes = test_read(test_path("p.pgm"), NULL);
    ck_assert_str_eq(strtok(bytes, "\n"), "P5");
    ck_assert_str_eq(strtok(NULL, "\n"), "6 8");
}
END_TEST

static const struct refusal refusals[] = {
    {"convert", 2, "two files are needed", "[MODEL] FROM TO"},
    {"convert a.npy", 2, "two files are needed", ""},
    {"convert a b c d", 2, "unexpected argument 'd'", ""},
    {"convert aneal a.npy b.npy", 2, "'aneal'", "did you mean 'anneal'?"},
    {"convert /nowhere/a.npy b.npy", 8, "/nowhere/a.npy", "No such file"},
    {"convert README.md b.npy", 2, "'README.md': a state of anneal is read from", ".rle"},
    {"convert fhp a.rle b.npy", 2, "'a.rle': a state of fhp is read from a file", ".npy"},
    {"convert a.npy b.npy --seed 3", 2, "'--seed' is not an option here", ""},
};

/* Nothing is written over where what is there cannot be read, or the model is not clear. */
START_TEST(nothing_is_overwritten)
{
    size_t size;

    calab_done("run anneal -q -s 8x6 -n 0 -o %s", test_path("a.npy"));
    test_put("old.pbm", "old");
    test_put("cut.rle", "x = 3, y = 1\n2o3");
    calab_fails(CA_USAGE, "may be a state of anneal or fhp: name the model", "convert %s %s",
                test_path("a.npy"), test_path("old.pbm"));
    calab_fails(CA_IO, "cut.rle:2: the file ends behind a count", "convert %s %s",
                test_path("cut.rle"), test_path("old.pbm"));
    calab_fails(CA_IO, "old.pbm:1: offset 0", "convert %s %s", test_path("old.pbm"),
                test_path("a.npy"));
    test_read(test_path("old.pbm"), &size);
    ck_assert_uint_eq(size, 3);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {round_the_formats, models_by_their_files, terrains_and_fields,
                              sizes_and_pictures, nothing_is_overwritten},
                     .table = {{refusals_test(refusals), COUNT(refusals)}});
}
