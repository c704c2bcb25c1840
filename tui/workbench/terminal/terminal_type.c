/* SPDX-License-Identifier: MIT */
/* This file knows about terminal types what terminfo does not say. */
#include "tui/workbench/terminal/terminal_type.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

#include "tui/terminfo.h"

static const char *const xterms[] = {"xterm-256color", "xterm", "vt100", NULL};
static const char *const consoles[] = {"linux", "vt100", NULL};
static const char *const hardware[] = {"vt100", NULL};

static const struct family {
    const char *prefix;
    const char *const *plain; /* types to try in this order */
} families[] = {
    {"xterm", xterms},     {"screen", xterms},   {"tmux", xterms},
    {"rxvt", xterms},      {"kitty", xterms},    {"foot", xterms},
    {"alacritty", xterms}, {"wezterm", xterms},  {"putty", xterms},
    {"konsole", xterms},   {"gnome", xterms},    {"vte", xterms},
    {"st-", xterms},       {"ghostty", xterms},  {"iterm", xterms},
    {"mintty", xterms},    {"contour", xterms},  {"linux", consoles},
    {"vt", hardware},      {NULL, hardware + 1}, /* all others have no substitute */
};

static const struct family *family_of(const char *name)
{
    const struct family *family = families;

    while (family->prefix && strncmp(name, family->prefix, strlen(family->prefix)) != 0)
        family++;
    return family;
}

enum known { UNKNOWN, CANNOT_DRAW, CAN_DRAW };

static enum known terminfo_says(const char *name, int fd)
{
    int found = 0;
    const char *cup;

    if (terminfo_setup(name, fd, &found) != OK)
        return found == 1 ? CANNOT_DRAW : UNKNOWN; /* 1: a hardcopy terminal */
    cup = tigetstr("cup");
    del_curterm(cur_term);
    return cup && cup != (const char *)-1 ? CAN_DRAW : CANNOT_DRAW;
}

enum ca_status terminal_type_choose(struct terminal_type *type, int fd, struct ca_error *error)
{
    const char *name = getenv("TERM");

    memset(type, 0, sizeof *type);
    if (!name || !*name)
        return ca_fail(error, CA_USAGE,
                       "TERM is not set, so nothing can be drawn; " TERMINAL_REMEDY);
    if (strlen(name) >= sizeof type->name)
        return ca_fail(error, CA_USAGE,
                       "TERM is too long for the name of a terminal; " TERMINAL_REMEDY);
    type->takes_osc = family_of(name)->plain == xterms;
    switch (terminfo_says(name, fd)) {
    case CAN_DRAW:
        snprintf(type->name, sizeof type->name, "%s", name);
        return CA_OK;
    case CANNOT_DRAW:
        return ca_fail(error, CA_USAGE,
                       "TERM is '%s', a terminal that cannot move its cursor, so nothing can be "
                       "drawn; " TERMINAL_REMEDY,
                       name);
    case UNKNOWN:
        break;
    }
    for (const char *const *plain = family_of(name)->plain; *plain; plain++) {
        if (terminfo_says(*plain, fd) != CAN_DRAW)
            continue;
        snprintf(type->notice, sizeof type->notice,
                 "TERM is '%s', which terminfo does not know; using %s instead", name, *plain);
        snprintf(type->name, sizeof type->name, "%s", *plain);
        return CA_OK;
    }
    return ca_fail(
        error, CA_USAGE,
        "TERM is '%s', which terminfo does not know; install ncurses-term, or " TERMINAL_REMEDY,
        name);
}
