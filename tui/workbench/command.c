/* SPDX-License-Identifier: MIT */
/* This file carries out the command line: its verbs, and the prompts for files and cells. */
#include "tui/workbench/workbench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/number.h"
#include "core/sim/shipped.h"
#include "tui/workbench/base/leftovers.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/go.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/checkpoint.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/lists/lists.h"
#include "tui/workbench/panels/panels.h"

/* --- verbs ------------------------------------------------------------------------------------ */

static bool parse_whole(struct workbench *wb, const char *text, uint64_t *number)
{
    if (ca_read_unsigned(text, number) && *number <= INT64_MAX)
        return true;
    message_warn(wb, "'%s' is not a whole number from 0 to 2^63 - 1", text);
    return false;
}

static void do_model(struct workbench *wb, const char *name)
{
    const struct ca_model *model;
    struct ca_error error;

    if (ca_model_open(&model, name, &error) != CA_OK)
        message_warn(wb, "%s", error.text);
    else
        choose_model(wb->pane, model);
}

static void do_backend(struct workbench *wb, const char *name)
{
    const struct ca_backend *backend;
    struct ca_error error;

    if (ca_backend_find(&backend, wb->pane->experiment.model, name, &error) != CA_OK)
        message_warn(wb, "%s", error.text);
    else
        choose_backend(wb->pane, backend);
}

static void do_set(struct workbench *wb, const char *text)
{
    struct pane *pane = wb->pane;
    const char *equals = strchr(text, '=');
    char key[64];
    enum ca_setting setting;
    struct ca_error error;

    if (!equals || equals == text || equals - text >= (int)sizeof key) {
        message_warn(wb, "set: '%s' is not of the form key=value", text);
        return;
    }
    snprintf(key, sizeof key, "%.*s", (int)(equals - text), text);
    if (ca_values_find(&pane->experiment.params, key) < 0 &&
        ca_values_find(&pane->experiment.options, key) < 0 &&
        ca_setting_find(&setting, key, &error) == CA_OK) {
        if (setting_change(wb, setting, equals + 1))
            message_show(wb, "%s: %s", key, equals + 1);
    } else if (!parameter_set(pane, key, equals + 1, &error)) {
        message_warn(wb, "%s", error.text);
    }
}

static void do_step(struct workbench *wb, const char *text)
{
    uint64_t n = 1;

    if (!text[0] || parse_whole(wb, text, &n))
        go_step(wb, n);
}

static void do_goto(struct workbench *wb, const char *text)
{
    struct ca_size s = wb->pane->experiment.size;
    struct ca_error ignored;
    uint64_t generation;
    struct ca_at cell;

    if (!strchr(text, ',')) {
        if (parse_whole(wb, text, &generation))
            go_seek(wb, generation);
        return;
    }
    if (ca_at_parse(&cell, text, 3, "goto", &ignored) != CA_OK || cell.x >= s.w || cell.y >= s.h ||
        cell.z >= s.d) {
        message_warn(wb,
                     "'%s' is not a cell x,y,z in the ranges 0 ... %" PRId64 ", 0 ... %" PRId64
                     ", 0 ... %" PRId64,
                     text, s.w - 1, s.h - 1, s.d - 1);
        return;
    }
    view_center(wb->pane, cell.x, cell.y, cell.z);
}

static void save_over(struct workbench *wb, const char *path)
{
    static struct ca_experiment experiment;
    struct ca_error error;

    experiment = wb->pane->experiment;
    initial_view_give(wb->pane, &experiment.initial_view);
    if (ca_experiment_write(&experiment, &wb->pane->outputs, path, &error) != CA_OK)
        message_warn(wb, "%s", error.text);
    else
        message_show(wb, "wrote %s; open it with calab -c %s", path, path);
}

/* The engine writes the state; the history of the observables and the screen are the workbench's
 * own. */
static void write_over(struct workbench *wb, const char *path)
{
    enum ca_status status = CA_OK;
    uint64_t first, last;
    struct ca_error error;

    if (screen_path(path))
        status = screen_write(wb, path, &error);
    else if (observables_path(path))
        status = observables_write(wb->pane, path, &error);
    else
        session_save(wb->pane, path);
    if (status != CA_OK) {
        message_warn(wb, "%s", error.text);
    } else if (observables_path(path)) {
        observables_span(wb->pane, &first, &last);
        message_show(wb, "wrote %s, observables of generations %" PRIu64 " to %" PRIu64, path,
                     first, last);
    }
}

static void do_write(struct workbench *wb, const char *path)
{
    if (file_is_there(path))
        message_warn(wb, "%s exists; use :write! to replace it", path);
    else
        write_over(wb, path);
}

static void do_save(struct workbench *wb, const char *path)
{
    if (file_is_there(path))
        message_warn(wb, "%s exists; use :save! to replace it", path);
    else
        save_over(wb, path);
}

static void do_bench(struct workbench *wb, const char *text) { ladder_open_only(wb, false, text); }
static void do_verify(struct workbench *wb, const char *text) { ladder_open_only(wb, true, text); }

static void open_state(struct workbench *wb, const char *path)
{
    static struct ca_experiment wanted;
    struct ca_error error;

    wanted = wb->pane->experiment;
    ca_experiment_leave_rule(&wanted, path);
    if (ca_experiment_set(&wanted, "init", path, CA_FROM_WORKBENCH, "open", &error) != CA_OK ||
        ca_state_size(path, wanted.model, &wanted.size, &error) != CA_OK)
        message_warn(wb, "%s", error.text);
    else
        reopen(wb->pane, &wanted);
}

/* Whether an experiment or a pattern ships by a name. */
static bool ships(const char *name)
{
    struct ca_shipped *list;
    struct ca_error ignored;
    char path[PATH_MAX];
    bool found = file_is_there(ca_shipped_path(path, name));
    int count;

    if (found || ca_shipped_patterns(&list, &count, &ignored) != CA_OK)
        return found;
    for (int i = 0; i < count; i++)
        found |= strcmp(list[i].name, name) == 0;
    ca_shipped_free(list, count);
    return found;
}

static void do_open(struct workbench *wb, const char *path)
{
    const char *ending = strrchr(path, '.');

    if (!file_is_there(path) && ships(path))
        choose_file(wb->pane, path);
    else if (!file_is_there(path))
        message_warn(wb, "open: there is no file '%s', and nothing that ships by that name", path);
    else if ((ending && strcmp(ending, ".cfg") == 0) || ca_state_has_run(path))
        choose_file(wb->pane, path);
    else
        open_state(wb, path);
}

static void do_recover(struct workbench *wb)
{
    if (leftovers_recovered(wb)[0])
        choose_file(wb->pane, leftovers_recovered(wb));
    else
        message_show(wb, "there is nothing to recover");
}

static void do_quit(struct workbench *wb) { wb->quit = true; }
static void do_help(struct workbench *wb) { list_open(wb, &help_source); }

static void do_speed(struct workbench *wb, const char *text)
{
    setting_change(wb, CA_SETTING_SPEED, strcmp(text, "max") == 0 ? "0" : text);
}

static void do_stride(struct workbench *wb, const char *text)
{
    setting_change(wb, CA_SETTING_STRIDE, text);
}

static void do_range(struct workbench *wb, const char *text)
{
    struct ca_view view;
    struct ca_error error;

    if (ca_range_parse(&view, text, &error) == CA_OK)
        view_range(&wb->panes[0], &view);
    else
        message_warn(wb, "%s", error.text);
}

static void run_command(struct workbench *wb, const char *line);

/* The command is B's alone: another parameter, size or option than A has. */
static void do_b(struct workbench *wb, const char *line)
{
    if (!split_is_shown(wb)) {
        message_warn(wb, "b: there is no pane B; %s opens it", wb->keys.keys[REQUEST_SPLIT]);
        return;
    }
    wb->pane = &wb->panes[1];
    run_command(wb, line);
    wb->pane = &wb->panes[0];
}

/* --- the table -------------------------------------------------------------------------------- */

/* What Tab offers for an argument: */
enum {
    WORDS_MODELS = 1,
    WORDS_BACKENDS = 2,
    WORDS_LIST = 4, /* of backends, with commas */
    WORDS_SHIPPED = 8,
    WORDS_STARTS = 16,
    WORDS_FILES = 32,
    WORDS_SETTINGS = 64,
    WORDS_B = 128, /* of what follows, as of a command of its own */
};

struct verb {
    const char *name, *arguments, *help; /* an argument in brackets may be left out */
    void (*run)(struct workbench *wb,
                const char *argument); /* NULL: it is a key of the experiment */
    unsigned words;
    const char *word;                      /* one more; NULL: none */
    void (*perform)(struct workbench *wb); /* in place of `run`, without an argument */
};

static const struct verb verbs[] = {
    {"model", "NAME|FILE.c", "open a model in its saved state", do_model, WORDS_MODELS},
    {"backend", "NAME", "change the backend and keep the state", do_backend, WORDS_BACKENDS},
    {"open", "FILE", "open an experiment, a pattern by its name, or a state", do_open,
     WORDS_SHIPPED | WORDS_FILES},
    {"recover", "", "go on from the last checkpoint of a calab that was killed",
     .perform = do_recover},
    {"size", "WxH[xD]", "change the size and restart at generation 0"},
    {"seed", "N", "change the seed and restart at generation 0"},
    {"init", "NAME", "change the initial state, also to a file, and restart",
     .words = WORDS_STARTS},
    {"at", "X,Y[,Z]", "put the file of the initial state at a cell, and restart"},
    {"set", "KEY=VALUE", "set a parameter, an option or a setting", do_set, WORDS_SETTINGS},
    {"b", "COMMAND", "in a split: set, size, seed, init or backend for B alone", do_b, WORDS_B},
    {"step", "[N]", "step N generations, by default 1", do_step},
    {"run", "", "run until stopped", .perform = go_run},
    {"stop", "", "stop the run", .perform = go_stop},
    {"reset", "", "return to generation 0", .perform = undo_reset},
    {"undo", "", "return to the state before the last reset", .perform = undo_last},
    {"goto", "GENERATION | X,Y[,Z]", "go to a generation or a cell", do_goto},
    {"speed", "N | max", "set the generations per frame", do_speed, .word = "max"},
    {"range", "LOW HIGH | auto", "set what the darkest and the brightest glyph stand for", do_range,
     .word = "auto"},
    {"stride", "N", "set the generations per stride", do_stride},
    {"write", "FILE", "write the state, observables (.csv) or the screen (.txt) to a file",
     do_write, WORDS_FILES},
    {"write!", "FILE", "the same, replacing an existing file", write_over, WORDS_FILES},
    {"save", "FILE", "save the experiment to a file", do_save, WORDS_FILES},
    {"save!", "FILE", "save the experiment, replacing an existing file", save_over, WORDS_FILES},
    {"bench", "[BACKEND,...]", "time and check every backend, or these", do_bench, WORDS_LIST},
    {"verify", "[BACKEND,...]", "check every backend against the reference, or these", do_verify,
     WORDS_LIST},
    {"probe", "", "measure what this machine can do at most", .perform = probing_open},
    {"help", "", "show the keys", .perform = do_help},
    {"quit", "", "quit the workbench", .perform = do_quit},
    {.name = NULL},
};

#define VERBS ((int)(sizeof verbs / sizeof *verbs) - 1)

static const char *verb_name(const void *context, int i)
{
    (void)context;
    return verbs[i].name;
}

/* The verb that a line begins with, NULL for none, and where its argument begins. */
static const struct verb *verb_find(const char *line, const char **argument)
{
    size_t n = strcspn(line, " ");

    *argument = line + n + strspn(line + n, " ");
    for (int i = 0; i < VERBS; i++)
        if (strlen(verbs[i].name) == n && strncmp(verbs[i].name, line, n) == 0)
            return &verbs[i];
    return NULL;
}

static const struct verb *command_words_of(struct workbench *wb, const char *line,
                                           struct completion *completion);

static void words_offer(struct workbench *wb, const struct verb *verb,
                        struct completion *completion)
{
    const struct ca_experiment *e = &wb->pane->experiment;

    if (verb->word)
        completion_offer(completion, verb->word);
    if (verb->words & WORDS_MODELS) {
        complete_models(completion);
        complete_model_files(completion);
    }
    if (verb->words & WORDS_LIST)
        completion_after(completion, ",");
    if (verb->words & (WORDS_BACKENDS | WORDS_LIST))
        complete_backends(completion, e->model);
    if (verb->words & WORDS_SHIPPED)
        complete_shipped(completion);
    if (verb->words & WORDS_STARTS)
        start_words(wb, completion);
    if (verb->words & WORDS_FILES)
        complete_files(completion);
    if (verb->words & WORDS_SETTINGS) {
        completion->files = true;
        complete_settings(completion, e->params.table);
        complete_settings(completion, e->options.table);
        complete_settings(completion, ca_settings_values(wb->settings)->table);
    }
    if (verb->words & WORDS_B) {
        wb->pane = &wb->panes[wb->pane_count - 1];
        command_words_of(wb, completion->typed, completion);
        wb->pane = &wb->panes[0];
    }
}

/* The candidates for the last word of a line. Returns the verb that it is the argument of, NULL:
 * it is a verb itself, or there is no such verb. */
static const struct verb *command_words_of(struct workbench *wb, const char *line,
                                           struct completion *completion)
{
    const char *argument, *start = line + strspn(line, " ");
    const struct verb *verb;

    completion_begin(completion, start);
    if (!strchr(start, ' ')) {
        for (const struct verb *v = verbs; v->name; v++)
            completion_offer(completion, v->name);
        return NULL;
    }
    verb = verb_find(start, &argument);
    completion_begin(completion, verb ? argument : "");
    if (verb)
        words_offer(wb, verb, completion);
    return verb;
}

void line_complete(struct workbench *wb, char *text, char *message, int size)
{
    struct completion completion;
    const struct verb *verb = command_words_of(wb, text, &completion);

    completion_extend(&completion, text, message, size);
    if (verb && completion.count == 0)
        snprintf(message, (size_t)size, "%s %s: %s", verb->name, verb->arguments, verb->help);
    if (!verb && completion.count == 1 && verb_find(completion.word[0], &(const char *){NULL}) &&
        strlen(text) + 1 < PROMPT_MAX)
        strcat(text, " ");
    completion_end(&completion);
}

static void run_command(struct workbench *wb, const char *line)
{
    const struct verb *verb;
    const char *argument;
    char word[32], hint[CA_TEXT_MAX], trimmed[PROMPT_MAX];
    struct ca_error error;

    snprintf(trimmed, sizeof trimmed, "%s", line + strspn(line, " "));
    for (size_t n = strlen(trimmed); n > 0 && trimmed[n - 1] == ' '; n--)
        trimmed[n - 1] = 0;
    line = trimmed;
    if (!line[0])
        return;
    verb = verb_find(line, &argument);
    if (!verb) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(line, " "), line);
        message_warn(wb, "'%s' is not a command%s", word,
                     ca_suggest(hint, word, VERBS, verb_name, NULL));
    } else if (!argument[0] && verb->arguments[0] && verb->arguments[0] != '[') {
        message_warn(wb, "%s %s: %s", verb->name, verb->arguments, verb->help);
    } else if (!verb->arguments[0] && argument[0]) {
        message_warn(wb, "%s: unexpected argument '%s'", verb->name, argument);
    } else if (verb->perform) {
        verb->perform(wb);
    } else if (verb->run) {
        verb->run(wb, argument);
    } else if (!experiment_set(wb->pane, verb->name, argument, &error)) {
        message_warn(wb, "%s", error.text);
    }
}

static const struct prompt_source command_source = {
    .label = ":", .run = run_command, .complete = line_complete, .history = true};

static void command_open(struct workbench *wb)
{
    screen_keep(wb);
    prompt_open(wb, &command_source, 0, "", NULL);
}

/* --- cells and files -------------------------------------------------------------------------- */

static const struct prompt_source goto_source = {
    .label = "go to: ", .run = do_goto, .optional = true};
static const struct prompt_source snapshot_source = {
    .label = "write: ", .run = write_over, .offer = file_words, .optional = true, .writes = true};
static const struct prompt_source save_source = {
    .label = "save: ", .run = save_over, .offer = file_words, .optional = true, .writes = true};

static void goto_open(struct workbench *wb)
{
    prompt_open(wb, &goto_source, 0, "",
                "a generation (an earlier one is recomputed from generation 0), or a cell x,y,z");
}

static void snapshot_open(struct workbench *wb)
{
    char stem[64];

    snprintf(stem, sizeof stem, "%s-g%" PRIu64, wb->pane->experiment.model->name,
             session_generation(wb->pane));
    screen_keep(wb);
    prompt_open_file(
        wb, &snapshot_source, stem, "h5",
        "file for the state: .h5, from which its run goes on, or .npy, of any model, .pbm "
        "(.plain.pbm: as digits) for the live "
        "cells of anneal or the solid nodes of fhp; .rle and .rle3 for Golly; .png or .pgm "
        "for the slice; .csv for the "
        "observables of the whole run; .txt or .ansi (with colours, for cat) for the "
        "screen");
}

static void experiment_file_open(struct workbench *wb)
{
    prompt_open_file(wb, &save_source, wb->pane->experiment.model->name, "cfg",
                     "file for the experiment; open it later with calab -c FILE");
}

const struct part command_part = {.name = "command",
                                  .actions = {
                                      {REQUEST_GOTO, goto_open},
                                      {REQUEST_COMMAND, command_open},
                                      {REQUEST_SNAPSHOT, snapshot_open},
                                      {REQUEST_SAVE_EXPERIMENT, experiment_file_open},
                                  }};
