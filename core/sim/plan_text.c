/* SPDX-License-Identifier: MIT */
/* This file writes a plan as text. */
#include "core/sim/plan_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/quantity.h"

#define WHOLE_CALL 65536 /* generations of a pass that no shorter call divides */

static void __attribute__((format(printf, 2, 3)))
plan_text_add(char text[CA_TEXT_MAX], const char *format, ...)
{
    size_t used = strlen(text);
    va_list list;

    if (used > 0 && used + 2 < CA_TEXT_MAX)
        used += (size_t)snprintf(text + used, CA_TEXT_MAX - used, ", ");
    va_start(list, format);
    vsnprintf(text + used, CA_TEXT_MAX - used, format, list);
    va_end(list);
}

/* "22x4", without the sides behind that are 1. */
static const char *sides(char text[64], const unsigned side[3])
{
    int used = snprintf(text, 64, "%u", side[0]);

    if (side[1] > 1 || side[2] > 1)
        used += snprintf(text + used, 64 - (size_t)used, "x%u", side[1]);
    if (side[2] > 1)
        snprintf(text + used, 64 - (size_t)used, "x%u", side[2]);
    return text;
}

char *ca_plan_text(char text[CA_TEXT_MAX], const struct ca_plan *plan)
{
    char blocks[64], threads[64];
    char processes[40] = "", exposed[CA_QUANTITY_TEXT], hidden[CA_QUANTITY_TEXT];

    text[0] = '\0';
    if (plan->variant[0])
        plan_text_add(text, "%s", plan->variant);
    if (plan->generations >= WHOLE_CALL)
        plan_text_add(text, "all generations of a call");
    else if (plan->generations > 1)
        plan_text_add(text, "%d generations a pass", plan->generations);
    if (plan->threads > 0)
        plan_text_add(text, "%d thread%s", plan->threads, plan->threads == 1 ? "" : "s");
    if (plan->vector_bits > 0)
        plan_text_add(text, "%d bits", plan->vector_bits);
    if (plan->grid[0] > 0)
        plan_text_add(text, "%s blocks of %s threads", sides(blocks, plan->grid),
                      sides(threads, plan->block));
    if (plan->cluster > 1)
        plan_text_add(text, "clusters of %u", plan->cluster);
    if (plan->shared_bytes > 0)
        plan_text_add(text, "%.1f KB shared", (double)plan->shared_bytes / 1024);
    if (plan->processes > 1)
        snprintf(processes, sizeof processes, " in %d processes", plan->processes);
    if (plan->ranks > 1)
        plan_text_add(text, "%d ranks%s that exchange %lld layers every %d generation%s%s",
                      plan->ranks, processes, (long long)plan->halo, plan->exchange,
                      plan->exchange == 1 ? "" : "s", plan->messages ? " by messages" : "");
    if (plan->ranks > 1 && plan->exchange_s > 0)
        plan_text_add(text, "%s exposed and %s hidden each", ca_duration(exposed, plan->exchange_s),
                      ca_duration(hidden, plan->hidden_s));
    return text;
}
