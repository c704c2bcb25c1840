/* SPDX-License-Identifier: MIT */
/* calab.cfg: what is read is remembered for each model, and what is saved reads again. */
#include "core/settings/settings.h"

#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tui/keys.h"

static struct ca_error error;

static const char *request(int i) { return keys_table[i].name; }

static struct keymap map;

static void start(const char *preset) { keymap_preset(&map, preset); }

static bool bind_keys(int i, const char *keys, char *message, int size)
{
    return keymap_bind(&map, keys_table[i].request, keys, message, size);
}

/* What is saved reads as what it was. */
static void save(struct ca_settings *settings, const char *path)
{
    struct ca_settings *again;

    if (ca_settings_set(settings, CA_SETTING_FPS, "17", CA_FROM_WORKBENCH, &error) != CA_OK ||
        ca_settings_save(settings, &error) != CA_OK)
        return;
    FUZZ_HOLDS(ca_settings_open(&again, path, &error) == CA_OK);
    FUZZ_HOLDS(ca_setting_number(again, CA_SETTING_FPS) == 17);
    ca_settings_close(again);
    fuzz_absent("calab.cfg"); /* it is another file now */
}

void fuzz_settings(const uint8_t *data, size_t size)
{
    static const struct ca_key_rules rules = {request, start, bind_keys};
    const char *path = fuzz_file("calab.cfg", data, size);
    static struct ca_saved_view view;
    struct ca_settings *settings;
    char note[CA_TEXT_MAX];
    int unknown = 0;
    bool good;

    setenv("CALAB_CONFIG", path, 1);
    ca_settings_check(path, &rules, &unknown, note, &error);
    good = ca_settings_open(&settings, path, &error) == CA_OK;
    if (!settings)
        return;
    for (int i = 0; ca_models[i]; i++) {
        ca_settings_recall(settings, ca_models[i], &view);
        if (i == 0 && good) {
            view.experiment.seed = 77;
            view.experiment.origin[CA_KEY_SEED] = CA_FROM_WORKBENCH;
            ca_settings_remember(settings, &view);
        }
    }
    for (int i = 0; keys_table[i].name; i++)
        ca_settings_key(settings, keys_table[i].name);
    if (good)
        save(settings, path);
    ca_settings_close(settings);
}
