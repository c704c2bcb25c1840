/* SPDX-License-Identifier: MIT */
/*
 * Texts as they were looked at, in files of tests/data: sections, each of which begins with the
 * line of its name. CALAB_LOOKED_AT=FOLDER writes a file anew there, by all sections in their
 * order.
 */
#ifndef CALAB_TESTS_LOOKED_AT_H
#define CALAB_TESTS_LOOKED_AT_H

/* Fails where section `number`, from 0, of a file is not this text, with the first line that
 * differs; all of the text goes to standard error. No line of a text begins with "== ". */
void expect_looked_at(const char *file, int number, const char *section, const char *text);

#endif
