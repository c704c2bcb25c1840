/* SPDX-License-Identifier: MIT */
/* The order in which the size of a terminal is looked for. */
#include "tui/size.h"

#include <stdlib.h>
#include <sys/ioctl.h>

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
