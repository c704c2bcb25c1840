/* SPDX-License-Identifier: MIT */
/* What terminals send for the keys that the table of keys names. */
#ifndef CALAB_TESTS_SENT_KEYS_H
#define CALAB_TESTS_SENT_KEYS_H

#define SENT_MAX 32

/*
 * The bytes that a terminal sends for a key, by the terminfo entry of its type; what that entry
 * lacks, or any key where `term` is NULL, as an xterm sends it. Fails the test for an unknown key.
 * Returns `bytes`.
 */
char *sent_by(const char *term, const char *name, char bytes[SENT_MAX]);
/* What clears a screen of that type, without padding. */
char *sent_to_clear(const char *term, char bytes[SENT_MAX]);

#endif
