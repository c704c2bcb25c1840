/* SPDX-License-Identifier: MIT */
/*
 * Tabulates the rule that a kernel of bytes computes, and the reference's: from what a cell reads
 * to what it becomes. What it reads is its own channels and the number of neighbours that are set
 * or, where each channel comes from one cell only, the bits that come together.
 *
 * A table is only used where the reference's result follows from it.
 */
#include "core/lab/cause/rule_table.h"

#include <stdlib.h>

#define MOST 0.8 /* of the cells of an entry become the same: the others have another mistake */

static bool is_centre(const struct stencil_pair *pair)
{
    return pair->offset[0] == 0 && pair->offset[1] == 0 && pair->offset[2] == 0;
}

/* Whether each channel is read of one cell. */
static bool is_by_bits(const struct prober *prober, const struct stencil *stencil)
{
    for (int row = 0; row < 2; row++) {
        int cells[CAUSE_CHANNELS_MAX] = {0};

        for (int i = 0; i < stencil->pairs; i++)
            cells[stencil->pair[i].channel] += stencil->wanted[row][i] > 0;
        for (int c = 0; c < prober->channels; c++)
            if (cells[c] > 1)
                return false;
    }
    return prober->channels > 1;
}

enum ca_status rule_table_open(struct rule_table *table, const struct prober *prober,
                               const struct stencil *stencil)
{
    *table = (struct rule_table){.stencil = stencil, .by_bits = is_by_bits(prober, stencil)};
    for (int i = 0; i < stencil->pairs; i++)
        table->neighbours += stencil->wanted[0][i] > 0 && !is_centre(&stencil->pair[i]);
    table->entries = (1 << prober->channels) * (table->by_bits ? 1 : table->neighbours + 1);
    table->wanted = calloc((size_t)table->entries, sizeof *table->wanted);
    table->got = calloc((size_t)table->entries, sizeof *table->got);
    if (table->wanted && table->got)
        return CA_OK;
    rule_table_close(table);
    return ca_fail(prober->error, CA_NO_MEMORY, "no memory for a table of %d entries",
                   table->entries);
}

void rule_table_close(struct rule_table *table)
{
    free(table->wanted);
    free(table->got);
}

/* The entry of a cell, -1 for one that reads more than the table has. */
int rule_table_entry(const struct rule_table *table, const struct prober *prober,
                     const struct ca_lattice *start, int64_t cell)
{
    const struct stencil *stencil = table->stencil;
    struct ca_size size = prober->setup.size;
    int row = (int)(cell / size.w % size.h % 2), count = 0;
    unsigned bits = 0;
    int64_t at[3];

    cell_at(size, cell, at);
    for (int i = 0; i < stencil->pairs; i++) {
        const struct stencil_pair *pair = &stencil->pair[i];
        int64_t beside;

        if (stencil->wanted[row][i] == 0 || (!table->by_bits && is_centre(pair)))
            continue;
        beside = cell_beside(size, at, pair->offset);
        if (!(cell_channels(prober, start, beside) >> pair->channel & 1))
            continue;
        bits |= 1U << pair->channel;
        count++;
    }
    if (table->by_bits)
        return (int)bits;
    if (count > table->neighbours)
        return -1;
    return (int)cell_channels(prober, start, cell) * (table->neighbours + 1) + count;
}

/* Cells whose neighbours are those of the table: of all cells those away from the edges. */
static bool counts_for(const struct prober *prober, const struct cause_place *place, int64_t cell)
{
    struct ca_size size = prober->setup.size;
    const int64_t side[3] = {size.w, size.h, size.d};
    int64_t at[3];

    cell_at(size, cell, at);
    if (!place_is_all(place))
        return place_holds(place, at);
    for (int a = 0; a < 3; a++)
        if (side[a] > 1 &&
            (at[a] < prober->model->radius || at[a] >= side[a] - prober->model->radius))
            return false;
    return true;
}

void rule_table_fill(struct rule_table *table, const struct prober *prober,
                     const struct cause_place *place)
{
    for (int s = 0; s < prober->samples; s++) {
        const struct cause_sample *sample = &prober->sample[s];

        for (int64_t i = 0; i < prober->cells; i++) {
            int entry;

            if (!counts_for(prober, place, i))
                continue;
            entry = rule_table_entry(table, prober, &sample->start, i);
            if (entry < 0)
                continue;
            table->wanted[entry][cell_channels(prober, &sample->expected, i)]++;
            table->got[entry][cell_channels(prober, &sample->got, i)]++;
            table->wrong += cell_differs(&sample->expected, &sample->got, i);
        }
    }
}

int rule_outcome(const uint32_t counts[RULE_OUTCOMES])
{
    int only = RULE_NEVER;

    for (int i = 0; i < RULE_OUTCOMES; i++) {
        if (counts[i] == 0)
            continue;
        if (only != RULE_NEVER)
            return RULE_SEVERAL;
        only = i;
    }
    return only;
}

bool rule_is_function(const struct rule_table *table, uint32_t (*const counts)[RULE_OUTCOMES])
{
    for (int i = 0; i < table->entries; i++)
        if (rule_outcome(counts[i]) == RULE_SEVERAL)
            return false;
    return true;
}

/* --- what the table says ---------------------------------------------------------------------- */

/* Whether a rule of counts of one channel depends on the sum with the cell itself alone. */
static bool is_of_sums(const struct rule_table *table, uint32_t (*const counts)[RULE_OUTCOMES])
{
    int seen = 0;

    for (int n = 0; n < table->neighbours; n++) {
        int dead = rule_outcome(counts[n + 1]);
        int live = rule_outcome(counts[table->neighbours + 1 + n]);

        if (dead < 0 || live < 0)
            continue;
        if (dead != live)
            return false;
        seen++;
    }
    return seen > 2;
}

/* Whether a live cell counts itself: it does with n neighbours what the rule says of n + 1. */
static bool counts_itself(const struct rule_table *table)
{
    int differ = 0, agree = 0;

    for (int n = 0; n <= table->neighbours; n++) {
        const int live = table->neighbours + 1 + n;
        int got[2] = {rule_outcome(table->got[n]), rule_outcome(table->got[live])};
        int wanted = rule_outcome(table->wanted[n]);
        int next = n < table->neighbours ? rule_outcome(table->wanted[live + 1]) : RULE_NEVER;

        if (got[0] >= 0 && wanted >= 0 && got[0] != wanted)
            return false;
        if (got[1] < 0 || next < 0)
            continue;
        if (got[1] != next)
            return false;
        agree++;
        differ += got[1] != rule_outcome(table->wanted[live]);
    }
    return agree > 3 && differ > 0;
}

/* Forgets what few cells of an entry become. Returns the part of all cells that is left. */
static double table_settle(struct rule_table *table)
{
    uint64_t all = 0, left = 0;

    for (int i = 0; i < table->entries; i++) {
        uint64_t cells = 0;
        int most = 0;

        for (int k = 0; k < RULE_OUTCOMES; k++) {
            cells += table->got[i][k];
            most = table->got[i][k] > table->got[i][most] ? k : most;
        }
        all += cells;
        if (table->got[i][most] < MOST * (double)cells)
            return 0;
        for (int k = 0; k < RULE_OUTCOMES; k++)
            table->got[i][k] = k == most ? table->got[i][k] : 0;
        left += table->got[i][most];
    }
    return all ? (double)left / (double)all : 0;
}

static void report_table(struct prober *prober, struct rule_table *table, bool *found)
{
    char text[RULE_TEXT_MAX];
    bool one = prober->channels == 1, sums, alone = rule_is_function(table, table->got);
    double certainty = alone ? 1 : table_settle(table);

    if (certainty == 0 || table->wrong == 0)
        return;
    sums = one && is_of_sums(table, table->wanted) && is_of_sums(table, table->got);
    if (one && !sums && counts_itself(table)) {
        cause_add(prober, CA_CAUSE_RULE, certainty,
                  "The neighbours are right, but the cell itself is counted among them: a live "
                  "cell takes n neighbours for n + 1.");
        *found = true;
        return;
    }
    if (rule_table_text(text, prober, table, sums) == 0)
        return;
    cause_add(prober, CA_CAUSE_RULE, certainty, "The neighbours are right, the rule is not: %s.%s",
              text, alone ? "" : " Some cells are wrong for another reason besides.");
    *found = true;
}

enum ca_status cause_rule(struct prober *prober, const struct stencil *stencil,
                          const struct cause_place *place, bool *found)
{
    bool draws = ca_draws(&prober->setup);
    struct rule_table table;

    if (prober->model->type != CA_U8)
        return CA_OK;
    CA_TRY(rule_table_open(&table, prober, stencil));
    rule_table_fill(&table, prober, place);
    if (draws)
        rule_of_draws(prober, &table, place, found);
    else if (rule_is_function(&table, table.wanted))
        report_table(prober, &table, found);
    rule_table_close(&table);
    return CA_OK;
}
