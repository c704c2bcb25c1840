/* SPDX-License-Identifier: MIT */
/*
 * A lab: a folder with the source of a kernel that somebody else writes, and lab.cfg, which says
 * what it has to compute and how it is checked. All keys but version, model and source are
 * optional, and source is not there where `program` is:
 *
 *     version = 1;  model = "anneal";  source = "kernel.c";    or a model's file: "forest.c"
 *     form = "step";  ghosts = 0;      what the kernel is: see configs/lab/submission/calab_lab.h
 *     flags = "-O3";  tile = [32, 8];  of the compiler; the cells of a block, for the map
 *     sizes = ["1x1", "96x64"];  generations = [1, 2, 3, 17];  seeds = [1, 2];  repeats = 5;
 *     program = "./life {n} {input}";  in place of source and form: a whole program, a command with
 *     output = "out.npy";              words of core/lab/kernel/command.h, the file that it writes,
 *     build = "make";                  and what builds it
 *     init = "random";  parameters : { density = 0.5; };
 *     against = "reference";           the backend that its time and its speed are held against
 *     limits : { seconds = 2.0;  watched_seconds = 60.0;  memory_mb = 4096;  output_mb = 16; };
 *     points : ...;  speed : ...;  structure : ...;  see below
 */
#ifndef CALAB_CORE_LAB_KERNEL_LAB_H
#define CALAB_CORE_LAB_KERNEL_LAB_H

#include <limits.h>

#include "core/sim/experiment.h"

#define CA_LAB_VERSION 1 /* of lab.cfg, calab_lab.h and lab_model.h together */
#define CA_LAB_CASES_MAX 24

/*
 * A graded kernel gets points for groups of cases, which tell kernels apart that
 * hold for one kind of lattice alone, and its speed. In lab.cfg, both optional:
 *
 *     points : { square = 25; uneven = 25; oblong = 25; speed = 25; };
 *     speed : { size = "512x512"; least = 0.0; goal = 1.0; others = 0.25; };
 */
enum ca_lab_group {
    CA_LAB_SQUARE, /* sides that are all the same, and multiples of the tile's */
    CA_LAB_UNEVEN, /* a side is no multiple */
    CA_LAB_OBLONG, /* multiples, and not all the same */
    CA_LAB_SPEED,
    CA_LAB_STRUCTURE, /* of a kernel in CUDA: what the emulator counts, within bounds */
    CA_LAB_GROUPS,
};
extern const char *const ca_lab_group_names[CA_LAB_GROUPS];

/*
 * What a right kernel may take at most, in a generation of a lattice of whole tiles, with equal
 * shares of the points for structure:
 *
 *     points : { square = 50; structure = 50; };
 *     structure : { sectors_per_request = 4.5; bank_conflicts = 0; };
 */
enum ca_lab_bound {
    CA_LAB_SECTORS,   /* of 32 bytes, for a warp's load or store of global memory */
    CA_LAB_CONFLICTS, /* further passes through the banks, for one of shared memory */
    CA_LAB_LOADS,     /* of global memory by threads, for a cell */
    CA_LAB_DIVERGENT, /* part of the steps of warps, from one basic block to the next */
    CA_LAB_REGISTERS, /* of a thread, where there is nvcc */
    CA_LAB_BOUNDS
};
extern const char *const ca_lab_bound_names[CA_LAB_BOUNDS];

struct ca_lab_points {
    double of[CA_LAB_GROUPS]; /* the most that a group gives */
    struct ca_size size;      /* of the lattice that is timed; w 0: the largest square one */
    double least, goal;       /* times as fast as the backend that gives no points, and all */
    double others;            /* the cores, or the share of a GPU, that others may use meanwhile */
    double bound[CA_LAB_BOUNDS]; /* -1: none */
};

enum ca_lab_form { CA_LAB_STEP, CA_LAB_OWN, CA_LAB_PROGRAM };

struct ca_lab {
    char folder[PATH_MAX];
    char path[PATH_MAX + 16]; /* of lab.cfg */
    const struct ca_model *model;
    char source[CA_TEXT_MAX]; /* a file of the folder, without a slash */
    bool cuda;                /* it ends in .cu */
    enum ca_lab_form form;
    int ghosts;
    char flags[CA_TEXT_MAX];
    /* These are of the form program; `source` is then the name of what it starts. */
    char program[CA_TEXT_MAX], output[CA_TEXT_MAX], build[CA_TEXT_MAX];
    bool builds;     /* lab.cfg has `build`; else it is make where there is a Makefile */
    int64_t tile[3]; /* 0: not known */
    struct ca_size size[CA_LAB_CASES_MAX];
    int64_t generation[CA_LAB_CASES_MAX]; /* of each call */
    uint64_t seed[CA_LAB_CASES_MAX];
    int sizes, generations, seeds, repeats;
    char init[CA_TEXT_MAX];
    struct ca_values params;
    const struct ca_backend *against;
    bool names_against; /* lab.cfg does */
    struct ca_lab_points points;
    double seconds;         /* that a call may take at least */
    double watched_seconds; /* that all calls of a case may take where each access is watched */
    int64_t memory_mb, output_mb;
    char environment[CA_TEXT_MAX]; /* variables that its processes inherit, with blanks */
};

/* The program of a new folder: what configs/lab/submission/program.c is. */
void ca_lab_program_default(struct ca_lab *lab);
#define CA_LAB_PROGRAM_FILE "program.c"
/* A lab of the model with its built-in values, in no folder. */
void ca_lab_default(struct ca_lab *lab, const struct ca_model *model);
/*
 * Reads lab.cfg of a folder. CA_IO where there is none, CA_SETTINGS with file, line, key and what
 * is allowed, also for a lab of another version of calab.
 */
enum ca_status ca_lab_read(struct ca_lab *lab, const char *folder, struct ca_error *error);
/*
 * The same of a folder that somebody else has written, where the model's file, if it is one of a
 * file, is not opened: it would run as a part of this process. Its model is that of `task`; without
 * one (NULL) CA_SETTINGS.
 */
enum ca_status ca_lab_read_submission(struct ca_lab *lab, const char *folder,
                                      const struct ca_lab *task, struct ca_error *error);
/* CA_USAGE where no lab can be of the model: kernels are tried on states of all kinds, and those of
 * a file's floats are not known. */
enum ca_status ca_lab_holds(const struct ca_model *model, struct ca_error *error);
/* The file of its folder that a lab's model is of, which has no slash; of a built-in one its name.
 */
const char *ca_lab_model_word(const struct ca_lab *lab);
/* The same of a whole program that lab.cfg does not name, or names otherwise; NULL: as in lab.cfg.
 * CA_USAGE where program or output are not allowed. */
enum ca_status ca_lab_read_program(struct ca_lab *lab, const char *folder, const char *program,
                                   const char *output, struct ca_error *error);
/* The numbers of its sizes, the smallest lattice first: what goes wrong there is the easiest to
 * see.
 */
void ca_lab_by_cells(const struct ca_lab *lab, int order[CA_LAB_CASES_MAX]);
/* The backend that the kernel's speed is held against: `against`, or, where that is on another
 * device than the kernel, the first of the ladder that is not. */
const struct ca_backend *ca_lab_rung(const struct ca_lab *lab);
/* The experiment of one case: size, seed, start and parameters, with backend reference. */
struct ca_experiment ca_lab_experiment(const struct ca_lab *lab, struct ca_size size,
                                       uint64_t seed);

void ca_lab_points_default(struct ca_lab_points *points);
/* Whether there is any bound. */
bool ca_lab_has_bounds(const struct ca_lab_points *points);
bool ca_lab_points_same(const struct ca_lab_points *a, const struct ca_lab_points *b);
/* The group of a size, with a tile whose sides may be 0, not known: 32x32 then, or 8x8x8. */
enum ca_lab_group ca_lab_group_of(struct ca_size size, int dimensions, const int64_t tile[3]);
/* The points for a group of `cases` of which so many are right; those for a speed, by the ratio
 * that favours the student. */
double ca_lab_points_of_cases(const struct ca_lab_points *points, enum ca_lab_group group,
                              int right, int cases);
double ca_lab_points_of_speed(const struct ca_lab_points *points, double ratio);

#endif
