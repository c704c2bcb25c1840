/* SPDX-License-Identifier: MIT */
/* The choice of a locale: the one that is named, or another with the same character set. */
#include "tui/locale.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>

/* Whether the name of a locale asks for UTF-8: "de_DE.UTF-8", "en_US.utf8@euro", "UTF-8". */
static bool locale_asks_utf8(const char *name)
{
    const char *codeset = strchr(name, '.');
    size_t length;

    codeset = codeset ? codeset + 1 : name; /* macOS sends the character set alone */
    length = strcspn(codeset, "@");
    return (length == 5 && strncasecmp(codeset, "UTF-8", length) == 0) ||
           (length == 4 && strncasecmp(codeset, "UTF8", length) == 0);
}

void locale_open(struct locale *locale)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    static const char *const names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8", "POSIX.UTF-8"};
    const char *variable = NULL, *wanted = "";

    memset(locale, 0, sizeof *locale);
    /* The first variable that is set says which characters there are, as setlocale(3) has it. */
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !variable; i++) {
        const char *value = getenv(variables[i]);

        if (value && value[0]) {
            variable = variables[i];
            wanted = value;
        }
    }
    /* One category that is not installed makes setlocale refuse all, even where the characters
     * could be had. */
    if (!setlocale(LC_ALL, "") && !setlocale(LC_CTYPE, "")) {
        bool found = false; /* the characters of UTF-8, whatever the language */

        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            found = found || (locale_asks_utf8(wanted) && setlocale(LC_CTYPE, names[i]));
        snprintf(locale->notice, sizeof locale->notice,
                 "%s is '%.80s', a locale that is not installed here; using %s", variable, wanted,
                 found ? setlocale(LC_CTYPE, NULL) : "C, that is, ASCII");
    }
    setlocale(LC_NUMERIC, "C");
    snprintf(locale->name, sizeof locale->name, "%s", setlocale(LC_CTYPE, NULL));
    snprintf(locale->codeset, sizeof locale->codeset, "%s", nl_langinfo(CODESET));
    locale->utf8 = strcmp(locale->codeset, "UTF-8") == 0;
}

/* --- the size --------------------------------------------------------------------------------- */

#define SIDE_MAX 2000 /* curses allocates every cell of what it is told */

bool size_told(int fd, struct size *size)
{
    struct winsize told;

    if (ioctl(fd, TIOCGWINSZ, &told) != 0 || told.ws_row == 0 || told.ws_col == 0)
        return false;
    *size = (struct size){told.ws_row, told.ws_col};
    return true;
}

int size_variable(const char *name)
{
    const char *text = getenv(name);
    char *end;
    long value;

    if (!text)
        return 0;
    value = strtol(text, &end, 10);
    return *end == '\0' && value >= 1 && value <= SIDE_MAX ? (int)value : 0;
}

struct size size_of(int fd)
{
    struct size size;
    int rows = size_variable("LINES"), columns = size_variable("COLUMNS");

    if (size_told(fd, &size))
        return size;
    return (struct size){rows ? rows : 24, columns ? columns : 80};
}
