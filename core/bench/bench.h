/* SPDX-License-Identifier: MIT */
/*
 * Benchmarks whose results are checked.
 *
 * Lines (a backend on an experiment with so many threads) of the same model, size, start and
 * parameters make a group. The lines of a group are timed in turns, A B A B, each call from the
 * same initial state for its own number of generations, until the median is known well enough or
 * time is up. Then every line's last state is compared with the state of the reference, or of a
 * backend that has been found right, at the same generation. A line that is wrong has no figures,
 * nor has one of an emulated GPU.
 *
 * Where memory lies makes an instance of a small lattice some percent faster or slower. So a line
 * has another simulation after some calls, if that takes little time to open.
 *
 * Calls that others disturbed (core/machine/interference.h) are left out, and more are made. Where
 * fewer than CA_BENCH_MEDIAN are left, the figures are those of all calls, and the line is unsure:
 * nothing is said of what it is faster than.
 */
#ifndef CALAB_CORE_BENCH_BENCH_H
#define CALAB_CORE_BENCH_BENCH_H

#include "core/bench/cuts.h"
#include "core/machine/interference.h"

#define CA_BENCH_SAMPLES 400
#define CA_BENCH_CHECK_S 10
#define CA_BENCH_MEDIAN 5 /* the fewest calls whose median is given an error */
#define CA_BENCH_PARTS 5  /* of a line's time whose medians are held against each other */
#define CA_BENCH_LEAST 40 /* the fewest calls after which a small error ends a line */
/* A line some of whose calls were disturbed may take so many times its time, until CA_BENCH_LEAST
 * were not. */
#define CA_BENCH_PATIENCE 1.75
/* The medians, and the shortest calls, of two runs of one kernel differ by so much on an idle
 * machine, since its memory lies elsewhere and clocks drift: one standard deviation, relative. */
#define CA_BENCH_REPEAT 0.0075
#define CA_BENCH_NAME 128 /* bytes of a line's name */

/* The least and the most of a price, of watts and of cores that are stated. */
#define CA_BENCH_PRICE 1e-9, 1e12
#define CA_BENCH_WATTS 1e-9, 1e9
#define CA_BENCH_CORES 1, 1e9

/* The user states these of the whole machine that a line runs on; 0: not stated. */
struct ca_bench_machine {
    double price; /* in any currency */
    double watts; /* used where no counter measures the energy */
    double cores; /* as its maker counts them; they are shown, and nothing is divided by them */
};

/*
 * A study of scaling times each experiment with several cuts. Weak: the lattice that is asked for
 * is that of a rank, and grows along its outermost dimension with their number. Strong: the lattice
 * stays, and each share of it is timed by itself, too. The first cut is what others are held
 * against.
 */
enum ca_scaling { CA_SCALING_NONE, CA_SCALING_WEAK, CA_SCALING_STRONG };
extern const char *const ca_scaling_names[]; /* "none", "weak", "strong" */

/* The user asks for these: a line for each backend, size, number of threads and cut named. */
struct ca_bench_spec {
    const struct ca_model *model;
    char label[64];
    char backends[CA_TEXT_MAX];              /* names and wildcards separated by commas, "": all */
    char sizes[CA_TEXT_MAX];                 /* separated by commas, "": the model's */
    char threads[CA_TEXT_MAX];               /* separated by commas, 0: every core; "" as 0 */
    char setting[CA_KEY_COUNT][CA_TEXT_MAX]; /* those of a case, "": the default; of the steps
                                                that is about 20 ms of generations, at least 1 */
    int sets;
    char set[CA_PARAMS_MAX]
            [CA_TEXT_MAX]; /* "key=value"; an option applies to the backends that have it */
    struct ca_bench_machine machine;
    struct ca_bench_cuts cuts;
};

struct ca_bench_stats {
    int n;
    double median, mad, min, max; /* seconds of a call */
    double
        wander; /* standard error of the median by CA_BENCH_PARTS parts of the time; 0: unknown */
};

/* A call, and what others did during it. */
struct ca_bench_call {
    double seconds, device_s, speed; /* of the call, by both clocks; of the fixed loop beside it */
    struct ca_fact waited, others;
    enum ca_quiet quiet; /* without a look at its speed */
};

struct ca_bench_line {
    char label[64];
    struct ca_experiment experiment; /* its steps are those of a call */
    struct ca_bench_machine machine;
    int threads;     /* 1 if the backend has no such option */
    uint64_t passes; /* passes over memory in a call */
    int group;
    bool first; /* of its model */
    int ranks;  /* slabs of its lattice */
    int study;  /* the lines that differ in their cut alone have the same; -1: it was not cut */
    int cut;    /* which of the study's it is */
    bool share; /* the first cut on a lattice as large as a share, of a study of strong scaling */
    bool named; /* by ca_bench_relate */
    int base;   /* the group whose named line it is related to, -1: none */
    bool available;
    char reason[256];    /* why it is not available */
    struct ca_plan plan; /* what the backend runs, if it is available */
    double predicted_s;  /* seconds of a generation by the cost model, 0: unknown */
    struct ca_bench_call call[CA_BENCH_SAMPLES];
    int made; /* calls */
    struct ca_disturbance disturbance;
    double speed;                    /* of the fixed loop, the median of the calls that count */
    bool unsure;                     /* too few calls are left that nobody disturbed */
    double sample[CA_BENCH_SAMPLES]; /* seconds of those that count */
    struct ca_bench_stats stats;
    double device[CA_BENCH_SAMPLES]; /* seconds of each call in kernels, by the device's clock */
    struct ca_bench_stats device_stats;
    double seconds, joules; /* of all timed calls; joules < 0: unknown */
    double open_s;          /* that its simulation took to open */
    double waited_s;        /* of them, by ranks: the part in which the slowest did not step */
    double watts;           /* of a GPU during these calls, 0: unknown */
    uint64_t hash;          /* of the timed state */
    int64_t wrong;          /* cells of it; -1: not known */
    char checked[96];       /* what it was compared with: "reference", "bitslice", ... */
    bool emulated;          /* by a GPU that is: its times are no speed */
    bool partial;           /* stopped before the median was known well enough */
};

struct ca_bench {
    struct ca_bench_line *line;
    int count, groups, studies;
    enum ca_scaling scaling;      /* set before lines are added */
    char relative[CA_BENCH_NAME]; /* the line that costs and powers are divided by, "": none */
    bool tuned;     /* options that are not set take tuned values, see core/bench/tune.h */
    char note[256]; /* of --tune: what was found and not kept, and why; "": all was kept */
    double time_s;  /* the most seconds of timed calls of a line */
    double error;   /* relative error of the median to stop at */
    double check_s; /* the most seconds of the reference in the check of a group; 0: only smaller
                       lattices */
};

void ca_bench_default(struct ca_bench *bench);
void ca_bench_free(struct ca_bench *bench);
/* Adds the lines of a spec. CA_USAGE, `where` opening the message (NULL: nothing). */
enum ca_status ca_bench_add(struct ca_bench *bench, const struct ca_bench_spec *spec,
                            const char *where, struct ca_error *error);
/* Adds a line for each backend that the list names ("": all) on this experiment, with those of its
 * options that the backend has. CA_NO_MEMORY. */
enum ca_status ca_bench_add_ladder(struct ca_bench *bench, const struct ca_experiment *experiment,
                                   const char *backends, struct ca_error *error);
/*
 * Adds the lines of a file: cases = ( { model = "fhp"; backend = "avx*"; size = ["64x64"];
 * threads = [1, 2]; ... } ); and names a line: relative = "LABEL"; CA_SETTINGS with file, line,
 * key; CA_IO.
 */
enum ca_status ca_bench_read(struct ca_bench *bench, const char *path, struct ca_error *error);

/*
 * Names the line that costs and powers are divided by, once the lines are there: its label, its
 * name as ca_bench_name has it, or its backend's. Where several have that name, each line is
 * related to that of its group, and the lines of groups without one to none. CA_USAGE, `where`
 * opening the message, for a name that no line has or that several of one group have.
 */
enum ca_status ca_bench_relate(struct ca_bench *bench, const char *name, const char *where,
                               struct ca_error *error);

/* Called after each call and each check; false stops the benchmark. */
typedef bool ca_bench_progress(void *context, const struct ca_bench *bench,
                               const struct ca_bench_line *line, const char *what);
/* CA_OK also when lines are wrong or not available. CA_TIMEOUT: stopped. Lines that were
 * finished before keep their results, and those that have CA_BENCH_MEDIAN calls are checked,
 * briefly, and kept as partial ones. */
enum ca_status ca_bench_run(struct ca_bench *bench, ca_bench_progress *progress, void *context,
                            struct ca_error *error);
/* Whether a line has been timed and checked, or is not available. */
bool ca_bench_finished(const struct ca_bench_line *line);
/* Removes lines that are not finished. */
void ca_bench_keep_finished(struct ca_bench *bench);

/* Median, median absolute deviation and the rest of n values in the order in which they were
 * taken; sorts a copy. */
struct ca_bench_stats ca_bench_stats(const double *sample, int n);
/* The standard error of the median, relative to it: by the deviations of the calls or by how the
 * medians of parts of the time wander, whichever is more. A kernel that runs for a while at one
 * speed and then at another shows in the second alone. */
double ca_bench_error(const struct ca_bench_stats *stats);
/* The same with what another run would differ by; INFINITY where the figure is unsure. */
double ca_bench_repeat_error(const struct ca_bench_stats *stats, bool unsure);
/* Takes the calls that count into `sample`, `device` and stats.n; the fixed loop was as fast as
 * `best_speed` at most. */
void ca_bench_count_calls(struct ca_bench_line *line, double best_speed);
/*
 * How many times as fast as another line one is by their medians, and the interval that holds it.
 * The interval reaches over what the medians say, give or take `sigmas` standard errors of both,
 * and over what the shortest calls say. Where a machine runs one kernel at two speeds in turns, as
 * processors do whose threads get in each other's way for seconds, medians differ by how much of
 * each a run has met, and the shortest calls do not. One is faster where all of the interval is
 * above 1.
 */
struct ca_bench_factor {
    double times, error; /* the further end of the interval from `times`; INFINITY: unknown */
    double low, high;
};
/* With 95 %: 1.96 standard errors. */
struct ca_bench_factor ca_bench_factor(const struct ca_bench_line *line,
                                       const struct ca_bench_line *other);
/* "+- 4 %" with `before` in front of it; "" where the error is unknown. Returns text. */
#define CA_BENCH_MARGIN 32
char *ca_bench_margin(char text[CA_BENCH_MARGIN], const struct ca_bench_factor *factor,
                      const char *before);

/* The figures that a factor is found from: a line's own, or those that its JSON has. */
struct ca_bench_figures {
    struct ca_bench_stats stats;
    double work;  /* cell updates of a call */
    double speed; /* of the fixed loop beside the calls that count; 0: unknown, or a GPU's */
    bool unsure;
};
/* Both on one machine, whose speed has changed between them as the fixed loop's has. */
struct ca_bench_factor ca_bench_factor_of(const struct ca_bench_figures *one,
                                          const struct ca_bench_figures *other, double sigmas);
/* The calls that a line is going to have, by its error so far; 0: not known yet. */
int ca_bench_calls(const struct ca_bench *bench, const struct ca_bench_line *line);
/* The seconds of timed calls that are left, by these calls; a line that has not begun counts with
 * the limit of time. */
double ca_bench_left(const struct ca_bench *bench);
/* Medians differ significantly if they are so many standard errors apart: with 99 %. */
#define CA_BENCH_SIGMAS 2.58

bool ca_bench_right(const struct ca_bench_line *line); /* timed, with a right state */
/* Figures of a line: 0 where it has none. */
bool ca_bench_good(const struct ca_bench_line *line); /* right, and its times are a speed */
double ca_bench_mups(const struct ca_bench_line *line);
double ca_bench_generation_s(const struct ca_bench_line *line); /* seconds of a generation */
/* Whether a generation is made in the time that a picture has at so many a second; only stepping
 * counts. */
bool ca_bench_fits(const struct ca_bench_line *line, double pictures_per_s);
double ca_bench_gb(const struct ca_bench_line *line); /* from the bytes that the backend declares */
double ca_bench_gops(const struct ca_bench_line *line);
/* Its rate divided by that of the group's reference, and by that of the last line before it that
 * is the reference or runs on the same kind of device with as many threads. */
double ca_bench_to_reference(const struct ca_bench *bench, const struct ca_bench_line *line);
double ca_bench_to_before(const struct ca_bench *bench, const struct ca_bench_line *line);
/* Its rate divided by that of the first line of its model, whatever size that has. */
double ca_bench_to_first(const struct ca_bench *bench, const struct ca_bench_line *line);
/* The line that a line's cost and power are divided by, NULL: none. */
const struct ca_bench_line *ca_bench_base(const struct ca_bench *bench,
                                          const struct ca_bench_line *line);

/* Whether a name tells option i: it has been set, and to another value than its default, or it
 * would else be tuned. */
bool ca_bench_names_option(const struct ca_values *options, int i);
/* "bitslice/threads=2/generations=8", as -b takes it: with the number of threads where several are
 * timed, and the options that are not at their defaults; the line's label before it. Returns text.
 */
char *ca_bench_name(char text[CA_BENCH_NAME], const struct ca_bench *bench,
                    const struct ca_bench_line *line);
/* "bitslice is 54 +- 2 times as fast as reference and 1.50 +- 0.10 times as fast as threads; all
 * equal", of the lines of a group. Returns text. */
char *ca_bench_sentence(char *text, size_t size, const struct ca_bench *bench, int group);

#endif
