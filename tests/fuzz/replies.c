/* SPDX-License-Identifier: MIT */
/*
 * The other side of the protocol: bytes as they come from an engine, its greeting first, taken as
 * messages by the client, and by the panes of a workbench as events and as replies: to what they
 * have asked for, as two in lock step do, or else to a request of each kind. The client is included
 * as source, because outside of it nobody can have one without a process.
 *
 * The first byte: the model, with SPLIT two panes, with TRAVEL the state of A goes to B. An id:
 * with SECOND, it comes to the other pane; the lowest bits say which request it replies to, where
 * none waits.
 */
#undef CALAB_VERSION
#define CALAB_VERSION "0.1.0" /* with which the engines of the corpus greet */
#include "core/engine/client.c"
#include "core/engine/client_messages.c"

#include "core/base/clock.h"
#include "core/engine/experiment_json.h"
#include "core/engine/packed.h"
#include "tests/fuzz/fuzz.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/base/part.h"
#include "tui/workbench/engine/cursor.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/figures_inside.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/session_inside.h"
#include "tui/workbench/engine/split_inside.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/view.h"

#define MESSAGES_MAX 64
#define SPLIT 128
#define TRAVEL 64
#define SECOND 32

extern const struct part figures_part, navigate_part, view_part;

static struct workbench wb;
static struct contender side;

/* An engine to which nothing can be sent, without a process; a pane's own. */
static struct ca_client deaf(void)
{
    return (struct ca_client){
        .write_fd = -1, .read_fd = -1, .said_fd = -1, .child = {.reaped = true}, .name = "engine"};
}

static struct ca_client *deaf_new(void)
{
    struct ca_client *client = malloc(sizeof *client);

    if (client)
        *client = deaf();
    return client;
}

/* A workbench with two panes and the settings that are built in. */
static void begin(unsigned model, bool split, bool travel)
{
    struct ca_error error;

    memset(&wb, 0, sizeof wb);
    parts_begin(&wb, workbench_parts, &error);
    ca_experiment_default(&side.experiment, fuzz_model(model));
    ca_settings_open(&wb.settings, "", &error);
    keymap_preset(&wb.keys, "default");
    wb.pane_count = 1;
    wb.pane = wb.panes;
    wb.layout.rows = 24;
    wb.layout.columns = 80;
    wb.pane_count = split ? 2 : 1;
    for (int i = 0; i < PANES_MAX; i++)
        pane_init(&wb.panes[i], &wb, &side);
    for (int i = 0; i < wb.pane_count; i++) {
        session_of(&wb.panes[i])->client = deaf_new();
        session_of(&wb.panes[i])->open = split;
    }
    if (!split)
        return;
    split_of(&wb)->phase = SPLIT_GATHER;
    split_restart(&wb);
    split_of(&wb)->wanted = 9;
    if (travel) /* once both have greeted */
        split_of(&wb)->phase = SPLIT_MEET;
    else
        split_part.tick(&wb, ca_now());
}

static void end(void)
{
    parts_end(&wb);
    ca_settings_close(wb.settings);
}

/* The readers of what a message may hold, wherever it stands. */
static void read_parts(const struct ca_message *message)
{
    static struct ca_experiment experiment;
    const struct ca_model *model = wb.pane->experiment.model;
    const json_t *json = message->json;
    struct ca_device device;
    struct ca_view view = {.zoom = 1, .columns = 8, .lines = 4};
    struct ca_error error;
    uint64_t generation;

    experiment = wb.pane->experiment;
    ca_experiment_take_reply(&experiment, json);
    ca_experiment_from_json(&experiment, json, &error);
    ca_wire_view_read(&view, json, &error);
    ca_wire_device_read(&device, json);
    ca_wire_error_read(&error, json_object_get(json, "error"));
    ca_wire_generation(json, &generation);
    if (message->bytes > 0 && message->bytes <= FUZZ_CELLS_MAX) {
        static float cells[CA_PLANES_MAX][FUZZ_CELLS_MAX * 8];
        void *planes[CA_PLANES_MAX];

        for (int p = 0; p < CA_PLANES_MAX; p++)
            planes[p] = cells[p];
        for (int64_t w = 1; w < 70; w += 17)
            if (ca_packed_row(model, w) <= (int64_t)message->bytes)
                ca_rows_unpack(message->data, model, w, planes,
                               (int64_t)message->bytes / ca_packed_row(model, w), &error);
    }
}

/* A request of each kind, as the workbench sends it. */
static void ask_open(struct pane *pane)
{
    pane->arriving = true;
    session_open(pane, &side.experiment, 0, NULL);
}
static void ask_change(struct pane *pane) { session_change(pane, &side.experiment); }
static void ask_step(struct pane *pane) { session_step(pane, 1); }
static void ask_seek(struct pane *pane) { session_seek(pane, 1); }
static void ask_save(struct pane *pane) { session_save(pane, "x.h5"); }
static void ask_aside(struct pane *pane) { undo_reset(pane->wb); }
static void ask_undo(struct pane *pane) { undo_last(pane->wb); }
static void ask_put(struct pane *pane) { parts_perform(pane->wb, REQUEST_EDIT_NEXT); }
static void ask_view(struct pane *pane)
{
    session_view(pane);
    view_part.tick_pane(pane, 0);
}
static void ask_cell(struct pane *pane)
{
    cursor_put(pane, 0, 0);
    session_cell(pane);
    navigate_part.tick_pane(pane, 0);
}
static void ask_burst(struct pane *pane)
{
    figures_of(pane)->timing.figures.count = 1;
    figures_part.tick_pane(pane, 0);
}

static void (*const asks[])(struct pane *pane) = {
    ask_open,  ask_step, session_run,  session_stop,    ask_change, session_reset,
    ask_seek,  ask_view, ask_cell,     engine_list_ask, ask_aside,  ask_save,
    ask_burst, ask_undo, device_renew, ask_put,
};

static void ignore(void *to, const struct ca_message *event) { (void)to, (void)event; }

/* The message answers the request that the pane has sent first; without one, it sends one now. */
static void take_answer(struct pane *pane, const struct ca_message *message, unsigned kind)
{
    struct session *session = session_of(pane);

    if (!ca_client_waiting(session->client) && kind < sizeof asks / sizeof *asks)
        asks[kind](pane);
    if (!ca_client_waiting(session->client))
        return;
    json_object_set_new(message->json, "id", json_integer(ca_client_waiting(session->client)->id));
    hand_over(session->client, message, ignore, NULL);
}

static void take(const struct ca_message *message)
{
    const json_t *id = json_object_get(message->json, "id");
    json_int_t number = json_integer_value(id);
    bool second = wb.pane_count > 1 && number & SECOND;

    read_parts(message);
    if (id)
        take_answer(&wb.panes[second], message, (unsigned)number & 31);
    for (int i = 0; !id && i < wb.pane_count; i++)
        event_take(&wb.panes[i], message);
    if (wb.pane_count > 1)
        split_part.tick(&wb, ca_now());
}

void fuzz_replies(const uint8_t *data, size_t size)
{
    struct ca_client client = {
        .write_fd = -1, .read_fd = -1, .said_fd = -1, .child = {.reaped = true}, .name = "engine"};
    struct ca_message message;
    uint8_t how = fuzz_byte(&data, &size);

    fuzz_folder();
    begin(how % TRAVEL, how & SPLIT, how & TRAVEL);
    if (ca_buffer_append(&client.in, data, size))
        for (int i = 0; i < MESSAGES_MAX; i++) {
            ca_buffer_drop(&client.in, client.taken);
            client.taken = 0;
            if (client_parse(&client, &message) <= 0)
                break;
            take(&message);
            json_decref(message.json);
        }
    if (size > 0) {
        char words[QUOTE_BYTES];

        quote_last_line(words, (const char *)data, size);
    }
    end();
    ca_buffer_free(&client.in);
    json_decref(client.partial);
}
