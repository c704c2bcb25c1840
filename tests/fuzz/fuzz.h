/* SPDX-License-Identifier: MIT */
/*
 * Fuzz targets: what reads bytes that come from elsewhere, a target a file. Each runs on any bytes,
 * leaves nothing behind and takes well below a millisecond for most of them. libfuzzer.c lets
 * libFuzzer choose the bytes (`make fuzz`), tests/fuzz/test_fuzz.c takes those of tests/fuzz/corpus
 * and random changes of them.
 */
#ifndef CALAB_TESTS_FUZZ_FUZZ_H
#define CALAB_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_target {
    const char *name; /* of its file, and of its folder in the corpus */
    void (*run)(const uint8_t *data, size_t size);
};

/* Ends with a row whose name is NULL. */
extern const struct fuzz_target fuzz_targets[];
/* NULL: there is none of that name. */
const struct fuzz_target *fuzz_find(const char *name);

void fuzz_cuda(const uint8_t *data, size_t size);
void fuzz_experiments(const uint8_t *data, size_t size);
void fuzz_hdf5(const uint8_t *data, size_t size);
void fuzz_lab(const uint8_t *data, size_t size);
void fuzz_options(const uint8_t *data, size_t size);
void fuzz_replies(const uint8_t *data, size_t size);
void fuzz_requests(const uint8_t *data, size_t size);
void fuzz_results(const uint8_t *data, size_t size);
void fuzz_rules(const uint8_t *data, size_t size);
void fuzz_settings(const uint8_t *data, size_t size);
void fuzz_states(const uint8_t *data, size_t size);
void fuzz_terminal(const uint8_t *data, size_t size);

/* --- support.c -------------------------------------------------------------------------------- */

/* Lattices have at most so many cells: what a file asks for beyond is only measured. */
#define FUZZ_CELLS_MAX 4096

/* A folder of this process, removed when it ends, in which all files of a target are. It is the
 * home and the working folder from the first call on. */
const char *fuzz_folder(void);
/* Writes a file of that name in the folder; its path stays until the process ends. */
const char *fuzz_file(const char *name, const void *data, size_t size);
/* The path of a file in the folder that is not there. */
const char *fuzz_absent(const char *name);

/* The first byte, which is taken off; 0 where there is none. */
uint8_t fuzz_byte(const uint8_t **data, size_t *size);
/* The models in turn. */
const struct ca_model *fuzz_model(unsigned i);
/* A setup of a model: 12x8 or 6x5x4 cells and built-in values. */
struct ca_setup fuzz_setup(const struct ca_model *model);

/* Ends the process, so that a fuzzer finds it, where a property does not hold. */
#define FUZZ_HOLDS(condition)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fuzz_fails(__FILE__, __LINE__, #condition);                                            \
    } while (0)
void fuzz_fails(const char *file, int line, const char *condition) __attribute__((noreturn));

/* What is printed between these goes nowhere. */
void fuzz_quiet(void);
void fuzz_aloud(void);

#endif
