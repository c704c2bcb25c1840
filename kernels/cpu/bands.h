/* SPDX-License-Identifier: MIT */
/*
 * The bit stepper of three-dimensional models: bit planes in which the lanes of a vector hold
 * different rows, so that no lane idles where a row is shorter than a vector.
 *
 * The H rows of a layer are divided into as many bands as a vector has lanes (`lanes`, 64 bits
 * each), and a vector holds a word of the same row of each band. So the neighbours in y and z are
 * other vectors, and those in x the vectors before and after. Neighbouring rows come from different
 * bands only at a band's ends, where halo rows hold copies:
 *
 *     lane           0          1                 7
 *     row -1     row H - 1  row  R - 1  ...  row 7R - 1     halo    (R = H / 8, where x and y
 *     row 0      row 0      row  R      ...  row 7R                  are periodic)
 *     ...        ...        ...              ...
 *     row R - 1  row R - 1  row 2R - 1  ...  row H - 1
 *     row R      row R      row 2R      ...  row 0          halo
 *
 * Where rows have at most 32 cells, a word holds `fields` of them, each from a band of its own.
 * Where the rows do not divide evenly, the starts of the bands are spread so that some rows are in
 * two bands, which both compute them. Bits of a word beyond its row or rows have no meaning.
 *
 * bands.c keeps the memory, bands_plan.c decides the layout and how many generations a pass takes,
 * and bands_steps.c runs the passes.
 */
#ifndef CALAB_KERNELS_CPU_BANDS_H
#define CALAB_KERNELS_CPU_BANDS_H

#include <stdbool.h>

#include "core/model/model.h"
#include "kernels/cpu/bit_rows.h"
#include "kernels/cpu/mark.h"
#include "core/machine/thread_pool.h"
#include "kernels/cpu/word_rows.h"

struct bands;

struct bands_ops {
    int lanes;                                   /* of the backend's word */
    int halo_rows;                               /* rows that a step reaches in y */
    uint32_t in_place;                           /* bit p: a step reads plane p at the cell alone */
    bool (*torus)(const struct ca_setup *setup); /* whether x and y are periodic; NULL: dead */
    /*
     * Rows first ... last - 1 of all layers' bands (layer z has those from z * rows on), the step
     * from t to t + 1, from copy `now` to the other one. Of layers that are stepped as a whole it
     * fills the halo rows too.
     */
    void (*pass)(const struct bands *bands, int worker, int now, int64_t first, int64_t last,
                 uint64_t t);
    void (*fill_halo)(const struct bands *bands, int copy, int64_t z);
    int scratch_rows; /* of each worker */
    size_t context_size;
    void (*prepare)(const struct bands *bands, void *context);
};

struct bands {
    struct word_rows word_rows; /* first: see word_rows.h */
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
    bool even;                         /* no row is in two bands */
    uint64_t first[BIT_ROWS_VECTOR];   /* by lanes, masks of all but the first band's cells, and */
    uint64_t last[BIT_ROWS_VECTOR];    /* all but the last band's; all bits where y is periodic */
    uint64_t *plane[CA_PLANES_MAX][2]; /* one and the same where it is stepped in place */
    uint64_t *memory[2 * CA_PLANES_MAX];
    uint64_t *scratch; /* of all workers */
    bool halo_stale;   /* rows were put since the halo was filled */
    int now;
    struct mark mark; /* of the planes as they are now */
    void *context;
    int threads;
    struct ca_thread_pool *thread_pool;
    int reach;         /* layers, and rows, that a step reaches */
    bool periodic;     /* the slab's last layer neighbours its first */
    bool whole_layers; /* each worker owns whole layers */
    int generations;   /* of one pass */
    int64_t group;     /* layers that a pass takes through all its generations at a time */
    int64_t tile;      /* rows of these layers that it takes at a time */
};

/* Options as those of bit_stepper; `ops` is a struct bands_ops. */
extern const struct ca_stepper bands_stepper;

/* bands_plan.c: all that is known of an instance before it takes memory. */
struct bands bands_describe(const struct ca_setup *setup);
/* Words of a plane's copy, and whether a plane's second copy is its first. */
int64_t bands_plane_words(const struct bands *bands);
bool bands_in_place(const struct bands *bands, int plane);
void bands_report(const void *self, struct ca_plan *plan);

/* bands_steps.c */
enum ca_status bands_step(void *self, uint64_t t, uint64_t n, struct ca_error *error);

/*
 * Words by which the planes' starts differ beyond a page. A processor takes a load for dependent on
 * an earlier store if both have the same offset in their pages, and stalls it.
 */
#define BANDS_STAGGER 72

/* The lattice row that is row 0 of a band. */
static inline int64_t bands_start(const struct bands *bands, int64_t band)
{
    return band * bands->size.h / bands->count;
}

/* Row i of layer z, halo included; layer -1, which slab_layer gives beyond the slab, is empty. */
static inline uint64_t *bands_row(const struct bands *bands, int plane, int copy, int64_t z,
                                  int64_t i)
{
    if (z < 0)
        z = bands->size.d;
    return bands->plane[plane][copy] + z * bands->layer_words +
           (i + bands->ops->halo_rows) * bands->row_words;
}

static inline uint64_t *bands_scratch(const struct bands *bands, int worker)
{
    return bands->scratch + worker * bands->ops->scratch_rows * bands->row_words;
}

/* Fills a layer's halo row by row, for any bands; see bands_word.h for even ones. */
void bands_fill_halo_uneven(const struct bands *bands, int copy, int64_t z);

#endif
