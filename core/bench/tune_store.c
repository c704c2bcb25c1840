/* SPDX-License-Identifier: MIT */
/* Owns the file of tuned options: its entries, the setups that they apply to, and their values. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/files/config.h"
#include "core/files/temporary.h"
#include "core/machine/device.h"
#include "core/bench/tune.h"

#define VERSION 1
#define HEADING "# calab bench --tune keeps here what it found; calab(1) describes it.\n"

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
    size_t used = strlen(text);

    snprintf(text + used, 2 * CA_TEXT_MAX - used, "%s%s=%s", used > 0 ? " " : "", name, value);
}

static void describe_setup(const struct ca_experiment *e, char text[2 * CA_TEXT_MAX])
{
    char value[CA_TEXT_MAX];

    text[0] = '\0';
    for (int i = 0; i < e->params.count; i++) {
        const struct ca_param *param = &e->params.table[i];

        if (!param->initial && !ca_value_is_default(param, &e->params.value[i]))
            add_value(text, param->name, ca_value_format(value, param, &e->params.value[i]));
    }
    for (int i = 0; i < e->options.count; i++) {
        const struct ca_param *param = &e->options.table[i];
        bool threads = strcmp(param->name, "threads") == 0;

        ca_value_format(value, param, &e->options.value[i]);
        if (threads && e->options.value[i].number == 0)
            snprintf(value, sizeof value, "%d", ca_cpu_cores());
        if (threads || (strcmp(param->name, "device") != 0 && !ca_tunable(&e->options, i) &&
                        !ca_value_is_default(param, &e->options.value[i])))
            add_value(text, param->name, value);
    }
}

static struct key key_of(const struct ca_experiment *e)
{
    struct key key = {{{0}}};
    struct ca_device device;

    ca_device_of(e->backend, &e->options, &device);
    strcpy(key.text[DEVICE], device.name);
    strcpy(key.text[MODEL], e->model->name);
    strcpy(key.text[BACKEND], e->backend->name);
    ca_size_format(key.text[SIZE], e->size, e->model->dimensions);
    describe_setup(e, key.text[SETUP]);
    return key;
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

/* The index of the entry that applies, or -1. */
static int find(const config_setting_t *list, const struct key *key)
{
    for (int i = 0; i < config_setting_length(list); i++) {
        const config_setting_t *entry = config_setting_get_elem(list, (unsigned)i);
        int k = 0;

        while (k < KEYS &&
               strcmp(config_setting_get_string(config_setting_get_member(entry, names[k])),
                      key->text[k]) == 0)
            k++;
        if (k == KEYS)
            return i;
    }
    return -1;
}

/* --- taking values --------------------------------------------------------------------------- */

static enum ca_status take(struct ca_experiment *e, const config_setting_t *entry, const char *path,
                           struct ca_error *error)
{
    const config_setting_t *group = config_setting_get_member(entry, "options");
    struct ca_values options = e->options;

    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        int index = ca_values_find(&options, config_setting_name(setting));

        if (index < 0 || !ca_tunable(&options, index))
            return ca_config_fail(setting, path, error, "backend %s of %s has no such option",
                                  e->backend->name, e->model->name);
        CA_TRY(ca_config_value(&options, index, setting, CA_TUNED, path, error));
    }
    e->options = options;
    return CA_OK;
}

static bool is_off(void)
{
    const char *wanted = getenv("CALAB_TUNED");

    return wanted && strcmp(wanted, "off") == 0;
}

/* The entry of this version of calab that applies to an experiment, NULL: none. */
static const config_setting_t *entry_for(const config_setting_t *list,
                                         const struct ca_experiment *experiment)
{
    struct key key = key_of(experiment);
    int at = find(list, &key);
    const config_setting_t *entry = at < 0 ? NULL : config_setting_get_elem(list, (unsigned)at);

    return entry && strcmp(config_setting_get_string(config_setting_get_member(entry, "calab")),
                           CALAB_VERSION) == 0
               ? entry
               : NULL;
}

enum ca_status ca_tuned_use(struct ca_experiment *experiment, struct ca_error *error)
{
    const char *path = ca_tuned_path();
    const config_setting_t *entry;
    config_setting_t *list;
    enum ca_status status;
    config_t tree;

    if (!ca_values_untune(&experiment->options) || is_off() || access(path, F_OK) != 0)
        return CA_OK;
    status = read_store(&tree, &list, path, error);
    if (status == CA_OK && (entry = entry_for(list, experiment)) != NULL)
        status = take(experiment, entry, path, error);
    config_destroy(&tree);
    return status;
}

double ca_tuned_mups(const struct ca_experiment *experiment)
{
    const char *path = ca_tuned_path();
    const config_setting_t *entry;
    config_setting_t *list;
    struct ca_error ignored; /* a wrong file is reported where its options are used */
    double mups = 0;
    config_t tree;

    if (is_off() || access(path, F_OK) != 0)
        return 0;
    if (read_store(&tree, &list, path, &ignored) == CA_OK &&
        (entry = entry_for(list, experiment)) != NULL)
        config_setting_lookup_float(entry, "mups", &mups);
    config_destroy(&tree);
    return mups;
}

/* --- keeping --------------------------------------------------------------------------------- */

static void set_real(config_setting_t *entry, const char *name, double number)
{
    config_setting_t *setting = config_setting_add(entry, name, CONFIG_TYPE_FLOAT);

    if (setting)
        config_setting_set_float(setting, number);
}

static void fill_entry(config_setting_t *entry, const struct ca_experiment *experiment, double mups,
                       double untuned_mups, const struct key *key)
{
    const struct ca_values *values = &experiment->options;
    config_setting_t *options;

    for (int k = 0; k < KEYS; k++)
        ca_config_set_string(entry, names[k], key->text[k]);
    options = ca_config_subgroup(entry, "options");
    for (int i = 0; i < values->count; i++)
        if (values->value[i].origin == CA_TUNED)
            ca_config_set_value(options, &values->table[i], &values->value[i]);
    set_real(entry, "mups", mups);
    set_real(entry, "untuned_mups", untuned_mups);
    ca_config_set_string(entry, "calab", CALAB_VERSION);
}

static enum ca_status keep(const struct ca_experiment *experiment, double mups, double untuned_mups,
                           struct ca_error *error)
{
    const char *path = ca_tuned_path();
    config_setting_t *list, *entry;
    char *text = NULL;
    enum ca_status status;
    struct key key;
    config_t tree;
    int at;

    if (!path[0])
        return ca_fail(error, CA_IO,
                       "nowhere to keep what was found: neither XDG_CACHE_HOME nor "
                       "HOME is set");
    status = read_store(&tree, &list, path, error);
    if (status == CA_OK) {
        key = key_of(experiment);
        if ((at = find(list, &key)) >= 0)
            config_setting_remove_elem(list, (unsigned)at);
        entry = config_setting_add(list, NULL, CONFIG_TYPE_GROUP);
        if (entry)
            fill_entry(entry, experiment, mups, untuned_mups, &key);
        text = entry ? ca_config_format(&tree, HEADING) : NULL;
        status = text ? ca_file_parents(path, error)
                      : ca_fail(error, CA_NO_MEMORY, "no memory for %s", path);
    }
    if (status == CA_OK) {
        ca_temporary_clean(path); /* of processes that were killed */
        status = ca_config_write(text, path, error);
    }
    config_destroy(&tree);
    free(text);
    return status;
}

enum ca_status ca_tuned_keep(const struct ca_bench_line *tuned, double untuned_mups,
                             struct ca_error *error)
{
    return keep(&tuned->experiment, ca_bench_mups(tuned), untuned_mups, error);
}

enum ca_status ca_tuned_keep_rate(const struct ca_experiment *experiment, double mups,
                                  struct ca_error *error)
{
    return keep(experiment, mups, mups, error);
}
