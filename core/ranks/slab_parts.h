/* SPDX-License-Identifier: MIT */
/* A process's ranks, as core/ranks/slabs.c keeps them and halos.c exchanges their halos; nobody
 * else includes this. */
#ifndef CALAB_CORE_RANKS_SLAB_PARTS_H
#define CALAB_CORE_RANKS_SLAB_PARTS_H

#include "core/ranks/slabs.h"

enum { LOW, HIGH, SIDES };

struct rank {
    struct ca_setup setup;
    void *self;
    int64_t low, own; /* layers of the slab: the halo below, those that it owns */
    char *slots;      /* of a backend without send: CA_SLOTS times slot_bytes */
    enum ca_status status;
    struct ca_error error;
    double device_s; /* of the last call */
    struct ca_survey survey;
    bool made;
};

/* A neighbour in another process, of the first rank below or of the last above. */
struct remote {
    int process; /* -1: there is none */
    void *from;  /* what receive takes rows from; NULL: they are messages */
    char *out, *in;
};

struct ca_slabs {
    const struct ca_stepper *stepper; /* of the backend */
    const struct ca_model *model;
    struct ca_cut cut;
    int first, count;   /* ranks of this process */
    size_t slot_bytes;  /* of a halo as it is sent */
    size_t plane_bytes; /* of a plane of it, where those are canonical cells */
    struct remote remote[SIDES];
    struct ca_thread_pool *pool;
    struct rank rank[];
};

/* Sends the layers at a rank's ends and receives its neighbours' into its halos; `buffer` is 0 or
 * 1. Every rank goes through the barriers, and every process sends its messages, also after a
 * failure, which is handed in and returned: nobody is left waiting. */
enum ca_status slabs_exchange(struct ca_slabs *slabs, struct rank *rank, int buffer,
                              enum ca_status status);
/* The process of the neighbour on a side of a rank, -1 where it is this one or there is none. */
int slabs_remote_process(const struct ca_slabs *slabs, int rank, int side);

/* Two neighbours take halos from each other's slots where both can, else they send messages. */
void slabs_connect(struct ca_slabs *slabs);
bool slabs_send_messages(const struct ca_slabs *slabs);
void slabs_detach(struct ca_slabs *slabs, int side);

#endif
