/* SPDX-License-Identifier: MIT */
/* A value is shortened, digits first, then its unit, until it fits. */
#include "tui/workbench/terminal/fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/wrapped.h"

/* All digits of a whole number, nine of another one. */
static void whole(char number[32], double value)
{
    bool exact = fabs(value) < 1e15 && value == round(value);

    snprintf(number, 32, exact ? "%.0f" : "%.9g", exact ? value + 0.0 : value);
}

/* "1.235 M" from a thousand on: rounded first, so that 999999 is 1 M and not 1000 k. */
static void prefixed(char number[32], double value, int digits)
{
    static const char prefixes[] = "kMGTP";
    char rounded[24];
    int prefix = -1;

    snprintf(rounded, sizeof rounded, "%.*e", digits - 1, value);
    if (sscanf(rounded, "%lf", &value) != 1)
        value = NAN;
    for (; fabs(value) >= 1000 && isfinite(value) && prefixes[prefix + 1]; prefix++)
        value /= 1000;
    snprintf(number, 32, "%.*g%s%.1s", digits, value, prefix < 0 ? "" : " ",
             prefix < 0 ? "" : &prefixes[prefix]);
}

bool quantity_fit(char text[QUANTITY_FIT_TEXT], double value, const char *unit, int width)
{
    const int has = unit && unit[0] ? 1 : 0;

    for (int bare = 0; bare <= has; bare++)
        for (int form = 0; form < 3; form++) {
            char number[32];

            if (form == 0)
                whole(number, value);
            else
                prefixed(number, value, 5 - form);
            snprintf(text, QUANTITY_FIT_TEXT, "%s%s%.60s", number, has && !bare ? " " : "",
                     has && !bare ? unit : "");
            if ((int)strlen(text) <= width)
                return !bare;
        }
    text[0] = '\0';
    return false;
}

/* Finds the begin of the last word; NULL for the first. */
static char *last_word(char *text)
{
    char *blank = strrchr(text, ' ');

    return blank ? blank + 1 : NULL;
}

void text_fit(char *text, int width)
{
    char *comma, *word;

    while (wrapped_columns_of(text, strlen(text)) > width && (comma = strrchr(text, ',')))
        *comma = '\0';
    while (wrapped_columns_of(text, strlen(text)) > width && (word = last_word(text)))
        do
            word[-1] = '\0';
        while ((word = last_word(text)) && strchr("0123456789/", *word));
}

/* --- the status line -------------------------------------------------------------------------- */

/* Each step leaves out one part more. */
enum step { REASON, NO_CUDA, SIZE, DEVICE, BACKEND, PACE, GEN, MODEL, GENERATION, STEPS };

void status_fit(const struct status *s, int width, char left[STATUS_TEXT], char right[STATUS_TEXT])
{
    for (int out = 0; out < STEPS; out++) {
        bool pace = out <= PACE, device = out <= DEVICE;
        bool reason = s->no_cuda && s->no_cuda[0] && out <= REASON;

        snprintf(left, STATUS_TEXT, " %.150s%s%.60s%s", out <= MODEL ? s->model : "",
                 out <= MODEL ? "  " : "", out <= SIZE ? s->size : "", out <= SIZE ? "  " : "");
        if (out <= GENERATION)
            ca_text_add(left, STATUS_TEXT, "%s%" PRIu64, out <= GEN ? "gen " : "", s->generation);
        if (out <= BACKEND)
            ca_text_add(left, STATUS_TEXT, "  %.60s", s->backend);
        if (device)
            ca_text_add(left, STATUS_TEXT, " on %.30s", s->device);
        if (device && s->no_cuda && out <= NO_CUDA)
            ca_text_add(left, STATUS_TEXT, ", no CUDA%s%.200s", reason ? ": " : "",
                        reason ? s->no_cuda : "");
        snprintf(right, STATUS_TEXT, "%.40s%s%.40s%s%.40s ", s->rate, s->rate[0] ? "  " : "",
                 pace ? s->pace : "", pace ? " " : "", s->state);
        if ((int)(strlen(left) + 2 + strlen(right)) <= width)
            return;
    }
    left[0] = '\0';
}
