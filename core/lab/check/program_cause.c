/* SPDX-License-Identifier: MIT */
/*
 * Finds the causes of a whole program's mistakes: states of other generations, exchanged axes and
 * the like, which its files show by themselves, and its neighbours and its rule by
 * core/lab/cause/influence.h, where it takes a start.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/formats.h"
#include "core/lab/cause/influence.h"
#include "core/lab/check/layouts.h"
#include "core/lab/check/program.h"
#include "core/sim/simulation.h"

#define SAMPLES 3       /* generations 1, 2 and 3 */
#define CELLS_MIN 24    /* fewer agree with another state by chance */
#define CELLS_MAX 20000 /* of the lattice that is looked at */
#define PROBES_S 12.0   /* that they may take where each takes as long as the longest */
#define PROBES_MIN 60   /* runs below which they would say little */

struct sample {
    uint64_t n;
    struct ca_lattice got, again;
    struct ca_lattice state[4]; /* of the reference: n - 1, n, n + 1, and the start */
};

struct samples {
    struct lab_program *program;
    struct ca_lab_oracle oracle;
    struct sample sample[SAMPLES];
    int count;
    struct ca_findings *findings;
    struct ca_error *error;
};

__attribute__((format(printf, 3, 4))) static void
program_finding(struct ca_findings *findings, enum ca_cause cause, const char *format, ...)
{
    struct ca_finding *finding = &findings->finding[findings->count++];
    va_list list;

    finding->cause = cause;
    finding->certainty = 1;
    va_start(list, format);
    vsnprintf(finding->text, sizeof finding->text, format, list);
    va_end(list);
}

void lab_program_unstable(const struct lab_program *program, struct ca_findings *findings)
{
    findings->count = 0;
    program_finding(findings, CA_CAUSE_UNSTABLE,
                    "Two runs from the same start end differently: %s.",
                    program->has_threads
                        ? "threads read cells while others write them, or memory is read that was "
                          "never written"
                        : "memory is read that was never written, or something else counts that "
                          "is not the same in each run, as the time or random numbers do");
}

/* NaN is the same as itself, and 0 another value than -0. */
static bool same_states(const struct ca_lattice *a, const struct ca_lattice *b)
{
    for (int p = 0; p < a->planes; p++)
        if (memcmp(a->plane[p], b->plane[p], ca_lattice_plane_bytes(a)) != 0)
            return false;
    return true;
}

/* --- the samples ------------------------------------------------------------------------------ */

/* A run, of whose files the last is read. */
static enum ca_status run_to_end(struct lab_program *program, const struct ca_lab_numbers *numbers,
                                 const struct ca_lattice *start, struct ca_lattice *got,
                                 struct ca_error *error)
{
    struct lab_outputs outputs;
    enum ca_status status = lab_program_run(program, numbers, start, &outputs, error);

    if (status == CA_OK)
        status = lab_program_read(program, &outputs, outputs.files.count - 1, got, error);
    lab_outputs_free(&outputs);
    return status;
}

/* The state after n generations into a new lattice. */
static enum ca_status take_sample(struct samples *s, uint64_t n, struct ca_lattice *got)
{
    const struct ca_setup *setup = &s->oracle.setup;
    struct ca_lab_numbers numbers = {setup->size, setup->seed, s->oracle.t, n};

    CA_TRY(ca_lattice_alloc(got, setup->size, setup->model->type, setup->model->planes, s->error));
    return run_to_end(s->program, &numbers, &s->oracle.state[0], got, s->error);
}

static enum ca_status reference(struct samples *s, uint64_t n, struct ca_lattice *state)
{
    const struct ca_lattice *start = &s->oracle.state[0];

    CA_TRY(ca_lattice_alloc(state, start->size, start->type, start->planes, s->error));
    ca_lattice_copy(state, start);
    for (uint64_t i = 0; i < n; i++)
        CA_TRY(ca_lab_oracle_next(&s->oracle, state, s->oracle.t + i, s->error));
    return CA_OK;
}

static enum ca_status fill_sample(struct samples *s)
{
    const struct ca_lab *lab = s->program->lab;
    bool told = s->program->has & CA_LAB_HAS_N;

    for (int i = 0; i < (told ? SAMPLES : 1); i++) {
        struct sample *sample = &s->sample[s->count++];

        sample->n = told ? (uint64_t)i + 1 : (uint64_t)lab->generation[0];
        CA_TRY(take_sample(s, sample->n, &sample->got));
        CA_TRY(take_sample(s, sample->n, &sample->again));
        for (uint64_t k = 0; k < 3; k++)
            CA_TRY(reference(s, sample->n + k - 1, &sample->state[k]));
        CA_TRY(reference(s, 0, &sample->state[3]));
    }
    return CA_OK;
}

/* The largest lattice of the lab that is not too large, rather not a square one. */
static enum ca_status choose_case(struct samples *s, bool *any)
{
    const struct ca_lab *lab = s->program->lab;
    bool tried[CA_LAB_CASES_MAX] = {false};

    for (*any = false; !*any;) {
        enum ca_status status;
        int64_t best_cells = 0;
        int best = -1;

        for (int i = 0; i < lab->sizes; i++) {
            int64_t cells = ca_cells(lab->size[i]);

            if (tried[i] || cells < CELLS_MIN || cells > CELLS_MAX)
                continue;
            cells *= lab->size[i].w == lab->size[i].h ? 1 : 4;
            if (cells > best_cells) {
                best_cells = cells;
                best = i;
            }
        }
        if (best < 0)
            return CA_OK;
        tried[best] = true;
        ca_lab_oracle_free(&s->oracle);
        status = lab_program_oracle(&s->oracle, s->program, lab->size[best], 0, 1, s->error);
        *any = status == CA_OK;
        if (status != CA_OK && status != CA_USAGE)
            return status;
    }
    return CA_OK;
}

/* --- what they show --------------------------------------------------------------------------- */

/* Whether each sample is the reference's state `which`, and that is not the right one. */
static bool all_are(const struct samples *s, int which)
{
    for (int i = 0; i < s->count; i++)
        if (!same_states(&s->sample[i].got, &s->sample[i].state[which]) ||
            same_states(&s->sample[i].state[1], &s->sample[i].state[which]))
            return false;
    return true;
}

/* --- layouts ---------------------------------------------------------------------------------- */

/* A state as a layout has it, without the cells that depend on values that come from none. */
struct shape {
    struct ca_lattice state, other; /* with those values as 0, and as 255 */
    uint8_t *unknown;               /* a byte a cell */
    int64_t known, as_right;        /* values; of those, that are the right ones too */
};

static bool value_is(const struct ca_lattice *a, const struct ca_lattice *b, int p, int64_t i)
{
    const size_t bytes = ca_type_bytes(a->type);

    return memcmp((const uint8_t *)a->plane[p] + (size_t)i * bytes,
                  (const uint8_t *)b->plane[p] + (size_t)i * bytes, bytes) == 0;
}

/* Marks the cells beside marked ones along an axis, `stride` apart. */
static void spread_along(uint8_t *marks, int64_t cells, int64_t stride, int64_t side)
{
    for (int64_t i = 0; i < cells; i++) {
        const int64_t at = i / stride % side, first = i - at * stride;

        if (marks[i] & 1) {
            marks[first + (at + 1) % side * stride] |= 2;
            marks[first + (at + side - 1) % side * stride] |= 2;
        }
    }
    for (int64_t i = 0; i < cells; i++)
        marks[i] = marks[i] != 0;
}

static void spread(uint8_t *marks, struct ca_size size, int64_t reach)
{
    const int64_t cells = ca_cells(size);

    for (int64_t i = 0; i < reach; i++) {
        spread_along(marks, cells, 1, size.w);
        spread_along(marks, cells, size.w, size.h);
        spread_along(marks, cells, size.w * size.h, size.d);
    }
}

/* The reference's state after the sample's generations from a start that is read in the layout, or
 * its state as the layout writes it. */
static enum ca_status shape_of(struct samples *s, const struct sample *sample,
                               const struct lab_layout *layout, bool reads, struct shape *shape)
{
    const struct ca_model *model = s->oracle.setup.model;
    const struct ca_lattice *from = &sample->state[reads ? 3 : 1];
    const int64_t cells = ca_cells(from->size);

    lab_layout_apply(layout, model, reads, from, 0, &shape->state);
    lab_layout_apply(layout, model, reads, from, 255, &shape->other);
    memset(shape->unknown, 0, (size_t)cells);
    for (int p = 0; p < from->planes; p++)
        for (int64_t i = 0; i < cells; i++)
            shape->unknown[i] |= !value_is(&shape->state, &shape->other, p, i);
    if (reads)
        spread(shape->unknown, from->size, model->radius * (int64_t)sample->n);
    for (uint64_t k = 0; reads && k < sample->n; k++)
        CA_TRY(ca_lab_oracle_next(&s->oracle, &shape->state, s->oracle.t + k, s->error));
    return CA_OK;
}

/* Whether the result is that state wherever it is known. */
static bool shape_agrees(struct shape *shape, const struct sample *sample)
{
    const struct ca_lattice *got = &sample->got, *right = &sample->state[1];

    for (int p = 0; p < got->planes; p++)
        for (int64_t i = 0; i < ca_cells(got->size); i++) {
            if (shape->unknown[i])
                continue;
            if (!value_is(got, &shape->state, p, i))
                return false;
            shape->known++;
            shape->as_right += value_is(got, right, p, i);
        }
    return true;
}

static enum ca_status shape_alloc(struct shape *shape, const struct ca_lattice *like,
                                  struct ca_error *error)
{
    *shape = (struct shape){.unknown = malloc((size_t)ca_cells(like->size))};
    if (!shape->unknown)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a state of a program");
    CA_TRY(ca_lattice_alloc(&shape->state, like->size, like->type, like->planes, error));
    return ca_lattice_alloc(&shape->other, like->size, like->type, like->planes, error);
}

/* Whether all samples are in the layout, and a third of their cells or more show it. */
static enum ca_status all_in_layout(struct samples *s, const struct lab_layout *layout, bool reads,
                                    bool *fits)
{
    const struct ca_lattice *like = &s->oracle.state[0];
    struct shape shape;
    enum ca_status status = shape_alloc(&shape, like, s->error);
    int64_t all = 0;

    *fits = s->count > 0;
    for (int i = 0; i < s->count && *fits && status == CA_OK; i++) {
        status = shape_of(s, &s->sample[i], layout, reads, &shape);
        *fits = status == CA_OK && shape_agrees(&shape, &s->sample[i]);
        all += like->planes * ca_cells(like->size);
    }
    *fits = *fits && shape.known > all / 3 && shape.as_right < shape.known;
    free(shape.unknown);
    ca_lattice_free(&shape.state);
    ca_lattice_free(&shape.other);
    return status == CA_WRONG || status == CA_USAGE ? CA_OK : status; /* it has no such states */
}

static void report_layout(struct samples *s, const struct lab_layout *layout, bool writes,
                          bool reads)
{
    const bool both = writes && reads;

    program_finding(
        s->findings, layout->cause, "The %s %s: it is %s %s%s%s.%s",
        writes ? "file has" : "start is taken with", layout->what, writes ? "written" : "read",
        writes || !layout->read ? layout->written : layout->read,
        both ? ", or the start is read " : "",
        !both          ? ""
        : layout->read ? layout->read
                       : "so",
        layout->cause == CA_CAUSE_SHIFTED && !layout->rows ? " Look at where the header ends."
                                                           : "");
}

static enum ca_status judge_layouts(struct samples *s)
{
    const struct lab_program *program = s->program;
    const struct ca_model *model = program->lab->model;
    const char *written = ca_format_of(program->lab->output)->ending;
    const struct lab_layout *layout;
    char read[32];

    ca_lab_input_ending(program->lab, read);
    for (int i = 0; (layout = lab_layout_number(i)) != NULL && s->findings->count == 0; i++) {
        bool writes = lab_layout_fits(layout, model, written);
        bool reads = program->has & CA_LAB_HAS_INPUT && lab_layout_fits(layout, model, read);

        if (writes)
            CA_TRY(all_in_layout(s, layout, false, &writes));
        if (reads)
            CA_TRY(all_in_layout(s, layout, true, &reads));
        if (writes || reads)
            report_layout(s, layout, writes, reads);
    }
    return CA_OK;
}

/* --- NaN -------------------------------------------------------------------------------------- */

static void judge_nan(struct samples *s)
{
    const struct ca_model *model = s->program->lab->model;

    for (int i = 0; i < s->count && model->type == CA_F32; i++) {
        const struct ca_lattice *got = &s->sample[i].got;
        int64_t count = 0, first = 0;
        char size[64];
        int plane = 0;

        for (int p = got->planes - 1; p >= 0; p--)
            for (int64_t k = ca_cells(got->size) - 1; k >= 0; k--)
                if (isnan(((const float *)got->plane[p])[k])) {
                    count++;
                    first = k;
                    plane = p;
                }
        if (count == 0)
            continue;
        program_finding(s->findings, CA_CAUSE_RANGE,
                        "The file has NaN, which is no number: on %s %lld after %llu generation%s, "
                        "the first in plane %s at (%lld, %lld). It comes of 0/0, of the root of a "
                        "negative number, or of bytes that are no floats.",
                        ca_size_format(size, got->size, model->dimensions), (long long)count,
                        (unsigned long long)s->sample[i].n, s->sample[i].n == 1 ? "" : "s",
                        model->plane_names[plane], (long long)(first % got->size.w),
                        (long long)(first / got->size.w % got->size.h));
        return;
    }
}

static enum ca_status judge_samples(struct samples *s)
{
    for (int i = 0; i < s->count; i++)
        if (!same_states(&s->sample[i].got, &s->sample[i].again)) {
            lab_program_unstable(s->program, s->findings);
            return CA_OK;
        }
    if (all_are(s, 3))
        program_finding(
            s->findings, CA_CAUSE_GENERATION,
            "The file holds the start, unchanged: nothing is computed, or the wrong one of two "
            "buffers is written.");
    else if (all_are(s, 0))
        program_finding(s->findings, CA_CAUSE_GENERATION,
                        "The file is one generation late: one fewer than n is made.");
    else if (all_are(s, 2))
        program_finding(s->findings, CA_CAUSE_GENERATION,
                        "The file is one generation early: one more than n is made.");
    if (s->findings->count == 0)
        CA_TRY(judge_layouts(s));
    if (s->findings->count == 0)
        judge_nan(s);
    return CA_OK;
}

/* --- probes ----------------------------------------------------------------------------------- */

static enum ca_status probe_run(void *context, const struct ca_lattice *start, uint64_t generation,
                                uint64_t generations, struct ca_lattice *result,
                                struct ca_error *error)
{
    struct lab_program *program = context;
    struct ca_lab_numbers numbers = {start->size, program->lab->seed[0], generation, generations};

    return run_to_end(program, &numbers, start, result, error);
}

static enum ca_status probe_program(struct lab_program *program, struct ca_findings *findings,
                                    struct ca_error *error)
{
    const struct ca_lab *lab = program->lab;
    const unsigned needed =
        CA_LAB_HAS_INPUT | CA_LAB_HAS_N | (ca_may_draw(lab->model) ? CA_LAB_HAS_T : 0);
    struct ca_probing probing = {
        .size = lab->sizes == 1 ? lab->size[0] : ca_probing_size(lab->model),
        .runs = (int)(PROBES_S / (program->longest_s + 0.005)),
    };
    struct ca_experiment experiment = ca_lab_experiment(lab, probing.size, lab->seed[0]);
    struct ca_subject subject = {.experiment = &experiment, .run = probe_run, .context = program};
    enum ca_status status;

    if ((program->has & needed) != needed || probing.runs < PROBES_MIN ||
        ca_experiment_check(&experiment, error) != CA_OK)
        return CA_OK;
    if (probing.runs > 400)
        probing.runs = 0; /* as many as the probes like */
    status = ca_find_causes(&subject, &probing, findings, error);
    if (status == CA_WRONG || status == CA_USAGE)
        findings->count = 0;
    for (int i = 0; i < findings->count; i++)
        if (findings->finding[i].cause == CA_CAUSE_UNSTABLE)
            lab_program_unstable(program, findings);
    return status == CA_WRONG || status == CA_USAGE ? CA_OK : status;
}

enum ca_status lab_program_why(struct lab_program *program, struct ca_findings *findings,
                               struct ca_error *error)
{
    struct samples samples = {.program = program, .findings = findings, .error = error};
    bool any = false;
    enum ca_status status;

    findings->count = 0;
    program->longest_s = 0;
    status = choose_case(&samples, &any);
    if (status == CA_OK && any)
        status = fill_sample(&samples);
    if (status == CA_OK && any)
        status = judge_samples(&samples);
    for (int i = 0; i < samples.count; i++) {
        ca_lattice_free(&samples.sample[i].got);
        ca_lattice_free(&samples.sample[i].again);
        for (int k = 0; k < 4; k++)
            ca_lattice_free(&samples.sample[i].state[k]);
    }
    ca_lab_oracle_free(&samples.oracle);
    if (status == CA_WRONG) { /* it fails there: that says nothing of the cells */
        memset(&program->fault, 0, sizeof program->fault);
        status = CA_OK;
    }
    if (status == CA_OK && findings->count == 0)
        status = probe_program(program, findings, error);
    memset(&program->fault, 0, sizeof program->fault);
    return status;
}
