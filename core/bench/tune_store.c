/* SPDX-License-Identifier: MIT */
/* This file reads and writes the file of tuned options: its entries, the setups that they apply to,
 * and their values. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/config.h"
#include "core/base/text.h"
#include "core/files/lock.h"
#include "core/machine/device.h"
#include "core/bench/tune.h"

#define VERSION 1
#define HEADING "# calab keeps here what it tuned and measured; calab-bench(7) describes it.\n"

#define REFUTED 0.97 /* a rate below so much of that without the options is not noise */

/* The setup that an entry applies to. */
enum { DEVICE, MODEL, BACKEND, SIZE, SETUP, KEYS };
static const char *const names[KEYS] = {"device", "model", "backend", "size", "setup"};

struct key {
    char text[KEYS][2 * CA_TEXT_MAX];
};

const char *ca_tuned_path(void)
{
    static char path[PATH_MAX];

    return ca_file_place(path, "XDG_CACHE_HOME", "/.cache", "/calab/tuned.cfg");
}

/* --- the setup of an entry ------------------------------------------------------------------- */

static void add_value(char text[2 * CA_TEXT_MAX], const char *name, const char *value)
{
    ca_text_add(text, 2 * CA_TEXT_MAX, "%s%s=%s", text[0] ? " " : "", name, value);
}

static struct key key_of(const struct ca_experiment *e)
{
    struct key key = {{{0}}};
    struct ca_device device;
    char value[CA_TEXT_MAX];

    ca_device_of(e->backend, &e->options, &device);
    strcpy(key.text[DEVICE], device.name);
    strcpy(key.text[MODEL], e->model->name);
    strcpy(key.text[BACKEND], e->backend->name);
    ca_size_format(key.text[SIZE], e->size, e->model->dimensions);
    const char *mask = e->backend->device == CA_CPU ? getenv("CALAB_CPU") : NULL;

    key.text[SETUP][0] = '\0';
    if (mask && mask[0]) /* other vectors, other speeds */
        add_value(key.text[SETUP], "CALAB_CPU", mask);
    if (e->model->source) {
        snprintf(value, sizeof value, "%016" PRIx64, e->model->source->digest);
        add_value(key.text[SETUP], "source", value);
    }
    for (int i = 0; i < e->params.count; i++) {
        const struct ca_param *param = &e->params.table[i];

        if (!param->initial && !ca_value_is_default(param, &e->params.value[i]))
            add_value(key.text[SETUP], param->name,
                      ca_value_format(value, param, &e->params.value[i]));
    }
    for (int i = 0; i < e->options.count; i++) {
        const struct ca_param *param = &e->options.table[i];
        bool threads = strcmp(param->name, "threads") == 0;

        ca_value_format(value, param, &e->options.value[i]);
        if (threads && e->options.value[i].number == 0)
            snprintf(value, sizeof value, "%d", ca_cpu_cores());
        if (threads || (strcmp(param->name, "device") != 0 && !ca_tunable(&e->options, i) &&
                        !ca_value_is_default(param, &e->options.value[i])))
            add_value(key.text[SETUP], param->name, value);
    }
    return key;
}

uint64_t ca_tuned_key(const struct ca_experiment *experiment)
{
    struct key key = key_of(experiment);
    uint64_t hash = 1469598103934665603u; /* FNV-1a */

    for (int k = 0; k < KEYS; k++)
        for (const char *c = key.text[k];; c++) {
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
            if (!*c)
                break;
        }
    return hash;
}

/* --- the file -------------------------------------------------------------------------------- */

static enum ca_status check_entry(const config_setting_t *entry, const char *path,
                                  struct ca_error *error)
{
    const config_setting_t *options;

    CA_TRY(ca_config_group(entry, path, error));
    options = config_setting_get_member(entry, "options");
    for (int i = 0; i <= KEYS; i++) {
        const char *name = i < KEYS ? names[i] : "calab";
        const config_setting_t *setting = config_setting_get_member(entry, name);

        if (!setting)
            return ca_config_fail(entry, path, error, "an entry without the key '%s'", name);
        if (config_setting_type(setting) != CONFIG_TYPE_STRING)
            return ca_config_fail(setting, path, error, "a string is expected");
    }
    if (!options)
        return ca_config_fail(entry, path, error, "an entry without the group 'options'");
    return ca_config_group(options, path, error);
}

/* Reads the entries into *list. A missing file is empty. The caller destroys `tree` in any case. */
static enum ca_status read_store(config_t *tree, config_setting_t **list, const char *path,
                                 struct ca_error *error)
{
    config_setting_t *root, *version;

    *list = NULL;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        config_init(tree);
    else
        CA_TRY(ca_config_read(tree, path, NULL, error));
    root = config_root_setting(tree);
    version = config_setting_get_member(root, "version");
    if (version && (!ca_config_is_whole(version) || config_setting_get_int(version) != VERSION))
        return ca_config_fail(version, path, error, "only %d is known to this calab", VERSION);
    ca_config_set_whole(root, "version", VERSION);
    *list = config_setting_get_member(root, "tuned");
    if (!*list)
        *list = config_setting_add(root, "tuned", CONFIG_TYPE_LIST);
    if (!*list)
        return ca_fail(error, CA_NO_MEMORY, "no memory for %s", path);
    if (!config_setting_is_list(*list))
        return ca_config_fail(*list, path, error, "a list of entries, ({ ... }, ...), is expected");
    for (int i = 0; i < config_setting_length(*list); i++)
        CA_TRY(check_entry(config_setting_get_elem(*list, (unsigned)i), path, error));
    return CA_OK;
}

static const char *version_of(const config_setting_t *entry)
{
    return config_setting_get_string(config_setting_get_member(entry, "calab"));
}

/* The index of the entry with these keys, of this version of calab or of others, from index `at`
 * on; -1: none. */
static int tune_store_find(const config_setting_t *list, const struct key *key, bool ours, int at)
{
    for (int i = at; i < config_setting_length(list); i++) {
        const config_setting_t *entry = config_setting_get_elem(list, (unsigned)i);
        int k = 0;

        while (k < KEYS &&
               strcmp(config_setting_get_string(config_setting_get_member(entry, names[k])),
                      key->text[k]) == 0)
            k++;
        if (k == KEYS && (strcmp(version_of(entry), CALAB_VERSION) == 0) == ours)
            return i;
    }
    return -1;
}

/* --- taking values --------------------------------------------------------------------------- */

static enum ca_status tune_store_take(struct ca_experiment *e, const config_setting_t *entry,
                                      const char *path, struct ca_error *error)
{
    const config_setting_t *group = config_setting_get_member(entry, "options");
    struct ca_values options = e->options;

    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        int index = ca_values_find(&options, config_setting_name(setting));

        if (index < 0 || !options.table[index].tune)
            return ca_config_fail(setting, path, error, "backend %s of %s has no such option",
                                  e->backend->name, e->model->name);
        if (ca_tunable(&options, index))
            CA_TRY(ca_config_value(&options, index, setting, CA_TUNED, path, error));
    }
    e->options = options;
    return CA_OK;
}

bool ca_tuned_off(void)
{
    const char *wanted = getenv("CALAB_TUNED");

    return wanted && strcmp(wanted, "off") == 0;
}

static config_setting_t *entry_for(const config_setting_t *list,
                                   const struct ca_experiment *experiment)
{
    struct key key = key_of(experiment);
    int at = tune_store_find(list, &key, true, 0);

    return at < 0 ? NULL : config_setting_get_elem(list, (unsigned)at);
}

enum ca_status ca_tuned_use(struct ca_experiment *experiment, struct ca_error *error)
{
    const char *path = ca_tuned_path();
    const config_setting_t *entry;
    config_setting_t *list;
    enum ca_status status;
    config_t tree;

    if (!ca_values_untune(&experiment->options) || ca_tuned_off() || access(path, F_OK) != 0)
        return CA_OK;
    status = read_store(&tree, &list, path, error);
    if (status == CA_OK && (entry = entry_for(list, experiment)) != NULL)
        status = tune_store_take(experiment, entry, path, error);
    config_destroy(&tree);
    return status;
}

/* A word of a list; the first, "unknown", where there is none of it. */
static int read_word(const config_setting_t *entry, const char *name, const char *const words[],
                     int count)
{
    const char *text = "";

    config_setting_lookup_string(entry, name, &text);
    for (int i = 1; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    return 0;
}

static void read_text(char text[32], const config_setting_t *entry, const char *name)
{
    const char *value = "";

    config_setting_lookup_string(entry, name, &value);
    snprintf(text, 32, "%s", value);
}

/* Entries of versions that did not say how they measured are of unknown quality and age. */
static struct ca_kept read_rate(const config_setting_t *entry)
{
    struct ca_kept kept = {0};

    config_setting_lookup_float(entry, "mups", &kept.mups);
    kept.by = (enum ca_measured)read_word(entry, "measured", ca_measured_names, CA_BY_BENCH + 1);
    kept.quiet = (enum ca_quiet)read_word(entry, "others", ca_quiet_names, CA_DISTURBED + 1);
    read_text(kept.date, entry, "date");
    read_text(kept.driver, entry, "driver");
    return kept;
}

struct ca_kept ca_tuned_rate(const struct ca_experiment *experiment)
{
    const char *path = ca_tuned_path();
    const config_setting_t *entry;
    config_setting_t *list;
    struct ca_error ignored; /* a wrong file is reported where its options are used */
    struct ca_kept kept = {0};
    config_t tree;

    if (ca_tuned_off() || access(path, F_OK) != 0)
        return kept;
    if (read_store(&tree, &list, path, &ignored) == CA_OK &&
        (entry = entry_for(list, experiment)) != NULL)
        kept = read_rate(entry);
    config_destroy(&tree);
    return kept;
}

/* --- keeping --------------------------------------------------------------------------------- */

static void set_real(config_setting_t *entry, const char *name, double number)
{
    config_setting_t *setting;

    if (config_setting_get_member(entry, name))
        config_setting_remove(entry, name);
    setting = config_setting_add(entry, name, CONFIG_TYPE_FLOAT);
    if (setting)
        config_setting_set_float(setting, number);
}

/* The entry that is to be kept for an experiment. */
struct keeping {
    const struct ca_experiment *experiment;
    const struct ca_kept *rate;
    double untuned_mups; /* of a search of its options; 0: there was none */
    bool *kept;          /* it is in the file now; NULL: nobody asks */
};

static bool has_options_of(const struct ca_experiment *experiment, const config_setting_t *entry)
{
    struct ca_experiment with = *experiment;
    struct ca_error ignored;

    ca_values_untune(&with.options);
    return tune_store_take(&with, entry, "", &ignored) == CA_OK &&
           ca_values_equal(&with.options, &experiment->options);
}

/* Whether the entry, if there is one, is to be changed. */
static bool is_better(const struct keeping *new, const config_setting_t *entry)
{
    const config_setting_t *options = entry ? config_setting_get_member(entry, "options") : NULL;
    struct ca_kept kept;

    if (!entry)
        return true;
    kept = read_rate(entry);
    if (new->untuned_mups > 0 && config_setting_length(options) == 0 &&
        !has_options_of(new->experiment, entry))
        return true; /* nothing was found before */
    return ca_kept_gives_way(&kept, new->rate) &&
           (new->untuned_mups > 0 || has_options_of(new->experiment, entry));
}

/* Whether a benchmark shows that the backend is faster without the options that a trial found. */
static bool is_refuted(const struct keeping *new, const config_setting_t *entry)
{
    double untuned_mups = 0;

    config_setting_lookup_float(entry, "untuned_mups", &untuned_mups);
    return new->untuned_mups == 0 &&
           new->rate->by == CA_BY_BENCH &&new->rate->quiet !=
               CA_DISTURBED &&config_setting_length(config_setting_get_member(entry, "options")) >
                   0 &&
           new->rate->mups < REFUTED *untuned_mups;
}

static bool change_list(config_setting_t *list, const struct keeping *new)
{
    const bool searched = new->untuned_mups > 0;
    struct key key = key_of(new->experiment);
    int at = tune_store_find(list, &key, true, 0);
    config_setting_t *entry = at < 0 ? NULL : config_setting_get_elem(list, (unsigned)at);

    /* Entries of other versions without options are of no use to anybody; those with options stay
     * for those who go back to that version, until other options are found. */
    for (int i = 0; (i = tune_store_find(list, &key, false, i)) >= 0;) {
        const config_setting_t *other = config_setting_get_elem(list, (unsigned)i);

        if (searched || config_setting_length(config_setting_get_member(other, "options")) == 0)
            config_setting_remove_elem(list, (unsigned)i);
        else
            i++;
    }
    if (entry && is_refuted(new, entry)) { /* the next choice tries all of them again */
        config_setting_remove_elem(list, (unsigned)tune_store_find(list, &key, true, 0));
        return true;
    }
    if (entry && searched) {
        config_setting_remove_elem(list, (unsigned)tune_store_find(list, &key, true, 0));
        entry = NULL;
    }
    if (!entry && (entry = config_setting_add(list, NULL, CONFIG_TYPE_GROUP)) != NULL) {
        config_setting_t *options;

        for (int k = 0; k < KEYS; k++)
            ca_config_set_string(entry, names[k], key.text[k]);
        options = ca_config_subgroup(entry, "options");
        for (int i = 0; i < new->experiment->options.count; i++)
            if (new->experiment->options.value[i].origin == CA_TUNED)
                ca_config_set_value(options, &new->experiment->options.table[i],
                                    &new->experiment->options.value[i]);
        set_real(entry, "untuned_mups", searched ? new->untuned_mups : new->rate->mups);
        ca_config_set_string(entry, "calab", CALAB_VERSION);
    }
    if (entry) {
        set_real(entry, "mups", new->rate->mups);
        ca_config_set_string(entry, "measured", ca_measured_names[new->rate->by]);
        ca_config_set_string(entry, "others", ca_quiet_names[new->rate->quiet]);
        ca_config_set_string(entry, "date", new->rate->date);
        ca_config_set_string(entry, "driver", new->rate->driver);
    }
    return entry != NULL;
}

static enum ca_status tune_store_keep(const struct keeping *new, struct ca_error *error)
{
    const char *path = ca_tuned_path();
    enum ca_status status;
    config_setting_t *list;
    char *text = NULL;
    config_t tree;
    int lock;

    if (!path[0])
        return ca_fail(error, CA_IO,
                       "nowhere to keep what was found: neither XDG_CACHE_HOME nor "
                       "HOME is set");
    CA_TRY(ca_file_parents(path, error));
    CA_TRY(ca_lock_begin(&lock, path, error));
    /* Reads, changes and replaces the file, which nobody else does meanwhile. */
    status = read_store(&tree, &list, path, error);
    if (status == CA_OK && is_better(new, entry_for(list, new->experiment))) {
        text = change_list(list, new) ? ca_config_format(&tree, HEADING) : NULL;
        if (!text)
            status = ca_fail(error, CA_NO_MEMORY, "no memory for %s", path);
    }
    if (text) {
        ca_temporary_clean(path); /* of processes that were killed */
        status = ca_config_write(text, path, error);
    }
    if (new->kept)
        *new->kept = text &&status == CA_OK;
    config_destroy(&tree);
    free(text);
    ca_lock_end(lock);
    return status;
}

/* Only calls that count are judged. */
static enum ca_quiet quiet_of(const struct ca_bench_line *line)
{
    if (line->unsure)
        return CA_DISTURBED;
    return line->disturbance.samples == 0 || line->disturbance.unknown > 0 ? CA_QUIET_UNKNOWN
                                                                           : CA_QUIET;
}

static struct ca_kept tune_store_rate_of(const struct ca_bench_line *line)
{
    return ca_kept_now(ca_bench_mups(line), CA_BY_BENCH, quiet_of(line), line->experiment.backend);
}

enum ca_status ca_tuned_keep(const struct ca_bench_line *tuned, double untuned_mups, bool *kept,
                             struct ca_error *error)
{
    const struct ca_kept rate = tune_store_rate_of(tuned);

    return tune_store_keep(&(struct keeping){&tuned->experiment, &rate, untuned_mups, kept}, error);
}

enum ca_status ca_tuned_keep_rate(const struct ca_experiment *experiment,
                                  const struct ca_kept *rate, double untuned_mups,
                                  struct ca_error *error)
{
    return tune_store_keep(&(struct keeping){experiment, rate, untuned_mups, NULL}, error);
}

void ca_tuned_keep_lines(const struct ca_bench *bench)
{
    for (int i = 0; i < bench->count; i++) {
        const struct ca_bench_line *line = &bench->line[i];
        const struct ca_kept rate = tune_store_rate_of(line);
        struct ca_error ignored;

        if (!ca_tuned_off() && ca_bench_good(line) && !line->partial && !line->unsure &&
            line->stats.n >= CA_BENCH_MEDIAN)
            ca_tuned_keep_rate(&line->experiment, &rate, 0, &ignored);
    }
}
