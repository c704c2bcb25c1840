/* SPDX-License-Identifier: MIT */
/*
 * Tabulates the rule that a kernel of bytes computes, and the reference's: from what a cell reads
 * to what it becomes. What it reads is its own channels and the number of neighbours that are set
 * or, where each channel comes from one cell only, the bits that come together.
 *
 * A table is only used where the reference's result follows from it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lab/cause/cause.h"

#define RULE_OUTCOMES 256
#define RULE_TEXT_MAX 400
#define MOST 0.8 /* of the cells of an entry become the same: the others have another mistake */
#define CLAUSES_MAX 4
#define EXPECTED_MIN 16 /* cells: what is drawn for so many is drawn for some by the reference */
enum { RULE_NEVER = -1, RULE_SEVERAL = -2 }; /* in place of the one outcome of an entry */

struct rule_table {
    const struct stencil *stencil; /* wanted > 0: what is read */
    bool by_bits; /* an entry is a set of channels, else own channels and a count */
    int neighbours, entries;
    uint32_t (*wanted)[RULE_OUTCOMES], (*got)[RULE_OUTCOMES]; /* of each entry, how often */
    int64_t wrong;                                            /* cells */
};

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

/* The entry of a cell, -1 for one that reads more than the table has. */
static int rule_table_entry(const struct rule_table *table, const struct prober *prober,
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

        if (stencil->wanted[row][i] == 0 || (!table->by_bits && pair_is_centre(pair)))
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

static void rule_table_fill(struct rule_table *table, const struct prober *prober,
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

static int rule_outcome(const uint32_t counts[RULE_OUTCOMES])
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

static bool rule_is_function(const struct rule_table *table,
                             uint32_t (*const counts)[RULE_OUTCOMES])
{
    for (int i = 0; i < table->entries; i++)
        if (rule_outcome(counts[i]) == RULE_SEVERAL)
            return false;
    return true;
}

/* --- its entries in words --------------------------------------------------------------------- */

struct words {
    char *text;
    size_t used;
    int clauses, more;
};

/* How often the reference gave a plane the value that it has in an outcome. */
static uint64_t seen_in_plane(const struct prober *prober, const uint32_t counts[RULE_OUTCOMES],
                              int outcome, int plane)
{
    int mask = ((1 << prober->bits) - 1) << (plane * prober->bits);
    uint64_t seen = 0;

    for (int i = 0; i < RULE_OUTCOMES; i++)
        if ((i & mask) == (outcome & mask))
            seen += counts[i];
    return seen;
}

/* The kernel's outcome of an entry that is wrong, RULE_NEVER where none is. */
static int rule_wrong_outcome(const struct prober *prober, const struct rule_table *table,
                              int entry)
{
    const uint32_t *wanted = table->wanted[entry], *got = table->got[entry];
    uint64_t seen = 0;

    for (int i = 0; i < RULE_OUTCOMES; i++)
        seen += wanted[i];
    for (int i = 0; seen > 0 && i < RULE_OUTCOMES; i++)
        for (int p = 0; got[i] > 0 && p < prober->model->planes; p++) {
            /* As many cells were stepped by both, so that this many were to be expected. */
            uint64_t expected = seen_in_plane(prober, got, i, p);

            if (seen_in_plane(prober, wanted, i, p) == 0 &&
                (expected >= EXPECTED_MIN || rule_outcome(wanted) >= 0))
                return i;
        }
    return RULE_NEVER;
}

static void add_clause(struct words *words, const char *clause)
{
    if (words->clauses == CLAUSES_MAX || words->used + strlen(clause) + 24 > RULE_TEXT_MAX) {
        words->more++;
        return;
    }
    words->used += (size_t)snprintf(words->text + words->used, RULE_TEXT_MAX - words->used, "%s%s",
                                    words->clauses ? "; " : "", clause);
    words->clauses++;
}

/* "bits 0, 3" or "no bits". */
static char *bits_text(char text[CAUSE_NAME_MAX], int bits)
{
    size_t used = (size_t)snprintf(text, CAUSE_NAME_MAX, bits ? "bits" : "no bits");

    for (int b = 0; b < 8; b++)
        if (bits >> b & 1)
            used += (size_t)snprintf(text + used, CAUSE_NAME_MAX - used, "%s %d",
                                     text[used - 1] == 's' ? "" : ",", b);
    return text;
}

static void write_bits(struct words *words, const struct rule_table *table, int entry, int got)
{
    char clause[RULE_TEXT_MAX], bits[CAUSE_NAME_MAX];
    size_t used;
    bool first = true;

    used = (size_t)snprintf(clause, sizeof clause, "from %s it makes ", bits_text(bits, entry));
    used += (size_t)snprintf(clause + used, sizeof clause - used, "%s, where the rule makes ",
                             bits_text(bits, got));
    for (int i = 0; i < RULE_OUTCOMES && used + CAUSE_NAME_MAX < sizeof clause; i++)
        if (table->wanted[entry][i] > 0) {
            used += (size_t)snprintf(clause + used, sizeof clause - used, "%s%s",
                                     first ? "" : " or ", bits_text(bits, i));
            first = false;
        }
    add_clause(words, clause);
}

static const char *alive_text(int value) { return value ? "live" : "dead"; }

/* Writes the values of a cell of several planes, or the planes in which two cells differ. */
static size_t planes_text(char *text, size_t size, const struct prober *prober, int got, int wanted,
                          bool both)
{
    size_t used = 0;

    for (int p = 0; p < prober->model->planes && used < size; p++) {
        int mask = (1 << prober->bits) - 1;
        int a = got >> (p * prober->bits) & mask, b = wanted >> (p * prober->bits) & mask;
        const char *comma = used ? ", " : "";

        if (!both)
            used += (size_t)snprintf(text + used, size - used, "%s%.16s = %d", comma,
                                     prober->model->plane_names[p], a);
        else if (a != b)
            used += (size_t)snprintf(text + used, size - used,
                                     "%s%.16s becomes %d, where the rule says %d", comma,
                                     prober->model->plane_names[p], a, b);
    }
    return used;
}

static void write_counts(struct words *words, const struct prober *prober, int centre, int first,
                         int last, int got, int wanted)
{
    char clause[RULE_TEXT_MAX], range[CAUSE_NAME_MAX];
    size_t used;

    snprintf(range, sizeof range, first == last ? "%d" : "%d to %d", first, last);
    if (prober->channels == 1) {
        snprintf(clause, sizeof clause,
                 "a %s cell with %s live neighbours becomes %s, where the rule says %s",
                 alive_text(centre), range, alive_text(got), alive_text(wanted));
        add_clause(words, clause);
        return;
    }
    used = (size_t)snprintf(clause, sizeof clause, "where ");
    used += planes_text(clause + used, sizeof clause - used, prober, centre, 0, false);
    if (used < sizeof clause)
        used += (size_t)snprintf(clause + used, sizeof clause - used,
                                 " and %s neighbours are set, ", range);
    if (used < sizeof clause)
        planes_text(clause + used, sizeof clause - used, prober, got, wanted, true);
    add_clause(words, clause);
}

/* Runs of counts with the same mistake make one clause. */
static int write_centre(struct words *words, const struct prober *prober,
                        const struct rule_table *table, int centre)
{
    int base = centre * (table->neighbours + 1), wrong = 0;

    for (int n = 0; n <= table->neighbours; n++) {
        int got = rule_wrong_outcome(prober, table, base + n), first = n;
        int wanted = rule_outcome(table->wanted[base + n]);

        if (got < 0)
            continue;
        while (n < table->neighbours && rule_wrong_outcome(prober, table, base + n + 1) == got &&
               rule_outcome(table->wanted[base + n + 1]) == wanted)
            n++;
        write_counts(words, prober, centre, first, n, got, wanted);
        wrong++;
    }
    return wrong;
}

/* The outcome of a sum, from the two entries that have it. */
static int of_sum(const struct rule_table *table, uint32_t (*const counts)[RULE_OUTCOMES], int sum)
{
    int dead = sum <= table->neighbours ? rule_outcome(counts[sum]) : RULE_NEVER;
    int live = sum > 0 ? rule_outcome(counts[table->neighbours + sum]) : RULE_NEVER;

    return dead >= 0 ? dead : live;
}

static int write_sums(struct words *words, const struct rule_table *table)
{
    int wrong[RULE_OUTCOMES], count = 0;

    for (int sum = 0; sum <= table->neighbours + 1; sum++) {
        int got = of_sum(table, table->got, sum), wanted = of_sum(table, table->wanted, sum);
        char clause[RULE_TEXT_MAX];

        if (got < 0 || wanted < 0 || got == wanted)
            continue;
        wrong[count++] = sum;
        snprintf(clause, sizeof clause,
                 "with %d live cells of %d, itself included, a cell becomes %s, where the rule "
                 "says %s",
                 sum, table->neighbours + 1, alive_text(got), alive_text(wanted));
        add_clause(words, clause);
    }
    if (count == 2 && wrong[1] == wrong[0] + 1) {
        char clause[RULE_TEXT_MAX];

        snprintf(clause, sizeof clause, "%d and %d are taken for each other", wrong[0], wrong[1]);
        add_clause(words, clause);
    }
    return count;
}

/* The entries in which the kernel makes what the reference never does; `sums`: by the number of
 * live cells with the cell itself. Returns how many. */
static int rule_table_text(char text[RULE_TEXT_MAX], const struct prober *prober,
                           const struct rule_table *table, bool sums)
{
    struct words words = {.text = text};
    int wrong = 0;

    text[0] = '\0';
    if (sums)
        wrong = write_sums(&words, table);
    else if (table->by_bits)
        for (int i = 0; i < table->entries; i++) {
            int got = rule_wrong_outcome(prober, table, i);

            if (got < 0)
                continue;
            write_bits(&words, table, i, got);
            wrong++;
        }
    else
        for (int centre = 0; centre < 1 << prober->channels; centre++)
            wrong += write_centre(&words, prober, table, centre);
    if (words.more)
        snprintf(text + words.used, RULE_TEXT_MAX - words.used, "; and %d more cases", words.more);
    return wrong;
}

/* --- of a model that draws -------------------------------------------------------------------- */

static int outcomes_of(const uint32_t counts[RULE_OUTCOMES])
{
    int count = 0;

    for (int i = 0; i < RULE_OUTCOMES; i++)
        count += counts[i] > 0;
    return count;
}

/* Counts the cells with several outcomes that are as they should be, and those that are not. */
static void count_drawn(const struct prober *prober, const struct rule_table *table, int64_t *right,
                        int64_t *wrong)
{
    *right = *wrong = 0;
    for (int s = 0; s < prober->samples; s++) {
        const struct cause_sample *sample = &prober->sample[s];

        for (int64_t i = 0; i < prober->cells; i++) {
            int entry = rule_table_entry(table, prober, &sample->start, i);

            if (entry < 0 || outcomes_of(table->wanted[entry]) != 2)
                continue;
            if (cell_differs(&sample->expected, &sample->got, i))
                ++*wrong;
            else
                ++*right;
        }
    }
}

static void rule_of_draws(struct prober *prober, const struct rule_table *table,
                          const struct cause_place *place, bool *found)
{
    char text[RULE_TEXT_MAX], where[CAUSE_NAME_MAX];
    int64_t right, wrong;

    if (table->wrong == 0)
        return;
    *found = true;
    if (rule_table_text(text, prober, table, false) > 0) {
        cause_add(prober, CA_CAUSE_RULE, 1, "The neighbours are right, the rule is not: %s.", text);
        return;
    }
    count_drawn(prober, table, &right, &wrong);
    place_text(where, place);
    if (right == 0 && wrong > 0)
        cause_add(prober, CA_CAUSE_DRAWS, 1,
                  "Of two outcomes that are drawn the kernel always takes the other one: the "
                  "draw's sense "
                  "(chirality) is inverted.");
    else if (rule_is_function(table, table->got))
        cause_add(prober, CA_CAUSE_DRAWS, 1,
                  "Where the rule draws among outcomes the kernel always takes the same: it does "
                  "not draw.");
    else
        cause_add(prober, CA_CAUSE_DRAWS, 0.9,
                  "Each wrong cell (%s) is what the rule makes at another draw: the random numbers "
                  "are not those of the cell, the generation, the stream or the seed.",
                  where);
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
    struct rule_table table = {.stencil = stencil};
    enum ca_status status = CA_OK;

    if (prober->model->type != CA_U8)
        return CA_OK;
    table.by_bits = is_by_bits(prober, stencil);
    for (int i = 0; i < stencil->pairs; i++)
        table.neighbours += stencil->wanted[0][i] > 0 && !pair_is_centre(&stencil->pair[i]);
    table.entries = (1 << prober->channels) * (table.by_bits ? 1 : table.neighbours + 1);
    table.wanted = calloc((size_t)table.entries, sizeof *table.wanted);
    table.got = calloc((size_t)table.entries, sizeof *table.got);
    if (table.wanted && table.got) {
        rule_table_fill(&table, prober, place);
        if (ca_draws(&prober->setup))
            rule_of_draws(prober, &table, place, found);
        else if (rule_is_function(&table, table.wanted))
            report_table(prober, &table, found);
    } else {
        status = ca_fail(prober->error, CA_NO_MEMORY, "no memory for a table of %d entries",
                         table.entries);
    }
    free(table.wanted);
    free(table.got);
    return status;
}
