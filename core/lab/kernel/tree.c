/* SPDX-License-Identifier: MIT */
/* Walks through folders. */
#include "core/lab/kernel/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 16

struct walk {
    const char *root, *to; /* to NULL: nothing is copied */
    const char *glob;
    struct ca_listing *found; /* NULL: what matches is left out */
    int files, depth;
    long long bytes;
    struct ca_error *error;
};

static enum ca_status too_much(const struct walk *walk)
{
    return ca_fail(walk->error, CA_IO,
                   "%.400s has more than a check copies: %d files, %lld MB, %d folders in one "
                   "another",
                   walk->root, TREE_FILES_MAX, TREE_BYTES_MAX >> 20, DEPTH_MAX);
}

static enum ca_status copy_bytes(struct walk *walk, const char *from, const char *to, mode_t mode)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
    ssize_t got = -1;

    if (in >= 0)
        out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, (mode & 0777) | 0600);
    if (out >= 0)
        while ((got = sendfile(out, in, NULL, 1 << 24)) > 0)
            if ((walk->bytes += got) > TREE_BYTES_MAX)
                break;
    if (got < 0)
        ca_error_set(walk->error, CA_IO, "%.300s cannot be copied to %.300s: %s", from, to,
                     strerror(errno));
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return got < 0 ? CA_IO : got > 0 ? too_much(walk) : CA_OK;
}

static enum ca_status keep_path(const struct walk *walk, const char *path)
{
    struct ca_listing *found = walk->found;
    char **more = realloc(found->name, (size_t)(found->count + 1) * sizeof *more);

    if (more)
        found->name = more;
    if (!more || !(more[found->count] = strdup(path)))
        return ca_fail(walk->error, CA_NO_MEMORY, "no memory");
    found->count++;
    return CA_OK;
}

static enum ca_status walk_folder(struct walk *walk, const char *below);

/* Visits what has that path below the root. */
static enum ca_status visit(struct walk *walk, const char *path)
{
    char from[PATH_MAX], to[PATH_MAX];
    struct stat file;
    bool matches = walk->glob && fnmatch(walk->glob, path, FNM_PATHNAME | FNM_PERIOD) == 0;

    if (++walk->files > TREE_FILES_MAX ||
        snprintf(from, sizeof from, "%s/%s", walk->root, path) >= (int)sizeof from)
        return too_much(walk);
    if ((walk->to ? stat(from, &file) : lstat(from, &file)) != 0)
        return CA_OK; /* a link to nowhere, or removed by now */
    if (walk->to && snprintf(to, sizeof to, "%s/%s", walk->to, path) >= (int)sizeof to)
        return too_much(walk);
    if (S_ISDIR(file.st_mode)) {
        if (walk->to && mkdir(to, 0700) != 0)
            return ca_fail(walk->error, CA_IO, "the folder %.400s cannot be made: %s", to,
                           strerror(errno));
        return walk_folder(walk, path);
    }
    if (!S_ISREG(file.st_mode) || (walk->to && matches))
        return CA_OK;
    if (walk->to)
        return copy_bytes(walk, from, to, file.st_mode);
    return matches ? keep_path(walk, path) : CA_OK;
}

static enum ca_status walk_folder(struct walk *walk, const char *below)
{
    char path[PATH_MAX];
    struct dirent **entry = NULL;
    enum ca_status status = CA_OK;
    int count;

    if (++walk->depth > DEPTH_MAX)
        return too_much(walk);
    snprintf(path, sizeof path, "%s/%s", walk->root, below);
    count = scandir(path, &entry, NULL, alphasort);
    if (count < 0 && walk->to)
        status = ca_fail(walk->error, CA_IO, "%.400s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (status == CA_OK && entry[i]->d_name[0] != '.') {
            int length =
                snprintf(path, sizeof path, "%s%s%s", below, *below ? "/" : "", entry[i]->d_name);

            status = length < (int)sizeof path ? visit(walk, path) : too_much(walk);
        }
        free(entry[i]);
    }
    free(entry);
    walk->depth--;
    return status;
}

enum ca_status tree_copy(const char *from, const char *to, const char *but, struct ca_error *error)
{
    struct walk walk = {.root = from, .to = to, .glob = but, .error = error};

    return walk_folder(&walk, "");
}

enum ca_status tree_find(struct ca_listing *files, const char *folder, const char *glob,
                         struct ca_error *error)
{
    struct walk walk = {.root = folder, .glob = glob, .found = files, .error = error};

    *files = (struct ca_listing){.count = 0};
    return walk_folder(&walk, "");
}
