/* SPDX-License-Identifier: MIT */
/* The texts of a new folder that follow from its model: malloc'd, NULL without memory. */
#ifndef CALAB_CORE_LAB_README_H
#define CALAB_CORE_LAB_README_H

#include "core/lab/lab.h"

char *ca_lab_config(const struct ca_lab *lab);
char *ca_lab_readme(const struct ca_lab *lab);
char *ca_lab_makefile(const struct ca_lab *lab);

#endif
