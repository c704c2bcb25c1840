/* SPDX-License-Identifier: MIT */
/* Owns how tests press the keys of the workbench and read its screen. */
#include "tests/support/user.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/process.h"
#include "tests/support/support.h"

long long shown_generation(struct screen *screen)
{
    const char *at = strstr(screen_row(screen, 0), "gen ");
    long long generation = 0;

    if (!at)
        return -1;
    for (at += 4; isdigit((unsigned char)*at) || *at == ','; at++) /* a split has thousands */
        if (*at != ',')
            generation = 10 * generation + *at - '0';
    return generation;
}

static bool generation_is(struct screen *screen, const void *data)
{
    return shown_generation(screen) == *(const long long *)data;
}

static bool generation_from(struct screen *screen, const void *data)
{
    return shown_generation(screen) >= *(const long long *)data;
}

void expect_generation(struct screen *screen, long long generation)
{
    char what[64];

    snprintf(what, sizeof what, "generation %lld", generation);
    screen_until(screen, generation_is, &generation, what);
}

void expect_generation_from(struct screen *screen, long long least)
{
    char what[64];

    snprintf(what, sizeof what, "generation %lld or later", least);
    screen_until(screen, generation_from, &least, what);
}

void expect_status(struct screen *screen, const char *word) { screen_expect_row(screen, 0, word); }

struct screen *user_starts(const struct screen_options *options)
{
    struct screen *screen = screen_start(options);

    expect_generation_from(screen, 0);
    screen_expect_not(screen, "starting"); /* the engine has opened it */
    return screen;
}

struct screen *user_starts_default(void)
{
    const struct screen_options options = {.term = NULL};

    return user_starts(&options);
}

void user_quits(struct screen *screen)
{
    screen_send(screen, "q");
    ck_assert_int_eq(screen_end(screen), 0);
    screen_close(screen);
}

void user_chooses(struct screen *screen, const char *key, const char *name)
{
    char filter[128];

    screen_send(screen, key);
    screen_expect(screen, "type to filter");
    screen_send(screen, name);
    snprintf(filter, sizeof filter, "type to filter: %s_", name);
    screen_expect(screen, filter);
    screen_send(screen, "\r");
    screen_expect_not(screen, "type to filter");
}

void user_types(struct screen *screen, const char *key, const char *line)
{
    const char *shown = strlen(line) > 40 ? line + strlen(line) - 40 : line;

    screen_send(screen, key);
    /* Deletes the default text. */
    screen_send(screen, "\005\025");
    screen_send(screen, line);
    screen_expect(screen, shown);
    screen_send(screen, "\r");
}

const char *settings_file(void) { return test_path("config/calab/calab.cfg"); }

char *saved_settings(void)
{
    struct stat facts;

    return stat(settings_file(), &facts) == 0 ? test_read(settings_file(), NULL)
                                              : test_keep(strdup(""));
}

pid_t engine_of(struct screen *screen) { return process_child(screen_pid(screen)); }

pid_t user_newest_engine(struct screen *screen)
{
    pid_t children[64];
    const int count = process_children(screen_pid(screen), children, 64);

    return count ? children[count - 1] : 0;
}
