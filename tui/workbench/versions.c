/* SPDX-License-Identifier: MIT */
/*
 * Owns what is made of an engine of another version, on another host: models and backends that only
 * one of the two programs knows are named, with what the other one has instead.
 */
#include "tui/workbench/app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The row of that name in a list of rows. */
static const json_t *row_named(const json_t *rows, const char *name)
{
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        if (strcmp(ca_wire_text(row, "name"), name) == 0)
            return row;
    }
    return NULL;
}

static void add_name(char *text, size_t size, const char *name)
{
    size_t used = strlen(text);

    snprintf(text + used, size - used, "%s%.60s", used ? ", " : "", name);
}

static char *names_of(char *text, size_t size, const json_t *rows)
{
    const json_t *row;
    size_t i;

    text[0] = 0;
    json_array_foreach(rows, i, row) add_name(text, size, ca_wire_text(row, "name"));
    return text;
}

/* "calab 0.2.0 on lab". */
static char *program(char text[160], const struct pane *pane)
{
    const char *version = ca_wire_text(pane->hello, "version");

    snprintf(text, 160, "calab%s%.30s on %.100s", version[0] ? " " : "", version,
             pane->host[0] ? pane->host : "this host");
    return text;
}

bool version_lacks(const struct pane *pane, const struct ca_experiment *wanted,
                   struct ca_error *error)
{
    const struct ca_backend *backend = ca_experiment_named(wanted);
    const json_t *model = row_named(pane->list, wanted->model->name);
    const json_t *backends = json_object_get(model, "backends");
    char where[160], names[512];

    if (!pane->list)
        return false;
    if (!model)
        ca_error_set(error, CA_USAGE, "%s does not know the model '%s'; it has %s",
                     program(where, pane), wanted->model->name,
                     names_of(names, sizeof names, pane->list));
    else if (!backend->choice && !row_named(backends, backend->name))
        ca_error_set(error, CA_USAGE, "%s does not know the backend '%s' of %s; it has %s",
                     program(where, pane), backend->name, wanted->model->name,
                     names_of(names, sizeof names, backends));
    else
        return false;
    return true;
}

bool version_exceeds(const struct pane *pane, const struct ca_model *model, const json_t *reply,
                     struct ca_error *error)
{
    const char *name = ca_wire_text(json_object_get(reply, "experiment"), "backend");
    const struct ca_backend *known;
    char where[160], names[512] = "";

    if (!name[0] || ca_backend_find(&known, model, name, error) == CA_OK)
        return false;
    for (const struct ca_backend *b = model->backends; b->name; b++)
        add_name(names, sizeof names, b->name);
    ca_error_set(error, CA_IO,
                 "%s takes the backend '%.60s' of %s, which calab " CALAB_VERSION
                 " here does not know; it has %s",
                 program(where, pane), name, model->name, names);
    return true;
}

void version_compare(const struct pane *pane)
{
    const struct ca_model *model = pane->experiment.model, *known;
    const json_t *backends = json_object_get(row_named(pane->list, model->name), "backends"), *row;
    const struct ca_backend *backend;
    char where[160], names[400] = "", name[80];
    struct ca_error ignored;
    size_t i;

    json_array_foreach(backends, i, row)
    {
        if (ca_backend_find(&backend, model, ca_wire_text(row, "name"), &ignored) != CA_OK)
            add_name(names, sizeof names, ca_wire_text(row, "name"));
    }
    json_array_foreach(pane->list, i, row)
    {
        snprintf(name, sizeof name, "model %.60s", ca_wire_text(row, "name"));
        if (ca_model_find(&known, ca_wire_text(row, "name"), &ignored) != CA_OK)
            add_name(names, sizeof names, name);
    }
    if (names[0])
        say(pane->wb, "%s also has %s, not known here", program(where, pane), names);
}

/* --- a refusal that waits for the engine's list ------------------------------------------------
 */

bool version_ask(struct pane *pane, struct pending *refused, const struct ca_error *error)
{
    struct pending *copy;

    if (!pane->host[0] || pane->list || pane->refused || error->status != CA_USAGE)
        return false;
    copy = malloc(sizeof *copy);
    if (!copy || !session_send(pane, OP_LIST, NULL)) {
        free(copy);
        return false;
    }
    *copy = *refused;
    refused->wanted = NULL; /* it is the copy's now */
    pane->refused = copy;
    pane->refusal = *error;
    return true;
}

void version_forget(struct pane *pane)
{
    if (pane->refused)
        free(pane->refused->wanted);
    free(pane->refused);
    pane->refused = NULL;
}
