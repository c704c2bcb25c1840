/* SPDX-License-Identifier: MIT */
/* This file finds the program of a rule that does not go by counts. */
#include "kernels/life/program.h"

#include <string.h>

#include "kernels/life/rule.h"

/* Orders of the cells that are tried, each the best one so far with a cell moved. */
#define ORDERS 150

/* A value: twice the number of what makes it, and 1 more for the complement. Number 0 is constant
 * 0, 1 ... 9 are the cells, further ones the functions. */
typedef int value;
enum { FIRST_FUNCTION = 1 + LIFE_CELLS, NUMBERS = FIRST_FUNCTION + LIFE_FUNCTIONS_MAX };

static int number_of(value v) { return v >> 1; }
static value complement_if(value v, unsigned condition) { return v ^ (condition != 0); }

struct diagram {
    int order[LIFE_CELLS]; /* the cell of each level */
    int count;
    struct {
        uint8_t table;
        int in[3]; /* numbers, rising */
    } function[LIFE_FUNCTIONS_MAX];
    value root;
    /* The parts of the table that have a value, by level. */
    struct {
        const uint8_t *bits;
        value is;
    } part[LIFE_CELLS][64];
    int parts[LIFE_CELLS];
};

/* --- functions of three inputs ---------------------------------------------------------------- */

/* The table of a function whose input i is what was input from[i]. */
static unsigned exchanged(unsigned table, const int from[3])
{
    unsigned result = 0;

    for (unsigned i = 0; i < 8; i++) {
        unsigned source = 0;

        for (int k = 0; k < 3; k++)
            source |= (i >> (2 - k) & 1) << (2 - from[k]);
        result |= (table >> source & 1) << i;
    }
    return result;
}

/* Whether a function depends on input k. */
static bool depends(unsigned table, int k)
{
    static const unsigned ones[] = {0xf0, 0xcc, 0xaa};

    return ((table & ones[k]) >> (4 >> k)) != (table & ~ones[k]);
}

/* The function of values, those that it has already among them. */
static value function_of(struct diagram *diagram, unsigned table, const value inputs[3])
{
    static const unsigned ones[] = {0xf0, 0xcc, 0xaa};
    int in[3], used = 0, places[3] = {0, 1, 2};
    unsigned inverted;

    for (int k = 0; k < 3; k++) { /* complements and constants go into the table */
        unsigned half = 4u >> k;

        if (inputs[k] & 1)
            table = (table & ones[k]) >> half | (table & ~ones[k] & 0xff) << half;
        if (number_of(inputs[k]) == 0)
            table = (table & ~ones[k] & 0xff) | (table & ~ones[k] & 0xff) << half;
        in[k] = number_of(inputs[k]);
    }
    for (int k = 0; k < 3; k++) /* of equal inputs the first one counts */
        for (int j = k + 1; j < 3; j++)
            if (in[j] == in[k])
                table = (table & ones[k] & ones[j]) | (table & ones[k] & ones[j]) >> (4 >> j) |
                        (table & ~ones[k] & ~ones[j] & 0xff) |
                        (table & ~ones[k] & ~ones[j] & 0xff) << (4 >> j);
    inverted = table & 1;
    table ^= inverted ? 0xff : 0;
    /* Those it depends on come first, by number. */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            int p = places[j], q = places[j + 1];

            if (!depends(table, p) || (depends(table, q) && in[q] < in[p]))
                places[j] = q, places[j + 1] = p;
        }
    for (int k = 0; k < 3; k++)
        used += depends(table, k);
    if (used == 0)
        return complement_if(0, inverted);
    if (used == 1)
        return complement_if(2 * in[places[0]], inverted); /* 0 where the input is */
    table = exchanged(table, places);
    for (int i = 0; i <= diagram->count; i++) {
        int made[3] = {in[places[0]], in[places[1]], in[places[used - 1]]};

        if (i == diagram->count) {
            diagram->function[i].table = (uint8_t)table;
            memcpy(diagram->function[i].in, made, sizeof made);
            diagram->count++;
        }
        if (diagram->function[i].table == table &&
            memcmp(diagram->function[i].in, made, sizeof made) == 0)
            return complement_if(2 * (FIRST_FUNCTION + i), inverted);
    }
    return 0;
}

/* --- the diagram ------------------------------------------------------------------------------ */

/* Whether a part of the table depends on the cell of the k-th level below its own. */
static bool part_depends(const uint8_t *bits, int size, int k)
{
    int half = size >> (k + 1);

    for (int i = 0; i < size; i += 2 * half)
        if (memcmp(bits + i, bits + i + half, (size_t)half) != 0)
            return true;
    return false;
}

/* The levels below that a part depends on, at most three; 4: more. */
static int levels_of(const uint8_t *bits, int level, int levels[3])
{
    int used = 0;

    for (int k = 0; level + k < LIFE_CELLS; k++)
        if (part_depends(bits, LIFE_SQUARES >> level, k)) {
            if (used == 3)
                return 4;
            levels[used++] = k;
        }
    return used;
}

static bool same_part(const uint8_t *a, const uint8_t *b, int size, unsigned complement)
{
    for (int i = 0; i < size; i++)
        if (a[i] != (b[i] ^ complement))
            return false;
    return true;
}

static value part_value(struct diagram *diagram, const uint8_t *bits, int level);

static value new_part(struct diagram *diagram, const uint8_t *bits, int level)
{
    int size = LIFE_SQUARES >> level, levels[3], used = levels_of(bits, level, levels);
    value inputs[3] = {0, 0, 0};
    unsigned table = 0;

    if (used <= 3) { /* the function of these cells, which are the last inputs */
        for (int i = 0; i < used; i++)
            inputs[3 - used + i] = 2 * (1 + diagram->order[level + levels[i]]);
        for (unsigned j = 0; j < 8; j++) {
            int at = 0;

            for (int i = 0; i < used; i++)
                at |= (int)(j >> (used - 1 - i) & 1) * (size >> (levels[i] + 1));
            table |= (unsigned)bits[at] << j;
        }
        return function_of(diagram, table, inputs);
    }
    if (!part_depends(bits, size, 0))
        return part_value(diagram, bits, level + 1);
    inputs[0] = 2 * (1 + diagram->order[level]);
    inputs[1] = part_value(diagram, bits + size / 2, level + 1);
    inputs[2] = part_value(diagram, bits, level + 1);
    return function_of(diagram, 0xca, inputs); /* a ? b : c */
}

static value part_value(struct diagram *diagram, const uint8_t *bits, int level)
{
    int size = LIFE_SQUARES >> level, count = diagram->parts[level];

    for (int i = 0; i < count; i++) {
        const uint8_t *known = diagram->part[level][i].bits;

        if (same_part(bits, known, size, bits[0] ^ known[0]))
            return complement_if(diagram->part[level][i].is, bits[0] ^ known[0]);
    }
    diagram->part[level][count].is = new_part(diagram, bits, level);
    diagram->part[level][count].bits = bits;
    diagram->parts[level]++;
    return diagram->part[level][count].is;
}

/* The diagram of a table by its order of cells, of which the first one halves the table. */
static void diagram_make(struct diagram *diagram, const uint64_t table[8])
{
    uint8_t bits[LIFE_SQUARES];

    for (unsigned i = 0; i < LIFE_SQUARES; i++) {
        unsigned square = 0;

        for (int level = 0; level < LIFE_CELLS; level++)
            square |= (i >> (LIFE_CELLS - 1 - level) & 1) << diagram->order[level];
        bits[i] = (uint8_t)life_next(table, square);
    }
    diagram->count = 0;
    memset(diagram->parts, 0, sizeof diagram->parts);
    diagram->root = part_value(diagram, bits, 0);
}

/* --- the program ------------------------------------------------------------------------------ */

/* The least table that exchanging inputs makes, and these in that order. */
static unsigned least_table(unsigned table, int in[3])
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    unsigned least = exchanged(table, orders[0]);
    int best = 0, old[3] = {in[0], in[1], in[2]};

    for (int o = 1; o < 6; o++)
        if (exchanged(table, orders[o]) < least)
            least = exchanged(table, orders[best = o]);
    for (int k = 0; k < 3; k++)
        in[k] = old[orders[best][k]];
    return least;
}

/* Writes the functions that the root needs. A slot is free again when its value was last read. */
static void program_write(struct life_program *program, const struct diagram *diagram)
{
    int last[NUMBERS] = {0}, slot[NUMBERS] = {0}, free_slots[LIFE_FUNCTIONS_MAX], freed = 0;

    *program = (struct life_program){.slots = LIFE_CELLS, .inverted = diagram->root & 1};
    last[number_of(diagram->root)] = diagram->count + 1;
    for (int i = diagram->count - 1; i >= 0; i--)
        for (int k = 0; k < 3 && last[FIRST_FUNCTION + i]; k++)
            if (!last[diagram->function[i].in[k]])
                last[diagram->function[i].in[k]] = i + 1;
    for (int i = 0; i < LIFE_CELLS; i++)
        slot[1 + i] = i;
    for (int i = 0; i < diagram->count; i++) {
        struct life_function *function = &program->function[program->count];
        int in[3];

        if (!last[FIRST_FUNCTION + i])
            continue;
        memcpy(in, diagram->function[i].in, sizeof in);
        for (int k = 0; k < 3; k++)
            if (in[k] >= FIRST_FUNCTION && last[in[k]] == i + 1) {
                free_slots[freed++] = slot[in[k]];
                last[in[k]] = -1;
            }
        slot[FIRST_FUNCTION + i] = freed ? free_slots[--freed] : program->slots++;
        function->table = (uint8_t)least_table(diagram->function[i].table, in);
        function->a = (uint8_t)slot[in[0]];
        function->b = (uint8_t)slot[in[1]];
        function->c = (uint8_t)slot[in[2]];
        function->to = (uint8_t)slot[FIRST_FUNCTION + i];
        program->count++;
    }
    program->result = number_of(diagram->root) ? slot[number_of(diagram->root)] : -1;
}

void life_program_make(struct life_program *program, const uint64_t table[8])
{
    struct diagram diagram, *d = &diagram;
    uint32_t random = 1;
    int best[LIFE_CELLS], least = LIFE_FUNCTIONS_MAX + 1;

    for (int i = 0; i < LIFE_CELLS; i++)
        best[i] = i;
    for (int tried = 0; tried < ORDERS; tried++) {
        int from, to, cell;

        memcpy(d->order, best, sizeof best);
        random = random * 1664525 + 1013904223;
        from = (int)(random >> 16) % LIFE_CELLS, to = (int)(random >> 24) % LIFE_CELLS;
        cell = d->order[from];
        memmove(d->order + from, d->order + from + 1,
                (size_t)(LIFE_CELLS - 1 - from) * sizeof cell);
        memmove(d->order + to + 1, d->order + to, (size_t)(LIFE_CELLS - 1 - to) * sizeof cell);
        d->order[to] = cell;
        diagram_make(d, table);
        if (d->count < least) {
            least = d->count;
            memcpy(best, d->order, sizeof best);
            program_write(program, d);
        }
    }
}
