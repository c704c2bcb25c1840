/* SPDX-License-Identifier: MIT */
/*
 * Pictures: quiet colours, and twelve states as they were looked at in four glyph sets and palettes
 * (tests/data/pictures.txt). CALAB_PICTURES=FILE writes that file anew.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "tests/support/support.h"
#include "tests/support/support_view.h"
#include "core/sim/frame_text.h"
#include "tui/workbench/terminal/legend.h"

static struct ca_error error;

/* --- colours ---------------------------------------------------------------------------------- */

static const int depths[] = {256, CA_COLOURS_DIRECT};

static double decoded(int value)
{
    double v = value / 255.0;

    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* Oklab's lightness, 0 ... 1, of a colour number: 16 ... 255 are xterm's, a cube of 6 x 6 x 6 and
 * 24 greys. */
static double colour_lightness(int colour, int colours)
{
    static const int side[] = {0, 95, 135, 175, 215, 255};
    static const double weight[3][4] = {{0.4122214708, 0.5363325363, 0.0514459929, 0.2104542553},
                                        {0.2119034982, 0.6806995451, 0.1073969566, 0.7936177850},
                                        {0.0883024619, 0.2817188376, 0.6299787005, -0.0040720468}};
    double lightness = 0;
    int rgb[3];

    for (int i = 0, by = 36; i < 3; i++, by /= 6)
        rgb[i] = colours >= CA_COLOURS_DIRECT ? colour >> (16 - 8 * i) & 255
                 : colour < 232               ? side[(colour - 16) / by % 6]
                                              : 8 + 10 * (colour - 232);
    for (int i = 0; i < 3; i++)
        lightness +=
            weight[i][3] * cbrt(weight[i][0] * decoded(rgb[0]) + weight[i][1] * decoded(rgb[1]) +
                                weight[i][2] * decoded(rgb[2]));
    return lightness;
}

/* Lightness rises, or on a light background falls, in steps of much the same size. */
START_TEST(ramps_are_even)
{
    int colours = depths[_i % 2];
    enum ca_tone tone = (enum ca_tone)(_i / 2);
    double ends[2] = {colour_lightness(ca_colour_of_ramp(0, false, tone, colours), colours),
                      colour_lightness(ca_colour_of_ramp(1, false, tone, colours), colours)};
    double step = (ends[1] - ends[0]) / (RAMP - 1), room = colours == 256 ? 0.07 : 0.015;

    ck_assert_double_ge(fabs(ends[1] - ends[0]), 0.5);
    for (int i = 0; i < RAMP; i++) {
        int colour = ca_colour_of_ramp((double)i / (RAMP - 1), false, tone, colours);

        ck_assert_double_eq_tol(colour_lightness(colour, colours), ends[0] + i * step, room);
    }
}
END_TEST

/* The middle of a diverging ramp is grey and the quietest; its ends are as light as each other. */
START_TEST(diverging_ramps_have_a_quiet_middle)
{
    int colours = depths[_i];
    double low = colour_lightness(ca_colour_of_ramp(0, true, CA_TONE_DARK, colours), colours);
    double middle = colour_lightness(ca_colour_of_ramp(0.5, true, CA_TONE_DARK, colours), colours);
    double high = colour_lightness(ca_colour_of_ramp(1, true, CA_TONE_DARK, colours), colours);

    ck_assert_double_eq_tol(low, high, 0.06);
    ck_assert_double_gt(low, middle + 0.3);
    ck_assert_int_ne(ca_colour_of_ramp(0, true, CA_TONE_DARK, colours),
                     ca_colour_of_ramp(1, true, CA_TONE_DARK, colours));
}
END_TEST

/* Nothing is drawn black on a dark or white on a light background. */
START_TEST(states_are_seen)
{
    for (int c = 0; c < CA_COLOUR_COUNT; c++)
        for (int level = 0; level < 2; level++) {
            int dark = ca_colour_of_class((enum ca_colour)c, level, CA_TONE_DARK, 256);
            int light = ca_colour_of_class((enum ca_colour)c, level, CA_TONE_LIGHT, 256);

            ck_assert_double_ge(colour_lightness(dark, 256), 0.3);
            ck_assert_double_le(colour_lightness(light, 256), 0.9);
        }
}
END_TEST

/* --- twelve states ---------------------------------------------------------------------------- */

#define COLUMNS 40
#define ROWS 10

static const struct state {
    const char *model, *size, *init, *settings;
    uint64_t generations;
    struct ca_view view;
} states[] = {
    {"anneal", "80x40", "random", "", 30, {.zoom = 2}},
    {"anneal", "300x150", "random", "", 60, {.zoom = 8, .reduce = CA_MEAN}},
    {"anneal", "40x20", "random", "", 5, {.zoom = 1, .drawn = CA_CHANGE}},
    {"life3d", "40x20x20", "random", "density=0.2", 3, {.zoom = 1, .slice = 10}},
    {"life3d",
     "80x40x8",
     "random",
     "density=0.2",
     3,
     {.zoom = 2, .slice = 4, .drawn = CA_DENSITY, .reduce = CA_MEAN}},
    {"cloud", "40x20x20", "random", "", 3, {.zoom = 1, .slice = 10}},
    {"cloud", "40x20x20", "random", "hum0=0.3", 2, {CA_XZ, .zoom = 1, .slice = 10}},
    {"fhp", "160x80", "random", "geometry=cylinder", 200, {.zoom = 4, .reduce = CA_MEAN}},
    {"fhp",
     "160x80",
     "random",
     "geometry=cylinder",
     200,
     {.zoom = 4, .drawn = CA_FIELD, .field = "speed"}},
    {"fhp",
     "160x80",
     "random",
     "geometry=cylinder",
     200,
     {.zoom = 4, .drawn = CA_FIELD, .field = "vorticity"}},
    {"water", "80x40", "hills", "relief=10 rain=0.3", 30, {.zoom = 2, .reduce = CA_MEAN}},
    {"water", "80x40", "dam", "", 40, {.zoom = 2, .drawn = CA_FIELD, .field = "depth"}},
};

static const struct look {
    const char *name;
    enum glyphs glyphs;
    int colours;
} looks[] = {{"ASCII", GLYPHS_STATES, 0},
             {"8 colours", GLYPHS_STATES, 8},
             {"half blocks, 256 colours", GLYPHS_HALF, 256},
             {"braille", GLYPHS_BRAILLE, 0}};

static struct ca_simulation *state_open(const struct state *state)
{
    struct ca_simulation *simulation;
    struct ca_experiment experiment;
    char settings[128];

    ca_experiment_default(&experiment, test_model(state->model));
    snprintf(settings, sizeof settings, "%s", state->settings);
    ck_assert_ok(
        ca_experiment_set(&experiment, "size", state->size, CA_FROM_COMMAND_LINE, "test", &error));
    ck_assert_ok(
        ca_experiment_set(&experiment, "init", state->init, CA_FROM_COMMAND_LINE, "test", &error));
    for (char *text = strtok(settings, " "); text; text = strtok(NULL, " "))
        ck_assert_ok(
            ca_experiment_set(&experiment, "set", text, CA_FROM_COMMAND_LINE, "test", &error));
    ca_experiment_backend(&experiment, experiment.model->backends, CA_FROM_COMMAND_LINE);
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_ok(ca_simulation_step(simulation, state->generations, &error));
    return simulation;
}

/* A letter for each ink, blank for none: a style's, or that of a colour's lightness. */
static char ink_letter(const struct character *c)
{
    if (!c->ink.coloured)
        return "qpswcgX"[c->ink.style < 7 ? c->ink.style : 6];
    return (char)('a' + (int)(25 * colour_lightness(c->ink.front, 256)));
}

static void row_write(FILE *to, const struct picture *picture, const struct palette *palette,
                      int row)
{
    struct character line[COLUMNS];
    char inks[COLUMNS + 1] = "";

    picture_row(picture, palette, row, COLUMNS, line);
    fputc('|', to);
    for (int i = 0; i < COLUMNS; i++) {
        wchar_t c = line[i].text;

        if (c < 0x80)
            fprintf(to, "%c", (char)c);
        else
            fprintf(to, "%c%c%c", (char)(0xe0 | c >> 12), (char)(0x80 | (c >> 6 & 0x3f)),
                    (char)(0x80 | (c & 0x3f)));
        inks[i] = ink_letter(&line[i]);
    }
    fprintf(to, "|%s\n", palette->pair[STYLE_WARM] || palette->shades ? inks : "");
}

static void state_write(FILE *to, const struct state *state)
{
    struct ca_simulation *simulation = state_open(state);

    for (size_t l = 0; l < sizeof looks / sizeof *looks; l++) {
        /* The same part of the lattice in every glyph set. */
        bool fine = looks[l].glyphs == GLYPHS_BRAILLE;
        int magnify = fine && state->view.zoom == 1;
        struct raster raster = raster_of(looks[l].glyphs, magnify);
        struct ca_viewer *viewer = ca_viewer_new();
        struct ca_view view = state->view;
        const struct ca_frame *frame;
        struct palette palette;
        struct picture picture;
        char range[80];

        palette_make(&palette, "default", looks[l].colours, false, true);
        raster_points(&raster, (struct rect){0, 0, ROWS, COLUMNS}, &view.columns, &view.lines);
        view.zoom = fine && view.zoom > 1 ? view.zoom / 2 : view.zoom;
        view.tall = raster.tall;
        view.range = CA_RANGE_AUTO;
        frame = view_draw(viewer, simulation, &view);
        if (view.drawn == CA_CHANGE) {
            ck_assert_ok(ca_simulation_step(simulation, 1, &error));
            frame = view_draw(viewer, simulation, &view);
        }
        picture = picture_of(frame, test_model(state->model), ca_simulation_setup(simulation)->size,
                             looks[l].glyphs, (struct scale){.magnify = magnify});
        ca_frame_range_text(frame, test_model(state->model), range, sizeof range);
        fprintf(to, "%s %s %s %s, generation %d, %s, %s: %s\n", state->model, state->size,
                state->init, state->settings, (int)frame->generation, looks[l].name,
                view.drawn == CA_FIELD ? view.field : ca_drawn_names[view.drawn], range);
        for (int row = 0; row < ROWS; row++)
            row_write(to, &picture, &palette, row);
        ca_viewer_free(viewer);
    }
    ca_simulation_close(simulation);
}

START_TEST(twelve_states)
{
    const char *path = getenv("CALAB_PICTURES");
    char *text = NULL, *expected, *got, *want;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        state_write(to, &states[i]);
    fclose(to);
    if (path)
        test_write(path, text, size);
    expected = test_read(path ? path : test_source("tests/data/pictures.txt"), &size);
    got = text;
    want = expected;
    for (int line = 1; *got || *want; line++) {
        size_t n = strcspn(got, "\n"), m = strcspn(want, "\n");

        ck_assert_msg(n == m && memcmp(got, want, n) == 0,
                      "line %d of tests/data/pictures.txt is\n%.*s\nbut is drawn as\n%.*s", line,
                      (int)m, want, (int)n, got);
        got += n + (got[n] != 0);
        want += m + (want[m] != 0);
    }
    free(text);
}
END_TEST

/* --- without colours -------------------------------------------------------------------------- */

static const struct sight {
    const char *scheme;
    int colours;
    bool utf8;
} sights[] = {
    {"default", 0, true}, /* NO_COLOR */
    {"mono", 256, true},        {"default", 8, true},  {"light", 8, true},
    {"high-contrast", 8, true}, {"default", 16, true}, {"light", 16, true},
    {"default", 0, false}, /* vt100 */
    {"default", 256, true},     {"light", 256, true},  {"high-contrast", 256, true},
};

/* What a person sees of a character. */
static bool same_sight(const struct palette *palette, struct character a, struct character b)
{
    if (a.text != b.text)
        return false;
    if (a.text == L' ')
        return true;
    if (a.ink.coloured || b.ink.coloured)
        return a.ink.coloured && b.ink.coloured && a.ink.front == b.ink.front;
    return palette->attributes[a.ink.style] == palette->attributes[b.ink.style] &&
           palette->pair[a.ink.style] == palette->pair[b.ink.style];
}

/* A frame with every state of a model, at full brightness but for the empty. */
static struct ca_frame frame_of_all(const struct ca_model *model, enum ca_drawn drawn,
                                    uint8_t code[16], uint8_t level[16])
{
    struct ca_frame frame = {.view = {.zoom = 1, .drawn = drawn, .columns = 16, .lines = 1},
                             .code = code,
                             .level = level,
                             .high = 1};
    int count = drawn == CA_STATE ? ca_states_count(model) : 2;

    for (int i = 0; i < 16; i++) {
        code[i] = (uint8_t)(i % count);
        level[i] = drawn == CA_STATE && ca_draw_of(model)->states[code[i]].colour == CA_COLOUR_QUIET
                       ? 0
                       : 255;
    }
    return frame;
}

static void expect_apart(const struct picture *picture, const struct palette *palette,
                         const char *where)
{
    struct legend_entry entries[LEGEND_ENTRIES];
    int count = legend_entries(picture, palette, false, entries), names = count;

    for (int i = 0; i < count; i++) {
        for (const char *c = entries[i].names; *c; c++)
            names += *c == ',';
        for (int j = 0; j < i; j++)
            ck_assert_msg(!same_sight(palette, entries[i].sample, entries[j].sample),
                          "%s: %s looks like %s", where, entries[i].names, entries[j].names);
    }
    ck_assert_int_eq(names,
                     picture->frame->view.drawn == CA_STATE ? ca_states_count(picture->model) : 2);
    if (palette->shades == 0) /* no two share an entry */
        ck_assert_msg(names == count, "%s: %d entries for %d states", where, count, names);
}

/* Each entry of the legend differs from each other one by its glyph or its attributes, and the
 * picture has what the legend says. */
START_TEST(legends_tell_all_apart)
{
    const struct sight *sight = &sights[_i];
    struct palette palette;

    palette_make(&palette, sight->scheme, sight->colours, !sight->utf8, sight->utf8);
    for (int pair = 0; sight->colours >= 8 && pair < STYLE_COUNT; pair++)
        ck_assert_int_ge(palette.pair[pair], 0);
    for (int m = 0; ca_models[m]; m++)
        for (enum ca_drawn drawn = CA_STATE; drawn <= CA_FIELD; drawn++)
            for (enum glyphs wanted = GLYPHS_STATES; wanted <= GLYPHS_BRAILLE; wanted++) {
                enum glyphs glyphs = picture_glyphs(wanted, &palette, ca_models[m], drawn);
                uint8_t code[16], level[16];
                struct ca_frame frame = frame_of_all(ca_models[m], drawn, code, level);
                struct picture picture = picture_of(
                    &frame, ca_models[m], (struct ca_size){16, 1, 1}, glyphs, (struct scale){0});
                struct character line[16];
                char where[128];

                snprintf(where, sizeof where, "%s, %s, glyphs %d, %s with %d colours",
                         ca_models[m]->name, ca_drawn_names[drawn], (int)wanted, sight->scheme,
                         sight->colours);
                ck_assert_msg(sight->utf8 || glyphs <= GLYPHS_RAMP10, "%s", where);
                if (!ca_frame_by_level(&frame, ca_models[m], glyphs == GLYPHS_RAMP10)) {
                    expect_apart(&picture, &palette, where);
                } else { /* the brightest is not taken for what is solid */
                    const struct ca_point bright = {'@', CA_COLOUR_STRONG, 255, true, false, 0};
                    const struct ca_point solid = {'X', CA_COLOUR_SOLID, 255, false, false, 0};
                    bool blocks = glyphs > GLYPHS_RAMP10 && palette.shades == 0;

                    ck_assert_msg(
                        !same_sight(&palette, picture_sample(&picture, &palette, bright),
                                    picture_sample(&picture, &palette, solid)) ||
                            (blocks && drawn != CA_FIELD && strcmp(ca_models[m]->name, "fhp") != 0),
                        "%s: solid looks like the brightest", where);
                }
                picture_row(&picture, &palette, 0, 16, line);
                for (int i = 0; i < 16 && drawn == CA_STATE && glyphs == GLYPHS_STATES; i++)
                    ck_assert_int_eq(line[i].text, ca_draw_of(ca_models[m])->states[code[i]].glyph);
            }
}
END_TEST

/* --- bytes ------------------------------------------------------------------------------------ */

#define MANY 200

/* Where a picture trembles everywhere levels stay, but those that have changed much; where little
 * changes, and with another range or view, it is exact. */
START_TEST(levels_are_steady)
{
    const int step = 256 / RAMP;
    static uint8_t before[MANY], now[MANY], exact[MANY], code[MANY];
    struct ca_frame last = {.view = {.zoom = 1, .columns = MANY / 2, .lines = 2},
                            .high = 1,
                            .code = code,
                            .level = before};
    struct ca_frame frame = last;

    for (int i = 0; i < MANY; i++) {
        before[i] = (uint8_t)(i % 8 * step);
        exact[i] = (uint8_t)(i % 8 == 0    ? step / 3
                             : i % 80 == 1 ? before[i] + 3 * step
                                           : before[i] - step / 2);
    }
    memcpy(now, exact, MANY);
    frame.level = now;
    picture_steady(&frame, &last, 0);
    for (int i = 0; i < MANY; i++) /* its step is another, and not by much */
        ck_assert_uint_eq(now[i], i % 80 == 1 ? exact[i] : before[i]);
    for (int i = 0; i < 3; i++) {
        struct ca_frame other = last;

        memcpy(now, exact, MANY);
        if (i == 0)
            other.high = 2;
        else if (i == 1)
            other.view.slice = 1;
        else
            other.view.columns = 2;
        picture_steady(&frame, &other, 0);
        ck_assert_mem_eq(now, exact, MANY);
    }
    memcpy(now, before, MANY);
    for (int i = 1; i < MANY; i += MANY / 5)
        now[i] = (uint8_t)(before[i] + step);
    memcpy(exact, now, MANY);
    picture_steady(&frame, &last, 0);
    ck_assert_mem_eq(now, exact, MANY);
}
END_TEST

/* Of a soup every row of characters is new in one of four frames, whatever the number of the frame
 * is; where fewer points change, in one of two. */
START_TEST(rows_of_a_soup_take_turns)
{
    enum { WIDE = 10, HIGH = 16 };
    static const struct {
        int changed; /* columns of ten */
        int frames;
    } soups[] = {{10, 4}, {5, 4}, {3, 4}, {2, 2}, {1, 1}};
    static uint8_t before[WIDE * HIGH], now[WIDE * HIGH], none[WIDE * HIGH], same[WIDE * HIGH];

    for (size_t s = 0; s < COUNT(soups); s++)
        for (unsigned number = 0; number < 8; number++)
            for (int levels = 0; levels < 2; levels++) {
                struct ca_frame last = {.view = {.zoom = 1, .columns = WIDE, .lines = HIGH},
                                        .high = 1,
                                        .code = levels ? none : before,
                                        .level = levels ? before : none};
                struct ca_frame frame = last;

                frame.code = levels ? same : now;
                frame.level = levels ? now : same;
                for (int i = 0; i < WIDE * HIGH; i++)
                    now[i] = i % WIDE < soups[s].changed ? 200 : 0;
                picture_steady(&frame, &last, number);
                for (int i = 0; i < WIDE * HIGH; i++)
                    ck_assert_uint_eq(now[i], (i / WIDE / 2 + (int)number) % soups[s].frames == 0 &&
                                                      i % WIDE < soups[s].changed
                                                  ? 200
                                                  : 0);
            }
}
END_TEST

/* Two colours are drawn in one ink whichever is above, and one between them joins them; but more
 * than two characters of one colour do not depend on what is before them. */
START_TEST(half_blocks_share_inks)
{
    enum { DIM = 0, BRIGHT = 255 };
    static const uint8_t upper[] = {BRIGHT, DIM, BRIGHT, DIM, BRIGHT, BRIGHT, BRIGHT};
    static const uint8_t lower[] = {DIM, BRIGHT, BRIGHT, DIM, BRIGHT, BRIGHT, BRIGHT};
    uint8_t code[14] = {0}, level[14];
    struct ca_frame frame = {.view = {.zoom = 1, .columns = 7, .lines = 2, .drawn = CA_DENSITY},
                             .high = 1,
                             .code = code,
                             .level = level};
    struct palette palette;
    struct picture picture;
    struct character line[7];

    memcpy(level, upper, 7);
    memcpy(level + 7, lower, 7);
    palette_make(&palette, "default", 256, false, true);
    picture = picture_of(&frame, test_model("anneal"), (struct ca_size){7, 2, 1}, GLYPHS_HALF,
                         (struct scale){0});
    picture_row(&picture, &palette, 0, 7, line);
    for (int i = 1; i < 4; i++)
        ck_assert(ink_equal(line[i].ink, line[0].ink));
    ck_assert_int_ne(line[0].text, line[1].text);
    ck_assert(line[2].text != line[3].text);
    ck_assert_int_eq(line[4].text, L'█');
    ck_assert_int_eq(line[4].ink.back, -1);
    ck_assert(ink_equal(line[4].ink, line[6].ink));
}
END_TEST

/* The colour of the upper half of a character, or of the lower one. */
static int half_colour(const struct character *c, int low)
{
    bool in_front = c->text == L'█' || c->text == (low ? L'▄' : L'▀');

    return in_front ? c->ink.front : c->ink.back;
}

/* A picture in pixels in a file: each half of a character has the colour of a dot in its middle. */
START_TEST(pixels_have_characters)
{
    enum { DOWN = 4, COLUMNS_OF_IT = 3, ROWS_OF_IT = 3 };
    static const int bright[] = {1, DOWN + 3, 2 * DOWN + 1, 2 * DOWN + 3};
    uint8_t code[2 * COLUMNS_OF_IT * DOWN * ROWS_OF_IT] = {0}, level[sizeof code] = {0};
    struct ca_frame frame = {.view = {.zoom = 1,
                                      .columns = 2 * COLUMNS_OF_IT,
                                      .lines = DOWN * ROWS_OF_IT,
                                      .drawn = CA_DENSITY},
                             .high = 1,
                             .code = code,
                             .level = level};
    struct palette palette;
    struct picture picture;
    struct character line[COLUMNS_OF_IT];
    int most;

    for (size_t i = 0; i < COUNT(bright); i++)
        memset(level + bright[i] * 2 * COLUMNS_OF_IT, 255, 2 * COLUMNS_OF_IT);
    palette_make(&palette, "default", 256, false, true);
    picture = picture_of(&frame, test_model("anneal"),
                         (struct ca_size){2 * COLUMNS_OF_IT, DOWN * ROWS_OF_IT, 1},
                         GLYPHS_PIXEL_COARSEST, (struct scale){0});
    picture_row(&picture, &palette, 2, COLUMNS_OF_IT, line);
    most = half_colour(&line[0], 0);
    for (int row = 0; row < ROWS_OF_IT; row++) {
        picture_row(&picture, &palette, row, COLUMNS_OF_IT, line);
        for (int i = 0; i < COLUMNS_OF_IT; i++)
            for (int low = 0; low < 2; low++)
                ck_assert_int_eq(half_colour(&line[i], low) == most, row == 2 || row == low);
    }
}
END_TEST

/* Half blocks where they have colours of their own; an explicit choice is what it is. */
START_TEST(auto_is_half_blocks_in_colour)
{
    const struct ca_model *model = test_model("anneal");
    struct palette palette;

    palette_make(&palette, "default", 256, false, true);
    ck_assert_int_eq(picture_glyphs(GLYPHS_AUTO, &palette, model, CA_STATE), GLYPHS_HALF);
    ck_assert_int_eq(picture_glyphs(GLYPHS_STATES, &palette, model, CA_STATE), GLYPHS_STATES);
    palette_make(&palette, "default", 256, true, false);
    ck_assert_int_eq(picture_glyphs(GLYPHS_AUTO, &palette, model, CA_STATE), GLYPHS_STATES);
    palette_make(&palette, "mono", 256, false, true);
    ck_assert_int_eq(picture_glyphs(GLYPHS_AUTO, &palette, model, CA_STATE), GLYPHS_STATES);
    palette_make(&palette, "default", 8, false, true);
    ck_assert_int_eq(picture_glyphs(GLYPHS_AUTO, &palette, model, CA_STATE), GLYPHS_STATES);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {states_are_seen, twelve_states, levels_are_steady,
                              rows_of_a_soup_take_turns, half_blocks_share_inks,
                              pixels_have_characters, auto_is_half_blocks_in_colour},
                     .table = {{ramps_are_even, 6},
                               {diverging_ramps_have_a_quiet_middle, 2},
                               {legends_tell_all_apart, COUNT(sights)}});
}
