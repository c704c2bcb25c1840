/* SPDX-License-Identifier: MIT */
/* The mark of processes of submissions: core/base/confined.c. */
#include "core/base/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/lab/process/sandbox_parts.h"
#include "tests/support/program.h"
#include "tests/support/support.h"

static void mark(void) { ca_confined_mark(); }

static void mark_and_lower(void)
{
    const struct rlimit none = {0, 0};

    ca_confined_mark();
    ck_assert_int_eq(setrlimit(RLIMIT_MSGQUEUE, &none), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_RTTIME, &none), 0);
}

static void filter(void)
{
    const struct lab_filter wanted = {.keeps_modes = true};

    ck_assert(lab_filter_install(&wanted));
}

/* A filter keeps LeakSanitizer from looking at its process (ptrace), which then ends with an error.
 */
#ifdef __SANITIZE_ADDRESS__
#define FILTERS 0
#else
#define FILTERS 1
#endif

static void (*const ways[])(void) = {mark, mark_and_lower, filter};

/* It is inherited, by whatever the processes below start. */
START_TEST(marked)
{
    ck_assert(!ca_is_confined());
    ways[_i]();
    ck_assert(ca_is_confined());
    calab_fails(2, "it does not start within a submission", "--version");
}
END_TEST

/* Somebody may lower one of the limits for other reasons. */
START_TEST(not_marked)
{
    const struct rlimit none = {0, 0};

    ck_assert_int_eq(setrlimit(RLIMIT_MSGQUEUE, &none), 0);
    ck_assert(!ca_is_confined());
    calab_good("--version");
}
END_TEST

/* Of CUDA's driver: it does not start without. */
START_TEST(what_a_driver_needs)
{
    const struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0calab-test"};
    const struct lab_filter wanted = {.keeps_modes = true, .no_network = true};
    int fd;

    ck_assert(lab_filter_install(&wanted));
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(bind(fd, (const struct sockaddr *)&name, sizeof name), 0);
    ck_assert_int_eq(listen(fd, 1), 0);
    ck_assert_int_lt(connect(fd, (const struct sockaddr *)&name, sizeof name), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_lt(socket(AF_INET, SOCK_STREAM, 0), 0);
    ck_assert_int_lt(socket(AF_UNIX, SOCK_DGRAM, 0), 0);
    close(fd);
}
END_TEST

/* Modes, owners and times are as they were, by whatever call; attributes may be read. */
START_TEST(modes_are_kept)
{
    const struct lab_filter wanted = {.keeps_modes = true};
    const unsigned long writes[] = {FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR};
    const char *path = test_put("kept", "text");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int flags = 0;

    ck_assert_int_ge(fd, 0);
    ck_assert(lab_filter_install(&wanted));
    for (size_t i = 0; i < COUNT(writes); i++) {
        errno = 0;
        ck_assert_int_lt(ioctl(-1, writes[i], &flags), 0);
        ck_assert_int_eq(errno, EPERM);
    }
    ck_assert_int_lt(ioctl(-1, FS_IOC_GETFLAGS, &flags), 0);
    ck_assert_int_eq(errno, EBADF);
    ck_assert_int_lt(fchmod(fd, 0600), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_lt(chmod(path, 0600), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_lt(chown(path, getuid(), getgid()), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_lt(futimens(fd, NULL), 0);
    ck_assert_int_eq(errno, EPERM);
    close(fd);
}
END_TEST

/* Calls that reach other processes, by the argument that says so. */
START_TEST(others_are_not_reached)
{
    const struct lab_filter wanted = {.shares_user = true, .alone = getpid()};
    const struct sched_param none = {0};
    struct rlimit limit;

    ck_assert(lab_filter_install(&wanted));
    ck_assert_int_lt(setpriority(PRIO_PROCESS, 1, 19), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_lt(setpriority(PRIO_USER, 0, 19), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_eq(setpriority(PRIO_PROCESS, 0, 19), 0);
    errno = 0;
    ck_assert_int_lt(sched_setscheduler(INT_MAX, SCHED_BATCH, &none), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_lt(syscall(SYS_ioprio_set, 1, INT_MAX, 0), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_lt(syscall(SYS_ioprio_set, 2, 0, 0), 0);
    ck_assert_int_eq(errno, EPERM);
    errno = 0; /* its own, which the system may or may not allow */
    syscall(SYS_ioprio_set, 1, 0, 0);
    ck_assert_int_ne(errno, EPERM);
    ck_assert_int_lt(prlimit(INT_MAX, RLIMIT_CPU, NULL, &limit), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_eq(prlimit(0, RLIMIT_CPU, NULL, &limit), 0);
    ck_assert_int_lt(kill(INT_MAX, 0), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_eq(kill(getpid(), 0), 0);
    ck_assert_int_lt(fcntl(-1, F_SETOWN, 0), 0);
    ck_assert_int_eq(errno, EPERM);
    ck_assert_int_lt(fcntl(-1, F_GETOWN), 0);
    ck_assert_int_eq(errno, EBADF);
    ck_assert_int_lt(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0), 0);
    ck_assert_int_eq(errno, EPERM);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {not_marked, FILTERS ? what_a_driver_needs : NULL,
                              FILTERS ? modes_are_kept : NULL,
                              FILTERS ? others_are_not_reached : NULL},
                     .table = {{marked, (int)COUNT(ways) - !FILTERS}});
}
