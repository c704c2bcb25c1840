/* SPDX-License-Identifier: MIT */
/* calab lab grade and calab lab calibrate: a class of kernels, and the tasks' own solutions. */
#include "tui/commands/lab_grade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/files/json.h"
#include "core/lab/kernel/task.h"
#include "core/lab/process/sandbox.h"
#include "core/machine/provenance.h"
#include "tui/commands/commands.h"
#include "tui/commands/json.h"
#include "tui/commands/lab.h"
#include "tui/commands/progress.h"

/* --- as JSON ---------------------------------------------------------------------------------- */

/* A group that this machine should have graded and could not is missing. */
static json_t *groups_of(const struct ca_lab_grade *grade)
{
    const double *all = grade->lab.points.of;
    json_t *groups = json_object();

    for (int g = 0; g < CA_LAB_GROUPS; g++) {
        json_t *group = json_pack("{s:f, s:f}", "points", grade->points[g], "of", grade->of[g]);

        if (g < CA_LAB_SPEED) {
            json_object_set_new(group, "right", json_integer(grade->right[g]));
            json_object_set_new(group, "cases", json_integer(grade->cases[g]));
        }
        if (all[g] > 0 && grade->of[g] == 0)
            json_object_set_new(group, "missing", json_real(all[g]));
        if (g != CA_LAB_STRUCTURE || all[g] > 0)
            json_object_set(groups, ca_lab_group_names[g], group);
        json_decref(group);
    }
    return groups;
}

static json_t *structure_of(const struct ca_lab_grade *grade, bool proposes)
{
    const struct ca_lab_structure *structure = &grade->structure;
    const struct ca_lab_points *points = &grade->lab.points;
    char text[400], proposed[400] = "", name[CA_NUMBER_MAX];
    json_t *bounds, *result;

    if (!structure->tried)
        return json_null();
    bounds = json_array();
    for (int b = 0; b < CA_LAB_BOUNDS; b++) {
        const struct ca_lab_figure *figure = &structure->figure[b];
        json_t *one;

        if (figure->known)
            ca_text_add(
                proposed, sizeof proposed, "%s = %s; ", ca_lab_bound_names[b],
                ca_number_format(name, ca_lab_structure_proposed(structure, (enum ca_lab_bound)b)));
        if (!structure->counted || points->bound[b] < 0)
            continue;
        ca_lab_structure_text(structure, points, (enum ca_lab_bound)b, text, sizeof text);
        one = json_pack("{s:s, s:f, s:s, s:s}", "name", ca_lab_bound_names[b], "bound",
                        points->bound[b], "text", text, "line", figure->line);
        json_object_set_new(one, "value", figure->known ? json_real(figure->value) : json_null());
        json_object_set_new(one, "kept",
                            figure->known
                                ? json_boolean(lab_structure_keeps(figure, points->bound[b]))
                                : json_null());
        json_array_append_new(bounds, one);
    }
    result = json_pack("{s:b, s:s, s:o}", "counted", structure->counted, "text", structure->text,
                       "bounds", bounds);
    if (proposes && proposed[0])
        json_object_set_new(result, "proposed", json_sprintf("structure : { %s};", proposed));
    return result;
}

static json_t *submission_of(const struct ca_lab_grade *grade, bool proposes)
{
    json_t *one =
        json_pack("{s:s, s:s, s:s, s:s, s:b, s:b, s:s, s:s, s:s, s:s, s:s}", "name", grade->name,
                  "folder", grade->folder, "status", ca_status_name(grade->failure), "verdict",
                  grade->failure != CA_OK ? "not graded" : ca_lab_verdict_names[grade->verdict],
                  "right", ca_lab_grade_right(grade), "right_on_known_cases",
                  grade->failure == CA_OK && grade->verdict == CA_LAB_RIGHT, "text", grade->text,
                  "place", grade->place, "by", grade->how, "not_watched", grade->not_watched,
                  "source", grade->lab.source);
    json_t *why = json_array(), *findings = json_array(), *causes = json_array();
    char label[64];

    json_object_set_new(one, "groups", groups_of(grade));
    json_object_set_new(one, "structure", structure_of(grade, proposes));
    for (int i = 0; i < grade->why.count; i++)
        json_array_append_new(why, json_string(grade->why.finding[i].text));
    for (int i = 0; i < grade->findings; i++)
        json_array_append_new(findings, json_string(grade->finding[i]));
    for (int i = 0; ca_lab_grade_label(grade, i, label); i++) {
        bool known = false;

        for (size_t k = 0; k < json_array_size(causes); k++)
            known |= strcmp(json_string_value(json_array_get(causes, k)), label) == 0;
        if (!known)
            json_array_append_new(causes, json_string(label));
    }
    json_object_set_new(one, "causes", causes);
    json_object_set_new(one, "why", why);
    json_object_set_new(one, "findings", findings);
    if (grade->timing.what != CA_LAB_UNTIMED) {
        char sentence[CA_TEXT_MAX + 1024];

        json_object_set_new(one, "time", lab_time_json(&grade->lab, &grade->timing));
        json_object_set_new(
            one, "time_text",
            json_string(lab_time_sentence(sentence, sizeof sentence, &grade->lab, &grade->timing)));
    } else {
        json_object_set_new(one, "time", json_null());
    }
    json_object_set_new(one, "seconds", json_real(grade->seconds));
    return one;
}

static json_t *lab_grade_json(const struct ca_lab_class *class)
{
    const struct ca_lab *lab = &class->grade[0].lab;
    struct ca_provenance where;
    bool alike = lab->model != NULL;
    json_t *submissions = json_array(), *of = json_object(), *root;
    json_t *all;

    for (int i = 1; i < class->count && !lab->model; i++)
        lab = &class->grade[i].lab;
    ca_provenance_take(&where);
    for (int g = 0; g < CA_LAB_GROUPS; g++)
        json_object_set_new(of, ca_lab_group_names[g], json_real(lab->points.of[g]));
    for (int i = 0; i < class->count; i++)
        json_array_append_new(submissions, submission_of(&class->grade[i], class->each));
    for (int i = 0; i < class->count; i++)
        alike =
            alike && (class->grade[i].failure != CA_OK || class->grade[i].lab.model == lab->model);
    root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f}", "schema",
                     "calab-lab-grade/1", "calab", where.version, "date", where.date, "host",
                     where.host, "cpu", where.cpu, "model", alike ? lab->model->name : "",
                     "backend", alike ? ca_lab_rung(lab)->name : "", "least", lab->points.least,
                     "goal", lab->points.goal, "others", lab->points.others);
    if (class->each)
        json_object_set_new(root, "each", json_true());
    json_object_set_new(root, "ceilings_known", json_boolean(class->probe != NULL));
    all = json_object();
    for (int wall = 0; wall < CA_LAB_WALLS; wall++)
        json_object_set_new(all, ca_lab_wall_names[wall], json_boolean(class->walls >> wall & 1));
    json_object_set_new(root, "walls", all);
    json_object_set_new(root, "points", of);
    json_object_set_new(root, "submissions", submissions);
    lab_grade_count(root);
    return root;
}

/* Each process of a class asks this, too; only the first one tells. */
static bool lab_grade_show_progress(void *context, const char *what, int done, int all)
{
    const struct ca_lab_class *class = context;

    if (what && getpid() == class->first && progress_due())
        progress_show("%s %d of %d", what, done, all);
    return !stopped_by;
}

/* --- what is printed -------------------------------------------------------------------------- */

/* Reads what --json has printed. */
static enum ca_status again_read(json_t **root, const char *path, struct ca_error *error)
{
    enum ca_status status;
    json_error_t cause;
    json_t *all;
    char *bytes;
    size_t size;

    CA_TRY(ca_file_read_text(path, 64 << 20, &bytes, &size, error));
    status = ca_json_parse(&all, bytes, size, 0, &cause);
    free(bytes);
    if (status == CA_NO_MEMORY)
        return ca_fail(error, CA_NO_MEMORY, "--again: no memory for %.300s", path);
    if (!all)
        return ca_fail(error, CA_IO, "--again: %.300s:%d: %s", path, cause.line, cause.text);
    if (!json_is_string(json_object_get(all, "schema")) ||
        strcmp(json_string_value(json_object_get(all, "schema")), "calab-lab-grade/1") != 0 ||
        !json_is_array(json_object_get(all, "submissions"))) {
        json_decref(all);
        return ca_fail(error, CA_IO,
                       "--again: %.300s: it is not what calab lab grade --json prints", path);
    }
    *root = all;
    return CA_OK;
}

/* Puts the submissions of *root in place of those of the file that have their names, or behind
 * them, and counts over the class again. */
static enum ca_status replace_in(json_t **root, const char *path, struct ca_error *error)
{
    json_t *all, *rows, *one;
    size_t i, at;

    CA_TRY(again_read(&all, path, error));
    rows = json_object_get(all, "submissions");
    json_array_foreach(json_object_get((*root), "submissions"), i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));

        for (at = 0; at < json_array_size(rows); at++) {
            const char *other =
                json_string_value(json_object_get(json_array_get(rows, at), "name"));

            if (other && strcmp(other, name) == 0)
                break;
        }
        if (at < json_array_size(rows))
            json_array_set(rows, at, one);
        else
            json_array_append(rows, one);
    }
    lab_grade_count(all);
    json_decref(*root);
    *root = all;
    return CA_OK;
}

/* Prints it in the form that is asked for. */
static enum ca_status lab_grade_print_form(const struct options *options, json_t *root,
                                           struct ca_error *error)
{
    struct lab_until until;

    if (options_has(options, OPTION_JSON))
        return json_print(json_incref(root), error);
    CA_TRY(lab_until_read(&until, options_value(options, OPTION_SECRET_UNTIL), error));
    if (options_has(options, OPTION_GRADESCOPE))
        return lab_gradescope_print(root, &until, error);
    if (options_has(options, OPTION_JUNIT))
        return lab_junit_put(stdout, root, &until, error);
    lab_grade_print(root, options_has(options, OPTION_CSV)        ? TABLE_CSV
                          : options_has(options, OPTION_MARKDOWN) ? TABLE_MARKDOWN
                                                                  : TABLE_TEXT);
    return CA_OK;
}

/* `class` NULL: none has been graded, and the file is printed in another form. */
static enum ca_status lab_grade_print_all(const struct options *options, json_t *root,
                                          const struct ca_lab_class *class, struct ca_error *error)
{
    const char *again = options_value(options, OPTION_AGAIN);
    const char *reports = options_value(options, OPTION_REPORTS);
    enum ca_status status = root ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory");
    enum ca_status written = CA_OK;

    if (status == CA_OK && again)
        status = replace_in(&root, again, error);
    if (status == CA_OK && class && !class->each)
        status = lab_grade_compare(root, class->skeleton, error);
    /* A report that cannot be written costs no more than itself: its row says so. */
    if (status == CA_OK && reports)
        written = lab_grade_reports(root, reports, error);
    if (status == CA_OK)
        status = lab_grade_print_form(options, root, error);
    json_decref(root);
    return status != CA_OK ? status : written;
}

/* The forms exclude each other; what belongs to one of them is read before anything runs. */
static enum ca_status lab_grade_check_form(const struct options *options, struct ca_error *error)
{
    static const enum option_id forms[] = {OPTION_JSON, OPTION_CSV, OPTION_MARKDOWN,
                                           OPTION_GRADESCOPE, OPTION_JUNIT};
    bool hides = options_has(options, OPTION_GRADESCOPE) || options_has(options, OPTION_JUNIT);
    struct lab_until until;
    int given = 0;

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        given += options_has(options, forms[i]);
    if (given > 1)
        return ca_fail(error, CA_USAGE,
                       "--json, --csv, --markdown, --gradescope and --junit exclude each other");
    if (options_has(options, OPTION_SECRET_UNTIL) && !hides)
        return ca_fail(error, CA_USAGE, "--secret-until goes with --gradescope or --junit");
    return lab_until_read(&until, options_value(options, OPTION_SECRET_UNTIL), error);
}

static int lab_grade_run(struct ca_lab_class *class, const struct options *options,
                         struct ca_error *error)
{
    enum ca_status status;

    class->progress = lab_grade_show_progress;
    class->context = class;
    class->first = getpid();
    status = ca_lab_class_probe(class, class->each, error);
    if (status == CA_OK)
        status = ca_lab_class_run(class, error);
    progress_clear();
    if (status == CA_OK)
        status = lab_grade_print_all(options, lab_grade_json(class), class, error);
    for (int i = 0; i < class->count && status == CA_OK; i++)
        status = class->grade[i].failure;
    if (status != CA_OK && error->text[0] == '\0')
        ca_error_set(error, status, "not every submission has a grade");
    return stopped_by ? 128 + stopped_by : (int)status;
}

/* --- grade ------------------------------------------------------------------------------------ */

/* The name of the file with the secret, which is not to be seen in the list of processes from now
 * on: submissions may be able to read that. */
static const char *take_secret(const struct options *options)
{
    static char copy[PATH_MAX];
    const char *argument = options_value(options, OPTION_SECRET_SEED);

    if (!argument || strlen(argument) >= sizeof copy)
        return argument;
    snprintf(copy, sizeof copy, "%s", argument);
    memset((char *)argument, '*', strlen(argument)); /* of main's argv */
    return copy;
}

struct chosen {
    const char *const *folder;
    int count;
    const char **lacking; /* folders of *again; freed with it */
    json_t *again;        /* NULL: they are operands */
};

/* The folders that are named, or, with --again alone, those of the submissions that lack points
 * which another machine could not give. */
static enum ca_status folders_choose(struct chosen *chosen, const struct options *options,
                                     struct ca_error *error)
{
    const char *again = options_value(options, OPTION_AGAIN);
    const json_t *one;
    size_t i;

    *chosen = (struct chosen){options->operand + 1, options->operands - 1, NULL, NULL};
    if (options->operands >= 2)
        return CA_OK;
    if (!again)
        return ca_fail(error, CA_USAGE, "calab lab grade needs the folders of submissions");
    CA_TRY(again_read(&chosen->again, again, error));
    chosen->lacking = calloc(1 + json_array_size(json_object_get(chosen->again, "submissions")),
                             sizeof *chosen->lacking);
    if (!chosen->lacking)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the folders");
    chosen->count = 0;
    json_array_foreach(json_object_get(chosen->again, "submissions"), i, one)
    {
        if (lab_grade_lacks(one))
            chosen->lacking[chosen->count++] = ca_json_member(one, "folder");
    }
    chosen->folder = chosen->lacking;
    return CA_OK;
}

static void folders_free(struct chosen *chosen)
{
    free(chosen->lacking);
    json_decref(chosen->again);
}

/* The task as students get it, whose tokens are nobody's. */
static void skeleton_make(struct ca_lab_class *class, const struct ca_lab_task *task)
{
    const struct ca_lab *lab = task ? &task->lab : &class->grade[0].lab;
    struct ca_error ignored;

    snprintf(class->skeleton, sizeof class->skeleton, "%s/skeleton", class->temporary);
    if (!lab->model || ca_lab_make(lab, task, class->skeleton, &ignored) != CA_OK)
        class->skeleton[0] = '\0';
}

static int lab_grade_folders(const struct options *options, const char *secret,
                             const struct chosen *chosen, struct ca_error *error)
{
    const char *name = options_value(options, OPTION_TASK);
    static struct ca_lab_task task;
    struct ca_lab_class class = {.grade = NULL};
    enum ca_status status;
    int code;

    if (chosen->count == 0) /* nothing is lacking */
        return (int)lab_grade_print_all(options, json_incref(chosen->again), NULL, error);
    if (!secret)
        return ca_fail(error, CA_USAGE,
                       "calab lab grade needs --secret-seed FILE, or - for standard input: cases "
                       "are drawn from it that nobody knows");
    CA_TRY(lab_grade_check_form(options, error));
    if (options_has(options, OPTION_GRADESCOPE) && chosen->count > 1)
        return ca_fail(error, CA_USAGE,
                       "--gradescope is for one submission, and there are %d: Gradescope starts a "
                       "grader for each",
                       chosen->count);
    if (name)
        CA_TRY(ca_lab_task_find(&task, name, error));
    CA_TRY(ca_lab_secret_read(&class.secret, secret, error));
    class.hidden = strcmp(secret, "-") == 0 ? NULL : secret;
    status =
        ca_lab_class_open(&class, chosen->folder, chosen->count, name ? &task.lab : NULL, error);
    error->text[0] = status == CA_OK ? '\0' : error->text[0];
    if (status == CA_OK)
        skeleton_make(&class, name ? &task : NULL);
    code = status == CA_OK ? lab_grade_run(&class, options, error) : (int)status;
    ca_lab_class_close(&class);
    return code;
}

int lab_grade(const struct options *options, struct ca_error *error)
{
    const char *secret = take_secret(options);
    struct chosen chosen;
    int code;

    error->text[0] = '\0';
    code = (int)folders_choose(&chosen, options, error);
    if (code == CA_OK)
        code = lab_grade_folders(options, secret, &chosen, error);
    folders_free(&chosen);
    return code;
}

/* --- calibrate -------------------------------------------------------------------------------- */

/* A folder with the solution of a task in place of its kernel. False: it has none. */
static bool solve(const struct ca_lab_task *task, const char *folder, struct ca_error *error)
{
    const char *end = task->lab.cuda ? "cu" : "c";
    char path[PATH_MAX + 300];
    struct ca_file_writer writer;
    char *text;
    size_t size;

    snprintf(path, sizeof path, "%s/solution.%s", task->folder, end);
    if (ca_lab_make(&task->lab, task, folder, error) != CA_OK ||
        ca_file_read(path, 1 << 20, &text, &size, error) != CA_OK)
        return false;
    snprintf(path, sizeof path, "%s/%s", folder, task->lab.source);
    if (ca_file_begin(&writer, path, error) == CA_OK) {
        fputs(text, writer.stream);
        ca_file_commit(&writer, error);
    }
    free(text);
    return true;
}

static bool is_asked(const struct options *options, const char *name)
{
    for (int i = 1; i < options->operands; i++)
        if (strcmp(options->operand[i], name) == 0)
            return true;
    return options->operands < 2;
}

static const char *task_at(const void *none, int i)
{
    static struct ca_lab_task task;

    (void)none;
    return ca_lab_task(&task, i) ? task.name : NULL;
}

int lab_calibrate(const struct options *options, struct ca_error *error)
{
    static struct ca_lab_task task;
    static char folder[CA_LAB_TASKS_MAX][CA_LAB_TASK_NAME_MAX + 600];
    const char *folders[CA_LAB_TASKS_MAX];
    char place[512];
    struct ca_lab_class class = {.each = true};
    struct ca_error why = {.text = ""};
    const char *temporary = getenv("TMPDIR");
    enum ca_status status;
    int count = 0, code;
    char hint[CA_TEXT_MAX];
    int tasks = 0;

    while (task_at(NULL, tasks))
        tasks++;
    for (int i = 1; i < options->operands; i++) {
        int t = 0;

        while (t < tasks && strcmp(task_at(NULL, t), options->operand[i]) != 0)
            t++;
        if (t == tasks)
            return ca_fail(error, CA_USAGE, "there is no task '%.60s'%s", options->operand[i],
                           ca_suggest(hint, options->operand[i], tasks, task_at, NULL));
    }
    CA_TRY(lab_grade_check_form(options, error));
    if (options->operands == 1 && lab_tasks_are_wrong(error))
        return (int)error->status;
    snprintf(place, sizeof place, "%.400s/calab-tasks-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(place))
        return ca_fail(error, CA_IO, "no temporary folder %.300s: %m", place);
    for (int i = 0; count < CA_LAB_TASKS_MAX && ca_lab_task(&task, i); i++) {
        if (!is_asked(options, task.name))
            continue;
        snprintf(folder[count], sizeof folder[count], "%s/%s", place, task.name);
        folders[count] = folder[count];
        count += solve(&task, folder[count], &why);
    }
    error->text[0] = '\0';
    ca_lab_secret_random(&class.secret);
    status = count > 0 ? ca_lab_class_open(&class, folders, count, NULL, error)
                       : ca_fail(error, CA_IO,
                                 "there is no solution of a task here, as calab's source has them "
                                 "in configs/lab: %.400s",
                                 why.text);
    code = status == CA_OK ? lab_grade_run(&class, options, error) : (int)status;
    ca_lab_class_close(&class);
    ca_lab_remove_folder(place);
    return code;
}
