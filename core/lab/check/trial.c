/* SPDX-License-Identifier: MIT */
/* Runs one case: its calls, the comparison, and the search for the first wrong generation. */
#include "core/lab/check/trial.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "core/lab/kernel/files.h"
#include "core/sim/simulation.h"

/* These fill memory that is not written yet: no value that a right kernel leaves everywhere. */
static const uint8_t patterns[] = {0xa5, 0x5a, 0xff, 0x7e, 0x81};

/* --- the map of wrong cells ------------------------------------------------------------------- */

/* A cell of a plane holds nothing but the bytes that filled it before; pattern -1: it was not
 * filled.
 */
static bool is_unwritten(const struct ca_lattice *got, int plane, int64_t i, int pattern)
{
    size_t bytes = ca_type_bytes(got->type);
    const uint8_t *cell = (const uint8_t *)got->plane[plane] + (size_t)i * bytes;

    for (size_t b = 0; b < bytes; b++)
        if (cell[b] != pattern)
            return false;
    return true;
}

struct map {
    const struct ca_lattice *expected, *got;
    int plane;
    int64_t z, scale, tile[2];
    int pattern;
};

/* 0: right, 1: wrong, 2: wrong and not written */
static int cell(const struct ca_lattice *expected, const struct ca_lattice *got, int plane,
                int64_t i, int pattern)
{
    size_t bytes = ca_type_bytes(got->type), at = (size_t)i * bytes;

    if (memcmp((const uint8_t *)expected->plane[plane] + at,
               (const uint8_t *)got->plane[plane] + at, bytes) == 0)
        return 0;
    return 1 + is_unwritten(got, plane, i, pattern);
}

static char square(const struct map *map, int64_t x, int64_t y)
{
    struct ca_size size = map->got->size;
    int worst = 0;

    for (int64_t v = y; v < y + map->scale && v < size.h; v++)
        for (int64_t u = x; u < x + map->scale && u < size.w; u++) {
            int one = cell(map->expected, map->got, map->plane, (map->z * size.h + v) * size.w + u,
                           map->pattern);

            worst = one > worst ? one : worst;
        }
    return ".#?"[worst];
}

/* Whether a line between tiles stands before this cell. */
static bool is_edge(const struct map *map, int axis, int64_t at)
{
    return map->tile[axis] > 0 && at > 0 && at % map->tile[axis] == 0 &&
           map->tile[axis] % map->scale == 0 && map->tile[axis] > map->scale;
}

char *ca_lab_map(const struct ca_lattice *expected, const struct ca_lattice *got, int plane,
                 int64_t z, const int64_t tile[2], int pattern)
{
    struct map map = {expected, got, plane, z, 1, {tile[0], tile[1]}, pattern};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    while (map.scale * CA_LAB_MAP_WIDE < got->size.w || map.scale * CA_LAB_MAP_HIGH < got->size.h)
        map.scale *= 2;
    ca_file_put(out, map.scale == 1 ? "a character a cell" : "a character %lldx%lld cells",
                (long long)map.scale, (long long)map.scale);
    if (got->size.d > 1)
        ca_file_put(out, ", layer z %lld", (long long)z);
    ca_file_put(out, ": . right, # wrong, ? never written\n");
    for (int64_t y = 0; y < got->size.h; y += map.scale) {
        for (int64_t x = 0; is_edge(&map, 1, y) && x < got->size.w; x += map.scale)
            ca_file_put(out, is_edge(&map, 0, x) ? "+-" : "-");
        if (is_edge(&map, 1, y))
            ca_file_put(out, "\n");
        for (int64_t x = 0; x < got->size.w; x += map.scale)
            ca_file_put(out, is_edge(&map, 0, x) ? "|%c" : "%c", square(&map, x, y));
        ca_file_put(out, "\n");
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* --- the neighbourhood of the first wrong cell ------------------------------------------------ */

#define AROUND 7      /* cells a side, fewer in a smaller lattice */
#define PART_WIDTH 24 /* characters of one of its three parts, at most */
#define VALUE_TEXT 16

struct around {
    const struct ca_lattice *part[3]; /* before, expected, got */
    int plane, pattern;
    int64_t x, y, z; /* its corner */
    int columns, rows;
    int width; /* characters of a cell, with a blank */
};

/* A value of a part, and the sign of one that the kernel has wrong. */
static char *around_value(const struct around *around, int part, int column, int row,
                          char text[VALUE_TEXT])
{
    const struct ca_lattice *lattice = around->part[part];
    const int64_t i =
        (around->z * lattice->size.h + around->y + row) * lattice->size.w + around->x + column;
    const int fault =
        part == 2 ? cell(around->part[1], lattice, around->plane, i, around->pattern) : 0;

    if (fault == 2)
        snprintf(text, VALUE_TEXT, "?!");
    else if (lattice->type == CA_F32)
        snprintf(text, VALUE_TEXT, "%.4g%s",
                 (double)((const float *)lattice->plane[around->plane])[i], fault ? "!" : "");
    else
        snprintf(text, VALUE_TEXT, "%u%s", ((const uint8_t *)lattice->plane[around->plane])[i],
                 fault ? "!" : "");
    return text;
}

/* The characters that the longest value takes, with a blank. */
static int around_width(const struct around *around)
{
    char text[VALUE_TEXT];
    int width = 2;

    for (int part = 0; part < 3; part++)
        for (int row = 0; row < around->rows; row++)
            for (int column = 0; column < around->columns; column++) {
                int n = (int)strlen(around_value(around, part, column, row, text)) + 1;

                width = n > width ? n : width;
            }
    return width;
}

/* The corner of as many cells of a side as there are, around one of them. */
static int64_t around_corner(int64_t at, int count, int64_t size)
{
    const int64_t corner = at - count / 2;

    return corner < 0 ? 0 : corner > size - count ? size - count : corner;
}

static void around_add(char text[CA_LAB_AROUND_MAX], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list list;

    va_start(list, format);
    vsnprintf(text + used, CA_LAB_AROUND_MAX - used, format, list);
    va_end(list);
}

static struct around around_of(const struct ca_lattice *const part[3],
                               const struct ca_difference *first, int pattern)
{
    const struct ca_size size = part[2]->size;
    struct around around = {.part = {part[0], part[1], part[2]},
                            .plane = first->plane,
                            .pattern = pattern,
                            .z = first->z,
                            .columns = size.w < AROUND ? (int)size.w : AROUND,
                            .rows = size.h < AROUND ? (int)size.h : AROUND};

    around.x = around_corner(first->x, around.columns, size.w);
    around.y = around_corner(first->y, around.rows, size.h);
    around.width = around_width(&around);
    if (around.columns * around.width > PART_WIDTH) {
        around.columns = PART_WIDTH / around.width;
        around.x = around_corner(first->x, around.columns, size.w);
    }
    return around;
}

void ca_lab_around(const struct ca_lattice *before, const struct ca_lattice *expected,
                   const struct ca_lattice *got, const struct ca_difference *first, int pattern,
                   char text[CA_LAB_AROUND_MAX])
{
    static const char *const names[] = {"before", "expected", "got (! wrong)"};
    const struct ca_lattice *const parts[] = {before, expected, got};
    const struct around around = around_of(parts, first, pattern);
    const int cells = around.columns * around.width, pitch = 2 + (cells > 8 ? cells : 8);
    char value[VALUE_TEXT];

    text[0] = 0;
    for (int part = 0; part < 3; part++)
        around_add(text, "%-*s%s", part < 2 ? pitch : 0, names[part], part < 2 ? "" : "\n");
    for (int row = 0; row < around.rows; row++) {
        for (int part = 0; part < 3; part++) {
            for (int column = 0; column < around.columns; column++)
                around_add(text, "%-*s", around.width,
                           around_value(&around, part, column, row, value));
            around_add(text, "%*s", part < 2 ? pitch - cells : 0, "");
        }
        around_add(text, "\n");
    }
}

/* --- the report ------------------------------------------------------------------------------- */

enum ca_status lab_report_difference(const struct ca_lab *lab, const struct ca_lattice *expected,
                                     const struct ca_lattice *got, int pattern,
                                     struct ca_difference difference, uint64_t generation,
                                     struct ca_lab_report *report, struct ca_error *error)
{
    const struct ca_model *model = lab->model;
    char value[2][40];
    char *map = ca_lab_map(expected, got, difference.plane, difference.z, lab->tile, pattern);

    if (!map)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a map of the wrong cells");
    report->verdict = CA_LAB_CELL;
    report->generation = generation;
    report->difference = difference;
    report->unwritten = 0;
    for (int p = 0; p < got->planes; p++)
        for (int64_t i = 0; i < ca_cells(got->size); i++)
            report->unwritten += cell(expected, got, p, i, pattern) == 2;
    free(report->map);
    report->map = map;
    snprintf(value[0], sizeof value[0], "%.9g", difference.expected);
    snprintf(value[1], sizeof value[1], "%.9g", difference.got);
    if (is_unwritten(got, difference.plane,
                     (difference.z * got->size.h + difference.y) * got->size.w + difference.x,
                     pattern))
        snprintf(value[1], sizeof value[1], "nothing: it is not written");
    snprintf(report->text, sizeof report->text,
             "generation %llu, x %lld, y %lld, z %lld, plane %s: expected %s, got %s",
             (unsigned long long)generation, (long long)difference.x, (long long)difference.y,
             (long long)difference.z, model->plane_names[difference.plane], value[0], value[1]);
    return CA_OK;
}

/* --- the calls -------------------------------------------------------------------------------- */

struct trial {
    const struct ca_lab *lab;
    const struct ca_lab_oracle *oracle;
    struct ca_lab_report *report;
    struct ca_lab_submission *submission;
    struct ca_lattice got;
    int loaded; /* the state of the reference that was loaded last */
    struct ca_error *error;
};

/* The generation of state i of the reference. */
static uint64_t generation_of(const struct trial *trial, int i)
{
    uint64_t t = trial->oracle->t;

    for (int call = 0; call < i; call++)
        t += (uint64_t)trial->lab->generation[call];
    return t;
}

static enum ca_status like_the_result(const struct trial *trial, struct ca_lattice *lattice)
{
    const struct ca_lattice *got = &trial->got;

    return ca_lattice_alloc(lattice, got->size, got->type, got->planes, trial->error);
}

/* Runs from the state that was loaded last once more, a generation a call, up to the first that is
 * wrong. */
static enum ca_status trial_locate(struct trial *trial, uint64_t end)
{
    const struct ca_lab_oracle *oracle = trial->oracle;
    struct ca_lattice expected = {.planes = 0}, before = {.planes = 0};
    struct ca_difference difference = {.count = 0};
    enum ca_status status = like_the_result(trial, &expected);
    const struct ca_lattice *start = &oracle->state[trial->loaded];
    uint64_t t = generation_of(trial, trial->loaded);

    if (status == CA_OK)
        status = like_the_result(trial, &before);
    if (status == CA_OK) {
        ca_lattice_copy(&expected, start);
        status = ca_lab_submission_load(trial->submission, start, t);
    }
    for (; t < end && status == CA_OK && difference.count == 0; t++) {
        ca_lattice_copy(&before, &expected);
        status = ca_lab_oracle_next(oracle, &expected, t, trial->error);
        if (status == CA_OK)
            status = ca_lab_submission_step(trial->submission, t, 1);
        if (status == CA_OK)
            status = ca_lab_submission_store(trial->submission, &trial->got);
        if (status == CA_OK)
            difference = ca_lattice_compare(&expected, &trial->got);
    }
    if (status == CA_OK && difference.count > 0)
        status =
            lab_report_difference(trial->lab, &expected, &trial->got, trial->submission->pattern,
                                  difference, t, trial->report, trial->error);
    else if (status == CA_OK)
        trial->report->only_together = true;
    if (status == CA_OK && difference.count > 0)
        ca_lab_around(&before, &expected, &trial->got, &difference, trial->submission->pattern,
                      trial->report->around);
    ca_lattice_free(&before);
    ca_lattice_free(&expected);
    return status == CA_WRONG ? CA_OK
                              : status; /* another fault there says no more than the first */
}

/* Loads state i of the reference, from which the next call goes on. */
static enum ca_status trial_load(struct trial *trial, int i)
{
    trial->loaded = i;
    trial->report->start = generation_of(trial, i);
    trial->report->passed = 0;
    trial->report->call = (uint64_t)trial->lab->generation[i];
    return ca_lab_submission_load(trial->submission, &trial->oracle->state[i],
                                  trial->report->start);
}

/* Call i, and the comparison with the state that it should end in. */
static enum ca_status call(struct trial *trial, int i)
{
    const struct ca_lattice *expected = &trial->oracle->state[i + 1];
    struct ca_lab_report *report = trial->report;
    uint64_t t = generation_of(trial, i), n = (uint64_t)trial->lab->generation[i];
    struct ca_difference difference;

    report->call = n;
    CA_TRY(ca_lab_submission_step(trial->submission, t, n));
    CA_TRY(ca_lab_submission_store(trial->submission, &trial->got));
    difference = ca_lattice_compare(expected, &trial->got);
    report->cells += ca_cells(trial->got.size);
    if (difference.count > 0) {
        CA_TRY(lab_report_difference(trial->lab, expected, &trial->got, trial->submission->pattern,
                                     difference, t + n, report, trial->error));
        ca_lab_around(&trial->oracle->state[i], expected, &trial->got, &difference,
                      trial->submission->pattern, report->around);
        CA_TRY(trial_locate(trial, t + n));
        return CA_WRONG;
    }
    report->passed += n;
    return CA_OK;
}

static enum ca_status call_alone(struct trial *trial, int i)
{
    CA_TRY(trial_load(trial, i));
    return call(trial, i);
}

/* The last call comes first where they are apart, each from a state that is loaded for it: what a
 * kernel keeps of the call before is of another state and of a later generation. */
static enum ca_status calls(struct trial *trial, const struct lab_calls *how)
{
    if (how->apart)
        CA_TRY(call_alone(trial, how->one));
    for (int i = 0; i < how->repeats; i++) {
        trial->report->repeat = i;
        trial->submission->pattern = patterns[(size_t)i % sizeof patterns];
        CA_TRY(trial_load(trial, 0));
        for (int c = 0; c < trial->oracle->calls; c++)
            CA_TRY(call(trial, c)); /* which goes on where the one before has ended */
    }
    for (int i = trial->oracle->calls - 1; how->apart && i >= 0; i--)
        CA_TRY(call_alone(trial, i));
    if (how->warm) {
        CA_TRY(trial_load(trial, how->one));
        CA_TRY(
            ca_lab_submission_step(trial->submission, trial->report->start, trial->report->call));
    }
    return how->alone ? call_alone(trial, how->one) : CA_OK;
}

/* --- the process ------------------------------------------------------------------------------ */

void lab_kept_fits(struct lab_kept *kept, const struct ca_lab *lab, struct ca_size size)
{
    struct ca_experiment experiment = ca_lab_experiment(lab, size, lab->seed[0]);
    struct ca_setup setup = ca_setup_of(&experiment);
    struct lab_shared layout;

    ca_lab_shared(&layout, lab, &setup);
    kept->shared_bytes = layout.bytes > kept->shared_bytes ? layout.bytes : kept->shared_bytes;
}

void lab_kept_end(struct lab_kept *kept)
{
    if (kept->open)
        ca_lab_submission_free(&kept->submission);
    kept->open = false;
}

enum ca_status lab_kept_finish(struct lab_kept *kept)
{
    enum ca_status status = CA_OK;

    if (kept && kept->open) {
        status = ca_lab_submission_finish(&kept->submission);
        lab_kept_end(kept);
    }
    return status;
}

static enum ca_status open_submission(struct trial *trial, const struct ca_lab_program *program,
                                      struct lab_kept *kept)
{
    const struct ca_setup *setup = &trial->oracle->setup;
    struct ca_lab_program larger = *program;

    if (kept && kept->open)
        return ca_lab_submission_reopen(trial->submission, trial->lab, setup, program->limit_s,
                                        trial->error);
    if (kept) {
        larger.shared_bytes = kept->shared_bytes;
        kept->open = true;
        kept->cases = 0;
    }
    return ca_lab_submission_open(trial->submission, trial->lab, setup, &larger, trial->error);
}

enum ca_status lab_trial(const struct ca_lab *lab, const struct ca_lab_oracle *oracle,
                         const struct ca_lab_program *program, struct lab_kept *kept,
                         const struct lab_calls *how, struct ca_lab_report *report,
                         struct ca_error *error)
{
    struct ca_lab_submission own = {.socket = -1, .shared = -1};
    struct trial trial = {.lab = lab,
                          .oracle = oracle,
                          .report = report,
                          .submission = kept ? &kept->submission : &own,
                          .error = error};
    const struct ca_lab_process *process = &trial.submission->process;
    enum ca_status status;

    report->size = oracle->setup.size;
    report->seed = oracle->setup.seed;
    report->start = oracle->t;
    report->passed = report->call = 0;
    report->repeat = 0;
    CA_TRY(ca_lattice_alloc(&trial.got, oracle->setup.size, lab->model->type, lab->model->planes,
                            error));
    status = open_submission(&trial, program, kept);
    if (status == CA_OK)
        status = calls(&trial, how);
    if (status == CA_OK)
        status = kept ? ca_lab_submission_close(trial.submission)
                      : ca_lab_submission_finish(trial.submission);
    if (status != CA_OK || !kept)
        ca_lab_submission_end(trial.submission);
    if (status == CA_WRONG && report->verdict == CA_LAB_RIGHT) {
        report->verdict = trial.submission->fault.verdict;
        report->slow = trial.submission->fault.slow;
        snprintf(report->text, sizeof report->text, "%s", trial.submission->fault.text);
    }
    /* A report of a right kernel leaves out what the kernel printed. */
    if (status == CA_WRONG && process->kept > 0 && !report->said) {
        report->said = strdup(process->said);
        report->printed = process->printed;
        if (!report->said)
            status = ca_fail(error, CA_NO_MEMORY, "no memory for what a kernel prints");
    }
    if (!kept)
        ca_lab_submission_free(&own);
    else if (status != CA_OK)
        lab_kept_end(kept);
    else {
        kept->last = (struct ca_lab_case){.size = oracle->setup.size,
                                          .seed = oracle->setup.seed,
                                          .t = oracle->t,
                                          .random = oracle->random,
                                          .params = oracle->setup.params};
        kept->cases++;
    }
    ca_lattice_free(&trial.got);
    return status;
}
