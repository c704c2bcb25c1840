/* SPDX-License-Identifier: MIT */
/* The mark of processes of submissions: core/base/confined.c. */
#include "core/base/confined.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>
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

int main(void)
{
    return RUN_TESTS(.test = {not_marked, FILTERS ? what_a_driver_needs : NULL},
                     .table = {{marked, (int)COUNT(ways) - !FILTERS}});
}
