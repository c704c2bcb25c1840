/* SPDX-License-Identifier: MIT */
/* Grades a class: finds its submissions, starts the processes that grade them, and hides from these
 * what they must not see. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/base/isolated.h"
#include "core/lab/grade/grade.h"
#include "core/lab/process/sandbox.h"
#include "core/machine/device.h"

/* Processes that use the GPU at once, apart from the one that times: each takes hundreds of MB of
 * its memory, of which a small GPU has too little for as many as there are cores. */
#define GPU_LOCK_SLOTS 4

static void read_one(struct ca_lab_grade *grade, const char *folder, const struct ca_lab *task)
{
    struct ca_error error;
    struct ca_lab own = grade->lab;
    enum ca_status status = ca_lab_read_submission(&own, folder, task, &error);
    const char *slash;
    size_t length;

    snprintf(grade->folder, sizeof grade->folder, "%s", folder);
    length = strlen(grade->folder);
    while (length > 1 && grade->folder[length - 1] == '/')
        grade->folder[--length] = '\0';
    slash = strrchr(grade->folder, '/');
    snprintf(grade->name, sizeof grade->name, "%.120s", slash ? slash + 1 : grade->folder);
    if (grade->name[0] == '.' && (slash = strrchr(own.folder, '/')) != NULL)
        snprintf(grade->name, sizeof grade->name, "%.120s", slash + 1); /* of "." and ".." */
    ca_plain(grade->name);
    if (task && (status == CA_OK || realpath(folder, own.folder))) {
        /* All of the task's lab.cfg but what belongs to the kernel itself. */
        grade->lab = *task;
        memcpy(grade->lab.folder, own.folder, sizeof own.folder);
        if (status != CA_OK)
            return;
        memcpy(grade->lab.path, own.path, sizeof own.path);
        if (own.model != task->model || own.cuda != task->cuda)
            return;
        memcpy(grade->lab.source, own.source, sizeof own.source);
        grade->lab.form = own.form;
        grade->lab.ghosts = own.ghosts;
        memcpy(grade->lab.tile, own.tile, sizeof own.tile);
        return;
    }
    grade->lab = task ? *task : own;
    if (status == CA_OK)
        return;
    grade->failure = status;
    snprintf(grade->text, sizeof grade->text, "%s", error.text);
}

/* Whether two folders ask for the same, whatever form and source they have. */
static bool same_task(const struct ca_lab *a, const struct ca_lab *b)
{
    return a->model == b->model && strcmp(a->flags, b->flags) == 0 && a->sizes == b->sizes &&
           a->generations == b->generations && a->seeds == b->seeds && a->repeats == b->repeats &&
           memcmp(a->size, b->size, sizeof a->size) == 0 &&
           memcmp(a->generation, b->generation, sizeof a->generation) == 0 &&
           memcmp(a->seed, b->seed, sizeof a->seed) == 0 && strcmp(a->init, b->init) == 0 &&
           strcmp(a->environment, b->environment) == 0 && ca_values_equal(&a->params, &b->params) &&
           a->against == b->against && a->seconds == b->seconds &&
           a->watched_seconds == b->watched_seconds && a->memory_mb == b->memory_mb &&
           a->output_mb == b->output_mb && ca_lab_points_same(&a->points, &b->points);
}

/* All folders must ask for the same, since their points are compared. A folder that could not be
 * read takes the lab of the first one, so that its row has the points that it missed. */
static enum ca_status check_same_tasks(struct ca_lab_class *class, struct ca_error *error)
{
    const struct ca_lab_grade *first = NULL;

    for (int i = 0; i < class->count; i++) {
        const struct ca_lab_grade *grade = &class->grade[i];

        if (grade->failure != CA_OK)
            continue;
        if (first && !same_task(&first->lab, &grade->lab))
            return ca_fail(error, CA_USAGE,
                           "the files lab.cfg of %.200s and %.200s ask for different things: name "
                           "the task, whose lab.cfg counts, by --task",
                           first->folder, grade->folder);
        first = first ? first : grade;
    }
    for (int i = 0; first && i < class->count; i++)
        if (class->grade[i].failure != CA_OK)
            class->grade[i].lab = first->lab;
    return CA_OK;
}

enum ca_status ca_lab_class_open(struct ca_lab_class *class, const char *const folders[], int count,
                                 const struct ca_lab *task, struct ca_error *error)
{
    const char *temporary = getenv("TMPDIR");

    ca_lab_guard(folders, count);
    if (task && task->folder[0])
        ca_lab_guard((const char *const[]){task->folder}, 1);
    class->grade = ca_shared_memory((size_t)count * sizeof *class->grade);
    if (!class->grade)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %d grades", count);
    class->device_lock = lab_device_lock_make(GPU_LOCK_SLOTS);
    class->count = count;
    for (int i = 0; i < count; i++)
        read_one(&class->grade[i], folders[i], task);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(class->grade[i].name, class->grade[j].name) == 0)
                return ca_fail(error, CA_USAGE,
                               "%.200s and %.200s are both called %s: each submission needs a name",
                               class->grade[j].folder, class->grade[i].folder,
                               class->grade[i].name);
    if (!task && !class->each)
        CA_TRY(check_same_tasks(class, error));
    if (snprintf(class->temporary, sizeof class->temporary, "%s/calab-class-XXXXXX",
                 temporary && *temporary ? temporary : "/tmp") >=
        (int)sizeof class->temporary - 40) {
        class->temporary[0] = '\0';
        return ca_fail(error, CA_IO, "TMPDIR is too long: %.100s...", temporary);
    }
    return ca_lab_temporary(class->temporary, error);
}

void ca_lab_class_close(struct ca_lab_class *class)
{
    for (int i = 0; i < class->count; i++)
        ca_lab_build_close(&class->grade[i].build);
    if (class->temporary[0])
        ca_lab_remove_folder(class->temporary);
    free(class->probe);
    lab_device_lock_free(class->device_lock);
    ca_shared_free(class->grade, (size_t) class->count * sizeof *class->grade);
    *class = (struct ca_lab_class){.grade = NULL};
}

/* --- the processes ---------------------------------------------------------------------------- */

struct phase {
    struct ca_lab_class *class;
    const char *what;
    void (*grade)(struct ca_lab_class *class, struct ca_lab_grade *grade);
    int *at; /* of the process that times one after the other: which, in shared memory */
};

static void grade_begin(const struct ca_lab_class *class) { setenv("TMPDIR", class->temporary, 1); }

static void grade_work(void *context, int i)
{
    const struct phase *phase = context;

    grade_begin(phase->class);
    phase->grade(phase->class, &phase->class->grade[i]);
}

static void grade_died(void *context, int i, const char *how)
{
    const struct phase *phase = context;
    struct ca_lab_grade *grade = &phase->class->grade[i];

    grade->failure = CA_WRONG;
    snprintf(grade->text, sizeof grade->text, "the process that graded it was ended: %s", how);
}

static bool class_goes_on(void *context, int done)
{
    const struct phase *phase = context;
    const struct ca_lab_class *class = phase->class;

    return !class->progress || class->progress(class->context, phase->what, done, class->count);
}

static bool is_readable(void *context, int i)
{
    const struct phase *phase = context;

    return phase->class->grade[i].failure == CA_OK;
}

/* One process times all, as it takes long to open a GPU; another goes on where it has died. */
static void work_on_rest(void *context, int i)
{
    struct phase *phase = context;
    struct ca_lab_class *class = phase->class;

    (void)i;
    grade_begin(class);
    for (; *phase->at < class->count; ++*phase->at)
        if (ca_lab_grade_right(&class->grade[*phase->at]))
            phase->grade(class, &class->grade[*phase->at]);
}

static void died_at(void *context, int i, const char *how)
{
    struct phase *phase = context;

    (void)i;
    grade_died(context, *phase->at, how);
    ++*phase->at;
}

static bool rest_goes_on(void *context, int done)
{
    const struct phase *phase = context;

    (void)done;
    return class_goes_on(context, *phase->at);
}

static void probe_machine(void *context, int i)
{
    struct ca_probe *measured = malloc(sizeof *measured);
    struct ca_error ignored;

    (void)context, (void)i;
    if (measured && ca_probe_measure(measured, NULL, NULL, &ignored) == CA_OK)
        ca_probe_keep(measured, ca_probe_path(), &ignored);
    free(measured);
}

static void probe_died(void *context, int i, const char *how) { (void)context, (void)i, (void)how; }

/* Runs in a process of its own, as GPUs that this one has used could not be used by those that it
 * starts. */
enum ca_status ca_lab_class_probe(struct ca_lab_class *class, bool measure, struct ca_error *error)
{
    struct phase probing = {class, "ceilings measured", NULL, NULL};
    struct lab_pool pool = {.count = 1,
                            .most = 1,
                            .context = &probing,
                            .work = probe_machine,
                            .died = probe_died,
                            .goes_on = class_goes_on};
    struct ca_error ignored;
    enum ca_status status;

    class->probe = malloc(sizeof *class->probe);
    if (!class->probe)
        return ca_fail(error, CA_NO_MEMORY, "no memory");
    status = ca_probe_read(class->probe, ca_probe_path(), &ignored);
    if ((status != CA_OK || class->probe->others[0]) && measure) {
        CA_TRY(lab_pool_run(&pool, error));
        status = ca_probe_read(class->probe, ca_probe_path(), &ignored);
    }
    /* No kernel is suspected by ceilings that may be too low. */
    if (status != CA_OK || class->probe->others[0]) {
        free(class->probe);
        class->probe = NULL;
    }
    return CA_OK;
}

enum ca_status ca_lab_class_run(struct ca_lab_class *class, struct ca_error *error)
{
    struct phase checking = {class, "checked", grade_check, NULL};
    const struct lab_pool pool = {.count = class->count,
                                  .most = ca_cpu_cores(),
                                  .context = &checking,
                                  .due = is_readable,
                                  .work = grade_work,
                                  .died = grade_died,
                                  .goes_on = class_goes_on};
    struct phase timing = {class, "timed", grade_time, ca_shared_memory(sizeof *timing.at)};
    const struct lab_pool timers = {.count = 1,
                                    .most = 1,
                                    .context = &timing,
                                    .work = work_on_rest,
                                    .died = died_at,
                                    .goes_on = rest_goes_on};
    enum ca_status status;

    if (!timing.at)
        return ca_fail(error, CA_NO_MEMORY, "no memory");
    prctl(PR_SET_DUMPABLE, 0);
    ca_lab_hide(class->hidden, class->temporary);
    status = ca_lab_walls(&class->walls, class->temporary, error);
    if (status == CA_OK)
        status = lab_pool_run(&pool, error);
    while (status == CA_OK && *timing.at < class->count)
        status = lab_pool_run(&timers, error);
    ca_shared_free(timing.at, sizeof *timing.at);
    prctl(PR_SET_DUMPABLE, 1);
    for (int i = 0; i < class->count; i++)
        ca_lab_grade_points(&class->grade[i]);
    return status;
}
