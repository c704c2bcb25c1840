/* SPDX-License-Identifier: MIT */
/* Client: engines that behave, engines that do not, and how their ends are told. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/engine/client.h"
#include "core/engine/host.h"
#include "tests/support/client_peer.h"
#include "tests/support/support.h"

static struct ca_error error;

#define SSH "ssh -T -o BatchMode=yes -o ConnectTimeout=10 HOST calab engine"

static struct ca_client *start_shell(const char *script)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct ca_client *client;

    ck_assert_ok(ca_client_start(&client, argv, STDERR_FILENO, &error));
    return client;
}

static struct ca_client *start_engine(void)
{
    const char *const argv[] = {test_program(), "engine", NULL};
    struct ca_client *client;

    ck_assert_ok(ca_client_start(&client, argv, STDERR_FILENO, &error));
    return client;
}

START_TEST(talks_to_an_engine)
{
    struct ca_client *client = start_engine();
    struct ca_message message;
    int64_t first, second;

    ck_assert_str_eq(client_event(client, &message), "hello");
    first = ca_client_send(client, json_pack("{s:s}", "op", "ping"));
    second = ca_client_send(client, json_pack("{s:s}", "op", "ping"));
    ck_assert_int_gt(first, 0);
    ck_assert_int_gt(second, first);
    ck_assert_int_eq(client_next(client, &message, &error), 1);
    ck_assert_int_eq(json_whole(message.json, "id"), first);
    ck_assert(json_is_true(json_object_get(message.json, "ok")));
    json_decref(message.json);
    ck_assert_int_eq(client_next(client, &message, &error), 1);
    ck_assert_int_eq(json_whole(message.json, "id"), second);
    json_decref(message.json);
    ca_client_close(client);
}
END_TEST

START_TEST(frames_from_an_engine)
{
    struct ca_client *client = start_engine();
    struct ca_message message = {0};
    bool frame = false;

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
    for (size_t i = 0; i < message.bytes / 2; i++)
        must_hold(message.data[i] <= 1, "byte %zu is %d", i, message.data[i]);
    ca_client_close(client);
}
END_TEST

START_TEST(killed_engine_is_told)
{
    struct ca_client *client = start_engine();
    struct ca_message message;

    ck_assert_str_eq(client_event(client, &message), "hello");
    kill(ca_client_pid(client), SIGKILL);
    ck_assert_int_eq(client_next(client, &message, &error), -1);
    ck_assert_str_eq(error.text, "engine died by signal 9 (Killed)");
    ck_assert_int_eq(ca_client_send(client, json_pack("{s:s}", "op", "ping")), 0);
    ck_assert_int_eq(ca_client_next(client, &message, &error), -1);
    ca_client_close(client);
}
END_TEST

static const struct {
    const char *script, *text;
} ends[] = {
    {"exit 5", "engine ended with status 5"},
    {"exit 0", "engine ended with status 0"},
    {"kill -SEGV $$", "engine ended by SIGSEGV"},
    {"echo Welcome; echo to this host; echo", "engine ended with status 0: 'to this host'"},
    {"printf 'CALAB2 {}\\n'", "engine ended with status 0: 'CALAB2 {}'"},
    {"printf '\\n'; exit 2", "engine ended with status 2"},
    {"printf 'CALAB1 nonsense\\n'", "engine ended with status 0: 'CALAB1 nonsense'"},
    {"printf 'CALAB1 {nonsense\\n'", "expected a JSON object a line, got 'CALAB1 {nonsense'"},
    {"head -c 70000 /dev/zero | tr '\\0' x; sleep 30",
     "expected 'CALAB1 {...}' in the first 64 KiB, got 'xxx"},
    {"printf '" ENGINE_GREETING "\\n\\033[2J\\000\\n'",
     "expected a JSON object a line, got '?[2J?'"},
    {"printf '" ENGINE_GREETING "\\n{\"bytes\":-1}\\n'", "expected 0 ... 16777216 bytes"},
    {"printf '" ENGINE_GREETING "\\n{\"bytes\":\"many\"}\\n'", "expected 0 ... 16777216 bytes"},
    {"printf '" ENGINE_GREETING "\\n{\"bytes\":99999999999}\\n'", "expected 0 ... 16777216 bytes"},
    {"printf '" ENGINE_GREETING "\\n{\"event\":\"half a li'; exit 3", "engine ended with status 3"},
    {"printf '" ENGINE_GREETING "\\n{\"event\":\"frame\",\"bytes\":100}\\nabc'; exit 4",
     "status 4"},
    {"printf '" ENGINE_GREETING "\\n'; tr '\\0' x < /dev/zero | head -c 4300000; sleep 30",
     "expected a line below 4 MiB"},
    {"exec >&-; sleep 30", "engine closed its output"},
    {"echo 'CALAB1 {\"version\":\"0.0.9\"}'; sleep 30",
     "engine is calab 0.0.9, and this is calab " CALAB_VERSION
     ": both must be of the same version"},
    {"echo 'CALAB1 {\"version\":\"" CALAB_VERSION ".1\"}'; sleep 30",
     "engine is calab " CALAB_VERSION ".1, and this is calab " CALAB_VERSION ": both must"},
    {"printf 'CALAB1 {\"version\":\"\\\\u001b[2J\"}\\n'; sleep 30",
     "engine is calab ?[2J, and this"},
    {"echo 'CALAB1 {\"version\":1}'; sleep 30",
     "engine is calab of an unknown version, and this is calab "},
    {"echo 'CALAB1 {}'; sleep 30", "engine is calab of an unknown version, and this is calab "},
};

START_TEST(bad_ends)
{
    struct ca_client *client = start_shell(ends[_i].script);
    struct ca_message message;
    int got;

    while ((got = client_next(client, &message, &error)) > 0)
        json_decref(message.json); /* a good greeting before the bad thing */
    ck_assert_int_eq(got, -1);
    ck_assert_int_eq(error.status, CA_IO);
    ck_assert_contains(error.text, ends[_i].text);
    /* and so it stays */
    ck_assert_int_eq(ca_client_next(client, &message, &error), -1);
    ck_assert_contains(error.text, ends[_i].text);
    ck_assert_int_eq(ca_client_send(client, json_pack("{s:s}", "op", "ping")), 0);
    ca_client_close(client);
}
END_TEST

/* --- other hosts ------------------------------------------------------------------------------ */

/* A stand-in for ssh: a script that gets the words of the command, the host as $1. */
static enum ca_status start_on(struct ca_client **client, const char *host, const char *script,
                               struct ca_error *cause)
{
    char command[4096];

    test_put("ssh", script);
    snprintf(command, sizeof command, "/bin/sh %s HOST", test_path("ssh"));
    return ca_client_start_on(client, host, command, STDERR_FILENO, cause);
}

static const char *const logins[] = {
    "echo 'Last login: Sun Nov 22'; echo; exec %s engine",
    "printf 'no newline here: '; exec %s engine", /* the greeting is in the same line */
    "head -c 65000 /dev/zero; exec %s engine",
    "echo 'banner' >&2; sleep 0.2; printf CALAB; printf '1 '; sleep 0.1; echo; exec %s engine",
};

START_TEST(logins_may_talk)
{
    struct ca_client *client;
    struct ca_message message;

    ck_assert_ok(start_on(&client, "box", test_text(logins[_i], test_program()), &error));
    ck_assert(!ca_client_greeted(client));
    ck_assert_str_eq(client_event(client, &message), "hello");
    ck_assert(ca_client_greeted(client));
    ck_assert_int_eq(ca_client_send(client, json_pack("{s:s}", "op", "ping")), 1);
    ck_assert_int_eq(client_next(client, &message, &error), 1);
    ck_assert(json_is_true(json_object_get(message.json, "ok")));
    json_decref(message.json);
    ca_client_close(client);
}
END_TEST

static const struct {
    const char *script, *text;
} unreachable[] = {
    {"echo \"ssh: Could not resolve hostname $1: Name or service not known\" >&2; exit 255",
     "engine on box cannot be reached: 'ssh: Could not resolve hostname box: Name or service not "
     "known'"},
    {"echo 'bash: line 1: calab: command not found' >&2; exit 127",
     "engine on box cannot be started: there is no such program: 'bash: line 1: calab: command not "
     "found'"},
    {"echo 'This account is not available.'; exit 1",
     "engine on box ended with status 1: 'This account is not available.'"},
    {"echo '" ENGINE_GREETING "'; echo 'client_loop: send disconnect: Broken pipe' >&2; exit 255",
     "engine on box is gone: the connection ended: 'client_loop: send disconnect: Broken pipe'"},
    {"echo '" ENGINE_GREETING "'; echo nonsense", "engine on box does not keep to the protocol"},
    {"echo 'CALAB1 {\"version\":\"0.0.9\"}'; sleep 30",
     "engine on box is calab 0.0.9, and this is calab " CALAB_VERSION
     ": both must be of the same version"},
    {"kill -KILL $$", "engine on box died by signal 9 (Killed)"},
};

START_TEST(hosts_fail_in_plain_words)
{
    struct ca_client *client;
    struct ca_message message;
    int got;

    ck_assert_ok(start_on(&client, "box", unreachable[_i].script, &error));
    while ((got = client_next(client, &message, &error)) > 0)
        json_decref(message.json);
    ck_assert_int_eq(got, -1);
    ck_assert_contains(error.text, unreachable[_i].text);
    ca_client_close(client);
}
END_TEST

/* What a host wrote to stderr is not lost. */
START_TEST(stderr_of_a_host_is_passed_on)
{
    struct ca_client *client;
    struct ca_message message;
    const char *script = "echo one >&2; echo two >&2; exit 255";
    char command[4096], text[64] = "";
    FILE *file = tmpfile();

    test_put("ssh", script);
    snprintf(command, sizeof command, "/bin/sh %s HOST", test_path("ssh"));
    ck_assert_ok(ca_client_start_on(&client, "box", command, fileno(file), &error));
    ck_assert_int_eq(client_next(client, &message, &error), -1);
    ca_client_close(client);
    ck_assert_int_eq(pread(fileno(file), text, sizeof text - 1, 0), 8);
    ck_assert_str_eq(text, "one\ntwo\n");
    fclose(file);
}
END_TEST

static const struct {
    const char *host, *command, *text;
} refused[] = {
    {"-oProxyCommand=reboot", SSH, "a host does not begin with '-'"},
    {"", SSH, "the name of the host is empty"},
    {"box;reboot", SSH, "host 'box;reboot': character 4 is not allowed"},
    {"a box", SSH, "character 2 is not allowed"},
    {"box", "ssh box calab engine", "lacks the word HOST"},
    {"box", "HOST calab engine", "lacks the word HOST after its first word"},
    {"box", "", "lacks the word HOST"},
    {"box",
     "ssh a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a HOST",
     "more than 32 words"},
};

START_TEST(hosts_are_checked)
{
    struct ca_client *client = NULL;

    ck_assert_int_eq(
        ca_client_start_on(&client, refused[_i].host, refused[_i].command, STDERR_FILENO, &error),
        CA_USAGE);
    ck_assert_contains(error.text, refused[_i].text);
    ck_assert_ptr_null(client);
}
END_TEST

START_TEST(command_for_a_host)
{
    static const char *const words[] = {
        "ssh",   "-T",    "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "me@box.example",
        "calab", "engine"};
    struct ca_host_command built;

    ck_assert_ok(ca_host_command(&built, SSH, "me@box.example", &error));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        ck_assert_str_eq(built.argv[i], words[i]);
    ck_assert_ptr_null(built.argv[sizeof words / sizeof words[0]]);
    ck_assert_int_eq(ca_client_start_on(&(struct ca_client *){NULL}, "box", "/nonexistent/ssh HOST",
                                        STDERR_FILENO, &error),
                     CA_IO);
    ck_assert_contains(error.text,
                       "engine on box: '/nonexistent/ssh' does not start: No such file");
}
END_TEST

/* ---------------------------------------------------------------------------------------------- */

START_TEST(payloads_and_pieces)
{
    struct ca_client *client = start_shell(
        "printf '" ENGINE_GREETING "\\n"
        "{\"event\":\"a\",\"bytes\":3}\\n\\n{b{\"event\":\"c\"}\\n{\"ev';"
        "read go; printf 'ent\":\"d\",\"bytes\":0}\\n{\"event\":\"e\",\"bytes\":2}\\nx';"
        "read go; printf 'y'; exit 0");
    struct ca_message message;

    ck_assert_str_eq(client_event(client, &message), "hello");
    ck_assert_str_eq(client_event(client, &message), "a");
    ck_assert_uint_eq(message.bytes, 3);
    ck_assert_mem_eq(message.data, "\n{b", 3);
    ck_assert_str_eq(client_event(client, &message), "c");
    ck_assert_ptr_null(message.data);
    ck_assert_int_eq(ca_client_next(client, &message, &error), 0);
    ca_client_send(client, json_pack("{s:s}", "op", "go"));
    ck_assert_str_eq(client_event(client, &message), "d");
    ca_client_send(client, json_pack("{s:s}", "op", "go"));
    ck_assert_str_eq(client_event(client, &message), "e");
    ck_assert_mem_eq(message.data, "xy", 2);
    ck_assert_int_eq(client_next(client, &message, &error), -1);
    ca_client_close(client);
}
END_TEST

/* What the takers of replies have seen, in order. */
static struct {
    char text[256];
    struct ca_client **close; /* the taker closes this client; NULL: it does not */
} taken;

static void note(struct ca_request *request, const struct ca_message *reply,
                 const struct ca_error *refusal)
{
    size_t used = strlen(taken.text);

    ck_assert_ptr_null(request->take);
    snprintf(taken.text + used, sizeof taken.text - used, "%s%s: %s", used ? "; " : "",
             (const char *)request->to, refusal ? refusal->text : json_text(reply->json, "what"));
    if (!taken.close)
        return;
    ca_client_close(*taken.close);
    *taken.close = NULL;
}

static void note_event(void *to, const struct ca_message *event)
{
    (void)event;
    ++*(int *)to;
}

/* Serves until so much has been noted. */
static void serve_until(struct ca_client **client, const char *text, int *events)
{
    while (strcmp(taken.text, text) != 0) {
        struct pollfd fd = {ca_client_fd(*client), POLLIN, 0};

        ck_assert_int_eq(poll(&fd, 1, 10000), 1);
        ck_assert_msg(ca_client_serve(client, note_event, events, &error), "%s", error.text);
    }
}

START_TEST(replies_go_to_whoever_asked)
{
    struct ca_client *client = start_shell(
        "echo '" ENGINE_GREETING "'; read a; read b; read c; echo '{\"event\":\"e\"}';"
        "echo '{\"id\":2,\"ok\":true,\"what\":\"second\"}';"
        "echo '{\"id\":1,\"ok\":false,\"error\":{\"code\":\"usage\",\"message\":\"no\"}}';"
        "echo '{\"id\":9,\"ok\":true}'; echo '{\"id\":3,\"ok\":false}'; read d");
    struct ca_request request[3];
    int events = 0;

    memset(&taken, 0, sizeof taken);
    ca_client_ask(client, &request[0], "step", NULL, note, "step");
    ca_client_ask(client, &request[1], "stop", NULL, note, "stop");
    ca_client_ask(client, &request[2], "view", NULL, note, "view");
    ck_assert_ptr_eq(ca_client_waiting(client), &request[0]);
    ck_assert_str_eq(request[1].op->name, "stop");
    serve_until(&client,
                "stop: second; step: no; view: the engine refused the request without giving a "
                "reason",
                &events);
    ck_assert_int_eq(events, 2); /* the greeting is one */
    ck_assert_ptr_null(ca_client_waiting(client));
    ca_client_close(client);
}
END_TEST

/* The reply to what was asked before is nobody's. */
START_TEST(a_request_asked_anew)
{
    struct ca_client *client =
        start_shell("echo '" ENGINE_GREETING
                    "'; read a; read b; echo '{\"id\":1,\"ok\":true,\"what\":\"old\"}';"
                    "echo '{\"id\":2,\"ok\":true,\"what\":\"new\"}'; read d");
    struct ca_request request;
    int events = 0;

    memset(&taken, 0, sizeof taken);
    taken.close = &client; /* which a taker may do */
    ca_client_ask(client, &request, "ping", NULL, note, "ping");
    ca_client_ask(client, &request, "ping", NULL, note, "ping");
    ck_assert_ptr_null(request.next);
    serve_until(&client, "ping: new", &events);
    ck_assert_ptr_null(client);
}
END_TEST

START_TEST(cannot_start)
{
    static const struct {
        const char *path, *text;
    } cases[] = {
        {"/nonexistent/calab", "engine: '/nonexistent/calab' does not start: No such file"},
        {"/etc/passwd", "engine: '/etc/passwd' does not start: Permission denied"},
    };

    for (size_t i = 0; i < 2; i++) {
        const char *const argv[] = {cases[i].path, "engine", NULL};
        struct ca_client *client = NULL;

        ck_assert_int_eq(ca_client_start(&client, argv, STDERR_FILENO, &error), CA_IO);
        ck_assert_contains(error.text, cases[i].text);
        ck_assert_ptr_null(client);
    }
    ca_client_close(NULL);
}
END_TEST

static bool no_process;

/* libc's, or a failure as where there are too many processes. */
pid_t fork(void)
{
    pid_t (*real)(void) = (pid_t(*)(void))(uintptr_t)dlsym(RTLD_NEXT, "fork");

    errno = EAGAIN;
    return no_process ? -1 : real();
}

static int open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;

    ck_assert_ptr_nonnull(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

START_TEST(no_process_at_all)
{
    const char *const argv[] = {test_program(), "engine", NULL};
    struct ca_client *client = NULL;
    int before = open_files();

    no_process = true;
    ck_assert_int_eq(ca_client_start(&client, argv, STDERR_FILENO, &error), CA_IO);
    no_process = false;
    ck_assert_contains(error.text, "engine: no process: Resource temporarily unavailable");
    ck_assert_ptr_null(client);
    ck_assert_int_eq(open_files(), before);
}
END_TEST

START_TEST(sending_never_waits)
{
    struct ca_client *client = start_shell("sleep 30");
    char *large = malloc(100001);

    memset(large, 'x', 100000);
    large[100000] = 0;
    for (int i = 0; i < 20; i++)
        ck_assert_int_eq(
            ca_client_send(client, json_pack("{s:s, s:s}", "op", "ping", "pad", large)), i + 1);
    ck_assert(ca_client_wants_write(client));
    free(large);
    ca_client_close(client);
}
END_TEST

START_TEST(close_ends_a_obstinate_engine)
{
    const char *const argv[] = {"/bin/sh", "-c", "trap '' TERM INT HUP; exec sleep 30", NULL};
    struct ca_client *client;
    int fd[2];

    ck_assert_int_eq(pipe2(fd, O_CLOEXEC), 0);
    ck_assert_ok(ca_client_start(&client, argv, fd[1], &error));
    close(fd[1]);
    ca_client_close(client);
    client_await_end(fd[0]);
    close(fd[0]);
}
END_TEST

START_TEST(dies_with_its_parent)
{
    const char *const argv[] = {"/bin/sleep", "30", NULL};
    int fd[2];
    pid_t parent;

    ck_assert_int_eq(pipe2(fd, O_CLOEXEC), 0);
    parent = fork();
    if (parent == 0) {
        struct ca_client *client;

        if (ca_client_start(&client, argv, fd[1], &error) == CA_OK)
            kill(getpid(), SIGKILL);
        _exit(1);
    }
    close(fd[1]);
    waitpid(parent, NULL, 0);
    client_await_end(fd[0]);
    close(fd[0]);
}
END_TEST

/* How many descriptors an engine that is started now finds open. */
static int descriptors(struct ca_client **client)
{
    const char *const argv[] = {"/bin/sh", "-c", "ls /proc/self/fd | wc -l >&2", NULL};
    struct ca_message message;
    char text[16] = "";
    int fd[2];

    ck_assert_int_eq(pipe2(fd, O_CLOEXEC), 0);
    ck_assert_ok(ca_client_start(client, argv, fd[1], &error));
    close(fd[1]);
    ck_assert_int_eq(client_next(*client, &message, &error), -1);
    ck_assert_int_gt(read(fd[0], text, sizeof text - 1), 0);
    close(fd[0]);
    return atoi(text);
}

START_TEST(engines_do_not_see_each_other)
{
    struct ca_client *first, *running, *second;
    int alone = descriptors(&first);

    running = start_shell("sleep 30");
    ck_assert_int_ge(alone, 3);
    ck_assert_int_eq(descriptors(&second), alone);
    ca_client_close(first);
    ca_client_close(running);
    ca_client_close(second);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {talks_to_an_engine, frames_from_an_engine, killed_engine_is_told,
                              stderr_of_a_host_is_passed_on, command_for_a_host,
                              payloads_and_pieces, replies_go_to_whoever_asked,
                              a_request_asked_anew, cannot_start, no_process_at_all,
                              sending_never_waits, close_ends_a_obstinate_engine,
                              dies_with_its_parent, engines_do_not_see_each_other},
                     .table = {{bad_ends, COUNT(ends)},
                               {logins_may_talk, COUNT(logins)},
                               {hosts_fail_in_plain_words, COUNT(unreachable)},
                               {hosts_are_checked, COUNT(refused)}});
}
