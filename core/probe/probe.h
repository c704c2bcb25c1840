/* SPDX-License-Identifier: MIT */
/*
 * The ceilings of this machine, measured: how fast vectors can be copied from each level of memory
 * and how fast they can be computed on, by one thread and by all, and the same of its GPUs. Kept in
 * a file for each host, $XDG_CACHE_HOME/calab/probe-HOST.json, and used for figures in percent.
 *
 * Figures that others disturbed are measured again, for CA_PROBE_REPEAT_S in all. Where some stay
 * disturbed the ceilings say so, as do those who show a share of them, and they do not replace
 * undisturbed ones.
 */
#ifndef CALAB_CORE_PROBE_PROBE_H
#define CALAB_CORE_PROBE_PROBE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/machine/cpu.h"
#include "core/machine/interference.h"
#include "core/sim/experiment.h"
#include "core/probe/gpu.h"

#define CA_PROBE_GPUS 16
#define CA_PROBE_REPEAT_S 5

enum ca_level { CA_L1, CA_L2, CA_L3, CA_MEMORY, CA_LEVELS };
extern const char *const ca_level_names[CA_LEVELS];

struct ca_probe {
    char host[64], cpu[128], date[32]; /* the time in UTC */
    enum ca_isa isa;                   /* of the loops that were run */
    int threads;                       /* all of them */
    struct {
        int64_t bytes;       /* size of a cache, 0 for memory */
        double copy_gb[2];   /* 10^9 bytes read and written per second, by one and by all threads */
        double stream_gb[2]; /* the same with non-temporal stores */
    } level[CA_LEVELS];
    double logic_gops[2]; /* 10^9 two-input operations on 64 bits per second */
    int gpus;             /* of different names */
    struct ca_gpu_probe gpu[CA_PROBE_GPUS];
    char others[CA_DISTURBANCE_TEXT]; /* "others used 1.3 of 2 cores"; "": nothing was disturbed */
};

/* Decides on repeats. */
struct ca_probe_watch {
    double left_s, best_speed;         /* for repeats; of the fixed loop */
    struct ca_disturbance disturbance; /* of the last sample of each figure */
};
/* Whether a figure that gave this sample is to be measured again. */
bool ca_probe_again(struct ca_probe_watch *watch, const struct ca_interference *sample);
/* Marks the ceilings where the last samples of some figures were disturbed. */
void ca_probe_mark(struct ca_probe *probe, const struct ca_probe_watch *watch);

/* The file of this host, "" without a home. */
const char *ca_probe_path(void);
/* Measures for some seconds. `progress`, unless NULL, is called before each figure.
 * CA_NO_DEVICE, CA_NO_MEMORY, CA_CUDA_FAILED. */
enum ca_status ca_probe_measure(struct ca_probe *probe,
                                void (*progress)(void *context, const char *what), void *context,
                                struct ca_error *error);
/* CA_IO: the file is missing, is no probe, or belongs to another CPU, thread count or CALAB_CPU.
 * The present GPUs are not compared. */
enum ca_status ca_probe_read(struct ca_probe *probe, const char *path, struct ca_error *error);
/* Writes the file, unless the ceilings are marked and the file has undisturbed ones of this machine
 * and its GPUs: then it stays, and CA_TIMEOUT says so. CA_IO. */
enum ca_status ca_probe_keep(const struct ca_probe *probe, const char *path,
                             struct ca_error *error);
/* The same whatever the file has. */
enum ca_status ca_probe_write(const struct ca_probe *probe, const char *path,
                              struct ca_error *error);

/* Converts to the JSON of the file and back. NULL without memory; false where something is
 * missing. */
json_t *ca_probe_to_json(const struct ca_probe *probe);
bool ca_probe_from_json(struct ca_probe *probe, const json_t *root);

/* The copy ceiling of `threads` threads that work on `bytes` in total, in the smallest level
 * that holds them: that of one thread times their number, at most that of all threads. */
double ca_probe_copy(const struct ca_probe *probe, double bytes, int threads, enum ca_level *level);
double ca_probe_logic(const struct ca_probe *probe, int threads);

/* The ceilings of a GPU by name, NULL: not measured. */
const struct ca_gpu_probe *ca_probe_gpu(const struct ca_probe *probe, const char *name);

/* The ceilings of an experiment that runs by this plan: copying in the level of memory that
 * holds the plan's memory, and computing; of a GPU also launches a second. 0: unknown. */
struct ca_ceilings {
    double copy_gb, gops, launches;
    const char *level; /* "L2", "memory"; NULL: unknown */
};
struct ca_ceilings ca_probe_ceilings(const struct ca_probe *probe,
                                     const struct ca_experiment *experiment,
                                     const struct ca_plan *plan);

#endif
