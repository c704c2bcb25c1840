/* SPDX-License-Identifier: MIT */
/*
 * Films: what ffmpeg gets, against pictures of the same generations, and what is told and left
 * where it is missing or fails. A script takes the place of ffmpeg, which writes what it gets as
 * the film; where ffmpeg is installed, it makes one, too.
 */
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/file.h"
#include "core/files/film.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

/* Puts a script of that name into a folder, and has the program find it there alone; with NULL
 * there is none. */
static struct surroundings with_ffmpeg(const char *script)
{
    static const char *variable[] = {NULL, NULL};
    static char path[512];

    mkdir(test_path("bin"), 0700);
    if (script) {
        test_put("bin/ffmpeg", script);
        ck_assert_int_eq(chmod(test_path("bin/ffmpeg"), 0700), 0);
    }
    snprintf(path, sizeof path, "PATH=%s%s", test_path("bin"), script ? ":/usr/bin:/bin" : "");
    variable[0] = path;
    return (struct surroundings){.variable = variable};
}

/* It keeps its arguments beside the film, which is the last of them. */
#define COPIES                                                                                     \
    "#!/bin/sh\nfor film; do echo \"$film\"; done >\"${0%/bin/*}/arguments\"\nexec cat "           \
    ">\"$film\"\n"

static void expect_picture(const uint8_t *film, const char *path, int w, int h)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    uint8_t *pixels;

    ck_assert_msg(png_image_begin_read_from_file(&image, path), "%s: %s", path, image.message);
    ck_assert_int_eq(image.width, w);
    ck_assert_int_eq(image.height, h);
    image.format = PNG_FORMAT_RGB;
    pixels = malloc(PNG_IMAGE_SIZE(image));
    ck_assert_msg(png_image_finish_read(&image, NULL, pixels, 0, NULL), "%s", image.message);
    ck_assert_msg(memcmp(film, pixels, PNG_IMAGE_SIZE(image)) == 0, "%s is not in the film", path);
    free(pixels);
}

/* A line of the arguments, which are a line each. */
static void expect_arguments(const char *lines)
{
    char *arguments = test_read(test_path("arguments"), NULL);

    ck_assert_contains(arguments, lines);
}

/* Every second generation from the first on, pixel for pixel, and no others. */
START_TEST(pictures)
{
    static const struct {
        const char *run, *film;
        int w, h;
        const char *arguments;
    } rows[] = {
        {"anneal -s 33x20", "f.mp4", 33, 20,
         "-video_size\n33x20\n-framerate\n25\n-i\npipe:0\n-vf\nscale=iw*1:ih*1:flags=neighbor,"
         "pad=ceil(iw/2)*2:ceil(ih/2)*2\n-pix_fmt\nyuv420p\n"},
        {"cloud -s 8x6x5 --slice x", "picture,scale=3,rate=7:%f.gif", 6, 5,
         "-video_size\n6x5\n-framerate\n7\n-i\npipe:0\n-vf\nscale=iw*3:ih*3:flags=neighbor,split"},
    };
    const struct surroundings s = with_ffmpeg(COPIES);
    char film[512];
    const char *name = _i ? "f.gif" : "f.mp4";
    size_t bytes = (size_t)(rows[_i].w * rows[_i].h * 3), size;
    struct outcome o;
    uint8_t *frames;

    snprintf(film, sizeof film, "%s%s", _i ? "picture,scale=3,rate=7:" : "", test_path(name));
    o = calab_good_in(&s, "run %s -n 9 --every 2 -o %s -o %s", rows[_i].run, film,
                      test_path("p%d.png"));
    ck_assert_contains(o.out, name);
    expect_arguments(rows[_i].arguments);
    frames = (uint8_t *)test_read(test_path(name), &size);
    ck_assert_uint_eq(size, 5 * bytes);
    for (size_t i = 0; i < 5; i++) {
        char picture[32];

        snprintf(picture, sizeof picture, "p%zu.png", 2 * i);
        expect_picture(frames + i * bytes, test_path(picture), rows[_i].w, rows[_i].h);
    }
}
END_TEST

/* Nothing is left of a film that fails, and what stood there stays. */
START_TEST(fails)
{
    static const struct {
        const char *script, *says;
    } rows[] = {
        {"#!/bin/sh\necho 'no such \033[31mcodec' >&2\nexit 3\n", "ffmpeg: no such ?[31mcodec"},
        {"#!/bin/sh\nexit 1\n", "ffmpeg: it has ended early"},
        {"#!/bin/sh\nkill -9 $$\n", "ffmpeg: it was ended by signal 9"},
        {"#!/bin/sh\nhead -c 100 >/dev/null; echo full >&2\n", "ffmpeg: full"},
        {"#!/bin/sh\ncat >/dev/null; echo late >&2; exit 1\n", "ffmpeg: late"},
    };
    const struct surroundings s = with_ffmpeg(rows[_i].script);
    const char *film = test_path("f.mp4");
    struct outcome o;
    char *after;

    test_write(film, "before", 6);
    o = calab_in(&s, "run anneal -s 512x512 -n 9 --every 1 -o %s", film);
    ck_assert_msg(o.status == CA_IO, "status %d: %s", o.status, o.err);
    ck_assert_contains(o.err, rows[_i].says, film);
    after = test_read(film, NULL);
    ck_assert_str_eq(after, "before");
    ck_assert_int_eq(test_files(), 2); /* with the folder of the script */
}
END_TEST

/* Before the run, with the line that makes the film of pictures. */
START_TEST(missing)
{
    const struct surroundings s = with_ffmpeg(NULL);
    struct outcome o =
        calab_in(&s, "run anneal -n 9 --every 1 -o picture,rate=30:%s", test_path("f.mp4"));

    ck_assert_msg(o.status == CA_NO_DEVICE, "status %d: %s", o.status, o.err);
    ck_assert_contains(
        o.err, test_text("ffmpeg -framerate 30 -pattern_type glob -i '%s-*.png'", test_path("f")),
        "-o '", "-%06d.png'");
    ck_assert_int_eq(test_files(), 1);
}
END_TEST

static const struct refusal refusals[] = {
    {"run anneal -o f.mp4", CA_USAGE, "--every N", "is a film"},
    {"run anneal --every 2 -o f%d.mp4", CA_USAGE, "f%d.mp4", "one file"},
    {"run anneal --every 2 -o picture,rate=0:f.mp4", CA_USAGE, "rate = '0'", "1 ... 120"},
    {"run anneal --every 2 -o picture,rate=121:f.mp4", CA_USAGE, "rate = '121'", "1 ... 120"},
    {"run anneal --every 2 -o picture,rate=9:f%d.png", CA_USAGE, "rate belongs to a film", ".png"},
    {"convert a.npy f.mp4", CA_USAGE, "f.mp4", "--every N"},
};

START_TEST(refused_before_the_run)
{
    static const struct {
        const char *arguments, *name;
        int status;
        const char *part;
    } rows[] = {
        {"anneal -s 16385x8 --every 1", "f.mp4", CA_USAGE, "at most 16384 pixels"},
        {"anneal -s 8x4097 --scale 4 --every 1", "f.gif", CA_USAGE, "32x16388"},
        {"anneal -s 8x8 --every 1", "no/f.mp4", CA_IO, "No such file"},
        {"life3d -s 8x8x8 --slice z8 --every 1", "f.mp4", CA_USAGE, "z8 is not in the lattice"},
    };
    const struct surroundings s = with_ffmpeg(COPIES);
    struct outcome o = calab_in(&s, "run %s -o %s", rows[_i].arguments, test_path(rows[_i].name));

    ck_assert_msg(o.status == rows[_i].status, "status %d: %s", o.status, o.err);
    ck_assert_contains(o.err, rows[_i].part);
    ck_assert_int_eq(test_files(), 1);
}
END_TEST

/* A film of devices is none, because what has been written of it has to be found again. */
START_TEST(devices)
{
    const struct surroundings s = with_ffmpeg(COPIES);
    struct outcome o;

    ck_assert_int_eq(symlink("/dev/null", test_path("f.gif")), 0);
    o = calab_in(&s, "run anneal -n 2 --every 1 -o %s", test_path("f.gif"));
    ck_assert_int_eq(o.status, CA_IO);
    ck_assert_contains(o.err, "cannot go to a pipe or a device");
}
END_TEST

/* A signal ends films and tables of observables where they are. */
START_TEST(interrupted)
{
    struct surroundings s = with_ffmpeg(COPIES);
    struct outcome o;
    size_t size, lines = 0;
    char *rows;

    s.interrupt_after = "generation";
    o = calab_in(&s,
                 "run anneal -s 9x7 -b reference --seconds 1000 --every 100 -o %s -o "
                 "observables:%s",
                 test_path("f.mp4"), test_path("o.csv"));
    ck_assert_msg(o.status == 130, "status %d: %s", o.status, o.err);
    ck_assert_contains(o.err, "the files written so far are whole: 2");
    test_read(test_path("f.mp4"), &size);
    ck_assert_uint_gt(size, 0);
    ck_assert_uint_eq(size % (9 * 7 * 3), 0);
    rows = test_read(test_path("o.csv"), NULL);
    for (const char *at = rows; (at = strchr(at, '\n')); at++)
        lines++;
    ck_assert_uint_ge(lines, size / (9 * 7 * 3)); /* of names, too, and perhaps a comment */
    ck_assert_uint_le(lines, size / (9 * 7 * 3) + 2);
}
END_TEST

/* By ffmpeg itself. */
START_TEST(real)
{
    static const char *const names[] = {"f.mp4", "f.gif"};
    static const char *const begins[] = {"ftyp", "GIF8"};
    char *film;

    if (!ca_file_is_program("ffmpeg"))
        return;
    calab_good("run anneal -s 33x21 -n 9 --every 2 -o %s", test_path(names[_i]));
    film = test_read(test_path(names[_i]), NULL);
    ck_assert_int_eq(memcmp(film + (_i ? 0 : 4), begins[_i], 4), 0);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {missing, devices, interrupted},
                     .table = {{pictures, 2},
                               {fails, 5},
                               {refusals_test(refusals), COUNT(refusals)},
                               {refused_before_the_run, 4},
                               {real, 2}});
}
