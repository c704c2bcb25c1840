/* SPDX-License-Identifier: MIT */
/* The causes that are found of students' kernels, which run in the process of the test. */
#ifndef CALAB_TESTS_STUDENT_FINDINGS_H
#define CALAB_TESTS_STUDENT_FINDINGS_H

#include "core/lab/cause/influence.h"
#include "tests/students/student_kernels.h"

/* Of a kernel, or of one of calab's own backends in place of its step; 0x0: of the default size.
 * Run `fails`, from 1 on, fails; 0: none does. */
enum ca_status student_try(const struct student *student, const struct ca_backend *backend,
                           int fails, struct ca_size size, struct ca_findings *findings,
                           struct ca_error *error);
/* The same without a failure; of three dimensions of a smaller size. */
struct ca_findings student_findings(const struct student *student,
                                    const struct ca_backend *backend);
/* Whether the kernel's own cause is among them, in its words. */
bool student_named(const struct student *student, const struct ca_findings *findings);
/* Fails where one is surer than it can be. */
void student_check_certainty(const struct ca_findings *findings);

#endif
