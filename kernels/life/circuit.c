/* SPDX-License-Identifier: MIT */
/*
 * This file finds the circuit of a rule that goes by counts: a function of five inputs, some of
 * whose values cannot be. Networks of one to three functions are tried one after the other, and
 * of four for a while. Where none of them is the rule, one input selects among two functions of the
 * others, for each of which a network is found.
 */
#include "kernels/life/circuit.h"

#include <limits.h>
#include <string.h>

#include "kernels/life/rule.h"

#define FUNCTIONS_MAX 7
#define SIGNALS_MAX (LIFE_SUM_INPUTS + FUNCTIONS_MAX)
/* Pairs of last functions that are looked at, of four and of those that an input selects. */
#define LOOKS_OF_FOUR 2000000
#define LOOKS_OF_PART 400000

/* Signals by their values for each of the 32 inputs, and the functions that make them. */
struct network {
    int signals;
    uint32_t value[SIGNALS_MAX];
    struct {
        uint8_t in[3], table;
    } function[SIGNALS_MAX];
    long looks; /* that are left */
};

/* Where the result has to be 1 and where 0; elsewhere it may be either. */
struct wanted {
    uint32_t on, off;
};

static const uint32_t inputs[LIFE_SUM_INPUTS] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00,
                                                 0xffff0000};

static void network_begin(struct network *network, long looks)
{
    network->signals = LIFE_SUM_INPUTS;
    network->looks = looks;
    memcpy(network->value, inputs, sizeof inputs);
}

/* The inputs for which signals a, b and c are the bits of `index`. */
static uint32_t where(const struct network *network, const int in[3], int index)
{
    uint32_t a = network->value[in[0]], b = network->value[in[1]], c = network->value[in[2]];

    return (index & 4 ? a : ~a) & (index & 2 ? b : ~b) & (index & 1 ? c : ~c);
}

static void network_add(struct network *network, const int in[3], unsigned table)
{
    int made = network->signals++;
    uint32_t value = 0;

    for (int i = 0; i < 8; i++)
        if (table >> i & 1)
            value |= where(network, in, i);
    for (int k = 0; k < 3; k++)
        network->function[made].in[k] = (uint8_t)in[k];
    network->function[made].table = (uint8_t)table;
    network->value[made] = value;
}

static bool is_new(const struct network *network, uint32_t value)
{
    bool is = value != 0 && ~value != 0;

    for (int i = 0; i < network->signals && is; i++)
        is = value != network->value[i] && value != ~network->value[i];
    return is;
}

/* --- the last functions ----------------------------------------------------------------------- */

/* Whether one function of the signals is what is wanted, which is added then. */
static bool one_fits(struct network *network, struct wanted wanted, const int in[3])
{
    unsigned table = 0;

    for (int i = 0; i < 8; i++) {
        uint32_t here = where(network, in, i);

        if (here & wanted.on && here & wanted.off)
            return false;
        table |= (unsigned)((here & wanted.on) != 0) << i;
    }
    network_add(network, in, table);
    return true;
}

/*
 * Whether a function of `in` and then one of that and of d and e are what is wanted. Two values of
 * `in` need different results of the first where, for some d and e, one wants 1 and the other 0:
 * such a result exists if these pairs leave no odd circle.
 */
static bool two_fit(struct network *network, struct wanted wanted, const int in[3], int d, int e)
{
    unsigned on[8] = {0}, off[8] = {0}, table = 0, known = 0;

    for (int i = 0; i < 8; i++) {
        uint32_t here = where(network, in, i), D = network->value[d], E = network->value[e];

        for (int k = 0; k < 4; k++) {
            uint32_t part = here & (k & 2 ? D : ~D) & (k & 1 ? E : ~E);

            on[i] |= (unsigned)((part & wanted.on) != 0) << k;
            off[i] |= (unsigned)((part & wanted.off) != 0) << k;
        }
        if (on[i] & off[i])
            return false;
    }
    for (int first = 0; first < 8; first++) {
        int open[8], count = 0;

        if (known >> first & 1)
            continue;
        known |= 1u << first;
        open[count++] = first;
        while (count > 0) {
            int i = open[--count];

            for (int j = 0; j < 8; j++) {
                if (!((on[i] & off[j]) | (off[i] & on[j])))
                    continue;
                if (!(known >> j & 1)) {
                    known |= 1u << j;
                    table |= (~table >> i & 1) << j;
                    open[count++] = j;
                } else if ((table >> j & 1) == (table >> i & 1)) {
                    return false;
                }
            }
        }
    }
    network_add(network, in, table);
    return one_fits(network, wanted, (const int[3]){network->signals - 1, d, e});
}

/* Sets of three signals in order; false behind the last. */
static bool next_three(int in[3], int signals)
{
    int k = 2;

    while (k >= 0 && in[k] == signals - 3 + k)
        k--;
    if (k < 0)
        return false;
    in[k]++;
    for (int j = k + 1; j < 3; j++)
        in[j] = in[j - 1] + 1;
    return true;
}

/* Of the signals in the set `unused` all have to be taken. */
static bool last_one(struct network *network, struct wanted wanted, unsigned unused)
{
    int in[3] = {0, 1, 2};

    do {
        if (!(unused & ~(1u << in[0] | 1u << in[1] | 1u << in[2])) && one_fits(network, wanted, in))
            return true;
    } while (next_three(in, network->signals));
    return false;
}

static bool last_two(struct network *network, struct wanted wanted, unsigned unused)
{
    int signals = network->signals, in[3];

    for (int d = 0; d < signals; d++)
        for (int e = d + 1; e < signals; e++) {
            in[0] = 0, in[1] = 1, in[2] = 2;
            do {
                unsigned taken = 1u << d | 1u << e | 1u << in[0] | 1u << in[1] | 1u << in[2];

                if (unused & ~taken)
                    continue;
                network->looks--;
                if (two_fit(network, wanted, in, d, e))
                    return true;
            } while (next_three(in, signals));
        }
    return false;
}

/* --- networks --------------------------------------------------------------------------------- */

/* Adds so many functions, the last of which is what is wanted. */
static bool network_find(struct network *network, struct wanted wanted, int functions,
                         unsigned unused)
{
    int signals = network->signals, in[3] = {0, 1, 2};

    if (functions == 1)
        return last_one(network, wanted, unused);
    if (functions == 2)
        return last_two(network, wanted, unused);
    do {
        unsigned left = unused & ~(1u << in[0] | 1u << in[1] | 1u << in[2]);

        for (unsigned table = 2; table < 256 && network->looks > 0; table += 2) {
            network_add(network, in, table);
            network->signals--;
            if (!is_new(network, network->value[signals]))
                continue;
            network->signals++;
            if (network_find(network, wanted, functions - 1, left | 1u << signals))
                return true;
            network->signals = signals;
        }
    } while (next_three(in, signals));
    return false;
}

/* A signal that is what is wanted, or its complement is: *inverted; -1: none. */
static int signal_of(const struct network *network, struct wanted wanted, bool *inverted)
{
    for (int i = 0; i < network->signals; i++) {
        uint32_t value = network->value[i];

        *inverted = !(value & wanted.on) && !(~value & wanted.off);
        if (*inverted || (!(value & wanted.off) && !(~value & wanted.on)))
            return i;
    }
    return -1;
}

/* The signal of a part; with no functions one that is there. -1: none. */
static int part_find(struct network *network, struct wanted wanted, int functions)
{
    int signals = network->signals;
    bool inverted;

    if (functions == 0) {
        int is = signal_of(network, wanted, &inverted);

        return inverted ? -1 : is;
    }
    network->looks = LOOKS_OF_PART;
    if (network_find(network, wanted, functions, 0))
        return network->signals - 1;
    network->signals = signals;
    return -1;
}

/* So many functions, of which the last selects by an input. */
static bool network_select(struct network *network, struct wanted wanted, int functions)
{
    for (int v = 0; v < LIFE_SUM_INPUTS; v++)
        for (int first = 0; first < functions; first++)
            for (int set = 0; set < 2; set++) {
                uint32_t half = set ? inputs[v] : ~inputs[v];
                int one, other;

                if (first > 3 || functions - 1 - first > 3)
                    continue;
                network_begin(network, 0);
                one =
                    part_find(network, (struct wanted){wanted.on & half, wanted.off & half}, first);
                if (one < 0)
                    continue;
                other = part_find(network, (struct wanted){wanted.on & ~half, wanted.off & ~half},
                                  functions - 1 - first);
                if (other < 0)
                    continue;
                network_add(network, (const int[3]){v, one, other}, set ? 0xca : 0xac);
                return true;
            }
    return false;
}

/* Results by the sums. No square is full or empty but one with such a centre. */
static struct wanted wanted_of(const struct life_rule *rule)
{
    struct wanted wanted = {0, 0};

    for (int i = 0; i < 32; i++) {
        int live = (i & 1) + 2 * ((i >> 1 & 1) + (i >> 2 & 1)) + 4 * (i >> 3 & 1);
        bool centre = i >> LIFE_SUM_CENTRE & 1;

        if (live == (centre ? 0 : 9))
            continue;
        if ((centre ? rule->stays >> (live - 1) : rule->born >> live) & 1)
            wanted.on |= 1u << i;
        else
            wanted.off |= 1u << i;
    }
    return wanted;
}

/* Each function has a slot of its own. */
static void write_program(struct life_program *program, const struct network *network, int result,
                          bool inverted)
{
    *program =
        (struct life_program){.slots = network->signals, .result = result, .inverted = inverted};
    for (int i = LIFE_SUM_INPUTS; i < network->signals; i++)
        program->function[program->count++] =
            (struct life_function){.table = network->function[i].table,
                                   .a = network->function[i].in[0],
                                   .b = network->function[i].in[1],
                                   .c = network->function[i].in[2],
                                   .to = (uint8_t)i};
}

static void find_by_sums(struct life_program *program, const struct life_rule *rule)
{
    struct wanted wanted = wanted_of(rule);
    struct network network;
    bool inverted = false, found = false;
    int signal;

    network_begin(&network, 0);
    signal = signal_of(&network, wanted, &inverted);
    if (!wanted.on || !wanted.off) {
        write_program(program, &network, -1, wanted.on != 0);
        return;
    }
    if (signal >= 0) {
        write_program(program, &network, signal, inverted);
        return;
    }
    for (int functions = 1; functions <= FUNCTIONS_MAX && !found; functions++) {
        network_begin(&network, functions < 4 ? LONG_MAX : LOOKS_OF_FOUR);
        found = (functions <= 4 && network_find(&network, wanted, functions, 0)) ||
                (functions > 3 && network_select(&network, wanted, functions));
    }
    write_program(program, &network, network.signals - 1, false);
}

void life_circuit_make(struct life_circuit *circuit, const struct life_rule *rule)
{
    memset(circuit, 0, sizeof *circuit);
    circuit->inputs = rule->totalistic ? LIFE_SUM_INPUTS : LIFE_CELLS;
    if (rule->totalistic)
        find_by_sums(&circuit->program, rule);
    else
        life_program_make(&circuit->program, rule->table);
}
