/* SPDX-License-Identifier: MIT */
/* This file chooses a character and a colour for each code and level of a frame, and writes its
 * legend. */
#include "core/sim/frame_text.h"

#include <math.h>
#include <stdio.h>

#include "core/sim/projection.h"

#define GLYPHS_MAX 16 /* states whose glyphs can be told apart */

const char ca_ramp[] = " .:-=+*#%@";

char ca_ramp_glyph(uint8_t level) { return ca_ramp[level * (sizeof ca_ramp - 1) / 256]; }

static const struct ca_state_appearance changes[] = {
    {'.', CA_COLOUR_QUIET, "same"}, {'#', CA_COLOUR_WARM, "changed"}, {.name = NULL}};
static const struct ca_state_appearance values[] = {
    {'.', CA_COLOUR_STRONG, "value"}, {'X', CA_COLOUR_SOLID, "no value"}, {.name = NULL}};

static const struct ca_state_appearance projected[] = {
    {'.', CA_COLOUR_STRONG, "value"}, {' ', CA_COLOUR_QUIET, "nothing"}, {.name = NULL}};

static int count_of(const struct ca_state_appearance *states)
{
    int count = 0;

    while (states[count].name)
        count++;
    return count;
}

int ca_states_count(const struct ca_model *model) { return count_of(ca_draw_of(model)->states); }

bool ca_is_shaded(const struct ca_model *model)
{
    return ca_draw_of(model)->flow || model->type == CA_F32;
}

/* Whether a projection has numbers, distances or counts, in place of states. */
static bool is_measured(const struct ca_view *view)
{
    return view->projection == CA_VIEW_DEPTH || view->projection == CA_VIEW_COUNT;
}

/* Returns the states that the codes of a frame stand for. */
static const struct ca_state_appearance *codes_of(const struct ca_frame *frame,
                                                  const struct ca_model *model)
{
    const struct ca_view *view = &frame->view;

    if (is_measured(view) || (view->projection && view->drawn == CA_FIELD))
        return projected;
    return view->drawn == CA_CHANGE  ? changes
           : view->drawn == CA_FIELD ? values
                                     : ca_draw_of(model)->states;
}

bool ca_frame_by_level(const struct ca_frame *frame, const struct ca_model *model, bool ramp)
{
    const struct ca_view *view = &frame->view;
    bool of_many = ca_view_is_of_many(view) && view->reduce == CA_MEAN;
    int states = ca_states_count(model);

    if (is_measured(view))
        return true;
    if (view->drawn != CA_STATE)
        return view->drawn != CA_CHANGE;
    return ramp || (states == 2 && of_many) || states > GLYPHS_MAX;
}

struct ca_point ca_frame_point(const struct ca_frame *frame, const struct ca_model *model,
                               bool by_level, size_t i)
{
    const struct ca_state_appearance *states = codes_of(frame, model);
    uint8_t code = frame->code[i];
    struct ca_point point = {.glyph = ' ',
                             .colour = CA_COLOUR_PLAIN,
                             .level = frame->level[i],
                             .by_level = by_level,
                             .code = code};

    if (code == CA_VIEW_OUTSIDE) {
        point.outside = true;
        return point;
    }
    if (code < count_of(states)) { /* the frame may come from another program */
        point.glyph = states[code].glyph;
        point.colour = states[code].colour;
    }
    if (!by_level)
        return point;
    if (codes_of(frame, model) == projected && code == CA_VIEW_NOTHING) {
        point.by_level = false;
        return point;
    }
    point.by_level = point.colour != CA_COLOUR_SOLID; /* which has no level of its own */
    point.glyph = point.by_level ? ca_ramp_glyph(point.level) : 'X';
    return point;
}

int ca_frame_range_text(const struct ca_frame *frame, const struct ca_model *model, char *text,
                        size_t size)
{
    const char *unit = frame->view.drawn == CA_CHANGE ? "changed" : ca_draw_of(model)->level_unit;
    char axis = "zyx"[frame->view.axis];
    const struct ca_field *field;
    struct ca_error ignored;

    if (frame->view.projection == CA_VIEW_DEPTH)
        return snprintf(text, size, "%g ... %g cells deep along %c", frame->low, frame->high, axis);
    if (frame->view.projection == CA_VIEW_COUNT && frame->view.drawn != CA_FIELD)
        return snprintf(text, size, "%g ... %g %s cells along %c", frame->low, frame->high,
                        ca_draw_of(model)->states[ca_seen_of(model)->code].name, axis);
    if (frame->view.drawn == CA_FIELD) {
        unit = NULL;
        if (ca_field_find(&field, model, frame->view.field, &ignored) == CA_OK)
            unit = field->unit ? field->unit : field->name;
    }
    return snprintf(text, size, "%g ... %g %s", frame->low, frame->high, unit ? unit : "");
}

bool ca_frame_entry(const struct ca_frame *frame, const struct ca_model *model, int i,
                    struct ca_point *point, const char **name)
{
    const struct ca_state_appearance *states = codes_of(frame, model);
    int code = count_of(states) - 1 - i;

    if (code < 0)
        return false;
    *point = (struct ca_point){.glyph = states[code].glyph,
                               .colour = states[code].colour,
                               .level = 255,
                               .code = (uint8_t)code};
    *name = states[code].name;
    return true;
}

/* --- colours: Oklch becomes the colours of a terminal ----------------------------------------- */

struct rgb {
    double r, g, b; /* linear, 0 ... 1 */
};

struct oklch {
    double lightness, chroma, hue; /* 0 ... 1, 0 ... 0.4, degrees */
};

static double within(double value) { return value < 0 ? 0 : value > 1 ? 1 : value; }

static struct rgb linear_of(struct oklch colour)
{
    double angle = colour.hue * 3.14159265358979323846 / 180;
    double a = colour.chroma * cos(angle), b = colour.chroma * sin(angle);
    double l = pow(colour.lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(colour.lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(colour.lightness - 0.0894841775 * a - 1.2914855480 * b, 3);

    return (struct rgb){within(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                        within(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                        within(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/* The curve of sRGB, 0 ... 255. */
static int encoded(double linear)
{
    double v = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;

    return (int)lround(255 * v);
}

/* Converts colours 16 ... 255 of xterm: a cube of 6 x 6 x 6, then 24 greys. */
static void xterm(int colour, int rgb[3])
{
    static const int side[] = {0, 95, 135, 175, 215, 255};

    for (int i = 0, by = 36; i < 3; i++, by /= 6)
        rgb[i] = colour < 232 ? side[(colour - 16) / by % 6] : 8 + 10 * (colour - 232);
}

static int nearest(struct oklch wanted, int colours)
{
    struct rgb linear = linear_of(wanted);
    int to[3] = {encoded(linear.r), encoded(linear.g), encoded(linear.b)};
    int best = 16;
    double least = HUGE_VAL;

    if (colours >= CA_COLOURS_DIRECT)
        return to[0] << 16 | to[1] << 8 | to[2];
    for (int colour = 17; colour < 256; colour++) { /* 16 is black */
        static const double weight[3] = {0.3, 0.59, 0.11};
        double distance = 0;
        int rgb[3];

        xterm(colour, rgb);
        for (int i = 0; i < 3; i++)
            distance += weight[i] * (rgb[i] - to[i]) * (rgb[i] - to[i]);
        if (distance < least) {
            least = distance;
            best = colour;
        }
    }
    return best;
}

/* Lightness from the background's side (0) to the other (1). The ramps leave out the last tenth on
 * that other side, which is for what is solid. */
static double lightness(double share, enum ca_tone tone)
{
    static const struct {
        double from, to;
    } ends[] = {[CA_TONE_DARK] = {0.35, 0.89},
                [CA_TONE_LIGHT] = {0.88, 0.32},
                [CA_TONE_STARK] = {0.30, 0.89}};

    return ends[tone].from + share * (ends[tone].to - ends[tone].from);
}

/* The ramp whose darkest colour is as light as `least` of it. */
static int ramp_from(double least, double share, bool diverging, enum ca_tone tone, int colours)
{
    double away = fabs(2 * share - 1);
    struct oklch colour = {.chroma = tone == CA_TONE_STARK ? 0 : 0.07,
                           .hue = 260 - 140 * share}; /* from blue over green to yellow */

    if (diverging)
        colour = (struct oklch){.chroma = 0.12 * away, .hue = share < 0.5 ? 230 : 65};
    colour.lightness =
        lightness(least + (1 - least) * (diverging ? 0.1 + 0.7 * away : share), tone);
    return nearest(colour, colours);
}

int ca_colour_of_ramp(double share, bool diverging, enum ca_tone tone, int colours)
{
    return ramp_from(0, share, diverging, tone, colours);
}

int ca_colour_of_letter(double share, bool diverging, enum ca_tone tone, int colours)
{
    return ramp_from(0.4, share, diverging, tone, colours);
}

/*
 * Each class has a range of lightness, from dim to bright, in which its cells differ; ranges of one
 * hue do not meet, and hues are those that colour blindness leaves apart. test_palette computes
 * both for every model: change a number and run it.
 */
int ca_colour_of_class(enum ca_colour class, double brightness, enum ca_tone tone, int colours)
{
    static const struct {
        double dim, bright, chroma, hue;
    } classes[][CA_COLOUR_COUNT] = {
        [CA_TONE_DARK] = {[CA_COLOUR_QUIET] = {0.56, 0.56, 0, 0},
                          [CA_COLOUR_PLAIN] = {0.52, 0.68, 0, 0},
                          [CA_COLOUR_STRONG] = {0.86, 0.96, 0.04, 100},
                          [CA_COLOUR_WARM] = {0.64, 0.80, 0.12, 65},
                          [CA_COLOUR_COLD] = {0.63, 0.76, 0.12, 250},
                          [CA_COLOUR_GREEN] = {0.53, 0.67, 0.10, 140},
                          [CA_COLOUR_SOLID] = {0.98, 0.98, 0.02, 320}},
        [CA_TONE_LIGHT] = {[CA_COLOUR_QUIET] = {0.60, 0.60, 0, 0},
                           [CA_COLOUR_PLAIN] = {0.63, 0.49, 0, 0},
                           [CA_COLOUR_STRONG] = {0.36, 0.22, 0.03, 95},
                           [CA_COLOUR_WARM] = {0.58, 0.46, 0.12, 60},
                           [CA_COLOUR_COLD] = {0.56, 0.44, 0.16, 250},
                           [CA_COLOUR_GREEN] = {0.61, 0.51, 0.10, 140},
                           [CA_COLOUR_SOLID] = {0.14, 0.14, 0.03, 320}},
        [CA_TONE_STARK] = {[CA_COLOUR_QUIET] = {0.65, 0.65, 0, 0},
                           [CA_COLOUR_PLAIN] = {0.65, 0.75, 0, 0},
                           [CA_COLOUR_STRONG] = {0.91, 1, 0.02, 80},
                           [CA_COLOUR_WARM] = {0.70, 0.86, 0.15, 75},
                           [CA_COLOUR_COLD] = {0.65, 0.75, 0.13, 220},
                           [CA_COLOUR_GREEN] = {0.71, 0.85, 0.13, 135},
                           [CA_COLOUR_SOLID] = {1, 1, 0, 0}},
    };
    double dim = classes[tone][class].dim, bright = classes[tone][class].bright;
    struct oklch colour = {dim + brightness * (bright - dim), classes[tone][class].chroma,
                           classes[tone][class].hue};

    return nearest(colour, colours);
}
