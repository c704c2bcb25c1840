/* SPDX-License-Identifier: MIT */
/* This file reads the limits of control groups. */
#include "core/machine/device.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_LIMIT 0x1p60 /* version 1 has a number near 2^63 where there is none */

struct version {
    const char *folder; /* below the mount */
    const char *limit, *usage, *cache;
};

static const struct version versions[] = {
    {"/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
    {"", "memory.max", "memory.current", "inactive_file"},
};

/* The number behind `key` in a file of the folder, or at its begin where the key is "". -1: none.
 */
static double number_in(const char *folder, const char *name, const char *key)
{
    char text[8192], *at = text, *end;
    size_t length = strlen(key);
    double number;

    if (!ca_machine_file(text, sizeof text, "%s/%s", folder, name))
        return -1;
    while (length > 0 && at && (strncmp(at, key, length) != 0 || at[length] != ' ')) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    number = at ? strtod(at + length, &end) : -1;
    return at && end != at + length && *end == '\n' ? number : -1; /* not such as "max" */
}

static void tighten(struct ca_fact *fact, double bytes)
{
    if (!fact->known || bytes < fact->value)
        *fact = (struct ca_fact){.known = true, .value = bytes};
}

/* The group at `path` and all above it. In a container the path may be that of the host, of which
 * nothing but the mount itself is there. */
static void add_groups(struct ca_cgroup_memory *memory, const struct version *version,
                       const char *mount, const char *path)
{
    char folder[PATH_MAX];
    size_t top = strlen(mount) + strlen(version->folder);

    if (snprintf(folder, sizeof folder, "%s%s%s", mount, version->folder, path) >=
        (int)sizeof folder)
        return;
    for (;;) {
        double limit = number_in(folder, version->limit, "");
        double usage = number_in(folder, version->usage, "");
        double cache = number_in(folder, "memory.stat", version->cache);
        bool limited = limit >= 0 && !(limit >= NO_LIMIT);
        char *slash;

        if (limited)
            tighten(&memory->limit, limit);
        if (limited && usage >= 0) {
            usage -= cache > 0 && cache < usage ? cache : 0;
            tighten(&memory->available, usage < limit ? limit - usage : 0);
        }
        slash = strrchr(folder + top, '/');
        if (!slash)
            return;
        *slash = 0;
    }
}

/* Whether "memory" is one of the controllers of a list such as "cpu,memory". */
static bool has_memory(const char *list)
{
    for (const char *at = list; (at = strstr(at, "memory")); at++)
        if ((at == list || at[-1] == ',') && (at[6] == ',' || at[6] == 0))
            return true;
    return false;
}

struct ca_cgroup_memory ca_cgroup_memory(const char *membership, const char *mount)
{
    struct ca_cgroup_memory memory = {.limit = {.known = false}};
    FILE *file = fopen(membership, "re");
    char line[PATH_MAX];

    while (file && fgets(line, sizeof line, file)) {
        /* "number:controllers:path"; version 2 has no controllers there. */
        char *controllers = strchr(line, ':'),
             *path = controllers ? strchr(++controllers, ':') : NULL;

        if (!path)
            continue;
        *path++ = 0;
        path[strcspn(path, "\n")] = 0;
        if (!controllers[0] || has_memory(controllers))
            add_groups(&memory, &versions[!controllers[0]], mount, path);
    }
    if (file)
        fclose(file);
    return memory;
}
