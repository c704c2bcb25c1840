/* SPDX-License-Identifier: MIT */
/* Questions for pixels and their answers, pictures that change, and slow lines, without a terminal.
 */
#include "tui/workbench/terminal/pixels.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/pixel_terminal.h"
#include "tests/support/support.h"
#include "tui/workbench/terminal/base64.h"

static struct pixels pixels;

static void setup(void) { pixels_init(&pixels, 4711); }
static void teardown(void) { pixels_free(&pixels); }

/* What it is told, one after the other; "" is that nothing comes for longer than it waits. */
static const struct {
    const char *answers[6];
    enum pixels_state state;
    bool tmux;
} talks[] = {
    {{NULL}, PIXELS_ASKED, false},
    {{""}, PIXELS_SILENT, false},
    {{"[?62;22c"}, PIXELS_REFUSED, false},
    {{"P>|kitty(0.28.0)\033\\", "[?62c"}, PIXELS_ASKED, false},
    {{"P>|kitty(0.28.0)\033\\", "[?62c", "_Gi=%u;OK\033\\"}, PIXELS_ASKED, false},
    {{"P>|kitty(0.28.0)\033\\", "[?62c", "_Gi=%u;OK\033\\", "[?62c"}, PIXELS_SHOWN, false},
    {{"P>|kitty(1.0.0)\033\\", "[?62c", "_Gi=%u;OK\033\\", "[?62c"}, PIXELS_SHOWN, false},
    {{"P>|ghostty 1.0.0\033\\", "[?62c", "_Gi=%u;OK\033\\", "[?62c"}, PIXELS_SHOWN, false},
    {{"P>|kitty(0.27.1)\033\\", "[?62c"}, PIXELS_REFUSED, false},
    {{"P>|Konsole 23.04\033\\", "[?62c"}, PIXELS_REFUSED, false},
    {{"P>|kitty(0.28.0)\033\\", "[?62c", "_Gi=%u;EINVAL:no\033\\", "[?62c"}, PIXELS_REFUSED, false},
    {{"P>|kitty(0.28.0)\033\\", "[?62c", "_Gi=5;OK\033\\", "[?62c"}, PIXELS_REFUSED, false},
    {{"P>|kitty(0.28.0)\033\\", "[?62c", "[?62c"}, PIXELS_REFUSED, false},
    {{"P>|kitty(0.28.0)\033\\", "[?62c", ""}, PIXELS_SILENT, false},
    {{"", "P>|kitty(0.28.0)\033\\", "[?62c", "_Gi=%u;OK\033\\", "[?62c"}, PIXELS_SILENT, false},
    {{"P>|tmux 3.4\033\\", "[?62c"}, PIXELS_ASKED, true},
    {{"P>|tmux 3.4\033\\", "[?62c", ""}, PIXELS_NOT_PASSED, true},
    {{"P>|tmux 3.4\033\\", "[?62c", "P>|kitty(0.30.0)\033\\", "_Gi=%u;OK\033\\"},
     PIXELS_SHOWN,
     true},
    {{"P>|tmux 3.4\033\\", "[?62c", "P>|foot(1.16)\033\\", "_Gi=%u;OK\033\\"},
     PIXELS_REFUSED,
     true},
};

START_TEST(answers_decide)
{
    double now = 10;

    ck_assert(!pixels_awaits(&pixels));
    ck_assert_str_eq(pixels_ask(&pixels, now), "\033[>q\033[16t\033[c");
    ck_assert_str_eq(pixels_ask(&pixels, now), ""); /* once */
    ck_assert(pixels_awaits(&pixels));
    for (int i = 0; i < 6 && talks[_i].answers[i]; i++) {
        const char *answer = talks[_i].answers[i];
        char text[64];

        now += answer[0] ? 0.1 : PIXELS_ANSWER_S + 0.1;
        if (!answer[0]) {
            ck_assert_double_lt(pixels_expire(&pixels, now), 0);
            continue;
        }
        if (strncmp(answer, "_Gi=%u", 6) == 0)
            snprintf(text, sizeof text, "_Gi=%u%s", pixels.id, answer + 6);
        else
            snprintf(text, sizeof text, "%s", answer);
        pixels_answer(&pixels, text, now);
    }
    ck_assert_int_eq(pixels.state, talks[_i].state);
    ck_assert_int_eq(pixels.tmux, talks[_i].tmux);
    ck_assert_int_eq(pixels_news(&pixels), talks[_i].state != PIXELS_ASKED);
    ck_assert(!pixels_news(&pixels));
}
END_TEST

static void shown(void)
{
    char text[32];

    pixels_ask(&pixels, 0);
    pixels_answer(&pixels, "P>|kitty(0.28.0)\033\\", 0);
    pixels_answer(&pixels, "[?62c", 0);
    snprintf(text, sizeof text, "_Gi=%u;OK\033\\", pixels.id);
    pixels_answer(&pixels, text, 0);
    pixels_answer(&pixels, "[?62c", 0);
    ck_assert_int_eq(pixels.state, PIXELS_SHOWN);
    pixels_news(&pixels);
}

/* What is written for a frame with a bitmap of one colour, or without one. */
static const char *frame(int colour)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct bitmap *bitmap;

    ck_assert_ptr_nonnull(out);
    pixels_begin(&pixels);
    if (colour >= 0) {
        bitmap = pixels_add(&pixels, (struct rect){1, 2, 3, 4}, 16, 24);
        ck_assert_ptr_nonnull(bitmap);
        memset(bitmap->dot, colour, 16 * 24);
    }
    pixels_put(&pixels, out);
    fclose(out);
    return test_keep(text);
}

START_TEST(what_has_changed_is_sent)
{
    static const uint32_t colours[PIXELS_COLOURS] = {0x123456};

    ck_assert_ptr_null(pixels_add(&pixels, (struct rect){1, 2, 3, 4}, 16, 24));
    shown();
    ck_assert_contains(frame(1), "a=T,U=1,q=2,f=100,", "c=4,r=3,m=0;");
    ck_assert_str_eq(frame(1), "");
    ck_assert_contains(frame(2), "a=T");
    ck_assert_contains(frame(-1), "a=d,d=I");
    ck_assert_str_eq(frame(-1), "");
    ck_assert_contains(frame(2), "a=T");
    pixels_forget(&pixels);
    ck_assert_contains(frame(2), "a=T");
    pixels_paint(&pixels, colours);
    ck_assert_contains(frame(2), "a=T");
    pixels_paint(&pixels, colours);
    ck_assert_str_eq(frame(2), "");
    pixels_cell(&pixels, 9, 20);
    ck_assert_contains(frame(2), "a=T");
    pixels.withheld = true;
    ck_assert_ptr_null(pixels_add(&pixels, (struct rect){1, 2, 3, 4}, 16, 24));
}
END_TEST

static void ignored(const char *bytes, size_t count, void *user)
{
    (void)bytes, (void)count, (void)user;
}

/* What is sent, as libpng reads it: of the shape of the cells, the background transparent. */
static const struct {
    int cell_width, cell_height, width, height;
} shapes[] = {
    {0, 0, 16, 24}, {10, 15, 21, 24}, {10, 20, 16, 24}, {9, 20, 16, 27}, {10, 16, 20, 24}};

START_TEST(pictures_have_the_shape_of_their_cells)
{
    const struct pixel_options options = {.accepts = "OK"};
    struct pixel_terminal *terminal = pixel_terminal_new(&options, ignored, NULL);
    uint32_t colours[PIXELS_COLOURS] = {[1] = 0x123456, [7] = 0xabcdef};
    const struct pixel_image *image;
    struct bitmap *bitmap;
    char *text = NULL, out[8192];
    size_t size;
    FILE *file = open_memstream(&text, &size);

    shown();
    pixels_paint(&pixels, colours);
    pixels_cell(&pixels, shapes[_i].cell_width, shapes[_i].cell_height);
    pixels_begin(&pixels);
    bitmap = pixels_add(&pixels, (struct rect){1, 2, 3, 4}, 16, 24);
    for (int i = 0; i < 16 * 24; i++)
        bitmap->dot[i] = i % 16 < 8 ? 0 : i < 16 * 12 ? 1 : 7;
    pixels_put(&pixels, file);
    fclose(file);
    ck_assert_uint_lt(size + 64, sizeof out);
    ck_assert_uint_eq(pixel_terminal_take(terminal, text, size, out), 0);
    image = pixel_image_last(terminal);
    ck_assert_int_eq(image->width, shapes[_i].width);
    ck_assert_int_eq(image->height, shapes[_i].height);
    ck_assert_int_eq(image->columns, 4);
    ck_assert_int_eq(image->rows, 3);
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++)
            ck_assert_uint_eq(image->rgba[y * image->width + x] &
                                  (2 * x < image->width ? 255 : ~0u),
                              2 * x < image->width    ? 0
                              : 2 * y < image->height ? 0x123456ff
                                                      : 0xabcdefff);
    pixel_terminal_free(terminal);
    free(text);
}
END_TEST

START_TEST(only_so_many_cells_have_numbers)
{
    shown();
    pixels_begin(&pixels);
    ck_assert_ptr_null(pixels_add(&pixels, (struct rect){0, 0, 1, PIXELS_CELLS + 1}, 8, 8));
    ck_assert_ptr_null(pixels_add(&pixels, (struct rect){0, 0, PIXELS_CELLS + 1, 1}, 8, 8));
    for (int i = 0; i < PIXELS_PICTURES; i++)
        ck_assert_ptr_nonnull(pixels_add(&pixels, (struct rect){0, 0, 1, PIXELS_CELLS}, 8, 8));
    ck_assert_ptr_null(pixels_add(&pixels, (struct rect){0, 0, 1, 1}, 8, 8));
    ck_assert_uint_eq(pixels_diacritic(0), 0x305);
    ck_assert_uint_eq(pixels_diacritic(2), 0x30e);
    ck_assert_uint_eq(pixels_diacritic(34), 0x487);
    ck_assert_uint_eq(pixels_diacritic(PIXELS_CELLS - 1), 0x1d244);
}
END_TEST

START_TEST(slow_lines_get_coarse_pictures)
{
    shown();
    for (int i = 0; i < 10 * PIXELS_SLOW_FRAMES; i++) /* a hiccup is no slow line */
        pixels_took(&pixels, i % PIXELS_SLOW_FRAMES ? 2 * PIXELS_SLOW_S : 0);
    ck_assert_int_eq(pixels_coarse(&pixels), 0);
    for (int i = 0; i < PIXELS_SLOW_FRAMES; i++)
        pixels_took(&pixels, 2 * PIXELS_SLOW_S);
    ck_assert_int_eq(pixels_coarse(&pixels), 1);
    ck_assert(pixels_news(&pixels));
    for (int i = 0; i < 5 * PIXELS_SLOW_FRAMES; i++)
        pixels_took(&pixels, 2 * PIXELS_SLOW_S);
    ck_assert_int_eq(pixels_coarse(&pixels), PIXELS_COARSEST);
    for (int i = 0; i < PIXELS_QUICK_FRAMES - 1; i++)
        pixels_took(&pixels, 0);
    ck_assert_int_eq(pixels_coarse(&pixels), PIXELS_COARSEST);
    pixels_took(&pixels, 0);
    ck_assert_int_eq(pixels_coarse(&pixels), PIXELS_COARSEST - 1);
    for (int i = 0; i < 5 * PIXELS_QUICK_FRAMES; i++)
        pixels_took(&pixels, 0);
    ck_assert_int_eq(pixels_coarse(&pixels), 0);
    pixels_cell(&pixels, 7, 14); /* there are no eight pixels */
    ck_assert_int_eq(pixels_coarse(&pixels), 1);
}
END_TEST

START_TEST(pictures_are_taken_back)
{
    char text[512];

    pixels_delete(&pixels, text, sizeof text);
    ck_assert_str_eq(text, "");
    shown();
    pixels_delete(&pixels, text, sizeof text);
    ck_assert_int_eq(strncmp(text, "\033\\\033_Ga=d,d=I,", 13), 0);
    pixels.tmux = true;
    pixels_delete(&pixels, text, sizeof text);
    ck_assert_contains(text, "\033Ptmux;\033\033_Ga=d,d=I,");
    ck_assert_uint_lt(strlen(text), sizeof text - 1);
    ck_assert_str_eq(text + strlen(text) - 5, "\033\033\\\033\\");
}
END_TEST

static const char *const encoded[][2] = {
    {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
    {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xff\xfe\xfd", "//79"}};

START_TEST(base64_is_that_of_the_standard)
{
    char out[16] = "";

    ck_assert_uint_eq(base64(out, encoded[_i][0], strlen(encoded[_i][0])),
                      BASE64_SIZE(strlen(encoded[_i][0])));
    ck_assert_str_eq(out, encoded[_i][1]);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.setup = setup, .teardown = teardown,
                     .test = {what_has_changed_is_sent, only_so_many_cells_have_numbers,
                              slow_lines_get_coarse_pictures, pictures_are_taken_back},
                     .table = {{answers_decide, COUNT(talks)},
                               {pictures_have_the_shape_of_their_cells, COUNT(shapes)},
                               {base64_is_that_of_the_standard, COUNT(encoded)}});
}
