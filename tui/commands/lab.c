/* SPDX-License-Identifier: MIT */
/* calab lab: folders for kernels that somebody else writes, and whether those are right. */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/quantity.h"
#include "core/engine/interference_json.h"
#include "core/lab/check/check.h"
#include "core/lab/check/trial.h"
#include "core/lab/check/words.h"
#include "core/lab/kernel/task.h"
#include "tui/commands/commands.h"
#include "tui/commands/json.h"
#include "tui/commands/lab.h"
#include "tui/commands/lab_grade.h"
#include "tui/commands/progress.h"
#include "tui/escape.h"

/* --- time ------------------------------------------------------------------------------------- */

char *lab_time_sentence(char *text, size_t size, const struct ca_lab *lab,
                        const struct ca_lab_timing *t)
{
    char cells[64], own[CA_QUANTITY_TEXT], other[CA_QUANTITY_TEXT], ratio[CA_TEXT_MAX];

    ca_size_format(cells, t->size, lab->model->dimensions);
    if (t->ratio.made == 0) {
        snprintf(text, size, "not timed: %s", t->text);
        return text;
    }
    snprintf(text, size, "%s: %s a generation, %s %s; %s%s%s", cells,
             ca_duration(own, t->generation_s[0]), t->rung, ca_duration(other, t->generation_s[1]),
             ca_ratio_sentence(ratio, sizeof ratio, &t->ratio, lab->source, t->rung),
             t->text[0] ? "; " : "", t->text);
    return text;
}

json_t *lab_time_json(const struct ca_lab *lab, const struct ca_lab_timing *t)
{
    char size[64];
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s}", "state", ca_lab_timed_names[t->what],
                             "text", t->text, "backend", t->rung, "device", t->device, "size",
                             ca_size_format(size, t->size, lab->model->dimensions));

    json_object_set_new(json, "pairs", json_integer(t->ratio.pairs));
    json_object_set_new(json, "others", json_real(t->others));
    json_object_set_new(json, "ceiling", t->ceiling > 0 ? json_real(t->ceiling) : json_null());
    if (t->ratio.made == 0)
        return json;
    json_object_set_new(json, "interference", ca_disturbance_to_json(&t->ratio.disturbance));
    json_object_set_new(json, "ratio", json_real(t->ratio.median));
    json_object_set_new(json, "low", json_real(t->ratio.low));
    json_object_set_new(json, "high", json_real(t->ratio.high));
    json_object_set_new(json, "generation_s", json_real(t->generation_s[0]));
    json_object_set_new(json, "backend_generation_s", json_real(t->generation_s[1]));
    json_object_set_new(json, "updates_per_s", json_real(t->ratio.rate[0]));
    return json;
}

#define SAID_LINES 10

static bool lab_command_show_progress(void *context, const char *how, int done, int all)
{
    const struct ca_lab *lab = context;

    if (all == 0 && progress_due())
        progress_show("%s: timing: %s", lab->source, how);
    else if (all > 0 && (done == 0 || progress_due()))
        progress_show("%s: case %d of %d, %s", lab->source, done + 1, all, ca_lab_how_words(how));
    return !stopped_by;
}

/* --- as text ---------------------------------------------------------------------------------- */

/* A text from outside, line by line, at most so many. */
static void print_lines(FILE *out, const char *text, int lines)
{
    char line[200];

    for (int i = 0; *text; i++, text += *text == '\n') {
        size_t length = strcspn(text, "\n");

        if (i == lines) {
            fprintf(out, "    ...\n");
            return;
        }
        snprintf(line, sizeof line, "%.*s", (int)(length < 180 ? length : 180), text);
        fprintf(out, "    %s\n", ca_plain(line));
        text += length;
    }
}

static void print_case(FILE *out, const struct ca_lab *lab, const struct ca_lab_report *r)
{
    char size[64], command[CA_LAB_COMMAND_MAX];

    if (r->command[0]) {
        snprintf(command, sizeof command, "%s", r->command);
        fprintf(out, "    on %s, seed %" PRIu64 ", from generation %" PRIu64 ", %s: %s\n",
                ca_size_format(size, r->size, lab->model->dimensions), r->seed, r->start,
                r->repeat ? "when repeated" : "by the command", ca_plain(command));
        return;
    }
    if (r->verdict == CA_LAB_FOUND) {
        fprintf(out, "    on %s, seed %" PRIu64 "; its cells are right there\n",
                ca_size_format(size, r->size, lab->model->dimensions), r->seed);
        return;
    }
    if (r->timing.what == CA_LAB_FAILED) {
        fprintf(out, "    on %s\n", ca_size_format(size, r->size, lab->model->dimensions));
        return;
    }
    fprintf(out,
            "    on %s, seed %" PRIu64 ", from generation %" PRIu64 ": %" PRIu64 " right, then a "
            "call of %" PRIu64 "%s%s\n",
            ca_size_format(size, r->size, lab->model->dimensions), r->seed, r->start, r->passed,
            r->call, r->repeat ? ", when repeated" : "",
            r->only_together && r->findings == 0 ? "; one generation a call, all are right" : "");
}

/* The causes that probes have found, or the sentences about a mistake whose cause is not known. */
static void print_causes(FILE *out, const struct ca_lab_report *r, bool known)
{
    for (int i = 0; i < r->why.count; i++)
        if (known == (r->why.finding[i].cause != CA_CAUSE_UNKNOWN))
            fprintf(out, "    %s%s\n", known ? "cause: " : "", r->why.finding[i].text);
}

static bool has_cause(const struct ca_lab_report *r)
{
    for (int i = 0; i < r->why.count; i++)
        if (r->why.finding[i].cause != CA_CAUSE_UNKNOWN)
            return true;
    return false;
}

/* The cause first, where it is known, then what is wrong, where and how much of it. */
static void print_wrong(FILE *out, const struct ca_lab *lab, const struct ca_lab_report *r)
{
    if (r->verdict == CA_LAB_SLOW) {
        fprintf(out, "%s: too slow, %s: %s\n", lab->source, ca_lab_how_words(r->how), r->text);
    } else if (has_cause(r)) {
        fprintf(out, "%s: wrong, %s\n", lab->source, ca_lab_how_words(r->how));
        print_causes(out, r, true);
        fprintf(out, "    %s\n", r->text);
    } else
        fprintf(out, "%s: wrong, %s: %s\n", lab->source, ca_lab_how_words(r->how), r->text);
    print_case(out, lab, r);
    if (r->difference.count > 0) {
        fprintf(out, "    %" PRId64 " of %" PRId64 " cells wrong", r->difference.count,
                ca_cells(r->size) * lab->model->planes);
        if (r->unwritten > 0)
            fprintf(out, ", %" PRId64 " of them never written", r->unwritten);
        fprintf(out, "\n");
    }
    if (r->map)
        print_lines(out, r->map, 2 * CA_LAB_MAP_HIGH);
    print_causes(out, r, false);
}

static void print_report(FILE *out, const struct ca_lab *lab, const struct ca_lab_report *r)
{
    char time[CA_TEXT_MAX + 1024];

    if (r->verdict == CA_LAB_RIGHT)
        fprintf(out, "%s: right: %d cases, %" PRId64 " cells in %.2f s, %s\n", lab->source,
                r->cases, r->cells, r->seconds, ca_lab_how_words(r->how));
    else if (r->verdict != CA_LAB_BROKEN)
        print_wrong(out, lab, r);
    else
        fprintf(out, "%s\n", r->text);
    for (int i = 0; i < r->findings; i++)
        if (r->verdict != CA_LAB_FOUND || strcmp(r->text, r->finding[i]) != 0)
            fprintf(out, "    %s\n", r->finding[i]);
    if (r->timing.what != CA_LAB_UNTIMED)
        fprintf(out, "    %s\n", lab_time_sentence(time, sizeof time, lab, &r->timing));
    if (r->not_watched[0])
        fprintf(out, "    its accesses were not watched: %s\n", r->not_watched);
    if (r->said && r->said[0] && r->verdict != CA_LAB_RIGHT) {
        fprintf(out, "%s said:\n",
                r->verdict == CA_LAB_BROKEN   ? "the compiler"
                : lab->form == CA_LAB_PROGRAM ? "the program"
                                              : "the kernel");
        print_lines(out, r->said, SAID_LINES);
    }
}

void lab_print(const struct ca_lab *lab, const struct ca_lab_report *r)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out)
        print_report(out, lab, r);
    if (out && fclose(out) == 0)
        escape_terminal(stdout, text);
    free(text);
}

/* --- as JSON ---------------------------------------------------------------------------------- */

json_t *lab_json(const struct ca_lab *lab, const struct ca_lab_report *r)
{
    char size[64];
    json_t *root = json_pack("{s:s, s:s, s:s, s:s, s:b}", "schema", "calab-lab-check/1", "model",
                             lab->model->name, "source", lab->source, "verdict",
                             ca_lab_verdict_names[r->verdict], "right", r->verdict == CA_LAB_RIGHT),
           *findings = json_array();

    for (int i = 0; i < r->findings; i++)
        json_array_append_new(findings, json_string(r->finding[i]));
    json_object_set_new(root, "text", json_string(r->text));
    json_object_set_new(root, "by", r->how ? json_string(r->how) : json_null());
    json_object_set_new(root, "cases", json_integer(r->cases));
    json_object_set_new(root, "cells", json_integer((json_int_t)r->cells));
    json_object_set_new(root, "seconds", json_real(r->seconds));
    json_object_set_new(root, "findings", findings);
    json_object_set_new(root, "watched", json_boolean(!r->not_watched[0]));
    if (r->verdict != CA_LAB_RIGHT && r->verdict != CA_LAB_BROKEN) {
        json_object_set_new(root, "size",
                            json_string(ca_size_format(size, r->size, lab->model->dimensions)));
        json_object_set_new(root, "seed", json_integer((json_int_t)r->seed));
        json_object_set_new(root, "start", json_integer((json_int_t)r->start));
        json_object_set_new(root, "passed", json_integer((json_int_t)r->passed));
        json_object_set_new(root, "call", json_integer((json_int_t)r->call));
        json_object_set_new(root, "repeat", json_integer(r->repeat));
        if (r->verdict == CA_LAB_SLOW) {
            json_object_set_new(root, "limit_s", json_real(r->slow.limit_s));
            json_object_set_new(root, "took_s",
                                r->slow.took_s > 0 ? json_real(r->slow.took_s) : json_null());
            json_object_set_new(root, "cpu_s", json_real(r->slow.cpu_s));
        }
        if (r->command[0])
            json_object_set_new(root, "command", json_string(r->command));
    }
    if (r->timing.what != CA_LAB_UNTIMED)
        json_object_set_new(root, "time", lab_time_json(lab, &r->timing));
    if (r->difference.count > 0) {
        const struct ca_difference *d = &r->difference;
        json_t *why = json_array(),
               *cell =
                   json_pack("{s:I, s:I, s:I, s:I, s:s}", "generation", (json_int_t)r->generation,
                             "x", (json_int_t)d->x, "y", (json_int_t)d->y, "z", (json_int_t)d->z,
                             "plane", lab->model->plane_names[d->plane]);

        for (int i = 0; i < r->why.count; i++)
            json_array_append_new(why, json_pack("{s:s, s:f, s:s}", "cause",
                                                 ca_cause_names[r->why.finding[i].cause],
                                                 "certainty", r->why.finding[i].certainty, "text",
                                                 r->why.finding[i].text));
        json_object_set_new(root, "why", why);
        json_object_set_new(cell, "expected", json_real(d->expected));
        json_object_set_new(cell, "got", isfinite(d->got) ? json_real(d->got) : json_null());
        json_object_set_new(root, "first", cell);
        json_object_set_new(root, "wrong_cells", json_integer((json_int_t)r->difference.count));
        json_object_set_new(root, "unwritten_cells", json_integer((json_int_t)r->unwritten));
        json_object_set_new(root, "only_together", json_boolean(r->only_together));
        if (r->around[0])
            json_object_set_new(root, "neighbourhood", json_string(r->around));
        json_object_set_new(root, "map", r->map ? json_string(r->map) : json_null());
    }
    return root;
}

/* ---------------------------------------------------------------------------------------------- */

static const char *const verbs[] = {"new",       "check", "watch",  "grade",
                                    "calibrate", "who",   "update", "tasks"};
#define VERBS (int)(sizeof verbs / sizeof *verbs)

const char *lab_verb(const void *none, int i)
{
    (void)none;
    return i < VERBS ? verbs[i] : NULL;
}

bool lab_is_folder(const struct options *options)
{
    struct stat facts;

    if (options->operands != 1)
        return false;
    for (int i = 0; i < VERBS; i++)
        if (strcmp(options->operand[0], verbs[i]) == 0)
            return false;
    return stat(options->operand[0], &facts) == 0 && S_ISDIR(facts.st_mode);
}

static int lab_command_check(const struct options *options, struct ca_error *error)
{
    struct ca_lab *lab = calloc(1, sizeof *lab);
    struct ca_lab_report *report = calloc(1, sizeof *report);
    enum ca_status status;

    if (!lab || !report)
        status = ca_fail(error, CA_NO_MEMORY, "no memory");
    else
        status = ca_lab_read_program(lab, options->operands > 1 ? options->operand[1] : ".",
                                     options_value(options, OPTION_PROGRAM),
                                     options_value(options, OPTION_GLOB), error);
    if (status == CA_OK)
        status = ca_lab_check(lab, report,
                              options_has(options, OPTION_QUIET) ? NULL : lab_command_show_progress,
                              lab, error);
    progress_clear();
    if (stopped_by)
        error->text[0] = '\0';
    else if (status == CA_OK && options_has(options, OPTION_JSON))
        status = json_print(lab_json(lab, report), error);
    else if (status == CA_OK)
        lab_print(lab, report);
    if (status == CA_OK) {
        status = ca_lab_status(report->verdict);
        error->text[0] = '\0';
    }
    if (report)
        ca_lab_report_free(report);
    free(report);
    free(lab);
    return stopped_by ? 128 + stopped_by : (int)status;
}

static enum ca_status lab_command_make(const struct options *options, struct ca_error *error)
{
    static struct ca_lab_task task;
    const char *name = options_value(options, OPTION_TASK), *folder;
    struct ca_lab *lab = &task.lab;
    const struct ca_model *model;
    int64_t ghosts = 0;

    if (options->operands < 2)
        return ca_fail(error, CA_USAGE, "calab lab new needs a model, as in: calab lab new anneal");
    CA_TRY(ca_model_open(&model, options->operand[1], error));
    CA_TRY(ca_lab_holds(model, error));
    CA_TRY(choose_whole(&ghosts, options, OPTION_GHOSTS, 0, 4, error));
    folder = options->operands > 2        ? options->operand[2]
             : name && !strchr(name, '/') ? name
                                          : model->name;
    if (name) {
        if (options_has(options, OPTION_CUDA) || options_has(options, OPTION_C) ||
            options_has(options, OPTION_OWN) || options_has(options, OPTION_MAIN) || ghosts > 0)
            return ca_fail(error, CA_USAGE,
                           "a task has its own language and form: --task goes with "
                           "none of --cuda, --c, --own, --main, --ghosts");
        CA_TRY(ca_lab_task_find(&task, name, error));
        if (!ca_model_same(lab->model, model))
            return ca_fail(error, CA_USAGE, "--task: '%.60s' is a task of %s, not of %s", name,
                           lab->model->name, model->name);
    } else {
        if (options_has(options, OPTION_CUDA) && options_has(options, OPTION_C))
            return ca_fail(error, CA_USAGE,
                           "--cuda and --c exclude each other: a kernel is in one language");
        ca_lab_default(lab, model);
        lab->cuda = options_has(options, OPTION_CUDA);
        lab->form = options_has(options, OPTION_OWN) ? CA_LAB_OWN : CA_LAB_STEP;
        lab->ghosts = (int)ghosts;
        if (lab->form == CA_LAB_OWN && ghosts > 0)
            return ca_fail(error, CA_USAGE,
                           "--ghosts is for planes that calab lays out: give it "
                           "without --own");
        snprintf(lab->source, sizeof lab->source, "kernel.%s", lab->cuda ? "cu" : "c");
        if (options_has(options, OPTION_MAIN)) {
            if (lab->cuda || lab->form == CA_LAB_OWN || ghosts > 0)
                return ca_fail(error, CA_USAGE,
                               "--main: not allowed with --cuda, --own or --ghosts: a whole "
                               "program has its own");
            ca_lab_program_default(lab);
        }
    }
    CA_TRY(ca_lab_make(lab, name ? &task : NULL, folder, error));
    printf("%s: write %s, then: calab lab check %s\n", folder,
           lab->form == CA_LAB_PROGRAM ? CA_LAB_PROGRAM_FILE : lab->source, folder);
    return CA_OK;
}

bool lab_tasks_are_wrong(struct ca_error *error)
{
    static struct ca_lab_task task;
    struct ca_error why;
    int i = 0;

    for (; ca_lab_task_wrong(&task, i, &why); i++) {
        if (i > 0)
            fprintf(stderr, "calab lab: %s\n", error->text);
        *error = why;
    }
    return i > 0;
}

static int print_tasks(struct ca_error *error)
{
    static struct ca_lab_task task;

    for (int i = 0; ca_lab_task(&task, i); i++)
        printf("%-16s %-8s %-10s %s\n", task.name, task.lab.model->name,
               task.lab.cuda ? "CUDA" : "C", task.title);
    return lab_tasks_are_wrong(error) ? (int)error->status : CA_OK;
}

static bool is_stopped(void) { return stopped_by; }

int command_lab(const struct options *options, struct ca_error *error)
{
    const char *verb = options->operands > 0 ? options->operand[0] : "";
    char hint[CA_TEXT_MAX];

    if (strcmp(verb, "check") != 0 &&
        (options_has(options, OPTION_PROGRAM) ||
         (options_has(options, OPTION_GLOB) && strcmp(verb, "who") != 0)))
        return ca_fail(error, CA_USAGE, "--program, --output: these go with calab lab check");
    if (!verb[0])
        return ca_fail(error, CA_USAGE,
                       "an argument is missing: the folder of a lab, or what to do%s; see --help",
                       ca_suggest(hint, "", VERBS, ca_name_at, verbs));
    progress_open(options);
    catch_signals();
    ca_lab_process_stops(is_stopped);
    if (strcmp(verb, "grade") == 0)
        return lab_grade(options, error);
    if (strcmp(verb, "calibrate") == 0)
        return lab_calibrate(options, error);
    if (options->operands > 3)
        return ca_fail(error, CA_USAGE, "unexpected argument '%.80s'; see --help",
                       options->operand[3]);
    if (strcmp(verb, "check") == 0)
        return lab_command_check(options, error);
    if (strcmp(verb, "watch") == 0)
        return lab_watch(options, error);
    if (strcmp(verb, "who") == 0)
        return lab_who(options, error);
    if (strcmp(verb, "new") == 0)
        return (int)lab_command_make(options, error);
    if (strcmp(verb, "update") == 0) {
        static struct ca_lab lab;

        CA_TRY(ca_lab_read(&lab, options->operands > 1 ? options->operand[1] : ".", error));
        CA_TRY(ca_lab_update(&lab, lab.folder, error));
        if (ca_lab_is_flat(lab.folder))
            printf("%s: the files of an older calab beside %s, calab_lab.h, lab_model.h, "
                   "calab_draw.h, lab_wire.h and lab_runner, are as they were: those of this one "
                   "are in calab/, and %s\n",
                   lab.folder, lab.source,
                   lab.form == CA_LAB_PROGRAM
                       ? "a program includes them as \"calab/lab_model.h\""
                       : "calab lab check takes no others; remove the old ones, and let Makefile "
                         "be the line: include calab/lab.mk");
        return CA_OK;
    }
    if (strcmp(verb, "tasks") == 0)
        return print_tasks(error);
    return ca_fail(error, CA_USAGE, "calab lab '%.80s' is neither a verb nor a folder%s", verb,
                   ca_suggest(hint, verb, VERBS, ca_name_at, verbs));
}
