/* SPDX-License-Identifier: MIT */
/* An engine in the test's own process, without its loop, whose backend is the test's: requests go
 * in by function, replies and events come out as from any other (tests/support/engine_peer.h). */
#ifndef CALAB_TESTS_ENGINE_INSIDE_H
#define CALAB_TESTS_ENGINE_INSIDE_H

#include "core/engine/state.h"
#include "tests/support/engine_peer.h"

struct inside {
    struct ca_engine engine;
    struct peer peer;
    struct ca_model model;
    struct ca_backend backends[2];
    int in, out[2];
};

/* With a simulation of anneal, 32x32, whose only backend is `reference` with that stepper. */
void inside_open(struct inside *inside, const struct ca_stepper *stepper);
void inside_close(struct inside *inside);
void inside_ask(struct inside *inside, const char *request);

#endif
