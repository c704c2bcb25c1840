/* SPDX-License-Identifier: MIT */
/*
 * Owns an engine process: starting it, the two pipes, and how it ended. The caller interprets the
 * messages.
 */
#include "core/engine/client.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/engine/buffer.h"
#include "core/engine/crash.h"
#include "core/engine/host.h"
#include "core/engine/wire.h"

#define MAGIC "CALAB1 "
#define GREETING MAGIC "{" /* of which the greeting is made, whatever a login printed before it */
#define NOISE_MAX_BYTES ((size_t)64 << 10)
#define LINE_MAX_BYTES ((size_t)4 << 20)
#define READ_BYTES ((size_t)256 << 10)
#define READS 16         /* in one call of ca_client_next */
#define GRACE_MS 200     /* for an engine that has been asked to quit */
#define LAST_WORD_MS 100 /* between the end of its output and of its process */

struct ca_client {
    pid_t pid;
    int write_fd, read_fd;
    struct ca_buffer out, in;
    size_t taken;    /* bytes of `in` that the last ca_client_next returned */
    size_t searched; /* leading bytes of `in` without an end of line */
    json_t *waiting; /* a message whose payload is not complete */
    size_t bytes;    /* of that payload */
    int64_t last_id;
    bool greeted, gone, reaped;
    int wait_status;
    struct ca_error error; /* how the engine ended, if it is gone */
    char host[256];        /* "": this one */
    char name[300];        /* "engine", and where */
    int stderr_fd;         /* the caller's */
    int said_fd;           /* of another host: a file in memory that holds its stderr; or -1 */
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void sleep_ms(int ms)
{
    struct timespec time = {.tv_nsec = ms * 1000000L};

    nanosleep(&time, NULL);
}

/* Runs in the child between fork and exec, where only async-signal-safe calls are allowed. */
static void become(const char *const argv[], const int in[2], const int out[2], int stderr_fd,
                   int report, pid_t parent)
{
    const char *path = argv ? argv[0] : "/proc/self/exe";
    const char *const self[] = {"calab", "engine", NULL};
    sigset_t none;
    int code;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* ^C and ^Z are meant for the program in the foreground only. */
    setpgid(0, 0);
    if (getppid() == parent && dup2(in[0], STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0 &&
        dup2(stderr_fd, STDERR_FILENO) >= 0)
        execvp(path, (char *const *)(argv ? argv : self));
    code = errno;
    if (write(report, &code, sizeof code) < 0)
        _exit(126);
    _exit(127);
}

/* Forks and waits until exec has succeeded or reported why not. */
static enum ca_status launch(struct ca_client *client, const char *const argv[], const int in[2],
                             const int out[2], int stderr_fd, struct ca_error *error)
{
    const char *path = argv ? argv[0] : "/proc/self/exe";
    pid_t parent = getpid();
    int report[2], code = 0;
    ssize_t got;

    if (pipe2(report, O_CLOEXEC) != 0)
        return ca_fail(error, CA_IO, "%s: no pipe: %s", client->name, strerror(errno));
    client->pid = fork();
    if (client->pid == 0)
        become(argv, in, out, stderr_fd, report[1], parent);
    code = errno;
    close(report[1]);
    if (client->pid < 0) {
        close(report[0]);
        return ca_fail(error, CA_IO, "%s: no process: %s", client->name, strerror(code));
    }
    do
        got = read(report[0], &code, sizeof code);
    while (got < 0 && errno == EINTR);
    close(report[0]);
    if (got != (ssize_t)sizeof code)
        return CA_OK;
    waitpid(client->pid, NULL, 0);
    client->reaped = true;
    return ca_fail(error, CA_IO, "%s: '%s' does not start: %s", client->name, path, strerror(code));
}

/* Makes a pipe whose ends are above 2, so that the child's dup2 calls cannot collide. */
static bool safe_pipe(int fd[2])
{
    int low[2];

    if (pipe2(low, O_CLOEXEC) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        fd[i] = low[i] > 2 ? low[i] : fcntl(low[i], F_DUPFD_CLOEXEC, 3);
        if (low[i] <= 2)
            close(low[i]);
    }
    return fd[0] >= 0 && fd[1] >= 0;
}

static enum ca_status start(struct ca_client **client, const char *host, const char *const argv[],
                            int stderr_fd, struct ca_error *error)
{
    struct ca_client *c = calloc(1, sizeof *c);
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    enum ca_status status;

    if (!c)
        return ca_fail(error, CA_NO_MEMORY, "engine: no memory");
    snprintf(c->host, sizeof c->host, "%s", host);
    snprintf(c->name, sizeof c->name, "engine%s%s", host[0] ? " on " : "", c->host);
    c->stderr_fd = stderr_fd;
    c->write_fd = c->read_fd = -1;
    c->said_fd = host[0] ? memfd_create("stderr", MFD_CLOEXEC) : -1;
    c->reaped = true; /* until the process exists */
    if ((host[0] && c->said_fd < 0) || !safe_pipe(in) || !safe_pipe(out)) {
        status = ca_fail(error, CA_IO, "%s: no pipe: %s", c->name, strerror(errno));
    } else {
        c->reaped = false;
        /* Writing to a dead engine must return an error instead of ending this process. */
        signal(SIGPIPE, SIG_IGN);
        status = launch(c, argv, in, out, host[0] ? c->said_fd : stderr_fd, error);
    }
    close_fd(&in[0]);
    close_fd(&out[1]);
    c->write_fd = in[1];
    c->read_fd = out[0];
    if (status != CA_OK) {
        c->reaped = true;
        ca_client_close(c);
        return status;
    }
    fcntl(c->write_fd, F_SETFL, O_NONBLOCK);
    fcntl(c->read_fd, F_SETFL, O_NONBLOCK);
    *client = c;
    return CA_OK;
}

enum ca_status ca_client_start(struct ca_client **client, const char *const argv[], int stderr_fd,
                               struct ca_error *error)
{
    return start(client, "", argv, stderr_fd, error);
}

enum ca_status ca_client_start_on(struct ca_client **client, const char *host, const char *command,
                                  int stderr_fd, struct ca_error *error)
{
    struct ca_host_command built;

    CA_TRY(ca_host_command(&built, command, host, error));
    return start(client, host, built.argv, stderr_fd, error);
}

bool ca_client_greeted(const struct ca_client *client) { return client->greeted; }

/* Waits at most `ms` for the end of the process and stores its status. */
static bool reap(struct ca_client *client, int ms)
{
    for (int i = 0; !client->reaped; i++) {
        pid_t pid = waitpid(client->pid, &client->wait_status, WNOHANG);

        if (pid == client->pid || (pid < 0 && errno != EINTR))
            client->reaped = true;
        else if (i >= ms)
            return false;
        else
            sleep_ms(1);
    }
    return true;
}

/* Copies what another host's stderr has held so far to this one's. */
static void pass_on(struct ca_client *client)
{
    char bytes[4096];
    ssize_t got;

    if (client->said_fd < 0 || lseek(client->said_fd, 0, SEEK_SET) != 0)
        return;
    while ((got = read(client->said_fd, bytes, sizeof bytes)) > 0)
        if (write(client->stderr_fd, bytes, (size_t)got) != got)
            break;
}

void ca_client_close(struct ca_client *client)
{
    char rest[4096];

    if (!client)
        return;
    if (!client->reaped) {
        ca_client_send(client, ca_wire_request(CA_OP_STOP, NULL));
        ca_client_send(client, ca_wire_request(CA_OP_QUIT, NULL));
        close_fd(&client->write_fd);
        for (int i = 0; i < GRACE_MS && !reap(client, 0); i++) {
            while (read(client->read_fd, rest, sizeof rest) > 0)
                ; /* discarded, so that the engine is not blocked by a full pipe */
            sleep_ms(1);
        }
        if (!client->reaped) {
            kill(client->pid, SIGKILL);
            reap(client, 5 * GRACE_MS);
        }
    }
    close_fd(&client->write_fd);
    close_fd(&client->read_fd);
    pass_on(client);
    close_fd(&client->said_fd);
    ca_buffer_free(&client->in);
    ca_buffer_free(&client->out);
    json_decref(client->waiting);
    free(client);
}

bool ca_client_reported(const struct ca_client *client)
{
    if (client->said_fd >= 0)
        return lseek(client->said_fd, 0, SEEK_END) > 0;
    return client->gone && client->reaped && WIFSIGNALED(client->wait_status) &&
           ca_crash_name(WTERMSIG(client->wait_status));
}

int ca_client_fd(const struct ca_client *client) { return client->read_fd; }

bool ca_client_wants_write(const struct ca_client *client)
{
    return client->write_fd >= 0 && ca_buffer_count(&client->out) > 0;
}

int ca_client_write_fd(const struct ca_client *client) { return client->write_fd; }

pid_t ca_client_pid(const struct ca_client *client) { return client->pid; }

void ca_client_flush(struct ca_client *client)
{
    if (client->write_fd < 0)
        return;
    switch (ca_buffer_write(&client->out, client->write_fd)) {
    case CA_ENDED:
    case CA_BROKEN:
        /* The other pipe may still hold messages: ca_client_next finds out how it ended. */
        close_fd(&client->write_fd);
        break;
    default:
        break;
    }
}

int64_t ca_client_send(struct ca_client *client, json_t *request)
{
    return ca_client_send_bytes(client, request, NULL, 0);
}

int64_t ca_client_send_bytes(struct ca_client *client, json_t *request, const void *bytes,
                             size_t count)
{
    int64_t id = client->last_id + 1;
    char *text = NULL;
    size_t length;
    bool queued;

    if (count > 0)
        json_object_set_new(request, "bytes", json_integer((json_int_t)count));
    if (request && !client->gone && client->write_fd >= 0 &&
        json_object_set_new(request, "id", json_integer(id)) == 0)
        text = json_dumps(request, JSON_COMPACT);
    json_decref(request);
    if (!text)
        return 0;
    length = strlen(text);
    text[length] = '\n'; /* in place of the terminating NUL */
    queued = ca_buffer_reserve(&client->out, length + 1 + count) &&
             ca_buffer_append(&client->out, text, length + 1) &&
             ca_buffer_append(&client->out, bytes, count);
    free(text);
    if (!queued)
        return 0;
    client->last_id = id;
    ca_client_flush(client);
    return client->write_fd >= 0 ? id : 0;
}

/* The engine cannot be used any more; client->error says why. */
static int lost(struct ca_client *client)
{
    client->gone = true;
    close_fd(&client->write_fd);
    return -1;
}

#define QUOTE_BYTES 160

/* The bytes as text of a message: what cannot be printed is a question mark. */
static void quote(char text[QUOTE_BYTES], const char *bytes, size_t length)
{
    size_t n = length < QUOTE_BYTES - 1 ? length : QUOTE_BYTES - 1;

    for (size_t i = 0; i < n; i++)
        text[i] = bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?';
    text[n] = 0;
}

/* The last line of the bytes that is not empty. */
static void quote_last_line(char text[QUOTE_BYTES], const char *bytes, size_t length)
{
    const char *begin;

    while (length > 0 && (unsigned char)bytes[length - 1] <= ' ')
        length--;
    begin = length > 0 ? memrchr(bytes, '\n', length) : NULL;
    begin = begin ? begin + 1 : bytes;
    quote(text, begin, (size_t)(bytes + length - begin));
}

/* What another host, or whatever was started in the engine's place, said last; "" for nothing. */
static void last_words(struct ca_client *client, char text[QUOTE_BYTES])
{
    char tail[4096];
    off_t end = client->said_fd >= 0 ? lseek(client->said_fd, 0, SEEK_END) : 0;
    off_t begin = end > (off_t)sizeof tail ? end - (off_t)sizeof tail : 0;
    ssize_t got = end > 0 ? pread(client->said_fd, tail, sizeof tail, begin) : 0;

    text[0] = 0;
    if (got > 0)
        quote_last_line(text, tail, (size_t)got);
    if (!text[0] && !client->greeted)
        quote_last_line(text, ca_buffer_head(&client->in), ca_buffer_count(&client->in));
}

/* The output has ended: stores how the process ended. */
static int conclude(struct ca_client *client)
{
    char how[128], words[QUOTE_BYTES];
    int status;

    if (!reap(client, LAST_WORD_MS)) {
        ca_error_set(&client->error, CA_IO, "%s closed its output", client->name);
        return lost(client);
    }
    status = client->wait_status;
    if (WIFSIGNALED(status) && ca_crash_name(WTERMSIG(status)))
        snprintf(how, sizeof how, "ended by %s", ca_crash_name(WTERMSIG(status)));
    else if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "died by signal %d (%.80s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (client->host[0] && WEXITSTATUS(status) == 255) /* ssh's own status */
        snprintf(how, sizeof how, "%s",
                 client->greeted ? "is gone: the connection ended" : "cannot be reached");
    else if (client->host[0] && WEXITSTATUS(status) == 127) /* a shell's, of either side */
        snprintf(how, sizeof how, "cannot be started: there is no such program");
    else
        snprintf(how, sizeof how, "ended with status %d", WEXITSTATUS(status));
    last_words(client, words);
    ca_error_set(&client->error, CA_IO, "%s %s%s%s%s", client->name, how, words[0] ? ": '" : "",
                 words, words[0] ? "'" : "");
    return lost(client);
}

/* Quotes in a message what was received instead of the protocol. */
static int garbage(struct ca_client *client, const char *what, const char *line, size_t length)
{
    char text[QUOTE_BYTES];

    quote(text, line, length);
    ca_error_set(&client->error, CA_IO, "%s does not keep to the protocol: expected %s, got '%s'%s",
                 client->name, what, text, length >= QUOTE_BYTES ? " ..." : "");
    return lost(client);
}

/* Drops what stands before the greeting. 1: the queue begins with it, 0: it has not come, -1: it
 * does not come. */
static int find_greeting(struct ca_client *client)
{
    struct ca_buffer *in = &client->in;
    size_t count = ca_buffer_count(in);
    char *head, *found;

    if (count == 0)
        return 0;
    head = ca_buffer_head(in);
    found = memmem(head, count, GREETING, strlen(GREETING));
    if ((found ? (size_t)(found - head) : count) > NOISE_MAX_BYTES)
        return garbage(client, "'" MAGIC "{...}' in the first 64 KiB", head, count);
    if (!found)
        return 0;
    ca_buffer_drop(in, (size_t)(found - head));
    return 1;
}

/* One line: 1 and *json, or -1. */
static int parse_line(struct ca_client *client, const char *line, size_t length, json_t **json)
{
    size_t magic = client->greeted ? 0 : strlen(MAGIC);

    *json = json_loadb(line + magic, length - magic, 0, NULL);
    if (!json_is_object(*json)) {
        json_decref(*json);
        *json = NULL;
        return garbage(client, "a JSON object a line", line, length);
    }
    if (!client->greeted)
        json_object_set_new(*json, "event", json_string(ca_event_names[CA_EVENT_HELLO]));
    client->greeted = true;
    return 1;
}

/* Takes a message from the queue. 1: taken, 0: it is not complete, -1: it is no message. */
static int parse(struct ca_client *client, struct ca_message *message)
{
    struct ca_buffer *in = &client->in;
    int found = client->greeted || client->searched > 0 ? 1 : find_greeting(client);

    if (found <= 0)
        return found;
    if (!client->waiting) {
        size_t count = ca_buffer_count(in), length;
        char *head = ca_buffer_head(in), *end = NULL;
        const json_t *bytes;
        json_int_t wanted = 0;

        if (count > client->searched)
            end = memchr(head + client->searched, '\n', count - client->searched);
        client->searched = count;
        if (!end)
            return count > LINE_MAX_BYTES ? garbage(client, "a line below 4 MiB", head, count) : 0;
        length = (size_t)(end - head);
        if (parse_line(client, head, length, &client->waiting) < 0)
            return -1;
        client->searched = 0;
        bytes = json_object_get(client->waiting, "bytes");
        if (bytes)
            wanted = json_is_integer(bytes) ? json_integer_value(bytes) : -1;
        if (wanted < 0 || wanted > CA_WIRE_PAYLOAD_MAX)
            return garbage(client, "0 ... 16777216 bytes", head, length);
        client->bytes = (size_t)wanted;
        ca_buffer_drop(in, length + 1);
    }
    if (ca_buffer_count(in) < client->bytes)
        return 0;
    message->json = client->waiting;
    message->data = client->bytes ? (const uint8_t *)ca_buffer_head(in) : NULL;
    message->bytes = client->bytes;
    client->waiting = NULL;
    client->taken = client->bytes;
    return 1;
}

int ca_client_next(struct ca_client *client, struct ca_message *message, struct ca_error *error)
{
    int result = client->gone ? -1 : 0;

    ca_buffer_drop(&client->in, client->taken);
    client->taken = 0;
    for (int i = 0; result == 0; i++) {
        enum ca_transfer transfer;

        result = parse(client, message);
        if (result != 0 || i == READS)
            break;
        transfer = ca_buffer_read(&client->in, client->read_fd, READ_BYTES);
        if (transfer == CA_WOULD_WAIT)
            break;
        if (transfer == CA_BROKEN) {
            ca_error_set(&client->error, CA_IO, "%s: reading fails: %s", client->name,
                         strerror(errno));
            result = lost(client);
        } else if (transfer == CA_ENDED) {
            result = conclude(client);
        }
    }
    if (result < 0)
        *error = client->error;
    return result;
}
