/* SPDX-License-Identifier: MIT */
/* What opens stays alive: small versions of each model's opening and of the experiments with them,
 * hundreds of generations on, still change, and are neither empty nor full; and there is something
 * to see from the first frame on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/registry.h"
#include "core/sim/shipped.h"
#include "core/sim/simulation.h"
#include "tests/support/support.h"
#include "tests/support/support_view.h"

#define GENERATIONS 300
#define LEAST 0.0003 /* the share of cells that do not look as most do: still lives are few */

/* One point of so many, of a picture, is not as most are: of an experiment, and of what opens. */
#define SHARE 25
#define SHARE_OPENING 8

static struct ca_error error;
static struct ca_experiment experiment;

static int64_t at_most(int64_t side, int64_t most) { return side < most ? side : most; }

/* The fastest backend that any CPU runs. */
static const struct ca_backend *backend_of(const struct ca_model *model)
{
    const struct ca_backend *found;

    return ca_backend_find(&found, model, "bitslice", &error) == CA_OK ? found : model->backends;
}

/* The share of cells that are not in the state that most are in; of floats, of other values than
 * the first. */
static double share_of_others(const struct ca_lattice *state, const struct ca_model *model)
{
    int64_t cells = ca_cells(state->size), codes[256] = {0}, most = 0;
    const float *value = state->plane[model->planes > 1];

    for (int64_t i = 0; i < cells; i++) {
        struct ca_appearance look = {0};

        if (model->type == CA_F32)
            look.code = value[i] != value[0];
        else
            ca_draw_of(model)->cell(model, (const void *const *)state->plane, i, 0, 1, &look);
        codes[look.code]++;
    }
    most = codes[0];
    for (int code = 1; model->type == CA_U8 && code < 256; code++)
        most = codes[code] > most ? codes[code] : most;
    return 1 - (double)most / (double)cells;
}

/* What an experiment draws, of all of its slice. */
static struct ca_view opening_view(void)
{
    const struct ca_value *row = experiment.initial_view.value;
    struct ca_view view = {.axis = (enum ca_axis)row[CA_INITIAL_AXIS].number,
                           .projection = (enum ca_view_projection)row[CA_INITIAL_PROJECTION].number,
                           .drawn = CA_FIELD,
                           .columns = 32,
                           .lines = 20,
                           .reduce = CA_MEAN,
                           .range = CA_RANGE_AUTO};
    int64_t width, height, slices;

    for (int i = 0; i < CA_FIELD; i++)
        if (strcmp(row[CA_INITIAL_DRAWN].text, ca_drawn_names[i]) == 0)
            view.drawn = (enum ca_drawn)i;
    if (view.drawn == CA_FIELD)
        snprintf(view.field, sizeof view.field, "%s", row[CA_INITIAL_DRAWN].text);
    ca_view_extent(experiment.size, view.axis, &width, &height, &slices);
    view.slice = slices / 2;
    view.zoom = row[CA_INITIAL_ZOOM].origin != CA_BUILT_IN
                    ? (int64_t)row[CA_INITIAL_ZOOM].number
                    : 1 + (width > 2 * height ? height : width) / 32;
    return view;
}

/* Of three states and more the colours tell which is the commonest of a point's cells; two are told
 * by levels. */
static bool is_drawn_by_states(const struct ca_view *view)
{
    const struct ca_state_appearance *state = ca_draw_of(experiment.model)->states;

    return view->drawn == CA_STATE && state && state[0].name && state[1].name && state[2].name;
}

/* A frame is not of one colour: more than one point of `share` has another than most. */
static void check_frame(struct ca_simulation *simulation, const char *name, int share)
{
    const struct ca_view view = opening_view();
    const int step = is_drawn_by_states(&view) ? 256 : 32;
    struct ca_viewer *viewer = ca_viewer_new();
    const struct ca_frame *frame = view_draw(viewer, simulation, &view);
    int points = view.columns * view.lines, inside = 0, most = 0;
    int looks[256][8] = {{0}};

    for (int i = 0; i < points; i++)
        if (frame->code[i] != CA_VIEW_OUTSIDE) {
            int *look = &looks[frame->code[i]][frame->level[i] / step];

            inside++;
            most = ++*look > most ? *look : most;
        }
    ck_assert_msg(inside - most > inside / share, "%s shows no picture: %d of %d points alike",
                  name, most, inside);
    ca_viewer_free(viewer);
}

static void check_alive(const char *name, int share)
{
    const struct ca_model *model = experiment.model;
    struct ca_simulation *simulation;
    struct ca_lattice state;
    uint64_t hash[2];

    experiment.size.w = at_most(experiment.size.w, model->dimensions == 3 ? 64 : 192);
    experiment.size.h = at_most(experiment.size.h, model->dimensions == 3 ? 64 : 128);
    experiment.size.d = at_most(experiment.size.d, 64);
    experiment.origin[CA_KEY_SIZE] = CA_FROM_COMMAND_LINE;
    ca_experiment_backend(&experiment, backend_of(model), CA_FROM_COMMAND_LINE);
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    if (strcmp(name, "water-hills.cfg") != 0) /* where rain lies everywhere, before it runs off */
        check_frame(simulation, name, 100);
    ck_assert_ok(ca_simulation_step(simulation, GENERATIONS, &error));
    ck_assert_ok(ca_simulation_hash(simulation, &hash[0], &error));
    ck_assert_ok(ca_simulation_store(simulation, &state, &error));
    ck_assert_msg(share_of_others(&state, model) > LEAST,
                  "%s is empty or full: %g of its cells "
                  "are not in the commonest state",
                  name, share_of_others(&state, model));
    ck_assert_ok(ca_simulation_step(simulation, 1, &error));
    ck_assert_ok(ca_simulation_hash(simulation, &hash[1], &error));
    ck_assert_msg(hash[0] != hash[1], "%s does not change any more", name);
    check_frame(simulation, name, share);
    ca_lattice_free(&state);
    ca_simulation_close(simulation);
}

/* What the workbench opens a model as. */
START_TEST(openings_stay_alive)
{
    for (int m = 0; ca_models[m]; m++) {
        const struct ca_model *model = ca_models[m];

        ca_experiment_default(&experiment, model);
        if (model->opens)
            ck_assert_ok(ca_shipped_open(&experiment, NULL, model->opens, &error));
        ck_assert_ptr_eq(experiment.model, model);
        check_alive(model->name, SHARE_OPENING);
    }
}
END_TEST

START_TEST(experiments_stay_alive)
{
    struct ca_shipped *files;
    int count, experiments = 0;

    ck_assert_ok(ca_shipped_find(&files, &count, &error));
    for (int i = 0; i < count; i++) {
        if (files[i].is_pattern || files[i].is_benchmark)
            continue;
        ca_experiment_default(&experiment, ca_models[0]);
        ck_assert_ok(ca_shipped_read(&experiment, NULL, &files[i], &error));
        if (experiment.model->source) /* of models in files, some of which are about an end */
            continue;
        check_alive(files[i].name, SHARE);
        experiments++;
    }
    ck_assert_int_ge(experiments, 12);
    ca_shipped_free(files, count);
}
END_TEST

/* Growth alone, cloud's own start, is over by then: the checks notice. */
START_TEST(a_wall_of_cloud_is_noticed)
{
    struct ca_lattice state;
    struct ca_simulation *simulation;
    uint64_t hash[2];

    ca_experiment_default(&experiment, test_model("cloud"));
    experiment.size = (struct ca_size){64, 64, 20};
    experiment.origin[CA_KEY_SIZE] = CA_FROM_COMMAND_LINE;
    ca_experiment_backend(&experiment, backend_of(experiment.model), CA_FROM_COMMAND_LINE);
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
    ck_assert_ok(ca_simulation_step(simulation, GENERATIONS, &error));
    ck_assert_ok(ca_simulation_hash(simulation, &hash[0], &error));
    ck_assert_ok(ca_simulation_step(simulation, 1, &error));
    ck_assert_ok(ca_simulation_hash(simulation, &hash[1], &error));
    ck_assert_uint_eq(hash[0], hash[1]);
    ck_assert_ok(ca_lattice_alloc(&state, (struct ca_size){9, 9, 9}, CA_U8, 3, &error));
    ck_assert_double_eq(share_of_others(&state, experiment.model), 0);
    ca_lattice_free(&state);
    ca_simulation_close(simulation);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {openings_stay_alive, experiments_stay_alive,
                              a_wall_of_cloud_is_noticed});
}
