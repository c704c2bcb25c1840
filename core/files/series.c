/* SPDX-License-Identifier: MIT */
/* This file replaces a percent sign in the name of an output file. */
#include "core/files/series.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WIDTH_MAX 20 /* digits of the largest generation */

/* The length of the conversion at `text`, which begins with %, and its width; 0: there is none. */
static size_t conversion(const char *text, int *width)
{
    size_t digits = 0;

    *width = 0;
    if (text[1] == 'd')
        return 2;
    if (text[1] != '0' || text[2] == '0')
        return 0;
    for (; text[2 + digits] >= '0' && text[2 + digits] <= '9' && digits < 3; digits++)
        *width = *width * 10 + (text[2 + digits] - '0');
    return *width >= 1 && *width <= WIDTH_MAX && text[2 + digits] == 'd' ? digits + 3 : 0;
}

enum ca_status ca_series_check(const char *name, bool *series, struct ca_error *error)
{
    const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
    const char *at = name;

    *series = false;
    while ((at = strchr(at, '%'))) {
        bool percent = at[1] == '%';
        int width;
        size_t length = percent ? 2 : conversion(at, &width);

        if (!length)
            return ca_fail(error, CA_USAGE,
                           "'%.200s': '%.6s' is not allowed: %%d or %%06d, of at most %d digits, "
                           "stands for the generation, and %%%% for a percent sign",
                           name, at, WIDTH_MAX);
        if (!percent && at < file)
            return ca_fail(error, CA_USAGE,
                           "'%.200s': the generation stands in the name of a folder; it is allowed "
                           "in that of the file",
                           name);
        if (!percent && *series)
            return ca_fail(error, CA_USAGE,
                           "'%.200s': the generation stands there twice; it is allowed once", name);
        *series |= !percent;
        at += length;
    }
    return CA_OK;
}

char *ca_series_path(char path[CA_SERIES_PATH_MAX], const char *name, uint64_t generation)
{
    size_t used = 0;

    while (*name) {
        int width;
        size_t length = *name == '%' ? conversion(name, &width) : 0;

        if (length) {
            used += (size_t)snprintf(path + used, CA_SERIES_PATH_MAX - used, "%0*" PRIu64, width,
                                     generation);
            name += length;
        } else {
            name += name[0] == '%'; /* the first of two */
            path[used++] = *name++;
        }
    }
    path[used] = '\0';
    return path;
}
