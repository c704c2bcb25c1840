/* SPDX-License-Identifier: MIT */
/* calab probe: the ceilings of this machine and its GPUs, from the cache file or measured. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/cuda.h"
#include "core/machine/device.h"
#include "core/files/file.h"
#include "core/probe/probe.h"
#include "tui/commands/commands.h"
#include "tui/commands/progress.h"
#include "tui/table.h"

static void probe_command_show_progress(void *context, const char *what)
{
    (void)context;
    progress_show("%s", what);
}

/* Whether the cached result covers all present GPUs. */
static bool has_gpus(const struct ca_probe *probe)
{
    struct ca_cuda_device device;
    struct ca_error ignored;

    for (int i = 0, n = ca_cuda_devices(); i < n; i++)
        if (ca_cuda_device(i, &device, &ignored) == CA_OK && !ca_probe_gpu(probe, device.name))
            return false;
    return true;
}

/* The cache file is JSON and is printed unchanged. */
static enum ca_status print_file(const char *path, struct ca_error *error)
{
    char *bytes;
    size_t size;

    CA_TRY(ca_file_read(path, 1 << 20, &bytes, &size, error));
    fwrite(bytes, 1, size, stdout);
    free(bytes);
    return CA_OK;
}

static void c_level(char text[TABLE_CELL], const void *probe, int level)
{
    (void)probe;
    strcpy(text, ca_level_names[level]);
}

static void c_bytes(char text[TABLE_CELL], const void *probe, int level)
{
    const int64_t bytes = ((const struct ca_probe *)probe)->level[level].bytes;

    if (bytes > 0)
        snprintf(text, TABLE_CELL, "%lld", (long long)bytes);
}

#define OF_LEVEL(member)                                                                           \
    .offset = offsetof(struct ca_probe, level[0].member) - offsetof(struct ca_probe, level),       \
    .kind = TABLE_FIXED, .digits = 1, .gap = 1

static void print_levels(const struct ca_probe *probe)
{
    static const struct table_column columns[] = {
        {"", .cell = c_level, .width = 8, .left = true},
        {"bytes", .cell = c_bytes, .width = 10, .gap = 1},
        {"copy 1 GB/s", OF_LEVEL(copy_gb[0]), .width = 14},
        {"copy all GB/s", OF_LEVEL(copy_gb[1]), .width = 14},
        {"stream 1 GB/s", OF_LEVEL(stream_gb[0]), .width = 14},
        {"stream all GB/s", OF_LEVEL(stream_gb[1]), .width = 15},
    };
    const struct table table = {columns, sizeof columns / sizeof columns[0],
                                .records = probe->level, .record_bytes = sizeof probe->level[0],
                                .context = probe};
    char text[512];

    for (int i = TABLE_HEADING; i < CA_LEVELS; i++)
        printf("%s\n", table_line(text, sizeof text, &table, i));
}

int command_probe(const struct options *options, struct ca_error *error)
{
    const char *path = ca_probe_path();
    bool force = options_has(options, OPTION_FORCE), json = options_has(options, OPTION_JSON);
    enum ca_status status = CA_OK;
    struct ca_probe probe;

    if (force || ca_probe_read(&probe, path, error) != CA_OK || probe.others[0] ||
        !has_gpus(&probe)) {
        progress_open(options);
        status = ca_probe_measure(&probe, probe_command_show_progress, NULL, error);
        progress_clear();
        CA_TRY(status);
        if (path[0])
            status = ca_probe_keep(&probe, path, error);
    }
    if (!json) {
        printf("# measured %s on %s, %s, loops %s; %s%s\n", probe.date, probe.host, probe.cpu,
               ca_isa_names[probe.isa],
               (status == CA_OK ? path : "")[0] ? "cached in " : "not cached",
               (status == CA_OK ? path : ""));
        if (probe.others[0])
            printf(
                "# disturbed: %s meanwhile, so that the machine can do more than this; on an idle\n"
                "# machine calab probe measures it again\n",
                probe.others);
        print_levels(&probe);
        printf("\nlogic, 10^9 two-input operations on 64 bits per second: %.1f by 1 thread, %.1f "
               "by all "
               "%d\n",
               probe.logic_gops[0], probe.logic_gops[1], probe.threads);
        printf("copy: bytes read and written, 10^9 per second; stream: with non-temporal stores\n");
        for (int i = 0; i < probe.gpus; i++) {
            printf("\n%s%s\n", probe.gpu[i].name, probe.gpu[i].emulated ? ", " CA_NOT_A_SPEED : "");
            for (int r = 0; !probe.gpu[i].emulated && r < CA_GPU_RATES; r++)
                printf("%-40s %10.1f %s\n", ca_gpu_rates[r].help, probe.gpu[i].rate[r],
                       ca_gpu_rates[r].unit);
        }
    } else if (!path[0])
        return ca_fail(error, CA_IO,
                       "--json prints the cache file, but neither XDG_CACHE_HOME nor HOME is set");
    else if (status == CA_OK)
        return (int)print_file(path, error);
    return (int)status;
}
