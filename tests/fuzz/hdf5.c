/* SPDX-License-Identifier: MIT */
/* State files in HDF5. The library reads them, in a process that may not trust it: what it answers
 * is checked here. */
#include <string.h>

#include "core/files/file.h"
#include "core/sim/experiment.h"
#include "tests/fuzz/fuzz.h"

void fuzz_hdf5(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file("state.h5", data, size);
    struct ca_lattice cells = {0};
    struct ca_row_sink sink = ca_lattice_sink(&cells);
    static struct ca_experiment experiment;
    struct ca_state_run run;
    struct ca_error error;
    struct ca_setup setup;
    uint64_t generation;

    if (ca_state_run(path, &run, &error) != CA_OK)
        return;
    FUZZ_HOLDS(memchr(run.init, 0, sizeof run.init));
    FUZZ_HOLDS(run.generation <= INT64_MAX);
    ca_experiment_default(&experiment, run.model);
    ca_experiment_read(&experiment, NULL, path, &error);
    setup = fuzz_setup(run.model);
    setup.size = run.size;
    setup.params = run.params;
    setup.slab.extent = run.model->dimensions == 3 ? run.size.d : run.size.h;
    if (ca_cells(run.size) > FUZZ_CELLS_MAX ||
        ca_lattice_alloc(&cells, run.size, run.model->type, run.model->planes, &error) != CA_OK)
        return;
    ca_state_read(path, &setup, &sink, &generation, &error);
    ca_lattice_free(&cells);
}
