/* SPDX-License-Identifier: MIT */
/* Sets and finds the mark. The system calls are made here, as a library that is preloaded could
 * answer in place of the C library. */
#include "core/base/confined.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Limits that nobody lowers both: of message queues, and of the time of real-time threads. */
#define QUEUE_BYTES 4711
#define REALTIME_US 4711000000

/* A system call of four arguments, of which the third is 0. */
static long linux_call(long number, long a, long b, long d)
{
#if defined __x86_64__
    register long r10 __asm__("r10") = d;
    long result;

    __asm__ volatile("xorl %%edx, %%edx\n\txorl %%r8d, %%r8d\n\tsyscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "r"(r10)
                     : "rcx", "rdx", "r8", "r11", "memory");
    return result;
#elif defined __aarch64__
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = 0, x3 __asm__("x3") = d, x4 __asm__("x4") = 0;

    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
#else
    long result = syscall(number, a, b, 0L, d, 0L);

    return result < 0 ? -errno : result;
#endif
}

/* The call gives a soft and a hard limit. */
static bool is_limited(int what, unsigned long most)
{
    unsigned long limit[2] = {~0UL, ~0UL};

    return linux_call(SYS_prlimit64, 0, what, (long)limit) == 0 && limit[1] <= most;
}

void ca_confined_mark(void)
{
    const struct rlimit queue = {QUEUE_BYTES, QUEUE_BYTES}, realtime = {REALTIME_US, REALTIME_US};

    setrlimit(RLIMIT_MSGQUEUE, &queue);
    setrlimit(RLIMIT_RTTIME, &realtime);
}

bool ca_is_confined(void)
{
    return linux_call(SYS_prctl, CA_CONFINED_OPTION, 0, 0) == -CA_CONFINED_ERRNO ||
           (is_limited(RLIMIT_MSGQUEUE, QUEUE_BYTES) && is_limited(RLIMIT_RTTIME, REALTIME_US));
}
