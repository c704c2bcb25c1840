/* SPDX-License-Identifier: MIT */
/* Collects what tools found that watched the accesses of a kernel, as lines "FILE:LINE: what". */
#ifndef CALAB_CORE_LAB_CHECK_WATCH_H
#define CALAB_CORE_LAB_CHECK_WATCH_H

#include "core/lab/check/check.h"

/* Adds those of the emulator's file of findings (calab-emulate(1), --json), its errors first,
 * and, if `wrong` or there is one, warnings that may be the reason. Whether there is an error among
 * them. `folder` is where the sources were. */
bool lab_watch_emulator(const char *path, const char *folder, bool wrong,
                        struct ca_lab_report *report);
/* Whether there are findings of races, of memory that nobody wrote, or of barriers: then what the
 * kernel makes of its neighbours is chance, and no probe can tell it. */
bool lab_watch_is_chance(const struct ca_lab_report *report);
/* Adds what AddressSanitizer or UndefinedBehaviorSanitizer printed before it ended the kernel. */
bool lab_watch_sanitizer(const char *said, struct ca_lab_report *report);

#endif
