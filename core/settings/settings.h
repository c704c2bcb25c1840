/* SPDX-License-Identifier: MIT */
/*
 * calab.cfg: every setting of the workbench, saved automatically.
 *
 * $XDG_CONFIG_HOME/calab/calab.cfg (default ~/.config), libconfig:
 *
 *     version = 1;
 *     model = "anneal";
 *     workbench : { fps = 10; glyphs = "states"; ... };         rows of ca_settings_table
 *     keys : { run = "space"; ... };                            requests of the key table
 *     models : { anneal : { backend = "bitslice"; size = "512x512"; seed = 1; init = "random";
 *                           parameters : {...}; options : {...};
 *                           axis = "xy"; slice = 0; x = 0; y = 0; zoom = 1;
 *                           pace = 4; drawn = "density"; }; ... };
 *
 * Keys it does not know are kept. A file that does not parse, or has a value that is not allowed,
 * is never overwritten: it stays as it is, and this run goes on with defaults in place of all of
 * it, or of the wrong values.
 */
#ifndef CALAB_CORE_SETTINGS_SETTINGS_H
#define CALAB_CORE_SETTINGS_SETTINGS_H

#include "core/sim/experiment.h"
#include "core/sim/view.h"

/* The rows of `workbench`. Speed and drawn belong to the model that is open: what is set in the
 * workbench is saved with it alone, and `workbench` holds what models begin with that have none. */
enum ca_setting {
    CA_SETTING_FPS,
    CA_SETTING_STRIDE,
    CA_SETTING_SPEED,
    CA_SETTING_GLYPHS,
    CA_SETTING_COLOURS,
    CA_SETTING_BORDERS,
    CA_SETTING_REDUCE,
    CA_SETTING_DRAWN,
    CA_SETTING_BESIDE,
    CA_SETTING_KEYS,
    CA_SETTING_MOUSE,
    CA_SETTING_CLIPBOARD,
    CA_SETTING_RESUME,
    CA_SETTING_PANELS,
    CA_SETTING_REMOTE,
    CA_SETTING_ENGINE_COMMAND,
    CA_SETTING_COUNT
};

/* The choices of CA_SETTING_DRAWN are those of enum ca_drawn, and the difference between two
 * simulations, which is drawn from the frames of both. */
#define CA_SETTING_DIFFERENCE (CA_FIELD + 1)

/* By enum ca_setting; ends with a row whose name is NULL. */
extern const struct ca_param ca_settings_table[CA_SETTING_COUNT + 1];
/* The setting `panels` may name the program's panels, which have a table
 * (tui/workbench/parts.c). */
extern const char *const ca_panel_names[];

struct ca_settings;

/* The saved view of a model. */
struct ca_saved_view {
    struct ca_experiment experiment; /* its initial view is the one that was left */
};

/* $CALAB_CONFIG, else $XDG_CONFIG_HOME/calab/calab.cfg, else ~/.config/...; "" without any. */
const char *ca_settings_path(void);
/* $XDG_STATE_HOME/calab (default ~/.local/state/calab): logs and saved states; "" without any. */
const char *ca_state_folder(void);

/*
 * Reads calab.cfg (a missing file is an empty one). Gives usable *settings but with CA_NO_MEMORY,
 * which gives NULL; on failure (CA_SETTINGS with file and line, CA_IO) they have the defaults for
 * what could not be read, and will not be saved. CA_USAGE: a CALAB_<NAME> variable is not allowed;
 * its row keeps the file's value, and everything else is read.
 */
enum ca_status ca_settings_open(struct ca_settings **settings, const char *path,
                                struct ca_error *error);
/* Whether some values of the file count, and others are wrong. */
bool ca_settings_is_partial(const struct ca_settings *settings);
/* The text that follows the message of that failure: which defaults apply instead. */
const char *ca_settings_instead(const struct ca_settings *settings);
void ca_settings_close(struct ca_settings *settings); /* does not save; takes NULL */
/* Saves if anything differs from what the file holds. CA_OK too when there is nothing to do or the
 * file must not be touched. The folder is made when missing. It is done under a lock, PATH.lock:
 * CA_IO where another calab has it for too long. Where the file has been changed by somebody else,
 * only our changes go into it, of the run of a model (size, seed, start, parameters) all or none;
 * CA_SETTINGS, and never saved again, when it is then wrong. */
enum ca_status ca_settings_save(struct ca_settings *settings, struct ca_error *error);

/* The workbench's rows, with CALAB_<NAME> over those of the file; value[i] is row i's. */
const struct ca_values *ca_settings_values(const struct ca_settings *settings);
double ca_setting_number(const struct ca_settings *settings, enum ca_setting setting);
const char *ca_setting_text(const struct ca_settings *settings, enum ca_setting setting);
/* Changes of origin CA_FROM_WORKBENCH are saved, those of others count for this run. */
enum ca_status ca_settings_set(struct ca_settings *settings, enum ca_setting setting,
                               const char *text, enum ca_origin origin, struct ca_error *error);
/* The row of a name. CA_USAGE with the nearest. */
enum ca_status ca_setting_find(enum ca_setting *setting, const char *name, struct ca_error *error);

/* The last model, NULL: none. */
const struct ca_model *ca_settings_model(const struct ca_settings *settings);
void ca_settings_set_model(struct ca_settings *settings, const struct ca_model *model);
/* The saved view of a model, with defaults for what the file lacks. */
void ca_settings_recall(const struct ca_settings *settings, const struct ca_model *model,
                        struct ca_saved_view *memory);
/* Whether it has one of its own. */
bool ca_settings_knows(const struct ca_settings *settings, const struct ca_model *model);
void ca_settings_remember(struct ca_settings *settings, const struct ca_saved_view *memory);
/* The run remembered for a model is the one whose state is saved now: the next saving puts it over
 * that of another calab, though it has not changed since the last one. */
void ca_settings_claim_run(struct ca_settings *settings, const struct ca_model *model);
/* A key binding by request name, NULL for the default. */
const char *ca_settings_key(const struct ca_settings *settings, const char *request);
void ca_settings_set_key(struct ca_settings *settings, const char *request, const char *key);

/* The rules of the workbench for the `keys` group. */
struct ca_key_rules {
    const char *(*request)(int i);     /* names, in the order of binding; NULL behind the last */
    void (*start)(const char *preset); /* as the setting `keys` names it */
    /* Whether request i can have these keys beside those bound before; else with a message. */
    bool (*bind)(int i, const char *keys, char *message, int size);
};

/*
 * Checks a file: calab.cfg (that of ca_settings_path, an empty one, or one with `version`,
 * `workbench`, `keys` or `models`), cases of a benchmark, or an experiment, which may also be a
 * state or the name of a pattern. CA_SETTINGS with every mistake of a calab.cfg, the first one of
 * other files. Unknown keys of a calab.cfg are counted in *unknown and named in *note. Without
 * rules (NULL) bindings are any text.
 */
enum ca_status ca_settings_check(const char *path, const struct ca_key_rules *rules, int *unknown,
                                 char note[CA_TEXT_MAX], struct ca_error *error);

#endif
