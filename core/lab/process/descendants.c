/* SPDX-License-Identifier: MIT */
/* Reads /proc for the processes below this one. */
#include "core/lab/process/descendants.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"

#define ROUNDS_MAX 2000 /* each kills all that are there */
#define TRIES_MAX 100   /* to read them where memory is short */
#define OTHERS_MAX 64
#define SPARED_MAX 16
#define STOPS_S 5.0   /* until processes that are told to stop are waited for no more */
#define COUNTED_S 1.0 /* after which threads are counted again */

struct one {
    pid_t pid, parent;
    int threads;
    int64_t pages, ticks; /* ticks: of processor time, also of children that have ended */
    char state;
    bool below;
};

struct all {
    struct one *one;
    int count, capacity;
    bool lacks; /* some are missing, for want of memory */
};

static pid_t other[OTHERS_MAX]; /* children that are not a lab's */
static int others;
static pid_t spared[SPARED_MAX]; /* 0: none */
static pid_t keeper[SPARED_MAX]; /* of spared ones, a process of calab's own; 0: it is none */
static bool adopts;

/* "PID (NAME) STATE PPID ...", of which NAME may hold anything; see proc_pid_stat(5). */
static bool read_one(struct one *one, const char *pid)
{
    char path[64], text[1024], *after;
    unsigned long own[2];
    long ended[2];
    ssize_t got;
    int file;

    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    got = read(file, text, sizeof text - 1);
    close(file);
    text[got > 0 ? got : 0] = '\0';
    after = strrchr(text, ')');
    *one = (struct one){.pid = (pid_t)atol(pid)};
    if (!after || sscanf(after + 1,
                         " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld %*d %*d %d "
                         "%*d %*u %*u %ld",
                         &one->state, &one->parent, &own[0], &own[1], &ended[0], &ended[1],
                         &one->threads, &one->pages) != 8)
        return false;
    one->ticks = (int64_t)(own[0] + own[1]) + ended[0] + ended[1];
    return true;
}

static bool is_among(const pid_t *list, int count, pid_t pid)
{
    for (int i = 0; i < count; i++)
        if (list[i] == pid)
            return true;
    return false;
}

void descendants_spare(pid_t pid, bool are_spared)
{
    for (int i = 0; i < SPARED_MAX; i++)
        if (spared[i] == (are_spared ? 0 : pid)) {
            spared[i] = are_spared ? pid : 0;
            keeper[i] = 0;
            return;
        }
}

void descendants_keeper(pid_t pid)
{
    for (int i = 0; i < SPARED_MAX; i++)
        if (spared[i] == pid)
            keeper[i] = pid;
}

/* Room for one more; NULL: there is no memory. */
static struct one *next_of(struct all *all)
{
    if (all->count == all->capacity) {
        struct one *more = realloc(all->one, (size_t)(all->capacity + 256) * sizeof *more);

        if (!more) {
            all->lacks = true;
            return NULL;
        }
        all->one = more;
        all->capacity += 256;
    }
    return &all->one[all->count];
}

/* Reads all processes; what cannot be had is left out. */
static void read_processes(struct all *all)
{
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    struct one *one;

    *all = (struct all){.lacks = !folder && errno == ENOMEM};
    while (folder && (entry = readdir(folder)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0])) {
            one = next_of(all);
            if (!one)
                break;
            all->count += read_one(one, entry->d_name);
        }
    if (folder)
        closedir(folder);
}

/* Whether a process is below this one: `direct` if it is its child. */
static bool counts(pid_t pid, bool direct, bool spare)
{
    return !direct ||
           (!is_among(other, others, pid) && !(spare && is_among(spared, SPARED_MAX, pid)));
}

/* Marks all below this process, however deep; a parent may stand behind its child. */
static void mark_below(struct all *all, bool spare)
{
    const pid_t self = getpid();
    bool more = true;

    while (more) {
        more = false;
        for (int i = 0; i < all->count; i++) {
            struct one *one = &all->one[i];
            bool below = one->parent == self && counts(one->pid, true, spare);

            for (int j = 0; !below && !one->below && j < all->count; j++)
                below = all->one[j].below && all->one[j].pid == one->parent;
            more |= below && !one->below;
            one->below |= below;
        }
    }
}

/* Adds the children of a thread. False where Linux has no list of them. */
static bool add_children(struct all *all, pid_t pid, const char *thread, bool spare)
{
    char path[80], child[24];
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", pid, thread);
    file = fopen(path, "re");
    if (!file) {
        all->lacks |= errno == ENOMEM;
        return false;
    }
    while (fscanf(file, "%20s", child) == 1) {
        struct one *one = counts((pid_t)atol(child), pid == getpid(), spare) ? next_of(all) : NULL;

        if (one && read_one(one, child)) {
            one->below = true;
            all->count++;
        }
    }
    fclose(file);
    return true;
}

/* Adds the children of all threads of a process. */
static bool add_below(struct all *all, pid_t pid, bool spare)
{
    char path[40];
    const struct dirent *entry;
    bool any = false;
    DIR *folder;

    snprintf(path, sizeof path, "/proc/%d/task", pid);
    folder = opendir(path);
    all->lacks |= !folder && errno == ENOMEM;
    while (folder && (entry = readdir(folder)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]))
            any |= add_children(all, pid, entry->d_name, spare);
    if (folder)
        closedir(folder);
    return any;
}

/*
 * Reads the processes below this one, from parents to children, since a look at all processes costs
 * milliseconds where there are many, and memory is looked at many times a second. With `spare`
 * those that are spared are left out. A child is missed only while its parent reaps another one;
 * once that has ended, it is a child of this process, which reaps nobody meanwhile.
 */
static void try_below(struct all *all, bool spare)
{
    *all = (struct all){.one = NULL};
    if (!add_below(all, getpid(), spare)) {
        read_processes(all);
        mark_below(all, spare);
        return;
    }
    for (int i = 0; i < all->count; i++)
        add_below(all, all->one[i].pid, spare);
}

static void read_below(struct all *all, bool spare)
{
    try_below(all, spare);
    for (int i = 1; all->lacks && i < TRIES_MAX; i++) {
        free(all->one);
        try_below(all, spare);
    }
}

bool descendants_adopt(void)
{
    struct all all;

    if (adopts)
        return true;
    read_below(&all, false);
    for (int i = 0; !all.lacks && i < all.count && others < OTHERS_MAX; i++)
        if (all.one[i].parent == getpid())
            other[others++] = all.one[i].pid;
    free(all.one);
    adopts = !all.lacks && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
    return !all.lacks;
}

int64_t descendants_memory(void)
{
    struct all all;
    int64_t pages = 0;

    read_below(&all, false);
    for (int i = 0; i < all.count; i++)
        if (all.one[i].below && !is_among(keeper, SPARED_MAX, all.one[i].pid))
            pages += all.one[i].pages;
    free(all.one);
    return pages * sysconf(_SC_PAGESIZE);
}

double descendants_cpu_s(void)
{
    struct all all;
    int64_t ticks = 0;

    read_below(&all, false);
    for (int i = 0; i < all.count; i++)
        if (all.one[i].below)
            ticks += all.one[i].ticks;
    free(all.one);
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

bool descendants_run(void)
{
    struct all all;
    bool any = false;

    read_below(&all, false);
    for (int i = 0; i < all.count; i++)
        any = any || (all.one[i].below && all.one[i].state == 'R');
    free(all.one);
    return any;
}

/* How many of them do not stand still after it. */
static int signal_all(int signal)
{
    struct all all;
    int moving = 0;

    read_below(&all, false);
    for (int i = 0; i < all.count; i++)
        if (all.one[i].below && !strchr("TtZX", all.one[i].state)) {
            kill(all.one[i].pid, signal);
            moving++;
        } else if (all.one[i].below && signal != SIGSTOP) {
            kill(all.one[i].pid, signal);
        }
    free(all.one);
    return moving;
}

void descendants_signal(int signal)
{
    const struct timespec pause = {0, 1000000};
    double until = ca_now() + STOPS_S;

    /* A process stops once it gets a core, which others may keep from it for long; one that was not
     * seen has been started meanwhile. */
    while (signal_all(signal) > 0 && signal == SIGSTOP && ca_now() < until)
        nanosleep(&pause, NULL);
}

int descendants_threads(void)
{
    static double counted_s = -COUNTED_S;
    static int threads;
    struct all all;

    if (ca_now() - counted_s < COUNTED_S)
        return threads;
    threads = 0;
    read_processes(&all);
    for (int i = 0; i < all.count; i++) {
        char path[64];
        struct stat stat_of;

        snprintf(path, sizeof path, "/proc/%d", all.one[i].pid);
        if (stat(path, &stat_of) == 0 && stat_of.st_uid == getuid())
            threads += all.one[i].threads;
    }
    free(all.one);
    if (all.lacks)
        return -1;
    counted_s = ca_now();
    return threads;
}

void descendants_kill(void)
{
    for (int round = 0; round < ROUNDS_MAX; round++) {
        struct all all;
        int left = 0;

        read_below(&all, true);
        for (int i = 0; i < all.count; i++)
            if (all.one[i].below) {
                kill(all.one[i].pid, SIGKILL);
                left++;
            }
        for (int i = 0; i < all.count; i++)
            if (all.one[i].below && all.one[i].parent == getpid())
                while (waitpid(all.one[i].pid, NULL, 0) < 0 && errno == EINTR)
                    ;
        free(all.one);
        if (left == 0)
            return;
    }
}
