/* SPDX-License-Identifier: MIT */
/* The palettes of all schemes: their contrast, and what is left of them to the colour-blind. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/sim/frame_text.h"
#include "tests/support/support.h"
#include "tui/workbench/terminal/draw.h"

#define CONTRAST_MIN 3.0  /* core/sim/frame_text.h says why */
#define DISTANCE_MIN 12.0 /* CIE76 */
#define KINDS 4           /* of eyes */

struct colour {
    double linear[3]; /* sRGB without its curve */
};

static const int depths[] = {8, 16, 256, CA_COLOURS_DIRECT};

/* xterm's: 16 that a user may change, a cube of 6 x 6 x 6, and 24 greys. */
static struct colour colour_of_number(int number, int colours)
{
    static const int first[16] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
                                  0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
                                  0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
    static const int side[] = {0, 95, 135, 175, 215, 255};
    struct colour colour;

    for (int i = 0, by = 36; i < 3; i++, by /= 6) {
        int value = colours >= CA_COLOURS_DIRECT ? number >> (16 - 8 * i) & 255
                    : number < 16                ? first[number] >> (16 - 8 * i) & 255
                    : number < 232               ? side[(number - 16) / by % 6]
                                                 : 8 + 10 * (number - 232);
        double v = value / 255.0;

        colour.linear[i] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    }
    return colour;
}

static double luminance(struct colour colour)
{
    return 0.2126 * colour.linear[0] + 0.7152 * colour.linear[1] + 0.0722 * colour.linear[2];
}

/* WCAG 2.1, contrast ratio. */
static double contrast(struct colour a, struct colour b)
{
    double one = luminance(a) + 0.05, other = luminance(b) + 0.05;

    return fmax(one, other) / fmin(one, other);
}

/* As eyes see it that lack nothing, or the cones for long, middle or short waves: Machado, Oliveira
 * and Fernandes (2009), severity 1. */
static struct colour seen(struct colour colour, int kind)
{
    static const double matrix[KINDS][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                               {{0.152286, 1.052583, -0.204868},
                                                {0.114503, 0.786281, 0.099216},
                                                {-0.003882, -0.048116, 1.051998}},
                                               {{0.367322, 0.860646, -0.227968},
                                                {0.280085, 0.672501, 0.047413},
                                                {-0.011820, 0.042940, 0.968881}},
                                               {{1.255528, -0.076749, -0.178779},
                                                {-0.078411, 0.930809, 0.147602},
                                                {0.004733, 0.691367, 0.303900}}};
    struct colour result;

    for (int i = 0; i < 3; i++) {
        double sum = 0;

        for (int j = 0; j < 3; j++)
            sum += matrix[kind][i][j] * colour.linear[j];
        result.linear[i] = fmin(fmax(sum, 0), 1);
    }
    return result;
}

static double lab_curve(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static void lab_of(struct colour colour, double lab[3])
{
    const double *c = colour.linear;
    double x = lab_curve((0.4124564 * c[0] + 0.3575761 * c[1] + 0.1804375 * c[2]) / 0.95047);
    double y = lab_curve(0.2126729 * c[0] + 0.7151522 * c[1] + 0.0721750 * c[2]);
    double z = lab_curve((0.0193339 * c[0] + 0.1191920 * c[1] + 0.9503041 * c[2]) / 1.08883);

    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

/* CIE76, of the kind of eyes to which the two are the most alike. */
static double distance(struct colour a, struct colour b)
{
    double least = HUGE_VAL;

    for (int kind = 0; kind < KINDS; kind++) {
        double one[3], other[3], sum = 0;

        lab_of(seen(a, kind), one);
        lab_of(seen(b, kind), other);
        for (int i = 0; i < 3; i++)
            sum += (one[i] - other[i]) * (one[i] - other[i]);
        least = fmin(least, sqrt(sum));
    }
    return least;
}

/* --- what a scheme draws with ----------------------------------------------------------------- */

struct drawn {
    struct palette palette;
    int colours;
    struct colour ground;
    char what[64];
};

static struct drawn scheme_drawn(int i)
{
    struct drawn drawn = {.colours = depths[i % COUNT(depths)]};
    const char *name = scheme_name(i / COUNT(depths));

    palette_make(&drawn.palette, name, drawn.colours, false, true);
    drawn.ground = colour_of_number(strcmp(name, "light") == 0 ? 15 : 0, 16);
    snprintf(drawn.what, sizeof drawn.what, "%s, %d colours", name, drawn.colours);
    return drawn;
}

static void expect_read(const struct drawn *drawn, int number, const char *what, int i)
{
    double ratio = contrast(colour_of_number(number, drawn->colours), drawn->ground);

    ck_assert_msg(ratio >= CONTRAST_MIN, "%s: %s %d, colour %d, has a contrast of %.2f",
                  drawn->what, what, i, number, ratio);
}

/* Letters, titles and keys, and the glyphs of states and levels. */
START_TEST(glyphs_can_be_read)
{
    struct drawn drawn = scheme_drawn(_i);
    const struct palette *p = &drawn.palette;

    for (int i = 0; i < STYLE_COUNT; i++)
        if (p->pair[i] > 0) {
            struct colour colour = colour_of_number(p->pair[i] - 1, 16);

            ck_assert_msg(contrast(colour, drawn.ground) >= CONTRAST_MIN,
                          "%s: style %d has a contrast of %.2f", drawn.what, i,
                          contrast(colour, drawn.ground));
        }
    for (int c = 0; c < CA_COLOUR_COUNT; c++)
        for (int i = 0; i < p->shades; i++)
            expect_read(&drawn, p->shade[c][i], "class", c);
    for (int d = 0; d < 2; d++) {
        for (int i = 0; i < LETTERS && p->shades > 0; i++)
            expect_read(&drawn, p->letter[d][i], "letter", i);
        for (int i = 0; i < 5 && p->shades == 0 && p->ramp_steps > 0; i++)
            if (d || i < p->ramp_steps)
                expect_read(&drawn, p->ramp[d][i], "step", i);
    }
}
END_TEST

/* --- states ----------------------------------------------------------------------------------- */

static void expect_apart(const struct drawn *drawn, const char *what, int a, int b)
{
    double apart =
        distance(colour_of_number(a, drawn->colours), colour_of_number(b, drawn->colours));

    ck_assert_msg(apart >= DISTANCE_MIN, "%s: %s: colours %d and %d are %.1f apart", drawn->what,
                  what, a, b, apart);
}

/* The darkest shade in which states of a class are drawn. */
static int darkest(const struct ca_model *model, enum ca_colour colour)
{
    return ca_is_shaded(model) && colour != CA_COLOUR_SOLID ? 0 : SHADES - 1;
}

/* Classes that the glyphs alone tell apart share a colour, and an entry of the legend. */
START_TEST(states_are_apart)
{
    struct drawn drawn = scheme_drawn(_i);

    for (int m = 0; ca_models[m] && drawn.palette.shades > 0; m++) {
        const struct ca_state_appearance *states = ca_draw_of(ca_models[m])->states;

        for (int a = 0; states[a].name; a++)
            for (int b = 0; b < a; b++) {
                enum ca_colour one = states[a].colour, other = states[b].colour;
                char what[128];

                if (one == other || states[a].glyph == ' ' || states[b].glyph == ' ')
                    continue;
                snprintf(what, sizeof what, "%s, %s and %s", ca_models[m]->name, states[a].name,
                         states[b].name);
                for (int i = darkest(ca_models[m], one); i < SHADES; i++)
                    for (int j = darkest(ca_models[m], other); j < SHADES; j++)
                        expect_apart(&drawn, what, drawn.palette.shade[one][i],
                                     drawn.palette.shade[other][j]);
            }
    }
}
END_TEST

/* In half blocks the background is what an empty state looks like. */
START_TEST(states_are_apart_from_the_ground)
{
    struct drawn drawn = scheme_drawn(_i);

    for (int c = CA_COLOUR_PLAIN; c < CA_COLOUR_COUNT; c++)
        for (int i = 0; i < drawn.palette.shades; i++) {
            struct colour colour = colour_of_number(drawn.palette.shade[c][i], drawn.colours);

            ck_assert_msg(distance(colour, drawn.ground) >= DISTANCE_MIN,
                          "%s: class %d is %.1f from the background", drawn.what, c,
                          distance(colour, drawn.ground));
        }
}
END_TEST

/* A cell without a value, as a wall, is not taken for any value. */
START_TEST(solid_cells_are_no_level)
{
    struct drawn drawn = scheme_drawn(_i);
    const struct palette *p = &drawn.palette;

    for (int d = 0; d < 2; d++)
        for (int i = 0; i < RAMP && p->shades > 0; i++)
            expect_apart(&drawn, "solid and a level", p->shade[CA_COLOUR_SOLID][SHADES - 1],
                         p->ramp[d][i]);
}
END_TEST

/* The measures themselves: black and white, and red and green as one sees them who lacks red. */
START_TEST(measures_are_known)
{
    struct colour black = colour_of_number(0, 16), white = colour_of_number(15, 16);
    double lab[3];

    ck_assert_double_eq_tol(contrast(black, white), 21, 1e-9);
    ck_assert_double_eq_tol(contrast(colour_of_number(0x767676, CA_COLOURS_DIRECT), white), 4.54,
                            0.01);
    ck_assert_double_eq_tol(distance(black, white), 100, 0.1);
    lab_of(colour_of_number(0xff0000, CA_COLOURS_DIRECT), lab);
    ck_assert_double_eq_tol(lab[0], 53.24, 0.1);
    ck_assert_double_eq_tol(lab[1], 80.09, 0.1);
    ck_assert_double_eq_tol(lab[2], 67.20, 0.1);
    ck_assert_double_lt(distance(colour_of_number(0xb00000, CA_COLOURS_DIRECT),
                                 colour_of_number(0x3f3f00, CA_COLOURS_DIRECT)),
                        DISTANCE_MIN);
}
END_TEST

int main(void)
{
    int schemes = 0;

    while (scheme_name(schemes))
        schemes++;
    schemes *= COUNT(depths);
    return RUN_TESTS(.test = {measures_are_known},
                     .table = {{glyphs_can_be_read, schemes},
                               {states_are_apart, schemes},
                               {states_are_apart_from_the_ground, schemes},
                               {solid_cells_are_no_level, schemes}});
}
