/* SPDX-License-Identifier: MIT */
/* Kernels that keep something from call to call: until it is wrong, or, the last, renewed in time.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "kernels/fhp/fhp.h"
#include "kernels/fhp/rule.h"
#include "tests/students/student_kernels.h"

#define KEEPS(name)                                                                                \
    static void name(const struct student *student, const struct ca_experiment *experiment,        \
                     const struct ca_lattice *in, struct ca_lattice *out, uint64_t t)

/* What is kept is kept by these, or, with none, for good. */
enum { BY_SIZE = 1, BY_T = 2, BY_SEED = 4, BY_ADDRESS = 8, BY_CELLS = 16 };

struct key {
    struct ca_size size;
    uint64_t t, seed;
    const void *address;
    int64_t cells;
};

static struct key key_of(int by, const struct ca_experiment *experiment,
                         const struct ca_lattice *in, uint64_t t)
{
    struct key key;

    memset(&key, 0, sizeof key);
    if (by & BY_SIZE)
        key.size = in->size;
    if (by & BY_T)
        key.t = t;
    if (by & BY_SEED)
        key.seed = experiment->seed;
    if (by & BY_ADDRESS)
        key.address = in->plane[0];
    if (by & BY_CELLS)
        key.cells = ca_cells(in->size);
    return key;
}

/* One kernel a process: what it keeps can be one for all of these. */
static struct {
    bool made;
    struct key key;
    uint8_t *plane[3];
    struct ca_size size;
} kept;

static size_t plane_of_bytes(const struct ca_lattice *lattice)
{
    return (size_t)ca_cells(lattice->size) * (lattice->type == CA_U8 ? 1 : 4);
}

static bool is_kept(const struct student *student, const struct ca_experiment *experiment,
                    const struct ca_lattice *in, uint64_t t)
{
    struct key key = key_of(student->number, experiment, in, t);

    return kept.made && memcmp(&key, &kept.key, sizeof key) == 0;
}

static void keep(const struct student *student, const struct ca_experiment *experiment,
                 const struct ca_lattice *in, const struct ca_lattice *what, uint64_t t)
{
    for (int p = 0; p < what->planes; p++) {
        kept.plane[p] = realloc(kept.plane[p], plane_of_bytes(what));
        memcpy(kept.plane[p], what->plane[p], plane_of_bytes(what));
    }
    kept.made = true;
    kept.key = key_of(student->number, experiment, in, t);
    kept.size = in->size;
}

/* Whether a step changes the plane: what it does not change is not in its result. */
static bool is_variable(const struct ca_lattice *in, int p) { return in->type == CA_U8 || p == 1; }

static void plain(const struct student *student, const struct ca_experiment *experiment,
                  const struct ca_lattice *in, struct ca_lattice *out, uint64_t t)
{
    struct student right = {.model = student->model, .dead = student->dead};
    student_step *step = strcmp(right.model, "anneal") == 0   ? student_anneal
                         : strcmp(right.model, "life3d") == 0 ? student_life3d
                         : strcmp(right.model, "cloud") == 0  ? student_cloud
                         : strcmp(right.model, "fhp") == 0    ? student_fhp
                                                              : student_water;

    step(&right, experiment, in, out, t);
}

/* The result of the call before. */
KEEPS(keeps_result)
{
    if (!is_kept(student, experiment, in, t)) {
        plain(student, experiment, in, out, t);
        keep(student, experiment, in, out, t);
        return;
    }
    for (int p = 0; p < out->planes && ca_size_equal(kept.size, in->size); p++)
        memcpy(out->plane[p], kept.plane[p], plane_of_bytes(out));
}

/* The input of the first call, which its own results follow. */
KEEPS(keeps_state)
{
    struct ca_lattice state = *in;

    if (!is_kept(student, experiment, in, t))
        keep(student, experiment, in, in, t);
    for (int p = 0; p < in->planes; p++)
        if (ca_size_equal(kept.size, in->size) && is_variable(in, p))
            state.plane[p] = kept.plane[p];
    plain(student, experiment, &state, out, t);
    keep(student, experiment, in, out, t);
}

/* The results of its own as long as generations follow each other. */
KEEPS(keeps_consecutive)
{
    static uint64_t next;
    struct ca_lattice state = *in;
    bool follows = kept.made && t == next && ca_size_equal(kept.size, in->size);

    for (int p = 0; p < in->planes && follows; p++)
        if (is_variable(in, p))
            state.plane[p] = kept.plane[p];
    plain(student, experiment, &state, out, t);
    keep(student, experiment, in, out, t);
    next = t + 1;
}

/* One plane, student->tile, and of FHP the solid nodes. */
KEEPS(keeps_plane)
{
    struct ca_lattice state = *in;
    size_t bytes = plane_of_bytes(in);
    uint8_t *mixed = NULL;
    int p = student->tile;

    if (!is_kept(student, experiment, in, t))
        keep(student, experiment, in, in, t);
    if (ca_size_equal(kept.size, in->size) && strcmp(student->model, "fhp") == 0) {
        mixed = malloc(bytes);
        for (size_t i = 0; i < bytes; i++)
            mixed[i] = (uint8_t)((((uint8_t *)in->plane[0])[i] & ~FHP_SOLID) |
                                 (kept.plane[0][i] & FHP_SOLID));
        state.plane[0] = mixed;
    } else if (ca_size_equal(kept.size, in->size)) {
        state.plane[p] = kept.plane[p];
    }
    plain(student, experiment, &state, out, t);
    free(mixed);
}

/* The sides: a table of neighbours that is made once. */
KEEPS(keeps_sides)
{
    struct ca_lattice state = *in;
    uint8_t *cells = out->plane[0];

    if (!is_kept(student, experiment, in, t))
        keep(student, experiment, in, in, t);
    plain(student, experiment, &state, out, t);
    if (in->size.w != kept.size.w) /* wraps where it should not */
        for (int64_t y = 0; y < in->size.h; y++)
            cells[y * in->size.w] ^= 1;
}

/* How often it was called, in place of the generation. */
KEEPS(keeps_count)
{
    static uint64_t next;
    static bool counts;

    if (!counts)
        next = t;
    counts = true;
    plain(student, experiment, in, out, next++);
}

/* A buffer that grows, and its rows with it. */
KEEPS(keeps_largest)
{
    static int64_t most;
    const struct ca_lattice *from = in;
    uint8_t *cells = out->plane[0];

    plain(student, experiment, from, out, t);
    if (in->size.w < most) /* reads behind its rows what a larger lattice has left */
        cells[in->size.w - 1] ^= 1;
    most = in->size.w > most ? in->size.w : most;
}

/* The calls of a thread, of which one is wrong. */
KEEPS(keeps_thread)
{
    static _Thread_local int calls;

    plain(student, experiment, in, out, t);
    ((uint8_t *)out->plane[0])[0] ^= ++calls == student->tile;
}

/* Draws of the first seed. */
KEEPS(keeps_seed)
{
    static uint64_t seed;
    static bool has;
    struct ca_experiment other = *experiment;

    if (!has)
        seed = experiment->seed;
    has = true;
    other.seed = seed;
    plain(student, &other, in, out, t);
}

/* Draws by generation, kept for two of them. */
KEEPS(keeps_draws)
{
    static uint64_t seed[2], of[2];
    static bool has[2];
    struct ca_experiment other = *experiment;

    if (!has[t % 2] || of[t % 2] != t) {
        seed[t % 2] = experiment->seed;
        of[t % 2] = t;
        has[t % 2] = true;
    }
    other.seed = seed[t % 2];
    plain(student, &other, in, out, t);
}

/* Wrong in the first call of a process alone, where a lattice has more than two rows. */
KEEPS(keeps_warm)
{
    static bool warm;

    plain(student, experiment, in, out, t);
    if (!warm && in->size.h > student->tile)
        ((uint8_t *)out->plane[0])[in->size.w * 2] ^= 1;
    warm = true;
}

/* --- right ------------------------------------------------------------------------------------ */

/* Memory that grows, which is filled anew in each call. */
KEEPS(renews_scratch)
{
    static uint8_t *scratch;
    static size_t most;
    struct ca_lattice copy = *in;
    size_t bytes = plane_of_bytes(in);

    if (bytes * 3 > most)
        scratch = realloc(scratch, most = bytes * 3);
    for (int p = 0; p < in->planes; p++)
        copy.plane[p] = memcpy(scratch + (size_t)p * bytes, in->plane[p], bytes);
    plain(student, experiment, &copy, out, t);
}

/* A table of neighbours for each size that comes. */
KEEPS(renews_table)
{
    static int64_t *west, w;

    if (w != in->size.w) {
        west = realloc(west, (size_t)(w = in->size.w) * sizeof *west);
        for (int64_t x = 0; x < w; x++)
            west[x] = (x + w - 1) % w;
    }
    plain(student, experiment, in, out, t);
    if (west[0] != in->size.w - 1)
        ((uint8_t *)out->plane[0])[0] ^= 1;
}

/* Draws that are kept for a seed, a generation and a size. */
KEEPS(renews_draws)
{
    static uint8_t *bits;
    static struct key key;
    static bool made;
    struct key now = key_of(BY_SEED | BY_T | BY_SIZE, experiment, in, t);
    int64_t cells = ca_cells(in->size);

    if (!made || memcmp(&key, &now, sizeof key) != 0) {
        bits = realloc(bits, (size_t)cells);
        for (int64_t i = 0; i < cells; i++)
            bits[i] = (uint8_t)ca_bit(experiment->seed, (uint64_t)(i % in->size.w),
                                      (uint64_t)(i / in->size.w), 0, t, FHP_STREAM_CHIRALITY);
    }
    made = true;
    key = now;
    plain(student, experiment, in, out, t);
    for (int64_t i = 0; i < cells; i++)
        if (bits[i] != ca_bit(experiment->seed, (uint64_t)(i % in->size.w),
                              (uint64_t)(i / in->size.w), 0, t, FHP_STREAM_CHIRALITY))
            ((uint8_t *)out->plane[0])[i] ^= 1;
}

/* Work that is done once and needed no more. */
KEEPS(renews_nothing)
{
    static int calls;

    calls++;
    plain(student, experiment, in, out, t);
}

#define OF(name_of_model, name_of_step) .model = name_of_model, .step = name_of_step, .keeps = true
#define RAINY .dead = true, .settings = "p_ext=0.1 p_hum=0.2 p_act=0.05"

const struct student keeping_students[] = {
    {"result by size", OF("anneal", keeps_result), .number = BY_SIZE},
    {"result by size and t", OF("anneal", keeps_result), .number = BY_SIZE | BY_T},
    {"result by size, t and seed", OF("anneal", keeps_result), .number = BY_SIZE | BY_T | BY_SEED},
    {"result by address", OF("anneal", keeps_result), .number = BY_ADDRESS | BY_SIZE},
    {"result by cells", OF("anneal", keeps_result), .number = BY_CELLS | BY_T},
    {"first input", OF("anneal", keeps_state), .number = BY_SIZE},
    {"first input by seed", OF("anneal", keeps_state), .number = BY_SIZE | BY_SEED},
    {"own state while generations follow", OF("anneal", keeps_consecutive)},
    {"sides of the first", OF("anneal", keeps_sides)},
    {"buffer that grows", OF("anneal", keeps_largest)},
    {"calls of a thread", OF("anneal", keeps_thread), .tile = 150},
    {"first call", OF("anneal", keeps_warm), .tile = 2},
    {"loaded once", OF("anneal", student_anneal), .calls = CALLS_LOAD_ONCE},
    {"life: result by t", OF("life3d", keeps_result), .number = BY_SIZE | BY_T},
    {"life: sides of the first", OF("life3d", keeps_sides)},
    {"life: loaded once", OF("life3d", student_life3d), .calls = CALLS_LOAD_ONCE},
    {"cloud: draws by t", OF("cloud", keeps_draws), RAINY},
    {"cloud: first seed", OF("cloud", keeps_seed), RAINY},
    {"cloud: counts its calls", OF("cloud", keeps_count), RAINY},
    {"cloud: first hum", OF("cloud", keeps_plane), .number = BY_SIZE | BY_T | BY_SEED, RAINY},
    {"fhp: draws by t", OF("fhp", keeps_draws)},
    {"fhp: counts its calls", OF("fhp", keeps_count), .settings = "collisions=fhp3"},
    {"fhp: first solid nodes", OF("fhp", keeps_plane), .number = BY_SIZE},
    {"fhp: solid nodes by seed", OF("fhp", keeps_plane), .number = BY_SIZE | BY_SEED},
    {"fhp: result by address", OF("fhp", keeps_result), .number = BY_SIZE | BY_ADDRESS},
    {"water: first source", OF("water", keeps_plane), .number = BY_SIZE, .tile = 2},
    {"water: terrain by seed", OF("water", keeps_plane), .number = BY_SIZE | BY_SEED},
    {"water: own state", OF("water", keeps_consecutive), .settings = "source_mode=fill"},
    {NULL},
};

const struct student renewing_students[] = {
    {"anneal, memory that grows", .model = "anneal", .step = renews_scratch},
    {"anneal, table for a size", .model = "anneal", .step = renews_table},
    {"life3d, counts", .model = "life3d", .step = renews_nothing},
    {"cloud, memory that grows", .model = "cloud", .step = renews_scratch, RAINY},
    {"fhp, draws that are kept", .model = "fhp", .step = renews_draws,
     .settings = "geometry=cylinder"},
    {"water, memory that grows", .model = "water", .step = renews_scratch},
    {NULL},
};
