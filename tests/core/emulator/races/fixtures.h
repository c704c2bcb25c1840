/* SPDX-License-Identifier: MIT */
/* Small programs with kernels that are watched, by name: what tests/core/emulator/test_races.c
 * runs. */
#ifndef CALAB_TESTS_RACES_FIXTURES_H
#define CALAB_TESTS_RACES_FIXTURES_H

#ifdef __cplusplus
extern "C" {
#endif

/* False where no fixture has that name. */
int races_fixture(const char *name);

#ifdef __cplusplus
}
#endif
#endif
