/* SPDX-License-Identifier: MIT */
/* This file reads and writes the file of a probe, and checks whether it belongs to this machine. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/files/file.h"
#include "core/files/json.h"
#include "core/files/lock.h"
#include "core/probe/probe.h"

#define SCHEMA "calab-probe/1"
#define FILE_MAX (1 << 20)

const char *ca_probe_path(void)
{
    static char path[PATH_MAX];
    const char *emulated = ca_cuda_emulated() ? "-emulated" : "";
    char host[64] = "", end[128];

    if (gethostname(host, sizeof host - 1) != 0 || !host[0] || strchr(host, '/'))
        strcpy(host, "unknown");
    snprintf(end, sizeof end, "/calab/probe-%s%s.json", host, emulated);
    return ca_file_place(path, "XDG_CACHE_HOME", "/.cache", end);
}

static json_t *pair(const double value[2]) { return json_pack("[f, f]", value[0], value[1]); }

json_t *ca_probe_to_json(const struct ca_probe *probe)
{
    json_t *levels = json_object(), *gpus = json_array(), *root;

    for (int i = 0; i < probe->gpus; i++) {
        const struct ca_gpu_probe *gpu = &probe->gpu[i];
        json_t *json =
            json_pack("{s:s, s:I}", "name", gpu->name, "l2_bytes", (json_int_t)gpu->l2_bytes);

        if (gpu->emulated)
            json_object_set_new(json, "emulated", json_true());
        for (int r = 0; r < CA_GPU_RATES && !gpu->emulated; r++)
            json_object_set_new(json, ca_gpu_rates[r].key, json_real(gpu->rate[r]));
        json_array_append_new(gpus, json);
    }
    for (int i = 0; i < CA_LEVELS; i++)
        json_object_set_new(levels, ca_level_names[i],
                            json_pack("{s:I, s:o, s:o}", "bytes", (json_int_t)probe->level[i].bytes,
                                      "copy_gb_per_s", pair(probe->level[i].copy_gb),
                                      "stream_gb_per_s", pair(probe->level[i].stream_gb)));
    root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:o}", "schema", SCHEMA, "host",
                     probe->host, "cpu", probe->cpu, "date", probe->date, "isa",
                     ca_isa_names[probe->isa], "threads", probe->threads, "levels", levels,
                     "logic_gops_per_s", pair(probe->logic_gops), "gpus", gpus);
    if (root && probe->others[0]) {
        json_object_set_new(root, "disturbed", json_true());
        json_object_set_new(root, "others", json_string(probe->others));
    }
    return root;
}

enum ca_status ca_probe_write(const struct ca_probe *probe, const char *path,
                              struct ca_error *error)
{
    json_t *root = ca_probe_to_json(probe);
    struct ca_file_writer writer;
    enum ca_status status;

    if (!root)
        return ca_fail(error, CA_NO_MEMORY, "no memory for the probe");
    status = ca_file_parents(path, error);
    if (status == CA_OK) {
        ca_temporary_clean(path); /* of processes that were killed */
        status = ca_file_begin(&writer, path, error);
    }
    if (status == CA_OK) {
        json_dumpf(root, writer.stream, JSON_INDENT(2));
        fputc('\n', writer.stream);
        status = ca_file_commit(&writer, error);
    }
    json_decref(root);
    return status;
}

/* Only positive numbers are accepted, because shares are relative to them. */
static bool read_pair(double value[2], const json_t *json)
{
    for (size_t i = 0; i < 2; i++) {
        value[i] = json_number_value(json_array_get(json, i));
        if (!(value[i] > 0))
            return false;
    }
    return true;
}

static void read_text(char *text, size_t size, const json_t *json)
{
    const char *string = json_string_value(json);

    snprintf(text, size, "%s", string ? string : "");
}

bool ca_probe_from_json(struct ca_probe *probe, const json_t *root)
{
    const json_t *levels = json_object_get(root, "levels"), *gpus = json_object_get(root, "gpus");
    const char *schema = json_string_value(json_object_get(root, "schema"));
    const char *isa = json_string_value(json_object_get(root, "isa"));
    bool whole = schema && strcmp(schema, SCHEMA) == 0 && isa;

    memset(probe, 0, sizeof *probe);
    read_text(probe->host, sizeof probe->host, json_object_get(root, "host"));
    read_text(probe->cpu, sizeof probe->cpu, json_object_get(root, "cpu"));
    read_text(probe->date, sizeof probe->date, json_object_get(root, "date"));
    if (json_is_true(json_object_get(root, "disturbed")))
        read_text(probe->others, sizeof probe->others, json_object_get(root, "others"));
    if (json_is_true(json_object_get(root, "disturbed")) && !probe->others[0])
        strcpy(probe->others, "others disturbed it");
    probe->threads = (int)json_integer_value(json_object_get(root, "threads"));
    while (whole && probe->isa < CA_AVX512 && strcmp(isa, ca_isa_names[probe->isa]) != 0)
        probe->isa++;
    for (int i = 0; i < CA_LEVELS && whole; i++) {
        const json_t *level = json_object_get(levels, ca_level_names[i]);

        probe->level[i].bytes = json_integer_value(json_object_get(level, "bytes"));
        whole = read_pair(probe->level[i].copy_gb, json_object_get(level, "copy_gb_per_s")) &&
                read_pair(probe->level[i].stream_gb, json_object_get(level, "stream_gb_per_s"));
    }
    /* A build without CUDA writes no GPUs. */
    for (size_t i = 0; i < json_array_size(gpus) && i < CA_PROBE_GPUS && whole; i++) {
        struct ca_gpu_probe *gpu = &probe->gpu[probe->gpus++];
        const json_t *json = json_array_get(gpus, i);

        read_text(gpu->name, sizeof gpu->name, json_object_get(json, "name"));
        gpu->l2_bytes = json_integer_value(json_object_get(json, "l2_bytes"));
        gpu->emulated = json_is_true(json_object_get(json, "emulated"));
        for (int r = 0; r < CA_GPU_RATES && !gpu->emulated && whole; r++) {
            gpu->rate[r] = json_number_value(json_object_get(json, ca_gpu_rates[r].key));
            whole = gpu->rate[r] > 0;
        }
    }
    return whole && probe->threads > 0 &&
           read_pair(probe->logic_gops, json_object_get(root, "logic_gops_per_s"));
}

enum ca_status ca_probe_read(struct ca_probe *probe, const char *path, struct ca_error *error)
{
    enum ca_status status;
    struct ca_device device;
    json_error_t cause;
    json_t *root;
    char *bytes;
    size_t size;
    bool whole;

    if (!path[0])
        return ca_fail(error, CA_IO, "nowhere: neither XDG_CACHE_HOME nor HOME is set");
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return ca_fail(error, CA_IO, "not measured; calab probe does it");
    CA_TRY(ca_file_read_text(path, FILE_MAX, &bytes, &size, error));
    status = ca_json_parse(&root, bytes, size, 0, &cause);
    free(bytes);
    if (status == CA_NO_MEMORY)
        return ca_fail(error, CA_NO_MEMORY, "%.300s: no memory for it", path);
    whole = ca_probe_from_json(probe, root);
    json_decref(root);
    if (!root)
        return ca_fail(error, CA_IO, "%.300s:%d: %s", path, cause.line, cause.text);
    if (!whole)
        return ca_fail(error, CA_IO, "%.300s: it is not a complete %s; run `calab probe`", path,
                       SCHEMA);
    ca_device_cpu(&device);
    if (strcmp(probe->cpu, device.name) != 0 || probe->threads != device.cores ||
        probe->isa != ca_cpu_isa())
        return ca_fail(error, CA_IO,
                       "measured on %s with %d threads and %s, which is not what there is now; "
                       "calab probe does it again",
                       probe->cpu, probe->threads, ca_isa_names[probe->isa]);
    return CA_OK;
}

enum ca_status ca_probe_keep(const struct ca_probe *probe, const char *path, struct ca_error *error)
{
    struct ca_error ignored;
    struct ca_probe kept;
    enum ca_status status;
    bool better;
    int lock;

    CA_TRY(ca_file_parents(path, error));
    CA_TRY(ca_lock_begin(&lock, path, error));
    /* Whether the file has undisturbed ceilings of all that the new ones are of. */
    better = probe->others[0] && ca_probe_read(&kept, path, &ignored) == CA_OK && !kept.others[0];
    for (int i = 0; i < probe->gpus && better; i++)
        better = ca_probe_gpu(&kept, probe->gpu[i].name) != NULL;
    if (better)
        status = ca_fail(error, CA_TIMEOUT,
                         "%s while the ceilings were measured: %.300s keeps those of %s, when "
                         "nothing disturbed them; try again once the machine is idle",
                         probe->others, path, kept.date);
    else
        status = ca_probe_write(probe, path, error);
    ca_lock_end(lock);
    return status;
}
