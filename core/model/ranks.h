/* SPDX-License-Identifier: MIT */
/*
 * The options of every backend that cut the lattice in slabs, one a rank, which step side by side
 * (core/ranks). Results do not depend on them.
 */
#ifndef CALAB_CORE_MODEL_RANKS_H
#define CALAB_CORE_MODEL_RANKS_H

#define CA_RANKS_MAX 64

/* Rows of an options table. */
#define RANKS_OPTIONS                                                                              \
    {.name = "ranks",                                                                              \
     .kind = CA_INT,                                                                               \
     .number = 0,                                                                                  \
     .min = 0,                                                                                     \
     .max = CA_RANKS_MAX,                                                                          \
     .help = "slabs that step side by side; 0: one a device"},                                     \
    {                                                                                              \
        .name = "exchange", .kind = CA_INT, .number = 0, .min = 0, .max = 65536, .tune = "",       \
        .help = "generations between two exchanges of the ranks' halos; 0: chosen by cost"         \
    }

#endif
