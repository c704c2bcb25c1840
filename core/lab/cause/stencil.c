/* SPDX-License-Identifier: MIT */
/*
 * Probes influence: which neighbours the kernel reads, and which the reference; and puts them in
 * words.
 *
 * In each round some cells of a random state are changed, so far apart that no cell reads two of
 * them; both states take a step. A cell of the result that differs has read the changed cell beside
 * it. A few states are tried on the reference first, and the kernel gets the one on which the
 * reference shows most of what is not yet known.
 */
#include "core/lab/cause/cause.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CANDIDATES 4
#define CANDIDATES_OF_FEW 48 /* where so few cells can be changed that most show nothing */
#define OF_A_STATE 2 /* of which so many change cells of one state, which takes long to make */
#define FEW_FLIPS 4
#define ROUNDS_MIN 24
#define READ_MIN 3
#define LISTED_MAX 9

struct flip {
    int64_t cell;
    int channel;
};

/* A state before and after its changes. */
struct round {
    struct ca_lattice base, changed, expected[2];
    struct flip *flip;
    int flips;
    double worth;
};

struct probe {
    struct prober *prober;
    struct stencil *stencil;
    const uint8_t *target; /* set 0 of the prober */
    int64_t *targets, count;
    uint8_t *blocked; /* set 1 */
    struct round round[2];
    struct ca_lattice got[2];
};

static bool is_known(const struct stencil *stencil, int row, int pair)
{
    return (stencil->far == 0 && stencil->read[row][pair] > 0) ||
           stencil->wanted[row][pair] >= stencil->enough;
}

/* A pair that the reference has shown to matter and of which too little is known, or any. */
static int choose_pair(struct probe *probe)
{
    const struct stencil *s = probe->stencil;

    for (int i = 0; i < 8; i++) {
        int pair = (int)prober_draw(probe->prober, (uint64_t)s->pairs);

        for (int row = 0; row < 2; row++)
            if (s->seen[row][pair] > 0 && !is_known(s, row, pair))
                return pair;
    }
    return (int)prober_draw(probe->prober, (uint64_t)s->pairs);
}

/* Fills a round: a random state, or that of another round, and the same with changed cells beside
 * targets. */
static void change_cells(struct probe *probe, const struct round *other, struct round *round)
{
    struct prober *prober = probe->prober;
    struct ca_size size = prober->setup.size;
    int side = 2 * probe->stencil->reach + 1, most;

    most = (int)(prober->cells / (side * side * (size.d > 1 ? side : 1))) + 1;
    if (other)
        ca_lattice_copy(&round->base, &other->base);
    else
        prober_fill(prober, &round->base);
    ca_lattice_copy(&round->changed, &round->base);
    memset(probe->blocked, 0, (size_t)prober->cells);
    round->flips = 0;
    for (int i = 0; i < 3 * most && round->flips < most; i++) {
        int64_t target = probe->targets[prober_draw(prober, (uint64_t)probe->count)], at[3], cell;
        int pair = choose_pair(probe);

        cell_at(size, target, at);
        cell = cell_beside(size, at, probe->stencil->pair[pair].offset);
        if (probe->blocked[cell])
            continue;
        cell_at(size, cell, at);
        prober_block(prober, probe->blocked, at, probe->stencil->reach);
        round->flip[round->flips] = (struct flip){cell, probe->stencil->pair[pair].channel};
        prober_flip(prober, &round->changed, cell, round->flip[round->flips++].channel);
    }
}

/* Calls `visit` with each target beside each changed cell. */
static void visit_targets(struct probe *probe, struct round *round,
                          void (*visit)(struct probe *, struct round *, int row, int pair,
                                        int64_t cell))
{
    const struct stencil *s = probe->stencil;
    struct ca_size size = probe->prober->setup.size;
    int per_channel = s->pairs / probe->prober->channels;

    for (int f = 0; f < round->flips; f++) {
        int first = round->flip[f].channel * per_channel;
        int64_t at[3];

        cell_at(size, round->flip[f].cell, at);
        for (int i = first; i < first + per_channel; i++) {
            const int *o = s->pair[i].offset, back[3] = {-o[0], -o[1], -o[2]};
            int64_t cell = cell_beside(size, at, back);

            if (probe->target[cell])
                visit(probe, round, (int)(cell / size.w % size.h % 2), i, cell);
        }
    }
}

/* Whether two results differ in a cell, in planes that a step may change: the others show what was
 * changed itself. */
static bool changes(const struct prober *prober, const struct ca_lattice *a,
                    const struct ca_lattice *b, int64_t cell)
{
    for (int p = 0; p < a->planes; p++)
        if (!(prober->constant >> p & 1) && value_differs(a, b, p, cell))
            return true;
    return false;
}

static void add_worth(struct probe *probe, struct round *round, int row, int pair, int64_t cell)
{
    if (!changes(probe->prober, &round->expected[0], &round->expected[1], cell))
        return;
    probe->stencil->seen[row][pair]++;
    round->worth += 1.0 / (1 + probe->stencil->wanted[row][pair]);
}

static void count_reads(struct probe *probe, struct round *round, int row, int pair, int64_t cell)
{
    struct stencil *s = probe->stencil;

    probe->blocked[cell] = 1;
    s->tries[row][pair]++;
    s->wanted[row][pair] += changes(probe->prober, &round->expected[0], &round->expected[1], cell);
    s->read[row][pair] += changes(probe->prober, &probe->got[0], &probe->got[1], cell);
}

static enum ca_status make_round(struct probe *probe, uint64_t t, const struct round *other,
                                 struct round *round)
{
    struct prober *prober = probe->prober;

    change_cells(probe, other, round);
    if (other)
        ca_lattice_copy(&round->expected[0], &other->expected[0]);
    else
        CA_TRY(prober_reference(prober, &round->base, t, 1, &round->expected[0]));
    CA_TRY(prober_reference(prober, &round->changed, t, 1, &round->expected[1]));
    round->worth = 0;
    visit_targets(probe, round, add_worth);
    return CA_OK;
}

static enum ca_status run_round(struct probe *probe)
{
    struct prober *prober = probe->prober;
    uint64_t t = prober_draw(prober, 1000);
    int best = 0, candidates;

    CA_TRY(make_round(probe, t, NULL, &probe->round[0]));
    candidates = probe->round[0].flips > FEW_FLIPS ? CANDIDATES : CANDIDATES_OF_FEW;
    for (int i = 1; i < candidates; i++) {
        CA_TRY(make_round(probe, t,
                          candidates > CANDIDATES && i % OF_A_STATE ? &probe->round[best] : NULL,
                          &probe->round[!best]));
        if (probe->round[!best].worth > probe->round[best].worth)
            best = !best;
    }
    CA_TRY(prober_kernel(prober, &probe->round[best].base, t, 1, 0x5a, &probe->got[0]));
    CA_TRY(prober_kernel(prober, &probe->round[best].changed, t, 1, 0x5a, &probe->got[1]));
    memset(probe->blocked, 0, (size_t)prober->cells);
    visit_targets(probe, &probe->round[best], count_reads);
    for (int64_t i = 0; i < probe->count; i++) {
        int64_t cell = probe->targets[i];

        if (probe->blocked[cell]) /* near a changed one */
            continue;
        probe->stencil->far_tries++;
        probe->stencil->far += changes(prober, &probe->got[0], &probe->got[1], cell);
    }
    return CA_OK;
}

static bool all_known(const struct stencil *stencil)
{
    for (int row = 0; row < 2; row++)
        for (int i = 0; i < stencil->pairs; i++)
            if (stencil->seen[row][i] > 0
                    ? !is_known(stencil, row, i)
                    : stencil->read[row][i] > 0 &&
                          stencil_verdict(stencil, row, i) == STENCIL_UNDECIDED)
                return false;
    return true;
}

static enum ca_status open_probe(struct probe *probe)
{
    struct prober *prober = probe->prober;
    size_t cells = (size_t)prober->cells;

    probe->targets = malloc(cells * sizeof *probe->targets);
    for (int i = 0; i < 2; i++) {
        struct round *round = &probe->round[i];

        round->flip = malloc(cells * sizeof *round->flip);
        if (!probe->targets || !round->flip)
            return prober_short(prober);
        CA_TRY(prober_lattice(prober, &round->base));
        CA_TRY(prober_lattice(prober, &round->changed));
        CA_TRY(prober_lattice(prober, &round->expected[0]));
        CA_TRY(prober_lattice(prober, &round->expected[1]));
        CA_TRY(prober_lattice(prober, &probe->got[i]));
    }
    for (int64_t i = 0; i < prober->cells; i++)
        if (probe->target[i])
            probe->targets[probe->count++] = i;
    return CA_OK;
}

enum ca_status stencil_probe(struct prober *prober, struct stencil *stencil, int rounds, int enough)
{
    struct probe probe = {
        .prober = prober, .stencil = stencil, .target = prober->set[0], .blocked = prober->set[1]};
    int reach =
        prober->model->radius < STENCIL_REACH_MAX ? prober->model->radius + 1 : STENCIL_REACH_MAX;
    int deep = prober->model->dimensions == 3 ? reach : 0;
    enum ca_status status;

    memset(stencil, 0, sizeof *stencil);
    stencil->reach = reach;
    stencil->enough = enough;
    for (int c = 0; c < prober->channels; c++)
        for (int z = -deep; z <= deep; z++)
            for (int y = -reach; y <= reach; y++)
                for (int x = -reach; x <= reach; x++)
                    if (stencil->pairs < STENCIL_PAIRS_MAX)
                        stencil->pair[stencil->pairs++] = (struct stencil_pair){{x, y, z}, c};
    status = open_probe(&probe);
    for (int i = 0; status == CA_OK && probe.count > 0 && i < rounds; i++) {
        if (i >= ROUNDS_MIN && (all_known(stencil) || prober_spent_s(prober) > prober->seconds))
            break;
        status = run_round(&probe);
    }
    for (int i = 0; i < 2; i++) {
        struct round *round = &probe.round[i];

        free(round->flip);
        ca_lattice_free(&round->base);
        ca_lattice_free(&round->changed);
        ca_lattice_free(&round->expected[0]);
        ca_lattice_free(&round->expected[1]);
        ca_lattice_free(&probe.got[i]);
    }
    free(probe.targets);
    return status;
}

bool stencil_reads(const struct stencil *s, int row, int pair)
{
    double chance = s->far_tries ? (double)s->far / (double)s->far_tries : 0;

    return s->read[row][pair] > 6 * chance * s->tries[row][pair];
}

enum stencil_verdict stencil_verdict(const struct stencil *stencil, int row, int pair)
{
    int wanted = stencil->wanted[row][pair], read = stencil->read[row][pair];
    bool reads = stencil_reads(stencil, row, pair);

    if ((wanted > 0) == reads)
        return STENCIL_SAME;
    if (wanted >= stencil->enough)
        return STENCIL_MISSING;
    if (read >= READ_MIN && reads && wanted == 0 &&
        stencil->tries[row][pair] >= 2 * stencil->enough)
        return STENCIL_EXTRA;
    return STENCIL_UNDECIDED;
}

/* --- neighbours, and sets of them, in words ----------------------------------------------------
 */

char *pair_text(char text[CAUSE_NAME_MAX], const struct prober *prober,
                const struct stencil_pair *pair)
{
    int used = 0;

    if (prober->model->planes > 1)
        used = snprintf(text, CAUSE_NAME_MAX, "%.32s of ",
                        prober->model->plane_names[pair->channel / prober->bits]);
    else if (prober->bits > 1)
        used = snprintf(text, CAUSE_NAME_MAX, "bit %d of ", pair->channel % prober->bits);
    for (int a = 0; a < prober->model->dimensions; a++) {
        used += snprintf(text + used, (size_t)(CAUSE_NAME_MAX - used), "%s%c", a ? ", " : "(",
                         "xyz"[a]);
        if (pair->offset[a])
            used += snprintf(text + used, (size_t)(CAUSE_NAME_MAX - used), "%+d", pair->offset[a]);
    }
    snprintf(text + used, (size_t)(CAUSE_NAME_MAX - used), ")");
    return text;
}

bool pair_is_centre(const struct stencil_pair *pair)
{
    return pair->offset[0] == 0 && pair->offset[1] == 0 && pair->offset[2] == 0;
}

/* The axes along which a neighbour is away. */
static int away(const struct stencil_pair *pair)
{
    return (pair->offset[0] != 0) + (pair->offset[1] != 0) + (pair->offset[2] != 0);
}

/* Whether the set is exactly those of `all` that `test` accepts with this number, two at least. */
static bool is_just(const struct stencil *stencil, const uint8_t *set, const uint8_t *all,
                    bool (*test)(const struct stencil_pair *, int), int number)
{
    int count = 0;

    for (int i = 0; i < stencil->pairs; i++) {
        bool in = all[i] && test(&stencil->pair[i], number);

        if (in != (set[i] != 0))
            return false;
        count += in;
    }
    return count > 1;
}

static bool is_neighbour(const struct stencil_pair *pair, int number)
{
    (void)number;
    return !pair_is_centre(pair);
}

static bool is_away(const struct stencil_pair *pair, int number) { return away(pair) == number; }

/* Number: axis + 3 * (coordinate + STENCIL_REACH_MAX). */
static bool is_adjacent(const struct stencil_pair *pair, int number)
{
    return pair->offset[number % 3] == number / 3 - STENCIL_REACH_MAX;
}

static bool group_text(char text[CAUSE_LIST_MAX], const struct prober *prober,
                       const struct stencil *stencil, const uint8_t *set, const uint8_t *all)
{
    int dimensions = prober->model->dimensions;

    if (is_just(stencil, set, all, is_neighbour, 0))
        return snprintf(text, CAUSE_LIST_MAX, "its neighbours") > 0;
    if (is_just(stencil, set, all, is_away, dimensions))
        return snprintf(text, CAUSE_LIST_MAX, "the %d corners of its neighbourhood",
                        1 << dimensions) > 0;
    if (dimensions == 3 && is_just(stencil, set, all, is_away, 2))
        return snprintf(text, CAUSE_LIST_MAX, "the 12 neighbours across its edges") > 0;
    for (int number = 0; number < 3 * (2 * STENCIL_REACH_MAX + 1); number++) {
        int offset = number / 3 - STENCIL_REACH_MAX;

        if (offset && is_just(stencil, set, all, is_adjacent, number))
            return snprintf(text, CAUSE_LIST_MAX, "any neighbour at %c%+d", "xyz"[number % 3],
                            offset) > 0;
    }
    return false;
}

char *pairs_text(char text[CAUSE_LIST_MAX], const struct prober *prober,
                 const struct stencil *stencil, const uint8_t *set, const uint8_t *all)
{
    int listed = 0, more = 0;
    size_t used = 0;

    if (all && group_text(text, prober, stencil, set, all))
        return text;
    text[0] = '\0';
    for (int i = 0; i < stencil->pairs; i++) {
        char name[CAUSE_NAME_MAX];

        if (!set[i])
            continue;
        pair_text(name, prober, &stencil->pair[i]);
        if (listed == LISTED_MAX || used + strlen(name) + 24 > CAUSE_LIST_MAX) {
            more++;
            continue;
        }
        used +=
            (size_t)snprintf(text + used, CAUSE_LIST_MAX - used, "%s%s", listed ? ", " : "", name);
        listed++;
    }
    if (more)
        snprintf(text + used, CAUSE_LIST_MAX - used, " and %d more", more);
    return text;
}
