/* SPDX-License-Identifier: MIT */
/* Compares rates by how they were measured. */
#include "core/bench/kept.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/machine/device.h"

const char *const ca_measured_names[] = {"unknown", "trial", "bench"};

struct ca_kept ca_kept_now(double mups, enum ca_measured by, enum ca_quiet quiet,
                           const struct ca_backend *backend)
{
    struct ca_kept kept = {.mups = mups, .by = by, .quiet = quiet};

    ca_date(kept.date);
    if (backend->device == CA_CUDA)
        snprintf(kept.driver, sizeof kept.driver, "%.31s", ca_nvml_driver());
    return kept;
}

/* Days since a fixed one, by the rule of the Gregorian calendar with years that begin in March;
 * -1: the text is no date. */
static long day_of(const char *date)
{
    long year, month, day;

    if (sscanf(date, "%4ld-%2ld-%2ld", &year, &month, &day) != 3 || month < 1 || month > 12 ||
        day < 1 || day > 31 || year < 1)
        return -1;
    year -= month <= 2;
    month += month <= 2 ? 9 : -3;
    return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
}

int ca_kept_days(const char *date, const char *today)
{
    long from = day_of(date), to = day_of(today);

    return from < 0 || to < from ? -1 : (int)(to - from);
}

static bool kept_is_old(const struct ca_kept *kept, const struct ca_kept *now)
{
    int days = ca_kept_days(kept->date, now->date);

    return days < 0 || days > CA_KEPT_DAYS;
}

static bool kept_has_driver_of(const struct ca_kept *kept, const struct ca_kept *now)
{
    return strcmp(kept->driver, now->driver) == 0;
}

bool ca_kept_is_doubtful(const struct ca_kept *kept, const struct ca_kept *now)
{
    return kept->quiet == CA_DISTURBED || kept_is_old(kept, now) || !kept_has_driver_of(kept, now);
}

static int kept_rank(const struct ca_kept *kept)
{
    if (kept->quiet == CA_DISTURBED)
        return 0;
    if (kept->quiet == CA_QUIET_UNKNOWN || kept->by == CA_BY_UNKNOWN)
        return 1;
    return kept->by == CA_BY_TRIAL ? 2 : 3;
}

bool ca_kept_gives_way(const struct ca_kept *kept, const struct ca_kept *now)
{
    if (kept->mups <= 0 || kept_rank(now) >= kept_rank(kept) || !kept_has_driver_of(kept, now))
        return true;
    return kept_is_old(kept, now) && now->quiet != CA_DISTURBED;
}

char *ca_kept_text(char text[CA_KEPT_TEXT], const struct ca_kept *kept)
{
    static const char *const doubts[] = {
        [CA_QUIET_UNKNOWN] = "", [CA_QUIET] = "", [CA_DISTURBED] = " while others disturbed it"};
    char today[32];
    int days;

    ca_date(today);
    days = ca_kept_days(kept->date, today);
    snprintf(text, CA_KEPT_TEXT, "measured %s%.10s%s",
             days < 0    ? "before"
             : days == 0 ? "today"
             : days == 1 ? "yesterday"
                         : "on ",
             days > 1 ? kept->date : "", doubts[kept->quiet]);
    return text;
}
