/* SPDX-License-Identifier: MIT */
/* Texts of others, such as names of students and messages of their compilers, are escaped for where
 * they are printed: no text becomes markup, a formula or a control sequence there. */
#ifndef CALAB_TUI_ESCAPE_H
#define CALAB_TUI_ESCAPE_H

#include <stdbool.h>
#include <stdio.h>

/* For a terminal: whatever steers one is '?', but the ends of lines. */
void escape_terminal(FILE *out, const char *text);
/* For Markdown: a part of one line, of which all is text. `begins`: it begins a line or an item of
 * a list. */
void escape_markdown(FILE *out, const char *text, bool begins);
/* For a field of CSV, in quotes where that is needed. What a spreadsheet would take for a formula
 * has an apostrophe before it; a number, and "-" alone, are none. */
void escape_csv(FILE *out, const char *text);
/* For XML: the text of an element or the value of an attribute, whose ends of lines are kept. What
 * XML 1.0 cannot have becomes a replacement character. */
void escape_xml(FILE *out, const char *text);

/* Prints a format of calab's own that has %s alone, whose texts are escaped. */
void escape_put_terminal(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void escape_put_markdown(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
