/* SPDX-License-Identifier: MIT */
/* Small programs with kernels, right and wrong ones, by name: what tests/test_emulator.c runs. */
#ifndef CALAB_TESTS_EMULATOR_FIXTURE_H
#define CALAB_TESTS_EMULATOR_FIXTURE_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Runs one. NULL when all was as it should be, else what was not, or what it has to tell. A fault
 * that the emulator or a sanitizer notices ends the process.
 */
const char *fixture_run(const char *name);

#ifdef __cplusplus
}
#endif
#endif
