/* SPDX-License-Identifier: MIT */
/* What core/lab/class.c has done for each submission. Only grade.c and class.c include it. */
#ifndef CALAB_CORE_LAB_GRADE_PARTS_H
#define CALAB_CORE_LAB_GRADE_PARTS_H

#include "core/lab/grade.h"

/* The check and the secret cases; the time of one that has passed both. What fails is told by the
 * grade. */
void grade_check(struct ca_lab_class *class, struct ca_lab_grade *grade);
void grade_time(struct ca_lab_class *class, struct ca_lab_grade *grade);

#endif
