/* SPDX-License-Identifier: MIT */
/* Notices changes of a lab's folder, by inotify or by reading it. */
#include "core/lab/backend/change.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/lab/process/build.h"

#define POLL_MS 500
#define REST_MS 30  /* an editor that writes a file in parts takes less between two of them */
#define RESTLESS 20 /* looks at a folder that does not come to rest */

static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* A sum over the files, since their order in the folder is none. */
static uint64_t signature_of(const char *folder)
{
    DIR *open = opendir(folder);
    const struct dirent *entry;
    uint64_t sum = 0;

    while (open && (entry = readdir(open)) != NULL) {
        struct stat facts;
        char text[400];

        if ((!ca_lab_is_source(entry->d_name) && strcmp(entry->d_name, "lab.cfg") != 0) ||
            fstatat(dirfd(open), entry->d_name, &facts, 0) != 0)
            continue;
        snprintf(text, sizeof text, "%s %lld.%ld %lld %llu", entry->d_name,
                 (long long)facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, (long long)facts.st_size,
                 (unsigned long long)facts.st_ino);
        sum += hash_of(text);
    }
    if (open)
        closedir(open);
    return sum;
}

void ca_lab_change_open(struct ca_lab_change *change, const char *folder)
{
    snprintf(change->folder, sizeof change->folder, "%s", folder);
    change->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (change->inotify >= 0 &&
        inotify_add_watch(change->inotify, folder,
                          IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB) < 0)
        ca_lab_change_close(change);
    change->signature = signature_of(folder);
}

bool ca_lab_changed(struct ca_lab_change *change, bool see)
{
    uint64_t now = signature_of(change->folder), before;

    if (now == change->signature)
        return false;
    for (int i = 0; see && i < RESTLESS; i++) {
        nanosleep(&(struct timespec){.tv_nsec = REST_MS * 1000000L}, NULL);
        before = now;
        now = signature_of(change->folder);
        if (now == before)
            break;
    }
    if (see)
        change->signature = now;
    return true;
}

bool ca_lab_change_wait(struct ca_lab_change *change, int fd)
{
    struct pollfd polled[2] = {{.fd = change->inotify, .events = POLLIN},
                               {.fd = fd, .events = POLLIN}};
    char events[4096];

    if (poll(polled, 2, POLL_MS) <= 0)
        return false;
    while (change->inotify >= 0 && read(change->inotify, events, sizeof events) > 0)
        ;
    return polled[1].revents != 0;
}

void ca_lab_change_close(struct ca_lab_change *change)
{
    if (change->inotify >= 0)
        close(change->inotify);
    change->inotify = -1;
}
