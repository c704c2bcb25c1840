/* SPDX-License-Identifier: MIT */
/* Fields: against their definitions on
 * states written by hand, windows over several states. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/registry.h"
#include "core/sim/fields.h"
#include "core/sim/frame_text.h"
#include "kernels/fhp/rule.h"
#include "tests/support/support.h"
#include "tests/support/support_blocks.h"

static struct ca_experiment experiment;
static struct ca_simulation *simulation;
static struct ca_window window;
static struct ca_error error;

/* An experiment on `reference`, to be changed before it is opened. */
static void choose(const char *model, struct ca_size size)
{
    ca_experiment_default(&experiment, test_model(model));
    ca_experiment_backend(&experiment, &experiment.model->backends[0], CA_FROM_COMMAND_LINE);
    experiment.size = size;
    experiment.origin[CA_KEY_SIZE] = CA_FROM_COMMAND_LINE;
    experiment.seed = test_seed();
}

static void set(const char *name, const char *text)
{
    ck_assert_ok(ca_experiment_value(&experiment, name, text, CA_FROM_COMMAND_LINE, name, &error));
}

static void open_chosen(void)
{
    ck_assert_ok(ca_simulation_open(&simulation, &experiment, &error));
}

static void open_state(const char *model, struct ca_size size)
{
    choose(model, size);
    open_chosen();
}

static void open_window(struct ca_size block)
{
    ck_assert_ok(ca_window_open(&window, simulation, block, &error));
    for (const struct ca_field *f = ca_fields(experiment.model); f->name; f++)
        ck_assert_ok(ca_window_want(&window, f, &error));
    ck_assert_ok(ca_window_sample(&window, simulation, &error));
}

static void close_all(void)
{
    ca_window_close(&window);
    ca_simulation_close(simulation);
    simulation = NULL;
}

static double *field_of(const char *name)
{
    const struct ca_field *field;
    struct ca_block_means means = ca_window_means(&window);
    double *values;

    ck_assert_ok(ca_field_find(&field, experiment.model, name, &error));
    values = calloc((size_t)ca_window_values(&window, field), sizeof *values);
    ca_field_values(field, &means, values);
    return values;
}

START_TEST(a_window_sums_its_states)
{
    double expected = 0, values[CA_OBSERVABLES_MAX], *density;

    open_state("anneal", (struct ca_size){64, 64, 1});
    ck_assert_ok(ca_window_open(&window, simulation, experiment.size, &error));
    test_window_run(&window, simulation, 10, 3);
    ck_assert_uint_eq(ca_simulation_generation(simulation), 10);
    ck_assert_int_eq(window.states, 3);
    ck_assert_uint_eq(window.first, 3);
    ck_assert_uint_eq(window.last, 9);
    ck_assert_ok(ca_simulation_reset(simulation, &error));
    for (int i = 0; i < 3; i++) {
        ck_assert_ok(ca_simulation_step(simulation, 3, &error));
        ck_assert_ok(ca_simulation_observe(simulation, values, &error));
        expected += values[0];
    }
    ck_assert_double_eq(window.sums[0], expected);
    density = field_of("density");
    ck_assert_double_eq(*density, expected / 3 / 4096);
    free(density);
    ca_window_clear(&window);
    ck_assert_double_eq(window.sums[0], 0);
    ck_assert_int_eq(window.states, 0);
    close_all();
}
END_TEST

START_TEST(blocks_and_fields_that_are_not_allowed)
{
    const struct ca_field *field;

    open_state("fhp", (struct ca_size){64, 64, 1});
    ck_assert_int_eq(ca_window_open(&window, simulation, (struct ca_size){8, 0, 1}, &error),
                     CA_USAGE);
    ck_assert_str_eq(error.text, "a block is 8x0x1 cells: allowed is at least 1 along each side");
    ck_assert_int_eq(ca_field_find(&field, experiment.model, "spin", &error), CA_USAGE);
    ck_assert_str_eq(error.text, "fhp has no field 'spin': allowed are density, velocity, speed, "
                                 "vorticity, momentum, force, solid");
    close_all();
}
END_TEST

/* --- fields that take neighbours ---------------------------------------------------------------
 */

/* A square of 3 x 3 cells over the edge of the torus, whose wall is 12 edges long, and a cell. */
START_TEST(anneal_walls)
{
    struct ca_lattice state;
    double *walls, total = 0, observed[CA_OBSERVABLES_MAX];

    open_state("anneal", (struct ca_size){20, 9, 1});
    ck_assert_ok(ca_lattice_alloc(&state, experiment.size, CA_U8, 1, &error));
    for (int y = 7; y < 10; y++)
        for (int x = 19; x < 22; x++)
            ((uint8_t *)state.plane[0])[y % 9 * 20 + x % 20] = 1;
    ((uint8_t *)state.plane[0])[4 * 20 + 10] = 1;
    ck_assert_ok(ca_simulation_load(simulation, &state, 0, &error));
    open_window((struct ca_size){8, 4, 1});
    walls = field_of("walls");
    for (int64_t i = 0; i < ca_cells(window.blocks.count); i++)
        total += walls[i] * (double)ca_block_cells(&window.blocks, i % 3, i / 3, 0);
    ck_assert_double_eq_tol(total, 12 + 4, 1e-12);
    ck_assert_ok(ca_simulation_observe(simulation, observed, &error));
    ck_assert_double_eq(observed[0], 10);
    ck_assert_double_eq(observed[1], 12 + 4);
    ck_assert_double_eq(walls[1], 1.0 / 32);     /* above the cell */
    ck_assert_double_eq(walls[3 + 1], 3.0 / 32); /* left, right and below */
    ck_assert_ok(ca_window_sample(&window, simulation, &error));
    free(walls);
    walls = field_of("walls"); /* of two states */
    ck_assert_double_eq(walls[3 + 1], 3.0 / 32);
    free(walls);
    ca_lattice_free(&state);
    close_all();
}
END_TEST

/* What leaves a cell less what enters it is what it loses: the flow is that of the rule. */
START_TEST(water_flows_where_the_rule_moves_it)
{
    const struct ca_size size = {9, 6, 1};
    struct ca_lattice state;
    float *terrain, *level;
    double *flow;

    choose("water", size);
    ck_assert_ok(
        ca_experiment_set(&experiment, "init", "dam", CA_FROM_COMMAND_LINE, "init", &error));
    open_chosen();
    ck_assert_ok(ca_lattice_alloc(&state, size, CA_F32, 3, &error));
    terrain = state.plane[0], level = state.plane[1];
    level[2 * 9 + 4] = 10; /* a column of water: a fifth stays and goes each way */
    terrain[9] = level[9] = 3;
    terrain[1] = level[1] = 9; /* water that can only go down, at the edge */
    level[0] = 1;
    terrain[0] = 0;
    ck_assert_ok(ca_simulation_load(simulation, &state, 0, &error));
    open_window((struct ca_size){1, 1, 1});
    flow = field_of("flow");
    ck_assert_double_eq(flow[2 * (2 * 9 + 4)], 0); /* 2 right, 2 left */
    ck_assert_double_eq(flow[2 * (2 * 9 + 4) + 1], 0);
    for (int i = 0; i < 2; i++)
        ck_assert_double_eq(flow[i], 0); /* shut in */
    free(flow);
    ca_window_close(&window);

    level[2 * 9 + 3] = terrain[2 * 9 + 3] = 20; /* a wall to the left: a quarter each */
    ck_assert_ok(ca_simulation_load(simulation, &state, 0, &error));
    open_window((struct ca_size){1, 1, 1});
    flow = field_of("flow");
    ck_assert_double_eq(flow[2 * (2 * 9 + 4)], 2.5);
    ck_assert_double_eq(flow[2 * (2 * 9 + 4) + 1], 0);
    free(flow);
    ca_window_close(&window);

    level[3 * 9 + 4] = terrain[3 * 9 + 4] = 20; /* and below: a third right, a third up */
    ck_assert_ok(ca_simulation_load(simulation, &state, 0, &error));
    open_window((struct ca_size){100, 100, 1});
    flow = field_of("flow");
    ck_assert_double_eq_tol(flow[0], 10.0 / 3 / 54, 1e-6);
    ck_assert_double_eq_tol(flow[1], -10.0 / 3 / 54, 1e-6);
    free(flow);
    ca_lattice_free(&state);
    close_all();
}
END_TEST

/* Each sum that a model has of cells and their neighbours shows in a field. */
START_TEST(sums_of_neighbours_are_shown)
{
    int models = 0;

    for (int m = 0; ca_models[m]; m++) {
        const struct ca_model *model = ca_models[m];

        if (ca_neighbour_sums_count(model) == 0)
            continue;
        models++;
        open_state(model->name, (struct ca_size){6, 4, model->dimensions == 3 ? 4 : 1});
        open_window((struct ca_size){100, 100, 100});
        for (int i = 0; i < ca_neighbour_sums_count(model); i++) {
            bool shown = false;

            for (const struct ca_field *field = ca_fields(model); field->name; field++) {
                double *before = field_of(field->name), *after;

                window.neighbours[i] += 1;
                after = field_of(field->name);
                window.neighbours[i] -= 1;
                for (int c = 0; c < field->components; c++)
                    shown |= after[c] != before[c];
                free(before);
                free(after);
            }
            ck_assert_msg(shown, "%s: sum %d is in no field", model->name, i);
        }
        close_all();
    }
    ck_assert_int_eq(models, 2);
}
END_TEST

/* --- fhp -------------------------------------------------------------------------------------- */

/* A gas without walls, whose nodes the test writes. */
static struct ca_lattice gas;

static void open_gas(struct ca_size size)
{
    choose("fhp", size);
    set("geometry", "none");
    open_chosen();
    ck_assert_ok(ca_lattice_alloc(&gas, size, CA_U8, 1, &error));
}

static uint8_t *node(int64_t x, int64_t y) { return (uint8_t *)gas.plane[0] + y * gas.size.w + x; }

static void load_gas(void) { ck_assert_ok(ca_simulation_load(simulation, &gas, 0, &error)); }

static void close_gas(void)
{
    ca_lattice_free(&gas);
    close_all();
}

START_TEST(fhp_fields_follow_their_definition)
{
    double *density, *velocity, *speed, *momentum, *solid, *force;

    open_gas((struct ca_size){4, 4, 1});
    *node(0, 0) = 1 << FHP_E | 1 << FHP_SE | FHP_REST;
    *node(1, 1) = FHP_SOLID | 1 << FHP_W | FHP_REST;
    *node(2, 0) = *node(3, 0) = *node(2, 1) = *node(3, 1) = FHP_SOLID;
    load_gas();
    open_window((struct ca_size){2, 2, 1});
    density = field_of("density"), velocity = field_of("velocity"), speed = field_of("speed");
    momentum = field_of("momentum"), solid = field_of("solid"), force = field_of("force");
    ck_assert_double_eq(density[0], 1);
    ck_assert_double_eq_tol(velocity[0], 1.5 / 3, 1e-15);
    ck_assert_double_eq_tol(velocity[1], FHP_ROW / 3, 1e-15);
    ck_assert_double_eq_tol(speed[0], hypot(1.5, FHP_ROW) / 3, 1e-15);
    ck_assert_double_eq_tol(momentum[0], 1.5 / 3, 1e-15);
    ck_assert_double_eq_tol(momentum[1], FHP_ROW / 3, 1e-15);
    ck_assert_double_eq(solid[0], 0.25);
    ck_assert_double_eq_tol(force[0], 2.0 / 4, 1e-15); /* of the block's four nodes */
    ck_assert_double_eq_tol(force[1], 0, 1e-15);
    ck_assert_double_eq(solid[1], 1);
    ck_assert(isnan(density[1]) && isnan(speed[1]) && isnan(velocity[2]));
    ck_assert_double_eq(density[2], 0);
    ck_assert(isnan(speed[2])); /* of no particles */
    free(density), free(velocity), free(speed), free(momentum), free(solid), free(force);
    close_gas();
}
END_TEST

/* Particles that go west in the upper half and east in the lower one, all of one speed. */
START_TEST(vorticity_of_a_shear)
{
    double *vorticity;

    open_gas((struct ca_size){8, 16, 1});
    for (int64_t y = 0; y < 16; y++)
        for (int64_t x = 0; x < 8; x++)
            *node(x, y) = y < 8 ? 1 << FHP_W : 1 << FHP_E;
    load_gas();
    open_window((struct ca_size){4, 4, 1});
    vorticity = field_of("vorticity");
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq_tol(vorticity[i], 2 / (8 * FHP_ROW),
                                1e-12); /* across the closed edge */
        ck_assert_double_eq_tol(vorticity[2 + i], -2 / (8 * FHP_ROW), 1e-12);
        ck_assert_double_eq_tol(vorticity[4 + i], -2 / (8 * FHP_ROW), 1e-12);
        ck_assert_double_eq_tol(vorticity[6 + i], 2 / (8 * FHP_ROW), 1e-12);
    }
    free(vorticity);
    close_gas();
}
END_TEST

/* What reaches solid nodes of rows first ... end - 1 in the next step, from the state before it. */
static void arriving(const struct ca_lattice *state, int64_t first, int64_t end, double momentum[2])
{
    static const int across[2][6] = {{-1, 0, 1, 0, -1, -1}, {0, 1, 1, 1, 0, -1}};
    static const int down[6] = {-1, -1, 0, 1, 1, 0};
    int64_t w = state->size.w, h = state->size.h;
    const uint8_t *nodes = state->plane[0];

    momentum[0] = momentum[1] = 0;
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++)
            for (int i = 0; i < 6; i++) {
                int64_t to_x = (x + across[y % 2][i] + w) % w, to_y = (y + down[i] + h) % h;

                if (!(nodes[y * w + x] >> i & 1) || !(nodes[to_y * w + to_x] & FHP_SOLID) ||
                    to_y < first || to_y >= end)
                    continue;
                momentum[0] += fhp_momentum_x((uint8_t)(1 << i)) / 2.0;
                momentum[1] += fhp_momentum_y((uint8_t)(1 << i)) * FHP_ROW;
            }
}

START_TEST(force_is_twice_the_momentum_that_arrives)
{
    double handed = 0;

    choose("fhp", (struct ca_size){96, 48, 1});
    set("geometry", "cylinder");
    set("p_force", "0.2");
    open_chosen();
    ck_assert_ok(ca_window_open(&window, simulation, experiment.size, &error));
    for (int t = 0; t < 20; t++) {
        double momentum[2], on_cylinder[2], values[CA_OBSERVABLES_MAX], *force;

        ck_assert_ok(ca_simulation_store(simulation, &gas, &error));
        arriving(&gas, 0, gas.size.h, momentum);
        arriving(&gas, 1, gas.size.h - 1, on_cylinder);
        ck_assert_ok(ca_simulation_step(simulation, 1, &error));
        ca_window_clear(&window);
        ck_assert_ok(ca_window_sample(&window, simulation, &error));
        force = field_of("force");
        ck_assert_double_eq_tol(force[0], 2 * momentum[0] / (96 * 48), 1e-12);
        ck_assert_double_eq_tol(force[1], 2 * momentum[1] / (96 * 48), 1e-12);
        ck_assert_ok(ca_simulation_observe(simulation, values, &error));
        ck_assert_double_eq_tol(values[4], 2 * on_cylinder[0], 1e-9);
        ck_assert_double_eq_tol(values[5], -2 * on_cylinder[1], 1e-9);
        handed += fabs(force[0]);
        free(force);
        ca_lattice_free(&gas);
    }
    ck_assert_double_gt(handed, 0);
    close_all();
}
END_TEST

/* --- views ------------------------------------------------------------------------------------ */

static const struct ca_frame *draw(struct ca_viewer *viewer, struct ca_view view)
{
    const struct ca_frame *frame;

    ck_assert_ok(ca_viewer_draw(viewer, simulation, &view, &frame, &error));
    return frame;
}

/* Half of the lattice full, a quarter solid; a character is 4 x 4 nodes, those at the edge fewer.
 */
START_TEST(a_view_shows_a_field_and_its_range)
{
    struct ca_viewer *viewer = ca_viewer_new();
    const struct ca_frame *frame;
    char text[12], legend[100];

    open_gas((struct ca_size){14, 8, 1});
    for (int64_t y = 0; y < 8; y++)
        for (int64_t x = 0; x < 14; x++)
            *node(x, y) = y < 4 ? (x < 8 ? 1 << FHP_E | 1 << FHP_NE | FHP_REST : FHP_REST)
                                : (x < 8 ? FHP_SOLID : 0);
    load_gas();
    frame = draw(
        viewer,
        (struct ca_view){
            .drawn = CA_FIELD, .field = "density", .x = -4, .zoom = 4, .columns = 6, .lines = 3});
    ck_assert_double_eq(frame->low, 0);
    ck_assert_double_eq(frame->high, 3);
    ck_assert(!frame->sampled);
    for (int i = 0; i < 12; i++)
        text[i] = ca_frame_point(frame, experiment.model, true, (size_t)i).glyph;
    ck_assert_mem_eq(text, " @@-- ", 6);
    ck_assert_mem_eq(text + 6, " XX   ", 6);
    ck_assert_uint_eq(frame->code[6 + 3], CA_VIEW_VALUE); /* empty, but fluid */
    ck_assert_uint_eq(frame->code[0], CA_VIEW_OUTSIDE);
    ck_assert_uint_eq(frame->code[12], CA_VIEW_OUTSIDE);
    ca_frame_range_text(frame, experiment.model, legend, sizeof legend);
    ck_assert_str_eq(legend, "0 ... 3 particles/node");
    ca_viewer_free(viewer);
    close_gas();
}
END_TEST

/* What lies beyond the frame counts where a field looks at neighbouring blocks. */
START_TEST(a_view_does_not_depend_on_its_edge)
{
    struct ca_view view = {
        .drawn = CA_FIELD, .field = "vorticity", .zoom = 4, .columns = 4, .lines = 8};
    struct ca_viewer *viewer = ca_viewer_new();
    const struct ca_frame *frame;
    uint8_t whole[32];

    open_gas((struct ca_size){16, 32, 1});
    for (int64_t y = 0; y < 32; y++)
        for (int64_t x = 0; x < 16; x++)
            *node(x, y) = y % 16 < 8 ? 1 << FHP_W : 1 << FHP_E;
    load_gas();
    frame = draw(viewer, view);
    ck_assert_double_eq(frame->low, -frame->high);
    memcpy(whole, frame->level, sizeof whole);
    ck_assert_uint_ne(whole[4], whole[12]);
    view.y = 4;
    view.lines = 3;
    frame = draw(viewer, view);
    ck_assert_mem_eq(frame->level, whole + 4, 12);
    ca_viewer_free(viewer);
    close_gas();
}
END_TEST

START_TEST(a_view_of_a_slice_of_columns)
{
    struct ca_viewer *viewer = ca_viewer_new();
    const struct ca_frame *frame;
    double live[6] = {0}, most = 0;
    struct ca_lattice state;

    open_state("life3d", (struct ca_size){12, 10, 8});
    ck_assert_ok(ca_simulation_store(simulation, &state, &error));
    for (int z = 0; z < 8; z++)
        for (int x = 0; x < 12; x++)
            live[z / 4 * 3 + x / 4] += ((const uint8_t *)state.plane[0])[(z * 10 + 7) * 12 + x];
    frame = draw(viewer, (struct ca_view){.axis = CA_XZ,
                                          .slice = 7,
                                          .drawn = CA_FIELD,
                                          .field = "density",
                                          .zoom = 4,
                                          .columns = 3,
                                          .lines = 2});
    for (int i = 0; i < 6; i++) {
        most = fmax(most, live[i] / 16);
        ck_assert_int_eq(frame->level[i], lround(255 * live[i] / 16 / frame->high));
    }
    ck_assert_double_ge(frame->high, most);
    ca_lattice_free(&state);
    ca_viewer_free(viewer);
    close_all();
}
END_TEST

/* Clouds of a point of 4 x 4 cells of slices XY or XZ, among all cells before and behind it. */
static double clouds_behind(const struct ca_lattice *state, enum ca_axis axis, int column, int line)
{
    const struct ca_size size = state->size;
    int clouds = 0, cells = 0;

    for (int64_t i = 0; i < ca_cells(size); i++) {
        int64_t x = i % size.w, y = i / size.w % size.h, z = i / size.w / size.h;

        if (x / 4 != column || (axis == CA_XY ? y : z) / 4 != line)
            continue;
        clouds += ((const uint8_t *)state->plane[2])[i];
        cells++;
    }
    return (double)clouds / cells;
}

START_TEST(a_view_through_all_slices)
{
    struct ca_viewer *viewer = ca_viewer_new();
    struct ca_lattice state;

    open_state("cloud", (struct ca_size){12, 10, 8});
    ck_assert_ok(ca_simulation_step(simulation, 2, &error));
    ck_assert_ok(ca_simulation_store(simulation, &state, &error));
    for (enum ca_axis axis = CA_XY; axis <= CA_XZ; axis++) {
        const struct ca_view view = {.axis = axis,
                                     .slice = 7,
                                     .drawn = CA_FIELD,
                                     .field = "columns",
                                     .zoom = 4,
                                     .columns = 3,
                                     .lines = 2};
        const struct ca_frame *frame = draw(viewer, view);

        ck_assert_double_gt(clouds_behind(&state, axis, 0, 0), 0);
        for (int i = 0; i < 6; i++)
            ck_assert_int_eq(frame->level[i],
                             lround(255 * clouds_behind(&state, axis, i % 3, i / 3) / frame->high));
    }
    ca_lattice_free(&state);
    ca_viewer_free(viewer);
    close_all();
}
END_TEST

START_TEST(views_of_fields_that_are_refused)
{
    struct ca_view view = {
        .drawn = CA_FIELD, .field = "depth", .zoom = 1, .columns = 4, .lines = 8};
    struct ca_viewer *viewer = ca_viewer_new();
    const struct ca_frame *frame;

    open_state("anneal", (struct ca_size){16, 16, 1});
    ck_assert_int_eq(ca_viewer_draw(viewer, simulation, &view, &frame, &error), CA_USAGE);
    ck_assert_str_eq(error.text, "anneal has no field 'depth': allowed are density, walls");
    strcpy(view.field, "density");
    view.digests = true;
    ck_assert_int_eq(ca_viewer_draw(viewer, simulation, &view, &frame, &error), CA_USAGE);
    ck_assert_str_eq(error.text, "a field has no digests: only cells have");
    ca_viewer_free(viewer);
    close_all();
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {a_window_sums_its_states, blocks_and_fields_that_are_not_allowed,
                              anneal_walls, water_flows_where_the_rule_moves_it,
                              sums_of_neighbours_are_shown, fhp_fields_follow_their_definition,
                              vorticity_of_a_shear, force_is_twice_the_momentum_that_arrives,
                              a_view_shows_a_field_and_its_range,
                              a_view_does_not_depend_on_its_edge, a_view_of_a_slice_of_columns,
                              a_view_through_all_slices, views_of_fields_that_are_refused});
}
