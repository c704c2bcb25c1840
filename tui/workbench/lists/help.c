/* SPDX-License-Identifier: MIT */
/* These are texts to read: the help, generated from the key table, and the command of a run. */
#include "tui/workbench/lists/lists.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sim/backend_spec.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/base/panels.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/split.h"
#include "tui/workbench/engine/view.h"
#include "tui/workbench/panels/panels.h"

/* --- the words on the screen ------------------------------------------------------------------ */

struct term {
    const char *name, *help;
};

static const struct term terms_table[] = {
    {"64/frame, every 4 frames",
     "the pace: generations for each frame, or one generation in several; "
     "max is without a limit (+ and - change it)"},
    {"before", "the rate of the backend that ran before this one"},
    {"best", "the shortest time of a generation among the last calls"},
    {"bound", "the bottleneck: the ceiling that a backend is nearest to, with its share of it; "
              "overhead where it reaches half of none"},
    {"burst rate, burst",
     "the rate of the backend without a pace: of its last free run, or of a burst of calls "
     "that leaves the state as it is"},
    {"BUSY, HUNG, DEAD", "the engine computes without an answer; does not answer and does not "
                         "compute; has ended"},
    {"call", "generations that a backend steps at once, timed as one"},
    {"ceiling", "the rate as a share of what this machine could do at most, as calab probe has "
                "measured it; the larger of copy and logic is the bottleneck"},
    {"change, difference", "what is drawn: cells that differ from the frame before; from pane B or "
                           "the reference"},
    {"clear of noise", "the interval of a ratio of rates does not contain 1"},
    {"copy", "the ceiling of bytes that memory moves in a second"},
    {"energy",
     "joules for 10^9 cell updates, by the counters of all devices in use; the same number "
     "is the nanojoules (nJ) of one update"},
    {"equal", "both states have the same hash, or each cell is the same"},
    {"frame", "a picture of the state; at most as many a second as the setting fps says"},
    {"free", "a run without a limit, in calls that the engine chooses"},
    {"gen", "generations since the initial state; a step is one generation of all cells"},
    {"kernel, wall",
     "time in kernels by the device's clock, and on the wall, of all generations since "
     "the simulation was opened or reset"},
    {"live, any, mean, max", "what a character shows that stands for several cells"},
    {"lock step", "A and B make the same calls, and are compared after each"},
    {"logic", "the ceiling of operations that the device computes in a second"},
    {"memory", "bytes that the generations had to move, in a second"},
    {"min, max", "the least and the greatest of an observable over the run so far"},
    {"no CUDA", "no GPU can be used, for the reason behind it"},
    {"observables",
     "sums over the whole lattice; the plots show their means, and their range where "
     "a point stands for several generations"},
    {"on the device", "observables were summed where the state is, without moving it"},
    {"p50, p99", "the median of the last 512 calls at most, and what 99 of 100 do not exceed, in "
                 "time for a generation"},
    {"paced", "a run that makes so many generations a frame and waits between them; its rate is "
              "that of the calls, without the waiting"},
    {"shape", "kernel shape: how the backend's kernel cuts up the lattice, in its own words"},
    {"throttle", "what holds the clock of the GPU down"},
    {"transfer", "time between host and GPU, a part of the time on the wall"},
    {"ups, Mups, Gups", "cell updates a second at the median of the calls, 10^6, 10^9 of them"},
    {"VIOLATED", "an observable that the model conserves has changed"},
    {"x reference",
     "how many times as fast as the reference; x before: as the last line before it"},
    {NULL, NULL},
};

/* Whether a name stands in a line over a column: as a word, or behind a number, as "64/frame". */
static bool covers(const char *line, const char *name, size_t length, int column)
{
    const size_t digits = strspn(name, "0123456789");
    char text[64];

    snprintf(text, sizeof text, "%.*s", (int)(length - digits), name + digits);
    for (const char *at = line; (at = strstr(at, text)) != NULL; at++) {
        const char *begin = at, *end = at + strlen(text);

        while (digits > 0 && begin > line && strchr("0123456789", begin[-1]))
            begin--;
        if (column >= begin - line && column < end - line &&
            (begin == line || !isalnum((unsigned char)begin[-1])) && !isalnum((unsigned char)*end))
            return true;
    }
    return false;
}

const char *term_at(const char *line, int column, char name[TERM_NAME])
{
    const char *help = NULL;

    name[0] = 0;
    for (const struct term *term = terms_table; term->name; term++)
        for (const char *at = term->name; *at; at += strspn(at, ", ")) {
            const size_t length = strcspn(at, ",");

            if (length > strlen(name) && length < TERM_NAME && covers(line, at, length, column)) {
                snprintf(name, TERM_NAME, "%.*s", (int)length, at);
                help = term->help;
            }
            at += length;
        }
    return help;
}

void term_explain(struct workbench *wb, int row, int column)
{
    char line[512], name[TERM_NAME];
    const char *help;
    int i = 0;

    for (; i < wb->layout.columns && i < (int)sizeof line - 1; i++) {
        const chtype character = mvinch(row, i) & A_CHARTEXT;

        line[i] = character >= ' ' && character < 127 ? (char)character : '\t';
    }
    line[i] = 0;
    help = term_at(line, column, name);
    if (help)
        message_show(wb, "%s: %s", name, help);
}

/* --- help ------------------------------------------------------------------------------------- */

/* A name with its explanation, which is wrapped under its own beginning. */
static void explain(const char *name, const char *help)
{
    list_add(0, "%-16s %s", name, help)->indent =
        (int)strlen(name) < 16 ? 17 : (int)strlen(name) + 1;
}

static void explain_key(const struct workbench *wb, const struct key_row *row)
{
    explain(wb->keys.keys[row->request], row->help);
}

/* The keys of what is in focus, and a few that matter everywhere before them. */
static void help_begin(const struct workbench *wb)
{
    const struct key_row *most[KEYS_FIRST];
    const unsigned scene = scene_now(wb);

    keys_most_important(most);
    list_add(0, "the keys that matter most")->heading = true;
    for (int i = 0; i < KEYS_FIRST; i++)
        explain_key(wb, most[i]);
    list_add(0, "%s", scene_title(wb))->heading = true;
    for (const struct key_row *row = keys_table; row->name; row++)
        if (keys_belong(row, scene))
            explain_key(wb, row);
}

static void help_fill(struct workbench *wb)
{
    static const char *const titles[KEYS_CONTEXTS] = {
        "all keys: everywhere", "all keys: in the lattice", "all keys: where cells are edited",
        "all keys: in lists, help and the log (in pickers, letters filter)"};

    help_begin(wb);
    for (int context = 0; context < KEYS_CONTEXTS; context++) {
        list_add(0, "%s", titles[context])->heading = true;
        for (const struct key_row *row = keys_table; row->name; row++)
            if ((int)row->context == context)
                explain_key(wb, row);
    }
    list_add(0, "words on the screen")->heading = true;
    for (const struct term *term = terms_table; term->name; term++)
        explain(term->name, term->help);
}

const struct list_source help_source = {.title = "help", .fill = help_fill};

/* --- the command that reproduces the state ---------------------------------------------------- */

static char yank_text[4096];

/* Lines end behind a word if that is not too long, inside the box and its margin. */
static void words_fill(const struct workbench *wb, const char *text)
{
    int width = wb->layout.columns - 8 < 72 ? wb->layout.columns - 8 : 72, n;

    for (const char *line = text; *line; line += n) {
        int end = (int)strlen(line);

        n = end > width ? width : end;
        while (end > width && n > 0 && line[n - 1] != ' ')
            n--;
        if (end > width && n == 0)
            n = width;
        list_add(0, "%.*s", n, line);
    }
}

void yank_fill(struct workbench *wb) { words_fill(wb, yank_text); }

/* The command makes the state. How the panel shows it is a part of an experiment's file, if it is
 * not as the model opens. */
static void view_fill(struct workbench *wb)
{
    char text[CA_TEXT_MAX] = "", value[CA_TEXT_MAX], key[16];
    static struct ca_values view;

    initial_view_give(&wb->panes[0], &view);
    for (int row = 0; row < CA_INITIAL_LOOK_FOR; row++)
        if (view.value[row].origin != CA_BUILT_IN && row != CA_INITIAL_PACE)
            ca_text_add(text, sizeof text, "%s%s %s", text[0] ? ", " : "",
                        ca_initial_view_table[row].name,
                        ca_value_format(value, &ca_initial_view_table[row], &view.value[row]));
    if (!text[0])
        return;
    list_add(0, "%s", "");
    snprintf(value, sizeof value,
             "This makes the state, not the view of it (%.300s): key %s writes both to a file, and "
             "'calab -c FILE' opens it.",
             text, keys_first(wb->keys.keys[REQUEST_SAVE_EXPERIMENT], key));
    words_fill(wb, value);
}

static void state_fill(struct workbench *wb)
{
    yank_fill(wb);
    view_fill(wb);
}

static const struct list_source yank_source = {.title = "command that reproduces this state",
                                               .fill = state_fill};
static const struct list_source goes_on_source = {.title = "no command reproduces this state",
                                                  .fill = yank_fill};

/* `calab run` with both sides in place of A's backend. */
static char *pair_command(const struct workbench *wb)
{
    static struct ca_experiment e;
    char sides[2][CA_TEXT_MAX], alone[CA_TEXT_MAX], *command, *at, *both = NULL;

    e = wb->panes[0].experiment;
    e.options.count = 0; /* they stand behind the backends */
    command = ca_experiment_command(&e, NULL, session_generation(&wb->panes[0]) - e.generation);
    for (int i = 0; i < 2; i++) { /* the backend of a side and its options, as -b reads them */
        const struct ca_values *options = &wb->panes[i].experiment.options;
        struct ca_backend_spec spec = {.host = ""};
        char value[CA_TEXT_MAX];

        snprintf(spec.host, sizeof spec.host, "%s", wb->panes[i].host);
        snprintf(spec.backend, sizeof spec.backend, "%s", wb->panes[i].experiment.backend->name);
        for (int k = 0; k < options->count; k++)
            if (options->value[k].origin != CA_BUILT_IN)
                ca_text_add(spec.options, sizeof spec.options, "%s%s=%.100s",
                            spec.options[0] ? "/" : "", options->table[k].name,
                            ca_value_format(value, &options->table[k], &options->value[k]));
        ca_backend_spec_format(sides[i], sizeof sides[i], &spec);
    }
    snprintf(alone, sizeof alone, " -b %s", e.backend->name);
    at = command ? strstr(command, alone) : NULL;
    if (at && asprintf(&both, "%.*s -b %s,%s%s", (int)(at - command), command, sides[0], sides[1],
                       at + strlen(alone)) < 0)
        both = NULL;
    free(command);
    return both;
}

/* Returns the command that continues from a state to which start and parameters do not lead. */
static char *onward_command(const struct pane *pane)
{
    static struct ca_experiment e;
    char *command, *text = NULL, file[CA_TEXT_MAX];

    e = pane->experiment;
    e.generation = 0; /* which the file says */
    snprintf(file, sizeof file, "%s-g%llu.h5", e.model->name,
             (unsigned long long)session_generation(pane));
    ca_experiment_begin_with(&e, file, CA_FROM_WORKBENCH);
    command = ca_experiment_command(&e, &pane->outputs, e.steps);
    if (command &&
        asprintf(&text,
                 "A parameter or cells were changed in mid-run. Write the state (key %s) to %s; "
                 "then this goes on from it: %s",
                 pane->wb->keys.keys[REQUEST_SNAPSHOT], e.init, command) < 0)
        text = NULL;
    free(command);
    return text;
}

void yank_command(struct workbench *wb, const struct list_source *source, const char *command)
{
    snprintf(yank_text, sizeof yank_text, "%s", command);
    list_open(wb, source);
    if (source == &goes_on_source)
        message_show(wb, "not copied: no command reproduces a state after a change in mid-run");
    else if (!setting_on(wb, CA_SETTING_CLIPBOARD))
        message_show(wb, "not copied: the setting clipboard is off");
    else if (terminal_copy(wb->terminal, command))
        message_show(wb, "sent to the clipboard of the terminal (OSC 52)");
    else
        message_show(wb, "not copied: this terminal does not support OSC 52");
}

static void yank_show(struct workbench *wb)
{
    const struct pane *a = &wb->panes[0];
    char *command;

    if (a->modified)
        command = onward_command(a);
    else if (lab_is_shown(wb))
        command = lab_command(wb);
    else if (split_is_shown(wb) && !split_incomparable(wb))
        command = pair_command(wb);
    else
        command = ca_experiment_command(&a->experiment, &a->outputs,
                                        session_generation(a) - a->experiment.generation);
    if (command)
        yank_command(wb, a->modified ? &goes_on_source : &yank_source, command);
    free(command);
}

const struct part help_part = {.name = "help", .actions = {{REQUEST_YANK, yank_show}}};
