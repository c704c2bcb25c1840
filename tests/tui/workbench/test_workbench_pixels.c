/* SPDX-License-Identifier: MIT */
/*
 * Pictures in pixels: what a terminal that shows them is asked and sent, decoded and compared with
 * the lattice cell for cell; and where one does not answer, refuses, or is behind tmux.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/pixel_terminal.h"
#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/script.h"
#include "tests/support/shell.h"
#include "tests/support/support.h"

#define SIXEL                                                                                      \
    {                                                                                              \
        .version = "XTerm(379)", .attributes = "?62;4;22", .registers = 256, .most_pictures = 16   \
    }
static const struct pixel_options sixel = SIXEL;

#define KITTY                                                                                      \
    {                                                                                              \
        .version = "kitty(0.35.2)", .accepts = "OK"                                                \
    }
static const struct pixel_options kitty = KITTY;

/* Most tests are of both protocols. */
#define PROTOCOLS 2
static const struct pixel_options *const protocol[PROTOCOLS] = {&kitty, &sixel};

static struct screen *pixels_start(const struct pixel_options *pixels, const char *glyphs,
                                   const char *size)
{
    const struct screen_options options = {
        .pixels = pixels,
        .environment = {glyphs},
        .arguments = {"anneal", "-s", size, "--seed", "3", "-b", "reference"}};

    return user_starts(&options);
}

static bool has_pixels(struct screen *screen, const void *data)
{
    (void)data;
    return pixel_cells(screen) > 0;
}

static bool has_none(struct screen *screen, const void *data)
{
    (void)data;
    return pixel_cells(screen) == 0;
}

static void expect_pixels(struct screen *screen)
{
    screen_until(screen, has_pixels, NULL, "pixels");
}

static void expect_none(struct screen *screen)
{
    screen_until(screen, has_none, NULL, "no pixels");
}

/* --- the lattice ------------------------------------------------------------------------------ */

struct lattice {
    uint8_t *cells;
    struct ca_size size;
    bool whole; /* all cells are seen; else some are behind a list */
};

static struct lattice lattice_at(const char *size, int generations)
{
    struct lattice lattice = {0};
    struct ca_error error;
    const char *path = test_path("state.pbm");

    calab_done("run anneal -s %s --seed 3 -b reference -q -n %d -o %s", size, generations, path);
    ck_assert_ok(test_pbm_read(path, &lattice.cells, &lattice.size, &error));
    test_keep(lattice.cells);
    return lattice;
}

/* The cells of the screen that show pixels, which are a rectangle unless something covers them. */
static void extent(struct screen *screen, int from[2], int to[2])
{
    uint32_t rgba;

    from[0] = from[1] = 1000;
    to[0] = to[1] = -1;
    for (int row = 0; row < screen_rows(screen); row++)
        for (int column = 0; column < screen_columns(screen); column++)
            if (pixel_at(screen, row, column, 0.5, 0.5, &rgba)) {
                from[0] = row < from[0] ? row : from[0];
                from[1] = column < from[1] ? column : from[1];
                to[0] = row > to[0] ? row : to[0];
                to[1] = column > to[1] ? column : to[1];
            }
}

/* Where the picture begins, and the dots of a cell: those of the last look at a whole one. */
static struct {
    int from[2];
    double side;
} seen;

/* The height of the panel limits the picture of a square, whose cells are of as many dots each
 * where that is nearly as large. False without a picture. */
static bool look(struct screen *screen, const struct lattice *lattice)
{
    int to[2];
    double side;

    if (!lattice->whole)
        return true;
    extent(screen, seen.from, to);
    side = 16.0 * (to[0] - seen.from[0] + 1) / (double)lattice->size.h;
    seen.side = (int)side > 0.85 * side ? (int)side : side;
    return to[0] >= 0;
}

/* The pixel in the middle of a cell; a dot is an eighth of a character wide. */
static bool cell_pixel(struct screen *screen, int x, int y, uint32_t *rgba)
{
    double across = (x + 0.5) * seen.side / 8, down = (y + 0.5) * seen.side / 16;

    return pixel_at(screen, seen.from[0] + (int)down, seen.from[1] + (int)across,
                    across - (int)across, down - (int)down, rgba);
}

/* A live cell has a colour, and a dead one the background, which is black. */
static bool shows_cell(struct screen *screen, const struct lattice *lattice, int x, int y)
{
    uint32_t rgba;

    if (!cell_pixel(screen, x, y, &rgba))
        return !lattice->whole;
    return (rgba >> 8 != 0) == lattice->cells[(int64_t)y * lattice->size.w + x];
}

static bool shows_lattice(struct screen *screen, const void *data)
{
    const struct lattice *lattice = data;
    int wrong = 0;

    if (!look(screen, lattice))
        return false;
    for (int y = 0; y < lattice->size.h; y++)
        for (int x = 0; x < lattice->size.w; x++)
            wrong += !shows_cell(screen, lattice, x, y);
    return wrong == 0;
}

static void expect_lattice(struct screen *screen, const struct lattice *lattice)
{
    screen_until(screen, shows_lattice, lattice, "the lattice in pixels");
}

/* --- tests ------------------------------------------------------------------------------------ */

START_TEST(every_cell_is_seen)
{
    static const char *const sizes[] = {"36x36", "48x48", "100x100"};
    static const int cells[][2] = {{10, 20}, {9, 20}, {9, 17}, {16, 32}};
    struct lattice before = lattice_at(sizes[_i % 3], 0), after = lattice_at(sizes[_i % 3], 7);
    struct pixel_options options = *protocol[_i / 12];
    struct screen *screen;

    before.whole = after.whole = true;
    options.cell_width = cells[_i / 3 % 4][0];
    options.cell_height = cells[_i / 3 % 4][1];
    screen = pixels_start(&options, "CALAB_GLYPHS=auto", sizes[_i % 3]);
    expect_lattice(screen, &before);
    screen_send(screen, ".......");
    expect_lattice(screen, &after);
    user_quits(screen);
}
END_TEST

/* The first picture is of characters, and nothing waits for an answer. */
static const struct {
    struct pixel_options pixels;
    const char *glyphs, *says;
} without[] = {
    {{.version = NULL}, "CALAB_GLYPHS=pixel", "no pixels are drawn: this terminal has none"},
    {{.version = "kitty(0.26.5)", .accepts = "OK"},
     "CALAB_GLYPHS=pixel",
     "has none that can be used"},
    {{.version = "kitty(0.35.2)", .accepts = "ENOTSUPPORTED:no"},
     "CALAB_GLYPHS=pixel",
     "has none that can be used"},
    {{.version = "kitty(0.35.2)"}, "CALAB_GLYPHS=pixel", "has none that can be used"},
    {{.version = "WezTerm 20240203", .accepts = "OK"},
     "CALAB_GLYPHS=pixel",
     "has none that can be used"},
    {{.late = true}, "CALAB_GLYPHS=pixel", "the terminal has not answered"},
    {{.tmux = "tmux 3.4", .version = "kitty(0.35.2)", .accepts = "OK"},
     "CALAB_GLYPHS=pixel",
     "tmux set -g allow-passthrough on"},
    {{.tmux = "tmux 3.4", .version = "xterm(380)", .passes = true},
     "CALAB_GLYPHS=pixel",
     "tmux set -g allow-passthrough on"},
    {{.version = "xterm(379)", .attributes = "?62;4;22", .cell_width = -1},
     "CALAB_GLYPHS=pixel",
     "has sixels, but does not tell the size"},
    {{.version = "xterm(379)", .attributes = "?4;22"},
     "CALAB_GLYPHS=pixel",
     "has none that can be used"},
    {{.version = "kitty(0.35.2)", .accepts = "ENOTSUPPORTED:no"}, "CALAB_GLYPHS=auto", NULL},
    {{.late = true}, "CALAB_GLYPHS=auto", NULL},
};

START_TEST(half_blocks_without_them)
{
    struct screen *screen = pixels_start(&without[_i].pixels, without[_i].glyphs, "36x36");

    screen_expect(screen, "▀");
    if (without[_i].says)
        screen_expect_words(screen, without[_i].says);
    else
        ck_assert(!screen_shows(screen, "glyphs"));
    ck_assert_int_eq(pixel_cells(screen), 0);
    ck_assert_int_eq(pixel_images_sent(screen_pixels(screen)), 0);
    /* The key passes them over. */
    user_does(screen, STEPS(COMMAND("set glyphs=braille"), SHOWS("glyphs: braille"), PRESS("c"),
                            SHOWS("glyphs: auto, which draws half")));
    user_quits(screen);
}
END_TEST

/* Answers that come when nobody waits for them any more are no keys. */
START_TEST(late_answers_are_swallowed)
{
    const struct pixel_options options = {
        .version = "kitty(0.35.2)", .accepts = "OK", .late = true};
    struct screen *screen = pixels_start(&options, "CALAB_GLYPHS=pixel", "36x36");

    screen_expect_words(screen, "the terminal has not answered");
    pixel_terminal_answer(screen_pixels(screen));
    user_does(screen, STEPS(PRESS("."), GENERATION(1), SHOWS("▀")));
    ck_assert_int_eq(pixel_cells(screen), 0);
    ck_assert(!screen_shows(screen, "no meaning"));
    user_quits(screen);
}
END_TEST

START_TEST(through_tmux)
{
    const struct pixel_options options = {
        .tmux = "tmux 3.4", .version = "kitty(0.35.2)", .accepts = "OK", .passes = true};
    struct lattice lattice = lattice_at("36x36", 1);
    struct screen *screen = pixels_start(&options, "CALAB_GLYPHS=auto", "36x36");

    lattice.whole = true;
    expect_pixels(screen);
    screen_send(screen, ".");
    expect_lattice(screen, &lattice);
    user_quits(screen);
}
END_TEST

static bool has_fewer(struct screen *screen, const void *cells)
{
    return pixel_cells(screen) < *(const int *)cells;
}

/* A list lies over the picture, and its cells show nothing of it; behind it all is as before. */
START_TEST(lists_hide_them)
{
    struct lattice lattice = lattice_at("36x36", 1), next = lattice_at("36x36", 2);
    struct screen *screen = pixels_start(protocol[_i], "CALAB_GLYPHS=auto", "36x36");
    int cells, sent;

    expect_pixels(screen);
    screen_send(screen, ".");
    lattice.whole = next.whole = true;
    expect_lattice(screen, &lattice);
    lattice.whole = false;
    cells = pixel_cells(screen);
    sent = pixel_images_sent(screen_pixels(screen));
    screen_send(screen, "m");
    screen_until(screen, has_fewer, &cells, "a list over the picture");
    screen_expect(screen, "anneal");
    expect_lattice(screen, &lattice);
    screen_send(screen, "\x1b");
    lattice.whole = true;
    expect_lattice(screen, &lattice);
    ck_assert_int_eq(pixel_cells(screen), cells);
    if (_i == 0) /* text alone has moved */
        ck_assert_int_eq(pixel_images_sent(screen_pixels(screen)), sent);
    screen_send(screen, ".");
    expect_lattice(screen, &next);
    user_quits(screen);
}
END_TEST

START_TEST(they_follow_the_size)
{
    struct lattice lattice = lattice_at("100x100", 0);
    struct screen *screen = pixels_start(protocol[_i], "CALAB_GLYPHS=auto", "100x100");

    lattice.whole = true;
    expect_lattice(screen, &lattice);
    screen_resize(screen, 50, 140);
    user_does(screen, STEPS(ROW(-1, "help")));
    expect_lattice(screen, &lattice);
    screen_resize(screen, 5, 20);
    expect_none(screen);
    screen_resize(screen, 24, 80);
    expect_lattice(screen, &lattice);
    user_quits(screen);
}
END_TEST

static bool has_two_images(struct screen *screen, const void *data)
{
    (void)data;
    return pixel_images(screen_pixels(screen)) == 2;
}

/* Two slices, or the two sides of a split, are a picture each; the difference of two is drawn in
 * characters. */
START_TEST(two_pictures_are_shown)
{
    const struct screen_options options = {
        .pixels = &kitty,
        .rows = 30,
        .columns = 140,
        .environment = {"CALAB_GLYPHS=auto"},
        .arguments = {"life3d", "-s", "20x20x20", "-b", "reference"}};
    struct screen *screen = user_starts(&options);

    screen_until(screen, has_two_images, NULL, "two slices");
    user_does(screen, STEPS(COMMAND("set second_slice=off"), HIDES("XZ y=")));
    ck_assert_int_eq(pixel_images(screen_pixels(screen)), 1);
    user_does(screen, STEPS(CHOOSE("x", "threads"), SHOWS("A | B")));
    screen_until(screen, has_two_images, NULL, "two sides");
    user_does(screen, STEPS(COMMAND("set drawn=difference"), SHOWS("difference")));
    expect_none(screen);
    user_quits(screen);
}
END_TEST

/* What is drawn in characters takes the pictures back, and the end of all does. */
START_TEST(they_are_deleted)
{
    struct screen *screen = pixels_start(protocol[_i], "CALAB_GLYPHS=auto", "36x36");

    expect_pixels(screen);
    ck_assert_int_eq(pixel_images(screen_pixels(screen)), _i == 0);
    user_does(screen, STEPS(COMMAND("set glyphs=half"), SHOWS("▀")));
    ck_assert_int_eq(pixel_images(screen_pixels(screen)), 0);
    expect_none(screen);
    user_does(screen, STEPS(COMMAND("set glyphs=braille"), SHOWS("glyphs: braille"), PRESS("c")));
    expect_pixels(screen);
    screen_send(screen, "q");
    ck_assert_int_eq(screen_end(screen), 0);
    ck_assert_int_eq(pixel_images(screen_pixels(screen)), 0);
    screen_close(screen);
}
END_TEST

static int body_workbench(const void *data)
{
    const char *const program = test_program();

    (void)data;
    execl(program, program, "anneal", "-s", "36x36", "--seed", "3", "-b", "reference",
          (char *)NULL);
    return 127;
}

static int body_shell(const void *data) { return shell_with_job(body_workbench, data); }

START_TEST(suspending_takes_them_back)
{
    const struct screen_options options = {
        .pixels = protocol[_i], .environment = {"CALAB_GLYPHS=auto"}, .body = body_shell};
    struct lattice lattice = lattice_at("36x36", 0);
    struct screen *screen = screen_start(&options);

    lattice.whole = true;
    expect_lattice(screen, &lattice);
    user_does(screen, STEPS(PRESS("\032"), SHOWS("STOPPED 1")));
    expect_none(screen);
    ck_assert_int_eq(pixel_images(screen_pixels(screen)), 0);
    screen_send(screen, "fg\r");
    expect_lattice(screen, &lattice);
    user_quits(screen);
}
END_TEST

static const int signals[] = {SIGTERM, SIGHUP, SIGQUIT, SIGSEGV};

START_TEST(every_signal_deletes_them)
{
    struct screen *screen = pixels_start(&kitty, "CALAB_GLYPHS=auto", "36x36");

    expect_pixels(screen);
    ck_assert_int_eq(kill(screen_pid(screen), signals[_i]), 0);
    ck_assert_int_eq(screen_end(screen) & 0x7f, signals[_i]);
    ck_assert_int_eq(pixel_images(screen_pixels(screen)), 0);
    screen_close(screen);
}
END_TEST

/* A file of the screen has the characters that come nearest. */
START_TEST(files_have_characters)
{
    struct screen *screen = pixels_start(protocol[_i], "CALAB_GLYPHS=auto", "36x36");
    const char *path = test_path("screen.txt");

    expect_pixels(screen);
    user_does(screen, STEPS(COMMAND(test_text("write %s", path)), SHOWS("wrote")));
    ck_assert_contains(test_read(path, NULL), "▀", "anneal");
    ck_assert_ptr_null(strstr(test_read(path, NULL), "\xf4\x8e\xbb\xae"));
    expect_pixels(screen);
    user_quits(screen);
}
END_TEST

static bool has_pixel(struct screen *screen, const void *rgba)
{
    uint32_t now;

    return cell_pixel(screen, 18, 18, &now) && now == *(const uint32_t *)rgba;
}

/* The cursor is a cell in the complement of its colour, between brackets. */
START_TEST(the_cursor_is_seen)
{
    struct lattice lattice = lattice_at("36x36", 0);
    struct screen *screen = pixels_start(protocol[_i], "CALAB_GLYPHS=auto", "36x36");
    uint32_t before, inverted;

    lattice.whole = true;
    expect_lattice(screen, &lattice);
    ck_assert(cell_pixel(screen, 18, 18, &before));
    inverted = ~before | 255;
    user_does(screen, STEPS(PRESS("\r"), SHOWS("cell 18,18")));
    screen_until(screen, has_pixel, &inverted, "the cell under the cursor, inverted");
    user_does(screen, STEPS(PRESS("\x1b")));
    screen_until(screen, has_pixel, &before, "the cell without a cursor");
    user_quits(screen);
}
END_TEST

/* A terminal that has sixels and kitty's protocol gets this; in tmux, which has them by itself,
 * they follow where nothing is passed on. */
static const struct {
    struct pixel_options pixels;
    bool sixels;
} choices[] = {
    {{.version = "kitty(0.35.2)", .accepts = "OK", .attributes = "?62;4;22"}, false},
    {{.version = "kitty(0.35.2)", .accepts = "EINVAL:no", .attributes = "?62;4;22"}, true},
    {{.tmux = "tmux 3.5",
      .version = "kitty(0.35.2)",
      .accepts = "OK",
      .attributes = "?1;2;4",
      .passes = true},
     false},
    {{.tmux = "tmux 3.5",
      .version = "XTerm(379)",
      .accepts = "EINVAL:no",
      .attributes = "?1;2;4",
      .passes = true},
     true},
    {{.tmux = "tmux 3.5", .version = "XTerm(379)", .attributes = "?1;2;4", .passes = true}, true},
    {{.tmux = "tmux 3.5", .version = "XTerm(379)", .attributes = "?1;2;4"}, true},
};

START_TEST(kitty_comes_before_sixels)
{
    struct lattice lattice = lattice_at("36x36", 1);
    struct screen *screen = pixels_start(&choices[_i].pixels, "CALAB_GLYPHS=auto", "36x36");

    lattice.whole = true;
    expect_pixels(screen);
    screen_send(screen, ".");
    expect_lattice(screen, &lattice);
    ck_assert_int_eq(pixel_images(screen_pixels(screen)), !choices[_i].sixels);
    user_quits(screen);
}
END_TEST

/* A list that moves over the picture, while it runs, leaves nothing of either behind. */
START_TEST(lists_move_over_sixels)
{
    struct lattice lattice = lattice_at("36x36", 3);
    struct screen *screen = pixels_start(&sixel, "CALAB_GLYPHS=auto", "36x36");

    lattice.whole = true;
    expect_pixels(screen);
    user_does(screen, STEPS(PRESS("m"), SHOWS("type to filter"), PRESS("cloud"), PRESS("\x1b"),
                            HIDES("type to filter"), PRESS("..."), GENERATION(3)));
    expect_lattice(screen, &lattice);
    user_does(screen, STEPS(PRESS("?"), SHOWS("help"), PRESS("q"), PRESS("z"), PRESS("z")));
    expect_lattice(screen, &lattice);
    user_quits(screen);
}
END_TEST

/* A flow is chance, node by node; what is solid is not. */
START_TEST(flows_are_drawn_of_many_cells)
{
    const struct screen_options options = {
        .pixels = &kitty, .environment = {"CALAB_GLYPHS=auto"}, .arguments = {"fhp"}};
    struct screen *screen = user_starts(&options);

    user_does(screen, STEPS(SHOWS(" speed 0,0]"), SHOWS("cells/step, auto")));
    screen_until(screen, has_none, NULL, "no pixels");
    user_does(screen, STEPS(PRESS("vvvv"), SHOWS(" solid 0,0]")));
    expect_pixels(screen);
    user_quits(screen);
}
END_TEST

/* Cells that are larger than a pixel are mostly smaller than a character. */
START_TEST(titles_count_cells_of_a_character)
{
    struct screen *screen = pixels_start(&kitty, "CALAB_GLYPHS=auto", "200x200");

    expect_pixels(screen);
    user_does(screen, STEPS(SHOWS(" a char"), LACKS(" a cell"), PRESS("]]]]]]"), SHOWS(" a cell")));
    user_quits(screen);
}
END_TEST

static bool is_narrower(struct screen *screen, const void *width)
{
    return pixel_image_last(screen_pixels(screen))->width < *(const int *)width;
}

static bool is_as_wide(struct screen *screen, const void *width)
{
    return pixel_image_last(screen_pixels(screen))->width == *(const int *)width;
}

/* A line that takes long for a frame gets coarser ones, none while it blocks, and all pixels where
 * nothing changes any more. */
START_TEST(slow_lines_get_fewer)
{
    const struct screen_options options = {
        .pixels = &kitty,
        .bytes_per_s = 20000,
        .ahead_bytes = 2000,
        .environment = {"CALAB_GLYPHS=auto"},
        .arguments = {"anneal", "-s", "400x400", "--seed", "3", "-b", "reference"}};
    struct screen *screen = user_starts(&options);
    int width;

    expect_pixels(screen);
    width = pixel_image_last(screen_pixels(screen))->width;
    user_does(screen, STEPS(PRESS(" ")));
    screen_until(screen, is_narrower, &width, "a picture of fewer pixels");
    user_does(screen, STEPS(PRESS(" "), STATUS("PAUSE")));
    screen_until(screen, is_as_wide, &width, "all pixels of the picture at rest");
    user_quits(screen);
}
END_TEST

/* A paused screen sends nothing. */
START_TEST(nothing_is_sent_at_rest)
{
    struct screen *screen = pixels_start(protocol[_i], "CALAB_GLYPHS=auto", "36x36");

    user_does(screen, STEPS(PRESS("."), GENERATION(1)));
    expect_pixels(screen);
    screen_listen(screen, 1.5); /* the burst that measures the backend */
    ck_assert_uint_eq(screen_listen(screen, 0.5), 0);
    user_quits(screen);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {late_answers_are_swallowed, through_tmux, two_pictures_are_shown,
                              lists_move_over_sixels, slow_lines_get_fewer,
                              titles_count_cells_of_a_character, flows_are_drawn_of_many_cells},
                     .table = {{every_cell_is_seen, 12 * PROTOCOLS},
                               {lists_hide_them, PROTOCOLS},
                               {they_follow_the_size, PROTOCOLS},
                               {they_are_deleted, PROTOCOLS},
                               {suspending_takes_them_back, PROTOCOLS},
                               {files_have_characters, PROTOCOLS},
                               {the_cursor_is_seen, PROTOCOLS},
                               {nothing_is_sent_at_rest, PROTOCOLS},
                               {half_blocks_without_them, COUNT(without)},
                               {kitty_comes_before_sixels, COUNT(choices)},
                               {every_signal_deletes_them, COUNT(signals)}});
}
