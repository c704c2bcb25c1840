/* SPDX-License-Identifier: MIT */
/*
 * Who ran where: `calab lab who` compiles and runs the lab's kernel with notes, as a process whose
 * output is the list: a map of the lattice with a letter and a colour for each worker, and when
 * each of them was at work.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/quantity.h"
#include "core/engine/wire.h"
#include "core/files/file.h"
#include "core/lab/backend/backend.h"
#include "tui/workbench/base/log.h"
#include "tui/workbench/engine/pane.h"
#include "tui/workbench/lists/lab_inside.h"
#include "tui/workbench/panels/panels.h"

#define OUTPUT_MAX (4 << 20) /* bytes that it prints */
#define LINE_ITEM 1
#define MAP_LEAST 8   /* rows of the map */
#define BAR_COLUMN 46 /* where a worker's bar begins */

extern char **environ;
extern const struct part who_part;
static const struct list_source who_source;

struct who_work {
    pid_t child; /* 0: none */
    int fd;      /* of its output, while it runs */
    char *text;
    size_t size;
    json_t *json;               /* what it has printed; NULL: not yet */
    char why[CA_TEXT_MAX];      /* it cannot be known, "" */
    char picture[PATH_MAX + 8]; /* that it writes */
};

static struct who_work *who_of(const struct workbench *wb) { return part_state(wb, &who_part); }

/* --- the process ------------------------------------------------------------------------------ */

static void stop_child(struct who_work *who)
{
    if (who->child == 0)
        return;
    kill(who->child, SIGTERM);
    waitpid(who->child, NULL, 0);
    close(who->fd);
    who->child = 0;
}

static void who_end(struct workbench *wb)
{
    struct who_work *who = who_of(wb);

    stop_child(who);
    json_decref(who->json);
    free(who->text);
    who->json = NULL;
    who->text = NULL;
    who->size = 0;
    who->why[0] = '\0';
}

/* Starts a process with its output and its errors in a pipe, and no input. */
static bool start_child(struct who_work *who, const char *const *argv)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int pipes[2], code;

    if (pipe2(pipes, O_CLOEXEC) != 0)
        return false;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    code = posix_spawn(&who->child, argv[0], &actions, &attributes, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(pipes[1]);
    who->fd = pipes[0];
    if (code == 0)
        return fcntl(who->fd, F_SETFL, O_NONBLOCK) == 0;
    who->child = 0;
    close(who->fd);
    errno = code;
    return false;
}

void who_open(struct workbench *wb)
{
    const struct ca_experiment *e = &wb->panes[0].experiment;
    const struct ca_lab *lab = ca_lab_backend_lab();
    struct who_work *who = who_of(wb);
    char size[64];
    const char *argv[] = {
        "/proc/self/exe", "lab", "who", lab->folder, "--json", "-o", NULL, NULL, NULL, NULL};

    who_end(wb);
    snprintf(who->picture, sizeof who->picture, "%s/who.png", lab_of(wb)->own);
    argv[6] = who->picture;
    if (ca_model_same(e->model, lab->model)) {
        argv[7] = "-s";
        argv[8] = ca_size_format(size, e->size, e->model->dimensions);
    }
    if (!start_child(who, argv))
        snprintf(who->why, sizeof who->why, "calab lab who cannot be started: %s", strerror(errno));
    list_open(wb, &who_source);
}

static void who_done(struct who_work *who)
{
    static const char prefix[] = "calab lab: ";
    const char *text = who->text ? who->text : "";
    int status;

    close(who->fd);
    waitpid(who->child, &status, 0);
    who->child = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        who->json = json_loads(text, 0, NULL);
    if (who->json)
        return;
    text += strncmp(text, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
    snprintf(who->why, sizeof who->why, "%.*s", (int)strcspn(text, "\n"),
             *text ? text : "calab lab who has ended without a word");
    ca_plain(who->why);
}

static int who_poll(const struct workbench *wb, struct pollfd fds[PART_FDS])
{
    const struct who_work *who = who_of(wb);

    if (who->child == 0)
        return 0;
    fds[0] = (struct pollfd){.fd = who->fd, .events = POLLIN};
    return 1;
}

static void who_serve(struct workbench *wb, const struct pollfd *fds, int count)
{
    struct who_work *who = who_of(wb);
    char bytes[4096], *text;
    ssize_t got;

    (void)fds, (void)count;
    if (who->child == 0)
        return;
    got = read(who->fd, bytes, sizeof bytes);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got > 0 && who->size + (size_t)got < OUTPUT_MAX) {
        text = realloc(who->text, who->size + (size_t)got + 1);
        if (text) {
            who->text = text;
            memcpy(text + who->size, bytes, (size_t)got);
            who->size += (size_t)got;
            text[who->size] = '\0';
            return;
        }
    }
    who_done(who);
    list_reselect(wb, &who_source);
    wb->dirty = true;
}

/* --- the list --------------------------------------------------------------------------------- */

/* The rows that are of a map or of a worker have the worker's colour. */
static enum style style_of(char letter)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const enum style styles[] = {STYLE_GREEN, STYLE_COLD,  STYLE_WARM,  STYLE_STRONG,
                                        STYLE_SOLID, STYLE_FOCUS, STYLE_PLAIN, STYLE_ALARM};
    const char *at = letter ? strchr(letters, letter) : NULL;

    return at ? styles[(at - letters) % (int)(sizeof styles / sizeof *styles)] : STYLE_QUIET;
}

enum { ROW_TEXT, ROW_MAP, ROW_WORKER };

static enum style who_style(const struct list_row *row, int byte)
{
    const int kind = row->item - LINE_ITEM;

    return kind == ROW_MAP      ? style_of(row->text[byte])
           : kind == ROW_WORKER ? style_of(row->text[0])
                                : STYLE_PLAIN;
}

static void who_line(int kind, const char *text)
{
    list_add(LINE_ITEM + kind, "%.255s", text)->heading = true;
}

/* Of every so many letters and lines of the map one, so that it fits; the cells of a terminal are
 * twice as high as they are wide, so that it may be twice as coarse downwards. */
static void add_map(const char *map, int columns, int rows)
{
    const int wide = (int)strcspn(map, "\n");
    int high = 0, across, down;
    char line[256];

    for (const char *c = map; *c; c++)
        high += *c == '\n';
    columns = columns < (int)sizeof line ? columns : (int)sizeof line - 1;
    across = columns > 0 ? (wide + columns - 1) / columns : 1;
    down = (high + rows - 1) / rows;
    down = down > across ? down : across;
    across = across > down / 2 ? across : down / 2;
    for (int y = 0; *map && across > 0; y++, map += strcspn(map, "\n"), map += *map == '\n') {
        int at = 0;

        for (int x = 0; y % down == 0 && x < (int)strcspn(map, "\n") && at < columns; x += across)
            line[at++] = map[x];
        line[at] = '\0';
        if (at > 0)
            who_line(ROW_MAP, line);
    }
}

/* A worker with a bar from its start to its end, where there are times. */
static void add_worker(const json_t *worker, const char *kind, double span_s, int columns)
{
    char text[256], bar[128] = "";
    const json_t *idle = json_object_get(worker, "idle");
    int wide = columns - BAR_COLUMN < 100 ? columns - BAR_COLUMN : 100, from, to, length;

    snprintf(text, sizeof text, "%s %s %lld: %lld cells", ca_json_member(worker, "letter"), kind,
             (long long)json_integer_value(json_object_get(worker, "number")),
             (long long)json_integer_value(json_object_get(worker, "cells")));
    if (idle && span_s > 0) {
        from = (int)(ca_json_number(worker, "start_s") / span_s * wide);
        to = (int)(ca_json_number(worker, "end_s") / span_s * wide + 0.5);
        for (int i = 0; i < wide && i < (int)sizeof bar - 1; i++) {
            bar[i] = i >= from && i < to ? '#' : '-';
            bar[i + 1] = '\0';
        }
        ca_text_add(text, sizeof text, ", idle %.0f %%", 100 * json_real_value(idle));
        length = (int)strlen(text);
        ca_text_add(text, sizeof text, "%*s%s", length < BAR_COLUMN ? BAR_COLUMN - length : 1, "",
                    bar);
    }
    who_line(ROW_WORKER, text);
}

static void who_fill(struct workbench *wb)
{
    const struct who_work *who = who_of(wb);
    const json_t *workers = json_object_get(who->json, "workers"), *one;
    const char *kind = ca_json_member(who->json, "kind");
    const int columns = list_columns(wb, &who_source);
    double span_s = json_number_value(json_object_get(who->json, "span_s"));
    char text[256], span[CA_QUANTITY_TEXT];
    size_t i;
    int rows;

    if (!who->json) {
        snprintf(text, sizeof text, "%.255s",
                 who->why[0] ? who->why : "the kernel is compiled with notes in LAB_AT, and runs");
        who_line(ROW_TEXT, text);
        return;
    }
    snprintf(text, sizeof text, "one generation of %.60s by %d %s%s%s%s",
             ca_json_member(who->json, "size"), (int)json_array_size(workers), kind,
             json_array_size(workers) == 1 ? "" : "s", span_s > 0 ? ", " : "",
             span_s > 0 ? ca_duration(span, span_s) : "");
    who_line(ROW_TEXT, text);
    who_line(ROW_TEXT, ca_json_member(who->json, "note"));
    rows = wb->layout.rows - 7 - (int)json_array_size(workers);
    add_map(ca_json_member(who->json, "map"), columns, rows > MAP_LEAST ? rows : MAP_LEAST);
    json_array_foreach(workers, i, one) add_worker(one, kind, span_s, columns);
}

/* --- writing ---------------------------------------------------------------------------------- */

static void write_json(struct workbench *wb, FILE *out)
{
    json_dumpf(who_of(wb)->json, out, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    fputc('\n', out);
}

static bool write_accept(struct workbench *wb, int item, const char *path, struct ca_error *error)
{
    const char *end = strrchr(path, '.');
    struct ca_file_writer writer;
    char *bytes;
    size_t size;
    bool done;

    (void)item;
    if (!end || strcmp(end, ".png") != 0)
        return screen_or_rows_write(wb, path, write_json, error);
    if (ca_file_read(who_of(wb)->picture, 64 << 20, &bytes, &size, error) != CA_OK)
        return false;
    done = ca_file_begin(&writer, path, error) == CA_OK;
    if (done) {
        fwrite(bytes, 1, size, writer.stream);
        done = ca_file_commit(&writer, error) == CA_OK;
    }
    free(bytes);
    if (done)
        message_show(wb, "wrote %s", path);
    return done;
}

static const struct prompt_source write_source = {
    .label = "write: ", .accept = write_accept, .optional = true, .writes = true};

static void who_write(struct workbench *wb)
{
    if (!who_of(wb)->json) {
        message_show(wb, "there is nothing to write before the kernel has run");
        return;
    }
    screen_keep(wb);
    prompt_open_file(wb, &write_source, "who", "png",
                     "file for the picture, .png; .json for all figures; .txt or .ansi for the "
                     "screen");
}

static const struct list_source who_source = {.title = "who ran where",
                                              .fill = who_fill,
                                              .keys = {{REQUEST_LIST_CLOSE, "back"},
                                                       {REQUEST_SNAPSHOT, "write", who_write},
                                                       {REQUEST_LAB_WHO, "again", who_open}},
                                              .is_table = true,
                                              .style = who_style};

const struct part who_part = {.name = "who",
                              .state_bytes = sizeof(struct who_work),
                              .poll = who_poll,
                              .serve = who_serve,
                              .end = who_end};
