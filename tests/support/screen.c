/* SPDX-License-Identifier: MIT */
/* Owns the pseudo-terminal of the tests. */
#include "tests/support/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>
#include <vterm.h>

#include "tests/support/pixel_terminal.h"
#include "tests/support/process.h"
#include "tests/support/slow_line.h"
#include "tests/support/support.h"

struct screen {
    const char *name;
    int master, slave; /* the slave stays open, so that its modes can be read after the program */
    struct termios before; /* modes from before the program */
    pid_t pid;
    int pidfd;
    bool ended;
    int status;
    VTerm *vterm;
    VTermScreen *cells;
    int rows, columns;
    uint32_t *characters; /* of all cells, row by row, as of the last look; or NULL */
    char *looked_at;      /* of each row whether it is among them */
    bool looked;          /* and nothing has come since */
    char part[4];         /* of a character, until the rest of it comes */
    size_t part_count;
    char *bytes;
    size_t count, capacity;
    char *text;
    struct slow_line from, to; /* the program */
    struct pixel_terminal *pixels;
};

/* --- starting --------------------------------------------------------------------------------- */

/* Home, configuration, state: set before the fork, because test_folder() depends on the process. */
static char folders[3][128];

static void set_environment(const struct screen_options *options)
{
    static const char *const kept[] = {"PATH",         "CALAB",        "CALAB_SOURCE",
                                       "TZ",           "ASAN_OPTIONS", "UBSAN_OPTIONS",
                                       "TSAN_OPTIONS", "GCOV_PREFIX",  "GCOV_PREFIX_STRIP",
                                       "LD_PRELOAD",   "CALAB_HURRY"};
    const char *values[sizeof kept / sizeof *kept];

    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        values[i] = getenv(kept[i]);
    clearenv();
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (values[i])
            setenv(kept[i], values[i], 1);
    setenv("HOME", folders[0], 1);
    setenv("XDG_CONFIG_HOME", folders[1], 1);
    setenv("XDG_STATE_HOME", folders[2], 1);
    setenv("LANG", options->lang ? options->lang : "C.UTF-8", 1);
    if (!options->term || strcmp(options->term, "-") != 0)
        setenv("TERM", options->term ? options->term : "xterm-256color", 1);
    setenv("CALAB_TUNED", "off", 1);
    /* Most tests read states by their letters. Those of how pictures look name another set. */
    setenv("CALAB_GLYPHS", "states", 1);
    for (int i = 0; i < 8 && options->environment[i]; i++)
        putenv((char *)(uintptr_t)options->environment[i]);
}

static void run_child(const struct screen_options *options, int slave)
{
    const char *arguments[10] = {test_program()};

    login_tty(slave);
    signal(SIGHUP, options->hangup_ignored ? SIG_IGN : SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    set_environment(options);
    if (options->body)
        test_exit(options->body(options->data));
    for (int fd = 0; fd < 3; fd++) {
        if (options->no_terminal & 1 << fd)
            dup2(open("/dev/null", O_RDWR), fd);
        if (options->no_terminal & 16 << fd)
            close(fd);
    }
    for (int i = 0; i < 8 && options->arguments[i]; i++)
        arguments[i + 1] = options->arguments[i];
    execv(arguments[0], (char *const *)(uintptr_t)arguments);
    _exit(127);
}

static void answer(const char *bytes, size_t count, void *user)
{
    struct screen *screen = user;

    slow_line_put(&screen->to, seconds_now(), bytes, count);
}

/* Whatever is written over pixels takes them away. */
static int damaged(VTermRect rect, void *user)
{
    struct screen *screen = user;

    for (int row = rect.start_row; row < rect.end_row; row++)
        for (int column = rect.start_col; column < rect.end_col; column++)
            pixel_terminal_erase(screen->pixels, row, column);
    return 1;
}

static const VTermScreenCallbacks pixel_callbacks = {.damage = damaged};

struct screen *screen_start(const struct screen_options *options)
{
    struct screen *screen = calloc(1, sizeof *screen);
    struct winsize size = {.ws_row = 24, .ws_col = 80};

    ck_assert_ptr_nonnull(screen);
    snprintf(folders[0], sizeof folders[0], "%s", test_folder());
    snprintf(folders[1], sizeof folders[1], "%s/config", test_folder());
    snprintf(folders[2], sizeof folders[2], "%s/state", test_folder());
    if (options->rows) {
        size.ws_row = (unsigned short)(options->rows > 0 ? options->rows : 0);
        size.ws_col = (unsigned short)(options->columns > 0 ? options->columns : 0);
    }
    screen->from.delay_s = screen->to.delay_s = options->delay_s;
    screen->from.bytes_per_s = options->bytes_per_s;
    screen->from.ahead_bytes = options->ahead_bytes;
    screen->name = options->name ? options->name : "";
    screen->rows = size.ws_row ? size.ws_row : 24;
    screen->columns = size.ws_col ? size.ws_col : 80;
    ck_assert_int_eq(openpty(&screen->master, &screen->slave, NULL, NULL, &size), 0);
    screen->before = screen_modes(screen);
    fcntl(screen->master, F_SETFD, FD_CLOEXEC);
    fcntl(screen->master, F_SETFL, O_NONBLOCK);
    screen->vterm = vterm_new(screen->rows, screen->columns);
    vterm_set_utf8(screen->vterm, !options->lang || strstr(options->lang, "UTF-8"));
    if (options->pixels)
        screen->pixels = pixel_terminal_new(options->pixels, answer, screen);
    vterm_output_set_callback(screen->vterm, answer, screen);
    screen->cells = vterm_obtain_screen(screen->vterm);
    if (options->pixels)
        vterm_screen_set_callbacks(screen->cells, &pixel_callbacks, screen);
    vterm_screen_enable_altscreen(screen->cells, 1);
    vterm_screen_reset(screen->cells, 1);
    fflush(NULL);
    screen->pid = fork();
    ck_assert_int_ge(screen->pid, 0);
    if (screen->pid == 0) {
        close(screen->master);
        run_child(options, screen->slave);
    }
    fcntl(screen->slave, F_SETFD, FD_CLOEXEC);
    screen->pidfd = (int)syscall(SYS_pidfd_open, screen->pid, 0);
    ck_assert_int_ge(screen->pidfd, 0);
    return screen;
}

void screen_close(struct screen *screen)
{
    if (!screen->ended) {
        kill(screen->pid, SIGKILL);
        waitpid(screen->pid, NULL, 0);
    }
    screen_hang_up(screen);
    close(screen->slave);
    close(screen->pidfd);
    vterm_free(screen->vterm);
    pixel_terminal_free(screen->pixels);
    slow_line_free(&screen->from);
    slow_line_free(&screen->to);
    free(screen->bytes);
    free(screen->characters);
    free(screen->looked_at);
    free(screen->text);
    free(screen);
}

pid_t screen_pid(const struct screen *screen) { return screen->pid; }

bool screen_is_alive(const struct screen *screen) { return !screen->ended; }

void screen_hang_up(struct screen *screen)
{
    if (screen->master >= 0)
        close(screen->master);
    screen->master = -1;
}

void screen_resize_silently(struct screen *screen, int rows, int columns)
{
    const struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

    ck_assert_int_eq(ioctl(screen->master, TIOCSWINSZ, &size), 0);
}

void screen_resize(struct screen *screen, int rows, int columns)
{
    screen->rows = rows;
    screen->columns = columns;
    screen->looked = false;
    vterm_set_size(screen->vterm, rows, columns);
    screen_resize_silently(screen, rows, columns);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The bytes at the end of a text that begin a character of UTF-8 without ending it. */
static size_t part_of_character(const char *bytes, size_t count)
{
    for (size_t n = 1; n <= 3 && n <= count; n++) {
        const unsigned char c = (unsigned char)bytes[count - n];

        if (c >= 0xc0)
            return n < (c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2) ? n : 0;
        if (c < 0x80)
            return 0;
    }
    return 0;
}

/* Passes bytes to libvterm in whole characters: version 0.1.4 loses one that comes in two pieces.
 */
static void show_whole(struct screen *screen, const char *bytes, size_t count)
{
    const size_t total = screen->part_count + count;
    char *all = malloc(total + 1);

    ck_assert_ptr_nonnull(all);
    memcpy(all, screen->part, screen->part_count);
    memcpy(all + screen->part_count, bytes, count);
    screen->part_count = part_of_character(all, total);
    vterm_input_write(screen->vterm, all, total - screen->part_count);
    memcpy(screen->part, all + total - screen->part_count, screen->part_count);
    free(all);
}

/* Sixels leave the cursor below them, and the screen scrolls where that is no row. */
static void sixels_show(struct screen *screen)
{
    int row, column, taken;
    char text[32];

    screen_cursor(screen, &row, &column);
    taken = pixel_terminal_draw(screen->pixels, row, column, screen->rows, screen->columns);
    if (taken == 0)
        return;
    ck_assert_int_lt(row + taken, screen->rows);
    snprintf(text, sizeof text, "\033[%d;%dH", row + taken + 1, column + 1);
    show_whole(screen, text, strlen(text));
}

/* What has come over the line is on the screen. */
static void show(struct screen *screen, const char *bytes, size_t count)
{
    if (screen->count + count + 1 > screen->capacity) {
        screen->capacity = 2 * screen->capacity + count + 1;
        screen->bytes = realloc(screen->bytes, screen->capacity);
        ck_assert_ptr_nonnull(screen->bytes);
    }
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            screen->bytes[screen->count++] = bytes[i];
    screen->bytes[screen->count] = 0;
    screen->looked = false;
    if (screen->pixels) {
        char *rest = malloc(count + 64);

        ck_assert_ptr_nonnull(rest);
        for (size_t at = 0, taken; at < count; at += taken) {
            show_whole(screen, rest,
                       pixel_terminal_take(screen->pixels, bytes + at, count - at, rest, &taken));
            sixels_show(screen);
        }
        free(rest);
    } else {
        show_whole(screen, bytes, count);
    }
}

static bool read_output(struct screen *screen)
{
    char chunk[65536];
    ssize_t got = screen->master >= 0 ? read(screen->master, chunk, sizeof chunk) : 0;

    if (got <= 0)
        return false;
    slow_line_put(&screen->from, seconds_now(), chunk, (size_t)got);
    return true;
}

/* Passes on what is due in both directions. */
static void pass_on(struct screen *screen, double now)
{
    char chunk[65536];
    size_t count;

    while ((count = slow_line_get(&screen->from, now, chunk, sizeof chunk)) > 0)
        show(screen, chunk, count);
    while ((count = slow_line_get(&screen->to, now, chunk, sizeof chunk)) > 0)
        if (screen->master >= 0 && write(screen->master, chunk, count) < 0)
            return; /* the program has ended, which a waiting test detects */
}

/* Waits for output or the end of the program until `deadline`; false after the deadline. */
static bool pump(struct screen *screen, double deadline)
{
    const double now = seconds_now();
    double takes_s, until = fmin(deadline, slow_line_due(&screen->from));
    struct pollfd fds[] = {{.fd = screen->master, .events = POLLIN},
                           {.fd = screen->ended ? -1 : screen->pidfd, .events = POLLIN}};
    struct timespec wait = {0};

    if (now > deadline)
        return false;
    if (!slow_line_takes(&screen->from, now, &takes_s)) {
        fds[0].fd = -1;
        until = fmin(until, takes_s);
    }
    until = fmax(fmin(until, slow_line_due(&screen->to)) - now, 0);
    wait.tv_sec = (time_t)until;
    wait.tv_nsec = (long)((until - (double)wait.tv_sec) * 1e9);
    ppoll(fds, 2, &wait, NULL);
    if (fds[0].revents & POLLIN)
        read_output(screen);
    else if (fds[1].revents && waitpid(screen->pid, &screen->status, WNOHANG) == screen->pid) {
        screen->ended = true;
        while (read_output(screen))
            continue;
        pass_on(screen, INFINITY);
    }
    pass_on(screen, seconds_now());
    return true;
}

size_t screen_listen(struct screen *screen, double seconds)
{
    const double deadline = seconds_now() + seconds;
    const size_t before = screen->count;

    while (pump(screen, deadline))
        continue;
    return screen->count - before;
}

void screen_send(struct screen *screen, const char *keys)
{
    const size_t count = strlen(keys);

    for (size_t done = 0; done < count && screen->to.delay_s == 0;) {
        ssize_t written = write(screen->master, keys + done, count - done);

        ck_assert_msg(written > 0 || errno == EAGAIN, "the terminal takes no keys");
        if (written > 0)
            done += (size_t)written;
        else
            pump(screen, seconds_now() + 1);
    }
    if (screen->to.delay_s > 0)
        slow_line_put(&screen->to, seconds_now(), keys, count);
}

/* Appends a character as UTF-8. */
static char *put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(0x80 | (c & 63));
    } else if (c >= 0x10000 && c != (uint32_t)-1) {
        *out++ = (char)(0xf0 | (c >> 18 & 7));
        *out++ = (char)(0x80 | (c >> 12 & 63));
        *out++ = (char)(0x80 | (c >> 6 & 63));
        *out++ = (char)(0x80 | (c & 63));
    } else {
        *out++ = (char)(0xe0 | (c >> 12 & 15));
        *out++ = (char)(0x80 | (c >> 6 & 63));
        *out++ = (char)(0x80 | (c & 63));
    }
    return out;
}

/* A row of characters. libvterm takes long for a cell, and tests look at them again and again. */
static const uint32_t *look(struct screen *screen, int row)
{
    const size_t rows = (size_t)screen->rows, columns = (size_t)screen->columns;
    uint32_t *next;

    if (!screen->looked) {
        screen->characters =
            realloc(screen->characters, rows * columns * sizeof *screen->characters);
        screen->looked_at = realloc(screen->looked_at, rows);
        ck_assert(screen->characters && screen->looked_at);
        memset(screen->looked_at, 0, rows);
        screen->looked = true;
    }
    next = screen->characters + (size_t)row * columns;
    for (int column = 0; !screen->looked_at[row] && column < screen->columns; column++) {
        VTermScreenCell cell = {.width = 1};

        vterm_screen_get_cell(screen->cells, (VTermPos){row, column}, &cell);
        next[column] = cell.chars[0] ? cell.chars[0] : ' ';
    }
    screen->looked_at[row] = 1;
    return next;
}

static char *put_row(struct screen *screen, int row, char *out)
{
    const uint32_t *characters = look(screen, row);
    char *end = out;

    for (int column = 0; column < screen->columns; column++) {
        if (characters[column] == (uint32_t)-1) /* the second half of a wide one */
            continue;
        out = put_utf8(out, characters[column]);
        if (out[-1] != ' ')
            end = out;
    }
    *end = 0;
    return end;
}

const char *screen_row(struct screen *screen, int row)
{
    screen->text = realloc(screen->text, (size_t)screen->columns * 4 + 1);
    ck_assert_ptr_nonnull(screen->text);
    row = row < 0 ? screen->rows + row : row;
    screen->text[0] = 0;
    if (row >= 0 && row < screen->rows)
        put_row(screen, row, screen->text);
    return screen->text;
}

const char *screen_text(struct screen *screen)
{
    char *out;

    screen->text =
        realloc(screen->text, (size_t)screen->rows * ((size_t)screen->columns * 4 + 1) + 1);
    ck_assert_ptr_nonnull(screen->text);
    out = screen->text;
    for (int row = 0; row < screen->rows; row++) {
        out = put_row(screen, row, out);
        *out++ = '\n';
    }
    *out = 0;
    return screen->text;
}

bool screen_shows(struct screen *screen, const char *text)
{
    return strstr(screen_text(screen), text) != NULL;
}

bool screen_row_shows(struct screen *screen, int row, const char *text)
{
    return strstr(screen_row(screen, row), text) != NULL;
}

int screen_rows(const struct screen *screen) { return screen->rows; }
int screen_columns(const struct screen *screen) { return screen->columns; }

uint32_t screen_character(struct screen *screen, int row, int column)
{
    return look(screen, row)[column];
}

const struct VTermScreen *screen_terminal(const struct screen *screen) { return screen->cells; }

struct pixel_terminal *screen_pixels(const struct screen *screen) { return screen->pixels; }

void screen_cursor(struct screen *screen, int *row, int *column)
{
    VTermPos at;

    vterm_state_get_cursorpos(vterm_obtain_state(screen->vterm), &at);
    *row = at.row;
    *column = at.col;
}

/* --- waiting ---------------------------------------------------------------------------------- */

void screen_until(struct screen *screen, bool (*holds)(struct screen *, const void *),
                  const void *data, const char *what)
{
    const double deadline = seconds_now() + DEADLINE_S;

    while (!holds(screen, data)) {
        bool more = !screen->ended && pump(screen, deadline);

        if (!more) /* a large screen is longer than a message of Check may be */
            fprintf(stderr, "%s\n%s\n", screen->name, screen_text(screen));
        ck_assert_msg(!screen->ended, "waiting for %s, but the program ended (status %#x)", what,
                      (unsigned)screen->status);
        ck_assert_msg(more, "%s did not appear", what);
    }
}

/* Whether a row of a box ends with the first n bytes of these words, and the next one begins with
 * those behind the blank. */
static bool is_cut_at(struct screen *screen, int row, const char *words, size_t n)
{
    char head[200], tail[200];
    const char *at = NULL, *next;

    snprintf(head, sizeof head, "%.*s", (int)n, words);
    snprintf(tail, sizeof tail, "│ %s", words + n + 1);
    next = screen_row(screen, row);
    while ((next = strstr(next, head)) != NULL)
        at = next++;
    if (!at)
        return false;
    at += n;
    at += strspn(at, " ");
    return strncmp(at, "│", strlen("│")) == 0 && strstr(screen_row(screen, row + 1), tail);
}

static bool holds_words(struct screen *screen, const void *data)
{
    const char *words = data;

    if (screen_shows(screen, words))
        return true;
    for (const char *blank = strchr(words, ' '); blank; blank = strchr(blank + 1, ' '))
        for (int row = 0; row + 1 < screen_rows(screen); row++)
            if (is_cut_at(screen, row, words, (size_t)(blank - words)))
                return true;
    return false;
}

struct row_text {
    int row;
    const char *text;
};

static bool holds_text(struct screen *screen, const void *data)
{
    return screen_shows(screen, data);
}

static bool lacks_text(struct screen *screen, const void *data)
{
    return !screen_shows(screen, data);
}

static bool row_holds_text(struct screen *screen, const void *data)
{
    const struct row_text *row_text = data;

    return screen_row_shows(screen, row_text->row, row_text->text);
}

void screen_expect(struct screen *screen, const char *text)
{
    screen_until(screen, holds_text, text, text);
}

void screen_expect_words(struct screen *screen, const char *words)
{
    screen_until(screen, holds_words, words, words);
}

void screen_expect_not(struct screen *screen, const char *text)
{
    char what[256];

    snprintf(what, sizeof what, "the end of '%s'", text);
    screen_until(screen, lacks_text, text, what);
}

void screen_expect_row(struct screen *screen, int row, const char *text)
{
    const struct row_text row_text = {row, text};
    char what[256];

    snprintf(what, sizeof what, "'%s' in row %d", text, row);
    screen_until(screen, row_holds_text, &row_text, what);
}

int screen_end(struct screen *screen)
{
    const double deadline = seconds_now() + DEADLINE_S;

    while (!screen->ended)
        ck_assert_msg(pump(screen, deadline), "the program does not end; the screen:\n%s",
                      screen_text(screen));
    return screen->status;
}

/* --- modes, colours --------------------------------------------------------------------------- */

struct termios screen_modes(struct screen *screen)
{
    struct termios modes = {0};

    ck_assert_int_eq(tcgetattr(screen->slave, &modes), 0);
    return modes;
}

bool screen_modes_as_before(struct screen *screen)
{
    const struct termios *a = &screen->before;
    const struct termios b = screen_modes(screen);

    return a->c_iflag == b.c_iflag && a->c_oflag == b.c_oflag && a->c_cflag == b.c_cflag &&
           a->c_lflag == b.c_lflag && memcmp(a->c_cc, b.c_cc, sizeof b.c_cc) == 0;
}

const char *screen_bytes(const struct screen *screen, size_t *count)
{
    if (count)
        *count = screen->count;
    return screen->bytes ? screen->bytes : "";
}

void screen_forget_bytes(struct screen *screen) { screen->count = 0; }

bool screen_coloured(const struct screen *screen, size_t from)
{
    const char *at = screen_bytes(screen, NULL) + from;

    while ((at = strstr(at, "\033["))) {
        const char *start = at += 2, *end = start + strspn(start, "0123456789;:");

        if (*end != 'm')
            continue;
        for (char *next; start < end; start = *next == ';' ? next + 1 : end) {
            const long code = strtol(start, &next, 10);

            if ((code >= 30 && code <= 48 && code != 39) || (code >= 90 && code <= 107))
                return true;
        }
    }
    return false;
}
