/* SPDX-License-Identifier: MIT */
/* Tables of rules: what the files that make them, put them in words and judge draws by them share.
 * Only core/lab/rule_*.c include it. */
#ifndef CALAB_CORE_LAB_CAUSE_RULE_TABLE_H
#define CALAB_CORE_LAB_CAUSE_RULE_TABLE_H

#include "core/lab/cause/cause.h"

#define RULE_OUTCOMES 256
#define RULE_TEXT_MAX 400
enum { RULE_NEVER = -1, RULE_SEVERAL = -2 }; /* in place of the one outcome of an entry */

struct rule_table {
    const struct stencil *stencil; /* wanted > 0: what is read */
    bool by_bits; /* an entry is a set of channels, else own channels and a count */
    int neighbours, entries;
    uint32_t (*wanted)[RULE_OUTCOMES], (*got)[RULE_OUTCOMES]; /* of each entry, how often */
    int64_t wrong;                                            /* cells */
};

/* CA_NO_MEMORY. */
enum ca_status rule_table_open(struct rule_table *table, const struct prober *prober,
                               const struct stencil *stencil);
void rule_table_close(struct rule_table *table);
/* Counts the samples' cells of a place. */
void rule_table_fill(struct rule_table *table, const struct prober *prober,
                     const struct cause_place *place);
int rule_table_entry(const struct rule_table *table, const struct prober *prober,
                     const struct ca_lattice *start, int64_t cell);
int rule_outcome(const uint32_t counts[RULE_OUTCOMES]);
bool rule_is_function(const struct rule_table *table, uint32_t (*const counts)[RULE_OUTCOMES]);

/* rule_words.c. The entries in which the kernel makes what the reference never does; `sums`: by the
 * number of live cells with the cell itself. Returns how many, and their cells. */
int rule_table_text(char text[RULE_TEXT_MAX], const struct prober *prober,
                    const struct rule_table *table, bool sums);
/* The kernel's outcome of an entry that is wrong, RULE_NEVER where none is. */
int rule_wrong_outcome(const struct prober *prober, const struct rule_table *table, int entry);

/* rule_draws.c. The same of a model whose outcomes are drawn. */
void rule_of_draws(struct prober *prober, const struct rule_table *table,
                   const struct cause_place *place, bool *found);

#endif
