/* SPDX-License-Identifier: MIT */
/* This file opens the terminal and runs curses on it. */
#include "tui/workbench/terminal/terminal.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/files/file.h"
#include "tui/locale.h"
#include "tui/workbench/terminal/base64.h"
#include "tui/workbench/terminal/pixels.h"
#include "tui/workbench/terminal/sgr.h"
#include "tui/workbench/terminal/terminal_keys.h"
#include "tui/workbench/terminal/terminal_signals.h"
#include "tui/workbench/terminal/terminal_type.h"

#define LOG_BYTES_MAX (1 << 20)
#define COPY_BYTES_MAX 8192
#define POLL_MAX 16
/* More than curses takes, which does not look whether it gets it. */
#define CURSES_BYTES (1 << 20)
#define DRAIN_MS 500 /* the longest wait for a line that takes nothing */
#define ANSWER_S 0.2 /* that for an answer at the end, which a shell would take for keys */
struct terminal {
    FILE *stream, *output;
    int fd;
    SCREEN *screen;
    WINDOW *input; /* a pad, since reading from a window would refresh it */
    struct terminal_type type;
    struct locale locale;
    struct termios modes; /* before curses changed them */
    bool gone, mouse;
    struct terminal_keys keys;
    int frame; /* a file in memory, which stands for the line while curses writes a frame; or -1 */
    int line;  /* the terminal once more, for writing without blocking */
    bool awaited;  /* somebody waits for it to accept output */
    char *pending; /* of a frame what the line has not yet taken */
    size_t pending_from, pending_end, pending_size;
    struct sgr sgr; /* what the colours of a frame are shortened by */
    struct pixels pixels;
    double pictured; /* the time of a frame with pictures that is pending, 0: of none */
    int colours;
    int idle_wakes; /* how often in a row poll said readable, but there was nothing to read */
    int kept_fds[2];
    bool signals; /* handlers are in place */
    sigset_t mask_before, mask_waiting;
};

static enum ca_status open_line(struct terminal *terminal, struct ca_error *error)
{
    static const char *const names[] = {"standard input", "standard output"};

    for (int fd = 0; fd <= 1; fd++)
        if (!isatty(fd))
            return ca_fail(
                error, CA_USAGE,
                "%s is not a terminal, which the workbench needs; 'calab run MODEL' needs "
                "none",
                names[fd]);
    terminal->fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (terminal->fd < 0 && ttyname(STDOUT_FILENO)) /* no controlling terminal, as after setsid */
        terminal->fd = open(ttyname(STDOUT_FILENO), O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (terminal->fd < 0 || tcgetattr(terminal->fd, &terminal->modes) != 0)
        return ca_fail(error, CA_USAGE,
                       "the terminal cannot be opened (%s); 'calab run MODEL' needs none",
                       strerror(errno));
    if (ttyname(terminal->fd))
        terminal->line = open(ttyname(terminal->fd), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    terminal->frame = memfd_create("frame", MFD_CLOEXEC);
    terminal->stream = fdopen(terminal->fd, "r+");
    terminal->output = fdopen(fcntl(terminal->fd, F_DUPFD_CLOEXEC, 3), "w");
    if (!terminal->stream || !terminal->output)
        return ca_fail(error, CA_IO, "the terminal cannot be opened: %s", strerror(errno));
    return CA_OK;
}

/* --- modes, handlers, strings ----------------------------------------------------------------- */

/* The special keys of the line discipline become ordinary keys. */
static void disable_special_keys(const struct terminal *terminal)
{
    struct termios modes;
    struct stat status;

    if (tcgetattr(terminal->fd, &modes) != 0)
        return;
    modes.c_cc[VINTR] = _POSIX_VDISABLE;
    modes.c_cc[VSUSP] = _POSIX_VDISABLE;
    modes.c_cc[VLNEXT] = _POSIX_VDISABLE;
    modes.c_cc[VDISCARD] = _POSIX_VDISABLE;
    /* ^S must not freeze the screen. Only a serial line keeps it, which may need flow control; the
     * device numbers are those of pseudo-terminals and of the console. */
    if (fstat(STDOUT_FILENO, &status) == 0 &&
        ((major(status.st_rdev) >= 136 && major(status.st_rdev) <= 143) ||
         major(status.st_rdev) == 4))
        modes.c_iflag &= ~(tcflag_t)IXON;
    tcsetattr(terminal->fd, TCSADRAIN, &modes);
    def_prog_mode();
}

/* Has the terminal bracket what is pasted, so that it is not taken for keys; others than those of
 * xterm's kind, and those that say so, might show the sequence. */
static void bracket_pastes(const struct terminal *terminal, bool on)
{
    const char *known = tigetstr("BE");
    const char *text = on ? "\033[?2004h" : "\033[?2004l";

    if (!terminal->type.takes_osc && (!known || known == (const char *)-1))
        return;
    terminal_signals_paste(on);
    (void)!write(terminal->line >= 0 ? terminal->line : terminal->fd, text, strlen(text));
}

/* The one that curses uses. */
static const struct terminal *in_curses;

/* Curses ends the process where it has no memory, and leaves the terminal as it is. */
static void restore_at_exit(void)
{
    static const char said[] = "calab: curses has ended the program, as it does without memory\n";
    const char *leave;

    if (!in_curses)
        return;
    bracket_pastes(in_curses, false);
    leave = tigetstr("rmcup");
    if (leave && leave != (const char *)-1)
        (void)!write(in_curses->fd, leave, strlen(leave));
    tcsetattr(in_curses->fd, TCSANOW, &in_curses->modes);
    (void)!write(in_curses->fd, said, strlen(said));
}

/* Curses would prefer LINES and COLUMNS to the size that the terminal tells, and ignore every
 * change of it. Nor would it look whether they can be the size of a screen. */
static void keep_variables_of_size(const struct terminal *terminal)
{
    static const char *const names[] = {"LINES", "COLUMNS"};
    struct size ignored;
    bool told = size_told(terminal->fd, &ignored);

    for (int i = 0; i < 2; i++)
        if (told || size_variable(names[i]) == 0)
            unsetenv(names[i]);
}

/* The size of a character in pixels, where the terminal tells it. */
static void take_cell(struct terminal *terminal)
{
    struct winsize size;

    if (ioctl(terminal->fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        pixels_cell(&terminal->pixels, size.ws_xpixel / size.ws_col, size.ws_ypixel / size.ws_row);
}

/* Takes the size that the terminal tells, which it may not have done before. */
static void take_size(struct terminal *terminal)
{
    struct size size;

    take_cell(terminal);
    if (!size_told(terminal->fd, &size))
        return;
    keep_variables_of_size(terminal);
    if (is_term_resized(size.height, size.width))
        resizeterm(size.height, size.width);
}

static enum ca_status start_curses(struct terminal *terminal, struct ca_error *error)
{
    static bool registered;
    const char *no_color = getenv("NO_COLOR");

    keep_variables_of_size(terminal);
    if (!registered && atexit(restore_at_exit) != 0)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the screen");
    registered = true;
    in_curses = terminal;
    terminal->screen = newterm(terminal->type.name, terminal->output, terminal->stream);
    in_curses = terminal->screen ? terminal : NULL;
    if (!terminal->screen)
        return ca_fail(error, CA_USAGE, "curses cannot draw on TERM '%s'; " TERMINAL_REMEDY,
                       terminal->type.name);
    terminal_signals_drawn(&terminal->modes);
    cbreak();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    typeahead(-1);
    disable_special_keys(terminal);
    if (!getenv("ESCDELAY"))
        set_escdelay(25);
    terminal->input = newpad(1, 1);
    if (!terminal->input)
        return ca_fail(error, CA_IO, "no memory for the screen");
    keypad(terminal->input, TRUE);
    nodelay(terminal->input, TRUE);
    mouseinterval(0);
    if ((!no_color || !*no_color) && has_colors() && start_color() == OK) {
        use_default_colors();
        terminal->colours = COLORS;
    }
    curs_set(0);
    bracket_pastes(terminal, true);
    sgr_begin(&terminal->sgr, terminal->colours);
    return CA_OK;
}

enum ca_status terminal_open(struct terminal **result, struct ca_error *error)
{
    struct terminal *terminal = calloc(1, sizeof *terminal);
    enum ca_status status;
    sigset_t resize;

    *result = terminal;
    if (!terminal)
        return ca_fail(error, CA_IO, "no memory for the terminal");
    terminal->fd = terminal->kept_fds[0] = terminal->kept_fds[1] = -1;
    terminal->frame = terminal->line = -1;
    pixels_init(&terminal->pixels, (unsigned)getpid());

    locale_open(&terminal->locale);
    status = open_line(terminal, error);
    if (status == CA_OK && !ca_has_memory(CURSES_BYTES))
        status = ca_fail(error, CA_NO_MEMORY, "no memory for the screen");
    if (status == CA_OK)
        status = terminal_type_choose(&terminal->type, terminal->fd, error);
    if (status == CA_OK)
        status = terminal_signals_begin(fileno(terminal->output), error);
    if (status == CA_OK) {
        /* SIGWINCH is unblocked only in ppoll, so that none is lost between checking and waiting.
         */
        sigemptyset(&resize);
        sigaddset(&resize, SIGWINCH);
        sigprocmask(SIG_BLOCK, &resize, &terminal->mask_before);
        terminal->mask_waiting = terminal->mask_before;
        sigdelset(&terminal->mask_waiting, SIGWINCH);
        terminal->signals = true;
        status = start_curses(terminal, error);
    }
    if (status != CA_OK) {
        terminal_close(terminal);
        *result = NULL;
    }
    return status;
}

/* --- frames ----------------------------------------------------------------------------------- */

/* Sends of the pending frame what the line takes. */
static void flush(struct terminal *terminal)
{
    bool pends = terminal->pending_from < terminal->pending_end;

    while (terminal->pending_from < terminal->pending_end) {
        ssize_t n = write(terminal->line, terminal->pending + terminal->pending_from,
                          terminal->pending_end - terminal->pending_from);

        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0 && errno != EINTR) { /* the terminal is lost, which reading will tell */
            terminal->pending_from = terminal->pending_end;
            return;
        }
        terminal->pending_from += n > 0 ? (size_t)n : 0;
    }
    if (pends && terminal->pictured > 0)
        pixels_took(&terminal->pixels, ca_now() - terminal->pictured);
    terminal->pictured = pends ? 0 : terminal->pictured;
}

/* Sends the rest of a frame before anything else is written; a line that takes nothing for too long
 * gets a CAN, which ends a control sequence that is half sent. False: it does not take that. */
static bool drain(struct terminal *terminal)
{
    static const char cancel = '\030';
    struct pollfd line = {.fd = terminal->line, .events = POLLOUT};

    while (terminal->pending_from < terminal->pending_end && poll(&line, 1, DRAIN_MS) == 1)
        flush(terminal);
    if (terminal->pending_from == terminal->pending_end)
        return true;
    terminal->pending_from = terminal->pending_end;
    return write(terminal->line, &cancel, 1) == 1;
}

/* Makes room for bytes behind what is pending; NULL without memory. */
static char *pending_add(struct terminal *terminal, size_t count)
{
    if (terminal->pending_from == terminal->pending_end)
        terminal->pending_from = terminal->pending_end = 0;
    if (terminal->pending_end + count > terminal->pending_size) {
        size_t size = 2 * (terminal->pending_end + count);
        char *more = realloc(terminal->pending, size);

        if (!more)
            return NULL;
        terminal->pending = more;
        terminal->pending_size = size;
    }
    terminal->pending_end += count;
    return terminal->pending + terminal->pending_end - count;
}

static bool pending_add_text(struct terminal *terminal, const char *text, size_t count)
{
    char *space = count > 0 ? pending_add(terminal, count) : NULL;

    if (space)
        memcpy(space, text, count);
    return space || count == 0;
}

/* Sends a few bytes after what is pending. */
static void terminal_say(struct terminal *terminal, const char *text)
{
    if (terminal->line >= 0 && pending_add_text(terminal, text, strlen(text)))
        flush(terminal);
}

/* Adds a part of what curses wrote to what is pending. False: there is no memory. */
static bool part_take(struct terminal *terminal, const char *bytes, size_t count, bool end)
{
    struct sgr after = terminal->sgr;
    size_t needed = sgr_shorten(&after, bytes, count, end, NULL);
    char *space = needed > 0 ? pending_add(terminal, needed) : NULL;

    if (!space) {
        terminal->sgr = after;
        return needed == 0;
    }
    sgr_shorten(&terminal->sgr, bytes, count, end, space);
    return true;
}

/* Adds what curses wrote to what is pending, and empties its file. Where it wrote cells of
 * pictures, sixels on them are gone. False: it is not whole. */
static bool frame_take(struct terminal *terminal)
{
    int spaces = 0;
    char last[2] = "";
    off_t size = lseek(terminal->frame, 0, SEEK_CUR);
    bool whole = true;
    char part[4096];
    ssize_t count;

    for (off_t at = 0; at < size; at += count) {
        count = pread(terminal->frame, part, sizeof part, at);
        if (count <= 0) {
            whole = false;
            break;
        }
        spaces += pixels_spaces(part, (size_t)count, last);
        whole &= part_take(terminal, part, (size_t)count, at + count >= size);
    }
    if (spaces > 0 && terminal->pixels.protocol == PIXELS_SIXEL)
        pixels_forget(&terminal->pixels);
    if (ftruncate(terminal->frame, 0) == 0)
        lseek(terminal->frame, 0, SEEK_SET);
    return whole;
}

/* Adds the pictures that have changed to what is pending. False without memory. */
static bool pictures_take(struct terminal *terminal)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    bool taken;

    if (!out)
        return false;
    pixels_put(&terminal->pixels, out);
    taken = fclose(out) == 0 && pending_add_text(terminal, text, bytes);
    free(text);
    return taken;
}

/* The same of sixels, which follow the text of a frame, and leave the cursor elsewhere than curses.
 */
static bool sixels_take(struct terminal *terminal)
{
    char back[32];

    pixels_look(&terminal->pixels);
    snprintf(back, sizeof back, "\033[%d;%dH", getcury(newscr) + 1, getcurx(newscr) + 1);
    return pictures_take(terminal) && pending_add_text(terminal, back, strlen(back));
}

/* Curses writes a frame in many pieces, which a slow network would send as many packets. So while
 * it does, a file in memory takes the place of the line. Pictures of a frame, and its text, are
 * shown at once by a terminal that knows mode 2026, and others ignore it. */
void terminal_update(struct terminal *terminal)
{
    static const char begin[] = "\033[?2026h", end[] = "\033[?2026l";
    const bool sixels = terminal->pixels.protocol == PIXELS_SIXEL;
    int output = fileno(terminal->output);
    bool taken = true, pictures;

    if (terminal->frame < 0 || terminal->line < 0 || dup2(terminal->frame, output) < 0) {
        doupdate();
        terminal->sgr.verbatim = true; /* of what the terminal has, curses alone knows */
        return;
    }
    if (is_cleared(curscr))
        pixels_forget(&terminal->pixels);
    pictures = pixels_changed(&terminal->pixels);
    doupdate();
    dup3(terminal->fd, output, O_CLOEXEC);
    if (pictures)
        taken = pending_add_text(terminal, begin, sizeof begin - 1);
    if (pictures && !sixels)
        taken = pictures_take(terminal) && taken;
    taken = frame_take(terminal) && taken;
    if (sixels &&
        pixels_changed(&terminal->pixels)) /* some perhaps as text was written over them */
        taken = sixels_take(terminal) && taken;
    if (pictures)
        taken = pending_add_text(terminal, end, sizeof end - 1) && taken;
    if (!taken) {
        terminal->pending_from = terminal->pending_end;
        sgr_forget(&terminal->sgr);
        terminal_redraw(terminal); /* all of it again */
        pixels_forget(&terminal->pixels);
    }
    terminal->pictured = pictures ? ca_now() : 0;
    flush(terminal);
}

/* However the process ends, pictures are taken back. */
static void pictures_are_shown(const struct terminal *terminal)
{
    char text[512];

    pixels_delete(&terminal->pixels, text, sizeof text);
    terminal_signals_pixels(text);
}

/* Takes the pictures back, before the screen is left. */
static void pictures_delete(struct terminal *terminal)
{
    char text[512];

    pixels_delete(&terminal->pixels, text, sizeof text);
    pixels_forget(&terminal->pixels);
    (void)!write(terminal->line, text, strlen(text));
}

/* An answer that comes after the end would be taken for keys of the shell. */
static void await_answers(struct terminal *terminal)
{
    const double until = ca_now() + ANSWER_S;
    struct pollfd line = {.fd = terminal->fd, .events = POLLIN};
    wint_t key;

    while (!terminal->gone && pixels_expire(&terminal->pixels, ca_now()) > 0 && ca_now() < until)
        if (poll(&line, 1, 20) > 0 && terminal_key(terminal, &key) == ERR && line.revents & POLLHUP)
            return;
}

void terminal_close(struct terminal *terminal)
{
    if (!terminal)
        return;
    if (terminal->screen) {
        await_answers(terminal);
        if (drain(terminal)) {
            pictures_delete(terminal);
            bracket_pastes(terminal, false);
        } else /* nor would it take what curses says at the end */
            dup2(terminal->frame, fileno(terminal->output));
        terminal_mouse(terminal, false);
        endwin();
        tcsetattr(terminal->fd, TCSANOW, &terminal->modes);
        in_curses = NULL;
        terminal_signals_not_drawn();
        if (terminal->input)
            delwin(terminal->input);
        delscreen(terminal->screen);
    }
    if (terminal->signals) {
        terminal_signals_end();
        sigprocmask(SIG_SETMASK, &terminal->mask_before, NULL);
    }
    for (int i = 0; i < 2; i++) {
        if (terminal->kept_fds[i] >= 0) {
            dup2(terminal->kept_fds[i], STDOUT_FILENO + i);
            close(terminal->kept_fds[i]);
        }
    }
    for (int i = 0; i < 2; i++) {
        int fd = i ? terminal->frame : terminal->line;

        if (fd >= 0)
            close(fd);
    }
    free(terminal->pending);
    pixels_free(&terminal->pixels);
    if (terminal->output)
        fclose(terminal->output);
    if (terminal->stream)
        fclose(terminal->stream);
    else if (terminal->fd >= 0)
        close(terminal->fd);
    free(terminal);
}

void terminal_die(struct terminal *terminal, int signal_number)
{
    terminal_close(terminal);
    terminal_signals_die(signal_number);
}

/* --- output beside curses --------------------------------------------------------------------- */

enum ca_status terminal_redirect(struct terminal *terminal, const char *path,
                                 struct ca_error *error)
{
    enum ca_status status = CA_OK;
    struct stat facts;
    int log = -1;

    if (*path)
        status = ca_file_parents(path, error);
    if (*path && status == CA_OK) {
        /* A pipe that nobody reads would be waited for, and one that somebody reads fills up. */
        log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
        if (log < 0 ? errno == ENXIO : fstat(log, &facts) == 0 && S_ISFIFO(facts.st_mode)) {
            status = ca_fail(error, CA_IO, "%s: the log is a pipe; expected a file", path);
            if (log >= 0)
                close(log);
            log = -1;
        } else if (log < 0)
            status =
                ca_fail(error, CA_IO, "%s: the log cannot be opened: %s", path, strerror(errno));
        else if (fstat(log, &facts) == 0 && facts.st_size > LOG_BYTES_MAX && ftruncate(log, 0) != 0)
            status =
                ca_fail(error, CA_IO, "%s: the log cannot be truncated: %s", path, strerror(errno));
    }
    terminal_signals_log(log >= 0 ? path : "");
    if (log < 0)
        log = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stdout);
    fflush(stderr);
    for (int i = 0; i < 2 && log >= 0; i++) {
        if (terminal->kept_fds[i] < 0)
            terminal->kept_fds[i] = fcntl(STDOUT_FILENO + i, F_DUPFD_CLOEXEC, 3);
        dup2(log, STDOUT_FILENO + i);
    }
    if (log >= 0)
        close(log);
    return status;
}

bool terminal_copy(struct terminal *terminal, const char *text)
{
    static const char head[] = "\033]52;c;";
    char out[BASE64_SIZE(COPY_BYTES_MAX) + 32];
    size_t bytes = strlen(text), used = sizeof head - 1;

    if (bytes > COPY_BYTES_MAX || !terminal->type.takes_osc)
        return false;
    drain(terminal);
    memcpy(out, head, used);
    used += base64(out + used, text, bytes);
    out[used++] = '\a';
    for (size_t done = 0; done < used;) {
        ssize_t written = write(terminal->fd, out + done, used - done);

        if (written < 0 && errno != EINTR)
            return false;
        done += written > 0 ? (size_t)written : 0;
    }
    return true;
}

struct pixels *terminal_pixels(struct terminal *terminal) { return &terminal->pixels; }

static void answer_take(void *context, const char *text)
{
    struct terminal *terminal = context;

    terminal_say(terminal, pixels_answer(&terminal->pixels, text, ca_now()));
    terminal->keys.awaits = pixels_awaits(&terminal->pixels);
    pictures_are_shown(terminal);
}

void terminal_ask_pixels(struct terminal *terminal)
{
    if (terminal->frame < 0 || terminal->line < 0 || !terminal->type.takes_osc ||
        !terminal->locale.utf8 || terminal->colours < 256)
        return;
    take_cell(terminal);
    terminal->keys.answer = answer_take;
    terminal->keys.context = terminal;
    terminal_say(terminal, pixels_ask(&terminal->pixels, ca_now()));
    terminal->keys.awaits = pixels_awaits(&terminal->pixels);
}

bool terminal_has_mouse(const struct terminal *terminal)
{
    const char *begin = tigetstr("kmous");

    (void)terminal; /* the one that curses has set */
    return begin && begin != (const char *)-1 && begin[0];
}

void terminal_mouse(struct terminal *terminal, bool on)
{
    if (on == terminal->mouse)
        return;
    terminal->mouse = on;
    terminal_signals_mouse(on);
    /* Without clicks in the mask curses does not make one of two events that come together. */
    mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
}

/* --- for the main loop ------------------------------------------------------------------------ */

const char *terminal_notice(const struct terminal *terminal) { return terminal->type.notice; }
const char *terminal_locale_notice(const struct terminal *terminal)
{
    return terminal->locale.notice;
}
bool terminal_utf8(const struct terminal *terminal) { return terminal->locale.utf8; }
bool terminal_lines(const struct terminal *terminal)
{
    const char *set = tigetstr("acsc");

    return terminal->locale.utf8 ||
           (strncmp(terminal->type.name, "vt", 2) == 0 && set && set != (const char *)-1);
}

int terminal_colours(const struct terminal *terminal) { return terminal->colours; }
bool terminal_gone(const struct terminal *terminal) { return terminal->gone; }

int terminal_signal(struct terminal *terminal)
{
    (void)terminal;
    return terminal_signals_death();
}

bool terminal_ready(struct terminal *terminal)
{
    struct pollfd line = {.fd = terminal->fd, .events = POLLOUT};

    terminal->awaited = terminal->pending_from < terminal->pending_end || poll(&line, 1, 0) != 1;
    return !terminal->awaited;
}

void terminal_poll(struct terminal *terminal, struct pollfd *fds, int count, int timeout_ms)
{
    const bool awaited = terminal->awaited || terminal->pending_from < terminal->pending_end;
    struct pollfd all[POLL_MAX + 3] = {
        {.fd = terminal->gone ? -1 : terminal->fd, .events = POLLIN},
        {.fd = terminal_signals_fd(), .events = POLLIN},
        {.fd = awaited && !terminal->gone ? terminal->fd : -1, .events = POLLOUT},
    };
    struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    int ready;

    count = count > POLL_MAX ? POLL_MAX : count;
    for (int i = 0; i < count; i++) {
        all[i + 3] = fds[i];
        fds[i].revents = 0;
    }
    ready =
        ppoll(all, (nfds_t)count + 3, timeout_ms < 0 ? NULL : &timeout, &terminal->mask_waiting);
    if (ready <= 0)
        return;
    if (all[0].revents & (POLLHUP | POLLERR | POLLNVAL))
        terminal->gone = true;
    /* A terminal that stays readable but delivers nothing is treated as lost, to avoid a busy loop.
     */
    terminal->idle_wakes = all[0].revents & POLLIN ? terminal->idle_wakes + 1 : 0;
    if (terminal->idle_wakes > 100)
        terminal->gone = true;
    if (all[1].revents)
        terminal_signals_drain();
    terminal->awaited = false;
    if (all[2].revents)
        flush(terminal);
    for (int i = 0; i < count; i++)
        fds[i].revents = all[i + 3].revents;
}

int terminal_key(struct terminal *terminal, wint_t *key)
{
    int kind;

    *key = (wint_t)terminal_signals_key();
    if (*key)
        return OK;
    if (terminal->gone)
        return ERR;
    errno = 0;
    kind = terminal_keys_next(&terminal->keys, terminal->input, key);
    if (kind == ERR) {
        if (errno == EIO)
            terminal->gone = true;
        return ERR;
    }
    terminal->idle_wakes = 0;
    if (kind == KEY_CODE_YES && *key == KEY_RESIZE)
        take_size(terminal);
    if ((kind == OK || kind == TERMINAL_PASTED) && *key == '\r')
        *key = '\n';
    return kind;
}

void terminal_redraw(struct terminal *terminal)
{
    take_size(terminal);
    clearok(curscr, TRUE);
    terminal_signals_wake(); /* KEY_RESIZE may be in the queue of curses, which poll does not see */
}

/* Leaves the screen to others, in the modes from before the start. */
static void terminal_leave(struct terminal *terminal)
{
    drain(terminal);
    pictures_delete(terminal);
    bracket_pastes(terminal, false);
    endwin();
    tcsetattr(terminal->fd, TCSANOW, &terminal->modes);
    terminal_signals_not_drawn();
}

static void come_back(struct terminal *terminal)
{
    tcgetattr(terminal->fd, &terminal->modes); /* the user may have called stty meanwhile */
    def_shell_mode();
    reset_prog_mode();
    terminal_signals_drawn(&terminal->modes);
    bracket_pastes(terminal, true);
    keypad(terminal->input, TRUE); /* which reading would say in the middle of a frame */
    sgr_begin(&terminal->sgr, terminal->colours);
    terminal_redraw(terminal);
    terminal_update(terminal);
}

void terminal_suspend(struct terminal *terminal)
{
    struct sigaction ours, standard = {.sa_handler = SIG_DFL};

    terminal_leave(terminal);
    sigaction(SIGTSTP, &standard, &ours);
    kill(0, SIGTSTP); /* stop the whole job, as the terminal would */
    if (tcgetpgrp(terminal->fd) != getpgrp())
        kill(0,
             SIGTTOU); /* continued in the background: stop again until it is in the foreground */
    sigaction(SIGTSTP, &ours, NULL);
    come_back(terminal);
}

/* ^C is the program's alone; ^Z stops both, so that a shell's fg continues both. */
enum ca_status terminal_lend(struct terminal *terminal, const char *const argv[], int *wait_status,
                             struct ca_error *error)
{
    static const int keys[] = {SIGINT, SIGQUIT, SIGTSTP};
    static const int usual[] = {SIGINT, SIGQUIT, SIGTSTP, SIGPIPE, SIGTERM, SIGHUP, SIGALRM};
    struct sigaction ours[3], other = {.sa_handler = SIG_IGN};
    pid_t child;

    terminal_leave(terminal);
    for (int i = 0; i < 3; i++) {
        other.sa_handler = keys[i] == SIGTSTP ? SIG_DFL : SIG_IGN;
        sigaction(keys[i], &other, &ours[i]);
    }
    child = fork();
    if (child == 0) {
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
            signal(usual[i], SIG_DFL);
        for (int fd = 0; fd < 3; fd++)
            dup2(terminal->fd, fd);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    *wait_status = 0;
    while (child > 0 && waitpid(child, wait_status, 0) < 0 && errno == EINTR)
        if (terminal_signals_death())
            kill(child, SIGHUP);
    for (int i = 0; i < 3; i++)
        sigaction(keys[i], &ours[i], NULL);
    come_back(terminal);
    return child < 0 ? ca_fail(error, CA_IO, "no process for %.100s: %s", argv[0], strerror(errno))
                     : CA_OK;
}
