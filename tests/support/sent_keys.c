/* SPDX-License-Identifier: MIT */
/* Owns the bytes of keys, and of clearing the screen, by terminal type. */
#include "tests/support/sent_keys.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"
#include "tui/keys.h"

#include <term.h> /* at the end: its macros have names such as `columns` */

static const struct {
    const char *name, *capability, *bytes;
} keys[] = {
    {"enter", NULL, "\r"},           {"up", "kcuu1", "\033OA"},   {"down", "kcud1", "\033OB"},
    {"right", "kcuf1", "\033OC"},    {"left", "kcub1", "\033OD"}, {"home", "khome", "\033OH"},
    {"end", "kend", "\033OF"},       {"pgup", "kpp", "\033[5~"},  {"pgdn", "knp", "\033[6~"},
    {"shift-tab", "kcbt", "\033[Z"}, {"f1", "kf1", "\033OP"},     {"f2", "kf2", "\033OQ"},
    {"delete", "kdch1", "\033[3~"},  {"backspace", NULL, "\177"},
};

/* A capability of a terminal type, NULL if it has none of that name. */
static const char *capability(const char *term, const char *name)
{
    static char last[64];
    const char *text;
    int error;

    if (strcmp(last, term) != 0) {
        if (cur_term)
            del_curterm(cur_term);
        ck_assert_msg(setupterm(term, 1, &error) == OK,
                      "terminfo does not know '%s': install ncurses-base and ncurses-term", term);
        snprintf(last, sizeof last, "%s", term);
    }
    text = tigetstr(name);
    return text == (const char *)-1 ? NULL : text;
}

char *sent_by(const char *term, const char *name, char bytes[SENT_MAX])
{
    for (size_t i = 0; i < COUNT(keys); i++)
        if (strcmp(keys[i].name, name) == 0) {
            const char *own =
                term && keys[i].capability ? capability(term, keys[i].capability) : NULL;

            snprintf(bytes, SENT_MAX, "%s", own ? own : keys[i].bytes);
            return bytes;
        }
    bytes[0] = (char)keys_code(name);
    bytes[1] = 0;
    ck_assert_msg(bytes[0] > 0, "no bytes are known for the key '%s'", name);
    return bytes;
}

char *sent_to_clear(const char *term, char bytes[SENT_MAX])
{
    const char *text = capability(term, "clear");

    ck_assert_ptr_nonnull(text);
    snprintf(bytes, SENT_MAX, "%.*s", (int)strcspn(text, "$"), text);
    return bytes;
}
