/* SPDX-License-Identifier: MIT */
/* Why the kernel of a lab is wrong: its process as the subject of core/lab/cause/influence.h. */
#ifndef CALAB_CORE_LAB_CAUSE_WHY_H
#define CALAB_CORE_LAB_CAUSE_WHY_H

#include "core/lab/process/submission.h"
#include "core/lab/cause/influence.h"

/* Runs the program on lattices of the probes' choice. CA_OK also where the kernel fails there:
 * then there is no finding. CA_IO, CA_NO_MEMORY. */
enum ca_status ca_lab_why(const struct ca_lab *lab, const struct ca_lab_program *program,
                          struct ca_findings *findings, struct ca_error *error);

#endif
