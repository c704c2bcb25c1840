/* SPDX-License-Identifier: MIT */
/* calab emulate: a CUDA program, compiled for the CPU and run with its mistakes named. */
#include "core/base/number.h"
#include "core/emulator/emulate.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/commands/commands.h"
#include "tui/commands/json.h"

#define LIMIT_MAX 1e6

static enum ca_status check_order(const char *order, struct ca_error *error)
{
    uint64_t seed;

    if (!order || strcmp(order, "forward") == 0 || strcmp(order, "reverse") == 0)
        return CA_OK;
    if (strncmp(order, "random:", 7) == 0 && ca_read_seed(order + 7, &seed))
        return CA_OK;
    return ca_fail(error, CA_USAGE, "--order is '%.80s': allowed are forward, reverse, random:SEED",
                   order);
}

static enum ca_status check_cc(const char *cc, struct ca_error *error)
{
    static const char *const known[] = {"7.0", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0"};

    for (size_t i = 0; cc && i < sizeof known / sizeof *known; i++)
        if (strcmp(cc, known[i]) == 0)
            return CA_OK;
    return cc ? ca_fail(error, CA_USAGE,
                        "--cc is '%.80s': allowed are 7.0, 7.5, 8.0, 8.6, 8.7, 8.9, 9.0", cc)
              : CA_OK;
}

static enum ca_status emulate_check(const struct options *options, struct ca_emulation *e,
                                    struct ca_error *error)
{
    if (options->operands == 0)
        return ca_fail(error, CA_USAGE, "calab emulate needs the source of a program: FILE.cu");
    e->files = (const char *const *)options->operand;
    e->count = options->operands;
    e->arguments = options->rest;
    e->options = options->nvcc.compile;
    e->linked = options->nvcc.link;
    e->has_host_files = true;
    e->relocatable = options->nvcc.relocatable;
    e->plain = options_has(options, OPTION_PLAIN);
    e->counts = options_has(options, OPTION_COUNT_ACCESSES);
    if (e->plain && e->counts)
        return ca_fail(error, CA_USAGE,
                       "--count and --plain exclude each other: --count needs the watched accesses "
                       "that --plain leaves out");
    e->order = options_value(options, OPTION_ORDER);
    e->cc = options_value(options, OPTION_CC);
    e->output_to_stderr = options_has(options, OPTION_JSON);
    CA_TRY(check_order(e->order, error));
    CA_TRY(check_cc(e->cc, error));
    return choose_number(&e->limit_s, options, OPTION_LIMIT, 0.01, LIMIT_MAX, error);
}

/* The findings, and apart from them what was counted of kernels and the last line, which counts
 * the findings. */
static json_t *read_findings(const char *path, json_t *kernels, json_t **count)
{
    json_t *findings = json_array(), *one;
    FILE *file = fopen(path, "r");

    *count = NULL;
    while (file && (one = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL))) {
        if (json_object_get(one, "kind")) {
            json_array_append_new(findings, one);
        } else if (json_object_get(one, "kernel")) {
            json_array_append_new(kernels, one);
        } else {
            json_decref(*count);
            *count = one;
        }
    }
    if (file)
        fclose(file);
    return findings;
}

int command_emulate(const struct options *options, struct ca_error *error)
{
    struct ca_emulation e = {.count = 0};
    int status = emulate_check(options, &e, error);

    if (status == CA_OK)
        status = ca_emulate_build(&e, error);
    if (status == CA_OK)
        status = ca_emulate_run(&e, error);
    if (status == CA_OK && e.output_to_stderr) {
        json_t *root = json_pack("{s:s}", "schema", "calab-emulate/1"), *files = json_array();
        json_t *count, *kernels = json_array();
        json_t *findings = read_findings(e.findings, kernels, &count);

        for (int i = 0; i < e.count; i++)
            json_array_append_new(files, json_string(e.files[i]));
        json_object_set_new(root, "files", files);
        json_object_set_new(root, "status", json_integer(e.status));
        json_object_set_new(root, "signal", e.signal ? json_integer(e.signal) : json_null());
        json_object_set_new(root, "timed_out", json_boolean(e.timed_out));
        json_object_set_new(root, "emulated", json_true());
        json_object_set_new(root, "compile_s", json_real(e.build_s));
        json_object_set_new(root, "run_s", json_real(e.run_s));
        json_object_update(root, count);
        json_object_set_new(root, "findings", findings);
        if (e.counts)
            json_object_set(root, "kernels", kernels);
        json_decref(kernels);
        json_decref(count);
        status = json_print(root, error);
    }
    if (status == CA_OK && e.timed_out)
        status = ca_fail(error, CA_TIMEOUT, "the program did not end within %g seconds", e.limit_s);
    else if (status == CA_OK && e.signal) {
        ca_error_set(error, CA_WRONG, "the program crashed: %s", strsignal(e.signal));
        status = 128 + e.signal;
    } else if (status == CA_OK) {
        status = e.status;
        error->text[0] = '\0';
    }
    ca_emulate_remove(&e);
    return status;
}
