/* SPDX-License-Identifier: MIT */
/*
 * The whole state of the workbench, in one struct that is passed to every function, and the
 * functions that its files offer each other.
 */
#ifndef CALAB_TUI_WORKBENCH_APP_H
#define CALAB_TUI_WORKBENCH_APP_H

#include <jansson.h>
#include <poll.h>

#include "core/base/quantity.h"
#include "core/engine/client.h"
#include "core/engine/wire.h"
#include "core/machine/device.h"
#include "core/settings/settings.h"
#include "core/sim/shipped.h"
#include "tui/workbench/crossing.h"
#include "tui/workbench/ladder.h"
#include "tui/workbench/lab.h"
#include "tui/workbench/probing.h"
#include "tui/workbench/dialog.h"
#include "tui/workbench/draw.h"
#include "tui/keys.h"
#include "tui/workbench/layout.h"
#include "tui/workbench/picture.h"
#include "tui/workbench/split.h"
#include "tui/workbench/terminal.h"
#include "tui/workbench/timeline.h"

/* A request to an engine: session_requests.h. */
struct pending;

/* The last state that an engine can be restarted from. */
struct good {
    uint64_t generation;
    uint64_t edits;         /* what session.edits was */
    char path[CA_TEXT_MAX]; /* "": generation 0, initialised again */
};

struct session {
    struct ca_client *client; /* NULL: there is no engine; the log says why */
    bool open;                /* the engine has a simulation */
    bool running;             /* it steps until it is stopped */
    double pace;              /* of the last run, in generations a frame; 0: without a limit */
    bool run_requested;       /* by the user; a restart clears it */
    bool hung;
    bool busy;      /* silent, but it uses the processor */
    long ticks;     /* of processor time, when it was looked at last */
    double looked;  /* the time of that */
    bool dead;      /* crashed twice in a row, or did not start: `r` starts it again */
    bool unstarted; /* it did not: the state to begin with is still `good` */
    uint64_t generation;
    double last_received; /* time of the engine's last message */
    double died;          /* time of the last crash, 0: none */
    uint64_t steps_wanted;
    bool view_due, cell_due, device_due;
    char fault_text[CA_TEXT_MAX];   /* error of a lost device, "" for none */
    char save_error[CA_TEXT_MAX];   /* why the state could not be saved, "" */
    char crash_reason[CA_TEXT_MAX]; /* of the last engine, until the restarted one is open */
    char crash_log[CA_TEXT_MAX];    /* "; see" and where it has left more; or "" */

    struct good good;
    uint64_t edits;         /* how often the state was changed other than by steps */
    double checkpoint_last; /* time of the last request */
    double checkpoint_cost; /* seconds that the last one took */
    double device_last;
};

/* The last frame as received. */
struct frame {
    bool known;
    struct ca_frame picture; /* its codes and levels point into bytes */
    struct ca_frame beside;  /* a second slice; view.columns = 0: there is none */
    uint8_t *bytes;          /* all codes, then all levels, of one after the other */
    size_t capacity;
};

#define HISTORY 256

struct history {
    double value[HISTORY];
    int count, next;
};

struct figures {
    struct ca_wire_timing timing;
    uint64_t asked;        /* generations of a call of the last burst that was asked for, 0: none */
    char before[160];      /* what the backend before was able to, "" */
    struct history step_s; /* device time per generation between two frames */
};

struct observed {
    bool known;
    uint64_t generation;
    double seconds; /* that the values took, NAN: unknown */
    bool in_place;  /* the backend computed them where the state is */
    double value[CA_OBSERVABLES_MAX];
    int broken;
    struct timeline timeline; /* of the whole run */
};

/* The device, or several GPUs, as the engine last described them. */
struct device {
    bool known;
    int count;
    struct ca_device facts[CA_RANKS_MAX];
    char
        ceilings_others[CA_DISTURBANCE_TEXT]; /* disturbed the ceilings' measurement, "": nothing */
    struct ca_fact joules;                    /* per 10^9 cell updates */
};

/* The cursor in the lattice and the engine's description of the cell under it. */
struct cursor {
    bool on;
    bool edits;   /* keys change the cell under it */
    int64_t x, y; /* in the slice */
    char text[256];
};

#define LOG_LINES 256
#define ALARMS_MAX 8

struct log_line {
    char time[12];
    bool alarm;
    char text[CA_TEXT_MAX];
};

struct log {
    struct log_line line[LOG_LINES];
    int count, next, scroll;
    char message[CA_TEXT_MAX]; /* the message line, until the next key */
    bool alarm;
    char raised[ALARMS_MAX][CA_TEXT_MAX]; /* alarms that nobody has answered, the newest last */
    int raised_count;
};

/* How the last reset can be undone. */
struct undo {
    enum {
        UNDO_NONE,
        UNDO_ASIDE, /* the engine has put the state aside */
        UNDO_AGAIN, /* the start leads to it */
    } how;
    uint64_t generation;
    bool steered, from_state; /* what that state was */
    bool warned;              /* of the state at `warned_at` it was said that it will be lost */
    uint64_t warned_at;
};

/*
 * One simulation on the screen: its engine process, what it runs, and what is known of it. The
 * workbench shows one, or two that are compared.
 */
struct pane {
    struct workbench *wb;
    char host[CA_TEXT_MAX];          /* where the engine runs, "": here */
    struct ca_experiment experiment; /* as the engine runs it */
    bool opened;                     /* an engine has opened it: only then is it saved */
    /* The saved state of the model belongs to another run; it is kept until this run steps. */
    bool keep_saved_state;
    const struct ca_backend *previous_backend;
    char previous_host[CA_TEXT_MAX]; /* where that ran, if it was another pane's; "": here */
    bool steered; /* a parameter was changed in mid-run, or cells were: the start does not lead to
                     this state */
    bool from_state; /* the state has come from a file */
    struct undo undo;
    struct session session;
    struct ca_view view; /* as requested from the engine */
    int magnify;         /* of the picture: picture.h */
    struct {
        struct ca_view view; /* of a second slice; columns = 0: there is none */
        int magnify;
        struct rect at; /* within the area of pictures: a caption, and the picture below it */
    } beside;
    bool fitted; /* the zoom follows the sizes of slice and panel, so that all of the slice is shown
                  */
    bool arriving;         /* another experiment is being opened, with a view of its own */
    struct ca_view zoomed; /* the view after the last zoom */
    int64_t middle[2];     /* the centre of that zoom */
    struct frame frame;
    struct frame coming; /* of a call in lock step, shown once both panes have theirs */
    bool ack_due;        /* a received frame is acknowledged once it is drawn */
    struct figures figures;
    char report[CA_TEXT_MAX]; /* how the backend runs, in the engine's words */
    struct observed observed;
    struct device device;
    struct cursor cursor;
    json_t *hello;             /* the engine's greeting, NULL: not received yet */
    json_t *list;              /* the engine's models and backends, NULL: not received yet */
    json_t *devices;           /* the engine's devices, the CPU first */
    char no_cuda[CA_TEXT_MAX]; /* why there is no GPU, "" if there is one */
};

#define PANES_MAX 2

struct workbench {
    struct terminal *terminal;
    struct ca_settings *settings;
    struct keymap keys;
    struct palette palette;
    struct pane panes[PANES_MAX]; /* A and B; `pane_count` are open */
    int pane_count;
    struct split split;
    struct crossing crossing;
    struct ladder ladder;
    struct probing probing;
    struct lab_work lab;
    struct pane *pane; /* the one in focus, to which keys and commands apply */
    struct log log;

    struct layout layout;
    int rows, columns;
    bool wanted[PANEL_COUNT];
    bool panels_auto; /* wanted follows the size of the screen */
    enum panel focus;
    bool full;
    bool mouse;
    bool difference; /* is drawn: that between A and B, which may be hidden */
    double speed;    /* generations per frame; below 1: frames between generations; 0: unlimited */
    double fps;

    struct ca_shipped *shipped; /* the experiments that the picker of models lists, or NULL */
    int shipped_count;
    struct dialog dialogs[DIALOGS_MAX];
    int depth;
    char search[64];
    uint64_t marked; /* bit n: GPU n, in the picker of devices */

    void (*deferred)(struct workbench *wb); /* a key's, until the simulation is open; or NULL */
    bool dirty;                             /* the screen must be drawn again */
    bool quit;                              /* leave the main loop */
    bool paste_blank;                       /* a pasted line has ended, and more may come */
    bool paste_ignored;                     /* of this paste it was said that it is not taken */
    double interrupted;                     /* time of the last ^C */
    double save_due;                        /* time to save the settings, 0: nothing to save */
    int lock;                    /* the file that says that this process lives, 0: there is none */
    char recovered[CA_TEXT_MAX]; /* the checkpoint of a calab that was killed, "" */
};

/* --- settings.c: the settings of calab.cfg---------------------------------------------------- */
const char *setting_text(const struct workbench *wb, enum ca_setting setting);
double setting_number(const struct workbench *wb, enum ca_setting setting);
bool setting_on(const struct workbench *wb, enum ca_setting setting);
/* Changes and applies a setting and schedules saving. Reports a value that is not allowed and
 * returns false. */
bool setting_change(struct workbench *wb, enum ca_setting setting, const char *text);
void setting_cycle(struct workbench *wb, enum ca_setting setting);
/* Applies all settings, at the start and after a change; and what is drawn alone. */
void settings_apply(struct workbench *wb);
void settings_drawn(struct workbench *wb);
/* Stores which panels are shown. */
void settings_panels(struct workbench *wb);
void settings_save_soon(struct workbench *wb);
enum ca_status settings_save_now(struct workbench *wb, struct ca_error *error);
/* Stores model, experiment and view in the settings, if an engine has opened it. */
void workbench_remember(struct pane *pane);
extern const struct list_source settings_source;

/* --- workbench.c ------------------------------------------------------------------------------ */
/* The file that takes what libraries and engines of this machine write to stderr; "" without. */
void workbench_log(char path[CA_TEXT_MAX]);

/* --- session.c: the engine process and requests to it ------------------------------------------
 */
bool session_start(struct pane *pane, struct ca_error *error);
void session_end(struct pane *pane);
/* Whether the engine runs on this machine: its files are then this machine's, and its process can
 * be looked at. One that a command starts says so by its greeting. */
bool session_is_here(const struct pane *pane);
/* Opens an experiment from a state file at its generation; `state` NULL or "": at generation 0. */
void session_open(struct pane *pane, const struct ca_experiment *wanted, uint64_t generation,
                  const char *state);
void session_change(struct pane *pane, const struct ca_experiment *wanted);
void session_run(struct pane *pane);
void session_stop(struct pane *pane);
void session_step(struct pane *pane, uint64_t n);
void session_reset(struct pane *pane);
void session_seek(struct pane *pane, uint64_t generation);
void session_save(struct pane *pane, const char *path);
void session_view(struct pane *pane); /* sends the view at the next tick */
void session_cell(struct pane *pane);
bool session_busy(const struct pane *pane); /* it runs, steps or seeks */
/* Whether an experiment is being opened, or changed. */
bool session_is_opening(const struct pane *pane);
bool session_is_changing(const struct pane *pane);
/* Asks which models, backends and devices there are. */
void session_list(struct pane *pane);
/* The engine reads the ceilings of its device anew. */
void device_renew(struct pane *pane);
/* Whether a simulation is open in A. Where it is about to be, the action follows then; where there
 * is none, that is said. */
bool session_ready(struct workbench *wb, void (*then)(struct workbench *wb));
/* Sends the requests that are due (view, cell, further steps) and detects a hung engine. Returns
 * the seconds until the next call is needed, negative: only after an event. */
double session_tick(struct pane *pane, double now);
/* The earlier of two such times. */
double sooner(double a, double b);
/* Handles all messages that have arrived. */
void session_read(struct pane *pane);
/* Kills the engine and restarts it at the last saved state. */
void session_kill(struct pane *pane);
/* Restarts an engine that crashed twice in a row, at generation 0; one that did not start, at the
 * state that it was to begin with. */
void session_restart(struct pane *pane);

/* --- pane.c: the life of a pane ----------------------------------------------------------------
 */
void pane_init(struct pane *pane, struct workbench *wb, const struct contender *side);
/* Ends the engine, deletes the pane's checkpoints and frees what it holds. */
void pane_end(struct pane *pane);
int pane_index(const struct pane *pane);      /* 0: A, 1: B */
struct pane *pane_hung(struct workbench *wb); /* one whose engine does not answer, NULL: none */
/* What the main loop waits for on behalf of a pane: at most PANE_FDS descriptors, whose count is
 * returned; then what has come is handled. */
#define PANE_FDS 2
int pane_poll(const struct pane *pane, struct pollfd fds[PANE_FDS]);
/* Starts an engine on a host, or where `host` is "" by the setting engine_command, or here. False,
 * with an error. */
bool client_start(struct workbench *wb, struct ca_client **client, const char *host,
                  struct ca_error *error);
int client_poll(const struct ca_client *client, struct pollfd fds[PANE_FDS]); /* NULL: none */
void pane_serve(struct pane *pane, const struct pollfd *fds, int count);

/* Whether its engine knows a request, or what else its greeting names. */
bool pane_can(const struct pane *pane, const char *request);

/* --- undo.c: resets ---------------------------------------------------------------------------
 */
/* The requests of the keys. */
void undo_reset(struct workbench *wb);
void undo_last(struct workbench *wb);
/* Another experiment is open, or the present one has changed; same_rule: not in its parameters. */
void undo_forget(struct pane *pane);
void undo_change(struct pane *pane, bool same_rule);

/* --- edit.c: changing cells -------------------------------------------------------------------
 */
/* The requests of the keys; the last two while cells are edited. */
void edit_toggle(struct workbench *wb);
void edit_next(struct workbench *wb);
void edit_paste(struct workbench *wb);
bool edit_is_on(const struct workbench *wb);

/* --- silence.c: an engine that does not answer -------------------------------------------------
 */
/* Returns the seconds until the next check, negative: none needed. */
double silence_check(struct pane *pane, double now);

/* --- frame.c ------------------------------------------------------------------------------------
 */
/* Shows the frame that has come with a call in lock step. */
void frame_show(struct pane *pane);

/* --- checkpoint.c: saved states for a restart and for the next start ---------------------------
 */
double checkpoint_tick(struct pane *pane, double now);
/* Whether the state is small enough to be kept without being asked for. */
bool checkpoint_is_cheap(const struct pane *pane);
void checkpoint_forget(struct pane *pane); /* a restart then begins at generation 0 */
/* Saves the state of the model for the next start and waits for the engine up to `seconds`. CA_IO
 * if there is a state to save and that fails; then the last checkpoint, if there is one, is kept
 * for the next start. */
enum ca_status checkpoint_save_state(struct pane *pane, double seconds, struct ca_error *error);
/* The state from which the experiment's run continues, and its generation; "" and 0 where none is
 * saved, or only one of another run, which it then says. */
uint64_t checkpoint_resume(struct pane *pane, const struct ca_experiment *experiment,
                           char path[CA_TEXT_MAX]);
/* Whether there is a saved state of the model, of whatever run. */
bool checkpoint_is_saved(const struct pane *pane, const struct ca_model *model);

/* --- leftovers.c: files in the state folder, and those of a calab that was killed ------------- */
/* The path of a file in the state folder, and of one of this process; "" if there is none. */
char *state_file(char path[CA_TEXT_MAX], const char *name);
char *own_file(struct workbench *wb, char path[CA_TEXT_MAX], const char *suffix);
/* Takes over the last checkpoint of those that were killed, and removes what else they have left.
 */
void leftovers_take(struct workbench *wb);
/* Tells the user that there is one. */
void leftovers_offer(struct workbench *wb);
/* Removes this process's files. */
void leftovers_end(struct workbench *wb);

/* --- panels ----------------------------------------------------------------------------------- */
struct panel_row {
    const char *name;
    /* Draws into the inner rectangle. `heading` is added to the name in the title, NULL: nothing.
     */
    void (*draw)(struct pane *pane, struct rect inner);
    void (*heading)(const struct pane *pane, char *text, int size);
};
extern const struct panel_row panels[PANEL_COUNT];

void lattice_draw(struct pane *pane, struct rect inner);
/* The part of the lattice panel's inside that pictures take; below it is the legend. */
struct rect lattice_area(const struct workbench *wb, struct rect inner);
struct rect lattice_room(const struct workbench *wb);
/* Which slice a view is of: "XZ y=7/63". */
void lattice_slice(const struct pane *pane, const struct ca_view *view, char *text, size_t size);
/* How large a cell is drawn, or how many cells a character stands for: "2x4". */
void lattice_scale(const struct pane *pane, const struct ca_view *view, int magnify, char *text,
                   size_t size);
/* The glyph set that this terminal and model can have of the one that is set. */
enum glyphs lattice_glyphs(const struct pane *pane);
/* The last frame as it is drawn. */
struct picture lattice_picture(const struct pane *pane); /* once its frame is known */
/* The cell under the cursor in a picture of a view, of which (x, y) is that cell. */
void lattice_cursor(const struct pane *pane, const struct picture *picture,
                    const struct ca_view *view, struct rect area, int64_t x, int64_t y);
/* The legend alone, where the panel has no row for it. */
void lattice_legend(const struct pane *pane, struct rect line);
void lattice_heading(const struct pane *pane, char *text, int size);
void lattice_footer(const struct pane *pane, char *text, int size);
void timing_draw(struct pane *pane, struct rect inner);
/* What the timing panel says, by lines; `columns` for a value. Returns their number. */
#define TIMING_LINES 15
struct timing_line {
    const char *name;
    char value[1200];
};
int timing_lines(const struct pane *pane, int columns, struct timing_line lines[TIMING_LINES]);
/* What a backend was able to, "" where nothing was timed: the panel's line `before` once another
 * runs. */
/* The rate of figures, or that it is no speed. Returns text. */
char *timing_rate(char text[CA_QUANTITY_TEXT], const struct ca_wire_timing *timing,
                  const struct ca_timing_figures *figures);
void timing_before(const struct ca_wire_timing *timing, const char *backend, char *text,
                   size_t size);
void observables_draw(struct pane *pane, struct rect inner);
/* Writes the observables of the whole run as a table: a row a point of the timeline. CA_USAGE if
 * none is known yet, CA_IO. */
enum ca_status observables_write(const struct pane *pane, const char *path, struct ca_error *error);
/* Whether a path ends like such a table. */
bool observables_path(const char *path);
void device_draw(struct pane *pane, struct rect inner);
void device_heading(const struct pane *pane, char *text, int size);
void log_draw(struct pane *pane, struct rect inner);
void log_scroll(struct workbench *wb, enum request request);

/* One line for the user, also added to the log: an answer; one that refuses or warns; and one that
 * tells what the user did not ask for and has to know, which stays until alarm_answer. */
void say(struct workbench *wb, const char *format, ...) __attribute__((format(printf, 2, 3)));
void alarm_say(struct workbench *wb, const char *format, ...) __attribute__((format(printf, 2, 3)));
void alarm_raise(struct workbench *wb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A line of the log alone. */
void log_add(struct workbench *wb, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Takes away the newest alarm that was raised. False: there is none. */
bool alarm_answer(struct workbench *wb);

/* A bar over `width` columns, to an eighth of a column in UTF-8; what is not 0 is seen. */
void bar(const struct workbench *wb, char *text, size_t size, double part, int width);
void history_add(struct history *history, double value);
/* The last `width` values as text of at most that many characters. */
void sparkline(const struct workbench *wb, const struct history *history, int width, char *text,
               int size);
/* A value over the whole run as text of `width` characters: means of equally many generations. */
void sparkline_run(const struct workbench *wb, const struct timeline *timeline, int value,
                   int width, char *text, int size);

/* --- screen.c: the whole screen --------------------------------------------------------------- */
void screen_draw(struct workbench *wb);
/* The same without sending it to the terminal. */
void screen_compose(struct workbench *wb);
/* The inner rectangle of a panel in the present layout; rows = 0: not shown. */
struct rect screen_inner(const struct workbench *wb, enum panel panel);
void screen_layout(struct workbench *wb);

/* --- screen_file.c: what the screen shows, as a file -------------------------------------------
 */
/* Keeps the screen as it is, before a prompt is opened that may ask for a file of it. */
void screen_keep(struct workbench *wb);
/* Whether a path is that of such a file, and what was kept last in it. CA_IO, CA_NO_MEMORY. */
bool screen_path(const char *path);
enum ca_status screen_write(struct workbench *wb, const char *path, struct ca_error *error);

/* --- navigate.c: view, cursor ----------------------------------------------------------------- */
void view_changed(struct pane *pane);
/* Of a view of a field that the model has not, makes one of its first field, or of the state. */
void view_field(struct pane *pane);
/* Whether what is drawn is of all slices, not of one. */
bool view_is_through(const struct pane *pane);
/* Zooms in so far that each cell is seen by itself. */
void view_cells(struct pane *pane);
void view_center(struct pane *pane, int64_t x, int64_t y, int64_t z);
void cursor_hide(struct pane *pane);
/* The cell (x, y, z) of the lattice under the cursor. */
void cursor_cell(const struct pane *pane, int64_t cell[3]);

/* --- beside.c: a second slice of a three-dimensional lattice ---------------------------------- */
/* Finds its place beside the first, or below it: where the whole of the first leaves room. */
void beside_place(struct pane *pane);
/* The part of the area that the first slice takes. */
struct rect beside_first(const struct pane *pane, struct rect area);
void beside_draw(const struct pane *pane, struct rect area);

/* --- opening.c: what an experiment, or a model, has of view, pace and drawn ---------------------
 */
/* Takes those of an experiment that is to be opened; the view alone, once its lattice is there; and
 * says what to look for in the one that is open. */
void opening_take(struct pane *pane, const struct ca_experiment *experiment);
void opening_view(struct pane *pane, const struct ca_experiment *experiment);
void opening_say(struct pane *pane);
/* Those of the experiment as they are now. */
void opening_give(const struct pane *pane, struct ca_values *opening);

/* --- actions.c: a function for each request --------------------------------------------------- */
typedef void action(struct workbench *wb);
extern action *const actions[REQUEST_COUNT];
action *action_navigate(enum request request); /* the ones in navigate.c */
/* What runs: the pane in focus, or both panes of a split in lock step. */
void go_run(struct workbench *wb);
void go_stop(struct workbench *wb);
void go_step(struct workbench *wb, uint64_t n);
void go_reset(struct workbench *wb);
void go_seek(struct workbench *wb, uint64_t generation);
bool go_busy(const struct workbench *wb);
/* Whether it runs until the user stops it, as opposed to a number of steps, which come to their
 * end; and whether no engine of a pane has anything to do. */
bool go_runs(const struct workbench *wb);
bool go_idle(const struct workbench *wb);
void speed_set(struct workbench *wb, double speed);
char *pace_format(double speed, char text[32]);
char *speed_format(const struct workbench *wb, char text[32]);
void reopen(struct pane *pane, const struct ca_experiment *wanted);
/* The terminal was another program's: nothing that engines have sent was read meanwhile. */
void engines_were_left(struct workbench *wb);
void workbench_key(struct workbench *wb, int code);
/* A character that was pasted, 0 where a paste begins. */
void workbench_paste(struct workbench *wb, int code);
void workbench_mouse(struct workbench *wb);

/* --- models.c: the models, and under each the experiments that come with calab ------------------
 */
extern const struct list_source models_source;
void models_open(struct workbench *wb);
/* Opens a model as it was left, or an experiment at its beginning: a file, or what ships by a name.
 */
void choose_model(struct pane *pane, const struct ca_model *model);
void choose_file(struct pane *pane, const char *text);
/* Leaves the present run for the experiment of a lab, by an engine that has its kernel. An error
 * says why there is no engine. */
void choose_lab(struct pane *pane, const struct ca_experiment *experiment, struct ca_error *error);

/* --- pickers.c, parameters.c, help.c, command.c ----------------------------------------------- */
extern const struct list_source backends_source, devices_source, colours_source, hung_source,
    others_source, parameters_source, help_source, yank_source, bench_source;
void devices_open(struct workbench *wb);
/* The last available backend of the ladder on a kind of device, NULL for none. */
const struct ca_backend *backend_fastest_on(const struct pane *pane, enum ca_device_kind kind);
void choose_backend(struct pane *pane, const struct ca_backend *backend);
/* The row of backend `index` in a list; whether it can run here, with a message if not. */
void backend_row(struct pane *pane, int index, struct list_row *row);
bool backend_is_available(struct pane *pane, const struct ca_backend *backend);
/* experiment_set changes the size, seed or initial state and restarts at generation 0;
 * parameter_set changes a parameter or an option. False: not allowed. */
bool experiment_set(struct pane *pane, const char *name, const char *text, struct ca_error *error);
bool parameter_set(struct pane *pane, const char *key, const char *text, struct ca_error *error);
/* The rows of a list that shows a command. */
int yank_count(struct workbench *wb);
void yank_row(struct workbench *wb, int index, struct list_row *row);
void yank_show(struct workbench *wb);
void command_open(struct workbench *wb);
/* Proposes STEM.ENDING, or the first name of STEM-2.ENDING and so on that does not exist. */
void name_offer(char name[128], const char *stem, const char *ending);
/* False, with an error, for a file that exists, until it is asked for twice. */
bool may_write(const char *path, struct ca_error *error);
/* Shows a command, and copies it if allowed. */
void yank_command(struct workbench *wb, const struct list_source *source, const char *command);
void size_open(struct workbench *wb);
void seed_open(struct workbench *wb);
void goto_open(struct workbench *wb);
void snapshot_open(struct workbench *wb);
void experiment_file_open(struct workbench *wb);

#endif
