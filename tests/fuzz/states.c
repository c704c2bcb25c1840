/* SPDX-License-Identifier: MIT */
/* State files of all formats but HDF5, of all models; what can be read is written, and read again
 * as the same. The first two bytes choose format, model and way of reading. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/file.h"
#include "core/files/formats.h"
#include "tests/fuzz/fuzz.h"

static struct ca_error error;

static const char *const endings[] = {".npy", ".pbm", ".plain.pbm", ".rle", ".rle3", ".asc"};
#define ENDINGS (sizeof endings / sizeof *endings)

static const char *file_of(const char *ending, const uint8_t *data, size_t size)
{
    char name[32];

    snprintf(name, sizeof name, "state%s", ending);
    return fuzz_file(name, data, size);
}

/* What was read is written in the same format, and reads as the same cells. */
static void write_again(const char *ending, const struct ca_setup *setup,
                        const struct ca_lattice *cells)
{
    struct ca_row_source source = ca_lattice_source(cells);
    struct ca_lattice again = {0};
    struct ca_row_sink sink = ca_lattice_sink(&again);
    struct ca_size size = cells->size;
    char name[32];
    const char *path;
    uint64_t generation;

    snprintf(name, sizeof name, "again%s", ending);
    path = fuzz_absent(name);
    source.setup = setup;
    source.init = "random";
    if (!ca_state_is_file(path, setup->model) ||
        ca_state_write(path, setup->model, &source, &error) != CA_OK)
        return;
    FUZZ_HOLDS(ca_state_size(path, setup->model, &size, &error) == CA_OK);
    FUZZ_HOLDS(ca_size_equal(size, cells->size));
    if (ca_lattice_alloc(&again, size, cells->type, cells->planes, &error) != CA_OK)
        return;
    FUZZ_HOLDS(ca_state_read_cells(path, setup->model, size, &sink, &generation, &error) == CA_OK);
    if (cells->type == CA_U8) /* NaN is no NaN */
        FUZZ_HOLDS(ca_lattice_compare(cells, &again).count == 0);
    ca_lattice_free(&again);
}

/* All of a state, as `--init FILE` reads it. */
static void read_state(const char *path, const char *ending, struct ca_setup *setup)
{
    struct ca_lattice cells = {0};
    struct ca_row_sink sink = ca_lattice_sink(&cells);
    uint64_t generation;

    if (ca_state_size(path, setup->model, &setup->size, &error) != CA_OK ||
        ca_cells(setup->size) > FUZZ_CELLS_MAX)
        return;
    FUZZ_HOLDS(ca_size_check(setup->size, setup->model->dimensions, path, &error) == CA_OK);
    setup->slab.extent = setup->model->dimensions == 3 ? setup->size.d : setup->size.h;
    if (ca_lattice_alloc(&cells, setup->size, setup->model->type, setup->model->planes, &error) !=
        CA_OK)
        return;
    if (ca_state_read(path, setup, &sink, &generation, &error) == CA_OK)
        write_again(ending, setup, &cells);
    ca_lattice_free(&cells);
}

static void read_pattern(const char *path, const struct ca_setup *setup)
{
    struct ca_lattice cells = {0};
    struct ca_size size = {0};

    if (ca_pattern_size(path, setup->model, &size, &error) == CA_OK &&
        ca_cells(size) <= FUZZ_CELLS_MAX &&
        ca_pattern_read(path, setup->model, &cells, &error) == CA_OK)
        ca_lattice_free(&cells);
}

static void place_pattern(const char *path, const struct ca_setup *setup)
{
    struct ca_lattice cells = {0};
    struct ca_row_sink sink = ca_lattice_sink(&cells);
    struct ca_at at = {true, 3, 4, 1};

    if (setup->model->dimensions == 2)
        at.z = 0;
    if (ca_pattern_fits(path, setup, at, &error) != CA_OK ||
        ca_lattice_alloc(&cells, setup->size, setup->model->type, setup->model->planes, &error) !=
            CA_OK)
        return;
    ca_pattern_place(path, setup, at, &sink, &error);
    ca_lattice_free(&cells);
}

/* Heights, of which water is made. */
static void read_grid(const char *path, bool gaps)
{
    struct ca_size size;
    float *values = NULL;

    if (ca_asc_size(path, &size, &error) == CA_OK && ca_cells(size) <= 1 << 20 &&
        ca_asc_read(path, gaps ? NULL : "", &values, &size, &error) == CA_OK)
        free(values);
}

/* A model of a file, of 256 states, whose patterns are letters. */
static const struct ca_model *model_of_letters(void)
{
    static const struct ca_model_source source = {"/model.c", 1};
    static struct ca_model model;

    for (unsigned i = 0; !model.name; i++)
        if (strcmp(fuzz_model(i)->name, "anneal") == 0)
            model = *fuzz_model(i);
    model.name = "letters";
    model.rule = NULL;
    model.source = &source;
    model.max_value = 255;
    return &model;
}

void fuzz_states(const uint8_t *data, size_t size)
{
    uint8_t which = fuzz_byte(&data, &size), way = fuzz_byte(&data, &size);
    const char *ending = endings[which % ENDINGS];
    struct ca_setup setup = fuzz_setup(
        way & 4 && strcmp(ending, ".rle") == 0 ? model_of_letters() : fuzz_model(which / ENDINGS));
    const char *path = file_of(ending, data, size);
    struct ca_state_rule rule;

    if (strcmp(ending, ".asc") == 0) {
        read_grid(path, way & 1);
        return;
    }
    switch (way % 4) {
    case 0:
        read_state(path, ending, &setup);
        break;
    case 1:
        read_pattern(path, &setup);
        break;
    case 2:
        place_pattern(path, &setup);
        break;
    default:
        ca_state_rule(path, setup.model, &rule, &error);
    }
}
