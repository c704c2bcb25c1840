/* SPDX-License-Identifier: MIT */
/* These pickers choose backends, devices and colours. */
#include "tui/workbench/lists/lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/workbench/base/log.h"
#include "tui/workbench/base/settings.h"
#include "tui/workbench/engine/engine_list.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/engine/session.h"
#include "tui/workbench/engine/split.h"

extern const struct part pickers_part;

/* --- backends --------------------------------------------------------------------------------- */

/* The rows of the backends of A or B, in the order of the ladder; `current` is the present one. */
static void add_backends(const struct pane *pane, const struct ca_backend *current)
{
    const struct ca_backend *backend;

    for (int i = 0; (backend = ca_backend_at(pane->experiment.model, i)) != NULL; i++) {
        const char *reason = engine_lacks(pane, backend);
        struct list_row *row = list_add(
            i, "%-22s %-5s %s%s", backend->name, backend->device == CA_CUDA ? "cuda" : "cpu",
            reason ? "unavailable: " : "", reason ? reason : backend->title);

        row->current = backend == current;
        row->disabled = reason != NULL;
        snprintf(row->detail, sizeof row->detail, "%s", backend->title);
    }
}

void choose_backend(struct pane *pane, const struct ca_backend *backend)
{
    static struct ca_experiment wanted;

    if (backend == pane->experiment.backend && session_has_run(pane))
        return;
    wanted = pane->experiment;
    ca_experiment_backend(&wanted, backend, CA_FROM_WORKBENCH);
    session_change(pane, &wanted);
}

static void backends_fill(struct workbench *wb)
{
    add_backends(wb->pane, wb->pane->experiment.backend);
}

bool backend_is_available(struct pane *pane, const struct ca_backend *backend)
{
    const char *reason = engine_lacks(pane, backend);

    if (reason)
        message_warn(pane->wb, "backend %s is unavailable: %s", backend->name, reason);
    return !reason;
}

static bool backends_choose(struct workbench *wb, const struct list_row *row)
{
    const struct ca_backend *backend = ca_backend_at(wb->pane->experiment.model, row->item);

    if (!backend_is_available(wb->pane, backend))
        return false;
    choose_backend(wb->pane, backend);
    return true;
}

const struct list_source backends_source = {.title = "backend",
                                            .fill = backends_fill,
                                            .open = backends_choose,
                                            .filter = true,
                                            .detail = 2};

/* --- devices: the CPU, then the GPUs in the engine's order, or why there is none ---------------
 */

static int pickers_gpus(const struct pane *pane)
{
    int count = (int)json_array_size(engine_devices(pane));

    return count > 1 ? count - 1 : 0;
}

/* The backend for a device: the present one if it runs there, else the fastest that does. */
static const struct ca_backend *backend_for(const struct pane *pane, enum ca_device_kind kind)
{
    const struct ca_backend *present = pane->experiment.backend;

    return present->device == kind ? present : engine_fastest_on(pane, kind);
}

/* Why a kind of device cannot be chosen, "" if it can. */
static const char *device_refused(const struct pane *pane, enum ca_device_kind kind)
{
    if (kind == CA_CUDA && pickers_gpus(pane) == 0)
        return engine_no_cuda(pane)[0] ? engine_no_cuda(pane)
               : engine_devices(pane)  ? "no NVIDIA GPU was found"
                                       : "the engine is still looking for GPUs";
    return backend_for(pane, kind) ? "" : "no available backend of this model runs on it";
}

/* The last row is all GPUs, where there are several. */
static bool is_all(const struct pane *pane, int index)
{
    return index > 1 && index > pickers_gpus(pane);
}

/* Reads the options: "" or the GPUs that share the lattice. */
static const char *shared_by(const struct ca_experiment *e)
{
    return ca_values_find(&e->options, "devices") < 0 ? "" : ca_text(&e->options, "devices");
}

static bool device_is_chosen(const struct pane *pane, int index)
{
    const struct ca_experiment *e = &pane->experiment;
    bool all = strcmp(shared_by(e), "all") == 0;
    int used[CA_RANKS_MAX], count;

    if (e->backend->device != (index ? CA_CUDA : CA_CPU))
        return false;
    if (index == 0 || all || is_all(pane, index))
        return index == 0 || (all && is_all(pane, index));
    count = ca_device_list(&e->options, used);
    for (int i = 0; i < count; i++)
        if (used[i] == index - 1)
            return true;
    return false;
}

/* --- marks: GPUs that are chosen together ----------------------------------------------------- */

static bool can_be_marked(const struct pane *pane, int index)
{
    return index > 0 && index <= pickers_gpus(pane) && index <= CA_RANKS_MAX &&
           pickers_gpus(pane) > 1 && !device_refused(pane, CA_CUDA)[0];
}

/* Bit n: GPU n. */
static uint64_t *marked_of(const struct workbench *wb) { return part_state(wb, &pickers_part); }

static const char *devices_mark(struct workbench *wb, int index)
{
    if (!can_be_marked(wb->pane, index))
        return "only one of several GPUs can be marked; those that are share the lattice";
    *marked_of(wb) ^= UINT64_C(1) << (index - 1);
    return NULL;
}

/* Writes the numbers of those that are marked; returns how many there are. */
static int marked_list(const struct workbench *wb, char list[CA_TEXT_MAX])
{
    int count = 0;

    list[0] = 0;
    for (int i = 0; i < CA_RANKS_MAX; i++)
        if (*marked_of(wb) >> i & 1)
            ca_text_add(list, CA_TEXT_MAX, "%s%d", count++ > 0 ? "," : "", i);
    return count;
}

/* --- the list --------------------------------------------------------------------------------- */

static void add_device(struct workbench *wb, int index)
{
    enum ca_device_kind kind = index ? CA_CUDA : CA_CPU;
    const json_t *device = json_array_get(engine_devices(wb->pane), (size_t)index);
    const char *name = json_string_value(json_object_get(device, "name"));
    const json_t *memory = json_object_get(device, "memory_bytes");
    const char *refused = device_refused(wb->pane, kind);
    char label[16] = "cpu", bytes[32] = "", marked[CA_TEXT_MAX];
    struct list_row *row;

    if (is_all(wb->pane, index)) {
        snprintf(label, sizeof label, "all");
        name = "GPUs, a slab of the lattice each";
    } else if (kind == CA_CUDA) {
        snprintf(label, sizeof label, pickers_gpus(wb->pane) ? "GPU %d" : "GPU", index - 1);
    }
    if (json_is_number(memory))
        snprintf(bytes, sizeof bytes, ", %.1f GiB", json_number_value(memory) / 0x1p30);
    if (refused[0])
        row = list_add(index, "%-6s unavailable: %.200s", label, refused);
    else
        row = list_add(index, "%-6s %s%s", label, name ? name : "", bytes);
    row->current = device_is_chosen(wb->pane, index);
    row->disabled = refused[0];
    if (pickers_gpus(wb->pane) > 1)
        row->mark = !can_be_marked(wb->pane, index)     ? "    "
                    : *marked_of(wb) >> (index - 1) & 1 ? "[x] "
                                                        : "[ ] ";
    snprintf(row->detail, sizeof row->detail, "backend: %s",
             refused[0] ? "none" : backend_for(wb->pane, kind)->name);
    if (marked_list(wb, marked) > 0 && !device_refused(wb->pane, CA_CUDA)[0])
        snprintf(row->detail, sizeof row->detail, "marked: GPU %s; backend: %s", marked,
                 backend_for(wb->pane, CA_CUDA)->name);
}

static void devices_fill(struct workbench *wb)
{
    int gpus = pickers_gpus(wb->pane);

    for (int i = 0; i < 1 + (gpus > 0 ? gpus : 1) + (gpus > 1); i++)
        add_device(wb, i);
}

/* Moves to a GPU, or to several that share the lattice where `shared` names them; of the CPU
 * neither counts. */
static void move_to(struct pane *pane, enum ca_device_kind kind, int gpu, const char *shared)
{
    static struct ca_experiment wanted;
    struct ca_error error;
    char number[16];

    wanted = pane->experiment;
    if (wanted.backend->device != kind)
        ca_experiment_backend(&wanted, backend_for(pane, kind), CA_FROM_WORKBENCH);
    else if (session_has_run(pane) &&
             (kind == CA_CPU || (strcmp(shared_by(&wanted), shared) == 0 &&
                                 (shared[0] || ca_device_index(&wanted.options) == gpu))))
        return;
    snprintf(number, sizeof number, "%d", gpu);
    if (kind == CA_CUDA && (ca_experiment_value(&wanted, "device", number, CA_FROM_WORKBENCH,
                                                "device", &error) != CA_OK ||
                            ca_experiment_value(&wanted, "devices", shared, CA_FROM_WORKBENCH,
                                                "devices", &error) != CA_OK))
        message_warn(pane->wb, "%s", error.text);
    else
        session_change(pane, &wanted);
}

/* Takes the GPUs that are marked; where none is, the device of the row. */
static bool devices_choose(struct workbench *wb, const struct list_row *row)
{
    struct pane *pane = wb->pane;
    char marked[CA_TEXT_MAX];
    int count = marked_list(wb, marked), index = row->item;
    enum ca_device_kind kind = index > 0 || count > 0 ? CA_CUDA : CA_CPU;
    const char *refused = device_refused(pane, kind);

    if (refused[0]) {
        message_warn(wb, "%s cannot be used: %s", kind == CA_CUDA ? "the GPU" : "the CPU", refused);
        return false;
    }
    if (count > 1)
        move_to(pane, kind, 0, marked);
    else if (count == 1)
        move_to(pane, kind, atoi(marked), "");
    else if (is_all(pane, index))
        move_to(pane, kind, 0, "all");
    else
        move_to(pane, kind, index - 1, "");
    return true;
}

const struct list_source devices_source = {.title = "device",
                                           .fill = devices_fill,
                                           .open = devices_choose,
                                           .mark = devices_mark,
                                           .filter = true,
                                           .detail = 1};

static void devices_open(struct workbench *wb)
{
    *marked_of(wb) = 0;
    list_open(wb, &devices_source);
}

/* --- colours ---------------------------------------------------------------------------------- */

static void colours_fill(struct workbench *wb)
{
    const char *present = setting_text(wb, CA_SETTING_COLOURS);

    for (int i = 0; scheme_name(i); i++)
        list_add(i, "%-14s %s", scheme_name(i), scheme_help(i))->current =
            strcmp(present, scheme_name(i)) == 0;
}

static bool colours_choose(struct workbench *wb, const struct list_row *row)
{
    setting_change(wb, CA_SETTING_COLOURS, scheme_name(row->item));
    if (terminal_colours(wb->terminal) == 0)
        message_show(wb, "no colours: the terminal has none, or NO_COLOR is set");
    return true;
}

const struct list_source colours_source = {
    .title = "colours", .fill = colours_fill, .open = colours_choose, .filter = true};

/* --- a hung engine ---------------------------------------------------------------------------- */

static void hung_fill(struct workbench *wb)
{
    (void)wb;
    list_add(0, "wait");
    list_add(1, "kill the engine and restart it at the last saved state");
}

static bool hung_choose(struct workbench *wb, const struct list_row *row)
{
    struct pane *pane = pane_hung(wb);

    if (row->item == 1 && pane)
        session_kill(pane);
    return true;
}

const struct list_source hung_source = {
    .title = "the engine does not respond", .fill = hung_fill, .open = hung_choose};

/* --- the backend of B ------------------------------------------------------------------------- */

/* The pane that knows what B can run: itself, or A, as long as there is none. */
static struct pane *others_pane(struct workbench *wb)
{
    return &wb->panes[split_is_open(wb) ? 1 : 0];
}

static void others_fill(struct workbench *wb)
{
    add_backends(others_pane(wb), split_is_open(wb) ? wb->panes[1].experiment.backend : NULL);
}

void split_against(struct workbench *wb, const struct ca_backend *backend)
{
    if (split_is_open(wb))
        choose_backend(&wb->panes[1], backend);
    else
        split_beside(wb, backend, "", false);
}

static bool others_choose(struct workbench *wb, const struct list_row *row)
{
    const struct ca_backend *backend = ca_backend_at(wb->panes[0].experiment.model, row->item);

    if (!backend_is_available(others_pane(wb), backend))
        return false;
    split_against(wb, backend);
    return true;
}

const struct list_source others_source = {.title = "backend of B",
                                          .fill = others_fill,
                                          .open = others_choose,
                                          .filter = true,
                                          .detail = 2};

void split_toggle(struct workbench *wb)
{
    struct pane *a = &wb->panes[0];
    const struct ca_backend *other = a->previous_backend;

    if (split_is_shown(wb)) {
        split_close(wb);
        return;
    }
    if (split_is_open(wb)) {
        split_reveal(wb);
        return;
    }
    if (!session_ready(wb, split_toggle))
        return;
    if (other && (other != a->experiment.backend || strcmp(a->host, a->previous_host) != 0))
        split_beside(wb, other, a->previous_host, false);
    else if (a->experiment.backend != split_reference(wb))
        split_beside(wb, split_reference(wb), "", false);
    else
        list_open(wb, &others_source);
}

const struct part pickers_part = {
    .name = "pickers",
    .state_bytes = sizeof(uint64_t),
    .actions = {{REQUEST_SPLIT, split_toggle}, {REQUEST_DEVICE, devices_open}}};
