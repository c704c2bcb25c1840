/* SPDX-License-Identifier: MIT */
/*
 * The state of the workbench, all of it, and what its parts offer each other. One struct, passed
 * around; the parts are files named for what they draw or do.
 */
#ifndef CALAB_TUI_WORKBENCH_APP_H
#define CALAB_TUI_WORKBENCH_APP_H

#include <jansson.h>

#include "core/engine/client.h"
#include "core/machine/device.h"
#include "core/settings/settings.h"
#include "tui/workbench/dialog.h"
#include "tui/workbench/draw.h"
#include "tui/keys.h"
#include "tui/workbench/layout.h"
#include "tui/workbench/terminal.h"

/* What an answer belongs to. */
enum op {
    OP_OPEN,
    OP_STEP,
    OP_RUN,
    OP_STOP,
    OP_CHANGE,
    OP_RESET,
    OP_SEEK,
    OP_VIEW,
    OP_CELL,
    OP_LIST,
    OP_PING,
    OP_SAVE,       /* a snapshot that somebody asked for */
    OP_CHECKPOINT, /* one that nobody asked for */
    OP_KEEP,       /* the state that the next start resumes from */
    OP_DEVICE,
};

/* A request that waits for its answer. */
struct pending {
    struct pending *next;
    int64_t id;
    enum op op;
    double sent;
    struct ca_experiment *wanted; /* OP_OPEN, OP_CHANGE: what holds once it is answered */
    uint64_t generation;
    char path[CA_TEXT_MAX];
};

/* A state that is known good. */
struct good {
    uint64_t generation;
    char path[CA_TEXT_MAX]; /* "": generation 0, made anew */
};

struct session {
    struct ca_client *client; /* NULL: none, its last words are in the log */
    struct pending *first, **last;
    bool open;    /* a simulation is there */
    bool running; /* free running */
    bool asked;   /* run was asked for: what the person wants, and what a restart forgets */
    bool hung;
    bool dead; /* died twice at once: waits for `r` */
    uint64_t generation;
    double heard; /* when the engine last said something */
    double died;  /* when it last died, 0 never */
    uint64_t steps_wanted;
    bool view_due, cell_due, device_due;
    char last_words[CA_TEXT_MAX]; /* of an engine whose device is lost, "" */
    char unkept[CA_TEXT_MAX];     /* why the state that was to be kept is not, "" */
    char obituary[CA_TEXT_MAX];   /* how the last one died, until its heir is there */

    struct good good;
    int checkpoints;        /* made so far: they alternate between two files */
    double checkpoint_last; /* when the last one was asked for */
    double checkpoint_cost; /* seconds that it took */
    double device_last;
};

/* The last frame, as it came. */
struct frame {
    bool known;
    struct ca_view view;
    uint64_t generation;
    bool sampled;
    uint8_t *bytes; /* code, then level */
    size_t capacity;
};

#define HISTORY 256

struct history {
    double value[HISTORY];
    int count, next;
};

struct figures {
    int count; /* 0: nothing is known */
    double p50_s, p99_s, min_s, cells_per_s, gb_per_s, device_s, wall_s;
    double transfer_s, copy_share, logic_share; /* NAN unknown */
    uint64_t generations;
    double last_device_s;
    uint64_t last_generations;
    struct history step_s;
};

struct observed {
    bool known;
    uint64_t generation;
    double value[CA_OBSERVABLES_MAX], start[CA_OBSERVABLES_MAX];
    bool start_known;
    int broken;
    struct history history[CA_OBSERVABLES_MAX];
};

/* The device as the engine last told. */
struct device {
    bool known;
    struct ca_device facts;
    struct ca_fact joules; /* a 10^9 updates */
};

/* The cursor of the lattice and what the engine says about the cell under it. */
struct cursor {
    bool on;
    int64_t x, y; /* in the slice */
    char text[256];
};

#define LOG_LINES 256

struct log_line {
    char time[12];
    bool alarm;
    char text[CA_TEXT_MAX];
};

struct log {
    struct log_line line[LOG_LINES];
    int count, next, scroll;
    char message[CA_TEXT_MAX]; /* the message line */
    bool alarm;
};

struct workbench {
    struct terminal *terminal;
    struct ca_settings *settings;
    struct keymap keys;
    struct palette palette;
    struct ca_experiment experiment; /* as the engine has it */
    bool opened;                     /* it had or has it: what is remembered */
    bool aside; /* the kept state of the model is of another run, and stays until this one steps */
    const struct ca_backend *previous_backend;
    struct session session;
    struct ca_view view; /* as wanted */
    bool fitted; /* all of the slice is to be shown, however large it or the panel becomes */
    struct ca_view zoomed; /* as the last zoom left it */
    int64_t middle[2];     /* around which that was */
    struct frame frame;
    struct figures figures;
    struct observed observed;
    struct device device;
    struct cursor cursor;
    struct log log;
    json_t *list;              /* the engine's models and backends, NULL until it has told */
    json_t *devices;           /* and its devices, the CPU first */
    char no_cuda[CA_TEXT_MAX]; /* why none of them is a GPU, "" */

    struct layout layout;
    int rows, columns;
    bool wanted[PANEL_COUNT];
    enum panel focus;
    bool full;
    bool mouse;
    double speed; /* steps a frame, below one: a delay; 0: as fast as it goes */
    double fps;

    struct dialog dialogs[DIALOGS_MAX];
    int depth;
    char search[64];

    bool dirty;         /* something on the screen has changed */
    bool ack_due;       /* a frame has come that is to be acknowledged once it is drawn */
    bool quit;          /* leave the main loop */
    double interrupted; /* when ^C last came */
    double save_due;    /* when the settings are saved, 0: nothing to save */
};

/* --- settings.c: the rows of calab.cfg, by name ----------------------------------------------- */
const char *setting_text(const struct workbench *wb, const char *name);
double setting_number(const struct workbench *wb, const char *name);
bool setting_on(const struct workbench *wb, const char *name);
/* Changes, applies and saves soon. False, with a message, when it is not allowed. */
bool setting_change(struct workbench *wb, const char *name, const char *text);
void setting_cycle(struct workbench *wb, const char *name);
/* Takes all of them over: at the start and after a change. */
void settings_apply(struct workbench *wb);
/* Keeps which panels are shown. */
void settings_panels(struct workbench *wb);
void settings_save_soon(struct workbench *wb);
enum ca_status settings_save_now(struct workbench *wb, struct ca_error *error);
/* Writes model, experiment, view and generation into the settings, unless it was never opened. */
void workbench_remember(struct workbench *wb, uint64_t generation);
extern const struct list_source settings_source;

/* --- session.c: the engine's process and requests --------------------------------------------- */
bool session_start(struct workbench *wb, struct ca_error *error);
void session_end(struct workbench *wb);
/* Opens an experiment at a generation; `state` NULL or "": generation 0, made anew. */
void session_open(struct workbench *wb, const struct ca_experiment *wanted, uint64_t generation,
                  const char *state);
void session_change(struct workbench *wb, const struct ca_experiment *wanted);
void session_run(struct workbench *wb);
void session_stop(struct workbench *wb);
void session_step(struct workbench *wb, uint64_t n);
void session_reset(struct workbench *wb);
void session_seek(struct workbench *wb, uint64_t generation);
void session_save(struct workbench *wb, const char *path);
void session_view(struct workbench *wb); /* the view has changed */
void session_cell(struct workbench *wb);
bool session_busy(const struct workbench *wb); /* runs, steps or seeks */
bool session_waits_for(const struct workbench *wb, enum op op);
/* Sends what is due (view, cell, more steps), and notices a hung engine. Seconds until it wants to
 * be called again, negative: no matter when. */
double session_tick(struct workbench *wb, double now);
/* Reads what has come. */
void session_read(struct workbench *wb);
/* Kills the engine and starts another at the last good state. */
void session_kill(struct workbench *wb);
/* After it has died twice at once. */
void session_again(struct workbench *wb);
struct pending *session_send(struct workbench *wb, enum op op, json_t *request);

/* --- answers.c: what comes back --------------------------------------------------------------- */
void answer_take(struct workbench *wb, struct pending *pending, const json_t *json);
void event_take(struct workbench *wb, const struct ca_message *message);

/* --- checkpoint.c: states that a restart and the next start go back to ------------------------ */
double checkpoint_tick(struct workbench *wb, double now);
void checkpoint_done(struct workbench *wb, const struct pending *pending, const json_t *json);
void checkpoint_forget(struct workbench *wb); /* another run: generation 0 is what is good */
void checkpoint_remove(struct workbench *wb); /* this process's files */
/* Keeps the state of the model for the next start; waits for the engine up to `seconds`. CA_IO when
 * there is one to keep and it cannot be. */
enum ca_status checkpoint_keep(struct workbench *wb, double seconds, struct ca_error *error);
/* The generation and file to open a remembered experiment at; 0 when there is none. */
uint64_t checkpoint_resume(const struct workbench *wb, const struct ca_saved_view *memory,
                           const struct ca_experiment *experiment, char path[CA_TEXT_MAX]);

/* --- panels ----------------------------------------------------------------------------------- */
struct panel_row {
    const char *name;
    /* Into the inner rectangle; its title, after the name, is `heading` (NULL: the name alone). */
    void (*draw)(struct workbench *wb, struct rect inner);
    void (*heading)(const struct workbench *wb, char *text, int size);
};
extern const struct panel_row panels[PANEL_COUNT];

void lattice_draw(struct workbench *wb, struct rect inner);
void lattice_heading(const struct workbench *wb, char *text, int size);
void lattice_footer(const struct workbench *wb, char *text, int size);
void timing_draw(struct workbench *wb, struct rect inner);
void observables_draw(struct workbench *wb, struct rect inner);
void device_draw(struct workbench *wb, struct rect inner);
void device_heading(const struct workbench *wb, char *text, int size);
void log_draw(struct workbench *wb, struct rect inner);
void log_scroll(struct workbench *wb, enum request request);

/* One line for the person, kept in the log. */
void say(struct workbench *wb, const char *format, ...) __attribute__((format(printf, 2, 3)));
void alarm_say(struct workbench *wb, const char *format, ...) __attribute__((format(printf, 2, 3)));

void history_add(struct history *history, double value);
/* The last `width` values as text of that many characters. */
void sparkline(const struct workbench *wb, const struct history *history, int width, char *text,
               int size);

/* --- screen.c: the whole picture -------------------------------------------------------------- */
void screen_draw(struct workbench *wb);
/* The inner rectangle of a panel as it is laid out now; rows = 0: not shown. */
struct rect screen_inner(const struct workbench *wb, enum panel panel);
void screen_layout(struct workbench *wb);

/* --- navigate.c: view, cursor ----------------------------------------------------------------- */
/* Takes a remembered place over. */
void view_take(struct workbench *wb, const struct ca_view *view);
void view_changed(struct workbench *wb);
void view_center(struct workbench *wb, int64_t x, int64_t y, int64_t z);
/* The cell (x, y, z) of the lattice under the cursor. */
void cursor_cell(const struct workbench *wb, int64_t cell[3]);

/* --- actions.c: a function for each request --------------------------------------------------- */
typedef void action(struct workbench *wb);
extern action *const actions[REQUEST_COUNT];
action *action_navigate(enum request request); /* those of navigate.c */
void speed_set(struct workbench *wb, double speed);
char *speed_format(const struct workbench *wb, char text[32]);
void reopen(struct workbench *wb, const struct ca_experiment *wanted);
void workbench_key(struct workbench *wb, int code);
void workbench_mouse(struct workbench *wb);

/* --- pickers.c, parameters.c, help.c, command.c ----------------------------------------------- */
extern const struct list_source models_source, backends_source, devices_source, colours_source,
    hung_source, parameters_source, help_source, yank_source;
void choose_model(struct workbench *wb, const struct ca_model *model);
/* The last rung of the ladder on a kind of device, NULL without any that runs there. */
const struct ca_backend *backend_fastest_on(const struct workbench *wb, enum ca_device_kind kind);
void choose_backend(struct workbench *wb, const struct ca_backend *backend);
/* Sets backend, size and so on, and starts anew; or a parameter or option. False: not allowed. */
bool experiment_set(struct workbench *wb, const char *name, const char *text,
                    struct ca_error *error);
bool parameter_set(struct workbench *wb, const char *key, const char *text, struct ca_error *error);
void yank_show(struct workbench *wb);
void command_open(struct workbench *wb);
void size_open(struct workbench *wb);
void seed_open(struct workbench *wb);
void goto_open(struct workbench *wb);
void snapshot_open(struct workbench *wb);
void experiment_file_open(struct workbench *wb);

#endif
