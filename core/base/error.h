/* SPDX-License-Identifier: MIT */
/*
 * Errors: a status that is also the program's exit status, and a text for the user.
 *
 * Functions that can fail return enum ca_status and fill a struct ca_error (never NULL) that says
 * what was wrong, where, and what is allowed. They never print and never exit.
 */
#ifndef CALAB_CORE_BASE_ERROR_H
#define CALAB_CORE_BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ca_status {
    CA_OK = 0,
    CA_WRONG = 1,       /* a check failed: a result is not what it should be */
    CA_USAGE = 2,       /* a value, name or size given by the user is not allowed */
    CA_SETTINGS = 3,    /* a settings or experiment file is wrong */
    CA_COMPILE = 4,     /* a program does not compile */
    CA_CUDA_FAILED = 5, /* a CUDA call failed */
    CA_TIMEOUT = 6,     /* something took longer than it was given */
    CA_NO_DEVICE = 7,   /* no device here can do it */
    CA_IO = 8,          /* reading or writing failed, or a data file is wrong */
    CA_NO_MEMORY = 9,   /* the host or the device has too little memory */
};

struct ca_error {
    enum ca_status status;
    char text[768]; /* one line without a full stop at its end */
};

void ca_error_set(struct ca_error *error, enum ca_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether a character steers the terminal instead of showing something: controls (C0, DEL, C1),
 * ends of lines and paragraphs, and what turns the direction of writing (Unicode's Bidi_Control).
 */
bool ca_steers(uint32_t character);
/* Makes a text from outside fit to be printed: a '?' stands for each character that
 * steers the terminal and for each byte that is no UTF-8. Returns text. */
char *ca_plain(char *text);

/* Fills the error and evaluates to the status: `return ca_fail(error, CA_USAGE, "...")`. */
#define ca_fail(error, status, ...) (ca_error_set(error, status, __VA_ARGS__), (status))

/* The status's short name as the protocol and JSON spell it: "ok", "usage", "io", ... */
const char *ca_status_name(enum ca_status status);

#define CA_TRY(call)                                                                               \
    do {                                                                                           \
        enum ca_status ca_try_ = (call);                                                           \
        if (ca_try_ != CA_OK)                                                                      \
            return ca_try_;                                                                        \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
