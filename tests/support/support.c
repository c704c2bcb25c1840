/* SPDX-License-Identifier: MIT */
/* Owns what all test programs share. */
#include "tests/support/support.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/file.h"
#include "core/files/formats.h"
#include "core/model/survey.h"

#define TIMEOUT_S 240 /* a machine may have other work to do */

int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    int failed;

    /* A shell without job control has its background jobs ignore these, and children inherit it. */
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    /* What this machine was tuned to is no part of a test. */
    setenv("CALAB_TUNED", "off", 1);
    printf("seed %" PRIu64 ": ", test_seed());
    fflush(stdout);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

int run_tests(const struct suite *suite)
{
    Suite *checked = suite_create(program_invocation_short_name);
    TCase *tests = tcase_create(program_invocation_short_name);

    tcase_set_timeout(tests, suite->timeout_s > 0 ? suite->timeout_s : TIMEOUT_S);
    tcase_add_checked_fixture(tests, suite->setup, suite->teardown);
    for (size_t i = 0; i < COUNT(suite->test); i++)
        if (suite->test[i])
            tcase_add_test(tests, suite->test[i]);
    for (size_t i = 0; i < COUNT(suite->table); i++)
        if (suite->table[i].test)
            tcase_add_loop_test(tests, suite->table[i].test, (int)suite->table[i].first,
                                (int)suite->table[i].end);
    suite_add_tcase(checked, tests);
    return run_suite(checked);
}

uint64_t test_seed(void)
{
    const char *text = getenv("CALAB_SEED");

    return text ? strtoull(text, NULL, 0) : 20260101;
}

const struct ca_model *test_model(const char *name)
{
    const struct ca_model *model;
    struct ca_error error;

    ck_assert_ok(ca_model_find(&model, name, &error));
    return model;
}

size_t test_models(void)
{
    size_t models = 0;

    while (ca_models[models])
        models++;
    return models;
}

uint64_t test_digest(const struct ca_setup *setup, const struct ca_lattice *lattice)
{
    struct ca_survey survey = ca_survey_none();
    void *planes[CA_PLANES_MAX];

    ca_lattice_at(lattice, 0, planes);
    ca_survey_rows(setup, CA_SURVEY_DIGEST, (const void *const *)planes, 0, ca_rows(lattice->size),
                   &survey);
    return survey.digest;
}

int test_hurry_by(int times)
{
    const char *library = getenv("CALAB_HURRIED_LIBRARY");

    if (!library || !*library)
        return 1;
    setenv("CALAB_HURRY", test_text("%d", times), 1);
    setenv("LD_PRELOAD", library, 1);
    return times;
}

void test_hurry(void) { test_hurry_by(16); }

void __gcov_dump(void) __attribute__((weak)); /* of a coverage build alone */

void test_exit(int status)
{
    if (__gcov_dump)
        __gcov_dump();
    _exit(status);
}

static char folder[64];
static pid_t folder_owner;

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static void remove_folder(void)
{
    if (folder[0] && folder_owner == getpid())
        nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *test_folder(void)
{
    if (!folder[0] || folder_owner != getpid()) {
        strcpy(folder, "/tmp/calab-test-XXXXXX");
        ck_assert_ptr_nonnull(mkdtemp(folder));
        folder_owner = getpid();
        atexit(remove_folder);
    }
    return folder;
}

const char *test_path(const char *name) { return test_text("%s/%s", test_folder(), name); }

const char *test_program(void)
{
    const char *program = getenv("CALAB");

    return program ? program : "build/release/calab";
}

const char *test_source(const char *name)
{
    static char path[4096];
    const char *root = getenv("CALAB_SOURCE");

    snprintf(path, sizeof path, "%s/%s", root ? root : ".", name);
    return path;
}

void test_write(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    ck_assert_msg(file != NULL, "cannot write %s", path);
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    ck_assert_int_eq(fclose(file), 0);
}

const char *test_text(const char *format, ...)
{
    char *text;
    va_list arguments;

    va_start(arguments, format);
    ck_assert_int_ge(vasprintf(&text, format, arguments), 0);
    va_end(arguments);
    return test_keep(text);
}

const char *test_put(const char *name, const char *text)
{
    const char *path = test_path(name);

    test_write(path, text, strlen(text));
    return path;
}

/* The list is never read: a leak checker follows it, as it does any memory that is held. */
void *test_keep(void *memory)
{
    static void **kept;
    static size_t count;

    kept = realloc(kept, (count + 1) * sizeof *kept);
    ck_assert_ptr_nonnull(kept);
    return kept[count++] = memory;
}

char *test_read(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0, room = 65536, got;
    char *bytes = malloc(room);

    ck_assert_msg(file != NULL, "cannot read %s", path);
    while ((got = fread(bytes + size, 1, room - 1 - size, file)) > 0) {
        size += got;
        if (size == room - 1)
            bytes = realloc(bytes, room *= 2);
        ck_assert_ptr_nonnull(bytes);
    }
    fclose(file);
    bytes[size] = 0;
    if (count)
        *count = size;
    return test_keep(bytes);
}

void test_same_files(const char *a, const char *b)
{
    size_t sizes[2];
    const char *bytes[2] = {test_read(a, &sizes[0]), test_read(b, &sizes[1])};

    ck_assert_msg(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0,
                  "%s (%zu bytes) and %s (%zu) differ", a, sizes[0], b, sizes[1]);
}

void test_contains(const char *file, int line, const char *text, const char *const parts[])
{
    for (; *parts; parts++)
        ck_assert_msg(strstr(text, *parts) != NULL, "%s:%d: '%s' does not contain '%s'", file, line,
                      text, *parts);
}

json_t *json_at(const json_t *json, const char *path)
{
    char key[64];

    for (size_t length; json && *path; path += length + (path[length] == '.')) {
        length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        json = json_is_array(json) ? json_array_get(json, (size_t)atoi(key))
                                   : json_object_get(json, key);
    }
    return (json_t *)json;
}

const char *json_text(const json_t *json, const char *path)
{
    return json_string_value(json_at(json, path));
}

json_int_t json_whole(const json_t *json, const char *path)
{
    return json_integer_value(json_at(json, path));
}

double json_number(const json_t *json, const char *path)
{
    return json_number_value(json_at(json, path));
}

int test_files(void)
{
    struct dirent **entries;
    int n = scandir(test_folder(), &entries, NULL, NULL), count = 0;

    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;

        count += strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, ".cache") != 0;
        free(entries[i]);
    }
    free(entries);
    return count;
}

enum ca_status test_npy_write(const char *path, const struct ca_lattice *lattice, int dimensions,
                              struct ca_error *error)
{
    const struct ca_model model = {.dimensions = dimensions};
    struct ca_row_source source = ca_lattice_source(lattice);

    return ca_npy_write(path, &model, &source, error);
}

enum ca_status test_npy_read(const char *path, const struct ca_model *model,
                             struct ca_lattice *lattice, struct ca_error *error)
{
    struct ca_row_sink sink = ca_lattice_sink(lattice);
    uint64_t generation;
    struct ca_size size;
    enum ca_status status;

    memset(lattice, 0, sizeof *lattice);
    CA_TRY(ca_npy_size(path, model, &size, error));
    CA_TRY(ca_lattice_alloc(lattice, size, model->type, model->planes, error));
    status = ca_npy_read(path, model, size, &sink, &generation, error);
    if (status != CA_OK)
        ca_lattice_free(lattice);
    return status;
}

enum ca_status test_pbm_read(const char *path, uint8_t **cells, struct ca_size *size,
                             struct ca_error *error)
{
    struct ca_lattice lattice = {0};
    struct ca_row_sink sink = ca_lattice_sink(&lattice);
    enum ca_status status;

    *cells = NULL;
    CA_TRY(ca_pbm_size(path, size, error));
    CA_TRY(ca_lattice_alloc(&lattice, *size, CA_U8, 1, error));
    status = ca_pbm_read(path, &sink, error);
    if (status == CA_OK) {
        *cells = malloc((size_t)ca_cells(*size));
        memcpy(*cells, lattice.plane[0], (size_t)ca_cells(*size));
    }
    ca_lattice_free(&lattice);
    return status;
}

pid_t test_process(const char *name)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    pid_t found = 0;

    while (found == 0 && processes && (entry = readdir(processes)) != NULL) {
        char path[300], comm[32] = "";
        FILE *file;

        snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
        file = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? fopen(path, "re") : NULL;
        if (file && fscanf(file, "%31[^\n]", comm) == 1 && strcmp(comm, name) == 0)
            found = (pid_t)atol(entry->d_name);
        if (file)
            fclose(file);
    }
    closedir(processes);
    return found;
}
