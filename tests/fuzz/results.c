/* SPDX-License-Identifier: MIT */
/* JSON that was saved: benchmarks, which `compare` prints, and what a machine can do at most. */
#include <string.h>

#include "core/files/file.h"
#include "core/probe/probe.h"
#include "tests/fuzz/fuzz.h"
#include "tui/commands/commands.h"

static struct ca_error error;

static const char line[] =
    "{\"schema\":\"calab-bench/2\",\"provenance\":{\"host\":\"h\",\"cpu\":\"c\",\"date\":\"d\","
    "\"version\":\"0\"},\"lines\":[{\"experiment\":{\"model\":\"anneal\",\"backend\":\"threads\","
    "\"size\":[64,64],\"seed\":1,\"init\":\"random\",\"parameters\":{},\"options\":{\"ranks\":2}},"
    "\"threads\":2,\"mups\":100.0,\"n\":9,\"median_s\":0.5,\"mad_s\":0.01,\"hash\":\"ab\","
    "\"steps\":4}]}";

static void read_probe(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file("probe.json", data, size);
    struct ca_probe probe;
    enum ca_level level;

    if (ca_probe_read(&probe, path, &error) != CA_OK)
        return;
    ca_probe_copy(&probe, 1 << 20, 2, &level);
    ca_probe_logic(&probe, 2);
    ca_probe_gpu(&probe, "H100");
}

static void compare(const char *one, const char *other, bool json, bool ratio)
{
    struct options options = {.operand = {one, other, one}, .operands = 3};

    if (json)
        options.given[options.count++].id = OPTION_JSON;
    if (ratio) {
        options.given[options.count].id = OPTION_RATIO;
        options.given[options.count++].text = "threads,reference";
    }
    fuzz_quiet();
    command_compare(&options, &error);
    fuzz_aloud();
}

void fuzz_results(const uint8_t *data, size_t size)
{
    const char *path, *other;

    if (memmem(data, size, "calab-probe", 11)) {
        read_probe(data, size);
        return;
    }
    path = fuzz_file("bench.json", data, size);
    other = fuzz_file("other.json", line, sizeof line - 1);
    compare(other, path, size & 1, false);
    compare(path, other, size & 1, true);
}
