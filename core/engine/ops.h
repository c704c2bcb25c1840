/* SPDX-License-Identifier: MIT */
/* The requests that an engine serves, each a row of the table in ops.c. */
#ifndef CALAB_CORE_ENGINE_OPS_H
#define CALAB_CORE_ENGINE_OPS_H

#include <jansson.h>

#include "core/base/error.h"

enum {
    CA_OP_NEEDS_SIMULATION = 1,
    CA_OP_AT_ONCE = 2,       /* even while a step or seek is under way */
    CA_OP_AT_ONCE_ALONE = 4, /* likewise, unless a request waits already */
    CA_OP_ANSWERED_LATER = 8,
    CA_OP_NO_ANSWER = 16,
    CA_OP_IN_PART = 32, /* even while rows of a state are still to come */
    CA_OP_STOPS = 64,   /* has its effect at once, and its reply behind those of all that wait */
    CA_OP_GENERATION = 1024, /* its reply begins with the generation */
    /* The caller that waits for the reply reads these: */
    CA_OP_STATE = 128, /* leads to another state */
    CA_OP_RULE = 256,  /* leads to another experiment */
    CA_OP_QUICK = 512, /* needs no time worth mentioning */
};

struct ca_engine;

/* Fills the answer, or fails and changes nothing. */
typedef enum ca_status ca_engine_op(struct ca_engine *engine, const json_t *request, json_t *answer,
                                    struct ca_error *error);

struct ca_op {
    const char *name;
    unsigned flags;
    ca_engine_op *run; /* NULL: its reply says all */
};

/* NULL: there is no such request. */
const struct ca_op *ca_op_find(const char *name);

#endif
