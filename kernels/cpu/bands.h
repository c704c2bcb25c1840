/* SPDX-License-Identifier: MIT */
/*
 * The bit-sliced stepper of three-dimensional models: bit planes whose rows lie beside each other
 * in the lanes of a vector, so that no lane idles where a row is shorter than a vector.
 *
 * The H rows of a layer are cut into as many bands as a vector has lanes (`lanes`, 64 bits each),
 * and a vector holds a word of the same row of each band. So the neighbours in y and z are other
 * vectors, and those in x the vectors before and after; rows next to each other come from different
 * bands only at a band's ends, where ghost rows hold copies:
 *
 *     lane           0          1                 7
 *     row -1     row H - 1  row  R - 1  ...  row 7R - 1     ghost   (R = H / 8; if x and y are
 *     row 0      row 0      row  R      ...  row 7R                  closed to a torus)
 *     ...        ...        ...              ...
 *     row R - 1  row R - 1  row 2R - 1  ...  row H - 1
 *     row R      row R      row 2R      ...  row 0          ghost
 *
 * Where rows have at most 32 cells, a word holds `fields` of them, of a band each. Where the bands
 * do not come out even, their starts are spread so that some rows stand in two bands, which both
 * compute them.
 *
 * Bits of a word beyond its row or rows mean nothing.
 *
 * Several generations in one pass over the lattice, for lattices larger than the caches: see
 * bands_steps.c.
 */
#ifndef CALAB_KERNELS_CPU_BANDS_H
#define CALAB_KERNELS_CPU_BANDS_H

#include <stdbool.h>

#include "core/model/model.h"
#include "kernels/cpu/bit_rows.h"
#include "kernels/cpu/thread_pool.h"

struct bands;

struct bands_ops {
    int lanes;                                   /* of the backend's word */
    int ghosts;                                  /* rows that a step reaches in y */
    uint32_t in_place;                           /* bit p: a step reads plane p at the cell alone */
    bool (*torus)(const struct ca_setup *setup); /* whether x and y are closed; NULL: dead */
    /*
     * Rows first ... last - 1 of all layers' bands (layer z has those from z * rows on), the step
     * from t to t + 1; from copy `now` to the other one. Layers that are in it as a whole get
     * their ghost rows too.
     */
    void (*pass)(const struct bands *bands, int member, int now, int64_t first, int64_t last,
                 uint64_t t);
    void (*close)(const struct bands *bands, int copy, int64_t z); /* makes the ghost rows */
    int64_t (*scratch)(const struct bands *bands); /* rows of each member's own; NULL: none */
    size_t context_size;
    void (*prepare)(const struct bands *bands, void *context);
};

struct bands {
    const struct bands_ops *ops;
    struct ca_setup setup;
    struct ca_size size; /* of the slab */
    bool torus;
    int planes;
    int64_t lanes, fields, count; /* count = lanes * fields bands */
    int64_t rows;                 /* of a band */
    int64_t words;                /* of a row */
    int64_t row_words;            /* lanes * words: of a row of vectors */
    int64_t layer_words;
    bool even;                         /* no row stands in two bands */
    uint64_t first[BIT_ROWS_VECTOR];   /* by lanes: all but the first band's cells, all but the */
    uint64_t last[BIT_ROWS_VECTOR];    /* last's; all bits where y is closed */
    uint64_t *plane[CA_PLANES_MAX][2]; /* both the same where it is stepped in place */
    void *memory[2 * CA_PLANES_MAX];
    uint64_t *scratch;    /* of all members */
    int64_t scratch_rows; /* of each */
    struct bit_rows line; /* one row, on its way in or out */
    bool loaded;          /* since the ghosts were made */
    int now;
    void *context;
    struct thread_pool *thread_pool;
    int reach;       /* layers, and rows, that a step reaches */
    bool ring;       /* the slab's last layer is next to its first */
    bool whole;      /* members own whole layers */
    int generations; /* of one pass */
    int64_t group;   /* layers that it takes at once through all of them */
    int64_t tile;    /* rows of these that it takes at once */
};

/* Options as those of bit_stepper; `ops` is a struct bands_ops. */
extern const struct ca_stepper bands_stepper;

/* bands_steps.c. `wanted` generations in one pass, 0: chosen by size; fewer where they do not fit.
 */
void bands_plan(struct bands *bands, int wanted);
enum ca_status bands_step(void *self, uint64_t t, uint64_t n, struct ca_error *error);

/* The lattice row that is row 0 of a band. */
static inline int64_t bands_start(const struct bands *bands, int64_t band)
{
    return band * bands->size.h / bands->count;
}

/* Row i of layer z, ghosts included; layer -1 is empty, as slab_layer says "there is none". */
static inline uint64_t *bands_row(const struct bands *bands, int plane, int copy, int64_t z,
                                  int64_t i)
{
    if (z < 0)
        z = bands->size.d;
    return bands->plane[plane][copy] + z * bands->layer_words +
           (i + bands->ops->ghosts) * bands->row_words;
}

static inline uint64_t *bands_scratch(const struct bands *bands, int member)
{
    return bands->scratch + member * bands->scratch_rows * bands->row_words;
}

/* The ghost rows of a layer row by row of bands, for any bands; see bands_word.h for even ones. */
void bands_fill_halo_uneven(const struct bands *bands, int copy, int64_t z);

#endif
