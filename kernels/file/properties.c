/* SPDX-License-Identifier: MIT */
/*
 * This file checks what a model's function does: whatever the states around a cell are, in whatever
 * order cells are stepped. The object that checks each cell is asked first, since it says more.
 */
#include "kernels/file/properties.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/file/probe.h"
#include "kernels/file/symbols.h"

#define NEIGHBOURHOODS_MAX (1 << 18) /* that are all tried; of more, so many by chance */
#define WINDOWS 1024                 /* neighbourhoods side by side in a row */
#define TARGETS 300                  /* cells whose surroundings are changed */

static int place_line(const struct file_model *file, int line)
{
    return line ? line : file->line_of_cell;
}

void file_place(const struct ca_model *model, const void *instruction, char place[CA_TEXT_MAX])
{
    const struct file_model *file = file_model_of(model);

    snprintf(place, CA_TEXT_MAX, "%s:%d", file->object.name,
             place_line(file, file_line_of(file, instruction)));
}

/* --- calls ------------------------------------------------------------------------------------ */

/* The name in the source of what compilers make of some calls. */
static const char *name_in_source(const char *called)
{
    static const char *const made[][2] = {
        {"puts", "printf"},    {"putchar", "printf"}, {"__printf_chk", "printf"},
        {"fwrite", "fprintf"}, {"fputc", "fprintf"},  {"__fprintf_chk", "fprintf"},
    };

    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        if (strcmp(called, made[i][0]) == 0)
            return made[i][1];
    return called;
}

static bool is_of_mathematics(const char *called)
{
    void *function = dlsym(RTLD_DEFAULT, called);
    Dl_info info;

    return function && dladdr(function, &info) && info.dli_fname && strstr(info.dli_fname, "libm");
}

static enum ca_status check_calls(const struct ca_model *model, uint64_t seed,
                                  char text[CA_TEXT_MAX], struct ca_error *error)
{
    const struct file_model *file = file_model_of(model);
    char name[128];

    (void)seed;
    for (int from = 0; file_called(file->object.fast, &from, name);) {
        const char *called = name_in_source(name);
        int line = file_line_with(file, name, NULL, true);

        line = line ? line : file_line_with(file, called, NULL, true);
        if (!line && file_line_with(file, called, NULL, false))
            continue; /* only starts call it, which a run does once, on one machine */
        if (is_of_mathematics(name))
            return ca_fail(error, CA_WRONG,
                           "%s:%d: cell() calls %s, whose last bit differs from one machine to "
                           "another: + - * / and sqrtf are the same everywhere",
                           file->object.name, place_line(file, line), called);
        return ca_fail(error, CA_WRONG,
                       "%s:%d: cell() calls %s: it may depend on nothing but what calab_model.h "
                       "gives it, and do nothing but return",
                       file->object.name, place_line(file, line), called);
    }
    snprintf(text, CA_TEXT_MAX, "cell() calls no function of other libraries");
    return CA_OK;
}

/* --- states ----------------------------------------------------------------------------------- */

/* A lattice in which neighbourhoods stand side by side, and its middle row steps the middle cells.
 */
static enum ca_status windows_open(struct probe *probe, const struct ca_model *model, uint64_t seed,
                                   struct ca_error *error)
{
    int64_t side = 2 * model->radius + 1;
    struct ca_size size = {side * WINDOWS, side, model->dimensions == 3 ? side : 1};

    return probe_open(probe, model, size, seed, error);
}

/* Puts neighbourhood `number`, whose cells are its digits, into a window. */
static void window_fill(struct probe *probe, int window, uint64_t number)
{
    int64_t side = probe->size.h, rows = side * probe->size.d;
    uint64_t bytes = (uint64_t)file_bytes(probe->file);

    for (int64_t r = 0; r < rows; r++)
        for (int64_t x = 0; x < side; x++) {
            probe->now[r * probe->size.w + window * side + x] =
                (char)file_byte(probe->file, (int)(number % bytes));
            number /= bytes;
        }
}

/* The codes round a cell of the middle row: "0 1 2 / 2 2 0 / 1 0 2", of several planes 0,1; ""
 * where there are many. */
static void window_text(const struct probe *probe, int64_t x, char text[200])
{
    int radius = probe->file->model.radius, used = 0;
    int64_t w = probe->size.w;

    text[0] = '\0';
    if (!probe->file->states || probe->size.d > 1 || radius > 2)
        return;
    used = snprintf(text, 200, "; its neighbourhood, row by row:");
    for (int64_t y = 0; y < probe->size.h; y++)
        for (int64_t dx = -radius; dx <= radius && used < 190; dx++)
            for (int p = 0; p < probe->file->object.fast->parts && used < 190; p++)
                used += snprintf(
                    text + used, 200 - (size_t)used, "%s%d",
                    p                        ? ","
                    : y > 0 && dx == -radius ? " / "
                                             : " ",
                    file_state_of(probe->file, p, (uint8_t)probe->now[y * w + (x + dx + w) % w]));
}

/* Steps the middle row as if it were one of another place and time. */
static enum ca_status windows_step(struct probe *probe, int round, struct ca_error *error)
{
    const struct file_model *file = probe->file;
    struct probe_found found = {.reads = NULL};
    char text[300], around[200];
    int64_t middle = file->model.radius;

    probe->t = (uint64_t)round;
    probe_row(probe, file->object.checked, middle, probe->size.d > 1 ? middle : 0, probe->next,
              &found);
    if (found.fault.kind == CA_FOUND_NOTHING)
        return CA_OK;
    file_fault_text(file, &found.fault, text);
    window_text(probe, found.fault.x, around);
    return ca_fail(error, CA_WRONG, "%s:%d: %s%s", file->object.name,
                   place_line(file, found.fault.line), text, around);
}

static enum ca_status try_states(struct probe *probe, uint64_t all, char text[CA_TEXT_MAX],
                                 struct ca_error *error)
{
    const struct file_model *file = probe->file;
    uint64_t most = all ? all : NEIGHBOURHOODS_MAX;
    int64_t each = all ? WINDOWS : probe->size.w;

    for (int round = 0; round < 4; round++) {
        for (uint64_t from = 0; from < most; from += (uint64_t)each) {
            probe_parameters(probe, round == 0);
            for (int i = 0; all && i < WINDOWS; i++)
                window_fill(probe, i, (from + (uint64_t)i) % all);
            if (!all)
                probe_fill(probe, probe->now, probe_below(probe, 2) > 0);
            CA_TRY(windows_step(probe, round, error));
        }
    }
    snprintf(text, CA_TEXT_MAX,
             file->object.fast->parts > file->object.fast->planes
                 ? "%s%llu neighbourhoods, 4 generations: all states are those of their planes"
             : file->states ? "%s%llu neighbourhoods, 4 generations: all states are 0 to %d"
                            : "%s%llu neighbourhoods, 4 generations: all values are finite",
             all ? "all " : "", (unsigned long long)most, file->states - 1);
    return CA_OK;
}

static enum ca_status check_states(const struct ca_model *model, uint64_t seed,
                                   char text[CA_TEXT_MAX], struct ca_error *error)
{
    const struct file_model *file = file_model_of(model);
    uint64_t all = 1, states = file->states ? (uint64_t)file_bytes(file) : 0;
    int side = 2 * model->radius + 1, cells = side * side * (model->dimensions == 3 ? side : 1);
    struct probe probe;
    enum ca_status status;

    for (int i = 0; i < cells; i++)
        all = all && all * states <= NEIGHBOURHOODS_MAX ? all * states : 0;
    CA_TRY(windows_open(&probe, model, seed, error));
    status = try_states(&probe, all, text, error);
    probe_close(&probe);
    return status;
}

/* --- neighbourhood ---------------------------------------------------------------------------- */

/* An odd size, of which a neighbourhood is a part; rows of hexagons that close are even. */
static struct ca_size size_around(const struct ca_model *model)
{
    int64_t side = 2 * model->radius + 1, h = side + 2 + (model->rows_alternate ? 1 : 0);

    return (struct ca_size){side + 6, h, model->dimensions == 3 ? side + 2 : 1};
}

/* Changes all cells that are farther from a place than the radius, round the edges, too. */
static void change_outside(struct probe *probe, int64_t x, int64_t y, int64_t z)
{
    const int64_t side[3] = {probe->size.w, probe->size.h, probe->size.d}, at[3] = {x, y, z};
    int64_t cells = ca_cells(probe->size);

    for (int64_t i = 0; i < cells; i++) {
        const int64_t place[3] = {i % side[0], i / side[0] % side[1], i / side[0] / side[1]};
        bool inside = true;

        for (int axis = 0; axis < 3; axis++) {
            int64_t apart = llabs(place[axis] - at[axis]);

            apart = side[axis] - apart < apart ? side[axis] - apart : apart;
            inside &= apart <= probe->file->model.radius;
        }
        for (int p = 0; p < probe->file->model.planes && !inside; p++)
            probe_cell(probe, probe->now, p, i);
    }
}

/* Whether a cell of both results is the same. */
static bool is_same(const struct probe *probe, const char *a, const char *b, int64_t i)
{
    size_t bytes = ca_type_bytes(probe->file->model.type), plane = probe_plane_bytes(probe);

    for (int p = 0; p < probe->file->model.planes; p++)
        if (memcmp(a + (size_t)p * plane + (size_t)i * bytes,
                   b + (size_t)p * plane + (size_t)i * bytes, bytes) != 0)
            return false;
    return true;
}

static enum ca_status try_targets(struct probe *probe, uint8_t *reads, struct ca_error *error)
{
    const struct file_model *file = probe->file;
    struct probe_found found = {.reads = reads};

    for (int i = 0; i < TARGETS; i++) {
        int64_t target = (int64_t)probe_below(probe, (uint64_t)ca_cells(probe->size));
        int64_t x = target % probe->size.w, y = target / probe->size.w % probe->size.h;
        const struct ca_model_description *d = i % 2 ? file->object.fast : file->object.checked;

        probe->t = (uint64_t)(i % 4);
        probe_parameters(probe, i < TARGETS / 2);
        probe_fill(probe, probe->now, i % 3 == 0);
        probe_step(probe, d, PROBE_FORWARDS, probe->next, &found);
        if (found.fault.kind == CA_FOUND_READ) {
            char text[300];

            file_fault_text(file, &found.fault, text);
            return ca_fail(error, CA_WRONG, "%s:%d: %s", file->object.name,
                           place_line(file, found.fault.line), text);
        }
        change_outside(probe, x, y, target / probe->size.w / probe->size.h);
        probe_step(probe, d, PROBE_FORWARDS, probe->other, &found);
        if (!is_same(probe, probe->next, probe->other, target))
            return ca_fail(error, CA_WRONG,
                           "%s:%d: a cell becomes another where only cells beyond %s, %d, "
                           "differ: cell() reads what it does not declare, or keeps something",
                           file->object.name, file->line_of_cell,
                           d->reach > d->radius ? "CA_REACH" : "CA_RADIUS", d->reach);
    }
    return CA_OK;
}

static enum ca_status check_neighbourhood(const struct ca_model *model, uint64_t seed,
                                          char text[CA_TEXT_MAX], struct ca_error *error)
{
    int radius = file_model_of(model)->object.fast->radius, side = 2 * radius + 1;
    int farthest = 0, read = 0;
    int layers = model->dimensions == 3 ? side : 1;
    int cells = file_model_of(model)->object.fast->parts * layers * side * side;
    uint8_t *reads = calloc((size_t)cells, 1);
    struct probe probe = {.now = NULL};
    enum ca_status status;

    if (!reads)
        return ca_fail(error, CA_NO_MEMORY, "no memory for a neighbourhood of %s", model->name);
    status = probe_open(&probe, model, size_around(model), seed, error);
    if (status == CA_OK)
        status = try_targets(&probe, reads, error);
    for (int i = 0; i < cells; i++) {
        int dx = abs(i % side - radius), dy = abs(i / side % side - radius);
        int dz = layers > 1 ? abs(i / side / side % side - radius) : 0;
        int far = dx > dy ? dx : dy;

        far = dz > far ? dz : far;
        read += reads[i];
        farthest = reads[i] && far > farthest ? far : farthest;
    }
    snprintf(text, CA_TEXT_MAX, "cell() reads %d of %d cells; what lies beyond changes nothing%s",
             read, cells, farthest < radius ? "; a smaller CA_RADIUS would do, and be faster" : "");
    probe_close(&probe);
    free(reads);
    return status;
}

/* --- order ------------------------------------------------------------------------------------ */

static enum ca_status kept_between_calls(const struct file_model *file, const char *how,
                                         const struct file_memory *memory, struct ca_error *error)
{
    char name[128] = "", variable[160] = "";
    int line = 0;

    if (file_memory_changed(memory, name) && name[0]) {
        line = file_line_with(file, name, "static", false);
        line = line ? line : file_line_with(file, name, NULL, false);
        snprintf(variable, sizeof variable, ", the variable %s", name);
    }
    return ca_fail(error, CA_WRONG,
                   "%s:%d: something static is kept between calls%s: %s; cell() may depend on "
                   "nothing but what calab_model.h gives it",
                   file->object.name, place_line(file, line), variable, how);
}

static enum ca_status try_orders(struct probe *probe, const struct file_memory memory[2],
                                 struct ca_error *error)
{
    const struct file_model *file = probe->file;
    static const enum probe_order orders[] = {PROBE_FORWARDS, PROBE_BACKWARDS, PROBE_SHUFFLED,
                                              PROBE_FORWARDS};
    char name[128];

    for (int i = 0; i < 40; i++) {
        const struct ca_model_description *d = i % 2 ? file->object.fast : file->object.checked;

        probe->t = (uint64_t)(i % 5);
        probe_parameters(probe, i < 20);
        probe_fill(probe, probe->now, i % 3 == 0);
        probe_step(probe, d, PROBE_FORWARDS, probe->next, NULL);
        for (int k = 0; k < 4; k++) {
            probe_step(probe, d, orders[k], probe->other, NULL);
            if (memcmp(probe->next, probe->other, probe_bytes(probe)) != 0)
                return kept_between_calls(file,
                                          orders[k] == PROBE_FORWARDS
                                              ? "the same step gives another result"
                                              : "rows in another order give another result",
                                          &memory[i % 2], error);
        }
        if (file_memory_changed(&memory[i % 2], name))
            return kept_between_calls(file, "a step writes to it", &memory[i % 2], error);
    }
    return CA_OK;
}

static enum ca_status check_order(const struct ca_model *model, uint64_t seed,
                                  char text[CA_TEXT_MAX], struct ca_error *error)
{
    const struct file_model *file = file_model_of(model);
    struct file_memory memory[2] = {{.count = 0}, {.count = 0}};
    struct probe probe = {.now = NULL};
    enum ca_status status = file_memory_copy(&memory[0], file->object.checked, error);

    if (status == CA_OK)
        status = file_memory_copy(&memory[1], file->object.fast, error);
    if (status == CA_OK)
        status = probe_open(&probe, model, size_around(model), seed, error);
    if (status == CA_OK)
        status = try_orders(&probe, memory, error);
    probe_close(&probe);
    file_memory_free(&memory[0]);
    file_memory_free(&memory[1]);
    snprintf(text, CA_TEXT_MAX,
             "rows forwards, backwards and shuffled give the same; nothing "
             "static is written");
    return status;
}

/* A function that crashes does so in the first. */
const struct ca_model_property file_properties[] = {
    {"states", check_states}, {"order", check_order}, {"neighbourhood", check_neighbourhood},
    {"calls", check_calls},   {.name = NULL},
};
