/* SPDX-License-Identifier: MIT */
/* What an engine that crashes leaves behind: its last requests, and where it was. */
#ifndef CALAB_CORE_ENGINE_CRASH_H
#define CALAB_CORE_ENGINE_CRASH_H

#include <stddef.h>

/* Keeps a request, of a long one the beginning, for the log of a crash. */
void ca_crash_note(const char *request, size_t length);

/*
 * On SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, unless somebody else handles them: writes the
 * signal, the last requests and a backtrace to a descriptor, and lets the signal end the process.
 */
void ca_crash_log(int fd);

#endif
