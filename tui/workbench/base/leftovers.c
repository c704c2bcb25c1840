/* SPDX-License-Identifier: MIT */
/* This file names this process's files in the state folder, HOST-PID-..., and clears up those of a
 * process that was killed: the newest checkpoint is offered, the rest removed. A locked file
 * HOST-PID.lock tells a process that lives, also on a folder that several hosts share. */
#include "tui/workbench/base/leftovers.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/quantity.h"
#include "core/files/lock.h"
#include "tui/workbench/base/log.h"

#define LOCK ".lock"
#define DEAD_MAX 64 /* processes that are looked after at a start */
#define NAME_SIZE 128

char *state_file(char path[CA_TEXT_MAX], const char *name)
{
    const char *folder = ca_state_folder();
    int length = snprintf(path, CA_TEXT_MAX, "%s/%s", folder, name);

    if (!folder[0] || length >= CA_TEXT_MAX)
        path[0] = 0;
    return path;
}

struct leftovers {
    int lock;                    /* the file that says that this process lives, 0: there is none */
    char recovered[CA_TEXT_MAX]; /* the checkpoint of a calab that was killed, "" */
};

static struct leftovers *leftovers_of(const struct workbench *wb)
{
    return part_state(wb, &leftovers_part);
}

const char *leftovers_recovered(const struct workbench *wb) { return leftovers_of(wb)->recovered; }

/* The path of one of this process's files, HOST-PID and an ending. */
static char *own_path(char path[CA_TEXT_MAX], const char *ending)
{
    char host[64] = "", file[2 * NAME_SIZE];

    gethostname(host, sizeof host - 1);
    for (char *c = host; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.')
            *c = '_';
    snprintf(file, sizeof file, "%s-%ld%s", host, (long)getpid(), ending);
    return state_file(path, file);
}

/* The first one makes the lock; without that this process's files are never taken for left-overs.
 */
char *own_file(struct workbench *wb, char path[CA_TEXT_MAX], const char *suffix)
{
    struct leftovers *left = leftovers_of(wb);
    struct ca_error ignored;
    char ending[64];

    if (left->lock <= 0 && own_path(path, LOCK)[0] && ca_file_parents(path, &ignored) == CA_OK) {
        left->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (left->lock >= 0 && ca_lock_try(left->lock) != CA_LOCK_GOT) {
            close(left->lock);
            unlink(path);
            left->lock = 0;
        }
    }
    snprintf(ending, sizeof ending, "-%s", suffix);
    return own_path(path, ending);
}

/* --- of others -------------------------------------------------------------------------------- */

/* The processes that have ended without removing their locks, which are held now. */
struct dead {
    char name[NAME_SIZE]; /* HOST-PID */
    int fd;
};

static int find_dead(int folder, DIR *entries, struct dead dead[DEAD_MAX])
{
    struct dirent *entry;
    int count = 0;

    while (count < DEAD_MAX && (entry = readdir(entries)) != NULL) {
        size_t length = strlen(entry->d_name), end = strlen(LOCK);
        int fd;

        if (length <= end || length - end >= NAME_SIZE ||
            strcmp(entry->d_name + length - end, LOCK) != 0)
            continue;
        fd = openat(folder, entry->d_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0 && ca_lock_try(fd) == CA_LOCK_GOT) {
            snprintf(dead[count].name, NAME_SIZE, "%.*s", (int)(length - end), entry->d_name);
            dead[count++].fd = fd;
        } else if (fd >= 0) {
            close(fd);
        }
    }
    return count;
}

static bool belongs(const char *file, const struct dead *dead, int count)
{
    for (int i = 0; i < count; i++) {
        size_t length = strlen(dead[i].name);

        if (strncmp(file, dead[i].name, length) == 0 &&
            (file[length] == '-' || strcmp(file + length, LOCK) == 0))
            return true;
    }
    return false;
}

/* Removes the files of the dead but for the newest state, which gets the name `keep`. */
static void clean(int folder, DIR *entries, const struct dead *dead, int count, const char *keep)
{
    char newest[NAME_MAX + 1] = "";
    struct timespec time = {0};
    struct dirent *entry;

    rewinddir(entries);
    while ((entry = readdir(entries)) != NULL) {
        struct stat status;

        if (!belongs(entry->d_name, dead, count) || !ca_state_has_run(entry->d_name) ||
            fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (!newest[0] || status.st_mtim.tv_sec > time.tv_sec ||
            (status.st_mtim.tv_sec == time.tv_sec && status.st_mtim.tv_nsec > time.tv_nsec)) {
            time = status.st_mtim;
            snprintf(newest, sizeof newest, "%s", entry->d_name);
        }
    }
    if (newest[0] && keep[0])
        renameat(folder, newest, AT_FDCWD, keep);
    rewinddir(entries);
    while ((entry = readdir(entries)) != NULL)
        if (belongs(entry->d_name, dead, count))
            unlinkat(folder, entry->d_name, 0);
}

void leftovers_take(struct workbench *wb)
{
    struct dead dead[DEAD_MAX];
    char path[CA_TEXT_MAX], keep[CA_TEXT_MAX] = "";
    DIR *entries = opendir(ca_state_folder());
    int count;

    if (ca_settings_path()[0])
        ca_temporary_clean(ca_settings_path());
    if (!entries)
        return;
    count = find_dead(dirfd(entries), entries, dead);
    if (count > 0) {
        own_file(wb, keep, "recovered.h5");
        clean(dirfd(entries), entries, dead, count, keep);
    }
    for (int i = 0; i < count; i++)
        close(dead[i].fd);
    closedir(entries);
    if (state_file(path, "any")[0])
        ca_temporary_clean(path);
    if (keep[0] && access(keep, R_OK) == 0)
        memcpy(leftovers_of(wb)->recovered, keep, sizeof keep);
}

void leftovers_offer(struct workbench *wb)
{
    char *recovered = leftovers_of(wb)->recovered;
    struct ca_state_run run;
    struct ca_error error;
    char size[64], generation[CA_QUANTITY_TEXT];

    if (!recovered[0])
        return;
    if (ca_state_run(recovered, &run, &error) != CA_OK) {
        alarm_raise(wb, "a calab was killed, and its last checkpoint cannot be read: %.300s",
                    error.text);
        recovered[0] = 0;
        return;
    }
    alarm_raise(wb, "a calab was killed at %s %s: :recover goes on from generation %s",
                run.model->name, ca_size_format(size, run.size, run.model->dimensions),
                ca_thousands(generation, run.generation));
}

static void leftovers_end(struct workbench *wb)
{
    static const char *const own[] = {"-checkpoint.h5", "-recovered.h5", "-split.npy", LOCK};
    struct leftovers *left = leftovers_of(wb);
    char path[CA_TEXT_MAX];

    for (int i = 0; i < 3 + (left->lock > 0); i++)
        if (own_path(path, own[i])[0])
            unlink(path);
    if (left->lock > 0)
        close(left->lock);
    left->lock = 0;
}

const struct part leftovers_part = {
    .name = "leftovers", .state_bytes = sizeof(struct leftovers), .end = leftovers_end};
