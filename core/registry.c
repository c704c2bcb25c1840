/* SPDX-License-Identifier: MIT */
/* Owns the list of models and looking things up in it. Knows kernels/ through this table alone. */
#include "core/registry.h"

#include <stdio.h>
#include <string.h>

const struct ca_model *const ca_models[] = {
    &anneal_model, &life3d_model, &cloud_model, &fhp_model, &water_model, NULL,
};

static const char *model_name(const void *context, int i)
{
    (void)context;
    return ca_models[i]->name;
}

static const char *backend_name(const void *context, int i)
{
    return ((const struct ca_model *)context)->backends[i].name;
}

/* "'x' is no <what>; did you mean 'y'?" or, when nothing is near, the whole list. */
static enum ca_status unknown(const char *what, const char *wrong, int count,
                              const char *(*name)(const void *, int), const void *context,
                              struct ca_error *error)
{
    const char *nearest = ca_nearest(wrong, count, name, context);
    char list[256] = "";

    if (nearest)
        return ca_fail(error, CA_USAGE, "'%s' is no %s; did you mean '%s'?", wrong, what, nearest);
    for (int i = 0; i < count; i++) {
        size_t used = strlen(list);

        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", name(context, i));
    }
    return ca_fail(error, CA_USAGE, "'%s' is no %s; there are: %s", wrong, what, list);
}

enum ca_status ca_model_find(const struct ca_model **model, const char *name,
                             struct ca_error *error)
{
    int count = 0;

    for (; ca_models[count]; count++)
        if (strcmp(ca_models[count]->name, name) == 0) {
            *model = ca_models[count];
            return CA_OK;
        }
    return unknown("model", name, count, model_name, NULL, error);
}

enum ca_status ca_backend_find(const struct ca_backend **backend, const struct ca_model *model,
                               const char *name, struct ca_error *error)
{
    char what[64];
    int count = 0;

    for (; model->backends[count].name; count++)
        if (strcmp(model->backends[count].name, name) == 0) {
            *backend = &model->backends[count];
            return CA_OK;
        }
    snprintf(what, sizeof what, "backend of %s", model->name);
    return unknown(what, name, count, backend_name, model, error);
}

enum ca_status ca_backend_available(const struct ca_backend *backend, struct ca_error *error)
{
    return backend->available ? backend->available(error) : CA_OK;
}

const struct ca_backend *ca_backend_fastest(const struct ca_model *model)
{
    const struct ca_backend *fastest = model->backends;
    struct ca_error error;

    for (const struct ca_backend *b = model->backends; b->name; b++)
        if (ca_backend_available(b, &error) == CA_OK)
            fastest = b;
    return fastest;
}

int ca_start_find(const struct ca_model *model, const char *name)
{
    for (int i = 0; model->starts[i].name; i++)
        if (strcmp(model->starts[i].name, name) == 0)
            return i;
    return -1;
}
