/* SPDX-License-Identifier: MIT */
/* This file parses the name of a backend with a host and options. */
#include "core/sim/backend_spec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define FORM "[HOST:]BACKEND[/OPTION=VALUE...]"

static enum ca_status backend_spec_refuse(const char *where, const char *item, const char *what,
                                          struct ca_error *error)
{
    char plain[81];

    snprintf(plain, sizeof plain, "%.80s", item);
    return ca_fail(error, CA_USAGE, "%s: '%s': %s; allowed: " FORM ", separated by commas", where,
                   ca_plain(plain), what);
}

/* Copies length bytes that are known to fit. */
static void backend_spec_copy(char to[CA_TEXT_MAX], const char *from, size_t length)
{
    memcpy(to, from, length);
    to[length] = '\0';
}

static enum ca_status backend_spec_parse(struct ca_backend_spec *spec, const char *item,
                                         const char *where, struct ca_error *error)
{
    size_t name = strcspn(item, "/");
    const char *colon = memrchr(item, ':', name), *start = colon ? colon + 1 : item;

    memset(spec, 0, sizeof *spec);
    if (colon) {
        backend_spec_copy(spec->host, item, (size_t)(colon - item));
        if (!spec->host[0])
            return backend_spec_refuse(where, item, "the host before ':' is empty", error);
        if (spec->host[0] == '-')
            return backend_spec_refuse(where, item, "a host does not begin with '-'", error);
        for (const char *c = spec->host; *c; c++)
            if (!isgraph((unsigned char)*c))
                return backend_spec_refuse(where, item, "a host holds no blanks", error);
    }
    backend_spec_copy(spec->backend, start, name - (size_t)(start - item));
    if (!spec->backend[0])
        return backend_spec_refuse(where, item, "the backend is empty", error);
    if (!item[name])
        return CA_OK;
    backend_spec_copy(spec->options, item + name + 1, strlen(item + name + 1));
    for (const char *at = spec->options;; at++) {
        size_t length = strcspn(at, "/"), key = strcspn(at, "=");

        if (key == 0 || key + 1 >= length)
            return backend_spec_refuse(where, item, "an option has the form OPTION=VALUE", error);
        for (const char *other = spec->options; other < at; other += strcspn(other, "/") + 1)
            if (strncmp(other, at, key + 1) == 0)
                return backend_spec_refuse(where, item, "an option is there twice", error);
        at += length;
        if (!*at)
            return CA_OK;
    }
}

/* A comma before a whole number belongs to the value of an option, as in devices=0,3. */
static size_t item_length(const char *text)
{
    size_t length = strcspn(text, ",");

    while (text[length] == ',' && memchr(text, '=', length)) {
        size_t digits = strspn(text + length + 1, "0123456789");
        char end = text[length + 1 + digits];

        if (digits == 0 || (end && end != ',' && end != '/'))
            break;
        length += 1 + digits + strcspn(text + length + 1 + digits, ",");
    }
    return length;
}

enum ca_status ca_backend_specs_parse(struct ca_backend_spec spec[], int max, int *count,
                                      const char *list, const char *where, struct ca_error *error)
{
    *count = 0;
    for (const char *at = list;; at++) {
        size_t length = item_length(at);
        char item[CA_TEXT_MAX];

        if (length >= sizeof item)
            return ca_fail(error, CA_USAGE, "%s: a backend with its options has at most %d bytes",
                           where, CA_TEXT_MAX - 1);
        if (*count == max)
            return ca_fail(error, CA_USAGE, "%s: at most %d backend%s allowed, got '%.80s'", where,
                           max, max == 1 ? " is" : "s are", list);
        backend_spec_copy(item, at, length);
        CA_TRY(backend_spec_parse(&spec[(*count)++], item, where, error));
        at += length;
        if (!*at)
            return CA_OK;
    }
}

enum ca_status ca_backend_spec_apply(const struct ca_backend_spec *spec,
                                     struct ca_experiment *experiment, enum ca_origin origin,
                                     const char *where, struct ca_error *error)
{
    char options[CA_TEXT_MAX], *rest = options, *pair;

    CA_TRY(ca_experiment_set(experiment, "backend", spec->backend, origin, where, error));
    strcpy(options, spec->options);
    while (spec->options[0] && (pair = strsep(&rest, "/")) != NULL) {
        const char *key = strsep(&pair, "=");

        if (ca_values_find(&experiment->params, key) >= 0)
            return ca_fail(error, CA_USAGE,
                           "%s: '%.80s' is a parameter of %s and no option of a backend; set it "
                           "with --set",
                           where, key, experiment->model->name);
        CA_TRY(ca_experiment_value(experiment, key, pair, origin, where, error));
    }
    return CA_OK;
}

char *ca_backend_spec_format(char *text, size_t size, const struct ca_backend_spec *spec)
{
    snprintf(text, size, "%s%s%s%s%s", spec->host, spec->host[0] ? ":" : "", spec->backend,
             spec->options[0] ? "/" : "", spec->options);
    return text;
}
