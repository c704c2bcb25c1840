/* SPDX-License-Identifier: MIT */
/* Reports have statuses, and a kernel that has not ended in time is told so, which is another thing
 * than to be wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lab/check/trial.h"

#define WAITS_SHARE 0.05 /* of the time in which whoever waits has a processor, at most */

enum ca_status ca_lab_status(enum ca_lab_verdict verdict)
{
    return verdict == CA_LAB_RIGHT    ? CA_OK
           : verdict == CA_LAB_BROKEN ? CA_COMPILE
           : verdict == CA_LAB_SLOW   ? CA_TIMEOUT
                                      : CA_WRONG;
}

void ca_lab_report_free(struct ca_lab_report *report)
{
    free(report->map);
    free(report->said);
    report->map = report->said = NULL;
}

void lab_report_slow(const struct ca_lab *lab, struct ca_lab_report *report)
{
    const struct ca_lab_slow *slow = &report->slow;
    const bool watched = report->how == ca_lab_tool_names[CA_LAB_EMULATOR] ||
                         report->how == ca_lab_tool_names[CA_LAB_ASAN];
    const char *waits = "";
    char seen[sizeof report->text], allowed[160], before[80] = "";

    if (report->verdict != CA_LAB_SLOW)
        return;
    if (slow->waits && slow->cpu_s < WAITS_SHARE * slow->took_s)
        waits = ": it waits, and computes nothing";
    if (!watched && slow->limit_s > lab->seconds)
        snprintf(allowed, sizeof allowed, "; %.3g s are allowed, %d times what %.60s takes",
                 slow->limit_s, CA_LAB_SLOW_FACTOR, lab->against->name);
    else
        snprintf(allowed, sizeof allowed, "; %.3g s are allowed",
                 slow->limit_s > 0 ? slow->limit_s : lab->seconds);
    memcpy(seen, report->text, sizeof seen);
    if (report->cases > 0)
        snprintf(before, sizeof before, "%d case%s right, then ", report->cases,
                 report->cases == 1 ? " was" : "s were");
    snprintf(report->text, sizeof report->text,
             "%s%.400s%s%s%s: limits.%s and sizes in lab.cfg say how long", before, seen, waits,
             report->cases > 0 ? "" : ", in the first case", allowed,
             watched ? "watched_seconds" : "seconds");
}
