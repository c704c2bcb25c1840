/* SPDX-License-Identifier: MIT */
/*
 * The pictures of the README, each the real screen after some keys, in SVG. CALAB_PICTURES names
 * the folder that they are written to, as `make pictures` does it; without it they are drawn and
 * looked at all the same. How a screen becomes SVG is tested on screens that are fed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/program.h"
#include "tests/support/script.h"
#include "tests/support/support.h"
#include "tests/support/svg.h"

/* --- screens that are fed --------------------------------------------------------------------- */

static const char *picture_of(const char *bytes)
{
    struct fed *fed = fed_new(2, 8, true);
    struct cells cells;
    const char *svg;

    fed_bytes(fed, bytes, strlen(bytes));
    cells = fed_cells(fed);
    svg = svg_of(&cells, "A screen");
    cells_free(&cells);
    fed_free(fed);
    return svg;
}

static const struct {
    const char *bytes, *one, *other;
} drawn[] = {
    {"a < b & c", ">a &lt; b &amp;</text>", "y=\"28\" textLength=\"8\" fill=\"#d0d0d0\">c</text>"},
    {"\033[31mred\033[0m \033[1mx", "textLength=\"24\" fill=\"#cd0000\">red</text>",
     "<text x=\"32\" y=\"12\" textLength=\"8\" fill=\"#d0d0d0\" font-weight=\"bold\">x</text>"},
    {"\033[38;5;196;48;5;21m\u2580\u2580", "<path fill=\"#0000ff\" d=\"M0 0h16v16H0z\"/>",
     "<path fill=\"#ff0000\" d=\"M0 0h16v8H0z\"/>"},
    {"\033[38;5;232m\u2584\u258c", "M0 8h8v8H0z", "M8 0h4v16H8z"},
    {"\033[38;5;255m\u2582\u2588", "M0 12h8v4H0z", "M8 0h8v16H8z"},
    {"\u250c\u2500\u2510\r\n\u2502", "M4 8h1v8H4zM4 8h16v1H4z", "M4 16h1v8H4z"},
    {"\u2801\u28c0", "M1 1h2v2H1z", "M9 13h2v2H9z"},
    {"\033[7mab", "M0 0h16v16H0z", "fill=\"#101014\">ab</text>"},
};

START_TEST(screens_become_shapes_and_text)
{
    const char *svg = picture_of(drawn[_i].bytes);

    ck_assert_contains(svg, "<svg xmlns=", "width=\"80\" height=\"48\"", "<title>A screen</title>",
                       drawn[_i].one, drawn[_i].other, "</svg>\n");
}
END_TEST

START_TEST(nothing_of_an_empty_screen)
{
    const char *svg = picture_of("");

    ck_assert_ptr_null(strstr(svg, "<path"));
    ck_assert_ptr_null(strstr(svg, "<text"));
}
END_TEST

/* --- the pictures ----------------------------------------------------------------------------- */

static bool is_asked_for(void) { return getenv("CALAB_PICTURES") != NULL; }

/* A flow that has developed, or any where no picture is wanted. */
static void wake_develops(struct screen *screen)
{
    expect_generation_from(screen, is_asked_for() ? 30000 : 300);
}

static bool has_a_ratio(struct screen *screen, const void *data)
{
    (void)data;
    return screen_shows(screen, "A is ") || screen_shows(screen, "unsure") || !is_asked_for();
}

static void ratio_is_known(struct screen *screen)
{
    screen_until(screen, has_a_ratio, NULL, "a ratio");
}

static void kernel_is_checked(struct screen *screen) { screen_expect(screen, "wrong"); }

/* A kernel that reads a wrong neighbour at the left edge. */
static const char *wrong_kernel(void)
{
    return "#include \"calab_lab.h\"\n"
           "\n"
           "void step(const struct lab *lab, lab_input *const in[], lab_cell *const out[])\n"
           "{\n"
           "    const int64_t w = lab->w, h = lab->h;\n"
           "\n"
           "    for (int64_t y = 0; y < h; y++)\n"
           "        for (int64_t x = 0; x < w; x++) {\n"
           "            int live = 0;\n"
           "\n"
           "            for (int dy = -1; dy <= 1; dy++)\n"
           "                for (int dx = -1; dx <= 1; dx++)\n"
           "                    live += in[LAB_CELL][LAB_AT(lab, (x + dx) % w, (y + dy + h) % h, "
           "0)];\n"
           "            out[LAB_CELL][LAB_AT(lab, x, y, 0)] = live == 4 || live >= 6;\n"
           "        }\n"
           "}\n";
}

static const struct picture {
    const char *name, *title;
    struct screen_options options;
    const struct script_step *steps;
} pictures[] = {
    {"cylinder",
     "The lattice gas behind a cylinder",
     {.rows = 30, .columns = 100, .arguments = {"-c", "fhp-cylinder"}},
     STEPS(COMMAND("set glyphs=half"), PRESS(" "), CALL(wake_develops), PRESS(" "),
           STATUS("PAUSE"))},
    {"split",
     "Two backends in lock step",
     {.rows = 30, .columns = 100, .arguments = {"anneal", "-b", "bitslice,threads"}},
     STEPS(STATUS("EQUAL at 0"), COMMAND("set glyphs=half"), PRESS(">"), STATUS("EQUAL at 10"),
           CALL(ratio_is_known))},
    {"verdict",
     "The verdict on a kernel that reads a wrong neighbour",
     {.rows = 26, .columns = 100, .arguments = {"lab", "mine"}},
     STEPS(CALL(kernel_is_checked), SHOWS_WORDS("cells at x = 0 read (x-1, y-2)"))},
};

START_TEST(pictures_of_the_readme)
{
    const struct picture *picture = &pictures[_i];
    const char *folder = getenv("CALAB_PICTURES"), *svg;
    struct screen *screen;
    struct cells cells;

    ck_assert_int_eq(chdir(test_folder()), 0);
    if (strcmp(picture->name, "verdict") == 0) {
        calab_good("lab new anneal %s --task anneal", test_path("mine"));
        test_put("mine/kernel.c", wrong_kernel());
    }
    screen = user_starts(&picture->options);
    user_does(screen, picture->steps);
    cells = cells_of(screen);
    ck_assert_int_ge(cells_coloured(&cells), 20);
    svg = svg_of(&cells, picture->title);
    ck_assert_contains(svg, "<path", "<text", "</svg>");
    if (folder)
        test_write(test_text("%s/%s.svg", folder, picture->name), svg, strlen(svg));
    cells_free(&cells);
    screen_close(screen);
}
END_TEST

/* Those that are committed are shown by the README, which shows no others. */
START_TEST(readme_shows_what_is_there)
{
    const char *readme = test_read(test_source("README.md"), NULL);
    int shown = 0;

    for (const char *at = readme; (at = strstr(at, "](man/pictures/")) != NULL; shown++)
        at++;
    ck_assert_int_eq(shown, (int)COUNT(pictures));
    for (size_t i = 0; i < COUNT(pictures); i++) {
        const char *path = test_text("man/pictures/%s.svg", pictures[i].name);

        ck_assert_contains(readme, test_text("](%s)", path));
        ck_assert_contains(test_read(test_source(path), NULL), pictures[i].title);
    }
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {nothing_of_an_empty_screen, readme_shows_what_is_there},
                     .table = {{screens_become_shapes_and_text, COUNT(drawn)},
                               {pictures_of_the_readme, COUNT(pictures)}});
}
