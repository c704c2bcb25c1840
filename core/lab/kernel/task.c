/* SPDX-License-Identifier: MIT */
/* The tasks that come with calab, and new folders made of them. */
#include "core/lab/kernel/task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/embedded.h"
#include "core/lab/kernel/files.h"
#include "core/sim/shipped.h"

/* --- finding ---------------------------------------------------------------------------------- */

static void read_title(struct ca_lab_task *task)
{
    char path[PATH_MAX + 120];
    struct ca_error ignored;
    int64_t size;
    FILE *file;

    snprintf(path, sizeof path, "%s/README.md", task->folder);
    task->title[0] = '\0';
    if (ca_file_open(path, &size, &file, &ignored) != CA_OK)
        return;
    if (fgets(task->title, sizeof task->title, file)) {
        size_t marks = strspn(task->title, "# ");

        memmove(task->title, task->title + marks, strlen(task->title + marks) + 1);
        task->title[strcspn(task->title, "\n")] = '\0';
        ca_plain(task->title);
    }
    fclose(file);
}

/* A folder that tasks may be in: of experiment files, of the source tree that the program was built
 * in, which has their solutions, or the program itself. NULL beyond the last. */
static const char *task_place(int i)
{
    static char path[PATH_MAX + 32];
    ssize_t length;

    if (i > 3)
        return NULL;
    if (i == 3)
        return CA_EMBEDDED "/lab";
    if (i < 2) {
        const char *shipped = ca_shipped_folder(i);

        snprintf(path, sizeof path, "%s/lab", shipped ? shipped : "");
        return path;
    }
    length = readlink("/proc/self/exe", path, PATH_MAX);
    path[length < 0 ? 0 : length] = '\0';
    for (int up = 0; up < 3 && strrchr(path, '/'); up++)
        *strrchr(path, '/') = '\0';
    strcat(path, "/configs/lab");
    return path;
}

/* Has the task's name and folder be those of an entry; whether that has a lab.cfg. */
static bool has_config(struct ca_lab_task *task, const char *folder, const char *name)
{
    char path[sizeof task->folder + 16];

    snprintf(task->folder, sizeof task->folder, "%.4000s/%.60s", folder, name);
    snprintf(task->name, sizeof task->name, "%.60s", name);
    snprintf(path, sizeof path, "%s/lab.cfg", task->folder);
    return ca_file_exists(path);
}

/* Whether a place before this one has a task of that name. */
static bool is_hidden(int at, const char *name)
{
    static struct ca_lab_task other;
    bool hidden = false;

    for (int i = 0; i < at && !hidden; i++)
        hidden = has_config(&other, task_place(i), name);
    return hidden;
}

/* The task before which *left of a place's are passed over, or, with `wrong`, of those whose
 * lab.cfg cannot be read. */
static bool task_in(struct ca_lab_task *task, int at, bool wrong, int *left, struct ca_error *why)
{
    struct ca_listing names;
    struct ca_error ignored;
    bool found = false;

    if (ca_listing_read(&names, task_place(at), &ignored) != CA_OK)
        return false;
    for (int i = 0; !found && i < names.count; i++)
        if (!is_hidden(at, names.name[i]) && has_config(task, task_place(at), names.name[i]))
            found =
                (ca_lab_read(&task->lab, task->folder, why) != CA_OK) == wrong && (*left)-- == 0;
    ca_listing_free(&names);
    return found;
}

/* Looks for the i-th task, or the i-th that cannot be read, in all places. */
static bool find_task(struct ca_lab_task *task, bool wrong, int i, struct ca_error *why)
{
    bool found = false;

    for (int at = 0; !found && task_place(at); at++)
        found = task_in(task, at, wrong, &i, why);
    return found;
}

bool ca_lab_task(struct ca_lab_task *task, int i)
{
    struct ca_error ignored;
    bool found = find_task(task, false, i, &ignored);

    if (found)
        read_title(task);
    return found;
}

bool ca_lab_task_wrong(struct ca_lab_task *task, int i, struct ca_error *why)
{
    return find_task(task, true, i, why);
}

static const char *task_name(const void *names, int i)
{
    return (const char *)names + (size_t)i * CA_LAB_TASK_NAME_MAX;
}

enum ca_status ca_lab_task_find(struct ca_lab_task *task, const char *name, struct ca_error *error)
{
    char names[CA_LAB_TASKS_MAX][CA_LAB_TASK_NAME_MAX], hint[CA_TEXT_MAX];
    const char *slash = strrchr(name, '/');
    int count = 0;

    if (slash) {
        snprintf(task->folder, sizeof task->folder, "%s", name);
        snprintf(task->name, sizeof task->name, "%.60s", slash + 1);
        CA_TRY(ca_lab_read(&task->lab, name, error));
        read_title(task);
        return CA_OK;
    }
    for (; count < CA_LAB_TASKS_MAX && ca_lab_task(task, count); count++) {
        if (strcmp(task->name, name) == 0)
            return CA_OK;
        memcpy(names[count], task->name, sizeof names[count]);
    }
    for (int i = 0; ca_lab_task_wrong(task, i, error); i++)
        if (strcmp(task->name, name) == 0)
            return error->status;
    return ca_fail(error, CA_USAGE, "--task: there is no task '%.60s'%s", name,
                   ca_suggest(hint, name, count, task_name, names));
}

#define MAKEFILE_BEGINS "# Builds the kernel of this folder as a program that needs no calab.\n"

/* Whether a new folder gets a file of a task: all but solutions, what calab writes itself, and the
 * Makefile of an older calab, which names files that are elsewhere now. */
static bool goes_along(const char *name, const char *text)
{
    return strncmp(name, "solution", 8) != 0 && !ca_lab_is_own_file(name) &&
           strcmp(name, CA_LAB_FILES_FOLDER) != 0 &&
           !(text && strcmp(name, "Makefile") == 0 &&
             strncmp(text, MAKEFILE_BEGINS, strlen(MAKEFILE_BEGINS)) == 0 &&
             !strstr(text, "\ninclude " CA_LAB_FILES_FOLDER "/"));
}

static enum ca_status copy_task(const struct ca_lab_task *task, const char *folder,
                                struct ca_error *error)
{
    struct ca_listing names;
    enum ca_status status;
    char path[PATH_MAX + 400], *text;
    size_t size;

    CA_TRY(ca_listing_read(&names, task->folder, error));
    status = names.count
                 ? CA_OK
                 : ca_fail(error, CA_IO, "%.400s: its files cannot be listed", task->folder);
    for (int i = 0; status == CA_OK && i < names.count; i++) {
        if (!goes_along(names.name[i], NULL))
            continue;
        snprintf(path, sizeof path, "%s/%s", task->folder, names.name[i]);
        status = ca_file_read(path, 1 << 20, &text, &size, error);
        if (status == CA_OK) {
            if (goes_along(names.name[i], text))
                status = lab_write(folder, names.name[i], lab_put_text, text, error);
            free(text);
        }
    }
    ca_listing_free(&names);
    return status;
}

/* Makes it, or finds it empty. */
static enum ca_status make_lab_folder(const char *folder, struct ca_error *error)
{
    if (mkdir(folder, 0755) == 0)
        return CA_OK;
    if (errno != EEXIST)
        return ca_fail(error, CA_IO, "%.400s: %s", folder, strerror(errno));
    if (rmdir(folder) != 0)
        return ca_fail(error, CA_IO,
                       "%.400s is there already and is not empty: a lab needs a folder of its own",
                       folder);
    return make_lab_folder(folder, error);
}

static void put_config(FILE *out, const void *of)
{
    const struct ca_lab *lab = of;

    if (lab->form == CA_LAB_PROGRAM) {
        ca_file_put(out,
                    "# What this folder's program computes and how `calab lab check` runs it: "
                    "calab-lab(7).\n"
                    "version = %d;\nmodel = \"%s\";\nprogram = \"%s\";\noutput = \"%s\";\n",
                    CA_LAB_VERSION, ca_lab_model_word(lab), lab->program, lab->output);
        return;
    }
    ca_file_put(out,
                "# What this folder's kernel computes and how `calab lab check` checks it: "
                "calab-lab(7).\n"
                "# After a change of model, form, ghosts or parameters: calab lab update\n"
                "version = %d;\nmodel = \"%s\";\nsource = \"%s\";\nform = \"%s\";\n",
                CA_LAB_VERSION, ca_lab_model_word(lab), lab->source,
                lab->form == CA_LAB_OWN ? "own" : "step");
    if (lab->ghosts > 0)
        ca_file_put(out, "ghosts = %d;\n", lab->ghosts);
    if (lab->cuda && lab->form == CA_LAB_STEP)
        ca_file_put(out, "tile = [32, 8%s];\n", lab->model->dimensions == 3 ? ", 1" : "");
}

#define RULES CA_LAB_FILES_FOLDER "/lab.mk"

static void put_rules(FILE *out, const void *of)
{
    const struct ca_lab *lab = of;
    const char *runner = ca_lab_file_name(CA_LAB_RUNNER, lab->cuda);
    int stem = (int)strcspn(lab->source, ".");

    ca_file_put(out, "# The rules of the Makefile beside this folder, written by calab.\n");
    if (lab->cuda)
        ca_file_put(out,
                    "NVCC    ?= nvcc\nNVFLAGS ?= -O2 -g -lineinfo -std=c++17 -fmad=false "
                    "-arch=native %s\n\n",
                    lab->flags);
    else
        ca_file_put(out,
                    "CC      ?= cc\nCFLAGS  ?= -O2 -g -std=gnu11 -ffp-contract=off "
                    "-fno-strict-aliasing -pthread %s\n\n",
                    lab->flags);
    ca_file_put(out, "%.*s: %s %s", stem, lab->source, lab->source, runner);
    for (int i = 0; i < CA_LAB_FILES; i++)
        if (i != CA_LAB_RUNNER)
            ca_file_put(out, " %s", ca_lab_file_name((enum ca_lab_file)i, lab->cuda));
    ca_file_put(out,
                " " CA_LAB_FILES_FOLDER "/lab_model.h\n\t$(%s) $(%s) -I" CA_LAB_FILES_FOLDER
                " -o $@ %s %s%s\n\n",
                lab->cuda ? "NVCC" : "CC", lab->cuda ? "NVFLAGS" : "CFLAGS", lab->source, runner,
                lab->cuda ? "" : " -lm");
    ca_file_put(out,
                "run: %.*s\n\t./%.*s\n\ncheck:\n\tcalab lab check\n\nclean:\n\trm -f %.*s\n\n"
                ".PHONY: run check clean\n",
                stem, lab->source, stem, lab->source, stem, lab->source);
}

/* Belongs to whoever has the folder, and is written once. */
static void put_makefile(FILE *out, const void *of)
{
    const struct ca_lab *lab = of;

    if (lab->form == CA_LAB_PROGRAM)
        ca_file_put(out,
                    "# Builds the program of this folder.\n"
                    "CC      ?= cc\nCFLAGS  ?= -O2 -g -std=gnu11 -ffp-contract=off -pthread\n\n"
                    "program: " CA_LAB_PROGRAM_FILE " " CA_LAB_FILES_FOLDER
                    "/calab_draw.h " CA_LAB_FILES_FOLDER "/lab_model.h\n"
                    "\t$(CC) $(CFLAGS) -o $@ " CA_LAB_PROGRAM_FILE " -lm\n\n"
                    "check:\n\tcalab lab check\n\nclean:\n\trm -f program\n\n"
                    ".PHONY: check clean\n");
    else
        ca_file_put(out, MAKEFILE_BEGINS "include " RULES "\n");
}

enum ca_status ca_lab_update(const struct ca_lab *lab, const char *folder, struct ca_error *error)
{
    char makefile[PATH_MAX + 16];

    CA_TRY(ca_lab_write_files(lab, folder, error));
    if (lab->form == CA_LAB_PROGRAM)
        return CA_OK;
    CA_TRY(lab_write(folder, RULES, put_rules, lab, error));
    snprintf(makefile, sizeof makefile, "%.4000s/Makefile", folder);
    return ca_file_exists(makefile) ? CA_OK
                                    : lab_write(folder, "Makefile", put_makefile, lab, error);
}

bool ca_lab_is_flat(const char *folder)
{
    char path[PATH_MAX + 40];
    bool found = false;

    for (int i = 0; i < 2 * CA_LAB_FILES && !found; i++) {
        const char *name = ca_lab_file_name((enum ca_lab_file)(i / 2), i % 2);

        snprintf(path, sizeof path, "%.4000s/%s", folder, strchr(name, '/') + 1);
        found = ca_file_exists(path);
    }
    return found;
}

enum ca_status ca_lab_make(const struct ca_lab *lab, const struct ca_lab_task *task,
                           const char *folder, struct ca_error *error)
{
    CA_TRY(make_lab_folder(folder, error));
    if (task) {
        CA_TRY(copy_task(task, folder, error));
        return ca_lab_update(lab, folder, error);
    }
    CA_TRY(lab_write(folder, "lab.cfg", put_config, lab, error));
    CA_TRY(lab_write(folder, "README.md", lab_put_readme, lab, error));
    if (lab->model->source)
        CA_TRY(lab_write(folder, ca_lab_model_word(lab), lab_put_text, lab->model->source->text,
                         error));
    CA_TRY(lab_write(folder, lab->form == CA_LAB_PROGRAM ? CA_LAB_PROGRAM_FILE : lab->source,
                     lab_put_text, ca_lab_skeleton(lab), error));
    if (lab->form == CA_LAB_PROGRAM)
        CA_TRY(lab_write(folder, "Makefile", put_makefile, lab, error));
    return ca_lab_update(lab, folder, error);
}
