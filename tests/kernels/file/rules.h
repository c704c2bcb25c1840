/* SPDX-License-Identifier: MIT */
/* Models in files whose steps tests know, with their edges and the sizes that reach all ends of
 * rows. */
#ifndef CALAB_TESTS_KERNELS_FILE_RULES_H
#define CALAB_TESTS_KERNELS_FILE_RULES_H

#include "core/verify/verify.h"
#include "kernels/file/file_model.h"
#include "tests/kernels/file/models.h"
#include "tests/support/support.h"
#include "tests/support/support_kernels.h"

struct edges {
    int edge[3]; /* CA_TORUS, CA_DEAD, CA_CONSTANT */
    double beyond[4];
};

struct rule {
    const char *text;
    struct edges edges;
    const char *sizes[6];
};

static const struct rule rules[] = {
    {HIGHLIFE("torus", ""),
     {{CA_TORUS, CA_TORUS, CA_DEAD}, {0, 0}},
     {"67x41", "1x1", "2x3", "3x1", "1030x4", NULL}},
    {HIGHLIFE("dead", "#define CA_EDGES CA_DEAD\n"),
     {{CA_DEAD, CA_DEAD, CA_DEAD}, {0, 0}},
     {"67x41", "1x1", "2x3", "1x7", NULL}},
    {HIGHLIFE("tube", "#define CA_EDGE_X CA_CONSTANT\n#define CA_BEYOND 1\n"),
     {{CA_CONSTANT, CA_TORUS, CA_DEAD}, {1, 0}},
     {"33x17", "1x1", "2x1", NULL}},
    {FOREST, {{CA_TORUS, CA_TORUS, CA_DEAD}, {0, 0}}, {"61x30", "1x1", "1025x3", "2051x2", NULL}},
    {SLANTED,
     {{CA_DEAD, CA_DEAD, CA_DEAD}, {0, 0}},
     {"67x41", "1x1", "2x3", "64x5", "200x3", NULL}},
    {FAR("far", ""),
     {{CA_TORUS, CA_TORUS, CA_DEAD}, {0, 0}},
     {"67x41", "1x1", "3x9", "1030x4", NULL}},
    {FAR("far_walls",
         "#define CA_EDGES CA_CONSTANT\n#define CA_EDGE_Y CA_DEAD\n#define CA_BEYOND 2\n"),
     {{CA_CONSTANT, CA_DEAD, CA_DEAD}, {2, 0}},
     {"67x41", "1x1", "3x9", "1030x4", NULL}},
    {SPARKS, {{CA_TORUS, CA_TORUS, CA_DEAD}, {0, 0}}, {"61x30", "1x1", "1025x3", "2051x2", NULL}},
    {REACTION, {{CA_CONSTANT, CA_TORUS, CA_DEAD}, {1, 0.25}}, {"45x23", "1x1", "2x2", NULL}},
    {HIGHLIFE("corners", "#define CA_EDGE_X CA_DEAD\n#define CA_EDGE_Y CA_CONSTANT\n"
                         "#define CA_BEYOND 1\n"),
     {{CA_DEAD, CA_CONSTANT, CA_DEAD}, {1, 0}},
     {"21x11", "1x1", NULL}},
    {FOUR, {{CA_CONSTANT, CA_CONSTANT, CA_DEAD}, {1, 2, 3, 0.5}}, {"45x23", "1x1", "2x2", NULL}},
    {CLOUDS,
     {{CA_TORUS, CA_DEAD, CA_CONSTANT}, {1, 0}},
     {"17x13x9", "1x1x1", "2x1x3", "5x2x1", NULL}},
    {HEXAGONS,
     {{CA_CONSTANT, CA_CONSTANT, CA_DEAD}, {2, 0}},
     {"29x18", "1x1", "2x3", "3x2", "4x5", NULL}},
    {LANES,
     {{CA_CONSTANT, CA_TORUS, CA_DEAD}, {2 | 5 << 2 | 1 << 5}},
     {"61x30", "1x1", "2x3", "1025x3", NULL}},
    {LAYERS,
     {{CA_TORUS, CA_DEAD, CA_CONSTANT}, {0xcd}},
     {"17x13x9", "1x1x1", "2x1x3", "5x2x1", NULL}},
    {COMBS, {{CA_CONSTANT, CA_CONSTANT, CA_DEAD}, {3 | 4 << 2}}, {"29x18", "1x1", "2x3", NULL}},
};

/* The model of a text. */
static inline const struct ca_model *opened(const char *text)
{
    const struct ca_model *model = NULL;
    static int count;
    struct ca_error error;
    enum ca_status status =
        file_model_open(&model, test_put(test_text("model%d.c", count++), text), &error);

    ck_assert_msg(status == CA_OK, "%s", error.text);
    return model;
}

static inline struct ca_experiment experiment_of(const struct ca_model *model, const char *backend,
                                                 const char *size)
{
    struct ca_experiment experiment;
    const struct ca_backend *row;
    struct ca_error error;

    ck_assert_int_eq(ca_backend_find(&row, model, backend, &error), CA_OK);
    ca_experiment_default(&experiment, model);
    ca_experiment_backend(&experiment, row, CA_FROM_COMMAND_LINE);
    ck_assert_int_eq(ca_size_parse(&experiment.size, size, model->dimensions, "size", &error),
                     CA_OK);
    experiment.seed = test_seed();
    return experiment;
}

#endif
