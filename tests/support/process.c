/* SPDX-License-Identifier: MIT */
/* Asks /proc about other processes. */
#include "tests/support/process.h"

#include <check.h>
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int process_children(pid_t parent, pid_t children[], int size)
{
    char path[64];
    int count = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, parent);
    file = fopen(path, "r");
    if (!file)
        return 0;
    while (count < size && fscanf(file, "%d", &children[count]) == 1)
        count++;
    fclose(file);
    return count;
}

pid_t process_child(pid_t parent)
{
    pid_t child;

    return process_children(parent, &child, 1) ? child : 0;
}

/* The entries of /proc/PID/WHAT. */
static int entries(pid_t pid, const char *what)
{
    char path[64];
    DIR *folder;
    int count = 0;

    snprintf(path, sizeof path, "/proc/%d/%s", pid, what);
    folder = opendir(path);
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count - 2; /* . and .. */
}

bool process_holdings(pid_t pid, struct holdings *holdings)
{
    char path[64], line[256];
    FILE *file;

    *holdings =
        (struct holdings){.descriptors = entries(pid, "fd"), .threads = entries(pid, "task")};
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", pid);
    file = fopen(path, "r");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        sscanf(line, "Rss: %ld", &holdings->resident_kib);
        sscanf(line, "Anonymous: %ld", &holdings->own_kib);
    }
    fclose(file);
    return holdings->resident_kib > 0;
}

struct stat_line {
    char state;
    long ticks;         /* of its own CPU time */
    long awaited_ticks; /* of processes that it started and has awaited */
};

/* Fields 3 (state) and 14 to 17 (utime, stime, cutime, cstime) of /proc/PID/stat. */
static bool read_stat(pid_t pid, struct stat_line *stat)
{
    char path[64], line[1024] = "";
    long ticks[4];
    FILE *file;
    const char *after;

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    file = fopen(path, "r");
    if (!file)
        return false;
    after = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    if (!after || sscanf(after + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld %ld %ld",
                         &stat->state, &ticks[0], &ticks[1], &ticks[2], &ticks[3]) != 5)
        return false;
    stat->ticks = ticks[0] + ticks[1];
    stat->awaited_ticks = ticks[2] + ticks[3];
    return true;
}

long process_ticks(pid_t pid)
{
    struct stat_line stat;

    return read_stat(pid, &stat) ? stat.ticks : -1;
}

double process_tree_s(pid_t pid)
{
    struct stat_line stat;
    pid_t children[32];
    double sum = 0;

    if (read_stat(pid, &stat))
        sum = (double)(stat.ticks + stat.awaited_ticks) / (double)sysconf(_SC_CLK_TCK);
    for (int i = process_children(pid, children, 32) - 1; i >= 0; i--)
        sum += process_tree_s(children[i]);
    return sum;
}

static void expect_state(pid_t pid, char wanted)
{
    const double deadline = seconds_now() + DEADLINE_S;
    struct stat_line stat;

    while (read_stat(pid, &stat) && stat.state != wanted) {
        ck_assert_msg(seconds_now() < deadline, "process %d does not come to rest", pid);
        poll(NULL, 0, 10);
    }
}

void process_expect_sleep(pid_t pid) { expect_state(pid, 'S'); }
void process_expect_stop(pid_t pid) { expect_state(pid, 'T'); }

void process_expect_end(pid_t pid)
{
    struct pollfd fd = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};

    if (fd.fd < 0) /* it has already ended */
        return;
    ck_assert_msg(poll(&fd, 1, DEADLINE_S * 1000) == 1, "process %d does not end", pid);
    close(fd.fd);
}
