/* SPDX-License-Identifier: MIT */
/* Reads ptxas's messages, and has the emulator count a run. */
#include "core/lab/process/resources.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/files/json.h"
#include "core/lab/process/process.h"

#define COUNTED_CC "9.0"
#define COUNTED_S 60

/* --- ptxas ------------------------------------------------------------------------------------ */

/* "_Z4stepPKhPh" is step; other names stay as they are. */
static void set_name(struct ca_lab_kernel *kernel, const char *name, int length)
{
    char *end = NULL;
    long n = strncmp(name, "_Z", 2) == 0 ? strtol(name + 2, &end, 10) : 0;

    if (n > 0 && end && n <= length - (end - name))
        snprintf(kernel->name, sizeof kernel->name, "%.*s", (int)(n < 79 ? n : 79), end);
    else
        snprintf(kernel->name, sizeof kernel->name, "%.*s", length < 79 ? length : 79, name);
}

static struct ca_lab_kernel *add_kernel(struct ca_lab_resources *r)
{
    if (r->count == CA_LAB_KERNELS_MAX)
        return NULL;
    r->kernel[r->count] = (struct ca_lab_kernel){
        .registers = -1, .shared_bytes = -1, .spill_bytes = -1, .threads = -1, .occupancy = -1};
    return &r->kernel[r->count++];
}

/* The number in front of a word in a line, or what it is without. */
static int number_before(const char *line, const char *word, int without)
{
    const char *at = strstr(line, word);

    while (at && at > line && (at[-1] == ' ' || (at[-1] >= '0' && at[-1] <= '9')))
        at--;
    return at ? atoi(at) : without;
}

static void take_line(struct ca_lab_resources *r, const char *line)
{
    static const char entry[] = "Compiling entry function '";
    const char *at = strstr(line, entry);
    struct ca_lab_kernel *last = r->count > 0 ? &r->kernel[r->count - 1] : NULL;

    if (at) {
        at += sizeof entry - 1;
        last = add_kernel(r);
        if (last)
            set_name(last, at, (int)strcspn(at, "'"));
        at = last ? strstr(at, "sm_") : NULL;
        if (at && strlen(at) > 4)
            snprintf(last->cc, sizeof last->cc, "%.*s.%c", (int)strspn(at + 3, "0123456789") - 1,
                     at + 3, at[3 + strspn(at + 3, "0123456789") - 1]);
    } else if (last && strstr(line, "bytes spill stores")) {
        last->spill_bytes = number_before(line, "bytes spill stores", 0) +
                            number_before(line, "bytes spill loads", 0);
    } else if (last && strstr(line, " registers")) {
        last->registers = number_before(line, "registers", -1);
        last->shared_bytes = number_before(line, "bytes smem", 0);
    }
}

void ca_lab_ptxas(struct ca_lab_resources *resources, const char *said)
{
    char line[600];

    resources->count = 0;
    for (; *said; said += strcspn(said, "\n"), said += *said == '\n') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(said, "\n"), said);
        take_line(resources, line);
    }
}

char *ca_lab_kernel_text(const struct ca_lab_kernel *k, char *text, size_t size)
{
    char registers[32] = "", threads[40] = "", shared[48] = "", spills[48] = "", occupancy[64] = "";

    if (k->threads >= 0)
        snprintf(threads, sizeof threads, ", %d threads a block", k->threads);
    if (k->registers >= 0)
        snprintf(registers, sizeof registers, ", %d registers", k->registers);
    if (k->shared_bytes >= 0)
        snprintf(shared, sizeof shared, ", %d bytes of shared memory", k->shared_bytes);
    if (k->spill_bytes >= 0)
        snprintf(spills, sizeof spills, k->spill_bytes ? ", %d bytes of spills" : ", no spills",
                 k->spill_bytes);
    if (k->occupancy >= 0)
        snprintf(occupancy, sizeof occupancy, ", occupancy %.3g %% at %s with 32 registers",
                 k->occupancy, k->cc);
    snprintf(text, size, "%s: %s%s%s%s%s", k->name, registers[0] ? registers + 2 : "",
             registers[0] ? threads
             : threads[0] ? threads + 2
                          : "",
             shared, spills, occupancy);
    return text;
}

/* --- the emulator ----------------------------------------------------------------------------- */

static void take_counts(struct ca_lab_resources *r, const json_t *counts)
{
    const json_t *one;
    size_t i;

    json_array_foreach(counts, i, one)
    {
        const json_t *occupancy = json_object_get(one, "occupancy");
        struct ca_lab_kernel *kernel = add_kernel(r);

        if (!kernel)
            return;
        snprintf(kernel->name, sizeof kernel->name, "%.79s", ca_json_member(one, "kernel"));
        kernel->threads = (int)ca_json_number(one, "threads");
        kernel->shared_bytes = (int)ca_json_number(one, "shared_bytes");
        kernel->occupancy = json_is_number(occupancy) ? json_number_value(occupancy) : -1;
        snprintf(kernel->cc, sizeof kernel->cc, "%.7s", COUNTED_CC);
    }
}

static json_t *counts_read(const char *path)
{
    FILE *file = fopen(path, "re");
    json_t *counts = json_array(), *one;

    while (file && (one = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL))) {
        if (json_is_string(json_object_get(one, "kernel")))
            json_array_append_new(counts, one);
        else
            json_decref(one);
    }
    if (file)
        fclose(file);
    return counts;
}

enum ca_status lab_count(json_t **counts, const struct ca_lab *lab, struct ca_lab_build *build,
                         struct ca_size size, int generations, struct ca_error *error)
{
    char messages[600], findings[600], program[600], json[700], words[4][24];
    const char *const argv[] = {program, words[0], words[1], words[2], words[3], NULL};
    const char *const variables[] = {json, "CALAB_EMULATED_COUNT=" COUNTED_CC, NULL};
    const struct ca_lab_launch launch = {.argv = argv,
                                         .folder = build->run,
                                         .variables = variables,
                                         .inherits = lab->environment,
                                         .give = {-1, -1},
                                         .cpu_s = COUNTED_S,
                                         .memory_mb = lab->memory_mb,
                                         .output_mb = lab->output_mb};
    struct ca_emulation counted = {.counts = true};
    struct ca_lab_process process;
    enum ca_status status;

    snprintf(words[0], sizeof words[0], "%" PRId64, size.w);
    snprintf(words[1], sizeof words[1], "%" PRId64, size.h);
    snprintf(words[2], sizeof words[2], "%" PRId64, size.d);
    snprintf(words[3], sizeof words[3], "%d", generations);
    snprintf(messages, sizeof messages, "%s/counting", build->folder);
    snprintf(findings, sizeof findings, "%s/counts", build->run);
    *counts = NULL;
    status = lab_build_emulation(&counted, lab, build, messages, error);
    if (status == CA_OK)
        status = ca_lab_build_empty(build, error);
    if (status == CA_OK) {
        snprintf(program, sizeof program, "%.580s/program", counted.folder);
        snprintf(json, sizeof json, "CALAB_EMULATED_JSON=%s", findings);
        status = ca_lab_process_start(&process, &launch, error);
        if (status == CA_OK)
            ca_lab_process_wait(&process, -1, COUNTED_S);
        ca_lab_process_close(&process);
    }
    if (status == CA_OK)
        *counts = counts_read(findings);
    ca_emulate_remove(&counted);
    return status;
}

/* One generation of a small lattice. */
static enum ca_status count_kernels(struct ca_lab_resources *resources, const struct ca_lab *lab,
                                    struct ca_lab_build *build, struct ca_error *error)
{
    const struct ca_size flat = {64, 48, 1}, deep = {32, 16, 16};
    json_t *counts;

    CA_TRY(lab_count(&counts, lab, build, lab->model->dimensions == 3 ? deep : flat, 1, error));
    take_counts(resources, counts);
    json_decref(counts);
    return CA_OK;
}

enum ca_status ca_lab_resources(struct ca_lab_resources *resources, const struct ca_lab *lab,
                                struct ca_lab_build *build, struct ca_error *error)
{
    resources->count = 0;
    if (!lab->cuda)
        return CA_OK;
    if (ca_lab_tool_of(lab) == CA_LAB_NVCC) {
        ca_lab_ptxas(resources, build->said);
        return CA_OK;
    }
    return count_kernels(resources, lab, build, error);
}
