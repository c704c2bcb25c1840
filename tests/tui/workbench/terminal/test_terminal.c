/* SPDX-License-Identifier: MIT */
/* The terminal of the workbench: terminal types, keys, and output beside curses. */
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/loop.h"
#include "tests/support/process.h"
#include "tests/support/screen.h"
#include "tests/support/script.h"
#include "tests/support/support.h"
#include "tui/workbench/terminal/terminal.h"
#include "tui/workbench/terminal/terminal_keys.h"

static struct screen *start(int (*body)(const void *), const char *term)
{
    const struct screen_options options = {.term = term, .body = body};

    return screen_start(&options);
}

/* --- terminal types --------------------------------------------------------------------------- */

static const struct {
    const char *term;
    int refused; /* exit status, 0: drawn */
    const char *says[2];
} types[] = {
    {"xterm-256color", 0, {"ready 24x80", "colours=256"}},
    {"vt100", 0, {"ready 24x80", "colours=0"}},
    {"xterm-nonsense", 0, {"ready", "'xterm-nonsense', which terminfo does not know; using"}},
    {"vt999", 0, {"ready", "using vt100 instead"}},
    {"-", 2, {"TERM is not set", "calab run"}},
    {"", 2, {"TERM is not set", "calab run"}},
    {"dumb", 2, {"'dumb', a terminal that cannot move its cursor", "calab run"}},
    {"nonsense", 2, {"'nonsense', which terminfo does not know; install", "ncurses-term"}},
    {"a-name-that-is-much-longer-than-the-name-of-any-terminal-ever-made",
     2,
     {"too long for the name of a terminal", "calab run"}},
};

static bool says_both(const char *text, const char *const says[2])
{
    return strstr(text, says[0]) && strstr(text, says[1]);
}

START_TEST(opens_on_type)
{
    struct screen *screen = start(loop_body, types[_i].term);
    char flat[4096] = "";

    if (types[_i].refused == 0) {
        user_does(screen, STEPS(SHOWS(types[_i].says[0]), SHOWS(types[_i].says[1]), PRESS("q")));
    }
    ck_assert_int_eq(screen_end(screen), types[_i].refused << 8);
    if (types[_i].refused) {
        /* The screen wraps a long message, so that its bytes are compared. */
        snprintf(flat, sizeof flat, "%s", screen_bytes(screen, NULL));
        ck_assert_msg(says_both(flat, types[_i].says), "TERM='%s': %s", types[_i].term, flat);
        ck_assert_msg(!strchr(flat, '\033'), "TERM='%s' was drawn upon: %s", types[_i].term, flat);
    }
    screen_close(screen);
}
END_TEST

/* By SSH the name of a locale comes that this machine may not have. */
static const struct {
    const char *lang, *variable, *says, *notice; /* NULL: none */
} locales[] = {
    {"C", NULL, "utf8=0", NULL},
    {"C.UTF-8", NULL, "utf8=1", NULL},
    {"no_SUCH.locale", NULL, "utf8=0", "LANG is 'no_SUCH.locale', a locale that is not installed"},
    {"no_SUCH", NULL, "utf8=0", "using C, that is, ASCII"},
    {"no_SUCH.UTF-8", NULL, "utf8=1", "LANG is 'no_SUCH.UTF-8'"},
    {"no_SUCH.utf8@euro", NULL, "utf8=1", "using C.UTF-8"},
    {"no_SUCH.UTF-16", NULL, "utf8=0", "ASCII"},
    {"C", "LC_ALL=no_SUCH.UTF-8", "utf8=1", "LC_ALL is 'no_SUCH.UTF-8'"},
    {"C", "LC_CTYPE=no_SUCH.Utf8", "utf8=1", "LC_CTYPE is 'no_SUCH.Utf8'"},
    {"C", "LC_CTYPE=UTF-8", "utf8=1", "LC_CTYPE is 'UTF-8'"},
    {"no_SUCH.UTF-8", "LC_ALL=C", "utf8=0", NULL},
    {"no_SUCH.UTF-8", "LC_ALL=", "utf8=1", "LANG is"},
    {"C.UTF-8", "LC_TIME=no_SUCH.UTF-8", "utf8=1", NULL},
};

START_TEST(locale_decides_on_utf8)
{
    const struct screen_options options = {.lang = locales[_i].lang,
                                           .rows = 24,
                                           .columns = 140,
                                           .environment = {locales[_i].variable},
                                           .body = loop_body};
    struct screen *screen = screen_start(&options);

    user_does(screen, STEPS(SHOWS(locales[_i].says), SHOWS("0.5") /* numbers have their point */,
                            SHOWS("locale notice:")));
    if (locales[_i].notice)
        ck_assert_msg(screen_shows(screen, locales[_i].notice), "%s", screen_text(screen));
    else
        ck_assert_str_eq(screen_row(screen, 3), "locale notice:");
    screen_close(screen);
}
END_TEST

START_TEST(no_color_is_obeyed)
{
    const struct screen_options options = {.environment = {"NO_COLOR=1"}, .body = loop_body};
    struct screen *screen = screen_start(&options);

    screen_expect(screen, "colours=0");
    ck_assert(!screen_coloured(screen, 0));
    screen_close(screen);

    screen = start(loop_body, NULL);
    screen_expect(screen, "colours=256");
    ck_assert(screen_coloured(screen, 0));
    screen_close(screen);
}
END_TEST

START_TEST(size_of_a_line_that_does_not_know)
{
    static const struct {
        const char *lines, *columns, *says;
    } cases[] = {
        {NULL, NULL, "ready 24x80"},
        {"LINES=30", "COLUMNS=70", "ready 30x70"},
        {"LINES=30", "COLUMNS=0", "ready 30x80"},
        {"LINES=-3", "COLUMNS=70", "ready 24x70"},
        {"LINES=100000", "COLUMNS=7x", "ready 24x80"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct screen_options options = {.rows = -1,
                                               .columns = -1,
                                               .environment = {cases[i].lines, cases[i].columns},
                                               .body = loop_body};
        struct screen *screen = screen_start(&options);

        user_does(screen, STEPS(SHOWS(cases[i].says), RESIZE(20, 50) /* now it tells one */,
                                SHOWS("size 20x50"), RESIZE(21, 51), SHOWS("size 21x51")));
        screen_close(screen);
    }
}
END_TEST

/* Where there is none, nothing is left open. */
START_TEST(no_terminal)
{
    static const char *const names[] = {"standard input", "standard output"};
    struct terminal *terminal = (struct terminal *)&terminal;
    struct ca_error error;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), line = posix_openpt(O_RDWR | O_NOCTTY);

    ck_assert_int_ge(null, 0);
    ck_assert_int_ge(line, 0);
    dup2(_i == 0 ? null : line, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    ck_assert_int_eq(terminal_open(&terminal, &error), CA_USAGE);
    ck_assert_ptr_null(terminal);
    ck_assert_contains(error.text, test_text("%s is not a terminal", names[_i]));
    close(null);
    close(line);
}
END_TEST

START_TEST(doctor_tells_the_size)
{
    const struct screen_options options = {.rows = _i ? 30 : -1,
                                           .columns = _i ? 90 : -1,
                                           .arguments = {"doctor"},
                                           .environment = {"LINES=40", "COLUMNS=70"}};
    struct screen *screen = screen_start(&options);

    ck_assert_int_eq(screen_end(screen), 0);
    ck_assert_contains(screen_bytes(screen, NULL),
                       _i ? "90x30 characters\r" : "70x40 characters, assumed or from");
    ck_assert_contains(screen_bytes(screen, NULL), "workbench    usable");
    screen_close(screen);
}
END_TEST

START_TEST(line_wins_over_lines_and_columns)
{
    const struct screen_options options = {
        .rows = 12, .columns = 40, .environment = {"LINES=99", "COLUMNS=99"}, .body = loop_body};
    struct screen *screen = screen_start(&options);

    user_does(screen, STEPS(SHOWS("ready 12x40"), RESIZE(20, 50), SHOWS("size 20x50")));
    screen_close(screen);
}
END_TEST

/* Text between the brackets is no keys, q neither; without an end of the paste, only for a time. */
START_TEST(a_paste_is_text)
{
    struct screen *screen = start(loop_body, _i ? "screen-256color" : NULL);

    screen_expect(screen, "ready");
    ck_assert_contains(screen_bytes(screen, NULL), "\033[?2004h");
    user_does(screen,
              STEPS(PRESS("\033[200~q\rq\033[Aq\033qz"), SHOWS("key pasted 122;"),
                    PRESS("a\033") /* which is no text */, SHOWS("key pasted 97;"), WAIT_MS(300)));
    ck_assert(screen_row_shows(screen, 1, "key pasted 97;"));
    user_does(screen, STEPS(PRESS("\033[201~x"), SHOWS("key 120;"), PRESS("\033[20") /* in parts */,
                            WAIT_MS(100), PRESS("0~\xc3\xa4"), SHOWS("key pasted 228;"),
                            PRESS("\033[201~\033[201~y"), SHOWS("key 121;"), PRESS("\033[200~b"),
                            SHOWS("key pasted 98;"), WAIT_MS(2200), PRESS("c"), SHOWS("key 99;"),
                            PRESS("q")));
    ck_assert_int_eq(screen_end(screen), 0);
    ck_assert_ptr_nonnull(strstr(screen_bytes(screen, NULL), "\033[?2004l"));
    screen_close(screen);
}
END_TEST

START_TEST(a_vt100_brackets_no_paste)
{
    struct screen *screen = start(loop_body, "vt100");

    screen_expect(screen, "ready");
    screen_send(screen, "q");
    screen_end(screen);
    ck_assert_ptr_null(strstr(screen_bytes(screen, NULL), "2004"));
    screen_close(screen);
}
END_TEST

START_TEST(smallest_terminal_opens_and_grows)
{
    const struct screen_options options = {.rows = 1, .columns = 1, .body = loop_body};
    struct screen *screen = screen_start(&options);

    user_does(screen, STEPS(SHOWS("r"), RESIZE(24, 80), SHOWS("size 24x80"), RESIZE(200, 60),
                            SHOWS("size 200x60")));
    screen_close(screen);
}
END_TEST

/* --- keys ------------------------------------------------------------------------------------- */

START_TEST(keys_arrive)
{
    static const struct {
        const char *bytes, *says;
    } cases[] = {
        {"a", "key 97;"},
        {"\r", "key 10;"},
        {"\003", "key 3;"},
        {"\023", "key 19;"},
        {"\021", "key 17;"},
        {"\033", "key 27;"},
        {"\033OA", "key code 259;"},
        {"\303\251", "key 233;"},
        {"\177", "key code 263;"},
    };
    struct screen *screen = start(loop_body, NULL);

    screen_expect(screen, "ready");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        screen_send(screen, cases[i].bytes);
        screen_expect_row(screen, 1, cases[i].says);
    }
    kill(screen_pid(screen), SIGINT);
    screen_expect_row(screen, 1, "key 3;");
    screen_close(screen);
}
END_TEST

/* What terminals send for one key, whatever TERM is, each followed by the next of its row. */
static const struct {
    int key;
    const char *sent[12];
} sequences[] = {
    {KEY_HOME, {"\033[1~", "\033[7~", "\033[H", "\033OH", "\033[1;5H", "\033[7$", "\033[1;2~"}},
    {KEY_END, {"\033[4~", "\033[8~", "\033[F", "\033OF", "\033[1;5F", "\033[8^"}},
    {KEY_PPAGE, {"\033[5~", "\033[5;5~"}},
    {KEY_NPAGE, {"\033[6~", "\033[6;3~"}},
    {KEY_LEFT, {"\033[D", "\033OD", "\033[1;5D", "\033O5D", "\033[d", "\033Od"}},
    {KEY_UP, {"\033[A", "\033OA", "\033[1;2A", "\033[1;10A", "\033[a", "\033Oa"}},
    {KEY_F(1), {"\033OP", "\033[11~", "\033[[A", "\033[1;5P"}},
    {KEY_F(2), {"\033OQ", "\033[12~", "\033[[B"}},
    {KEY_F(5), {"\033[15~", "\033[[E", "\033[15;2~"}},
    {KEY_DC, {"\033[3~", "\033[3;5~"}},
    {KEY_BTAB, {"\033[Z"}},
    {'5', {"\033Ou"}},
    {'+', {"\033Ok"}},
    {'\n', {"\033OM"}},
};
static const char *const senders[] = {"xterm-256color", "vt100", "linux", "screen"};

START_TEST(keys_of_all_terminals)
{
    struct screen *screen = start(loop_body, senders[_i]);

    screen_expect(screen, "ready");
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        for (const char *const *sent = sequences[i].sent; *sent; sent++) {
            int key = sequences[i].key;

            if (key == '5' && strcmp(senders[_i], "vt100") == 0)
                continue; /* whose terminfo has function keys there */

            user_does(screen,
                      STEPS(PRESS("z"), ROW(1, "key 122;"), PRESS(*sent),
                            ROW(1, test_text(key < KEY_MIN ? "key %d;" : "key code %d;", key))));
        }
    screen_close(screen);
}
END_TEST

/* Sequences that no key has, whole or in pieces: none of their letters arrives, and the next key
 * does. */
START_TEST(unknown_sequences_do_nothing)
{
    static const char *const unknown[] = {
        "\033[99~",     "\033[?1;2c", "\033[>0;276;0c", "\033[I",         "\033[O",     "\033[202~",
        "\033[27;5;9~", "\033[1;5y",  "\033Oz",         "\033[?2004;1$y", "\033[33;1z", "\033[[Q"};
    struct screen *screen = start(loop_body, NULL);
    const char *bytes;
    size_t count;

    screen_expect(screen, "ready");
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        char next[2] = {(char)('a' + i), 0}, says[40];

        screen_send(screen, unknown[i]);
        screen_send(screen, next);
        snprintf(says, sizeof says, "key %d;", next[0]);
        screen_expect_row(screen, 1, says);
    }
    user_does(screen, STEPS(PRESS("\033["), WAIT_MS(100) /* longer than curses waits */,
                            PRESS("1;5"), WAIT_MS(100), PRESS("D"), ROW(1, "key code 260;")));
    bytes = screen_bytes(screen, &count);
    ck_assert_ptr_null(strstr(bytes, "key 126;")); /* ~ */
    ck_assert_ptr_null(strstr(bytes, "key 91;"));  /* [ */
    ck_assert_ptr_null(strstr(bytes, "key 59;"));  /* ; */
    ck_assert_ptr_null(strstr(bytes, "key 27;"));
    screen_close(screen);
}
END_TEST

/* Writes to a terminal by this process, curses included: it finds this function in place of the
 * C library's. One that goes on where the terminal took a part of the last is not counted. */
static int writes_to_terminals;

ssize_t write(int fd, const void *bytes, size_t count)
{
    static bool goes_on;
    int before = errno;
    bool terminal = isatty(fd);
    ssize_t written;

    errno = before;
    written = syscall(SYS_write, fd, bytes, count);
    if (terminal) {
        writes_to_terminals += !goes_on;
        goes_on = written < (ssize_t)count;
    }
    return written;
}

#define FRAMES 20

static int body_frames(const void *data)
{
    struct terminal *terminal = loop_open();
    int before;

    (void)data;
    terminal_update(terminal);
    before = writes_to_terminals;
    for (int i = 0; i < FRAMES; i++) {
        for (int row = 3; row < 24; row++)
            for (int column = row % 7; column < 70; column += 9)
                mvaddch(row, column, (chtype)('a' + i));
        wnoutrefresh(stdscr);
        terminal_update(terminal);
        while (!terminal_ready(terminal))
            terminal_poll(terminal, NULL, 0, -1);
    }
    mvaddstr(0, 0, test_text("%d frames, %d writes", FRAMES, writes_to_terminals - before));
    wnoutrefresh(stdscr);
    terminal_update(terminal);
    while (!terminal_gone(terminal) && !terminal_signal(terminal))
        terminal_poll(terminal, NULL, 0, -1);
    terminal_close(terminal);
    return 0;
}

/* However many places of the screen have changed. */
START_TEST(a_frame_is_one_write)
{
    struct screen *screen = start(body_frames, NULL);

    screen_expect(screen, "20 frames, 20 writes");

    screen_close(screen);
}
END_TEST

#define FRAMES_MAX 2000

/* Draws frames until the line takes no more, and returns their number. */
static int fill_line(struct terminal *terminal)
{
    struct pollfd line = {.fd = STDOUT_FILENO, .events = POLLOUT};
    int frames = 0;

    while (frames < FRAMES_MAX && poll(&line, 1, 0) == 1 && terminal_ready(terminal)) {
        for (int row = 1; row < LINES; row++)
            for (int column = 0; column < COLS; column++)
                mvaddch(row, column, (chtype)('!' + (row * 7 + column * 3 + frames) % 90));
        wnoutrefresh(stdscr);
        terminal_update(terminal);
        frames++;
    }
    loop_leave_mark(test_text("blocked %d", frames));
    return frames;
}

/* A line that takes nothing for a while: no frame is lost, and none is begun before the last one
 * has been sent. */
static int body_slow(const void *data)
{
    struct terminal *terminal = loop_open();
    int frames = fill_line(terminal);

    (void)data;
    while (!terminal_ready(terminal))
        terminal_poll(terminal, NULL, 0, -1);
    mvaddstr(0, 0, test_text("all %d sent", frames));
    wnoutrefresh(stdscr);
    terminal_update(terminal);
    while (!terminal_gone(terminal) && !terminal_signal(terminal))
        terminal_poll(terminal, NULL, 0, -1);
    terminal_close(terminal);
    return 0;
}

/* Whether the screen shows a frame, by its number. */
static bool shows_frame(struct screen *screen, const void *data)
{
    const int frame = *(const int *)data;

    for (int row = 1; row < screen_rows(screen); row++) {
        const char *text = screen_row(screen, row);

        for (int column = 0; column < screen_columns(screen) - 1; column++)
            if (text[column] != '!' + (row * 7 + column * 3 + frame) % 90)
                return false;
    }
    return true;
}

/* Waits until a program has filled its line, from which nothing has been read, and returns the
 * number of its last frame. */
static int last_frame(struct screen *screen)
{
    char mark[40];

    process_expect_sleep(screen_pid(screen));
    for (int frames = 1; frames < FRAMES_MAX; frames++) {
        snprintf(mark, sizeof mark, "blocked %d", frames);
        if (access(test_path(mark), F_OK) == 0)
            return frames - 1;
    }
    ck_abort_msg("the line took all frames");
}

START_TEST(a_slow_line_gets_whole_frames)
{
    struct screen *screen = start(body_slow, NULL);
    int last = last_frame(screen);

    screen_expect(screen, " sent");
    ck_assert(shows_frame(screen, &last));
    screen_close(screen);
}
END_TEST

/* The program does nothing more after its last frame, of which the line has taken a part. */
static int body_rest(const void *data)
{
    struct terminal *terminal = loop_open();

    (void)data;
    fill_line(terminal);
    while (!terminal_gone(terminal) && !terminal_signal(terminal))
        terminal_poll(terminal, NULL, 0, -1);
    terminal_close(terminal);
    return 0;
}

START_TEST(the_rest_of_a_frame_follows)
{
    const struct screen_options options = {.rows = 60, .columns = 200, .body = body_rest};
    struct screen *screen = screen_start(&options); /* a line takes a part of a long frame only */
    int last = last_frame(screen);

    screen_until(screen, shows_frame, &last, "all of the last frame");
    screen_close(screen);
}
END_TEST

START_TEST(sequences_are_whole_or_not)
{
    ck_assert_int_eq(terminal_sequence("[", 1), -1);
    ck_assert_int_eq(terminal_sequence("[1;5", 4), -1);
    ck_assert_int_eq(terminal_sequence("[M !", 4), -1);
    ck_assert_int_eq(terminal_sequence("[M !!", 5), 0);
    ck_assert_int_eq(terminal_sequence("O", 1), -1);
    ck_assert_int_eq(terminal_sequence("O5", 2), -1);
    ck_assert_int_eq(terminal_sequence("[1;5D", 5), KEY_LEFT);
    ck_assert_int_eq(terminal_sequence("[?1D", 4), 0);
}
END_TEST

START_TEST(redraw_repaints_and_reads_the_size)
{
    struct screen *screen = start(loop_body, NULL);
    size_t before;

    screen_expect(screen, "ready");
    screen_bytes(screen, &before);
    screen_send(screen, "\014");
    screen_expect_row(screen, 1, "key 12;");
    ck_assert_contains(screen_bytes(screen, NULL) + before, "ready");
    screen_close(screen);
}
END_TEST

/* --- output beside curses --------------------------------------------------------------------- */

static int body_scribble(const void *data)
{
    struct terminal *terminal = loop_open();
    struct ca_error error = {.text = ""};

    if (terminal_redirect(terminal, data, &error) != CA_OK)
        loop_show(3, error.text);
    printf("scribble on one\n");
    fprintf(stderr, "scribble on two\n");
    fflush(NULL);
    loop_show(0, "ready");
    terminal_poll(terminal, NULL, 0, -1);
    terminal_close(terminal);
    printf("AFTERWARDS\n");
    fflush(stdout);
    return 0;
}

START_TEST(scribbles_go_to_the_log)
{
    const char *path = test_path("new/folder/log");
    const struct screen_options options = {.body = body_scribble, .data = path};
    struct screen *screen;
    char *log;

    screen = screen_start(&options);
    user_does(screen, STEPS(SHOWS("ready"), LACKS("scribble"), PRESS("x")));
    ck_assert_int_eq(screen_end(screen), 0);
    ck_assert_contains(screen_bytes(screen, NULL), "AFTERWARDS");
    log = test_read(path, NULL);
    ck_assert_contains(log, "scribble on one", "scribble on two");
    screen_close(screen);
}
END_TEST

START_TEST(log_that_cannot_be_is_said)
{
    const struct screen_options options = {.body = body_scribble, .data = "/proc/none/log"};
    struct screen *screen = screen_start(&options);

    screen_expect(screen, "cannot make the folder /proc/none");
    ck_assert(!screen_shows(screen, "scribble"));
    screen_close(screen);
}
END_TEST

/* With nobody at its other end, and with a reader. */
START_TEST(log_that_is_a_pipe_is_said)
{
    const char *path = test_path("pipe");
    const struct screen_options options = {.body = body_scribble, .data = path};
    int reader = -1;

    ck_assert_int_eq(mkfifo(path, 0600), 0);
    for (int i = 0; i < 2; i++) {
        struct screen *screen = screen_start(&options);

        screen_expect(screen, "the log is a pipe");
        ck_assert(!screen_shows(screen, "scribble"));
        screen_close(screen);
        if (i == 0)
            ck_assert_int_ge(reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), 0);
    }
    close(reader);
}
END_TEST

START_TEST(big_log_starts_over)
{
    const char *path = test_path("log");
    const struct screen_options options = {.body = body_scribble, .data = path};
    struct screen *screen;
    char *big = calloc(1, 2 << 20);
    size_t count;

    test_write(path, big, 2 << 20);
    free(big);
    screen = screen_start(&options);
    screen_expect(screen, "ready");
    free(test_read(path, &count));
    ck_assert_uint_lt(count, 4096);
    screen_close(screen);
}
END_TEST

static int body_copy(const void *data)
{
    struct terminal *terminal = loop_open();
    char *much = malloc(8194);
    bool said, long_said;

    (void)data;
    memset(much, 'x', 8193);
    much[8193] = 0;
    said = terminal_copy(terminal, "calab run anneal");
    long_said = terminal_copy(terminal, much);
    loop_show(0, said ? "copied" : "not copied");
    loop_show(1, long_said ? "long copied" : "long refused");
    terminal_poll(terminal, NULL, 0, -1);
    terminal_close(terminal);
    free(much);
    return 0;
}

START_TEST(copies_where_it_is_understood)
{
    struct screen *screen = start(body_copy, NULL);

    screen_expect_row(screen, 0, "copied");
    screen_expect_row(screen, 1, "long refused");
    ck_assert_contains(screen_bytes(screen, NULL), "\033]52;c;Y2FsYWIgcnVuIGFubmVhbA==\a");
    screen_close(screen);

    screen = start(body_copy, "vt100");
    screen_expect_row(screen, 0, "not copied");
    ck_assert_ptr_null(strstr(screen_bytes(screen, NULL), "\033]"));
    screen_close(screen);
}
END_TEST

int main(void)
{
    const int type_count = (int)(sizeof types / sizeof *types);

    return RUN_TESTS(.test = {no_color_is_obeyed, a_vt100_brackets_no_paste,
                              size_of_a_line_that_does_not_know, line_wins_over_lines_and_columns,
                              smallest_terminal_opens_and_grows, keys_arrive,
                              unknown_sequences_do_nothing, sequences_are_whole_or_not,
                              a_frame_is_one_write, a_slow_line_gets_whole_frames,
                              the_rest_of_a_frame_follows, redraw_repaints_and_reads_the_size,
                              scribbles_go_to_the_log, log_that_cannot_be_is_said,
                              log_that_is_a_pipe_is_said, big_log_starts_over,
                              copies_where_it_is_understood},
                     .table = {{opens_on_type, type_count},
                               {locale_decides_on_utf8, COUNT(locales)},
                               {doctor_tells_the_size, 2},
                               {no_terminal, 2},
                               {a_paste_is_text, 2},
                               {keys_of_all_terminals, 4}});
}
