/* SPDX-License-Identifier: MIT */
/*
 * Other programs disturb a timing: this is the one measure of it for every timing.
 *
 * A meter is started before a sample and stopped after it. It reads
 * - how long the threads of this process, and of those below it, were ready to run and had no core
 *   (/proc/PID/task/TID/schedstat, Linux Documentation/scheduler/sched-stats.rst),
 * - how many cores others used: what the cores did (/proc/stat) without the CPU time of calab's own
 *   processes, which are the topmost calab above this process and all below it: workbench, engines,
 *   labs and their compilers. The counters tick in 10 ms, so that it is the mean of a window of
 *   CA_WINDOW_S or more, not of a short sample,
 * - the share of time in which some process of the machine waited for a core
 *   (/proc/pressure/cpu, Linux Documentation/accounting/psi.rst), and in which a control group held
 *   this process back (cpu.stat of cgroup-v2.rst),
 * - the speed of a fixed loop on as many cores, before and after the sample
 *   (ca_fixed_loop). Neighbours on the same physical core or in other virtual machines
 *   show there and nowhere else,
 * - of a GPU: the share of it that processes other than calab's used, its clock, and what held the
 *   clock down (NVML); and how long the GPU let a first piece of work wait before and after the
 *   sample, which shows processes that NVML does not, such as those of other containers.
 *
 * What the system does not tell is unknown, and unknown is not quiet.
 */
#ifndef CALAB_CORE_MACHINE_INTERFERENCE_H
#define CALAB_CORE_MACHINE_INTERFERENCE_H

#include "core/machine/device.h"

#define CA_WINDOW_S 0.25

/* The interference during one sample. */
struct ca_interference {
    double seconds;            /* of the wall, between start and stop */
    double cores;              /* that this process may use */
    double threads;            /* that the sample kept busy */
    struct ca_fact waited;     /* core-seconds a second that its threads waited for a core */
    struct ca_fact others;     /* cores that others used, of the window that ended last */
    struct ca_fact pressure;   /* share of time in which somebody waited for a core, 0 ... 1 */
    struct ca_fact throttled;  /* share of time in which a control group held it back, 0 ... 1 */
    double speed;              /* passes a second of the fixed loop, the slower of both; 0: none */
    bool gpu;                  /* it ran on GPUs, of which the following tells */
    struct ca_fact gpu_others; /* share of a GPU's time that others used, the most of any GPU */
    struct ca_fact clock_mhz;  /* of the GPU's multiprocessors, the least of any GPU */
    struct ca_fact answer_s;   /* until a GPU did a first piece of work, the longest of any GPU */
    struct ca_fact held;       /* whether heat or a power brake held the clock down, 0 or 1 */
};

enum ca_quiet { CA_QUIET_UNKNOWN, CA_QUIET, CA_DISTURBED };
extern const char *const ca_quiet_names[]; /* "unknown", "quiet", "disturbed" */

/*
 * The rule. A sample is disturbed where
 * - its threads waited for a core for more than 1 % of their time, or a control group held it back
 *   for so long,
 * - others left it fewer cores than it has threads, by a quarter of a core or more, and somebody
 *   did wait for a core while it ran, as far as pressure is known,
 * - the fixed loop was slower than 0.8 of `best_speed`, the fastest of the same measurement
 *   (0: not known),
 * - others used more than 5 % of its GPU, the GPU took more than 0.3 ms to answer, or heat or a
 * power brake held its clock down. It is unknown where neither waiting nor others are known, or
 * where it ran on a GPU of which neither others nor its answer are known.
 */
enum ca_quiet ca_interference_judge(const struct ca_interference *sample, double best_speed);
/* An estimate of what a sample of so many seconds would have taken on idle cores: without the time
 * that its threads waited for a core, since the others then stand at a barrier. At least 15 %. */
double ca_interference_idle_s(const struct ca_interference *sample, double seconds);
/* The last but one of these points alone, for a speed that was kept. */
bool ca_interference_slow(double speed, double best_speed);

/* The samples of a measurement are counted by what became of them. */
struct ca_disturbance {
    int samples, disturbed, unknown;
    double cores;
    struct ca_fact others, gpu_others; /* the most of any disturbed sample, else of any */
    struct ca_fact waited, answer_s;   /* likewise */
    double speed;                      /* the best of the fixed loop; 0: none */
    double slowest;                    /* the slowest of it, relative to the best */
    bool held, throttled, gpu;
};

/* Counts one more sample. */
void ca_disturbance_add(struct ca_disturbance *sum, const struct ca_interference *sample,
                        double best_speed);
/*
 * "others used 1.3 of 2 cores", "others used 40 % of the GPU", "others use the GPU: it answered
 * after 1.3 ms", "heat or a power brake held the GPU's clock down", "a control group held this
 * process back", "a fixed loop ran at 55 % of its best speed"; "this system does not tell what
 * others use"; "quiet". Returns text.
 */
#define CA_DISTURBANCE_TEXT 128
char *ca_disturbance_text(char text[CA_DISTURBANCE_TEXT], const struct ca_disturbance *sum);

/* --- measuring -------------------------------------------------------------------------------- */

/* The counters of the machine at a moment; unknown ones are below 0. */
struct ca_reading {
    double at_s, waited_s, pressure_s, throttled_s, busy_s, own_s;
};

struct ca_meter {
    double threads, cores, speed, answer_s;
    int gpus, gpu[CA_RANKS_MAX];
    struct ca_reading start, window;
    struct ca_interference last; /* what the last window told */
};

/* For samples that keep `threads` cores busy, on the GPUs of these options if the backend is of
 * CUDA. */
void ca_meter_open(struct ca_meter *meter, const struct ca_backend *backend,
                   const struct ca_values *options, int threads);
/* Takes the figures of cores and GPUs of the last window, once it is over, without a sample. */
void ca_meter_look(struct ca_meter *meter, struct ca_interference *now);
/* Directly before and after a sample. Each takes some 0.1 ms. */
void ca_meter_start(struct ca_meter *meter);
void ca_meter_stop(struct ca_meter *meter, struct ca_interference *sample);

/* Whether a process is this one, the topmost calab above it, or one below that. */
bool ca_process_is_ours(int pid);

/* How fast cores run a loop that never changes: what slows it slows whatever is timed beside it.
 *
 * Passes a second of the loop, run on so many cores at once (at most those that this process may
 * use), of the slowest of them: the best of some tries of some 4 us each, as a hypervisor may stop
 * some of them. Threads that a neighbour's or each other's work on one physical core slows, and
 * cores whose clock is down, show in it. The threads are kept for the next call; a process below
 * this one makes its own.
 */
double ca_fixed_loop(int threads);

/* Reads the counters, below `proc` (/proc) and the control group's folder ("": none), or a test's
 * copies. `windowed`: the cores' and the processes' times, too. */
void ca_reading_take(struct ca_reading *reading, const char *proc, const char *group,
                     bool windowed);

#endif
