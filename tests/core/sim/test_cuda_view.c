/* SPDX-License-Identifier: MIT */
/* Pictures that the CUDA backends make are those of the reference, byte for byte. */
#include "core/sim/simulation.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"
#include "tests/support/support_view.h"

static const struct {
    const char *model, *size, *init, *settings;
} models[] = {
    {"anneal", "70x40", NULL, NULL},
    {"life3d", "37x24x9", NULL, NULL},
    {"cloud", "37x24x9", NULL, "p_ext=0.1"},
    {"fhp", "70x40", NULL, "geometry=cylinder p_force=0.2"},
    {"water", "70x40", "hills", NULL},
};

START_TEST(same_pictures)
{
    struct ca_experiment reference = kernel_experiment(
        models[_i].model, "reference", models[_i].size, models[_i].init, 7, models[_i].settings);
    int cuda = 0;

    for (const struct ca_backend *b = reference.model->backends; b->name; b++) {
        struct ca_experiment other;
        struct ca_error refusal;
        struct ca_plan plan;

        if (b->device != CA_CUDA || b->tolerance > 0) /* of another state */
            continue;
        ck_assert_ptr_nonnull(b->stepper->draw);
        ck_assert_ptr_nonnull(b->stepper->draw->reduce);
        other = kernel_experiment(models[_i].model, b->name, models[_i].size, models[_i].init, 7,
                                  models[_i].settings);
        if (ca_experiment_plan(&other, &plan, &refusal) == CA_USAGE)
            continue; /* its kernel does not hold this lattice */
        cuda++;
        view_check_same(&reference, &other);
    }
    ck_assert_int_ge(cuda, 3);
}
END_TEST

int main(void) { return RUN_TESTS(.table = {{same_pictures, COUNT(models)}}); }
