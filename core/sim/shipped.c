/* SPDX-License-Identifier: MIT */
/* Owns finding the experiment files that come with calab, and what lists say of each. */
#include "core/sim/shipped.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/config.h"

const char *ca_shipped_folder(int i)
{
    static char path[PATH_MAX + 32];
    ssize_t length;
    char *slash;

    if (i == 0)
        return "configs";
    length = i == 1 ? readlink("/proc/self/exe", path, PATH_MAX) : -1;
    if (length < 0)
        return NULL;
    path[length] = '\0';
    for (int up = 0; up < 2 && (slash = strrchr(path, '/')) != NULL; up++)
        *slash = '\0';
    strcat(path, "/share/calab/configs");
    return path;
}

static int is_config(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);

    return length > 4 && strcmp(entry->d_name + length - 4, ".cfg") == 0;
}

/* The text of the first comment line, without the comment marks. */
static void first_comment(char title[CA_TITLE_MAX], const char *path)
{
    FILE *file = fopen(path, "r");
    char line[CA_TITLE_MAX];

    title[0] = '\0';
    while (file && !title[0] && fgets(line, sizeof line, file)) {
        char *start = line + strspn(line, "#/* \t\n");

        if (start != line && strcspn(line, "#/") == 0)
            snprintf(title, CA_TITLE_MAX, "%.*s", (int)strcspn(start, "\n"), start);
    }
    ca_plain(title);
    if (file)
        fclose(file);
}

static void describe(struct ca_shipped *shipped)
{
    static struct ca_experiment experiment;
    config_t config;

    first_comment(shipped->title, shipped->path);
    shipped->name = strrchr(shipped->path, '/') + 1;
    if (ca_config_read(&config, shipped->path, NULL, &shipped->error) == CA_OK)
        shipped->is_benchmark = config_lookup(&config, "cases") != NULL;
    config_destroy(&config);
    if (shipped->error.text[0] || shipped->is_benchmark)
        return;
    ca_experiment_default(&experiment, ca_models[0]);
    if (ca_experiment_read(&experiment, shipped->path, &shipped->error) != CA_OK)
        return;
    shipped->model = experiment.model;
    snprintf(shipped->look_for, sizeof shipped->look_for, "%s",
             experiment.opening.value[CA_OPENING_LOOK_FOR].text);
    ca_plain(shipped->look_for);
}

/* Adds a file, or the files of a folder; false without memory. */
static bool add(struct ca_shipped **list, int *count, const char *folder, const char *name)
{
    struct ca_shipped *longer = realloc(*list, (size_t)(*count + 1) * sizeof **list);

    if (!longer)
        return false;
    *list = longer;
    memset(&longer[*count], 0, sizeof *longer);
    if (asprintf(&longer[*count].path, "%s/%s", folder, name) < 0)
        return false;
    describe(&longer[(*count)++]);
    return true;
}

static bool add_folder(struct ca_shipped **list, int *count, const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, is_config, alphasort);
    bool complete = true;

    for (int i = 0; i < n; i++) {
        complete = complete && add(list, count, folder, entries[i]->d_name);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return complete;
}

enum ca_status ca_shipped_find(struct ca_shipped **list, int *count, struct ca_error *error)
{
    const char *folder;

    *list = NULL;
    *count = 0;
    for (int i = 0; (folder = ca_shipped_folder(i)) != NULL; i++)
        if (!add_folder(list, count, folder)) {
            ca_shipped_free(*list, *count);
            *list = NULL;
            *count = 0;
            return ca_fail(error, CA_NO_MEMORY, "no memory for the list of experiments");
        }
    return CA_OK;
}

void ca_shipped_free(struct ca_shipped *list, int count)
{
    for (int i = 0; i < count; i++)
        free(list[i].path);
    free(list);
}
