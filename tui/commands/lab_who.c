/* SPDX-License-Identifier: MIT */
/* calab lab who: which worker computed which cells of one generation, and how long it had nothing
 * to do. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/lab/backend/backend.h"
#include "core/lab/process/who.h"
#include "tui/commands/commands.h"
#include "tui/commands/json.h"
#include "tui/commands/lab.h"
#include "tui/commands/progress.h"

/* A map has at most so many letters and lines: as text, and as JSON. */
static const struct ca_size text_most = {76, 38, 1}, json_most = {240, 240, 1};

#define WORKERS_SHOWN 64

/* What is shown of the lattice: every so many cells one. */
static int64_t map_stride(const struct ca_lab_who *who, struct ca_size most)
{
    int64_t stride = 1;

    while (who->size.w > most.w * stride || who->size.h > most.h * stride)
        stride++;
    return stride;
}

static char *who_map(const struct ca_lab_who *who, int64_t z, struct ca_size most)
{
    int64_t stride = map_stride(who, most);
    char *text = malloc((size_t)((most.w + 1) * most.h) + 1), *to = text;

    if (!text)
        return NULL;
    for (int64_t y = 0; y < who->size.h; y += stride) {
        for (int64_t x = 0; x < who->size.w; x += stride)
            *to++ = ca_lab_who_letter(ca_lab_who_of(who, x, y, z));
        *to++ = '\n';
    }
    *to = '\0';
    return text;
}

/* What the times and colours are of, or why there are none. */
static const char *who_note(const struct ca_lab_who *who)
{
    return who->kind == LAB_WHO_BLOCK
               ? "the emulator has no multiprocessors and no times: these are the blocks"
               : "times are of a build that notes each LAB_AT, and is slower for it";
}

static json_t *who_json(const struct ca_lab *lab, const struct ca_lab_who *who, int64_t z)
{
    json_t *root, *workers = json_array();
    char size[64], *map = who_map(who, z, json_most);

    for (int i = 0; i < who->workers; i++) {
        const struct ca_lab_worker *w = &who->worker[i];
        char letter[2] = {ca_lab_who_letter(i), '\0'};
        json_t *one = json_pack("{s:i, s:s, s:I, s:I}", "number", (int)w->number, "letter", letter,
                                "cells", (json_int_t)w->cells, "asks", (json_int_t)w->asks);

        if (who->span_s > 0) {
            json_object_set_new(one, "start_s", json_real(w->start_s));
            json_object_set_new(one, "end_s", json_real(w->end_s));
            json_object_set_new(one, "busy_s", json_real(w->busy_s));
            json_object_set_new(one, "idle", json_real(ca_lab_who_idle(who, i)));
        }
        json_array_append_new(workers, one);
    }
    root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I}", "schema", "calab-lab-who/1", "source",
                     lab->source, "kind", ca_lab_who_word(who->kind), "note", who_note(who), "size",
                     ca_size_format(size, who->size, lab->model->dimensions), "layer",
                     (json_int_t)z, "stride", (json_int_t)map_stride(who, json_most));
    json_object_set_new(root, "span_s", who->span_s > 0 ? json_real(who->span_s) : json_null());
    json_object_set_new(root, "workers", workers);
    json_object_set_new(root, "map", map ? json_string(map) : json_null());
    free(map);
    return root;
}

static void print_who(const struct ca_lab *lab, const struct ca_lab_who *who, int64_t z)
{
    char size[64], span[CA_QUANTITY_TEXT], start[CA_QUANTITY_TEXT], end[CA_QUANTITY_TEXT];
    const char *word = ca_lab_who_word(who->kind);
    char *map = who_map(who, z, text_most);

    printf("%s: one generation of %s by %d %s%s", lab->source,
           ca_size_format(size, who->size, lab->model->dimensions), who->workers, word,
           who->workers == 1 ? "" : "s");
    if (who->span_s > 0)
        printf(", %s", ca_duration(span, who->span_s));
    printf("; %s\n", who_note(who));
    if (map)
        fputs(map, stdout);
    if (map_stride(who, text_most) > 1)
        printf("one cell of %" PRId64 " along each side\n", map_stride(who, text_most));
    free(map);
    for (int i = 0; i < who->workers && i < WORKERS_SHOWN; i++) {
        const struct ca_lab_worker *w = &who->worker[i];

        printf("%c %s %" PRIu32 ": %" PRId64 " cells", ca_lab_who_letter(i), word, w->number,
               w->cells);
        if (who->span_s > 0)
            printf(", from %s to %s, idle %.0f %%", ca_duration(start, w->start_s),
                   ca_duration(end, w->end_s), 100 * ca_lab_who_idle(who, i));
        printf("\n");
    }
    if (who->workers > WORKERS_SHOWN)
        printf("and %d more, which --json lists\n", who->workers - WORKERS_SHOWN);
}

int lab_who(const struct options *options, struct ca_error *error)
{
    static struct ca_lab lab;
    static struct ca_lab_who who;
    const char *picture = options_value(options, OPTION_GLOB);
    const char *sides = options_value(options, OPTION_SIZE);
    struct ca_size size;
    enum ca_status status;

    CA_TRY(ca_lab_read(&lab, options->operands > 1 ? options->operand[1] : ".", error));
    size = ca_lab_shown_size(&lab);
    if (sides)
        CA_TRY(ca_size_parse(&size, sides, lab.model->dimensions, "--size", error));
    status = ca_lab_who_make(&who, &lab, size, error);
    if (status == CA_OK && picture)
        status = ca_lab_who_picture(&who, size.d / 2, picture, error);
    if (status == CA_OK && options_has(options, OPTION_JSON))
        status = json_print(who_json(&lab, &who, size.d / 2), error);
    else if (status == CA_OK)
        print_who(&lab, &who, size.d / 2);
    ca_lab_who_free(&who);
    return stopped_by ? 128 + stopped_by : (int)status;
}
