/* SPDX-License-Identifier: MIT */
/*
 * Findings: one line each on standard error, reported once, and a count at the end.
 *
 *     CALAB_EMULATED_JSON=FILE    a line of JSON each, too, appended to the file
 *     CALAB_EMULATED_STATUS=N     the exit status of a process that found an error
 */
#ifndef CALAB_CORE_EMULATOR_RUNTIME_FINDING_H
#define CALAB_CORE_EMULATOR_RUNTIME_FINDING_H

#include "core/emulator/runtime/place.h"

#ifdef __cplusplus
extern "C" {
#endif

enum emulated_severity { EMULATED_ERROR, EMULATED_WARNING, EMULATED_HINT, EMULATED_SEVERITIES };

/* Different findings of this process so far. */
int emulated_found(enum emulated_severity severity);

#ifdef __cplusplus
}

#include <string>

/*
 * Tells of a fault of a kind ("race", "bounds", ...) at a place, and at another one that has to do
 * with it or NULL, unless the same kind was told of the same one or two lines. The text follows
 * "FILE:LINE: KIND: ".
 */
void finding_report(enum emulated_severity severity, const char *kind, const struct place *where,
                    const struct place *other, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Whether one of a kind was told. */
bool finding_was_told(const char *kind);
/* A text as a string of JSON. */
std::string finding_quoted(const char *text);
/* Adds a line of JSON to the file that the environment names, if it names one. */
void finding_add_line(const std::string &line);
/* The count, and the exit status: at the end of the process. */
void finding_summarize();

#endif

#endif
