/* SPDX-License-Identifier: MIT */
/* What all test programs share: running a suite, seeds, temporary folders. */
#ifndef CALAB_TESTS_SUPPORT_H
#define CALAB_TESTS_SUPPORT_H

#include <check.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/model/model.h"

/* The least that an engine of this version greets with, for a shell's single quotes. */
#define ENGINE_GREETING "CALAB1 {\"version\":\"" CALAB_VERSION "\"}"

/* Whether a sanitizer watches, under which a test takes several times as long. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

/* Runs a suite; the exit status of the program. */
int run_suite(Suite *suite);
/* CALAB_SEED or 20260101; printed once by run_suite. */
uint64_t test_seed(void);
/* A fresh folder that is removed at exit of the process that made it. */
const char *test_folder(void);
/* "FOLDER/name" in static storage (8 of them rotate). */
const char *test_path(const char *name);
/* The path of the program under test (CALAB) and of a file of the source tree. */
const char *test_program(void);
const char *test_source(const char *name);
/* Ends a forked process as _exit does, after a coverage build's counts have been kept. */
void test_exit(int status) __attribute__((noreturn));
/* Writes a file, whole. */
void test_write(const char *path, const void *bytes, size_t count);
/* Reads a file, whole, NUL-terminated, malloc'd. */
char *test_read(const char *path, size_t *count);

/* The model of that name; fails the test without one. */
const struct ca_model *test_model(const char *name);
/* The digest of a whole state, by its rows (core/model/survey.h). */
uint64_t test_digest(const struct ca_setup *setup, const struct ca_lattice *lattice);

/* A process of this name, of at most 15 characters, by /proc; 0: there is none. In a namespace of
 * its own a process does not know the number that it has here. */
pid_t test_process(const char *name);

/* How many files and folders are in the test's folder. Not counted is .cache, where a calab whose
 * home it is may keep what it measured to choose a backend. */
int test_files(void);

/* State files of whole lattices, as core/files/file.h writes and reads them. */
enum ca_status test_npy_write(const char *path, const struct ca_lattice *lattice, int dimensions,
                              struct ca_error *error);
enum ca_status test_npy_read(const char *path, const struct ca_model *model,
                             struct ca_lattice *lattice, struct ca_error *error);
/* The cells of a picture, malloc'd; NULL after a failure. */
enum ca_status test_pbm_read(const char *path, uint8_t **cells, struct ca_size *size,
                             struct ca_error *error);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ck_assert_contains(text, part)                                                             \
    ck_assert_msg(strstr((text), (part)) != NULL, "'%s' does not contain '%s'", (text), (part))

#endif
