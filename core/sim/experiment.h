/* SPDX-License-Identifier: MIT */
/*
 * An experiment: everything that determines a run. Made from a command line, CALAB_* variables, an
 * experiment file (libconfig), JSON of the protocol, or the workbench's memory; turned back into
 * JSON, a libconfig file, or the shell command that repeats it.
 *
 * Experiment file, all keys optional but model:
 *
 *     model = "anneal";  backend = "bitslice";  size = "512x512";  seed = 1234;
 *     init = "crand";  steps = 64;  output = ["last.npy", "anneal%06d.pbm"];  every = 8;
 *     parameters : { density = 0.5; };  options : { threads = 2; };
 *     view : { axis = "xz"; slice = 12; zoom = 2; x = 0; y = 8; };  pace = 4;  drawn = "density";
 *     look_for = "Grains that coarsen.";
 */
#ifndef CALAB_CORE_SIM_EXPERIMENT_H
#define CALAB_CORE_SIM_EXPERIMENT_H

#include "core/files/file.h"
#include "core/model/model.h"
#include "core/sim/initial_view.h"

#define CA_OUTPUTS_MAX 8
#define CA_WHY 128 /* bytes of the reason of a choice */

/* The keys of an experiment, besides parameters and options. The model makes the state,
 * so that it goes first; a file may impose a size, so that a start follows it. */
enum ca_key {
    CA_KEY_MODEL,
    CA_KEY_BACKEND,
    CA_KEY_SIZE,
    CA_KEY_SEED,
    CA_KEY_STEPS,
    CA_KEY_INIT,
    CA_KEY_AT,
    CA_KEY_GENERATION,
    CA_KEY_THREADS, /* from here on options of the backend that describe the machine */
    CA_KEY_DEVICE,
    CA_KEY_DEVICES,
    CA_KEY_RANKS,
    CA_KEY_SET, /* "key=value" with key a parameter or an option */
    CA_KEY_COUNT
};

/* A setting goes to these places and comes from them. */
enum {
    CA_IN_COMMAND = 1,     /* the command line that repeats an experiment */
    CA_IN_VARIABLE = 2,    /* of the environment: CALAB_ and its name */
    CA_IN_FILE = 4,        /* an experiment file */
    CA_IN_JSON = 8,        /* requests, their replies, and results */
    CA_IN_REQUEST = 16,    /* requests alone */
    CA_IN_RESULT = 32,     /* results as text */
    CA_IN_SAVED = 64,      /* what calab.cfg keeps of a model */
    CA_IN_CASE = 128,      /* a benchmark's case, in its file and by options */
    CA_IN_STATE = 256,     /* a state file, which says of which run it is */
    CA_IN_NOTE = 512,      /* a state file, as a text of its own */
    CA_MAKES_RUN = 1024,   /* with another value it is another run */
    CA_OF_ANY_MODEL = 2048 /* it outlives a change of the model */
};

struct ca_experiment;

struct ca_key_row {
    const char *name;
    unsigned places;  /* CA_IN_..., CA_MAKES_RUN, CA_OF_ANY_MODEL */
    unsigned always;  /* the places where it stands though it has its default */
    char letter;      /* of its option; 0: --name */
    bool number;      /* in files and JSON it is one, not a string */
    bool list;        /* in JSON "32x16" is [32, 16] */
    const char *json; /* its name there; NULL: `name` */
    enum ca_status (*set)(struct ca_experiment *experiment, const char *text, enum ca_origin origin,
                          const char *where, struct ca_error *error);
    /* Of a number: its highest value, and its place in struct ca_experiment, a uint64_t. */
    uint64_t max;
    size_t member;
};

/* By enum ca_key. Rows that are no number and have no `set` are options of the backend. */
extern const struct ca_key_row ca_key_rows[CA_KEY_COUNT];

struct ca_experiment {
    const struct ca_model *model;
    const struct ca_backend *backend; /* what runs; auto, cpu or cuda until it is chosen */
    const struct ca_backend *choice;  /* auto, cpu or cuda if it has chosen `backend`, or NULL */
    char why[CA_WHY];                 /* it has: "1.09 x bitslice, measured today"; "": not told */
    struct ca_size size;
    uint64_t seed;
    char init[CA_TEXT_MAX]; /* a start's name, or a file by ca_state_is_file */
    struct ca_at at;        /* where a file is put in an empty lattice; it must be a file then */
    uint64_t generation;    /* of a file that it begins with, with which its draws go on; else 0 */
    /* A file with a later state of this run, from which it goes on, and the generation of that;
     * "": it begins. */
    char state[CA_TEXT_MAX];
    uint64_t state_generation;
    uint64_t steps;
    struct ca_values params;
    struct ca_values options;
    struct ca_values initial_view; /* in the workbench; of a file it is that file's alone */
    bool swaps;                    /* see struct ca_setup; where speeds are measured it does not */
    enum ca_origin origin[CA_KEY_COUNT];
};

/* The files that a run of an experiment writes, which change nothing of it. */
struct ca_outputs {
    const struct ca_model *model; /* whose states they hold */
    int count;
    char text[CA_OUTPUTS_MAX][CA_TEXT_MAX]; /* names as in core/files/series.h */
    uint64_t every; /* generations from one file of a series to the next, 0: no series */
    enum ca_origin every_origin;
};

#define CA_STEPS_DEFAULT 100
#define CA_SEED_DEFAULT 1

/* Model with its defaults: backend auto, default size, seed 1, first start. */
void ca_experiment_default(struct ca_experiment *experiment, const struct ca_model *model);

/* CA_USAGE with the nearest start, and what is allowed, for an `init` that is none of the model. */
enum ca_status ca_init_check(const struct ca_model *model, const char *init,
                             struct ca_error *error);

/* Changes the model. Of the old experiment only a seed and steps that were set are kept. */
void ca_experiment_model(struct ca_experiment *experiment, const struct ca_model *model,
                         enum ca_origin origin);
/* The same for a model whose file has been saved since: all that was set and that the new one still
 * takes is kept, the start and the view too. `lost` has what is not, "a, b"; "": nothing. */
void ca_experiment_edition(struct ca_experiment *experiment, const struct ca_model *model,
                           char lost[CA_TEXT_MAX]);
/* Changes the backend. Options that were set and that both backends have keep their values. */
void ca_experiment_backend(struct ca_experiment *experiment, const struct ca_backend *backend,
                           enum ca_origin origin);
/* The same for the backend that auto, cpu or cuda has chosen; the choice and its origin are kept.
 */
void ca_experiment_chosen(struct ca_experiment *experiment, const struct ca_backend *choice,
                          const struct ca_backend *backend);
/* Names the start in a word: "random", or "FILE at 3,4". Returns text. */
char *ca_experiment_start(char text[CA_TEXT_MAX + 64], const struct ca_experiment *experiment);
/* The backend as the user named it: the choice if there is one, otherwise the backend. */
const struct ca_backend *ca_experiment_named(const struct ca_experiment *experiment);

/* One setting by its row's name and text, as `--seed 7` or the file's `seed = 7`. `where` opens the
 * message. */
enum ca_status ca_experiment_set(struct ca_experiment *experiment, const char *name,
                                 const char *text, enum ca_origin origin, const char *where,
                                 struct ca_error *error);
/* The setting that another experiment has, with its origin, if it has one. */
enum ca_status ca_experiment_copy_key(struct ca_experiment *to, const struct ca_experiment *from,
                                      enum ca_key key, const char *where, struct ca_error *error);
/* The setting as text, which ca_experiment_set reads back; "" where there is none. Returns text. */
char *ca_experiment_format(char text[CA_TEXT_MAX], const struct ca_experiment *experiment,
                           enum ca_key key);
/* Whether the setting is told in a place: what has its default is told where its row says so. */
bool ca_experiment_tells(const struct ca_experiment *experiment, enum ca_key key, unsigned place);
/* The first setting that goes to all of `places` and differs; CA_KEY_COUNT: none does. */
enum ca_key ca_experiment_differs(const struct ca_experiment *a, const struct ca_experiment *b,
                                  unsigned places);
/* The start of that name, or the state in that file, is all of the lattice. */
void ca_experiment_begin_with(struct ca_experiment *experiment, const char *init,
                              enum ca_origin origin);
/* A parameter or option by its own name. CA_USAGE with the nearest of both tables. */
enum ca_status ca_experiment_value(struct ca_experiment *experiment, const char *key,
                                   const char *text, enum ca_origin origin, const char *where,
                                   struct ca_error *error);

/* Adds a file, or sets `every`, as text. CA_USAGE. Files of another model than before take the
 * place of its files. */
enum ca_status ca_outputs_add(struct ca_outputs *outputs, const struct ca_model *model,
                              const char *text, const char *where, struct ca_error *error);
enum ca_status ca_outputs_set_every(struct ca_outputs *outputs, const char *text,
                                    enum ca_origin origin, const char *where,
                                    struct ca_error *error);
/* Whether an output is a series, and CA_USAGE where one is and `every` is 0, or the other way
 * round. */
bool ca_outputs_have_series(const struct ca_outputs *outputs);
enum ca_status ca_outputs_check_series(const struct ca_outputs *outputs, struct ca_error *error);

/*
 * Reads an experiment file over `experiment`, and the files that it wants over `outputs`, unless
 * there are some already; NULL: they are checked alone. `@include` is relative to the file. A state
 * file that says of which run it is (core/files/file.h) is the experiment of that run, which goes
 * on from it; what is wrong with one is CA_IO. CA_SETTINGS with file, line, key and what is allowed
 * for whatever is wrong (unknown keys too); the experiment is then as it was. Values that have come
 * from the command line or the environment stay; a model that was set there and is another one than
 * the file's is CA_USAGE.
 */
enum ca_status ca_experiment_read(struct ca_experiment *experiment, struct ca_outputs *outputs,
                                  const char *path, struct ca_error *error);
/*
 * Reads the generation of the file that a run begins with, unless it was set. CA_USAGE where it was
 * and there is no such file, CA_IO. Benchmarks and comparisons do without: they begin at generation
 * 0.
 */
enum ca_status ca_experiment_begin(struct ca_experiment *experiment, struct ca_error *error);
/* The same for a run without a screen, which may go on from `state`. If that is of another run,
 * with another seed, start or parameters, or is modified, the run begins with it. */
enum ca_status ca_experiment_resume(struct ca_experiment *experiment, struct ca_error *error);
/*
 * The experiment goes on from a later state of itself. CA_USAGE where the file is of another
 * experiment, and says in what, or is of an earlier generation than the experiment begins with;
 * CA_IO.
 */
enum ca_status ca_experiment_go_on(struct ca_experiment *experiment, const char *path,
                                   struct ca_error *error);
/* Gives the experiment what the run of a state file of its model began with, but for what command
 * line and environment have set. CA_IO, CA_USAGE. */
enum ca_status ca_experiment_take_run(struct ca_experiment *experiment, const char *path,
                                      struct ca_error *error);
/* Whether a state of that run is one of the experiment, which leads to it unless it is modified. */
bool ca_experiment_is_of(const struct ca_experiment *experiment, const struct ca_state_run *run);
/* The generation at which it begins or goes on. */
static inline uint64_t ca_experiment_first(const struct ca_experiment *experiment)
{
    return experiment->state[0] ? experiment->state_generation : experiment->generation;
}
/* Whether the draws of the experiment's model depend on a generation that nobody has told. */
bool ca_experiment_guesses(const struct ca_experiment *experiment);
/* Whether it starts from a pattern of an unbounded plane all of which its rule makes live, while
 * here the cells of the lattice alone become so. */
bool ca_experiment_flashes(const struct ca_experiment *experiment);
/* Whether the rule or the edges were set and differ from those that the file of the start names:
 * `text` then says which, to go behind the file's name. */
bool ca_experiment_overrides(const struct ca_experiment *experiment, char text[CA_TEXT_MAX]);
/* Leaves the rule and the edges that a state file names to it, whatever was set before. */
void ca_experiment_leave_rule(struct ca_experiment *experiment, const char *path);
/* The model whose rule a pattern is of: the first that has it, or can be given it. CA_IO where the
 * file is no pattern; CA_USAGE where no model has its rule. */
enum ca_status ca_pattern_model(const struct ca_model **model, const char *path,
                                struct ca_error *error);

/* Writes an experiment file that reads back to the same experiment, with the outputs, if they are
 * its model's; NULL: none. Atomic. */
enum ca_status ca_experiment_write(const struct ca_experiment *experiment,
                                   const struct ca_outputs *outputs, const char *path,
                                   struct ca_error *error);

/* CALAB_BACKEND, _SIZE, _SEED, _STEPS, _INIT, _AT, _THREADS, _DEVICE, _DEVICES, _RANKS and, comma
 * separated, _SET. */
enum ca_status ca_experiment_environment(struct ca_experiment *experiment, struct ca_error *error);
/* CA_USAGE where one of them, or CALAB_MODEL, is nothing that any model or backend could take,
 * whichever will run, and whether or not something goes before it. CALAB_INIT and the values in
 * CALAB_SET are a model's, and are checked when they are set. */
enum ca_status ca_environment_check(struct ca_error *error);

/*
 * The `calab run …` command (shell quoted) that repeats the experiment for `steps` generations;
 * it names only what differs from the built-in values, and options that would otherwise be tuned;
 * and the outputs, as ca_experiment_write does.
 * Returns a malloc'd string, NULL without memory.
 */
char *ca_experiment_command(const struct ca_experiment *experiment,
                            const struct ca_outputs *outputs, uint64_t steps);
/* A word of such a command, quoted where the shell needs it. malloc'd; NULL without memory. */
char *ca_shell_word(const char *text);

#endif
