/* SPDX-License-Identifier: MIT */
/*
 * A wall clock that jumps back by an hour each time it is read, as one that is set again and again.
 * What test_surroundings preloads. The monotonic clock is left alone.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#define HOUR_S 3600

static int64_t back_s(void)
{
    static int64_t back;

    return __atomic_add_fetch(&back, HOUR_S, __ATOMIC_RELAXED);
}

static struct timespec wrong(void)
{
    int (*real)(clockid_t, struct timespec *) =
        (int (*)(clockid_t, struct timespec *))(uintptr_t)dlsym(RTLD_NEXT, "clock_gettime");
    struct timespec now;

    real(CLOCK_REALTIME, &now);
    now.tv_sec -= back_s();
    return now;
}

time_t time(time_t *out)
{
    const time_t now = wrong().tv_sec;

    if (out)
        *out = now;
    return now;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    const struct timespec now = wrong();

    (void)zone;
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    int (*real)(clockid_t, struct timespec *) =
        (int (*)(clockid_t, struct timespec *))(uintptr_t)dlsym(RTLD_NEXT, "clock_gettime");

    if (clock != CLOCK_REALTIME)
        return real(clock, out);
    *out = wrong();
    return 0;
}
