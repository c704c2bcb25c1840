/* SPDX-License-Identifier: MIT */
/* This file prints the result of a run in its two formats, "key: value" lines and calab-run/2
 * JSON. */
#include "tui/commands/result.h"
#include "tui/commands/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/engine/interference_json.h"
#include "core/engine/wire.h"
#include "core/sim/plan_text.h"
#include "core/machine/device.h"
#include "core/engine/experiment_json.h"
#include "core/sim/frame_text.h"

/* The middle XY slice at the smallest zoom that fits, in square cells. */
static struct ca_view frame_view(const struct ca_experiment *experiment)
{
    struct ca_view view = {
        .axis = CA_XY, .reduce = CA_MEAN, .drawn = CA_STATE, .tall = true, .range = CA_RANGE_AUTO};
    int64_t width, height, slices, across, down;

    ca_view_extent(experiment->size, CA_XY, &width, &height, &slices);
    across = ca_divide_up(width, RESULT_COLUMNS);
    down = ca_divide_up(height, 2 * RESULT_LINES);
    view.zoom = across > down ? across : down;
    view.slice = slices / 2;
    view.columns = (int)ca_divide_up(width, view.zoom);
    view.lines = (int)ca_divide_up(height, ca_view_down(&view));
    return view;
}

static void caption(struct result *result, const struct ca_frame *frame)
{
    const struct ca_view *view = &frame->view;
    char range[96], *text = result->caption;
    size_t size = sizeof result->caption;

    snprintf(text, size, "generation %" PRIu64 ", xy slice", frame->generation);
    if (result->experiment->model->dimensions == 3)
        ca_text_add(text, size, " z = %" PRId64, view->slice);
    ca_text_add(text, size, ", %" PRId64 "x%" PRId64 " cells a character, %s%s", view->zoom,
                ca_view_down(view), ca_reduce_names[view->reduce],
                frame->sampled ? " of sampled cells" : "");
    if (ca_frame_by_level(frame, result->experiment->model, false)) {
        ca_frame_range_text(frame, result->experiment->model, range, sizeof range);
        ca_text_add(text, size, ", %s as \"%s\"", range, ca_ramp);
    }
}

static enum ca_status result_take_frame(struct result *result, struct ca_simulation *simulation,
                                        struct ca_error *error)
{
    struct ca_viewer *viewer = ca_viewer_new();
    struct ca_view view = frame_view(result->experiment);
    const struct ca_frame *frame;
    enum ca_status status;
    bool by_level;

    if (!viewer)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the frame");
    status = ca_viewer_draw(viewer, simulation, &view, &frame, error);
    if (status == CA_OK) {
        by_level = ca_frame_by_level(frame, result->experiment->model, false);
        for (int i = 0; i < view.lines * view.columns; i++)
            result->frame[i / view.columns][i % view.columns] =
                ca_frame_point(frame, result->experiment->model, by_level, (size_t)i).glyph;
        for (int y = 0; y < view.lines; y++)
            result->frame[y][view.columns] = '\0';
        result->lines = view.lines;
        caption(result, frame);
    }
    ca_viewer_free(viewer);
    return status;
}

enum ca_status result_take(struct result *result, struct ca_simulation *simulation, bool frame,
                           struct ca_error *error)
{
    const struct ca_timing *timing = ca_simulation_timing(simulation);
    struct ca_survey survey;
    struct ca_device device;

    memset(result, 0, sizeof *result);
    result->experiment = ca_simulation_experiment(simulation);
    result->generation = ca_simulation_generation(simulation);
    result->steps = result->generation - ca_simulation_first(simulation);
    result->wall_s = timing->wall_s;
    result->device_s = timing->device_s;
    result->emulated = ca_device_emulated(result->experiment->backend);
    if (timing->generations > 0 && timing->device_s > 0 && !result->emulated)
        result->mups = (double)ca_cells(result->experiment->size) * (double)timing->generations /
                       timing->device_s / 1e6;
    result->transfer_known = ca_simulation_stepper(simulation)->clock != NULL;
    result->transfer_s = timing->transfer_s;
    ca_device_of(result->experiment->backend, &result->experiment->options, &device);
    result->kind = device.kind;
    result->index = device.index;
    snprintf(result->device, sizeof result->device, "%s, %d %s%s", device.name, device.cores,
             device.kind == CA_CUDA ? "multiprocessor" : "core", device.cores == 1 ? "" : "s");
    ca_simulation_report(simulation, &result->plan);
    CA_TRY(ca_simulation_survey(simulation, CA_SURVEY_DIGEST | CA_SURVEY_OBSERVABLES, 0,
                                ca_rows(result->experiment->size), &survey, error));
    CA_TRY(ca_simulation_observables(simulation, &survey, result->observables, error));
    result->hash = survey.digest;
    return frame ? result_take_frame(result, simulation, error) : CA_OK;
}

static void print_values(const char *group, const struct ca_values *values)
{
    char text[CA_TEXT_MAX];

    for (int i = 0; i < values->count; i++)
        printf("%s.%s: %s\n", group, values->table[i].name,
               ca_plain(ca_value_format(text, &values->table[i], &values->value[i])));
}

char *result_rate(char text[CA_QUANTITY_TEXT], const struct result *result, double cells_per_s)
{
    return result->emulated ? strcpy(text, CA_NOT_A_SPEED) : ca_rate(text, cells_per_s);
}

static const char *kind_name(const struct result *result)
{
    return result->kind == CA_CUDA ? "cuda" : "cpu";
}

void result_print_run(FILE *out, const struct ca_experiment *experiment, unsigned places)
{
    struct ca_experiment run = *experiment;
    char text[CA_TEXT_MAX];

    run.choice = NULL; /* what has been chosen is told */
    for (int i = 0; i < CA_KEY_COUNT; i++)
        if ((ca_key_rows[i].places & places) == places &&
            ca_experiment_format(text, &run, (enum ca_key)i)[0])
            fprintf(out, "%s: %s\n", ca_key_rows[i].name, ca_plain(text));
}

void result_print_text(const struct result *result)
{
    const struct ca_experiment *e = result->experiment;
    char report[CA_TEXT_MAX], rate[CA_QUANTITY_TEXT], others[CA_DISTURBANCE_TEXT];
    bool any = false;

    for (int y = 0; y < result->lines; y++)
        printf("%s\n", result->frame[y]);
    if (result->lines)
        printf("frame: %s\n", result->caption);
    result_print_run(stdout, e, CA_IN_RESULT);
    if (e->choice)
        printf("choice: %s%s%s\n", e->choice->name, e->why[0] ? ": " : "", e->why);
    printf("report: %s\n", ca_plan_text(report, &result->plan));
    print_values("parameters", &e->params);
    print_values("options", &e->options);
    /* The names of the options that were chosen by tuning, if there are any. */
    for (int i = 0; i < e->options.count; i++)
        if (e->options.value[i].origin == CA_TUNED) {
            printf("%s%s", any ? " " : "tuned: ", e->options.table[i].name);
            any = true;
        }
    if (any)
        putchar('\n');
    printf("steps: %" PRIu64 "\ngeneration: %" PRIu64
           "\ndevice: %s\ndevice_kind: %s\ndevice_index: %d\n",
           result->steps, result->generation, result->device, kind_name(result), result->index);
    printf("wall_s: %.6g\ndevice_s: %.6g\n", result->wall_s, result->device_s);
    if (result->transfer_known)
        printf("transfer_s: %.6g\n", result->transfer_s);
    if (result->emulated || result->mups > 0)
        printf("rate: %s\n", result_rate(rate, result, result->mups * 1e6));
    else
        printf("rate: unknown\n");
    if (result->disturbance.samples > 0 && result->mups > 0)
        printf("others: %s\n", ca_disturbance_text(others, &result->disturbance));
    for (int i = 0; ca_observables(e->model)[i].name; i++)
        printf("observables.%s: %.12g\n", ca_observables(e->model)[i].name, result->observables[i]);
    if (result->outputs)
        outputs_print(result->outputs);
    printf("hash: %016" PRIx64 "\n", result->hash);
}

static json_t *observables(const struct result *result)
{
    const struct ca_observable *rows = ca_observables(result->experiment->model);
    json_t *object = json_object();

    for (int i = 0; rows[i].name; i++)
        json_object_set_new(object, rows[i].name, ca_wire_number(result->observables[i]));
    return object;
}

static json_t *frame(const struct result *result)
{
    json_t *lines = json_array();

    for (int y = 0; y < result->lines; y++)
        json_array_append_new(lines, json_string(result->frame[y]));
    return json_pack("{s:s, s:o}", "caption", result->caption, "lines", lines);
}

json_t *result_json(const struct result *result)
{
    json_t *root = json_pack("{s:s}", "schema", "calab-run/2");
    json_t *experiment = ca_experiment_to_json(result->experiment);
    char hash[17];
    int failed;

    snprintf(hash, sizeof hash, "%016" PRIx64, result->hash);
    failed = json_object_update(root, experiment);
    json_object_set_new(root, "report", ca_plan_to_json(&result->plan));
    json_object_set_new(root, "steps", json_integer((json_int_t)result->steps));
    json_object_set_new(root, "generation", json_integer((json_int_t)result->generation));
    json_object_set_new(root, "device", json_string(result->device));
    json_object_set_new(root, "device_kind", json_string(kind_name(result)));
    json_object_set_new(root, "device_index", json_integer(result->index));
    json_object_set_new(root, "wall_s", json_real(result->wall_s));
    json_object_set_new(root, "device_s", json_real(result->device_s));
    if (result->transfer_known)
        json_object_set_new(root, "transfer_s", json_real(result->transfer_s));
    if (result->emulated)
        json_object_set_new(root, "emulated", json_true());
    json_object_set_new(root, "mups", result->mups > 0 ? json_real(result->mups) : json_null());
    if (result->disturbance.samples > 0)
        json_object_set_new(root, "interference", ca_disturbance_to_json(&result->disturbance));
    json_object_set_new(root, "observables", observables(result));
    if (result->lines)
        json_object_set_new(root, "frame", frame(result));
    if (result->outputs && result->outputs->wanted->count > 0)
        json_object_set_new(root, "files", outputs_json(result->outputs));
    failed |= json_object_set_new(root, "hash", json_string(hash));
    json_decref(experiment);
    if (!failed)
        return root;
    json_decref(root);
    return NULL;
}

enum ca_status result_print_json(const struct result *result, struct ca_error *error)
{
    return json_print(result_json(result), error);
}
