/* SPDX-License-Identifier: MIT */
/* Computes the roofline of a lab's kernel: what the machine can do of its model, whoever wrote it.
 */
#include <string.h>

#include "core/lab/time/time.h"

/* The fewest operations of a cell update among calab's backends on the device. */
static double least_ops(const struct ca_model *model, enum ca_device_kind device)
{
    double least = 0;

    for (const struct ca_backend *b = model->backends; b->name; b++)
        if (b->device == device && b->ops_per_cell_step > 0 &&
            (least == 0 || b->ops_per_cell_step < least))
            least = b->ops_per_cell_step;
    return least;
}

/* The planes that a step changes are written, and have been read. */
static double least_bytes(const struct ca_model *model)
{
    int changed = 0;

    for (int p = 0; p < model->planes; p++)
        changed += !(model->constant_planes >> p & 1);
    return 2.0 * changed * (double)ca_type_bytes(model->type);
}

/*
 * A kernel of the form "step" moves every changed plane in every generation; one that has its own
 * layout may keep several generations in registers, and is bound by logic alone.
 */
double ca_lab_ceiling(const struct ca_lab *lab, struct ca_size size, const struct ca_probe *probe)
{
    struct ca_experiment experiment = ca_lab_experiment(lab, size, 1);
    double bytes = least_bytes(lab->model), ops, memory, logic;
    struct ca_plan plan;
    struct ca_ceilings ceilings;

    ca_experiment_backend(&experiment, ca_lab_rung(lab), CA_FROM_EXPERIMENT);
    memset(&plan, 0, sizeof plan);
    plan.memory_bytes = (int64_t)(bytes * (double)ca_cells(size));
    ceilings = ca_probe_ceilings(probe, &experiment, &plan);
    ops = least_ops(lab->model, experiment.backend->device);
    memory = lab->form == CA_LAB_STEP ? 1e9 * ceilings.copy_gb / bytes : 0;
    logic = ops > 0 ? 1e9 * ceilings.gops / ops : 0;
    return memory > 0 && (logic == 0 || memory < logic) ? memory : logic;
}
