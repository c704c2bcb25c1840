/* SPDX-License-Identifier: MIT */
/*
 * Colours in fewer bytes. Curses names both colours of a pair where one of them changes, resets
 * both before the terminal's own, and sets those that a character does not show: of a blank that in
 * front, of a full block that behind. In a picture whose colours change from character to character
 * two thirds of the bytes are such sequences (SGR, select graphic rendition; ECMA-48, 8.3.117).
 *
 * Sequences of colours and attributes are taken out of a stream, and just before a character those
 * are put in that it shows and that the terminal has not. All else stays as it is, and the screen
 * looks the same. At the end of a frame the terminal has what curses takes it to have.
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_SGR_H
#define CALAB_TUI_WORKBENCH_TERMINAL_SGR_H

#include <stdbool.h>
#include <stddef.h>

#define SGR_HELD 64 /* bytes of a sequence */

struct sgr_look {
    int front, back;     /* numbers of colours, -1: the terminal's own */
    unsigned attributes; /* bit n: that of parameter n, 1 to 9 */
    char set;            /* of characters, B of ASCII, 0 of lines; or 0: none was named */
};

enum sgr_shown { SGR_ALL, SGR_BACK, SGR_FRONT }; /* by a character */

struct sgr {
    struct sgr_look wanted, there;
    bool unknown;         /* what the terminal has */
    bool verbatim;        /* a sequence was of another kind: from then on all stays as it is */
    enum sgr_shown shown; /* by the last character, which a sequence may repeat */
    char held[SGR_HELD];  /* a sequence or character that has begun */
    int length;
};

/* The terminal has its own colours and no attributes, as far as curses knows. One of less than 256
 * colours has sequences that differ, and pictures of few colours: there all stays as it is. */
void sgr_begin(struct sgr *sgr, int colours);
/* What the terminal has is no longer known, since bytes were lost. */
void sgr_forget(struct sgr *sgr);
/* Writes the shorter form of a part of a frame to `out`, unless that is NULL, and returns its
 * bytes. `end`: it is the last part. */
size_t sgr_shorten(struct sgr *sgr, const char *bytes, size_t count, bool end, char *out);

#endif
