/* SPDX-License-Identifier: MIT */
/* Puts the entries of a rule's table in words. */
#include "core/lab/cause/rule_table.h"

#include <stdio.h>
#include <string.h>

#define CLAUSES_MAX 4
#define EXPECTED_MIN 16 /* cells: what is drawn for so many is drawn for some by the reference */

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

int rule_wrong_outcome(const struct prober *prober, const struct rule_table *table, int entry)
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

/* "5" or "5 to 7". */
static char *range_text(char text[CAUSE_NAME_MAX], int first, int last)
{
    if (first == last)
        snprintf(text, CAUSE_NAME_MAX, "%d", first);
    else
        snprintf(text, CAUSE_NAME_MAX, "%d to %d", first, last);
    return text;
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

    range_text(range, first, last);
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

int rule_table_text(char text[RULE_TEXT_MAX], const struct prober *prober,
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
