/* SPDX-License-Identifier: MIT */
/* Where there is no GPU but calab-emulated, every list and refusal says that it runs a CUDA
 * backend.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/support/program.h"
#include "tests/support/support.h"
#include "tests/support/script.h"

#define OFFER "cuda-naive runs in calab-emulated"
#define NO_GPU "CUDA_VISIBLE_DEVICES="

/* PATH with a folder in front that has a program of that name. */
static const char *path_with_emulated(void)
{
    static char path[8192];
    const char *program = test_path("calab-emulated");

    test_write(program, "#!/bin/sh\n", 10);
    ck_assert_int_eq(chmod(program, 0755), 0);
    snprintf(path, sizeof path, "PATH=%s:%s", test_folder(), getenv("PATH"));
    return path;
}

static const struct {
    const char *arguments;
    int status;
} commands[] = {
    {"list backends", 0},
    {"list backends --json", 0},
    {"list anneal", 0},
    {"run anneal -b cuda-naive", 7},
    {"bench anneal -s 64x64 -b cuda-naive,reference --time 0.01", 0},
    {"verify anneal -b cuda-naive --small", 7},
};

/* The text in one line, whatever it was broken into. */
static const char *unbroken(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++)
        if (!isspace((unsigned char)*from))
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    *to = '\0';
    return text;
}

START_TEST(offers)
{
    const char *const variable[] = {path_with_emulated(), NO_GPU, NULL};
    const struct surroundings s = {.variable = variable};
    struct outcome o = calab_in(&s, "%s", commands[_i].arguments);

    ck_assert_msg(o.status == commands[_i].status, "%s: status %d: %s%s", commands[_i].arguments,
                  o.status, o.out, o.err);
    ck_assert_msg(strstr(unbroken(o.out), OFFER) || strstr(o.err, OFFER), "%s: %s%s",
                  commands[_i].arguments, o.out, o.err);
}
END_TEST

START_TEST(offers_in_the_ladder)
{
    const struct screen_options options = {.rows = 30,
                                           .columns = 160,
                                           .arguments = {"anneal", "-s", "64x64"},
                                           .environment = {path_with_emulated(), NO_GPU}};
    struct screen *screen = user_starts(&options);

    user_does(screen, STEPS(PRESS("T"), SHOWS("more cannot run (enter shows them)"),
                            PRESS("\033[F\r") /* End: the line that says so is the last one */,
                            SHOWS("cuda-naive          cannot run: ")));
    for (int i = 0; i < 16 && !screen_shows(screen, "> cuda-naive "); i++)
        screen_send(screen, "j"), screen_listen(screen, 0.2);
    user_does(screen, STEPS(SHOWS(OFFER) /* the row's reason, whole */, PRESS("q"),
                            HIDES("every backend")));
    user_quits(screen);
}
END_TEST

/* Without that program, on the path or beside calab, nothing is offered. */
START_TEST(offers_nothing_absent)
{
    char command[2000], said[2000] = "";
    FILE *out;

    snprintf(command, sizeof command,
             "cp '%s' '%s' && PATH=/nowhere " NO_GPU " '%s' run anneal -b cuda-naive 2>&1; "
             "echo status $?",
             test_program(), test_path("alone"), test_path("alone"));
    out = popen(command, "r");
    ck_assert_ptr_nonnull(out);
    said[fread(said, 1, sizeof said - 1, out)] = '\0';
    pclose(out);
    ck_assert_contains(said, "status 7");
    ck_assert_ptr_null(strstr(said, "runs in calab-emulated"));
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {offers_in_the_ladder, offers_nothing_absent},
                     .table = {{offers, COUNT(commands)}});
}
