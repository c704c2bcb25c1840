/* SPDX-License-Identifier: MIT */
/* Makes random states, runs the kernel and the reference on them, and keeps samples of both. */
#include "core/lab/cause/cause.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/clock.h"
#include "core/model/digest.h"
#include "core/sim/simulation.h"

#define RUNS 1200
#define SAMPLES_MIN 8
#define SOLID_SHARE 6000 /* cells that become solid, of 65536 */

struct ca_size ca_probing_size(const struct ca_model *model)
{
    /* No tile of 8, 16 or 32 divides the sides, and each lies in them twice where that is cheap. */
    return model->dimensions == 3 ? (struct ca_size){70, 20, 17} : (struct ca_size){100, 76, 1};
}

enum ca_status prober_lattice(struct prober *prober, struct ca_lattice *lattice)
{
    return ca_lattice_alloc(lattice, prober->setup.size, prober->model->type, prober->model->planes,
                            prober->error);
}

static enum ca_status open_reference(struct prober *prober)
{
    const struct ca_model *model = prober->model;
    struct ca_error ignored;

    if (model->check)
        CA_TRY(model->check(&prober->setup, prober->error));
    CA_TRY(prober->stepper->create(&prober->reference, &prober->setup, prober->error));
    CA_TRY(prober_lattice(prober, &prober->initial));
    /* A file gives solid cells for its own size alone, so that these states have none. */
    if (ca_solid_mask(model) && prober->setup.start >= 0 &&
        model->start->init(&prober->setup, prober->setup.start, &prober->initial, &ignored) !=
            CA_OK)
        memset(prober->initial.plane[0], 0, (size_t)prober->cells);
    for (int s = 0; s < CAUSE_SAMPLES; s++) {
        CA_TRY(prober_lattice(prober, &prober->sample[s].start));
        CA_TRY(prober_lattice(prober, &prober->sample[s].expected));
        CA_TRY(prober_lattice(prober, &prober->sample[s].got));
    }
    for (int i = 0; i < 2; i++)
        CA_TRY(prober_lattice(prober, &prober->scratch[i]));
    for (int i = 0; i < 3; i++)
        if (!(prober->set[i] = malloc((size_t)prober->cells)))
            return prober_short(prober);
    prober->wrong = calloc((size_t)prober->cells, sizeof *prober->wrong);
    return prober->wrong ? CA_OK : prober_short(prober);
}

enum ca_status prober_short(const struct prober *prober)
{
    return ca_fail(prober->error, CA_NO_MEMORY, "no memory for %lld cells",
                   (long long)prober->cells);
}

static double processor_s(void)
{
    struct timespec spent;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return (double)spent.tv_sec + (double)spent.tv_nsec * 1e-9;
}

double prober_spent_s(const struct prober *prober)
{
    const int runs = prober->findings->runs;

    return processor_s() - prober->begun_s + (runs > 0 ? runs * prober->run_s : 0);
}

enum ca_status prober_open(struct prober *prober, const struct ca_subject *subject,
                           const struct ca_probing *probing, struct ca_findings *findings,
                           struct ca_error *error)
{
    const struct ca_model *model = subject->experiment->model;
    struct ca_experiment experiment = *subject->experiment;
    const struct ca_size size = probing->size.w ? probing->size : ca_probing_size(model);
    const int64_t side[3] = {size.w, size.h, size.d}, least = 4 * model->radius + 5;
    enum ca_status status;

    *prober = (struct prober){.subject = subject, .model = model, .findings = findings};
    prober->error = error;
    experiment.size = size;
    CA_TRY(ca_size_check(experiment.size, model->dimensions, "size of probes", error));
    /* In smaller lattices two neighbours of a cell can be the same cell. */
    for (int a = 0; a < 3 && a < model->dimensions; a++)
        if (side[a] < least)
            return ca_fail(error, CA_USAGE,
                           "size of probes: %c = %lld is too small, at least %lld is needed",
                           "WHD"[a], (long long)side[a], (long long)least);
    ca_experiment_backend(&experiment, &model->backends[0], CA_BUILT_IN);
    prober->setup = ca_setup_of(&experiment);
    prober->stepper = model->backends[0].stepper;
    prober->cells = ca_cells(experiment.size);
    prober->bits = ca_plane_bits(model);
    prober->channels = model->planes * prober->bits;
    prober->seed = probing->seed;
    prober->runs_max = probing->runs ? probing->runs : RUNS;
    prober->seconds = probing->seconds > 0 ? probing->seconds : INFINITY;
    prober->begun_s = processor_s();
    prober->run_s = INFINITY;
    status = open_reference(prober);
    if (status != CA_OK)
        prober_close(prober);
    return status;
}

void prober_close(struct prober *prober)
{
    if (prober->reference)
        prober->stepper->destroy(prober->reference);
    ca_lattice_free(&prober->initial);
    for (int i = 0; i < 2; i++)
        ca_lattice_free(&prober->scratch[i]);
    for (int i = 0; i < 3; i++)
        free(prober->set[i]);
    for (int s = 0; s < CAUSE_SAMPLES; s++) {
        ca_lattice_free(&prober->sample[s].start);
        ca_lattice_free(&prober->sample[s].expected);
        ca_lattice_free(&prober->sample[s].got);
    }
    free(prober->wrong);
}

/* --- states ----------------------------------------------------------------------------------- */

uint64_t prober_draw(struct prober *prober, uint64_t below)
{
    return ca_digest_term(prober->seed, prober->drawn++) % below;
}

static double random_unit(struct prober *prober)
{
    return (double)prober_draw(prober, (uint64_t)1 << 53) * 0x1p-53;
}

/* Whether a plane of floats stands on plane 0, which it is never below: brushes say so. */
static bool budget_is_over(const struct ca_model *model, int plane)
{
    for (const struct ca_brush *brush = model->brushes; brush && brush->name; brush++)
        if (brush->over && brush->planes >> plane & 1)
            return true;
    return false;
}

/* Draws 16 bits at a time, four of a number. */
struct draws {
    struct prober *prober;
    uint64_t word;
    int left;
};

static inline unsigned draw_16(struct draws *draws)
{
    unsigned drawn;

    if (draws->left-- == 0) {
        draws->word = ca_digest_term(draws->prober->seed, draws->prober->drawn++);
        draws->left = 3;
    }
    drawn = draws->word & 0xffff;
    draws->word >>= 16;
    return drawn;
}

static const double densities[] = {0.5, 0.2, 0.8, 0.35, 0.05, 0.65, 0.95, 0.12};
#define DENSITIES (sizeof densities / sizeof densities[0])

uint8_t prober_state(const struct ca_model *model, unsigned bits)
{
    const unsigned states =
        model->max_value + 1U; /* mostly a power of two: a division takes long */
    uint8_t byte = (uint8_t)(states & (states - 1) ? bits % states : bits & (states - 1)), all = 0;

    if (!model->parts)
        return byte;
    for (const struct ca_part *part = model->parts; part->name; part++)
        all |= (uint8_t)(ca_part_state(part, byte) % part->states << part->shift);
    return all;
}

static void fill_bytes(struct prober *prober, struct ca_lattice *state)
{
    struct draws draws = {.prober = prober};

    for (int p = 0; p < state->planes; p++) {
        uint8_t *cells = state->plane[p];
        const uint8_t *initial = prober->initial.plane[p];
        uint64_t below[CAUSE_CHANNELS_MAX] = {0};
        double common = densities[prober_draw(prober, DENSITIES)];
        bool one = prober_draw(prober, 2);

        /* Bits of one density make counts and states that are rare at others. */
        for (int b = 0; b < prober->bits; b++)
            below[b] =
                (uint64_t)(65536 * (one ? common : densities[prober_draw(prober, DENSITIES)]));
        for (int64_t i = 0; i < prober->cells; i++) {
            unsigned mask = p == 0 ? ca_solid_mask(prober->model) : 0;

            cells[i] = initial[i] & mask;
            for (int b = 0; b < prober->bits; b++)
                if (!(mask >> b & 1) && draw_16(&draws) < below[b])
                    cells[i] |= (uint8_t)(1 << b);
            cells[i] = prober_state(prober->model, cells[i]);
        }
    }
    for (int64_t i = 0; i < prober->cells && ca_solid_mask(prober->model); i++)
        if (prober_draw(prober, 65536) < SOLID_SHARE)
            ((uint8_t *)state->plane[0])[i] |= ca_solid_mask(prober->model);
}

/* Values of either sign of a plane, and above plane 0 of one that stands on it. */
static float random_value(struct prober *prober, int plane, float ground, double scale)
{
    double value = scale * random_unit(prober);

    if (budget_is_over(prober->model, plane)) {
        float over = ground + (float)value;

        return over < ground ? ground : over;
    }
    return (float)(prober_draw(prober, 2) ? value : -value);
}

static void fill_floats(struct prober *prober, struct ca_lattice *state)
{
    for (int p = 0; p < state->planes; p++) {
        float *cells = state->plane[p];
        const float *ground = state->plane[0];
        double scale = (double)(UINT64_C(1) << prober_draw(prober, 7)) / 4;
        double density = densities[prober_draw(prober, DENSITIES)];

        for (int64_t i = 0; i < prober->cells; i++) {
            bool set = random_unit(prober) < density;
            double of = set ? scale : 0;

            cells[i] = random_value(prober, p, p > 0 ? ground[i] : 0, of) + 0.0F;
        }
    }
}

void prober_fill(struct prober *prober, struct ca_lattice *state)
{
    if (state->type == CA_U8)
        fill_bytes(prober, state);
    else
        fill_floats(prober, state);
}

enum ca_status ca_probing_state(const struct ca_model *model, uint64_t seed,
                                struct ca_lattice *state, struct ca_error *error)
{
    struct prober *prober = calloc(1, sizeof *prober);

    if (!prober)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a random state");
    prober->model = model;
    prober->bits = ca_plane_bits(model);
    prober->cells = ca_cells(state->size);
    prober->seed = seed;
    prober->initial = *state; /* each cell is read before it is written */
    prober_fill(prober, state);
    free(prober);
    return CA_OK;
}

void prober_flip(struct prober *prober, struct ca_lattice *state, int64_t cell, int channel)
{
    int plane = channel / prober->bits;
    float *cells = state->plane[plane], value = 0;

    if (state->type == CA_U8) {
        uint8_t *at = (uint8_t *)state->plane[plane] + cell;

        *at = prober_state(prober->model, *at ^ 1U << channel % prober->bits);
        return;
    }
    value = cells[cell];
    while (cells[cell] == value) {
        double scale = (double)(UINT64_C(1) << prober_draw(prober, 6)) / 4;

        cells[cell] = random_value(prober, plane, ((float *)state->plane[0])[cell], scale) + 0.0F;
        for (int p = 1; plane == 0 && p < state->planes; p++)
            if (budget_is_over(prober->model, p) && cells[cell] > ((float *)state->plane[p])[cell])
                cells[cell] =
                    ((float *)state->plane[p])[cell] - (float)(scale * random_unit(prober));
    }
}

/* --- runs ------------------------------------------------------------------------------------- */

enum ca_status prober_kernel(struct prober *prober, const struct ca_lattice *start, uint64_t t,
                             uint64_t n, int poison, struct ca_lattice *result)
{
    enum ca_status status;
    double begun;

    for (int p = 0; p < result->planes; p++)
        memset(result->plane[p], poison, ca_lattice_plane_bytes(result));
    prober->findings->runs++;
    begun = ca_now();
    status = prober->subject->run(prober->subject->context, start, t, n, result, prober->error);
    prober->run_s = fmin(prober->run_s, ca_now() - begun);
    return status;
}

enum ca_status prober_reference(struct prober *prober, const struct ca_lattice *start, uint64_t t,
                                uint64_t n, struct ca_lattice *result)
{
    void *const self = prober->reference;
    void *planes[CA_PLANES_MAX];

    ca_lattice_at(start, 0, planes);
    CA_TRY(prober->stepper->load(self, (const void *const *)planes, 0, ca_rows(start->size),
                                 prober->error));
    if (n > 0)
        CA_TRY(prober->stepper->step(self, t, n, prober->error));
    return prober->stepper->store(self, result->plane, 0, ca_rows(start->size), prober->error);
}

enum ca_status prober_sample(struct prober *prober)
{
    prober->constant = (1U << prober->model->planes) - 1;
    for (int s = 0; s < CAUSE_SAMPLES; s++) {
        struct cause_sample *sample = &prober->sample[s];

        prober_fill(prober, &sample->start);
        sample->t = s == 0 ? 0 : prober_draw(prober, 1000);
        CA_TRY(prober_reference(prober, &sample->start, sample->t, 1, &sample->expected));
        CA_TRY(
            prober_kernel(prober, &sample->start, sample->t, 1, s % 2 ? 0x5a : 0xa5, &sample->got));
        for (int64_t i = 0; i < prober->cells; i++)
            if (cell_differs(&sample->expected, &sample->got, i)) {
                prober->wrong_cells += prober->wrong[i]++ == 0;
                prober->wrong_events++;
            }
        for (int p = 0; p < prober->model->planes; p++)
            if (memcmp(sample->start.plane[p], sample->expected.plane[p],
                       ca_lattice_plane_bytes(&sample->start)) != 0)
                prober->constant &= ~(1U << p);
        prober->samples++;
        if (prober->samples >= SAMPLES_MIN && prober_spent_s(prober) > prober->seconds / 2)
            break; /* a kernel that takes long */
    }
    return CA_OK;
}

/* --- cells ------------------------------------------------------------------------------------ */

bool value_differs(const struct ca_lattice *a, const struct ca_lattice *b, int plane, int64_t cell)
{
    size_t bytes = ca_type_bytes(a->type), at = (size_t)cell * bytes;

    return memcmp((char *)a->plane[plane] + at, (char *)b->plane[plane] + at, bytes) != 0;
}

bool cell_differs(const struct ca_lattice *a, const struct ca_lattice *b, int64_t cell)
{
    for (int p = 0; p < a->planes; p++)
        if (value_differs(a, b, p, cell))
            return true;
    return false;
}

bool lattice_same(const struct ca_lattice *a, const struct ca_lattice *b)
{
    for (int p = 0; p < a->planes; p++)
        if (memcmp(a->plane[p], b->plane[p], ca_lattice_plane_bytes(a)) != 0)
            return false;
    return true;
}

void cell_at(struct ca_size size, int64_t cell, int64_t at[3])
{
    at[0] = cell % size.w;
    at[1] = cell / size.w % size.h;
    at[2] = cell / size.w / size.h;
}

int64_t cell_beside(struct ca_size size, const int64_t at[3], const int offset[3])
{
    const int64_t side[3] = {size.w, size.h, size.d};
    int64_t beside[3];

    for (int a = 0; a < 3; a++)
        beside[a] = ((at[a] + offset[a]) % side[a] + side[a]) % side[a];
    return (beside[2] * size.h + beside[1]) * size.w + beside[0];
}

void prober_block(const struct prober *prober, uint8_t *blocked, const int64_t at[3], int reach)
{
    const struct ca_size size = prober->setup.size;
    const int far = 2 * reach, deep = size.d > 1 ? far : 0;

    for (int z = -deep; z <= deep; z++)
        for (int y = -far; y <= far; y++) {
            const int64_t layer = ((at[2] + z) % size.d + size.d) % size.d;
            const int64_t row = ((at[1] + y) % size.h + size.h) % size.h;
            uint8_t *cells = blocked + (layer * size.h + row) * size.w;
            int64_t u = ((at[0] - far) % size.w + size.w) % size.w;

            for (int x = -far; x <= far; x++) {
                cells[u] = 1;
                u = u + 1 < size.w ? u + 1 : 0;
            }
        }
}

unsigned cell_channels(const struct prober *prober, const struct ca_lattice *state, int64_t cell)
{
    unsigned bits = 0;

    for (int p = 0; p < state->planes; p++)
        bits |= (unsigned)((uint8_t *)state->plane[p])[cell] << (p * prober->bits);
    return bits;
}

/* --- findings --------------------------------------------------------------------------------- */

enum ca_status cause_fits(struct prober *prober, const struct cause_other *other, bool *fits)
{
    *fits = true;
    for (int s = 0; s < prober->samples && *fits; s++) {
        const struct cause_sample *sample = &prober->sample[s];

        CA_TRY(prober_reference(prober, &sample->start,
                                other->fixed ? other->t : sample->t + other->t, other->n,
                                &prober->scratch[0]));
        *fits = lattice_same(&prober->scratch[0], &sample->got);
    }
    return CA_OK;
}

enum ca_status cause_others(struct prober *prober, enum ca_cause cause,
                            const struct cause_other *others, size_t count, bool *done)
{
    for (size_t i = 0; i < count && !*done; i++) {
        CA_TRY(cause_fits(prober, &others[i], done));
        if (*done)
            cause_add(prober, cause, 1, "%s", others[i].text);
    }
    return CA_OK;
}

void cause_add(struct prober *prober, enum ca_cause cause, double certainty, const char *format,
               ...)
{
    struct ca_findings *findings = prober->findings;
    struct ca_finding *finding = &findings->finding[findings->count];
    va_list list;

    if (findings->count == CA_FINDINGS_MAX)
        return;
    finding->cause = cause;
    finding->certainty = certainty;
    va_start(list, format);
    vsnprintf(finding->text, sizeof finding->text, format, list);
    va_end(list);
    for (int i = 0; i < findings->count; i++)
        if (strcmp(findings->finding[i].text, finding->text) == 0)
            return;
    findings->count++;
}
