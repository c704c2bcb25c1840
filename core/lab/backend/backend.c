/* SPDX-License-Identifier: MIT */
/* The stepper of a lab's backend hands each call on to the process of its kernel. */
#include "core/lab/backend/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/lab/backend/builds.h"
#include "core/lab/kernel/files.h"
#include "core/lab/process/submission.h"
#include "core/model/field.h"

#define CELL_S 1e-6 /* that a call may take for each cell, beside what the lab allows */
#define CPU_S 1e7   /* of a process that runs as long as the user looks at it */

static struct {
    struct ca_lab lab;
    struct ca_backend backend;
    struct ca_lab_build build; /* of what was compiled here */
    char built[PATH_MAX];      /* the program, or a link to it */
    char refusal[700];         /* why there is none, "" */
    char title[160];
    bool added;
} own;

/* --- instances -------------------------------------------------------------------------------- */

/* The state is in `now` or, where that is old, in the kernel's process. */
struct instance {
    struct ca_setup setup;
    struct ca_lab_submission submission;
    struct ca_lattice given; /* what the process was given last, which it must not change */
    struct ca_lattice now, kept;
    bool old;           /* of `now`: steps have been taken since */
    bool loaded;        /* the process has the state, of generation t */
    bool opened;        /* there is, or was, a process */
    uint64_t t, kept_t; /* as far as it is known */
    struct ca_clock clock;
    char run[PATH_MAX + 32]; /* the folder in which it runs, "" */
};

/* Fails with the submission's fault, followed by the first line that the kernel printed before it,
 * since a runtime's message often names the cause. */
static enum ca_status lab_failed(const struct instance *self, enum ca_status status,
                                 struct ca_error *error)
{
    const char *said = self->submission.process.said;
    char line[200] = "";

    if (status != CA_WRONG)
        return status;
    if (said && said[0]) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(said, "\n"), said);
        ca_plain(line);
    }
    return ca_fail(error, CA_WRONG, "%.80s: %.400s%s%s%s", own.lab.source,
                   self->submission.fault.text, line[0] ? "; it said '" : "", line,
                   line[0] ? "'" : "");
}

/* A process that has failed is no more, and every later call fails for the same reason. */
static enum ca_status lab_alive(const struct instance *self, struct ca_error *error)
{
    return lab_failed(self, self->submission.memory ? CA_OK : CA_WRONG, error);
}

/* Brings the state to `now`. */
static enum ca_status lab_fetch(struct instance *self, struct ca_error *error)
{
    if (!self->old)
        return CA_OK;
    CA_TRY(lab_alive(self, error));
    CA_TRY(lab_failed(self, ca_lab_submission_store(&self->submission, &self->now), error));
    self->old = false;
    return CA_OK;
}

/* Brings the state to the process. */
static enum ca_status lab_give(struct instance *self, uint64_t t, struct ca_error *error)
{
    double start = ca_now();

    CA_TRY(lab_alive(self, error));
    if (self->loaded && self->t == t)
        return CA_OK;
    CA_TRY(lab_fetch(self, error));
    ca_lattice_copy(&self->given, &self->now);
    CA_TRY(lab_failed(self, ca_lab_submission_load(&self->submission, &self->given, t), error));
    self->loaded = true;
    self->t = t;
    self->clock.transfer_s += ca_now() - start;
    return CA_OK;
}

static void lab_destroy(void *instance)
{
    struct instance *self = instance;

    if (!self)
        return;
    if (self->opened)
        ca_lab_submission_free(&self->submission);
    if (self->run[0])
        ca_lab_remove_folder(self->run);
    ca_lattice_free(&self->given);
    ca_lattice_free(&self->now);
    ca_lattice_free(&self->kept);
    free(self);
}

static enum ca_status lab_available(struct ca_error *error)
{
    if (access(own.built, X_OK) == 0)
        return CA_OK;
    if (!own.refusal[0])
        ca_lab_builds_refusal(own.built, own.refusal, sizeof own.refusal);
    ca_error_set(error, CA_NO_DEVICE, "%.600s",
                 own.refusal[0] ? own.refusal : "its kernel is not compiled yet");
    if (!own.build.folder[0])
        own.refusal[0] = '\0'; /* another build may succeed */
    return CA_NO_DEVICE;
}

static enum ca_status lab_start(struct instance *self, struct ca_error *error)
{
    enum ca_lab_tool tool = ca_lab_tool_of(&own.lab);
    char program[PATH_MAX], findings[PATH_MAX + 80];
    const char *const variables[] = {findings, NULL};
    const char *slash = strrchr(own.built, '/');
    struct ca_lab_program what = {.path = program,
                                  .folder = self->run,
                                  .variables = tool == CA_LAB_EMULATOR ? variables : NULL,
                                  .limit_s = tool == CA_LAB_EMULATOR ? own.lab.watched_seconds
                                                                     : own.lab.seconds,
                                  .cpu_s = CPU_S};

    if (!realpath(own.built, program))
        return lab_available(error);
    snprintf(self->run, sizeof self->run, "%.*s/run-XXXXXX", (int)(slash - own.built), own.built);
    CA_TRY(ca_lab_temporary(self->run, error));
    snprintf(findings, sizeof findings, "CALAB_EMULATED_JSON=%s/findings", self->run);
    self->opened = true;
    return lab_failed(
        self, ca_lab_submission_open(&self->submission, &own.lab, &self->setup, &what, error),
        error);
}

/* --- the stepper ------------------------------------------------------------------------------ */

static void lab_describe(const struct ca_setup *setup, struct ca_plan *plan)
{
    const struct ca_model *model = setup->model;
    struct lab_shared layout;

    ca_lab_shared(&layout, &own.lab, setup);
    *plan = (struct ca_plan){
        .generations = 1,
        .memory_bytes = (int64_t)layout.bytes + 3 * model->planes * ca_cells(setup->size) *
                                                    (int64_t)ca_type_bytes(model->type),
        .bytes_per_cell_step = setup->backend->bytes_per_cell_step,
    };
    snprintf(plan->variant, sizeof plan->variant, "%.30s, a process by %s", own.lab.source,
             ca_lab_tool_names[ca_lab_tool_of(&own.lab)]);
}

static enum ca_status lab_plan(const struct ca_setup *setup, struct ca_plan *plan,
                               struct ca_error *error)
{
    const struct ca_slab *slab = &setup->slab;

    if (slab->ghost_low || slab->ghost_high || slab->origin != 0 ||
        slab->extent != ca_layers(setup->model, setup->size))
        return ca_fail(
            error, CA_USAGE,
            "the kernel of a lab steps the whole lattice, which cannot be cut into slabs");
    lab_describe(setup, plan);
    return CA_OK;
}

static enum ca_status lab_create(void **made, const struct ca_setup *setup, struct ca_error *error)
{
    const struct ca_model *model = setup->model;
    struct instance *self;
    struct ca_plan refused;
    enum ca_status status;

    *made = NULL;
    CA_TRY(lab_plan(setup, &refused, error));
    self = calloc(1, sizeof *self);
    if (!self)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a simulation");
    self->setup = *setup;
    status = ca_lattice_alloc(&self->given, setup->size, model->type, model->planes, error);
    if (status == CA_OK)
        status = ca_lattice_alloc(&self->now, setup->size, model->type, model->planes, error);
    if (status == CA_OK)
        status = lab_start(self, error);
    if (status == CA_OK)
        *made = self;
    else
        lab_destroy(self);
    return status;
}

static enum ca_status lab_load(void *instance, const void *const planes[], int64_t first,
                               int64_t rows, struct ca_error *error)
{
    struct instance *self = instance;
    const struct ca_model *model = self->setup.model;
    size_t row = (size_t)self->setup.size.w * ca_type_bytes(model->type);
    void *to[CA_PLANES_MAX];

    if (rows == ca_rows(self->setup.size))
        self->old = false; /* nothing of it remains */
    CA_TRY(lab_fetch(self, error));
    ca_lattice_at(&self->now, first, to);
    for (int p = 0; p < model->planes; p++)
        memcpy(to[p], planes[p], (size_t)rows * row);
    self->loaded = false;
    return CA_OK;
}

static enum ca_status lab_store(void *instance, void *const planes[], int64_t first, int64_t rows,
                                struct ca_error *error)
{
    struct instance *self = instance;
    const struct ca_model *model = self->setup.model;
    size_t row = (size_t)self->setup.size.w * ca_type_bytes(model->type);
    void *from[CA_PLANES_MAX];

    CA_TRY(lab_fetch(self, error));
    ca_lattice_at(&self->now, first, from);
    for (int p = 0; p < model->planes; p++)
        memcpy(planes[p], from[p], (size_t)rows * row);
    return CA_OK;
}

static enum ca_status lab_step(void *instance, uint64_t t, uint64_t n, struct ca_error *error)
{
    struct instance *self = instance;
    double start, usual = self->submission.limit_s;
    enum ca_status status;

    CA_TRY(lab_give(self, t, error));
    start = ca_now();
    self->submission.limit_s = usual + CELL_S * (double)n * (double)ca_cells(self->setup.size);
    status = lab_failed(self, ca_lab_submission_step(&self->submission, t, n), error);
    self->submission.limit_s = usual;
    self->clock.device_s += ca_now() - start;
    self->old = true;
    self->t = t + n;
    return status;
}

static enum ca_status lab_mark(void *instance, enum ca_mark what, struct ca_error *error)
{
    struct instance *self = instance;
    const struct ca_lattice *now = &self->now;

    if (what == CA_MARK_KEEP) {
        CA_TRY(lab_fetch(self, error));
        if (self->kept.planes == 0)
            CA_TRY(ca_lattice_alloc(&self->kept, now->size, now->type, now->planes, error));
        ca_lattice_copy(&self->kept, now);
        self->kept_t = self->t;
    } else if (what == CA_MARK_BACK) {
        ca_lattice_copy(&self->now, &self->kept);
        self->old = self->loaded = false;
        return lab_give(self, self->kept_t, error); /* here, and not in a step that is timed */
    } else {
        ca_lattice_free(&self->kept);
        self->kept = (struct ca_lattice){.planes = 0};
    }
    return CA_OK;
}

static enum ca_status lab_blocks(void *instance, const struct ca_blocks *blocks, int64_t first,
                                 int64_t rows, double *sums, struct ca_error *error)
{
    struct instance *self = instance;
    void *planes[CA_PLANES_MAX];

    CA_TRY(lab_fetch(self, error));
    ca_lattice_at(&self->now, first, planes);
    ca_blocks_add_rows(&self->setup, blocks, (const void *const *)planes, first, rows, sums);
    return CA_OK;
}

static enum ca_status lab_near(void *instance, const struct ca_blocks *blocks, int64_t first,
                               int64_t rows, double *sums, struct ca_error *error)
{
    struct instance *self = instance;
    const struct ca_model *model = self->setup.model;
    const struct ca_block_axis down = ca_blocks_down(blocks);
    int64_t begin, end;

    CA_TRY(lab_fetch(self, error));
    ca_blocks_rows(blocks, &begin, &end);
    for (int64_t y = first; y < first + rows; y++) {
        const struct ca_neighbour_rows three = ca_neighbour_rows_of(&self->setup, &self->now, y);

        if (y < begin || y >= end)
            continue;
        ca_blocks_add_neighbours(&self->setup, blocks, ca_neighbours_of(model)->add, &three,
                                 sums + ca_neighbour_sums_count(model) *
                                            ca_block_index(blocks, 0, ca_block_of(&down, y), 0));
    }
    return CA_OK;
}

static void lab_report(const void *instance, struct ca_plan *plan)
{
    lab_describe(&((const struct instance *)instance)->setup, plan);
}

static void lab_clock(void *instance, struct ca_clock *clock)
{
    *clock = ((const struct instance *)instance)->clock;
}

static const struct ca_stepper_observe observe = {.blocks = lab_blocks, .neighbours = lab_near};

static const struct ca_stepper stepper = {.plan = lab_plan,
                                          .create = lab_create,
                                          .destroy = lab_destroy,
                                          .load = lab_load,
                                          .store = lab_store,
                                          .step = lab_step,
                                          .mark = lab_mark,
                                          .observe = &observe,
                                          .report = lab_report,
                                          .clock = lab_clock};

/* --- the row ---------------------------------------------------------------------------------- */

struct ca_size ca_lab_shown_size(const struct ca_lab *lab)
{
    if (ca_lab_tool_of(lab) != CA_LAB_EMULATOR)
        return lab->model->default_size;
    return lab->model->dimensions == 3 ? (struct ca_size){32, 32, 8} : (struct ca_size){64, 48, 1};
}

enum ca_status ca_lab_backend_add(const char *folder, const char *built, struct ca_error *error)
{
    static struct ca_lab lab;
    const char *name;
    struct ca_error cause;
    enum ca_lab_tool tool;
    int cell, changing = 0;

    CA_TRY(ca_lab_read(&lab, folder, error));
    if (own.added)
        return ca_fail(error, CA_USAGE, "the lab %.400s is open already: only one can be open",
                       own.lab.folder);
    own.lab = lab;
    tool = ca_lab_tool_of(&lab);
    name = strrchr(lab.folder, '/');
    snprintf(own.title, sizeof own.title, "%.60s of %.80s", lab.source, name ? name + 1 : "");
    cell = (int)ca_type_bytes(lab.model->type);
    for (int p = 0; p < lab.model->planes; p++)
        changing += !(lab.model->constant_planes >> p & 1);
    own.backend = (struct ca_backend){
        .name = CA_LAB_BACKEND,
        .title = own.title,
        .device = tool == CA_LAB_NVCC ? CA_CUDA : CA_CPU,
        .memory_bytes_per_cell = 7.0 * lab.model->planes * cell, /* four sets, three copies */
        .bytes_per_cell_step = (double)(lab.model->planes + changing) * cell,
        .available = lab_available,
        .stepper = &stepper,
        .emulated = tool == CA_LAB_EMULATOR,
        .only_named = true,
    };
    CA_TRY(ca_backend_add(lab.model, &own.backend, error));
    own.added = true;
    if (!built) { /* the program is this process's own */
        CA_TRY(ca_lab_build_open(&own.build, &own.lab, error));
        if (ca_lab_build_with(&own.build, &own.lab, tool, &cause) != CA_OK)
            snprintf(own.refusal, sizeof own.refusal, "%.690s", cause.text);
        built = own.build.program[tool];
    }
    if (snprintf(own.built, sizeof own.built, "%s", built) >= (int)sizeof own.built ||
        !strrchr(built, '/'))
        return ca_fail(error, CA_USAGE, "--built: '%.80s' is not a path with a folder in it",
                       built);
    return CA_OK;
}

const struct ca_lab *ca_lab_backend_lab(void) { return own.added ? &own.lab : NULL; }

void ca_lab_backend_end(void) { ca_lab_build_close(&own.build); }
