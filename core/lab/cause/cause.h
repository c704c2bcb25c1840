/* SPDX-License-Identifier: MIT */
/*
 * The files of this folder share states, runs of the kernel and of the reference on them, and the
 * places where their results differ. No other file includes this one but a test.
 *
 * A channel is the part of a cell that is changed at once: of u8 planes a bit, of f32 planes the
 * value.
 */
#ifndef CALAB_CORE_LAB_CAUSE_CAUSE_H
#define CALAB_CORE_LAB_CAUSE_CAUSE_H

#include "core/lab/cause/influence.h"

#define CAUSE_SAMPLES 48
#define CAUSE_CHANNELS_MAX 8
#define CAUSE_NAME_MAX 64

/* A start, what the reference makes of it in one generation, and what the kernel does. */
struct cause_sample {
    struct ca_lattice start, expected, got;
    uint64_t t;
};

struct prober {
    const struct ca_subject *subject;
    const struct ca_model *model;
    struct ca_setup setup; /* of the reference, at the size of the probes */
    const struct ca_stepper *stepper;
    void *reference;
    struct ca_lattice initial; /* the model's own start, for its solid cells */
    int64_t cells;
    int bits, channels;
    uint64_t seed, drawn;
    int runs_max;
    double seconds;        /* that the search may take, as prober_spent_s counts them */
    double begun_s, run_s; /* of processor time, when it began; of the quickest run */
    struct cause_sample sample[CAUSE_SAMPLES];
    int samples;
    struct ca_lattice scratch[2]; /* whoever looks for a cause may use these, and what is below */
    uint8_t *set[3];              /* a byte a cell; 0: where, 1: what is taken already, 2: chosen */
    uint16_t *wrong;              /* of each cell: the samples in which it is */
    unsigned constant;            /* bit p: the reference never changes plane p */
    int64_t wrong_cells;          /* that are so in any sample */
    int64_t wrong_events;         /* the sum of `wrong` */
    struct ca_findings *findings;
    struct ca_error *error;
};

/* --- prober.c --------------------------------------------------------------------------------- */

enum ca_status prober_open(struct prober *prober, const struct ca_subject *subject,
                           const struct ca_probing *probing, struct ca_findings *findings,
                           struct ca_error *error);
void prober_close(struct prober *prober);
/* The processor time that the search has taken, and the runs of the kernel, by the quickest of
 * them: what others do on the machine changes no finding. */
double prober_spent_s(const struct prober *prober);
/* The failure of having no memory for as many cells as there are. */
enum ca_status prober_short(const struct prober *prober);
enum ca_status prober_lattice(struct prober *prober, struct ca_lattice *lattice);

/* Marks the cells so near to `at` that one cell may read both it and them. */
void prober_block(const struct prober *prober, uint8_t *blocked, const int64_t at[3], int reach);

uint64_t prober_draw(struct prober *prober, uint64_t below);
/* Gives the state that is taken for bits: three states have two bits, of which a fourth pattern is
 * taken for one of the three. */
uint8_t prober_state(const struct ca_model *model, unsigned bits);
/* A random state, each channel of a density of its own. */
void prober_fill(struct prober *prober, struct ca_lattice *state);
/* Changes a channel of a cell to another value that the model may have. */
void prober_flip(struct prober *prober, struct ca_lattice *state, int64_t cell, int channel);

/* Runs so many generations from t on, into memory that holds `poison`. */
enum ca_status prober_kernel(struct prober *prober, const struct ca_lattice *start, uint64_t t,
                             uint64_t n, int poison, struct ca_lattice *result);
enum ca_status prober_reference(struct prober *prober, const struct ca_lattice *start, uint64_t t,
                                uint64_t n, struct ca_lattice *result);
/* Fills the samples and counts what is wrong in them. */
enum ca_status prober_sample(struct prober *prober);

/* Whether a cell of two states differs, in a plane or in any; floats by their bits. */
bool value_differs(const struct ca_lattice *a, const struct ca_lattice *b, int plane, int64_t cell);
bool cell_differs(const struct ca_lattice *a, const struct ca_lattice *b, int64_t cell);
bool lattice_same(const struct ca_lattice *a, const struct ca_lattice *b);
void cell_at(struct ca_size size, int64_t cell, int64_t at[3]);
/* The cell at coordinates that may lie beyond the edges, which are closed. */
int64_t cell_beside(struct ca_size size, const int64_t at[3], const int offset[3]);
/* The bits of all channels of a u8 cell, channel 0 lowest. */
unsigned cell_channels(const struct prober *prober, const struct ca_lattice *state, int64_t cell);

/* Another number of generations, or draws of other ones: of generation t whatever the sample's is
 * (`fixed`), or t later; and what is wrong where all samples are so. */
struct cause_other {
    uint64_t n;
    bool fixed;
    uint64_t t;
    const char *text;
};

/* Whether each sample's result is what the reference makes of its start that way. */
enum ca_status cause_fits(struct prober *prober, const struct cause_other *other, bool *fits);
/* Adds a finding for the first of a list that fits; *done: there was one. */
enum ca_status cause_others(struct prober *prober, enum ca_cause cause,
                            const struct cause_other *others, size_t count, bool *done);

/* Adds a finding; beyond the last they are dropped, and so are texts that are there already. */
void cause_add(struct prober *prober, enum ca_cause cause, double certainty, const char *format,
               ...) __attribute__((format(printf, 4, 5)));

/* --- direct.c: causes that results show ------------------------------------------------------- */

/* Returns in *done whether there is nothing left to explain. */
enum ca_status cause_direct(struct prober *prober, bool *done);
/* The same of several generations, where single ones are right. */
enum ca_status cause_generations(struct prober *prober, bool *done);
/* Draws of another generation or seed. */
enum ca_status cause_draws(struct prober *prober, bool *done);

/* --- shape.c: the same result elsewhere, and cells of the next generation --------------------- */

enum ca_status cause_axes(struct prober *prober, bool *done);
enum ca_status cause_shifted(struct prober *prober, bool *done);
enum ca_status cause_in_place(struct prober *prober, bool *done);

/* --- where.c: classes of position ------------------------------------------------------------- */

enum cause_along {
    ALONG_ANY,
    ALONG_AT,      /* coordinate k */
    ALONG_RESIDUE, /* k modulo p */
    ALONG_FROM,    /* k and all beyond */
    ALONG_BELOW,   /* all before k */
};

struct cause_place {
    struct {
        enum cause_along kind;
        int64_t k, p;
    } along[3];
    int64_t cells; /* that are wrong in this place and in none before it */
};

#define CAUSE_PLACES_MAX 48

bool place_holds(const struct cause_place *place, const int64_t at[3]);
bool place_is_all(const struct cause_place *place);
bool place_has(const struct cause_place *place, enum cause_along kind);
/* Whether it begins where a tile of some power of two does that the lattice cuts off. */
bool place_is_tail(const struct cause_place *place, struct ca_size size);
/* "x % 32 = 0 and y = 5", or "all cells". Returns text. */
char *place_text(char text[CAUSE_NAME_MAX], const struct cause_place *place);
/*
 * Says where a set of cells lies, a byte each: the places that hold them all, each well filled.
 * Returns how many, 0 where the set is empty, -1 without memory. A set that has no shape, or that
 * has one and cells beside it here and there, is in all cells.
 */
int places_find(struct cause_place *places, const uint8_t *set, struct ca_size size);

/* --- stencil.c: which neighbours are read ----------------------------------------------------- */

struct stencil_pair {
    int offset[3];
    int channel;
};

#define STENCIL_REACH_MAX 4
#define STENCIL_PAIRS_MAX 3072

/* For each pair of neighbour and channel, and for even and odd rows, it counts how often a change
 * of the pair was tried, and changed the reference's cell and the kernel's. */
struct stencil {
    int reach, pairs;
    int enough; /* changes that show in the reference, of which one would show in a reader */
    int64_t far,
        far_tries; /* cells that changed with nothing changed so near, and all such cells */
    struct stencil_pair pair[STENCIL_PAIRS_MAX];
    int seen[2][STENCIL_PAIRS_MAX]; /* in the reference, of all states that were looked at */
    int tries[2][STENCIL_PAIRS_MAX], wanted[2][STENCIL_PAIRS_MAX], read[2][STENCIL_PAIRS_MAX];
};

/* Probes cells of set 0 of the prober, in at most so many pairs of runs, and until the time is
 * over. Of a kernel that is right elsewhere fewer changes are `enough`, since it sees what the
 * reference sees. */
enum ca_status stencil_probe(struct prober *prober, struct stencil *stencil, int rounds,
                             int enough);
/* Whether the kernel reads a pair: its cells change more often than those of a kernel that reads
 * cells far away, among which are changed ones too. */
bool stencil_reads(const struct stencil *stencil, int row, int pair);
enum stencil_verdict { STENCIL_SAME, STENCIL_MISSING, STENCIL_EXTRA, STENCIL_UNDECIDED };
enum stencil_verdict stencil_verdict(const struct stencil *stencil, int row, int pair);

bool pair_is_centre(const struct stencil_pair *pair);
/* "(x-1, y)", "act of (x, y, z-2)" or "bit 3 of (x+1, y)". Returns text. */
char *pair_text(char text[CAUSE_NAME_MAX], const struct prober *prober,
                const struct stencil_pair *pair);
/* A list of those that are set, by what they have in common where that is shorter. */
#define CAUSE_LIST_MAX 256
char *pairs_text(char text[CAUSE_LIST_MAX], const struct prober *prober,
                 const struct stencil *stencil, const uint8_t *set, const uint8_t *all);

/* --- neighbours.c: mistakes that the stencil shows -------------------------------------------- */

/* The cause that mistakes in a place are of. */
enum ca_cause place_cause(const struct prober *prober, const struct cause_place *place);
/* *same: the kernel reads in place `which` what the reference reads there. */
enum ca_status cause_neighbours(struct prober *prober, const struct cause_place *places, int count,
                                int which, struct stencil *stencil, bool *same);

/* --- rule_table.c, rule_float.c: the rule that the kernel computes ---------------------------- */

/* Compares the rules of cells whose neighbours are right; *found: a finding says what is wrong. */
enum ca_status cause_rule(struct prober *prober, const struct stencil *stencil,
                          const struct cause_place *place, bool *found);

void cause_rounding(struct prober *prober, bool *done);
void cause_float_rule(struct prober *prober, const struct cause_place *place, bool *found);

#endif
