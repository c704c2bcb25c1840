/* SPDX-License-Identifier: MIT */
/*
 * A cellular automaton in one file: what its states and parameters are, and what one cell becomes.
 * calab-model(7) describes it for somebody who knows C. The whole of forest.c:
 *
 *     #define CA_DRAWS 2
 *     #include "calab_model.h"
 *
 *     CA_MODEL(forest, "forest fire")
 *     CA_STATE(EMPTY, 0, ' ', CA_QUIET, "empty")
 *     CA_STATE(TREE, 1, '#', CA_GREEN, "tree")
 *     CA_STATE(FIRE, 2, '*', CA_WARM, "fire")
 *     CA_PARAM(lightning, 0.001, 0, 1, "chance that a tree catches fire by itself")
 *     CA_PARAM(growth, 0.01, 0, 1, "chance that a tree grows on an empty cell")
 *     CA_COUNT(trees, TREE, "trees")
 *     CA_RANDOM_START(random, "half of the cells are trees", SHARE(TREE, 0.5))
 *
 *     CA_CELL cell(CA_NB nb)
 *     {
 *         int c = AT(0, 0);
 *
 *         if (c == FIRE)
 *             return EMPTY;
 *         if (c == TREE)
 *             return ANY4(FIRE) || CHANCE(0, lightning) ? FIRE : TREE;
 *         return CHANCE(1, growth) ? TREE : EMPTY;
 *     }
 *
 * The same text is C11, C++17 and CUDA. What shapes the code is defined before the inclusion:
 *
 *     CA_DIMENSIONS  2 or 3; 2 if not defined
 *     CA_RADIUS      how far cell() reads along each axis: 1 to 3, in 3D 1 or 2; 1 if not defined
 *     CA_REACH       how far areas reach in which cells are counted: to 8; 2D
 *     CA_AREAS       the number of areas, to 4; 1 if CA_REACH is defined
 *     CA_TOLERANCE   of floats, to 0.1: needed where cell() calls exp() and the like, whose last
 *                    bits other machines have otherwise; + - * / and sqrt() are the same on all
 *     CA_FLOATS      the number of planes of floats, 1 to 4; not defined: one plane of states
 *     CA_STATE_PLANES  several planes of states, 8 bits together: how many states each has, 3, 6
 *     CA_DRAWS       the number of random numbers that a cell draws, to 16; 0 if not defined
 *     CA_DRAWS_16    the number of those of 16 bits, which cost half, to 16
 *     CA_EDGES       CA_TORUS (if not defined), CA_DEAD or CA_CONSTANT, for all axes
 *     CA_EDGE_X      the same for one axis; CA_EDGE_Y, CA_EDGE_Z
 *     CA_BEYOND      what cells beyond a CA_CONSTANT edge hold: a state, or a number a plane
 *     CA_HEXAGONAL   2D: odd rows are half a cell to the right; a cell has six neighbours
 *     CA_WIDE_SUMS   sums of states have 16 bits: needed where one may exceed 255, slower
 *
 * The compiler turns cell() into vector code as long as its values are as narrow as its cells:
 * `ca_cell n = COUNT8(TREE);` is faster than `int n`. These macros and the numbers that are drawn
 * stay as they are from calab 1.0 on. The interface between this header and calab does not: files
 * are compiled anew.
 */
#ifndef CALAB_MODEL_H
#define CALAB_MODEL_H

#include <stddef.h>
#include <stdint.h>

/* --- the interface to calab --------------------------------------------------------------------
 */

#define CA_MODEL_ABI 1
#define CA_MODEL_SLOTS 64 /* parameters stand on so many lines behind CA_MODEL */
#define CA_MODEL_LINES_MAX 49
#define CA_MODEL_PLANES_MAX 4
#define CA_MODEL_PARTS_MAX 8 /* planes of states that share a byte */

enum { CA_TORUS, CA_DEAD, CA_CONSTANT };
enum { CA_SQUARE, CA_DIAMOND, CA_DISC };

/* Classes of colours, which the screen's scheme maps to colours; in the order of calab's own. */
#ifndef CA_ENGINE
enum { CA_QUIET, CA_PLAIN, CA_STRONG, CA_WARM, CA_COLD, CA_GREEN, CA_SOLID };
#endif

/* The values of the parameters in one run, by their lines behind CA_MODEL. */
struct ca_model_values {
    float real[CA_MODEL_SLOTS];
    int32_t whole[CA_MODEL_SLOTS];
    int32_t below[CA_MODEL_SLOTS]; /* floor(2^30 p) of a probability; 65536 p of a CA_PARAM_16 */
    uint64_t seed;
    int32_t states; /* codes are less; 0: floats */
};

/* What the checks of the backend `reference` have found. */
enum { CA_FOUND_NOTHING, CA_FOUND_READ, CA_FOUND_STATE, CA_FOUND_SUM, CA_FOUND_NAN, CA_FOUND_DRAW };
struct ca_model_fault {
    int kind, line; /* line: 0 where it is not known */
    int64_t x, y, z;
    int dx, dy, dz; /* of CA_FOUND_READ; of CA_FOUND_STATE dx is the plane */
    double value;
};

/*
 * `count` rows of which each stands `stride` cells behind the last, in all planes. `in` points at
 * the rows that the first reads, in the order [plane][dz][dy]; they all have `width` cells.
 */
struct ca_model_job {
    const void *in[CA_MODEL_PLANES_MAX * CA_MODEL_LINES_MAX];
    void *out[CA_MODEL_PLANES_MAX];
    int64_t stride, count;
    int64_t width, height, depth;
    int64_t y, z; /* of the first row in the whole lattice */
    uint64_t t;
    const struct ca_model_values *values;
    struct ca_model_fault *fault; /* set by checked code alone; stays where one is set */
    uint8_t *reads; /* likewise: what has been read, in the order [plane][dz][dy][dx] */
};

/* A share of the cells has a state at the start: `share` or, where that is named, a parameter. */
struct ca_model_share {
    int state;
    double share;
    const char *param;
    const char *name; /* of the state, as it is written */
};

enum {
    CA_ROW_STATE,
    CA_ROW_PLANE,
    CA_ROW_PARAM,
    CA_ROW_WHOLE,
    CA_ROW_PARAM_16,
    CA_ROW_COUNT,
    CA_ROW_SUM,
    CA_ROW_CONSERVED,
    CA_ROW_RANDOM,
    CA_ROW_START,
    CA_ROW_ABOUT,
    CA_ROW_SIZE,
    CA_ROW_AREA,
    CA_ROW_CELL,
    CA_ROW_PACE
};
/* A line of the declaration; unused members are 0. */
struct ca_model_row {
    int kind, line;
    const char *name, *help;
    const char *unit;  /* of a plane; of a count its state, as it is written */
    int code;          /* of a state; a plane's number; a parameter's slot; the lattice's width */
    int glyph, colour; /* of a state; the lattice's height and depth; an area's radius */
    double value, low, high;
    const struct ca_model_share *shares; /* ends with state -1 */
    void (*start)(const struct ca_model_job *job);
};

struct ca_model_description {
    unsigned abi, bytes; /* CA_MODEL_ABI, and the size of this struct: read before anything else */
    const char *name, *title;
    int dimensions, radius, reach;
    int planes, parts; /* in memory; that cell() sees, of which several of states share a byte */
    int floats, draws, draws_16, hexagonal, edge[3];
    int states[CA_MODEL_PARTS_MAX];               /* of each plane, where several share a byte */
    double beyond[CA_MODEL_PARTS_MAX], tolerance; /* by plane that cell() sees */
    int checked;                                  /* it is the object that checks each cell */
    const struct ca_model_row *const *rows, *const *rows_end; /* in any order */
    void (*step)(const struct ca_model_job *job);
};

#ifndef CA_ENGINE /* all that follows is a model's */

/* --- shape -------------------------------------------------------------------------------------
 */

#ifndef CA_DIMENSIONS
#define CA_DIMENSIONS 2
#endif
#ifndef CA_RADIUS
#define CA_RADIUS 1
#endif
#ifndef CA_AREAS
#ifdef CA_REACH
#define CA_AREAS 1
#else
#define CA_AREAS 0
#endif
#endif
#ifndef CA_REACH
#define CA_REACH CA_RADIUS
#endif
#ifndef CA_TOLERANCE
#define CA_TOLERANCE 0
#endif
#ifndef CA_DRAWS
#define CA_DRAWS 0
#endif
#ifndef CA_DRAWS_16
#define CA_DRAWS_16 0
#endif
/* CA_PLANES are in memory; cell() sees CA_PARTS, of which several of states share a byte. */
#ifdef CA_FLOATS
#define CA_PLANES CA_FLOATS
#define CA_PARTS CA_FLOATS
#define CA_IS_FLOAT 1
typedef float ca_cell;
typedef float ca_sum;
#else
#define CA_PLANES 1
#ifdef CA_STATE_PLANES
#define CA_PARTS CA_PLANES_LISTED
#else
#define CA_PARTS 1
#endif
#define CA_IS_FLOAT 0
typedef uint8_t ca_cell;
#ifdef CA_WIDE_SUMS
typedef uint16_t ca_sum;
#define CA_SUM_MAX 65535
#else
typedef uint8_t ca_sum;
#define CA_SUM_MAX 255
#endif
#endif
#ifndef CA_EDGES
#define CA_EDGES CA_TORUS
#endif
#ifndef CA_EDGE_X
#define CA_EDGE_X CA_EDGES
#endif
#ifndef CA_EDGE_Y
#define CA_EDGE_Y CA_EDGES
#endif
#ifndef CA_EDGE_Z
#define CA_EDGE_Z CA_EDGES
#endif
#ifndef CA_BEYOND
#define CA_BEYOND 0
#endif
#ifdef CA_HEXAGONAL
#define CA_IS_HEXAGONAL 1
#else
#define CA_IS_HEXAGONAL 0
#endif
#if CA_DIMENSIONS != 2 && CA_DIMENSIONS != 3
#error "CA_DIMENSIONS is 2 or 3"
#endif
#if CA_RADIUS < 1 || CA_RADIUS > 3 || (CA_DIMENSIONS == 3 && CA_RADIUS > 2)
#error "CA_RADIUS is 1, 2 or 3 in 2D, and 1 or 2 in 3D"
#endif
#if CA_PLANES < 1 || CA_PLANES > CA_MODEL_PLANES_MAX
#error "CA_FLOATS is 1 to 4"
#endif
#if CA_REACH < CA_RADIUS || CA_REACH > 8
#error "CA_REACH is CA_RADIUS to 8"
#endif
#if CA_AREAS < 0 || CA_AREAS > 4 ||                                                                \
    (CA_AREAS && (CA_DIMENSIONS != 2 || CA_IS_FLOAT || defined(CA_STATE_PLANES)))
#error "CA_AREAS is 0 to 4, of a single plane of states in 2D"
#endif
#if CA_DRAWS < 0 || CA_DRAWS > 16
#error "CA_DRAWS is 0 to 16"
#endif
#if CA_DRAWS_16 < 0 || CA_DRAWS_16 > 16
#error "CA_DRAWS_16 is 0 to 16"
#endif
#if CA_IS_HEXAGONAL && CA_DIMENSIONS != 2
#error "CA_HEXAGONAL is for lattices of two dimensions"
#endif

#define CA_SIDE (2 * CA_RADIUS + 1)
#define CA_LAYERS (CA_DIMENSIONS == 3 ? CA_SIDE : 1)
#define CA_MIDDLE (CA_DIMENSIONS == 3 ? CA_RADIUS : 0)
#define CA_NEAR_LINES (CA_LAYERS * CA_SIDE)
#if CA_AREAS
#define CA_LINES (2 * CA_REACH + 1)
#else
#define CA_LINES CA_NEAR_LINES
#endif
#define CA_STREAMS (CA_DRAWS ? CA_DRAWS : 1)
#define CA_STREAMS_16 (CA_DRAWS_16 ? CA_DRAWS_16 : 1)

#ifdef __CUDACC__
#define CA_FUNCTION static __host__ __device__ __forceinline__
#else
#define CA_FUNCTION static inline __attribute__((always_inline, unused))
#endif
/* Tables that cell() looks up: CA_TABLE uint8_t next[9] = {...}; */
#ifdef __CUDA_ARCH__
#define CA_TABLE static __device__ const
#else
#define CA_TABLE static const
#endif
#if defined(__clang__)
#define CA_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#define CA_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define CA_VECTOR
#define CA_UNROLL _Pragma("unroll")
#else
#define CA_VECTOR _Pragma("GCC ivdep")
#define CA_UNROLL _Pragma("GCC unroll 8")
#endif

#ifdef CA_STATE_PLANES
#include "calab_model_planes.h"
#define CA_LOADED(nb, p, dz, dy, dx) ca_part((nb).at[0][dz][dy][dx], p)
#define CA_STATES_IN(nb, p) ca_states_of(p)
#else
#define CA_STATE_COUNTS 0
#define CA_LOADED(nb, p, dz, dy, dx) ((nb).at[p][dz][dy][dx])
#define CA_STATES_IN(nb, p) ((nb).values->states)
#endif

/* Gives what cells beyond a constant edge hold in a plane of the memory. */
CA_FUNCTION ca_cell ca_beyond(int plane)
{
#ifdef CA_STATE_PLANES
    const ca_cell given[CA_PARTS] = {CA_BEYOND};

    (void)plane;
    return ca_pack(given);
#else
    const ca_cell given[] = {CA_BEYOND};

    return plane < (int)(sizeof given / sizeof given[0]) ? given[plane] : (ca_cell)0;
#endif
}

/* What cell() sees. All values are loaded, so that no load depends on a condition. */
#define CA_AROUND                                                                                  \
    ca_cell at[CA_PLANES][CA_LAYERS][CA_SIDE][CA_SIDE];                                            \
    uint32_t draw[CA_STREAMS];                                                                     \
    uint16_t draw_16[CA_STREAMS_16];                                                               \
    uint16_t area[CA_AREAS ? CA_AREAS : 1];                                                        \
    const struct ca_model_values *values;
typedef struct {
    CA_AROUND
    int32_t x, y, z; /* of the cell, in the whole lattice */
    int32_t w, h, d; /* of the lattice */
    uint32_t t;      /* the generation that the step starts from */
} ca_placed;
#ifdef CA_BITS
typedef struct {
    CA_AROUND
} ca_nb; /* so that a rule which depends on the place is none of nine cells: it does not compile */
#else
typedef ca_placed ca_nb;
#endif
#define CA_NB const ca_nb

typedef struct {
    ca_cell plane[CA_PARTS];
} ca_next;
#if CA_PARTS == 1
typedef ca_cell ca_result;
#else
typedef ca_next ca_result;
#endif

/* What a cell becomes: a state, the number of a single plane, or NEXT(a, b) of several. */
CA_FUNCTION ca_result cell(CA_NB nb);
#define CA_CELL                                                                                    \
    CA_ROW(cell, CA_ROW_CELL, __LINE__, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)                           \
    CA_FUNCTION ca_result

#include "calab_model_checks.h"

/* --- what a rule is written with ---------------------------------------------------------------
 */

/* The neighbour dx to the right, dy down, dz layers on. */
#define AT(dx, dy) CA_GET(0, dx, dy, 0)
#define AT3(dx, dy, dz) CA_GET(0, dx, dy, dz)
/* The same of a plane, by its name. */
#define VALUE(plane, dx, dy) CA_GET(plane, dx, dy, 0)
#define VALUE3(plane, dx, dy, dz) CA_GET(plane, dx, dy, dz)

#include "calab_model_around.h"
/* How many cells of an area that CA_AREA declares have its state, the cell's own among them. */
#define AREA(name) (nb.area[CA_A_##name])
/* The value of a parameter that CA_PARAM, CA_PARAM_INT declares. */
#define PARAM(name) (nb.values->real[CA_P_##name])
#define PARAM_INT(name) (nb.values->whole[CA_P_##name])
/* True with the probability of parameter `name`, by the cell's random number `stream`, which is
 * below CA_DRAWS; that number itself, 0 <= u < 1, a multiple of 2^-24; its 32 bits. */
#define CHANCE(stream, name) ((int32_t)(CA_DRAWN(stream) >> 2) < nb.values->below[CA_P_##name])
#define UNIFORM(stream) ((float)(CA_DRAWN(stream) >> 8) * (1.0f / 16777216))
#define DRAWN(stream) CA_DRAWN(stream)
/* The same by number `stream` of 16 bits, which is below CA_DRAWS_16, and of a CA_PARAM_16. */
#define CHANCE_16(stream, name)                                                                    \
    ((CA_DRAWN_16(stream) <= (uint16_t)(nb.values->below[CA_H_##name] - 1)) &                      \
     (nb.values->below[CA_H_##name] > 0))
#define DRAWN_16(stream) CA_DRAWN_16(stream)

#ifdef __cplusplus
template <class... V> CA_FUNCTION ca_next ca_next_of(V... values)
{
    return ca_next{{static_cast<ca_cell>(values)...}};
}
#define NEXT(...) (ca_next_of(__VA_ARGS__))
#else
#define NEXT(...) ((ca_next){{__VA_ARGS__}})
#endif

/* --- the declaration ---------------------------------------------------------------------------
 */

#ifdef __cplusplus
#define CA_NUMBER(name, value) [[maybe_unused]] static constexpr int name = value;
#else
#define CA_NUMBER(name, value) enum { name = value };
#endif
#if defined(CA_GPU) || defined(CA_BITS)
#define CA_ROW(name, ...)
#define CA_MODEL(name, title) enum { ca_first_line = __LINE__ };
#define CA_SHARES(name, ...)
#define CA_FILL(name)
#else
#ifdef __cplusplus
#define CA_EXPORT extern "C" __attribute__((visibility("default")))
extern "C" {
#else
#define CA_EXPORT __attribute__((visibility("default")))
#endif
extern const struct ca_model_row *const __start_ca_rows[]
    __attribute__((weak, visibility("hidden")));
extern const struct ca_model_row *const __stop_ca_rows[]
    __attribute__((weak, visibility("hidden")));
#ifdef __cplusplus
}
#endif

/* The section holds pointers, as compilers may put gaps between structures. */
#define CA_ROW(name, ...)                                                                          \
    static const struct ca_model_row ca_row_##name = {__VA_ARGS__};                                \
    static const struct ca_model_row *const ca_at_##name                                           \
        __attribute__((section("ca_rows"), used)) = &ca_row_##name;

/* The model's name, which no built-in model has, and a title of one line. It comes first. */
#define CA_MODEL(name, title)                                                                      \
    enum { ca_first_line = __LINE__ };                                                             \
    CA_EXPORT const struct ca_model_description *ca_describe_model(void)                           \
    {                                                                                              \
        static const ca_cell beyond[] = {CA_BEYOND};                                               \
        static struct ca_model_description d = {CA_MODEL_ABI,                                      \
                                                sizeof(struct ca_model_description),               \
                                                #name,                                             \
                                                title,                                             \
                                                CA_DIMENSIONS,                                     \
                                                CA_RADIUS,                                         \
                                                CA_REACH,                                          \
                                                CA_PLANES,                                         \
                                                CA_PARTS,                                          \
                                                CA_IS_FLOAT,                                       \
                                                CA_DRAWS,                                          \
                                                CA_DRAWS_16,                                       \
                                                CA_IS_HEXAGONAL,                                   \
                                                {CA_EDGE_X, CA_EDGE_Y, CA_EDGE_Z},                 \
                                                {CA_STATE_COUNTS},                                 \
                                                {0},                                               \
                                                CA_TOLERANCE,                                      \
                                                CA_IS_CHECKED,                                     \
                                                __start_ca_rows,                                   \
                                                __stop_ca_rows,                                    \
                                                ca_step};                                          \
        for (int i = 0; i < CA_PARTS && i < (int)(sizeof beyond / sizeof beyond[0]); i++)          \
            d.beyond[i] = beyond[i];                                                               \
        return &d;                                                                                 \
    }
#define CA_SHARES(name, ...)                                                                       \
    static const struct ca_model_share ca_shares_##name[] = {__VA_ARGS__, {-1, 0, 0, 0}};
#define CA_FILL(name)                                                                              \
    static void ca_fill_##name(const struct ca_model_job *job) { ca_fill(job, ca_start_##name); }
#endif
/* A paragraph for the user. The size of the lattice where none is asked for; depth 1 in 2D. */
#define CA_ABOUT(text) CA_ROW(about, CA_ROW_ABOUT, __LINE__, 0, text, 0, 0, 0, 0, 0, 0, 0, 0, 0)
#define CA_SIZE(width, height, depth)                                                              \
    CA_ROW(size, CA_ROW_SIZE, __LINE__, 0, 0, 0, width, height, depth, 0, 0, 0, 0, 0)
/* Generations a frame, of some ten a second, at which something is seen to happen; 1 without it. */
#define CA_PACE(generations)                                                                       \
    CA_ROW(pace, CA_ROW_PACE, __LINE__, 0, 0, 0, 0, 0, 0, generations, 0, 0, 0, 0)
/* A state: its name in the code, its code (from 0 on, without gaps), how it is drawn, its name.
 * Where there are several planes, it belongs to the last CA_PLANE() before it. */
#define CA_STATE(name, code, glyph, colour, help)                                                  \
    CA_NUMBER(name, code)                                                                          \
    CA_ROW(name, CA_ROW_STATE, __LINE__, #name, help, 0, code, glyph, colour, 0, 0, 0, 0, 0)
/* A plane: its name in the code, its number from 0 on; of floats the range that is drawn. States of
 * CA_STATE_PLANES follow it; those of a plane that has none are drawn as digits and letters. */
#ifdef CA_STATE_PLANES
#define CA_PLANE(name, number, help)                                                               \
    CA_NUMBER(name, number)                                                                        \
    CA_ROW(name, CA_ROW_PLANE, __LINE__, #name, help, 0, number, 0, 0, 0, 0, 0, 0, 0)
#else
#define CA_PLANE(name, number, unit, low, high, help)                                              \
    CA_NUMBER(name, number)                                                                        \
    CA_ROW(name, CA_ROW_PLANE, __LINE__, #name, help, unit, number, 0, 0, 0, low, high, 0, 0)
#endif
/* A parameter: its default and its range. CA_PARAM_INT: whole numbers. */
#define CA_PARAM(name, value, low, high, help)                                                     \
    CA_PARAM_ROW(CA_ROW_PARAM, name, value, low, high, help)
#define CA_PARAM_INT(name, value, low, high, help)                                                 \
    CA_PARAM_ROW(CA_ROW_WHOLE, name, value, low, high, help)
/* A probability of CHANCE_16, which is a multiple of 1/65536. */
#define CA_PARAM_16(name, value, low, high, help)                                                  \
    enum { CA_H_##name = __LINE__ - ca_first_line };                                               \
    CA_PARAM_ROW(CA_ROW_PARAM_16, name, value, low, high, help)
#define CA_PARAM_ROW(kind, name, value, low, high, help)                                           \
    enum { CA_P_##name = __LINE__ - ca_first_line };                                               \
    CA_ROW(p_##name, kind, __LINE__, #name, help, 0, CA_P_##name, 0, 0, value, low, high, 0, 0)
/* An area around each cell, a CA_SQUARE, CA_DIAMOND (steps along the axes) or CA_DISC (dx^2 + dy^2
 * <= r^2 + r), in which cells of a state are counted; its number is a digit, from 0 on. */
#define CA_AREA(name, number, shape, radius, state, help)                                          \
    enum { CA_A_##name = number };                                                                 \
    CA_FUNCTION struct ca_area ca_area_##number(void)                                              \
    {                                                                                              \
        struct ca_area area = {shape, radius, state};                                              \
        return area;                                                                               \
    }                                                                                              \
    CA_ROW(a_##name, CA_ROW_AREA, __LINE__, #name, help, 0, state, radius, 0, 0, 0, 0, 0, 0)
/* These say what is observed: how many cells have a state, whose name tells the plane; the sum of a
 * plane's numbers, by the number of the plane, which is 0 where there is one. */
#define CA_COUNT(name, state, help)                                                                \
    CA_ROW(o_##name, CA_ROW_COUNT, __LINE__, #name, help, #state, state, 0, 0, 0, 0, 0, 0, 0)
#define CA_SUM(name, plane, help)                                                                  \
    CA_ROW(o_##name, CA_ROW_SUM, __LINE__, #name, help, 0, plane, 0, 0, 0, 0, 0, 0, 0)
/* The count or sum of this name stays as it is, within a tolerance relative to it; 0: exactly. */
#define CA_CONSERVED(name, tolerance)                                                              \
    CA_ROW(c_##name, CA_ROW_CONSERVED, __LINE__, #name, 0, 0, 0, 0, 0, tolerance, 0, 0, 0, 0)
/* A start in which each cell has one of several states by chance, else state 0, in each plane. The
 * shares follow: SHARE(TREE, 0.5), or by a parameter SHARE_OF(TREE, density), in the order of the
 * states. The first start is the default. */
#define CA_RANDOM_START(name, help, ...)                                                           \
    CA_SHARES(name, __VA_ARGS__)                                                                   \
    CA_ROW(s_##name, CA_ROW_RANDOM, __LINE__, #name, help, 0, 0, 0, 0, 0, 0, 0, ca_shares_##name, 0)
#define SHARE(state, share)                                                                        \
    {                                                                                              \
        state, share, 0, #state                                                                    \
    }
#define SHARE_OF(state, param)                                                                     \
    {                                                                                              \
        state, 0, #param, #state                                                                   \
    }
/* A start by a function of the cell's place, whose body follows: nb.x, nb.y, nb.z, nb.w, nb.h,
 * nb.d, PARAM, CHANCE and UNIFORM are as in cell(); all neighbours are 0. */
#define CA_START(name, help)                                                                       \
    CA_FUNCTION ca_result ca_start_##name(const ca_placed nb);                                     \
    CA_FILL(name)                                                                                  \
    CA_ROW(s_##name, CA_ROW_START, __LINE__, #name, help, 0, 0, 0, 0, 0, 0, 0, 0, ca_fill_##name)  \
    CA_FUNCTION ca_result ca_start_##name(const ca_placed nb)

#include "calab_model_draws.h"
#if CA_AREAS
#include "calab_model_areas.h"
#endif
#if defined(CA_GPU) && !defined(CA_OWN_STEP)
#include "calab_model_gpu.h"
#elif defined(CA_GPU)
/* A file that `calab model show` has printed has the kernels in it. */
#elif defined(CA_BITS)
#include "calab_model_bits.h"
#elif defined(CA_OWN_STEP) /* a file that `calab model show` has printed has the rows in it */
static void ca_step(const struct ca_model_job *job);
CA_FUNCTION void ca_fill(const struct ca_model_job *job, ca_result (*start)(CA_NB nb));
#else
#include "calab_model_rows.h"
#endif
#endif /* CA_ENGINE */
#endif
