/* SPDX-License-Identifier: MIT */
/* An engine that a signal ends writes its last requests and a backtrace to standard error, for the
 * log of the workbench. Backtraces have addresses for addr2line(1) where names are missing. */
#ifndef CALAB_CORE_ENGINE_CRASH_H
#define CALAB_CORE_ENGINE_CRASH_H

#include <stddef.h>

/* From now on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT are reported, each unless another handler
 * is in place, as a sanitizer's. The process then ends by that signal. `command`: of calab, as in
 * "run". All but "engine" report the last line alone, without requests and backtrace. */
void ca_crash_begin(const char *command);

/* Keeps a request for the report, which has the last 16, each up to 240 bytes. */
void ca_crash_note(const char *request, size_t length);

/* "SIGSEGV" and so on for the signals that are reported; NULL for others. */
const char *ca_crash_name(int signal);

#endif
