/* SPDX-License-Identifier: MIT */
/* Everything about the outputs of a run that can be refused before its first step. */
#ifndef CALAB_CORE_SIM_OUTPUT_CHECK_H
#define CALAB_CORE_SIM_OUTPUT_CHECK_H

#include "core/files/film.h"
#include "core/sim/output.h"

/*
 * Checks whether all can be written; `goal` is how many generations the run has, UINT64_MAX where
 * that is not known. CA_USAGE for a format or a name that is not allowed, for a window that does
 * not go with the run, for a series without `every`, and the other way round; CA_IO.
 */
enum ca_status ca_outputs_check(const struct ca_outputs *outputs,
                                const struct ca_experiment *experiment, uint64_t goal,
                                struct ca_error *error);
/* The same for what depends on the lattice, whose size has to be known: CA_USAGE for a picture of
 * what it has not, or a format that cannot hold its states. */
enum ca_status ca_outputs_check_lattice(const struct ca_outputs *outputs,
                                        const struct ca_experiment *experiment,
                                        struct ca_error *error);
/* The pictures of a film of that lattice. */
struct ca_film_shape ca_output_film(const struct ca_output *output, struct ca_size lattice);
/* Generations from one end of an output's windows to the next, 0: not known. */
uint64_t ca_output_period(const struct ca_outputs *outputs, bool series, uint64_t goal);

#endif
