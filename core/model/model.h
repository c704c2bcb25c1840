/* SPDX-License-Identifier: MIT */
/*
 * Models and backends: two kinds of constant table rows.
 *
 * A model says what is computed: planes, parameters, initial states, observables, appearance. A
 * backend is one named kernel of a model. kernels/<model>/ladder.c holds both;
 * core/model/registry.c lists the models. All pointers are to constants. One more backend, such as
 * that of a lab, can be added to a model at run time (ca_backend_add).
 */
#ifndef CALAB_CORE_MODEL_MODEL_H
#define CALAB_CORE_MODEL_MODEL_H

#include "core/model/lattice.h"
#include "core/model/param.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ca_model;
struct ca_backend;
struct ca_view_bins; /* core/model/view_bins.h */
struct ca_appearances;
struct ca_bin_sum;
struct ca_survey; /* core/model/survey.h */
struct ca_field;  /* core/model/field.h */
struct ca_blocks;
struct ca_near_rows;
struct ca_measurement; /* core/model/measurement.h */

/*
 * The part of the lattice that a backend owns along the outermost dimension (y in 2D, z in 3D):
 * `extent` layers from global layer `origin` on (modulo the size), of which the first and last may
 * be ghosts, layers that a neighbour owns. Those beyond them are unknown, so each step spoils one
 * more radius of layers there. An end without ghosts is the lattice's own (a torus closes only when
 * neither end has any). The whole lattice is {0, size, 0, 0}.
 */
struct ca_slab {
    int64_t origin, extent;
    int64_t ghost_low, ghost_high; /* layers */
};

/* All that a simulation is made from, and what init and create get. */
/* Where a lattice lies on a map, as the file says from which it was made (core/files/asc.c): the
 * corner of its south-western cell or, along an axis that says so, the middle of that cell. */
struct ca_map {
    bool given; /* else the corner is 0,0, and a cell 1 across */
    double x, y, cell;
    bool x_is_middle, y_is_middle;
    bool has_no_data;
    double no_data; /* what stood for no data */
};

struct ca_setup {
    const struct ca_model *model;
    const struct ca_backend *backend;
    struct ca_size size; /* of the whole lattice */
    struct ca_slab slab;
    uint64_t seed;
    int start;                /* index of the initial state, -1 where it was a file */
    struct ca_values params;  /* of the model */
    struct ca_values options; /* of the backend */
    struct ca_map map;        /* of a simulation, where its start has one */
};

/* A named initial state of a model. */
struct ca_start {
    const char *name;
    const char *help;
};

/* How a cell is drawn: see core/sim/view.h. */
struct ca_appearance {
    uint8_t code;  /* index into the model's states; a higher code wins under "any" */
    float level;   /* 0 ... 1, brightness */
    int8_t vx, vy; /* momentum, for models with has_flow: right in half cells, down in rows */
};

enum ca_colour { /* classes, mapped to colours by the screen's scheme */
                 CA_COLOUR_QUIET,
                 CA_COLOUR_PLAIN,
                 CA_COLOUR_STRONG,
                 CA_COLOUR_WARM,
                 CA_COLOUR_COLD,
                 CA_COLOUR_GREEN,
                 CA_COLOUR_SOLID,
                 CA_COLOUR_COUNT
};

struct ca_state_appearance {
    char glyph; /* ASCII */
    enum ca_colour colour;
    const char *name;
};

/*
 * A number over the whole lattice, a sum over cells of one row range after the other. `conserved`
 * (may be NULL: never) says whether it must stay as it was when it was last observed under this
 * setup, within `tolerance` relative to that value or, when that is 0, absolutely. It gets the
 * values of all observables then: what a state holds (solid nodes, sources) can break a law.
 * `drift` (NULL: none) bounds what rounding alone may have added since then, in so many
 * generations, absolutely. It must hold for every state, so that only a broken law raises an alarm.
 */
struct ca_observable {
    const char *name;
    const char *unit; /* NULL for a count */
    const char *help;
    double tolerance;
    bool (*conserved)(const struct ca_setup *setup, const double before[]);
    double (*drift)(const double before[], uint64_t generations);
};

#define CA_OBSERVABLES_MAX 8
#define CA_TABLE_MAX 256
#define CA_BIT_PLANES_MAX 8 /* planes of a u8 model times the bits of their values */

/*
 * A start of a u8 model that is drawn cell by cell, so that a backend can make it in its own
 * memory. Bit b of plane p is set where uniform(p * bits + b) (core/base/random.h, t = 0) is less
 * than below[p * bits + b]. Solid cells are the exception: only bit `solid_bit` is set in them.
 * `solid` writes the solid cells of row `row` of the whole lattice as words of 64 cells; NULL:
 * there are none.
 */
struct ca_random_start {
    uint64_t below[CA_BIT_PLANES_MAX];
    void (*solid)(const struct ca_setup *setup, int64_t row, uint64_t *words);
    int solid_bit;
};

/*
 * What an editor makes of a cell: plane p becomes value[p], or, with `over`, so much more than
 * plane 0. Planes that are not among `planes`, a set of bits, stay as they are.
 */
struct ca_brush {
    const char *name;
    unsigned planes;
    float value[CA_PLANES_MAX];
    bool over;
};

typedef void ca_near_function(const struct ca_setup *setup, const struct ca_near_rows *rows,
                              int64_t begin, int64_t end, double *sums);
#define CA_NEAR_SUMS_MAX 2

struct ca_model {
    const char *name;
    const char *title;   /* one line */
    const char *summary; /* a paragraph for the user */
    int dimensions;      /* 2 or 3 */
    int radius;          /* layers that one step reaches along the outermost dimension */
    enum ca_type type;
    int planes;
    const char *plane_names[CA_PLANES_MAX];
    unsigned constant_planes; /* bit p: a step does not change plane p */
    uint8_t max_value;        /* of u8 planes */
    /* Of a 2D model with one u8 plane: cells with one of these bits are black in a .pbm. 0: a state
     * of this model cannot be written as a picture. */
    uint8_t picture_mask;
    uint8_t solid_mask; /* of a u8 model: cells with this bit of plane 0 are solid. 0: none are */
    /* Layers at both ends of the outermost dimension whose solid cells are walls, not obstacles. */
    int wall_layers;
    struct ca_size default_size;
    double pace; /* generations a frame at which something is seen to happen */
    const struct ca_param *params;
    const struct ca_start *starts;             /* the first is the default; ends with name NULL */
    const struct ca_observable *observables;   /* ends with name NULL */
    const struct ca_field *fields;             /* ends with name NULL; NULL: none */
    const struct ca_measurement *measurements; /* ends with name NULL; NULL: none */
    const struct ca_state_appearance *states;  /* ends with name NULL */
    const char *level_unit; /* of the appearances' levels: what a level of 1 stands for, */
    float level_full;       /* in this unit */
    bool z_is_height;       /* layers are stacked upwards */
    bool rows_alternate;    /* odd rows are shifted: moved by an odd number, cells are others */
    const struct ca_brush *brushes;    /* a key goes from one to the next; ends with name NULL */
    bool has_flow;                     /* appearances carry momentum: codes come from flow_code */
    const struct ca_backend *backends; /* the ladder, reference first; ends with name NULL */

    /* Whether the outermost dimension is closed, so that its last layer is next to its first.
     * NULL: never. */
    bool (*torus)(const struct ca_setup *setup);
    /* What the rule looks up under the setup, table_bytes of it (at most CA_TABLE_MAX), for kernels
     * that are not calab's own, and in words what it is. NULL, 0: nothing. */
    int table_bytes;
    const char *table_help;
    void (*table)(const struct ca_setup *setup, uint8_t *bytes);
    /* Whether a step draws random numbers, which depend on its generation. NULL: never. */
    bool (*draws)(const struct ca_setup *setup);
    /* Refuses sizes and parameter combinations that are not allowed (CA_USAGE). May be NULL. */
    enum ca_status (*check)(const struct ca_setup *setup, struct ca_error *error);
    /*
     * The size that files named by the parameters impose, for start `start`; leaves *size alone
     * where there is none. May be NULL. CA_IO when a file cannot be read.
     */
    enum ca_status (*file_size)(const struct ca_setup *setup, int start, struct ca_size *size,
                                struct ca_error *error);
    /* Where on a map the files named by the parameters lie, for start `start`; leaves *map alone
     * where they say nothing of it. NULL: they never do. CA_IO as above. */
    enum ca_status (*file_map)(const struct ca_setup *setup, int start, struct ca_map *map,
                               struct ca_error *error);
    /*
     * Of a model whose states are patterns of Golly: its rule as Golly writes it, and whether a
     * text is that rule, however it is written. NULL: they are none.
     */
    void (*rule)(const struct ca_setup *setup, char text[CA_TEXT_MAX]);
    bool (*is_rule)(const struct ca_setup *setup, const char *text);
    /* Fills the zeroed canonical planes of the whole lattice with start `start`. */
    enum ca_status (*init)(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                           struct ca_error *error);
    /*
     * Refuses rows read from a state file, beyond the u8 range check that core does, and brings
     * them to canonical form (water: finite, -0 to +0, level >= terrain). Planes point at row
     * `first`. May be NULL. CA_IO.
     */
    enum ca_status (*check_state)(const struct ca_setup *setup, void *const planes[], int64_t first,
                                  int64_t rows, struct ca_error *error);
    /* Whether start setup->start of a u8 model is drawn cell by cell; if so, it fills *random,
     * which is zeroed. NULL: no start of the model is. */
    bool (*random_start)(const struct ca_setup *setup, struct ca_random_start *random);
    /* Of a u8 model: the observables of a lattice in which ones[p * bits + b] cells have bit b of
     * plane p set, and on_obstacle[p * bits + b] of them are solid and no wall. */
    void (*observe_counts)(const int64_t ones[CA_BIT_PLANES_MAX],
                           const int64_t on_obstacle[CA_BIT_PLANES_MAX],
                           double values[CA_OBSERVABLES_MAX]);
    /* Of an f32 model: adds the observables of so many rows, which planes point at, to sums[]. */
    void (*observe)(const struct ca_setup *setup, const void *const planes[], int64_t rows,
                    double sums[CA_OBSERVABLES_MAX]);
    /*
     * Near sums, over cells and their neighbours, of a 2D model: `near` adds those of cells
     * begin ... end - 1 of the row rows->here, near_sums of them. near_words does the same where
     * rows are words (core/model/bit_row.h), for u8 planes of a bit. 0, NULL: none.
     */
    int near_sums;
    ca_near_function *near, *near_words;
    /* Sets the observables that follow from the near sums of the whole lattice. NULL: none do. */
    void (*observe_near)(const double near[CA_NEAR_SUMS_MAX], double values[CA_OBSERVABLES_MAX]);
    /* The appearance of the cell at index i of the planes. low, high: range of an f32 plane 0. */
    void (*appearance)(const void *const planes[], int64_t i, float low, float high,
                       struct ca_appearance *appearance);
    /* For has_flow: the code of a bin of cells from the sums of their appearances' momentum and
     * level. */
    uint8_t (*flow_code)(double vx, double vy, double level);
};

/* The bits of a u8 plane's values. The digest counts an f32 plane as a single bit, so it has 1. */
static inline int ca_plane_bits(const struct ca_model *model)
{
    int bits = 1;

    while (model->type == CA_U8 && model->max_value >> bits)
        bits++;
    return bits;
}

/* The bit plane that marks solid cells, or -1. */
static inline int ca_solid_plane(const struct ca_model *model)
{
    for (int b = 0; b < CA_BIT_PLANES_MAX; b++)
        if (model->solid_mask >> b & 1)
            return b;
    return -1;
}

/* The number of layers along the outermost dimension. */
static inline int64_t ca_layers(const struct ca_model *model, struct ca_size size)
{
    return model->dimensions == 3 ? size.d : size.h;
}

/* The rows of the whole lattice in which solid cells are obstacles: *first ... *end - 1. */
static inline void ca_obstacle_rows(const struct ca_model *model, struct ca_size size,
                                    int64_t *first, int64_t *end)
{
    int64_t walls = model->wall_layers * (ca_rows(size) / ca_layers(model, size));

    *first = walls;
    *end = model->solid_mask ? ca_rows(size) - walls : 0;
}

enum ca_device_kind { CA_CPU, CA_CUDA };

/* The cells of a picture: each of `columns` x's in each of `count` rows (z * H + y) of the slab. */
struct ca_gather_points {
    const int64_t *x, *row;
    int64_t columns, count;
};

/* The time that an instance has spent since it was created. */
struct ca_clock {
    double device_s;   /* in kernels, by the device's own clock; of ranks: in all of a step */
    double transfer_s; /* in copies between host and device that belong to its steps; of ranks: that
                        * part of device_s in which the slowest did not step */
};

/*
 * What a backend runs for a setup, known before anything is allocated. A figure that is not known,
 * or has no meaning on the backend's device, is 0.
 */
struct ca_plan {
    char variant[64];           /* which kernel of the backend's family, in words */
    int generations;            /* that one pass over memory takes at most */
    int threads, vector_bits;   /* of a CPU backend */
    unsigned grid[3], block[3]; /* of the CUDA kernel that most generations go through */
    unsigned cluster;           /* blocks of a thread block cluster, 0 for none */
    int64_t shared_bytes;       /* of a block */
    int64_t memory_bytes;       /* that an instance takes where the lattice is kept */
    /* What one cell update reads and writes, and computes: what a pass does for a cell, over its
     * generations. Counted as in struct ca_backend. */
    double bytes_per_cell_step, ops_per_cell_step;
    double step_s; /* predicted seconds of a generation */
    /* Of several ranks (core/ranks): their number, the layers of a halo, the generations between
     * two exchanges, and the predicted seconds of one in which no rank steps. */
    int ranks;
    int64_t halo;
    int exchange;
    double exchange_s;
    double hidden_s;        /* likewise, in which ranks step; of a slab, those in which it could */
    int64_t halo_row_bytes; /* of a row of all planes as `send` copies it; 0: of canonical cells */
    bool shrinking;         /* passes store less and less of halos until the next exchange */
    int period;    /* of a slab, the generations of whole passes before it; 0: of any number */
    int processes; /* that have them, where they are several; whether halos between some of these */
    bool messages; /* are messages, as there is no other way */
};

#define CA_HALOS_MAX 2    /* of a rank: below and above */
#define CA_HALO_BUFFERS 2 /* sends before a receiver has stepped */
#define CA_SLOTS (CA_HALOS_MAX * CA_HALO_BUFFERS)

/* A halo on its way: see ca_stepper.send. */
struct ca_halo {
    int slot;      /* CA_HALOS_MAX for each buffer, see ca_stepper.send */
    int64_t first; /* row of the slab */
    void *from;    /* whose slot it is, of one that is received */
};

/* Another process of the host opens an instance's slots by this. */
struct ca_shared_slots {
    unsigned char memory[CA_SLOTS][64], sent[CA_HALO_BUFFERS][64];
    size_t bytes;
    char device[32];
};

/* What is done with the copy of a state: see ca_stepper.mark. */
enum ca_mark { CA_MARK_KEEP, CA_MARK_BACK, CA_MARK_DROP };

/*
 * How instances of a backend are made, filled and stepped: one constant object for each way of
 * keeping the state (byte planes, bit rows, bands, a GPU), which several backends share. What a
 * single backend does, its kernels, is its `ops`, whose type belongs to the stepper.
 */
struct ca_stepper {
    /*
     * What create would make of the setup, without taking memory. CA_USAGE with the numbers where
     * the backend's kernel cannot hold the setup, CA_NO_MEMORY where the device has too little
     * memory free. May be NULL while create may not refuse.
     */
    enum ca_status (*plan)(const struct ca_setup *setup, struct ca_plan *plan,
                           struct ca_error *error);
    /* *self is an instance with undefined cells; on failure nothing is left behind. Refuses what
     * plan refuses. */
    enum ca_status (*create)(void **self, const struct ca_setup *setup, struct ca_error *error);
    void (*destroy)(void *self); /* takes NULL */
    /*
     * Canonical rows first ... first + rows - 1 of the slab (row 0 is its first) in and out;
     * planes[] point at the first of them. Layers are multiples of rows, so slabs, slices and
     * single cells all go through these two.
     */
    enum ca_status (*load)(void *self, const void *const planes[], int64_t first, int64_t rows,
                           struct ca_error *error);
    enum ca_status (*store)(void *self, void *const planes[], int64_t first, int64_t rows,
                            struct ca_error *error);
    /*
     * Makes start setup->start where the cells are, as ca_model.init makes it, at generation 0.
     * *made is false, and nothing has changed, where the host must make it. NULL: always.
     */
    enum ca_status (*init)(void *self, bool *made, struct ca_error *error);
    /*
     * Adds the survey of rows first ... first + rows - 1 of the slab, of the parts that are asked
     * for (enum ca_survey_part). NULL: the rows are stored and surveyed on the host.
     */
    enum ca_status (*survey)(void *self, unsigned parts, int64_t first, int64_t rows,
                             struct ca_survey *survey, struct ca_error *error);
    /*
     * Adds rows first ... first + rows - 1 of the slab to the sums of blocks of the whole lattice
     * (core/model/field.h); `near` to their near sums, where the model has some. Neighbours beyond
     * a ghost end, or spoiled ones, have no meaning: `near` is not asked for their rows.
     */
    enum ca_status (*blocks)(void *self, const struct ca_blocks *blocks, int64_t first,
                             int64_t rows, double *sums, struct ca_error *error);
    enum ca_status (*near)(void *self, const struct ca_blocks *blocks, int64_t first, int64_t rows,
                           double *near, struct ca_error *error);
    /* n >= 1 generations, the first of which starts from generation t. */
    enum ca_status (*step)(void *self, uint64_t t, uint64_t n, struct ca_error *error);
    /* The same, but it may return before the generations are done: what the instance is asked next
     * waits for them, and `finish` for all of them, which the clock has counted then. Until they
     * are received anew, the halos of a slab serve `served` >= n generations from t on; rows that
     * none of these reads are not stored. NULL: step. */
    enum ca_status (*launch)(void *self, uint64_t t, uint64_t n, uint64_t served,
                             struct ca_error *error);
    enum ca_status (*finish)(void *self, struct ca_error *error);
    /*
     * Keeps a copy of the state, in place of an earlier one, in its own layout and where it is;
     * makes the state that of the copy, which is there; or frees the copy, if there is one, as
     * destroy does too. After a failure to keep there is no copy: CA_NO_MEMORY with the bytes that
     * are needed and those that are free, CA_NO_DEVICE. NULL: no state can be kept.
     */
    enum ca_status (*mark)(void *self, enum ca_mark what, struct ca_error *error);

    /*
     * Canonical values of scattered cells, so that a picture costs no more transfer than what it
     * shows: planes[p][r * columns + c] is the cell (x[c], row[r]). NULL: rows are stored instead.
     */
    enum ca_status (*gather)(void *self, const struct ca_gather_points *points,
                             void *const planes[], struct ca_error *error);
    /*
     * The same cells of u8 planes, summed in bins where they are, so that a picture costs the same
     * however many cells a character stands for. NULL: they are gathered.
     */
    enum ca_status (*reduce)(void *self, const struct ca_gather_points *points,
                             const struct ca_view_bins *bins,
                             const struct ca_appearances *appearances, struct ca_bin_sum *sums,
                             struct ca_error *error);
    /*
     * Halos of so many rows on their way to other instances of the same backend and lattice, which
     * may be on other devices: `send` copies rows of the slab to this instance's buffers, `receive`
     * rows to the slab from buffers of others. Both may return before they are done; what an
     * instance is asked next waits for them, and so does `receive` for the `send` that has been
     * called before it. A slot may be filled again after the receiver's next step; rows that have
     * been sent may be changed by another call than launch, send and receive once all receivers
     * have finished. NULL: rows are stored and loaded.
     */
    enum ca_status (*send)(void *self, const struct ca_halo halos[], int count, int64_t rows,
                           struct ca_error *error);
    enum ca_status (*receive)(void *self, const struct ca_halo halos[], int count, int64_t rows,
                              struct ca_error *error);
    /*
     * The same between two processes of one host: `share` makes slots for so many rows ready and
     * says how to open them; `attach` opens those of another process, and `receive` takes what it
     * returns as `from`; who asks for it knows that `send` has been called there. `detach` frees
     * it. CA_CUDA_FAILED where the host does not allow it. NULL: rows are messages.
     */
    enum ca_status (*share)(void *self, int64_t rows, struct ca_shared_slots *slots,
                            struct ca_error *error);
    enum ca_status (*attach)(void *self, const struct ca_shared_slots *slots, void **from,
                             struct ca_error *error);
    void (*detach)(void *self, void *from);
    /*
     * The same by messages: `fetch` copies what `send` has put in a slot to the host, `deliver`
     * rows from there to the slab, plan.halo_row_bytes each; both have done so when they return.
     * Memory for the bytes is taken by take_host, NULL where there is none. NULL: rows are stored
     * and loaded.
     */
    enum ca_status (*fetch)(void *self, int slot, void *bytes, size_t count,
                            struct ca_error *error);
    enum ca_status (*deliver)(void *self, int64_t first, int64_t rows, const void *bytes,
                              struct ca_error *error);
    void *(*take_host)(size_t count);
    void (*free_host)(void *memory); /* takes NULL */
    /* The instance's plan: what it runs. */
    void (*report)(const void *self, struct ca_plan *plan);
    /* NULL: a step's device time is the time that it took. */
    void (*clock)(void *self, struct ca_clock *clock);
};

struct ca_backend {
    const char *name;
    const char *title; /* one line: what this rung does */
    enum ca_device_kind device;
    /* 0: the states are the reference's to the last bit. Else sums have another order: after one
     * generation from the same state they agree as ca_lattice_compare_within has it, with the
     * model's radius as reach. Such a backend is never chosen, only named. */
    double tolerance;
    const struct ca_param *options; /* NULL: none */
    double memory_bytes_per_cell;   /* what an instance allocates */
    /* What one cell step must read and write, for the roofline; where one pass over memory takes a
     * cell through several generations, what a pass must. */
    double bytes_per_cell_step;
    /* Integer or float operations, likewise: on 64 bits on a CPU, of which a vector makes so many
     * and a scalar operation one; on 32 bits on a GPU. Of bits the logic alone, where three inputs
     * count as two operations on a CPU and as one on a GPU. */
    double ops_per_cell_step;

    /* NULL: runs everywhere. Else CA_OK or CA_NO_DEVICE with the reason. */
    enum ca_status (*available)(struct ca_error *error);
    const struct ca_stepper *stepper; /* NULL where it was not built */
    /* Of a backend that refuses some setups: small sizes that reach its kernel, for checks; ends
     * with {0}. NULL: all sizes do. */
    const struct ca_size *small_sizes;
    bool emulated;   /* it runs CUDA on this CPU, so that no time is a speed */
    bool only_named; /* a choice of the fastest leaves it out */
    bool choice;     /* the row stands for the fastest of several backends: see ca_backend_auto */
    const void *ops; /* what the stepper runs */
};

/* The registry: all models, in the order that lists show them; ends with NULL. */
extern const struct ca_model *const ca_models[];

/* By name; CA_USAGE with the nearest name or the list. */
enum ca_status ca_model_find(const struct ca_model **model, const char *name,
                             struct ca_error *error);
enum ca_status ca_backend_find(const struct ca_backend **backend, const struct ca_model *model,
                               const char *name, struct ca_error *error);

/* All backends of a model: those of its table, from model->backends on, and the one that was added.
 * Returns NULL behind the last. */
const struct ca_backend *ca_backend_next(const struct ca_model *model,
                                         const struct ca_backend *backend);
/* The same by number. */
const struct ca_backend *ca_backend_at(const struct ca_model *model, int i);
/*
 * Adds a backend, the only one in this process, which stays the caller's: all lists of the model's
 * backends have it from then on. Nothing may go through them meanwhile. CA_USAGE where another has
 * been added, or the model has a backend of that name.
 */
enum ca_status ca_backend_add(const struct ca_model *model, const struct ca_backend *backend,
                              struct ca_error *error);

/* CA_OK when it can run here. */
enum ca_status ca_backend_available(const struct ca_backend *backend, struct ca_error *error);
/*
 * The names that stand for the fastest backend (core/bench/choose.h): "auto", and "cpu" and "cuda"
 * for one kind of device. Each model has a row for each, with the options of all backends that it
 * chooses among; ca_backend_find knows them, the model's table does not hold them, and they never
 * run. ca_backend_auto is the first of them; the others follow it; the last one has name NULL.
 */
const struct ca_backend *ca_backend_auto(const struct ca_model *model);
/* Whether a choice is made among backends of this one's kind. */
bool ca_backend_chooses(const struct ca_backend *choice, const struct ca_backend *backend);
/* Index of a start by name, or -1. */
int ca_start_find(const struct ca_model *model, const char *name);
/* Whether a backend, or any backend of a model, has an option of that name. */
bool ca_backend_has_option(const struct ca_backend *backend, const char *name);
bool ca_model_has_option(const struct ca_model *model, const char *name);

#ifdef __cplusplus
}
#endif
#endif
