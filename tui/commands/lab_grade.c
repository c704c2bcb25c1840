/* SPDX-License-Identifier: MIT */
/* calab lab grade and calab lab calibrate: a class of kernels, and the tasks' own solutions. */
#include "tui/commands/lab_grade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/json.h"
#include "core/lab/kernel/task.h"
#include "tui/commands/commands.h"
#include "tui/commands/json.h"
#include "tui/commands/lab.h"
#include "tui/commands/progress.h"

/* Each process of a class asks this, too; only the first one tells. */
static bool lab_grade_show_progress(void *context, const char *what, int done, int all)
{
    const struct ca_lab_class *class = context;

    if (what && getpid() == class->first && progress_due())
        progress_show("%s %d of %d", what, done, all);
    return !stopped_by;
}

/* --- what is printed -------------------------------------------------------------------------- */

static enum ca_status replace_in(json_t **root, const char *path, struct ca_error *error)
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
    lab_grade_replace(all, *root);
    json_decref(*root);
    *root = all;
    return CA_OK;
}

/* Prints the object, which it frees. */
static enum ca_status lab_grade_print_all(const struct options *options, json_t *root,
                                          struct ca_error *error)
{
    const char *again = options_value(options, OPTION_AGAIN);
    const char *reports = options_value(options, OPTION_REPORTS);
    enum ca_status status = root ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory");
    enum ca_status written = CA_OK;

    if (status == CA_OK && again)
        status = replace_in(&root, again, error);
    /* A report that cannot be written costs no more than itself: its row says so. */
    if (status == CA_OK && reports)
        written = lab_grade_reports(root, reports, error);
    if (status == CA_OK && options_has(options, OPTION_JSON)) {
        status = json_print(root, error);
    } else {
        if (status == CA_OK)
            lab_grade_print(root, options_has(options, OPTION_CSV)        ? LAB_GRADE_CSV
                                  : options_has(options, OPTION_MARKDOWN) ? LAB_GRADE_MARKDOWN
                                                                          : LAB_GRADE_TEXT);
        json_decref(root);
    }
    return status != CA_OK ? status : written;
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
        status = lab_grade_print_all(options, lab_grade_json(class), error);
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

int lab_grade(const struct options *options, struct ca_error *error)
{
    const char *secret = take_secret(options);
    const char *name = options_value(options, OPTION_TASK);
    static struct ca_lab_task task;
    struct ca_lab_class class = {.grade = NULL};
    int forms = options_has(options, OPTION_JSON) + options_has(options, OPTION_CSV) +
                options_has(options, OPTION_MARKDOWN);
    enum ca_status status = CA_OK;
    int code;

    error->text[0] = '\0';
    if (options->operands < 2)
        return ca_fail(error, CA_USAGE, "calab lab grade needs the folders of submissions");
    if (!secret)
        return ca_fail(error, CA_USAGE,
                       "calab lab grade needs --secret-seed FILE, or - for standard input: cases "
                       "are drawn from it that nobody knows");
    if (forms > 1)
        return ca_fail(error, CA_USAGE, "--json, --csv and --markdown exclude each other");
    if (name)
        CA_TRY(ca_lab_task_find(&task, name, error));
    CA_TRY(ca_lab_secret_read(&class.secret, secret, error));
    class.hidden = strcmp(secret, "-") == 0 ? NULL : secret;
    status = ca_lab_class_open(&class, options->operand + 1, options->operands - 1,
                               name ? &task.lab : NULL, error);
    error->text[0] = status == CA_OK ? '\0' : error->text[0];
    code = status == CA_OK ? lab_grade_run(&class, options, error) : (int)status;
    ca_lab_class_close(&class);
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

/* Whether a task is asked for by name. */
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

static enum ca_status check_names(const struct options *options, struct ca_error *error)
{
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
    return CA_OK;
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

    CA_TRY(check_names(options, error));
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
