/* SPDX-License-Identifier: MIT */
/* What tools that watched the accesses of a kernel have found, as lines "FILE:LINE: what". */
#ifndef CALAB_CORE_LAB_WATCH_H
#define CALAB_CORE_LAB_WATCH_H

#include "core/lab/check.h"

/* Adds those of the emulator's file of findings (calab-emulate(1), --json), its errors first.
 * Whether there is an error among them. */
bool lab_watch_emulator(const char *path, struct ca_lab_report *report);
/* Adds what AddressSanitizer or UndefinedBehaviorSanitizer printed before it ended the kernel. */
bool lab_watch_sanitizer(const char *said, struct ca_lab_report *report);

#endif
