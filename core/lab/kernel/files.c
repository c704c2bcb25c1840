/* SPDX-License-Identifier: MIT */
/* The files of configs/lab/submission/ that folders get, and lab_model.h, which is written for
 * each. */
#include "core/lab/kernel/files.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/files/embedded.h"
#include "core/sim/simulation.h"

const char *ca_lab_model_word(const struct ca_lab *lab)
{
    const struct ca_model_source *source = lab->model->source;

    return source ? strrchr(source->path, '/') + 1 : lab->model->name;
}

#define IN CA_LAB_FILES_FOLDER "/"

/* The runner's ending is that of the lab's source. */
static const struct {
    const char *name, *text;
} own_files[CA_LAB_FILES] = {[CA_LAB_HEADER] = {IN "calab_lab.h", "lab/submission/calab_lab.h"},
                             [CA_LAB_DRAW] = {IN "calab_draw.h", "lab/submission/calab_draw.h"},
                             [CA_LAB_RUNNER] = {IN "lab_runner.c", "lab/submission/lab_runner.c"},
                             [CA_LAB_WIRE] = {IN "lab_wire.h", "core/lab/kernel/wire.h"},
                             [CA_LAB_WHO] = {IN "lab_who.h", "core/lab/kernel/who.h"}};

const char *ca_lab_file_name(enum ca_lab_file file, bool cuda)
{
    return file == CA_LAB_RUNNER && cuda ? IN "lab_runner.cu" : own_files[file].name;
}

bool ca_lab_is_own_file(const char *name)
{
    for (int i = 0; i < CA_LAB_FILES; i++)
        if (strcmp(name, strchr(own_files[i].name, '/') + 1) == 0)
            return true;
    return strcmp(name, "lab_runner.cu") == 0 || strcmp(name, "lab_model.h") == 0;
}

void ca_lab_shared(struct lab_shared *shared, const struct ca_lab *lab,
                   const struct ca_setup *setup)
{
    const struct ca_model *model = setup->model;
    const struct ca_rule_table *table = ca_rule_table_of(model);

    memset(shared, 0, sizeof *shared);
    shared->version = LAB_WIRE_VERSION;
    shared->planes = (uint32_t)model->planes;
    shared->cell_bytes = (uint32_t)ca_type_bytes(model->type);
    shared->constant = model->constant_planes;
    shared->dimensions = (uint32_t)model->dimensions;
    shared->ghosts = (uint32_t)lab->ghosts;
    shared->w = setup->size.w;
    shared->h = setup->size.h;
    shared->d = setup->size.d;
    shared->seed = setup->seed;
    if (table) {
        shared->table_bytes = (uint32_t)table->bytes;
        table->fill(setup, shared->table);
    }
    for (int i = 0; i < setup->params.count && i < LAB_PARAMETERS_MAX; i++) {
        const struct ca_param *param = &setup->params.table[i];
        const struct ca_value *value = &setup->params.value[i];
        struct lab_parameter *to = &shared->parameter[shared->parameters++];

        snprintf(to->name, sizeof to->name, "%s", param->name);
        snprintf(to->text, sizeof to->text, "%s", value->text ? value->text : "");
        to->number = param->kind == CA_PROBABILITY
                         ? (double)ca_probability(&setup->params, param->name)
                         : value->number;
    }
    lab_layout(shared);
}

static void put_model(FILE *out, const void *of)
{
    const struct ca_lab *lab = of;
    const struct ca_model *model = lab->model;
    const struct ca_rule_table *table = ca_rule_table_of(model);
    struct ca_experiment experiment = ca_lab_experiment(lab, model->default_size, 1);
    struct ca_setup setup = ca_setup_of(&experiment);
    struct lab_shared shared;

    ca_lab_shared(&shared, lab, &setup);
    ca_file_put(out,
                "/* SPDX-License-Identifier: MIT */\n"
                "/* The model that the kernel of this folder computes, %s: %s.\n"
                " * Written by calab from lab.cfg; see calab-models(7). */\n"
                "#ifndef LAB_MODEL_H\n#define LAB_MODEL_H\n\n#include <stdint.h>\n\n"
                "#define LAB_FOLDER_VERSION %d\n#define LAB_MODEL \"%s\"\n"
                "#define LAB_DIMENSIONS %d\n#define LAB_GHOSTS %d\n#define LAB_OWN %d\n\n",
                model->name, model->title, CA_LAB_VERSION, model->name, model->dimensions,
                lab->ghosts, lab->form == CA_LAB_OWN);
    ca_file_put(out, "typedef %s lab_cell;\n\n/* The planes. */\n#define LAB_PLANES %d\n",
                model->type == CA_F32 ? "float" : "uint8_t", model->planes);
    for (int p = 0; p < model->planes; p++) {
        ca_file_put(out, "#define LAB_");
        for (const char *c = model->plane_names[p]; *c; c++)
            ca_file_put(out, "%c", isalnum((unsigned char)*c) ? toupper((unsigned char)*c) : '_');
        ca_file_put(out, " %d%s\n", p,
                    model->constant_planes >> p & 1 ? " /* a step does not change it */" : "");
    }
    ca_file_put(out, "#define LAB_CONSTANT 0x%x\n\n", shared.constant);
    if (table)
        ca_file_put(out, "/* lab->table: %s. */\n", table->help);
    ca_file_put(out, "#define LAB_TABLE {");
    for (uint32_t i = 0; i < shared.table_bytes; i++)
        ca_file_put(out, "%d, ", shared.table[i]);
    ca_file_put(out, "0}\n/* lab_number, lab_text: */\n#define LAB_PARAMETERS { \\\n");
    for (uint32_t i = 0; i < shared.parameters; i++) {
        ca_file_put(out, "    {\"%s\", %.17g, \"", shared.parameter[i].name,
                    shared.parameter[i].number);
        for (const char *c = shared.parameter[i].text; *c; c++)
            ca_file_put(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        ca_file_put(out, "\"}, \\\n");
    }
    ca_file_put(out, "    {\"\", 0, \"\"}}\n\n#endif\n");
}

enum ca_status lab_write(const char *folder, const char *name, void (*put)(FILE *, const void *),
                         const void *what, struct ca_error *error)
{
    char path[PATH_MAX + 280];
    struct ca_file_writer writer;

    snprintf(path, sizeof path, "%.4000s/%.255s", folder, name);
    CA_TRY(ca_file_begin(&writer, path, error));
    put(writer.stream, what);
    return ca_file_commit(&writer, error);
}

void lab_put_text(FILE *out, const void *text) { fputs(text, out); }

/* The folder for them, which may be there already. */
static enum ca_status make_files_folder(const char *folder, struct ca_error *error)
{
    char path[PATH_MAX + 16];
    struct stat facts;

    snprintf(path, sizeof path, "%.4000s/" CA_LAB_FILES_FOLDER, folder);
    if (mkdir(path, 0755) == 0)
        return CA_OK;
    if (errno != EEXIST)
        return ca_fail(error, CA_IO, "%.400s: %s", path, strerror(errno));
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        return CA_OK;
    return ca_fail(error, CA_IO,
                   "%.400s is a file, and calab's own files go to a folder of that name: rename it",
                   path);
}

enum ca_status ca_lab_write_files(const struct ca_lab *lab, const char *folder,
                                  struct ca_error *error)
{
    CA_TRY(make_files_folder(folder, error));
    for (int i = 0; i < CA_LAB_FILES; i++)
        if (lab->form != CA_LAB_PROGRAM || i == CA_LAB_DRAW)
            CA_TRY(lab_write(folder, ca_lab_file_name((enum ca_lab_file)i, lab->cuda), lab_put_text,
                             ca_embedded_text(own_files[i].text), error));
    return lab_write(folder, IN "lab_model.h", put_model, lab, error);
}
