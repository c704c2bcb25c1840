/* SPDX-License-Identifier: MIT */
/* Lists /dev/shm before and after. */
#include "core/lab/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/dev/shm"

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool lab_leftovers_note(struct lab_leftovers *before)
{
    DIR *folder = opendir(FOLDER);
    const struct dirent *entry;
    bool good = true;

    *before = (struct lab_leftovers){.name = NULL};
    while (good && folder && (entry = readdir(folder)) != NULL) {
        char **more = realloc(before->name, (before->count + 1) * sizeof *more);

        good = more && (more[before->count] = strdup(entry->d_name)) != NULL;
        before->name = more ? more : before->name;
        before->count += good;
    }
    if (folder)
        closedir(folder);
    if (before->count > 0)
        qsort(before->name, before->count, sizeof *before->name, by_name);
    return good;
}

void lab_leftovers_remove(struct lab_leftovers *before, uid_t user)
{
    DIR *folder = before->name ? opendir(FOLDER) : NULL;
    const struct dirent *entry;
    struct stat facts;

    while (folder && (entry = readdir(folder)) != NULL) {
        const char *name = entry->d_name;

        if (bsearch(&name, before->name, before->count, sizeof *before->name, by_name) ||
            fstatat(dirfd(folder), name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || facts.st_uid != user)
            continue;
        unlinkat(dirfd(folder), name, S_ISDIR(facts.st_mode) ? AT_REMOVEDIR : 0);
    }
    if (folder)
        closedir(folder);
    for (size_t i = 0; before->name && i < before->count; i++)
        free(before->name[i]);
    free(before->name);
    *before = (struct lab_leftovers){.name = NULL};
}
