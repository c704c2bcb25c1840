/* SPDX-License-Identifier: MIT */
/* A contender is a backend for an engine of the workbench, with its host: one, or the two sides of
 * a comparison. */
#ifndef CALAB_TUI_CONTENDER_H
#define CALAB_TUI_CONTENDER_H

#include "core/sim/experiment.h"

#define CONTENDERS_MAX 2

struct contender {
    struct ca_experiment experiment;
    struct ca_outputs outputs; /* of `calab run` and of files that are written of it */
    char host[CA_TEXT_MAX];    /* "": this machine */
};

#endif
