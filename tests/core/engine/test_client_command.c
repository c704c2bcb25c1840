/* SPDX-License-Identifier: MIT */
/* Engines that a command line starts: through wrappers, with their ends in plain words, and with
 * all processes that such a line has started gone at the end. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/client_peer.h"
#include "tests/support/support.h"

static struct ca_error error;

/* The command with the program in place of each ENGINE. */
static const char *with_program(const char *command)
{
    static char text[8192];
    size_t used = 0;

    for (const char *at; (at = strstr(command, "ENGINE")); command = at + strlen("ENGINE"))
        used += (size_t)snprintf(text + used, sizeof text - used, "%.*s%s engine",
                                 (int)(at - command), command, test_program());
    snprintf(text + used, sizeof text - used, "%s", command);
    return text;
}

static struct ca_client *start_by(const char *command, int stderr_fd)
{
    struct ca_client *client;

    ck_assert_ok(ca_client_start_by(&client, with_program(command), stderr_fd, &error));
    ck_assert(ca_client_is_command(client));
    return client;
}

static const char *const wrappers[] = {
    "ENGINE",
    "exec ENGINE",
    "cat | ENGINE | cat",
    "sh -c 'exec ENGINE'",
    "A='a b'; test \"$A\" = 'a b' && ENGINE # a comment",
    "echo 'Last login: today'; echo banner >&2; ENGINE; exit 7",
};

/* A picture is more than a pipe holds. */
START_TEST(wrappers_forward)
{
    struct ca_client *client = start_by(wrappers[_i], STDERR_FILENO);
    struct ca_message message;
    bool frame = false;

    ck_assert(!ca_client_greeted(client));
    ck_assert_str_eq(client_event(client, &message), "hello");
    ca_client_send(client, json_pack("{s:s, s:s, s:[i,i]}", "op", "open", "model", "anneal", "size",
                                     640, 640));
    ca_client_send(client,
                   json_pack("{s:s, s:i, s:i}", "op", "view", "columns", 640, "lines", 600));
    while (!frame) {
        const char *name;

        ck_assert_msg(client_next(client, &message, &error) == 1, "%s", error.text);
        name = json_text(message.json, "event");
        frame = name && strcmp(name, "frame") == 0;
        json_decref(message.json);
    }
    ck_assert_uint_eq(message.bytes, 2 * 640 * 600);
    ca_client_close(client);
}
END_TEST

static const struct {
    const char *command, *text;
    bool reported; /* there is more to read in the file of its stderr */
} ends[] = {
    {"/nowhere/mpirun -n 4 calab engine",
     "engine command '/nowhere/mpirun -n 4 calab engine' ended with status 127 (there is no such "
     "program): '",
     true},
    {"/dev/null", "engine command '/dev/null' ended with status 126 (it cannot be executed): '",
     true},
    {"exit 3", "engine command 'exit 3' ended with status 3", false},
    {"true", "engine command 'true' ended with status 0", false},
    {"echo one >&2; echo two words >&2; exit 1", " ended with status 1: 'two words'", true},
    {"printf 'why\\n-----\\n\\n  \\n' >&2; exit 1", " ended with status 1: 'why'", true},
    {"echo ---- >&2; exit 1", "exit 1' ended with status 1", true},
    {"echo 'This account is not available.'; exit 1", ": 'This account is not available.'", false},
    {"if", "engine command 'if' ended with status 2: '", true},
    {"sh -c 'kill -SEGV $$'; exit $?", " ended with status 139: '", true},
    {"sh -c 'kill -KILL $$'; exit $?", " ended with status 137: '", true},
    {"kill -KILL $$", "engine command 'kill -KILL $$' died by signal 9 (Killed)", false},
    {"# 345678 10 345678 20 345678 30 345678 40 345678 50 345678 60 345678 70 345678 80 345678 90",
     " 70 345678 8 ...' ended with status 0", false},
    {"echo '" ENGINE_GREETING "'; echo nonsense", "does not keep to the protocol", false},
};

START_TEST(ends_in_plain_words)
{
    FILE *file = tmpfile();
    struct ca_client *client;
    struct ca_message message;
    int got;

    fputs("before\n", file); /* by others, and not to be quoted */
    fflush(file);
    client = start_by(ends[_i].command, fileno(file));
    while ((got = client_next(client, &message, &error)) > 0)
        json_decref(message.json);
    ck_assert_int_eq(error.status, CA_IO);
    ck_assert_contains(error.text, ends[_i].text);
    ck_assert_ptr_null(strstr(error.text, "before"));
    ck_assert_int_eq(ca_client_reported(client), ends[_i].reported);
    ck_assert_int_eq(ca_client_send(client, json_pack("{s:s}", "op", "ping")), 0);
    ca_client_close(client);
    fclose(file);
}
END_TEST

/* Its standard error need not be a file that can be read again. */
START_TEST(stderr_goes_where_it_is_told)
{
    char text[16] = "";
    struct ca_client *client;
    struct ca_message message;
    int fd[2];

    ck_assert_int_eq(pipe2(fd, O_CLOEXEC), 0);
    client = start_by("echo said >&2; exit 1", fd[1]);
    close(fd[1]);
    ck_assert_int_eq(read(fd[0], text, sizeof text), 5);
    ck_assert_int_eq(client_next(client, &message, &error), -1);
    ck_assert_contains(error.text, "ended with status 1");
    ck_assert(!ca_client_reported(client));
    ca_client_close(client);
    close(fd[0]);
}
END_TEST

/* One process of a pipeline is killed; those before it end with their input. */
START_TEST(killed_in_the_middle)
{
    struct ca_message message;
    struct ca_client *client;
    int fd[2];

    ck_assert_int_eq(pipe2(fd, O_CLOEXEC), 0);
    client = start_by("cat | ENGINE | cat; exit 5", fd[1]);
    close(fd[1]);
    ck_assert_int_eq(client_next(client, &message, &error), 1);
    kill((pid_t)json_whole(message.json, "pid"), SIGKILL);
    json_decref(message.json);
    ca_client_end_input(client); /* which cat waits for, since nothing comes for it to pass on */
    ck_assert_int_eq(client_next(client, &message, &error), -1);
    ck_assert_contains(error.text, "| cat; exit 5' ended with status 5");
    ca_client_close(client);
    close(fd[0]);
}
END_TEST

static const char *const left_over[] = {
    "sleep 60 | sleep 60",
    "cat | ENGINE | cat",
    "sleep 60 & exec sleep 60",
    "sleep 60 & exit 0", /* the first process is gone already */
    "trap '' TERM INT HUP; sleep 60 | sleep 60; sleep 60",
    "(trap '' TERM; sleep 60; sleep 60) & sleep 60",
};

/* By what a user does: q, or killing an engine that hangs. */
START_TEST(nothing_is_left_over)
{
    const char *command = left_over[_i / 2];
    struct ca_client *client;
    int fd[2];

    ck_assert_int_eq(pipe2(fd, O_CLOEXEC), 0);
    client = start_by(command, fd[1]);
    close(fd[1]);
    if (_i % 2 == 0)
        ca_client_kill(client);
    ca_client_close(client);
    client_await_end(fd[0]);
    close(fd[0]);
}
END_TEST

/* What this program starts by itself leaves nothing in its group either. */
START_TEST(own_engine_leaves_nothing)
{
    const char *const argv[] = {"/bin/sh", "-c", _i ? "sleep 60 | sleep 60" : "sleep 60 & exit 0",
                                NULL};
    struct ca_client *client;
    int fd[2];

    ck_assert_int_eq(pipe2(fd, O_CLOEXEC), 0);
    ck_assert_ok(ca_client_start(&client, argv, fd[1], &error));
    ck_assert(!ca_client_is_command(client));
    close(fd[1]);
    ca_client_close(client);
    client_await_end(fd[0]);
    close(fd[0]);
}
END_TEST

/* Waits until a process is stopped. */
static void await_stop(pid_t pid)
{
    char path[64], line[512] = "";

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    while (!strstr(line, ") T ")) {
        FILE *file = fopen(path, "r");

        ck_assert_ptr_nonnull(file);
        ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
        fclose(file);
    }
}

/* mpirun ends its processes when SIGTERM comes, on other hosts too; so does one that is stopped. */
static const char *const ending[] = {
    "trap 'echo ended >&2; exit' TERM; echo ready >&2; while :; do sleep 0.01; done",
    "trap 'echo ended >&2; exit' TERM; echo ready >&2; kill -STOP $$; while :; do sleep 0.01; done",
};

START_TEST(command_may_end_others)
{
    char text[256] = "";
    struct ca_client *client;
    ssize_t got, used = 0;
    int fd[2];

    ck_assert_int_eq(pipe2(fd, O_CLOEXEC), 0);
    client = start_by(ending[_i], fd[1]);
    close(fd[1]);
    ck_assert_int_eq(read(fd[0], text, 6), 6); /* ready */
    if (_i == 1)
        await_stop(ca_client_pid(client));
    ca_client_kill(client);
    while ((got = read(fd[0], text + used, sizeof text - 1 - (size_t)used)) > 0)
        used += got;
    text[used] = '\0';
    ck_assert_contains(text, "ended\n"); /* a shell may say what SIGTERM did */
    ca_client_close(client);
    close(fd[0]);
}
END_TEST

/* As when the program is suspended, and goes on. */
START_TEST(signals_reach_all)
{
    struct ca_message message;
    struct ca_client *client = start_by("cat | ENGINE | cat", STDERR_FILENO);
    pid_t pid;

    ck_assert_int_eq(client_next(client, &message, &error), 1);
    pid = (pid_t)json_whole(message.json, "pid");
    json_decref(message.json);
    ca_client_signal(client, SIGSTOP);
    await_stop(pid);
    ca_client_signal(client, SIGCONT);
    ca_client_send(client, json_pack("{s:s}", "op", "ping"));
    ck_assert_int_eq(client_next(client, &message, &error), 1);
    json_decref(message.json);
    ca_client_close(client);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {stderr_goes_where_it_is_told, killed_in_the_middle,
                              signals_reach_all},
                     .table = {{wrappers_forward, COUNT(wrappers)},
                               {ends_in_plain_words, COUNT(ends)},
                               {nothing_is_left_over, 2 * COUNT(left_over)},
                               {own_engine_leaves_nothing, 2},
                               {command_may_end_others, COUNT(ending)}});
}
