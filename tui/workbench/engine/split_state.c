/* SPDX-License-Identifier: MIT */
/* The state of A comes to B, where the start does not lead to it, by a file on one host, by packed
 * rows to another. While B takes a piece, A gives the next one; a piece is as long as takes some
 * tenths of a second, so that progress shows and ^C is heard. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/engine/packed.h"
#include "core/engine/wire.h"
#include "core/files/file.h"
#include "tui/workbench/base/leftovers.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/shared.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/split_inside.h"

#define FILE_MAX INT64_C(1073741824) /* bytes of a state in a file */
#define PIECE_FIRST (INT64_C(64) << 10)
#define PIECE_MIN (INT64_C(16) << 10)
#define PIECE_MAX (INT64_C(8) << 20)
#define SHORT_S 0.2
#define LONG_S 0.8

static const struct ca_experiment *of_a(const struct workbench *wb)
{
    return &wb->panes[0].experiment;
}

static int64_t split_state_row_bytes(const struct workbench *wb)
{
    return ca_packed_row(of_a(wb)->model, of_a(wb)->size.w);
}

static int64_t split_state_rows_of(const struct workbench *wb) { return ca_rows(of_a(wb)->size); }

/* The message says what the user can do instead. */
static void cannot(struct workbench *wb, const char *why)
{
    message_warn(wb, "%s; %s returns to generation 0, which both can start from", why,
                 wb->keys.keys[REQUEST_RESET]);
}

/* --- a file ----------------------------------------------------------------------------------- */

static bool by_file(struct workbench *wb)
{
    struct split *s = split_of(wb);
    const struct ca_experiment *e = of_a(wb);
    double bytes =
        (double)ca_cells(e->size) * e->model->planes * (double)ca_type_bytes(e->model->type);
    struct ca_error error = {.text = "there is no state folder"};
    char text[CA_TEXT_MAX];

    if (bytes > (double)FILE_MAX) {
        snprintf(text, sizeof text, "the state of A has %.1f GiB, and at most 1 GiB is handed to B",
                 bytes / (double)FILE_MAX);
        cannot(wb, text);
        return false;
    }
    own_file(wb, s->state_path, "split.npy");
    if (!s->state_path[0] || ca_file_parents(s->state_path, &error) != CA_OK) {
        message_warn(wb, "the state of A cannot be handed to B: %.400s", error.text);
        return false;
    }
    split_round(wb, SPLIT_SAVE);
    split_ask(wb, 0, "save", json_pack("{s:s}", "file", s->state_path));
    return true;
}

/* --- to another host -------------------------------------------------------------------------- */

static bool both_can(struct workbench *wb)
{
    static const char *const requests[] = {"give", "take"};
    char text[CA_TEXT_MAX];

    for (int i = 0; i < 2; i++) {
        const struct pane *pane = &wb->panes[i];

        if (pane_can(pane, requests[i]))
            continue;
        snprintf(text, sizeof text, "calab %.40s%s%.100s cannot %s a state",
                 ca_wire_text(engine_hello(pane), "version"), pane->host[0] ? " on " : "",
                 pane->host, requests[i]);
        cannot(wb, text);
        return false;
    }
    return true;
}

bool state_begin(struct workbench *wb)
{
    struct pane *b = &wb->panes[1];
    struct ca_error error;

    if (session_is_here(&wb->panes[0]) && session_is_here(b))
        return by_file(wb);
    if (ca_packed_check(of_a(wb)->model, of_a(wb)->size, &error) != CA_OK) {
        cannot(wb, error.text);
        return false;
    }
    session_open(b, &b->experiment, 0, NULL);
    split_of(wb)->phase = SPLIT_MEET;
    return true;
}

/* B takes the piece that A has given, and A gives the next one. */
static void next_round(struct workbench *wb)
{
    struct split_travel *t = &split_of(wb)->travel;
    int64_t rows = t->piece / split_state_row_bytes(wb), left = split_state_rows_of(wb) - t->asked;

    if (t->taken == split_state_rows_of(wb)) {
        split_of(wb)->phase = SPLIT_GATHER;
        return;
    }
    split_round(wb, SPLIT_SEND);
    if (t->bytes)
        split_send(wb, 1, "take", t->what, t->bytes, t->count);
    free(t->bytes);
    t->bytes = NULL;
    t->what = NULL;
    rows = rows < 1 ? 1 : rows < left ? rows : left;
    if (rows > 0)
        split_ask(wb, 0, "give",
                  json_pack("{s:I,s:I}", "first", (json_int_t)t->asked, "rows", (json_int_t)rows));
    t->asked += rows;
}

void state_meet(struct workbench *wb)
{
    if (!split_is_idle(&wb->panes[0]) || !split_is_idle(&wb->panes[1]))
        return;
    if (!both_can(wb)) {
        split_close(wb);
        return;
    }
    state_drop(wb);
    split_of(wb)->travel.piece = PIECE_FIRST;
    next_round(wb);
}

bool state_keep(struct workbench *wb, const struct ca_message *message)
{
    static const char *const keys[] = {"first", "rows", "generation", "digest"};
    struct split_travel *t = &split_of(wb)->travel;

    free(t->bytes); /* of a reply that should have had none */
    json_decref(t->what);
    t->bytes = malloc(message->bytes);
    t->what = json_object();
    if (!t->bytes || !t->what)
        return false;
    memcpy(t->bytes, message->data, message->bytes);
    t->count = message->bytes;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set(t->what, keys[i], json_object_get(message->json, keys[i]));
    return true;
}

void state_go_on(struct workbench *wb)
{
    struct split_travel *t = &split_of(wb)->travel;
    double took = ca_now() - split_of(wb)->asked;

    if (split_of(wb)->answer[1])
        t->taken = json_integer_value(json_object_get(split_of(wb)->answer[1], "rows"));
    if (took < SHORT_S && t->piece < PIECE_MAX)
        t->piece *= 2;
    if (took > LONG_S && t->piece > PIECE_MIN)
        t->piece /= 2;
    next_round(wb);
}

void state_drop(struct workbench *wb)
{
    struct split_travel *t = &split_of(wb)->travel;

    if (split_of(wb)->state_path[0])
        unlink(split_of(wb)->state_path);
    split_of(wb)->state_path[0] = 0;
    free(t->bytes);
    json_decref(t->what);
    *t = (struct split_travel){0};
}

bool state_travels(const struct workbench *wb)
{
    return split_of(wb)->phase == SPLIT_MEET || split_of(wb)->phase == SPLIT_SEND;
}

void state_progress(const struct workbench *wb, char *text, size_t size)
{
    double all = ca_packed_state(of_a(wb)->model, of_a(wb)->size);
    bool large = all >= 1048576;

    snprintf(text, size, "state to B: %.0f %% of %.0f %s",
             100.0 * (double)split_of(wb)->travel.taken / (double)split_state_rows_of(wb),
             all / (large ? 1048576 : 1024), large ? "MiB" : "KiB");
}
