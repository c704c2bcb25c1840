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
#include "core/model/stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ca_model;
struct ca_backend;
struct ca_field; /* core/model/field.h */
struct ca_neighbour_rows;

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

/* The place of a lattice on a map, as the file says from which it was made (core/files/asc.c): the
 * corner of its south-western cell or, along an axis that says so, the middle of that cell. */
struct ca_map {
    bool given; /* else the corner is 0,0, and a cell 1 across */
    double x, y, cell;
    bool x_is_middle, y_is_middle;
    bool has_no_data;
    double no_data; /* what stood for no data */
};

/* All that a simulation is made from, and what init and create get. */
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
    bool swaps; /* kernels may be exchanged under way, for such as are made meanwhile */
};

/* A named initial state of a model. */
struct ca_start {
    const char *name;
    const char *help;
};

/* How a cell is drawn: see core/sim/view.h. */
struct ca_appearance {
    uint8_t code;  /* index into the model's states, below 255; a higher one wins under "any" */
    float level;   /* 0 ... 1, brightness */
    int8_t vx, vy; /* momentum, where the model has `flow`: right in half cells, down in rows */
};

/* A plane of states that shares the bytes of a u8 model's plane 0 with others. */
struct ca_part {
    const char *name;
    const char *help;
    int states, shift; /* the state is in the bits from `shift` on, as many as it needs */
    int first;         /* of its states in the table of appearances */
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
#define CA_STATES_MAX (1 << CA_BIT_PLANES_MAX)

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
 * An editor changes a cell by a brush: plane p becomes value[p], or, with `over`, so much more than
 * plane 0. Planes that are not among `planes`, a set of bits, stay as they are.
 */
struct ca_brush {
    const char *name;
    unsigned planes;
    float value[CA_PLANES_MAX];
    bool over;
};

/* Cells that never change and throw things back, of a u8 model. */
struct ca_model_solid {
    uint8_t mask;    /* cells with this bit of plane 0 are solid */
    int wall_layers; /* at both ends of the outermost dimension, whose solid cells are walls, not
                      * obstacles */
};

/* The initial states of a model. */
struct ca_model_start {
    const struct ca_start *named; /* the first is the default; ends with name NULL */
    /* Fills the zeroed canonical planes of the whole lattice with start `start`. */
    enum ca_status (*init)(const struct ca_setup *setup, int start, struct ca_lattice *lattice,
                           struct ca_error *error);
    /* Whether start setup->start of a u8 model is drawn cell by cell; if so, it fills *random,
     * which is zeroed. NULL: no start of the model is. */
    bool (*random)(const struct ca_setup *setup, struct ca_random_start *random);
    /*
     * The size that files named by the parameters impose, for start `start`; leaves *size alone
     * where there is none. May be NULL. CA_IO when a file cannot be read.
     */
    enum ca_status (*file_size)(const struct ca_setup *setup, int start, struct ca_size *size,
                                struct ca_error *error);
    /* Finds where on a map the files named by the parameters lie, for start `start`; leaves *map
     * alone where they say nothing of it. NULL: they never do. CA_IO as above. */
    enum ca_status (*file_map)(const struct ca_setup *setup, int start, struct ca_map *map,
                               struct ca_error *error);
};

/* The table in which a rule looks up cells, for kernels that are not calab's own. */
struct ca_rule_table {
    int bytes;        /* at most CA_TABLE_MAX */
    const char *help; /* its layout, in words */
    void (*fill)(const struct ca_setup *setup, uint8_t *bytes);
};

/* The notation of a rule whose states are patterns of Golly. */
struct ca_rule_notation {
    void (*write)(const struct ca_setup *setup, char text[CA_TEXT_MAX]);
    bool (*matches)(const struct ca_setup *setup, const char *text); /* however it is written */
    /* Whether all of an empty plane becomes live (B0). NULL: it never does. */
    bool (*flashes)(const struct ca_setup *setup);
};

/* A rule has these facts besides its kernels. */
struct ca_model_rule {
    /* Whether the outermost dimension is closed, so that its last layer is next to its first.
     * NULL: never. */
    bool (*torus)(const struct ca_setup *setup);
    /* Whether a step draws random numbers, which depend on its generation. NULL: never. */
    bool (*draws)(const struct ca_setup *setup);
    const struct ca_rule_table *table;       /* NULL: it looks up nothing */
    const struct ca_rule_notation *notation; /* NULL: Golly has no such patterns */
};

/* Adds the sums over cells begin ... end - 1 of the row rows->here and their neighbours. */
typedef void ca_neighbour_function(const struct ca_setup *setup,
                                   const struct ca_neighbour_rows *rows, int64_t begin, int64_t end,
                                   double *sums);
#define CA_NEIGHBOUR_SUMS_MAX 2

/* Sums over cells and their neighbours, of a 2D model. */
struct ca_neighbour_sums {
    int count;
    ca_neighbour_function *add;
    ca_neighbour_function *add_words; /* of rows of words (core/model/bit_row.h), for u8 planes of a
                                       * bit; may be NULL elsewhere */
    /* Sets the observables that follow from the sums of the whole lattice. NULL: none do. */
    void (*observe)(const struct ca_setup *setup, const double sums[CA_NEIGHBOUR_SUMS_MAX],
                    double values[CA_OBSERVABLES_MAX]);
};

/*
 * Measurements: quantities of a model that follow from how a wave decays or oscillates, or how
 * often a flow sheds vortices, and what theory says of them. A model has a const table of them.
 */
/* The wave's amplitude a(t), and the quantity by its wave number k, in 1/cells. */
enum ca_wave {
    CA_WAVE_DECAYS,     /* exp(-g t): g / k^2, a diffusivity */
    CA_WAVE_OSCILLATES, /* cos(w t), damped: w / k, a speed */
    CA_WAVE_SHEDS,      /* a line at frequency f in the spectrum of an observable: f length / speed,
                           a Strouhal number */
};

struct ca_measurement {
    const char *name;  /* of one word */
    const char *title; /* one line */
    const char *unit;
    enum ca_wave wave;
    /* For waves in the lattice: a start of the model with one, which is as long as the lattice. */
    const char *start;
    const char *field; /* whose wave is followed, and its component; an observable that sheds */
    int component;
    bool down; /* the wave runs down the rows; otherwise along them */
    /* CA_USAGE where the setup does not have such a wave. */
    enum ca_status (*check)(const struct ca_setup *setup, struct ca_error *error);
    double (*length)(const struct ca_setup *setup); /* of the wave or the obstacle, in cells */
    /* For flows that shed vortices: the speed of the flow by the mean of the observables. */
    double (*speed)(const struct ca_setup *setup, const double observables[]);
    double (*theory)(const struct ca_setup *setup);
    double low, high; /* the allowed range of what is measured, by what theory says */
};

/* A state is measured by these. */
struct ca_model_observe {
    const struct ca_observable *observables; /* ends with name NULL; NULL: none */
    /* For a u8 model: computes the observables of a lattice in which ones[p * bits + b] cells have
     * bit b of plane p set, and on_obstacle[p * bits + b] of them are solid and no wall. */
    void (*counts)(const struct ca_setup *setup, const int64_t ones[CA_BIT_PLANES_MAX],
                   const int64_t on_obstacle[CA_BIT_PLANES_MAX], double values[CA_OBSERVABLES_MAX]);
    /* In place of it, for a model whose observables do not follow from single bits: cells[v] cells
     * have the value v, in which plane p has the bits from p * bits on. Bits are counted faster. */
    void (*states)(const struct ca_setup *setup, const int64_t cells[CA_STATES_MAX],
                   double values[CA_OBSERVABLES_MAX]);
    /* For an f32 model: adds the observables of so many rows, which planes point at, to sums[].
     * NULL: it has none. */
    void (*rows)(const struct ca_setup *setup, const void *const planes[], int64_t rows,
                 double sums[CA_OBSERVABLES_MAX]);
    const struct ca_neighbour_sums *neighbours; /* NULL: none */
    const struct ca_field *fields;              /* ends with name NULL; NULL: none */
    const struct ca_measurement *measurements;  /* ends with name NULL; NULL: none */
};

/* Cells that have a bit of this plane, p * bits + b, can be seen in a projection, and have this
 * code. */
struct ca_seen {
    int plane;
    uint8_t code; /* above 0 */
};

/* How states are drawn. */
struct ca_model_draw {
    const struct ca_state_appearance *states; /* ends with name NULL */
    /* The appearance of the cell at index i of the planes. low, high: range of an f32 plane 0. */
    void (*cell)(const struct ca_model *model, const void *const planes[], int64_t i, float low,
                 float high, struct ca_appearance *appearance);
    /* For appearances that carry momentum: the code of a bin of cells from the sums of their
     * momentum and level. NULL: they carry none. */
    uint8_t (*flow)(const struct ca_model *model, double vx, double vy, double level);
    const char *level_unit; /* of the appearances' levels: what a level of 1 stands for, */
    float level_full;       /* in this unit */
    bool z_is_height;       /* layers are stacked upwards */
    /* In rising order of codes; the first are those that are counted; ends with code 0. NULL: those
     * that have the lowest bit of plane 0. */
    const struct ca_seen *seen;
    /* For a model with one u8 plane: cells with one of these bits are black in a .pbm, which
     * two-dimensional states can be written as. 0: no picture of a state can be. */
    uint8_t picture_mask;
};

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
    const struct ca_part
        *parts;          /* of plane 0, the only one; ends with name NULL. NULL: it has none */
    bool rows_alternate; /* odd rows are shifted: moved by an odd number, cells are others */
    struct ca_size default_size;
    double pace; /* generations a frame at which something is seen to happen */
    /* The experiment that ships by this name, as which the workbench opens the model where nothing
     * else is asked for. NULL: its own start, which is one that stays alive. */
    const char *opens;
    const struct ca_param *params;
    const struct ca_brush *brushes;    /* a key goes from one to the next; ends with name NULL */
    const struct ca_backend *backends; /* the ladder, reference first; ends with name NULL */
    /* Refuses sizes and parameter combinations that are not allowed (CA_USAGE). May be NULL. */
    enum ca_status (*check)(const struct ca_setup *setup, struct ca_error *error);
    /*
     * Refuses rows read from a state file, beyond the u8 range check that core does, and brings
     * them to canonical form (water: finite, -0 to +0, level >= terrain). Planes point at row
     * `first`. May be NULL. CA_IO.
     */
    enum ca_status (*check_state)(const struct ca_setup *setup, void *const planes[], int64_t first,
                                  int64_t rows, struct ca_error *error);
    const struct ca_model_start *start;     /* never NULL */
    const struct ca_model_rule *rule;       /* NULL: open ends, no draws, no table, no notation */
    const struct ca_model_solid *solid;     /* NULL: no cell is solid */
    const struct ca_model_observe *observe; /* NULL: there is nothing to observe */
    const struct ca_model_draw *draw;       /* NULL: see ca_draw_of */
    const struct ca_model_source *source;   /* NULL: calab has it built in */
};

/* A model in a file must have this property; `calab model check` tests it. */
struct ca_model_property {
    const char *name; /* a word */
    /* CA_OK: it holds, and `text` says what was tried; CA_WRONG with file and line; CA_NO_MEMORY.
     * It calls ca_isolated_alive: the model's code may crash, or not return. */
    enum ca_status (*check)(const struct ca_model *model, uint64_t seed, char text[CA_TEXT_MAX],
                            struct ca_error *error);
};

/* The file from which a model has been made, which records of several such models tell apart. */
struct ca_model_source {
    const char *path; /* absolute */
    uint64_t digest;  /* of its bytes */
    const char *text; /* these, with a NUL behind them */
    size_t size;
    /* A function that it calls, and whose last bits differ between machines, while it declares no
     * tolerance for them; NULL: none. */
    const char *inexact;
    const struct ca_model_property *properties; /* ends with name NULL */
    /* The file's name and the line of an instruction, or the line of its rule where that is not
     * known (NULL). */
    void (*place)(const struct ca_model *model, const void *instruction, char place[CA_TEXT_MAX]);
    /* The source that a backend of the model steps by, malloc'd: what is compiled, to be read and
     * to be changed. CA_USAGE: it has none of its own; CA_IO, CA_NO_MEMORY. */
    enum ca_status (*show)(const struct ca_model *model, const struct ca_backend *backend,
                           char **text, struct ca_error *error);
};

/* Lists of a model, which are empty where it has none. */
const struct ca_observable *ca_observables(const struct ca_model *model);
const struct ca_field *ca_fields(const struct ca_model *model);
const struct ca_measurement *ca_measurements(const struct ca_model *model);

/* How the model's states are drawn: by its own record or, where it has none, by plane 0 alone. */
const struct ca_model_draw *ca_plain_draw(const struct ca_model *model);
static inline const struct ca_model_draw *ca_draw_of(const struct ca_model *model)
{
    return model->draw ? model->draw : ca_plain_draw(model);
}
const struct ca_seen *ca_seen_of(const struct ca_model *model);

static inline bool ca_is_torus(const struct ca_setup *setup)
{
    const struct ca_model_rule *rule = setup->model->rule;

    return rule && rule->torus && rule->torus(setup);
}

/* Whether a step draws random numbers: under the setup; under any setup of the model. */
static inline bool ca_draws(const struct ca_setup *setup)
{
    const struct ca_model_rule *rule = setup->model->rule;

    return rule && rule->draws && rule->draws(setup);
}
static inline bool ca_may_draw(const struct ca_model *model)
{
    return model->rule && model->rule->draws;
}

static inline const struct ca_rule_table *ca_rule_table_of(const struct ca_model *model)
{
    return model->rule ? model->rule->table : NULL;
}

static inline const struct ca_rule_notation *ca_rule_notation_of(const struct ca_model *model)
{
    return model->rule ? model->rule->notation : NULL;
}

static inline const struct ca_neighbour_sums *ca_neighbours_of(const struct ca_model *model)
{
    return model->observe ? model->observe->neighbours : NULL;
}

static inline int ca_neighbour_sums_count(const struct ca_model *model)
{
    return ca_neighbours_of(model) ? ca_neighbours_of(model)->count : 0;
}

static inline uint8_t ca_solid_mask(const struct ca_model *model)
{
    return model->solid ? model->solid->mask : 0;
}

/* The bits of a u8 plane's values. The digest counts an f32 plane as a single bit, so it has 1. */
static inline int ca_plane_bits(const struct ca_model *model)
{
    int bits = 1;

    while (model->type == CA_U8 && model->max_value >> bits)
        bits++;
    return bits;
}

/* The state of a part in a byte, which may be one that the part has not. */
static inline int ca_part_state(const struct ca_part *part, uint8_t byte)
{
    int mask = 1;

    while (mask < part->states - 1)
        mask = mask << 1 | 1;
    return byte >> part->shift & mask;
}

/* The bit plane that marks solid cells, or -1. */
static inline int ca_solid_plane(const struct ca_model *model)
{
    for (int b = 0; b < CA_BIT_PLANES_MAX; b++)
        if (ca_solid_mask(model) >> b & 1)
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
    int64_t layers = model->solid ? model->solid->wall_layers : 0;
    int64_t walls = layers * (ca_rows(size) / ca_layers(model, size));

    *first = walls;
    *end = model->solid ? ca_rows(size) - walls : 0;
}

enum ca_device_kind { CA_CPU, CA_CUDA };

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
    /* The bytes that one cell step must read and write, for the roofline; or a pass, where it takes
     * a cell through several generations. */
    double bytes_per_cell_step;
    /* Integer or float operations, likewise: on 64 bits on a CPU, of which a vector makes so many
     * and a scalar operation one; on 32 bits on a GPU. Of bits the logic alone, where three inputs
     * count as two operations on a CPU and as one on a GPU. */
    double ops_per_cell_step;

    /* NULL: runs everywhere. Else CA_OK or CA_NO_DEVICE with the reason. */
    enum ca_status (*available)(struct ca_error *error);
    const struct ca_stepper *stepper; /* NULL where it was not built */
    /* For a backend that refuses some setups: small sizes that reach its kernel, for checks; ends
     * with {0}. NULL: all sizes do. */
    const struct ca_size *small_sizes;
    bool emulated;   /* it runs CUDA on this CPU, so that no time is a speed */
    bool only_named; /* a choice of the fastest leaves it out */
    bool choice;     /* the row stands for the fastest of several backends: see ca_backend_auto */
    const void *ops; /* what the stepper runs */
};

/* The registry: all models, in the order that lists show them; ends with NULL. */
extern const struct ca_model *const ca_models[];

/* Their number, and the name of one, for ca_nearest. */
int ca_model_count(void);
const char *ca_model_name(const void *none, int i);

/* By name; CA_USAGE with the nearest name or the list. */
enum ca_status ca_model_find(const struct ca_model **model, const char *name,
                             struct ca_error *error);

/*
 * The model of a word: a name or the path of a file that describes one, which is compiled unless
 * that has been done, and stays open until the process ends. A file is opened anew where its bytes
 * have changed. Only what the user has named is opened so: never what a file of data says.
 */
enum ca_status ca_model_open(const struct ca_model **model, const char *word,
                             struct ca_error *error);
/* The same of a text that has come with what the user named, from another process or host: the path
 * names the file, which is not read and need not be there. CA_USAGE where the text has another
 * digest. */
enum ca_status ca_model_open_text(const struct ca_model **model, const char *path, uint64_t digest,
                                  const char *text, size_t size, struct ca_error *error);
/* The text of a file as it is now, with a NUL behind it, malloc'd, and its digest. CA_IO. */
enum ca_status ca_model_read(const char *path, char **text, size_t *size, uint64_t *digest,
                             struct ca_error *error);
/* The open model of the file at a path, from the root, with these bytes; NULL: it is not open. */
const struct ca_model *ca_model_opened(const char *path, uint64_t digest);
/* Whether the word is such a path: it ends with ".c". */
bool ca_model_is_path(const char *word);
/* The same from a folder, where the word is a path that does not begin at the root. */
enum ca_status ca_model_open_in(const struct ca_model **model, const char *folder, const char *word,
                                struct ca_error *error);
/* The word that opens the model from anywhere: its name, or the absolute path of its file. */
const char *ca_model_word(const struct ca_model *model);
/* Writes the model's name and, where another file's model of that name is open, as much of the end
 * of its path as tells the two apart. */
#define CA_MODEL_LABEL 160
char *ca_model_label(char text[CA_MODEL_LABEL], const struct ca_model *model);
/* The model of a name and a digest, of a file that is open; without a digest (NULL) by name as
 * ca_model_find. CA_USAGE where the file is not open: it has to be given. */
enum ca_status ca_model_known(const struct ca_model **model, const char *name,
                              const uint64_t *digest, struct ca_error *error);
/* From now on a model is opened from the text that a file of data keeps, which the user trusts. */
void ca_models_trust(void);
bool ca_models_trusted(void);
/* Whether they are one and the same, or of files with the same bytes. */
bool ca_model_same(const struct ca_model *a, const struct ca_model *b);
/* By number: the table's, then those that have been opened; NULL behind the last. */
const struct ca_model *ca_model_at(int i);

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
