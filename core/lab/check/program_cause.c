/* SPDX-License-Identifier: MIT */
/*
 * Finds the causes of a whole program's mistakes: states of other generations, exchanged axes and
 * the like, which its files show by themselves, and its neighbours and its rule by
 * core/lab/cause/influence.h, where it takes a start.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lab/cause/influence.h"
#include "core/lab/check/program.h"
#include "core/sim/simulation.h"

#define SAMPLES 3       /* generations 1, 2 and 3 */
#define CELLS_MIN 24    /* fewer agree with another state by chance */
#define CELLS_MAX 20000 /* of the lattice that is looked at */
#define PROBES_S 15     /* that probes may take */
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

static void program_finding(struct ca_findings *findings, enum ca_cause cause, const char *text)
{
    struct ca_finding *finding = &findings->finding[findings->count++];

    finding->cause = cause;
    finding->certainty = 1;
    snprintf(finding->text, sizeof finding->text, "%s", text);
}

void lab_program_unstable(struct ca_findings *findings)
{
    findings->count = 0;
    program_finding(findings, CA_CAUSE_UNSTABLE,
                    "Two runs from the same start end differently: threads read cells while others "
                    "write them, or memory is read that was never written.");
}

static bool same_states(const struct ca_lattice *a, const struct ca_lattice *b)
{
    return ca_lattice_compare(a, b).count == 0;
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

enum orientation { TRANSPOSED, UPSIDE_DOWN, MIRRORED, ROTATED, INVERTED, ORIENTATIONS };

/* The cell of the right state that stands at cell i of a plane of a turned one. */
static int64_t oriented_index(enum orientation orientation, struct ca_size size, int64_t i)
{
    int64_t layer = size.w * size.h, z = i / layer, x = i % size.w, y = i / size.w % size.h;

    i %= layer;
    switch (orientation) {
    case TRANSPOSED: /* written with y as the fastest */
        return z * layer + i % size.h * size.w + i / size.h;
    case UPSIDE_DOWN:
        return z * layer + (size.h - 1 - y) * size.w + x;
    case MIRRORED:
        return z * layer + y * size.w + size.w - 1 - x;
    case ROTATED:
        return z * layer + layer - 1 - i;
    default:
        return z * layer + i;
    }
}

static bool is_oriented(const struct ca_lattice *got, const struct ca_lattice *right,
                        enum orientation orientation, unsigned max)
{
    size_t bytes = ca_type_bytes(got->type);

    for (int p = 0; p < got->planes; p++)
        for (int64_t i = 0; i < ca_cells(got->size); i++) {
            const uint8_t *a = (const uint8_t *)got->plane[p] + (size_t)i * bytes;
            const uint8_t *b = (const uint8_t *)right->plane[p] +
                               (size_t)oriented_index(orientation, got->size, i) * bytes;

            if (orientation == INVERTED ? a[0] + b[0] != (int)max : memcmp(a, b, bytes) != 0)
                return false;
        }
    return true;
}

static bool all_oriented(const struct samples *s, enum orientation orientation)
{
    const struct ca_model *model = s->oracle.setup.model;

    if (orientation == INVERTED && (model->type != CA_U8 || model->max_value != 1))
        return false;
    for (int i = 0; i < s->count; i++)
        if (!is_oriented(&s->sample[i].got, &s->sample[i].state[1], orientation,
                         model->max_value) ||
            same_states(&s->sample[i].got, &s->sample[i].state[1]))
            return false;
    return true;
}

static void judge_samples(struct samples *s)
{
    static const char *const orientations[ORIENTATIONS] = {
        [TRANSPOSED] = "The file has x and y exchanged: it is written with y as the fastest.",
        [UPSIDE_DOWN] = "The file is upside down: row h-1 stands first in it, where row 0 should.",
        [MIRRORED] =
            "The file is mirrored: column w-1 stands first in each row, where column 0 should.",
        [ROTATED] =
            "The file is turned by 180 degrees: cell (w-1, h-1) stands first, where (0, 0) should.",
        [INVERTED] =
            "The file has dead and live exchanged: live is 1, which is black in a PBM picture."};

    for (int i = 0; i < s->count; i++)
        if (!same_states(&s->sample[i].got, &s->sample[i].again)) {
            lab_program_unstable(s->findings);
            return;
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
    for (int orientation = 0; orientation < ORIENTATIONS && s->findings->count == 0; orientation++)
        if (all_oriented(s, (enum orientation)orientation))
            program_finding(s->findings, orientation == INVERTED ? CA_CAUSE_RANGE : CA_CAUSE_AXES,
                            orientations[orientation]);
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
        judge_samples(&samples);
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
