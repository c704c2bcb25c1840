/* SPDX-License-Identifier: MIT */
/* Starts the process that watches a lab, acts on its messages, and opens the editor. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/quantity.h"
#include "core/engine/wire.h"
#include "core/lab/backend/backend.h"
#include "core/lab/backend/builds.h"
#include "core/lab/check/words.h"
#include "tui/workbench/base/editor.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/lists/lab_inside.h"

extern const struct part lab_part;

struct lab_work *lab_of(const struct workbench *wb) { return part_state(wb, &lab_part); }
bool lab_is_open(const struct workbench *wb) { return lab_of(wb)->open; }

bool lab_is_shown(const struct workbench *wb)
{
    for (int i = 0; i < wb->pane_count; i++)
        if (lab_of(wb)->open && strcmp(wb->panes[i].experiment.backend->name, CA_LAB_BACKEND) == 0)
            return true;
    return false;
}

char *lab_command(const struct workbench *wb)
{
    const struct ca_experiment *e = &wb->panes[0].experiment;
    const char *folder = ca_lab_backend_lab()->folder;
    char size[64], quoted[PATH_MAX + 64] = "'", *command;
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";

    /* In single quotes, as a shell reads them. */
    for (const char *at = folder; *at; at++)
        ca_text_add(quoted, sizeof quoted - 2, *at == '\'' ? "'\\''" : "%c", *at);
    ca_text_add(quoted, sizeof quoted, "'");
    if (asprintf(&command, "calab lab %s -s %s --seed %llu",
                 folder[strspn(folder, plain)] ? quoted : folder,
                 ca_size_format(size, e->size, e->model->dimensions),
                 (unsigned long long)e->seed) < 0)
        return NULL;
    return command;
}

/* --- opening, closing ------------------------------------------------------------------------- */

static bool watch(struct workbench *wb, struct ca_error *error)
{
    struct lab_work *lab = lab_of(wb);
    const char *const argv[] = {
        "/proc/self/exe", "lab",     "watch",   ca_lab_backend_lab()->folder,
        "--json",         "--built", lab->link, NULL};

    lab->phase = LAB_COMPILES;
    return ca_client_start(&lab->client, argv, STDERR_FILENO, error) == CA_OK;
}

static void forget(struct lab_work *lab)
{
    json_decref(lab->report);
    json_decref(lab->kernels);
    lab->report = lab->kernels = NULL;
    lab->text[0] = lab->said[0] = lab->file[0] = lab->at[0] = '\0';
    lab->line = lab->done = lab->all = 0;
    lab->times_due = false;
}

static void lab_end(struct workbench *wb)
{
    struct lab_work *lab = lab_of(wb);

    ca_client_close(lab->client);
    lab->client = NULL;
    forget(lab);
    if (lab->own[0])
        ca_lab_remove_folder(lab->own);
    lab->own[0] = '\0';
}

enum ca_status lab_open(struct workbench *wb, const char *folder, struct ca_error *error)
{
    const char *command = setting_text(wb, CA_SETTING_ENGINE_COMMAND);
    const char *temporary = getenv("TMPDIR");
    struct lab_work *lab = lab_of(wb);
    enum ca_status status;

    if (command[strspn(command, " \t\n")])
        return ca_fail(error, CA_USAGE,
                       "a lab needs an engine of this machine: the setting engine_command has to "
                       "be empty");
    snprintf(lab->own, sizeof lab->own, "%.400s/calab-lab-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    CA_TRY(ca_lab_temporary(lab->own, error));
    snprintf(lab->link, sizeof lab->link, "%s/program", lab->own);
    status = ca_lab_backend_add(folder, lab->link, error);
    lab->open = status == CA_OK;
    panes_lab_program(wb, lab->link);
    if (status == CA_OK && !watch(wb, error))
        status = error->status;
    if (status != CA_OK)
        lab_end(wb);
    return status;
}

/* --- what it says ----------------------------------------------------------------------------- */

/* Another program is there: what runs the kernel begins anew, and at first A takes it up. */
static void take_up(struct workbench *wb)
{
    static struct ca_experiment wanted;
    struct pane *a = &wb->panes[0];
    const struct ca_backend *backend;
    bool running = go_busy(wb);
    struct ca_error error;

    if (ca_backend_find(&backend, ca_lab_backend_lab()->model, CA_LAB_BACKEND, &error) != CA_OK)
        return;
    if (lab_is_shown(wb)) {
        wanted = a->experiment;
        reopen(a, &wanted);
        if (running)
            go_run(wb);
    } else if (lab_of(wb)->builds == 1 && pane_is_of_lab(a)) {
        choose_backend(a, backend);
    }
}

static void list_again(struct workbench *wb)
{
    for (int i = 0; i < wb->pane_count; i++)
        engine_list_renew(&wb->panes[i]);
}

static void copy_text(const json_t *json, const char *key, char *text, size_t size)
{
    snprintf(text, size, "%s", ca_json_member(json, key));
}

static void lab_panel_failed(struct workbench *wb, enum lab_phase phase, const json_t *json)
{
    struct lab_work *lab = lab_of(wb);

    forget(lab);
    lab->phase = phase;
    copy_text(json, "text", lab->text, sizeof lab->text);
    copy_text(json, "said", lab->said, sizeof lab->said);
    copy_text(json, "file", lab->file, sizeof lab->file);
    lab->line = (int)json_integer_value(json_object_get(json, "line"));
    if (!list_is_open(wb, &lab_source))
        message_warn(wb, "%s", lab->text);
    list_again(wb);
}

static void built(struct workbench *wb, const json_t *json)
{
    struct lab_work *lab = lab_of(wb);

    lab->phase = LAB_CHECKS;
    lab->builds++;
    lab->compile_s = ca_json_number(json, "seconds");
    copy_text(json, "how", lab->how, sizeof lab->how);
    take_up(wb);
    list_again(wb);
}

static void checked(struct workbench *wb, const json_t *json)
{
    struct lab_work *lab = lab_of(wb);
    bool right;

    lab->report = json_incref(json_object_get(json, "report"));
    right = json_is_true(json_object_get(lab->report, "right"));
    lab->phase = right ? LAB_RIGHT : LAB_WRONG;
    lab->times_due = right;
    if (list_is_open(wb, &lab_source))
        return;
    if (right)
        message_show(wb, "%s is right: %lld cases", ca_json_member(lab->report, "source"),
                     (long long)json_integer_value(json_object_get(lab->report, "cases")));
    else
        message_warn(wb, "%s is wrong: %.400s", ca_json_member(lab->report, "source"),
                     ca_json_member(lab->report, "text"));
}

static void lab_panel_take(void *to, const struct ca_message *message)
{
    struct workbench *wb = to;
    struct lab_work *lab = lab_of(wb);
    const json_t *json = message->json;
    const char *event = ca_json_member(json, "event");

    if (strcmp(event, "compiling") == 0) {
        forget(lab);
        lab->phase = LAB_COMPILES;
        if (ladder_is_in_lab(wb)) /* it ran the build before */
            ladder_end(wb);
    } else if (strcmp(event, "built") == 0) {
        built(wb, json);
    } else if (strcmp(event, "broken") == 0) {
        lab_panel_failed(wb, LAB_BROKEN, json);
    } else if (strcmp(event, "failed") == 0) {
        lab_panel_failed(wb, LAB_FAILED, json);
    } else if (strcmp(event, "progress") == 0) {
        copy_text(json, "how", lab->at, sizeof lab->at);
        lab->done = (int)json_integer_value(json_object_get(json, "done"));
        lab->all = (int)json_integer_value(json_object_get(json, "all"));
    } else if (strcmp(event, "checked") == 0) {
        checked(wb, json);
    } else if (strcmp(event, "resources") == 0) {
        lab->kernels = json_incref(json_object_get(json, "kernels"));
    }
    if (strcmp(event, "progress") != 0)
        list_reselect(wb, &lab_source);
    wb->dirty = true;
}

static void lab_serve(struct workbench *wb, const struct pollfd *fds, int count)
{
    struct lab_work *lab = lab_of(wb);
    struct ca_error error;

    (void)fds, (void)count;
    if (ca_client_serve(&lab->client, lab_panel_take, wb, &error))
        return;
    ca_client_close(lab->client);
    lab->client = NULL;
    forget(lab);
    lab->phase = LAB_FAILED;
    list_reselect(wb, &lab_source);
    snprintf(lab->text, sizeof lab->text, "nobody watches the folder any more: %.600s; press %s",
             error.text, wb->keys.keys[REQUEST_RESET]);
    message_warn(wb, "%s", lab->text);
    wb->dirty = true;
}

static int lab_poll(const struct workbench *wb, struct pollfd fds[PART_FDS])
{
    return client_poll(lab_of(wb)->client, fds);
}

static void lab_watch_again(struct workbench *wb)
{
    struct ca_error error;

    if (!lab_of(wb)->client && !watch(wb, &error))
        message_warn(wb, "%s", error.text);
    wb->dirty = true;
}

/* A right kernel is timed beside the others where the user looks at the lab. */
static double lab_tick(struct workbench *wb, double now)
{
    struct lab_work *lab = lab_of(wb);
    const struct dialog *top = dialog_top(wb);

    (void)now;
    if (!lab->times_due || !top || top->list != &lab_source || !session_has_run(&wb->panes[0]) ||
        !pane_is_of_lab(&wb->panes[0]))
        return -1;
    lab->times_due = false;
    ladder_open_in_lab(wb);
    wb->dirty = true;
    return -1;
}

const struct part lab_part = {.name = "lab",
                              .state_bytes = sizeof(struct lab_work),
                              .tick = lab_tick,
                              .poll = lab_poll,
                              .serve = lab_serve,
                              .end = lab_end,
                              .actions = {{REQUEST_LAB, lab_show}}};

/* --- the list --------------------------------------------------------------------------------- */

#define LINES_MAX 96
#define SAID_LINES 8
#define LINE_MAX_TEXT 240
#define LINE_ITEM 1000 /* the item of the first line; those of the ladder are below */

enum line_kind { LINE_PLAIN, LINE_STATE, LINE_WRONG, LINE_RIGHT, LINE_CELLS, LINE_MAP };

/* The lines: of what kind they are, and their places in files of the folder; line 0: it has none.
 */
static struct place {
    enum line_kind kind;
    char file[256];
    int line;
} places[LINES_MAX];
static int place_count;

static struct place *add_line(enum line_kind kind, const char *text, bool heading)
{
    struct place *place = &places[place_count < LINES_MAX - 1 ? place_count++ : place_count];
    struct list_row *row = list_add(LINE_ITEM + (int)(place - places), "%.255s", text);

    row->heading = heading;
    *place = (struct place){.kind = kind};
    return place;
}

/* A text as whole as it is: what its first line has no room for follows in others, which have no
 * place of their own. */
static struct place *add_text(const struct workbench *wb, enum line_kind kind, const char *text)
{
    static const char indent[] = "    ";
    const int width = list_columns(wb, &lab_source);
    struct place *place = NULL;
    char line[256];

    while (*text) {
        const int room = width < 16 || width > LINE_MAX_TEXT ? LINE_MAX_TEXT : width;
        int n = (int)strcspn(text, "\n"), most = place ? room - 2 : room;

        if (n > most) {
            n = most;
            while (n > 0 && text[n] != ' ')
                n--;
            n = n > 0 ? n : most;
        }
        snprintf(line, sizeof line, "%s%.*s", place ? indent : "", n, text);
        if (place)
            add_line(kind, line, true);
        else
            place = add_line(kind, line, false);
        text += n;
        text += strspn(text, " \n");
    }
    return place ? place : add_line(kind, "", false);
}

/* A message that may name a place. */
static void add_message(const struct workbench *wb, enum line_kind kind, const char *text)
{
    struct place *place = add_text(wb, kind, text);

    place->line = ca_lab_place(ca_lab_backend_lab()->folder, text, place->file, sizeof place->file);
}

static void add_block(enum line_kind kind, const char *text, int most)
{
    char line[256];

    for (int i = 0; *text && i < most; i++, text += *text == '\n') {
        size_t length = strcspn(text, "\n");

        snprintf(line, sizeof line, "   %.*s", (int)(length < 240 ? length : 240), text);
        add_line(kind, line, true);
        text += length;
    }
}

static int block_width(const char *text)
{
    int width = 0;

    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        const int n = (int)strcspn(text, "\n");

        width = n > width ? n : width;
    }
    return width;
}

/* In a block the sign of a wrong cell, and the number before it, are as an alarm. */
static enum style cell_style(const char *text, int byte)
{
    const size_t word = strcspn(text + byte, " ");

    return word > 0 && text[byte + (int)word - 1] == '!' ? STYLE_ALARM : STYLE_PLAIN;
}

static enum style map_style(char sign)
{
    return sign == '#' || sign == '?' ? STYLE_ALARM : sign == '.' ? STYLE_GREEN : STYLE_PLAIN;
}

static enum style lab_style(const struct list_row *row, int byte)
{
    if (row->item < LINE_ITEM)
        return row->current ? STYLE_STRONG : row->heading ? STYLE_FOCUS : STYLE_PLAIN;
    switch (places[row->item - LINE_ITEM].kind) {
    case LINE_STATE:
        return STYLE_FOCUS;
    case LINE_WRONG:
        return STYLE_ALARM;
    case LINE_RIGHT:
        return STYLE_GREEN;
    case LINE_CELLS:
        return cell_style(row->text, byte);
    case LINE_MAP:
        return map_style(row->text[byte]);
    default:
        return STYLE_PLAIN;
    }
}

/* --- the parts -------------------------------------------------------------------------------- */

static void add_state(const struct lab_work *lab)
{
    const char *source = ca_lab_backend_lab()->source;
    char text[256], seconds[CA_QUANTITY_TEXT], cells[CA_QUANTITY_TEXT];

    switch (lab->phase) {
    case LAB_COMPILES:
        snprintf(text, sizeof text, "%.80s: compiling", source);
        break;
    case LAB_CHECKS:
        snprintf(text, sizeof text, "%.80s: compiled in %s; checking: case %d of %d, %.40s", source,
                 ca_duration(seconds, lab->compile_s), lab->done + 1, lab->all,
                 ca_lab_how_words(lab->at));
        if (lab->all == 0)
            snprintf(text, sizeof text, "%.80s: compiled in %s; checking", source,
                     ca_duration(seconds, lab->compile_s));
        break;
    case LAB_RIGHT:
        snprintf(text, sizeof text, "%.80s: right, %.40s: %lld cases, %s cells", source,
                 ca_lab_how_words(ca_json_member(lab->report, "by")),
                 (long long)json_integer_value(json_object_get(lab->report, "cases")),
                 ca_thousands(cells,
                              (uint64_t)json_integer_value(json_object_get(lab->report, "cells"))));
        break;
    case LAB_WRONG:
        snprintf(text, sizeof text, "%.80s: wrong, %.40s", source,
                 ca_lab_how_words(ca_json_member(lab->report, "by")));
        break;
    case LAB_BROKEN:
        snprintf(text, sizeof text, "%.80s: does not compile", source);
        break;
    default:
        snprintf(text, sizeof text, "%.80s: not checked", source);
    }
    add_line(lab->phase == LAB_RIGHT                               ? LINE_RIGHT
             : lab->phase == LAB_WRONG || lab->phase == LAB_BROKEN ? LINE_WRONG
                                                                   : LINE_STATE,
             text, true);
}

static long long lab_list_number(const json_t *json, const char *key)
{
    return (long long)json_integer_value(json_object_get(json, key));
}

/* The case that failed, and how many of its cells. */
static void add_case(const struct workbench *wb, const json_t *r)
{
    bool found = strcmp(ca_json_member(r, "verdict"), "found") == 0;
    char text[256], never[80] = "";

    if (found)
        snprintf(text, sizeof text, "on %.60s, seed %lld; its cells are right there",
                 ca_json_member(r, "size"), lab_list_number(r, "seed"));
    else
        snprintf(text, sizeof text,
                 "on %.60s, seed %lld, from generation %lld: %lld right, then a call of %lld%s%s",
                 ca_json_member(r, "size"), lab_list_number(r, "seed"), lab_list_number(r, "start"),
                 lab_list_number(r, "passed"), lab_list_number(r, "call"),
                 lab_list_number(r, "repeat") ? ", when repeated" : "",
                 json_is_true(json_object_get(r, "only_together"))
                     ? "; one generation a call, all are right"
                     : "");
    add_text(wb, LINE_PLAIN, text);
    if (!json_object_get(r, "wrong_cells"))
        return;
    if (lab_list_number(r, "unwritten_cells") > 0)
        snprintf(never, sizeof never, ", %lld of them never written",
                 lab_list_number(r, "unwritten_cells"));
    snprintf(text, sizeof text, "%lld cell%s wrong%s", lab_list_number(r, "wrong_cells"),
             lab_list_number(r, "wrong_cells") == 1 ? "" : "s", never);
    add_text(wb, LINE_WRONG, text);
}

/* The causes that are known, or that none is. */
static void add_causes(const struct workbench *wb, const json_t *r, bool known)
{
    const json_t *one;
    char text[800];
    size_t i;

    json_array_foreach(json_object_get(r, "why"), i, one)
    {
        if (known != (strcmp(ca_json_member(one, "cause"), "unknown") != 0))
            continue;
        snprintf(text, sizeof text, "%s%.780s", known ? "cause: " : "",
                 ca_json_member(one, "text"));
        add_text(wb, known ? LINE_WRONG : LINE_PLAIN, text);
    }
}

/* The cause comes first: what is wrong, and then where and how much of it. */
static void add_report(const struct workbench *wb, const json_t *r)
{
    bool right = json_is_true(json_object_get(r, "right"));
    const json_t *one;
    size_t i;

    add_causes(wb, r, true);
    if (!right) {
        add_message(wb, LINE_WRONG, ca_json_member(r, "text"));
        add_case(wb, r);
    }
    add_causes(wb, r, false);
    json_array_foreach(json_object_get(r, "findings"), i, one)
    {
        if (strcmp(json_string_value(one), ca_json_member(r, "text")) != 0)
            add_message(wb, LINE_WRONG, json_string_value(one));
    }
    if (block_width(ca_json_member(r, "neighbourhood")) <= list_columns(wb, &lab_source))
        add_block(LINE_CELLS, ca_json_member(r, "neighbourhood"), LINES_MAX / 4);
    add_block(LINE_MAP, ca_json_member(r, "map"), LINES_MAX / 2);
}

static void lab_fill(struct workbench *wb)
{
    static const char says[] = "does not compile: ";
    const struct lab_work *lab = lab_of(wb);
    const json_t *one;
    size_t i;

    place_count = 0;
    add_state(lab);
    if (lab->text[0]) {
        const char *text = strstr(lab->text, says);
        struct place *place = add_text(wb, LINE_WRONG, text ? text + strlen(says) : lab->text);

        snprintf(place->file, sizeof place->file, "%s", lab->file);
        place->line = lab->line;
        add_block(LINE_PLAIN, lab->said, SAID_LINES);
    }
    if (lab->report)
        add_report(wb, lab->report);
    json_array_foreach(lab->kernels, i, one) add_text(wb, LINE_PLAIN, json_string_value(one));
    if (ladder_is_in_lab(wb))
        ladder_fill(wb);
    else if (place_count == 1)
        add_text(wb, LINE_PLAIN,
                 "enter opens the editor; each time that the file is saved it is checked");
}

/* --- the list --------------------------------------------------------------------------------- */

/* Gives the terminal to the user's editor, at the place of a line, or the first that any of them
 * has, or the beginning of the source. */
static bool lab_choose(struct workbench *wb, const struct list_row *row)
{
    const struct place *place = places;
    const struct ca_lab *lab = ca_lab_backend_lab();
    char path[PATH_MAX + CA_TEXT_MAX + 2];

    if (row->item < LINE_ITEM)
        return ladder_choose(wb, row);
    if (places[row->item - LINE_ITEM].line > 0)
        place = &places[row->item - LINE_ITEM];
    while (place->line == 0 && place + 1 < places + place_count)
        place++;
    snprintf(path, sizeof path, "%s/%s", lab->folder, place->line > 0 ? place->file : lab->source);
    editor_open(wb, path, place->line > 0 ? place->line : 1);
    engines_were_left(wb);
    return false;
}

static void lab_ladder(struct workbench *wb)
{
    dialogs_close(wb);
    ladder_open(wb);
}

/* Before the kernel runs there is nothing to hold against the reference. */
static void lab_split(struct workbench *wb)
{
    if (!split_is_shown(wb) && !lab_is_shown(wb)) {
        message_show(wb, "%s does not run yet; once it does, this compares it with the reference",
                     ca_lab_backend_lab()->source);
        return;
    }
    dialogs_close(wb);
    if (!split_is_shown(wb))
        split_toggle(wb);
}

static const struct list_source *lab_others(const struct workbench *wb)
{
    return ladder_is_in_lab(wb) ? &ladder_source : NULL;
}

const struct list_source lab_source = {
    .title = "lab: your kernel",
    .fill = lab_fill,
    .open = lab_choose,
    .keys =
        {
            {REQUEST_LIST_OPEN, "edit"},
            {REQUEST_LIST_CLOSE, "back"},
            {REQUEST_SPLIT, "against reference", lab_split},
            {REQUEST_LADDER, "ladder", lab_ladder},
            {REQUEST_LAB, NULL, dialogs_close},
            {REQUEST_RESET, NULL, lab_watch_again},
            {REQUEST_INTERRUPT, "stop timing", NULL, ladder_measures},
        },
    .others = lab_others,
    .detail_most = 4,
    .style = lab_style,
    .is_table = true};

/* --- opening ---------------------------------------------------------------------------------- */

static bool folder_accept(struct workbench *wb, int item, const char *text, struct ca_error *error)
{
    static struct ca_experiment wanted;
    const struct ca_lab *lab;

    (void)item;
    if (checkpoint_save_state(&wb->panes[0], 2, error) != CA_OK) /* as long as it is no lab's */
        message_warn(wb, "%s", error->text);
    if (lab_open(wb, text[0] ? text : ".", error) != CA_OK)
        return false;
    lab = ca_lab_backend_lab();
    wanted = ca_lab_experiment(lab, ca_lab_shown_size(lab), lab->seed[0]);
    error->text[0] = '\0';
    choose_lab(&wb->panes[0], &wanted, error);
    if (error->text[0])
        message_warn(wb, "%s", error->text);
    dialog_close(wb);
    lab_show(wb);
    return false; /* already closed, so that the list is on top */
}

static const struct prompt_source folder_source = {.label = "lab: ", .accept = folder_accept};

void lab_show(struct workbench *wb)
{
    struct lab_work *lab = lab_of(wb);

    if (!lab->open) {
        prompt_open(wb, &folder_source, 0, ".",
                    "folder with the kernel of a lab; `calab lab new MODEL DIR` makes one");
        return;
    }
    if (lab->phase == LAB_RIGHT && !ladder_is_in_lab(wb))
        lab->times_due = true;
    list_open(wb, &lab_source);
}
