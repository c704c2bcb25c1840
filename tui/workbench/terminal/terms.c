/* SPDX-License-Identifier: MIT */
/* This table explains the words on the screen. */
#include "tui/workbench/terminal/terms.h"

#include <stddef.h>

const struct term terms_table[] = {
    {"1/frame, 64/frame", "the pace: generations for each frame; 1/4 frames is one in four frames, "
                          "max is without a limit (+ and - change it)"},
    {"before", "the rate of the backend that ran before this one"},
    {"best", "the shortest time of a generation among the last calls"},
    {"bound", "the bottleneck: the ceiling that a backend is nearest to, with its share of it; "
              "overhead where it reaches half of none"},
    {"burst",
     "the rate of the backend without a pace: of its last free run, or of a burst of calls "
     "that leaves the state as it is"},
    {"BUSY, HUNG, DEAD", "the engine computes without an answer; does not answer and does not "
                         "compute; has ended"},
    {"call", "generations that a backend steps at once, timed as one"},
    {"ceiling", "the rate as a share of what this machine could do at most, as calab probe has "
                "measured it; the larger of copy and logic is the bottleneck"},
    {"change, difference", "what is drawn: cells that differ from the frame before; from pane B or "
                           "the reference"},
    {"clear of noise", "the interval of a ratio of rates does not contain 1"},
    {"copy", "the ceiling of bytes that memory moves in a second"},
    {"energy",
     "joules for 10^9 cell updates, by the counters of all devices in use; the same number "
     "is the nanojoules (nJ) of one update"},
    {"equal", "both states have the same hash, or each cell is the same"},
    {"frame", "a picture of the state; at most as many a second as the setting fps says"},
    {"free", "a run without a limit, in calls that the engine chooses"},
    {"gen", "generations since the initial state; a step is one generation of all cells"},
    {"kernel", "time in kernels by the device's clock, and on the wall, of all generations since "
               "the simulation was opened or reset"},
    {"live, any, mean, max", "what a character shows that stands for several cells"},
    {"lock step", "A and B make the same calls, and are compared after each"},
    {"logic", "the ceiling of operations that the device computes in a second"},
    {"memory", "bytes that the generations had to move, in a second"},
    {"min, max", "the least and the greatest of an observable over the run so far"},
    {"no CUDA", "no GPU can be used, for the reason behind it"},
    {"observables",
     "sums over the whole lattice; the plots show their means, and their range where "
     "a point stands for several generations"},
    {"on the device", "observables were summed where the state is, without moving it"},
    {"p50, p99", "the median of the last 512 calls at most, and what 99 of 100 do not exceed, in "
                 "time for a generation"},
    {"paced", "a run that makes so many generations a frame and waits between them; its rate is "
              "that of the calls, without the waiting"},
    {"shape", "how the backend's kernel cuts up the lattice, in its own words"},
    {"throttle", "what holds the clock of the GPU down"},
    {"transfer", "time between host and GPU, a part of the time on the wall"},
    {"ups, Mups, Gups", "cell updates a second at the median of the calls, 10^6, 10^9 of them"},
    {"VIOLATED", "an observable that the model conserves has changed"},
    {"x reference",
     "how many times as fast as the reference; x before: as the last line before it"},
    {NULL, NULL},
};
