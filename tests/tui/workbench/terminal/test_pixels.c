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
    {{"P>|XTerm(379)\033\\", "[6;20;10t", "[?62;4;22c"}, PIXELS_ASKED, false},
    {{"P>|XTerm(379)\033\\", "[6;20;10t", "[?62;4;22c", "[?62;4;22c"}, PIXELS_SHOWN, false},
    {{"P>|XTerm(379)\033\\", "[?62;4;22c", "[?62;4;22c"}, PIXELS_NO_CELL, false},
    {{"P>|XTerm(379)\033\\", "[6;20;10t", "[?4;14;22c", "[?62;4;22c"}, PIXELS_REFUSED, false},
    {{"P>|tmux 3.5\033\\", "[6;20;10t", "[?1;2;4c", ""}, PIXELS_SHOWN, true},
    {{"P>|tmux 3.5\033\\", "[?1;2;4c", ""}, PIXELS_NOT_PASSED, true},
    {{"P>|tmux 3.3a\033\\", "[6;20;10t", "[?1;2c", ""}, PIXELS_NOT_PASSED, true},
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
    pixels_begin(&pixels, 30);
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
    size_t size, taken;
    FILE *file = open_memstream(&text, &size);

    shown();
    pixels_paint(&pixels, colours);
    pixels_cell(&pixels, shapes[_i].cell_width, shapes[_i].cell_height);
    pixels_begin(&pixels, 30);
    bitmap = pixels_add(&pixels, (struct rect){1, 2, 3, 4}, 16, 24);
    for (int i = 0; i < 16 * 24; i++)
        bitmap->dot[i] = i % 16 < 8 ? 0 : i < 16 * 12 ? 1 : 7;
    pixels_put(&pixels, file);
    fclose(file);
    ck_assert_uint_lt(size + 64, sizeof out);
    ck_assert_uint_eq(pixel_terminal_take(terminal, text, size, out, &taken), 0);
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
    pixels_begin(&pixels, 30);
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
    ck_assert(pixels_news(&pixels));
    pixels_rest(&pixels, true); /* the line does not count */
    ck_assert_int_eq(pixels_coarse(&pixels), 0);
    ck_assert(pixels_news(&pixels));
    pixels_rest(&pixels, true);
    ck_assert(!pixels_news(&pixels));
    pixels_rest(&pixels, false);
    ck_assert_int_eq(pixels_coarse(&pixels), PIXELS_COARSEST);
    ck_assert(pixels_news(&pixels));
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

/* --- sixels ----------------------------------------------------------------------------------- */

static void sixels_shown(int registers, int most_width, int most_height)
{
    char text[40];

    pixels_ask(&pixels, 0);
    pixels_answer(&pixels, "P>|XTerm(379)\033\\", 0);
    pixels_answer(&pixels, "[6;20;10t", 0);
    ck_assert_str_eq(pixels_answer(&pixels, "[?62;4;22c", 0), "\033[?1;1;0S\033[?2;1;0S\033[c");
    snprintf(text, sizeof text, "[?1;0;%dS", registers);
    pixels_answer(&pixels, text, 0);
    snprintf(text, sizeof text, "[?2;0;%d;%dS", most_width, most_height);
    pixels_answer(&pixels, text, 0);
    pixels_answer(&pixels, "[?62;4;22c", 0);
    ck_assert_int_eq(pixels.state, PIXELS_SHOWN);
    for (uint32_t i = 0; i < PIXELS_COLOURS; i++)
        pixels.colours[i] = i * 0x010203;
}

/* How many times one text is in another. */
static int times(const char *text, const char *part)
{
    int count = 0;

    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

/* The picture of `frame`, 4 x 3 cells of 10 x 20 pixels, with text over some of its cells. */
static const char *covered_frame(int colour, const char *covered)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    ck_assert_ptr_nonnull(out);
    pixels_begin(&pixels, 30);
    memset(pixels_add(&pixels, (struct rect){1, 2, 3, 4}, 16, 24)->dot, colour, 16 * 24);
    for (int i = 0; i < 12; i++)
        pixels.picture[0].open[i] = covered[i] == '.';
    pixels_put(&pixels, out);
    fclose(out);
    return test_keep(text);
}

/* Rectangles without text, where they begin on the screen, and their sizes. */
static const struct {
    const char *covered;
    int most_width, most_height;
    const char *begin[4], *size[4];
} covers[] = {
    {"............", 1000, 1000, {"\033[2;3H"}, {"1;1;40;60"}},
    {".....##.....",
     1000,
     1000,
     {"\033[2;3H", "\033[3;3H", "\033[3;6H", "\033[4;3H"},
     {"1;1;40;20", "1;1;10;20", "1;1;10;20", "1;1;40;20"}},
    {".##..##..##.", 1000, 1000, {"\033[2;3H", "\033[2;6H"}, {"1;1;10;60", "1;1;10;60"}},
    {"........####", 1000, 1000, {"\033[2;3H"}, {"1;1;40;40"}},
    {"............", 25, 1000, {"\033[2;3H", "\033[2;5H"}, {"1;1;20;60", "1;1;20;60"}},
    {"............", 1000, 45, {"\033[2;3H", "\033[4;3H"}, {"1;1;40;40", "1;1;40;20"}},
    {"############", 1000, 1000, {NULL}, {NULL}},
};

START_TEST(sixels_leave_out_text)
{
    const char *text;
    int pieces = 0;

    sixels_shown(256, covers[_i].most_width, covers[_i].most_height);
    text = covered_frame(1, covers[_i].covered);
    for (; pieces < 4 && covers[_i].begin[pieces]; pieces++) {
        text = strstr(text, covers[_i].begin[pieces]);
        ck_assert_msg(text != NULL, "piece %d", pieces);
        text += strlen(covers[_i].begin[pieces]);
        ck_assert_int_eq(strncmp(text, "\033P0;1q\"", 7), 0);
        ck_assert_int_eq(strncmp(text + 7, covers[_i].size[pieces], 9), 0);
    }
    ck_assert_int_eq((int)pixels.parts, pieces);
}
END_TEST

START_TEST(rows_that_changed_are_sent)
{
    struct bitmap *bitmap;
    char *text = NULL;
    size_t size;
    FILE *out;

    sixels_shown(256, 1000, 1000);
    ck_assert_contains(frame(1), "\033[2;3H\033P0;1q\"1;1;40;60#0;2;0;1;1");
    ck_assert_str_eq(frame(1), "");
    pixels_begin(&pixels, 30);
    bitmap = pixels_add(&pixels, (struct rect){1, 2, 3, 4}, 16, 24);
    memset(bitmap->dot, 1, 16 * 24);
    bitmap->dot[16 * 9] = 2; /* in the second row of cells */
    out = open_memstream(&text, &size);
    pixels_put(&pixels, out);
    fclose(out);
    ck_assert_contains(text, "\033[3;3H\033P0;1q\"1;1;40;20#0;2;0;1;1#1;2;");
    ck_assert_contains(text, "$#1"); /* that row, not the first */
    ck_assert_int_eq(times(text, "\033P"), 1);
    free(text);
    pixels_forget(&pixels);
    ck_assert_contains(frame(1), "1;1;40;60");
    pixels_begin(&pixels, 30);
    ck_assert_ptr_nonnull(pixels_add(&pixels, (struct rect){2, 2, 3, 4}, 16, 24));
    memset(pixels_last(&pixels)->dot, 1, 16 * 24);
    ck_assert(pixels_changed(&pixels)); /* where it stands */
    pixels_begin(&pixels, 30);
    ck_assert(!pixels_changed(&pixels)); /* what is written there takes it away */
    ck_assert_str_eq(frame(-1), "");
}
END_TEST

/* A terminal that keeps the last sixteen still has the picture that does not change. */
START_TEST(old_sixels_are_sent_anew)
{
    int second = 0;

    sixels_shown(256, 1000, 1000);
    for (int i = 0; i < 40; i++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);

        pixels_begin(&pixels, 30);
        memset(pixels_add(&pixels, (struct rect){1, 2, 3, 4}, 16, 24)->dot, 1 + i % 2, 16 * 24);
        memset(pixels_add(&pixels, (struct rect){9, 2, 3, 4}, 16, 24)->dot, 3, 16 * 24);
        pixels_put(&pixels, out);
        fclose(out);
        second = strstr(text, "\033[10;3H") ? 0 : second + 1;
        ck_assert_int_lt(second, 15);
        ck_assert(i % 4 != 1 || times(text, "\033P") < 3);
        free(text);
    }
    ck_assert_uint_lt(pixels.parts, 48);
}
END_TEST

START_TEST(few_registers_have_the_commonest_colours)
{
    const char *text;

    sixels_shown(2, 1000, 1000);
    pixels_begin(&pixels, 30);
    frame(1);
    pixels.picture[0].bitmap.dot[0] = 90;
    for (int i = 1; i < 100; i++)
        pixels.picture[0].bitmap.dot[i] = 100;
    pixels_forget(&pixels);
    {
        char *out_text = NULL;
        size_t size;
        FILE *out = open_memstream(&out_text, &size);

        pixels_put(&pixels, out);
        fclose(out);
        text = test_keep(out_text);
    }
    ck_assert_contains(text, "#0;2;0;1;1#1;2;39;79;17#1!40~");
    ck_assert_ptr_null(strstr(text, "#2"));
    ck_assert_contains(text, "#0!");
}
END_TEST

START_TEST(sixels_have_no_last_row)
{
    sixels_shown(256, 1000, 1000);
    pixels_begin(&pixels, 4);
    ck_assert_ptr_null(pixels_add(&pixels, (struct rect){1, 2, 3, 4}, 16, 24));
    pixels_begin(&pixels, 5);
    ck_assert_ptr_nonnull(pixels_add(&pixels, (struct rect){1, 2, 3, 400}, 16, 24));
}
END_TEST

/* Cells of pictures among what curses writes, in one piece or two. */
START_TEST(cells_of_pictures_are_counted)
{
    static const char text[] = "a \xe2\x80\x80\xe2\x80\x88\xe2\x80\x89\xe2\x94\x80\xc2\xa0";

    for (size_t cut = 0; cut < sizeof text; cut++) {
        char last[2] = "";
        int spaces = pixels_spaces(text, cut, last);

        spaces += pixels_spaces(text + cut, sizeof text - 1 - cut, last);
        ck_assert_int_eq(spaces, 2);
        cut += cut == sizeof text - 2;
    }
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
    pixels.protocol = PIXELS_SIXEL; /* which go with the screen, but for one that was cut off */
    pixels_delete(&pixels, text, sizeof text);
    ck_assert_str_eq(text, "\033\\");
    pixels.protocol = PIXELS_KITTY;
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
                              slow_lines_get_coarse_pictures, pictures_are_taken_back,
                              rows_that_changed_are_sent, old_sixels_are_sent_anew,
                              few_registers_have_the_commonest_colours, sixels_have_no_last_row,
                              cells_of_pictures_are_counted},
                     .table = {{answers_decide, COUNT(talks)},
                               {pictures_have_the_shape_of_their_cells, COUNT(shapes)},
                               {sixels_leave_out_text, COUNT(covers)},
                               {base64_is_that_of_the_standard, COUNT(encoded)}});
}
