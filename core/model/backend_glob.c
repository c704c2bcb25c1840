/* SPDX-License-Identifier: MIT */
/* This file matches lists of names with wildcards. */
#include "core/model/backend_glob.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX 256

const char *ca_glob_next(const char *list, char item[CA_TEXT_MAX])
{
    size_t length;

    if (!list || !list[0])
        return NULL;
    length = strcspn(list, ",");
    snprintf(item, CA_TEXT_MAX, "%.*s", (int)(length < CA_TEXT_MAX ? length : CA_TEXT_MAX - 1),
             list);
    return list + length + (list[length] == ',');
}

enum ca_status ca_list_check(const char *list, const char *where, struct ca_error *error)
{
    size_t length = strlen(list);

    if (list[0] != ',' && (length == 0 || list[length - 1] != ',') && !strstr(list, ",,"))
        return CA_OK;
    return ca_fail(error, CA_USAGE,
                   "%s: '%.80s' is not allowed: a comma stands between two items of a list", where,
                   list);
}

static bool has_item(const char *list, const char *name, bool wild)
{
    char item[CA_TEXT_MAX];

    while ((list = ca_glob_next(list, item)) != NULL)
        if ((wild ? fnmatch(item, name, 0) : strcmp(item, name)) == 0)
            return true;
    return false;
}

bool ca_backend_glob(const char *patterns, const char *name)
{
    return has_item(patterns, name, true);
}

bool ca_glob_names(const char *list, const char *name) { return has_item(list, name, false); }

enum ca_status ca_backend_glob_check(const char *patterns, const struct ca_model *const models[],
                                     const char *where, struct ca_error *error)
{
    const char *names[NAMES_MAX];
    char item[CA_TEXT_MAX], hint[CA_TEXT_MAX];
    int count = 0;
    bool matched;

    for (int m = 0; models[m]; m++)
        for (const struct ca_backend *b = models[m]->backends; b;
             b = ca_backend_next(models[m], b)) {
            int i = 0;

            while (i < count && strcmp(names[i], b->name) != 0)
                i++;
            if (i == count && count < NAMES_MAX)
                names[count++] = b->name;
        }
    while ((patterns = ca_glob_next(patterns, item)) != NULL) {
        matched = false;
        for (const struct ca_backend *c = ca_backend_auto(models[0]); c->choice && !matched; c++)
            matched = ca_glob_names(item, c->name);
        for (int i = 0; i < count && !matched; i++)
            matched = fnmatch(item, names[i], 0) == 0;
        if (!matched)
            return ca_fail(error, CA_USAGE, "%s: no backend is named or matches '%.80s'%s", where,
                           item, ca_suggest(hint, item, count, ca_name_at, names));
    }
    return CA_OK;
}
