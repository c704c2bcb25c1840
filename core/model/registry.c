/* SPDX-License-Identifier: MIT */
/* Owns the list of models and looking things up in it. Knows kernels/ through this table alone. */
#include "core/model/registry.h"

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

enum ca_status ca_model_find(const struct ca_model **model, const char *name,
                             struct ca_error *error)
{
    char hint[CA_TEXT_MAX];
    int count = 0;

    for (; ca_models[count]; count++)
        if (strcmp(ca_models[count]->name, name) == 0) {
            *model = ca_models[count];
            return CA_OK;
        }
    return ca_fail(error, CA_USAGE, "'%.80s' is not a model%s", name,
                   ca_suggest(hint, name, count, model_name, NULL));
}

enum ca_status ca_backend_find(const struct ca_backend **backend, const struct ca_model *model,
                               const char *name, struct ca_error *error)
{
    char hint[CA_TEXT_MAX];
    int count = 0;

    for (; model->backends[count].name; count++)
        if (strcmp(model->backends[count].name, name) == 0) {
            *backend = &model->backends[count];
            return CA_OK;
        }
    return ca_fail(error, CA_USAGE, "'%.80s' is not a backend of %s%s", name, model->name,
                   ca_suggest(hint, name, count, backend_name, model));
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

bool ca_backend_has_option(const struct ca_backend *backend, const char *name)
{
    for (const struct ca_param *p = backend->options; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return true;
    return false;
}

bool ca_model_has_option(const struct ca_model *model, const char *name)
{
    for (const struct ca_backend *b = model->backends; b->name; b++)
        if (ca_backend_has_option(b, name))
            return true;
    return false;
}
