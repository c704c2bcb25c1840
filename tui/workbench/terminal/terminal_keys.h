/* SPDX-License-Identifier: MIT */
/*
 * Keys as terminals send them, whatever terminfo says of them: xterm in all modes, PuTTY, rxvt,
 * screen, tmux, the Linux console. A control sequence that no key has (CSI or SS3) is taken whole
 * and does nothing, so that its letters are not mistaken for keys. A lone Esc is the key Esc. What
 * is pasted, in a terminal that brackets it, is text and no keys. What a terminal answers when it
 * is asked (CSI, and DCS and APC while that is awaited) is no key either.
 */
#ifndef CALAB_TUI_WORKBENCH_TERMINAL_TERMINAL_KEYS_H
#define CALAB_TUI_WORKBENCH_TERMINAL_TERMINAL_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* The key of a sequence without its Esc ("[1~", "OH", "[1;5D"): KEY_..., a character for a keypad's
 * digits, 0 for none; -1 where the sequence is not yet whole. Modifiers do not count. */
int terminal_sequence(const char *text, size_t length);

/* A sequence of which the end has not yet arrived. */
struct terminal_keys {
    char text[128];
    size_t length; /* 0: none */
    double began;
    wint_t next; /* a key that follows an Esc, 0: none */
    bool pasting;
    double pasted;                                   /* the time of the last character of a paste */
    bool awaits;                                     /* answers: ESC P > and ESC _ G begin one */
    void (*answer)(void *context, const char *text); /* takes a whole one, without its Esc */
    void *context;
};

/* A character of a paste, as a kind of key beside OK and KEY_CODE_YES; 0 where a paste begins. */
#define TERMINAL_PASTED 1

/* The next key of a curses window in nodelay mode, as wget_wch() returns it; ERR while a sequence
 * is not whole. One whose end does not come within a second is dropped. */
int terminal_keys_next(struct terminal_keys *keys, void *window, wint_t *key);

#endif
