/* SPDX-License-Identifier: MIT */
/* What all test programs share: running a suite, seeds, temporary folders. */
#ifndef CALAB_TESTS_SUPPORT_H
#define CALAB_TESTS_SUPPORT_H

#include <check.h>
#include <jansson.h>
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

/* A test for each row of a table, from row `first` to before row `end`. */
struct table_test {
    const TTest *test;
    size_t end, first;
};

/* The tests of a program, whose name is that of the suite. One that is NULL is left out. */
struct suite {
    double timeout_s; /* of each test; 0: 240 */
    void (*setup)(void), (*teardown)(void);
    const TTest *test[48];
    struct table_test table[24];
};

/* All run a suite, and return the exit status of the program. */
#define RUN_TESTS(...) run_tests(&(const struct suite){__VA_ARGS__})
int run_tests(const struct suite *suite);
int run_suite(Suite *suite);
/* CALAB_SEED or 20260101; printed once by run_suite. */
uint64_t test_seed(void);
/* A fresh folder that is removed at exit of the process that made it. */
const char *test_folder(void);
/* "FOLDER/name", kept. */
const char *test_path(const char *name);
/* The path of the program under test (CALAB) and of a file of the source tree. */
const char *test_program(void);
const char *test_source(const char *name);
/* From now on the clocks of programs that the test starts run so many times as fast, where make
 * check says how (tests/stand_in/hurried.c): a measurement is over sooner, and does not go on for
 * as long as it may because the tests beside this one use the cores. Returns how many times, 1
 * elsewhere. */
int test_hurry_by(int times);
void test_hurry(void); /* by 16; limits of seconds are too short then to compile in */
/* Ends a forked process as _exit does, after a coverage build's counts have been kept. */
void test_exit(int status) __attribute__((noreturn));
/* Writes a file, whole. */
void test_write(const char *path, const void *bytes, size_t count);
/* ck_assert_msg, but that it does not report each success to the parent process, which is too slow
 * for cells. */
#define must_hold(condition, ...)                                                                  \
    do {                                                                                           \
        if (!(condition))                                                                          \
            ck_abort_msg(__VA_ARGS__);                                                             \
    } while (0)
/* Memory that is kept until the process of the test ends, and needs no free before. */
void *test_keep(void *memory);
/* A text as printf makes it, kept. */
const char *test_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes a text to the file of that name in the test's folder; its path, as test_path gives it. */
const char *test_put(const char *name, const char *text);
/* Reads a file, whole, NUL-terminated, kept. */
char *test_read(const char *path, size_t *count);
/* Fails the test where two files differ. */
void test_same_files(const char *a, const char *b);

/* A value in JSON by a path of keys and indices, as "lines.0.hash", and what it holds; as jansson
 * has it where there is none. */
json_t *json_at(const json_t *json, const char *path);
const char *json_text(const json_t *json, const char *path);
json_int_t json_whole(const json_t *json, const char *path);
double json_number(const json_t *json, const char *path);

/* The model of that name; fails the test without one. */
const struct ca_model *test_model(const char *name);
/* How many there are. */
size_t test_models(void);
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

/* A call that fills the caller's `error`, and must not. */
#define ck_assert_ok(call) ck_assert_msg((call) == CA_OK, "%s: %s", #call, error.text)

/* Each part is somewhere in the text. */
#define ck_assert_contains(text, ...)                                                              \
    test_contains(__FILE__, __LINE__, text, (const char *const[]){__VA_ARGS__, NULL})
void test_contains(const char *file, int line, const char *text, const char *const parts[]);

#endif
