/* SPDX-License-Identifier: MIT */
/* A folder of a lab of anneal in C, whose kernel tests save again and again. */
#ifndef CALAB_TESTS_SUPPORT_LAB_H
#define CALAB_TESTS_SUPPORT_LAB_H

/* Makes a folder of the test's with lab.cfg, small cases, and a kernel. Returns its path. */
const char *lab_folder(const char *name, const char *body);
/*
 * Saves kernel.c as an editor does that writes another file and renames it. `body` stands behind a
 * step that is right, in which `lab`, `in`, `out` and `cell`, the first plane of the result, are
 * known, as line 17.
 */
void lab_save(const char *folder, const char *body);

#endif
