/* SPDX-License-Identifier: MIT */
/* The parts of the status line give way in a fixed order where it is too narrow. */
#include "tui/workbench/terminal/status.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Each step leaves out one part more. */
enum step {
    REASON,
    NO_CUDA,
    SIZE,
    DEVICE,
    BACKEND,
    MODEL,
    PACE,
    GEN,
    GENERATION,
    STEPS,
};

static void left_write(const struct status *s, int out, char text[STATUS_TEXT])
{
    bool device = out <= DEVICE, reason = s->no_cuda && s->no_cuda[0] && out <= REASON;

    snprintf(text, STATUS_TEXT, " %.60s%s%.60s%s", out <= MODEL ? s->model : "",
             out <= MODEL ? "  " : "", out <= SIZE ? s->size : "", out <= SIZE ? "  " : "");
    if (out <= GENERATION)
        snprintf(text + strlen(text), STATUS_TEXT - strlen(text), "%s%" PRIu64,
                 out <= GEN ? "gen " : "", s->generation);
    if (out <= BACKEND)
        snprintf(text + strlen(text), STATUS_TEXT - strlen(text), "  %.60s", s->backend);
    if (device)
        snprintf(text + strlen(text), STATUS_TEXT - strlen(text), " on %.30s", s->device);
    if (device && s->no_cuda && out <= NO_CUDA)
        snprintf(text + strlen(text), STATUS_TEXT - strlen(text), ", no CUDA%s%.200s",
                 reason ? ": " : "", reason ? s->no_cuda : "");
}

void status_fit(const struct status *s, int width, char left[STATUS_TEXT], char right[STATUS_TEXT])
{
    for (int out = 0; out < STEPS; out++) {
        bool pace = out <= PACE;

        left_write(s, out, left);
        snprintf(right, STATUS_TEXT, "%.40s%s%.40s%s%.40s ", s->rate, s->rate[0] ? "  " : "",
                 pace ? s->pace : "", pace ? " " : "", s->state);
        if ((int)(strlen(left) + 2 + strlen(right)) <= width)
            return;
    }
    left[0] = '\0';
}
