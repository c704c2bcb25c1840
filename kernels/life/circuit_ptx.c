/* SPDX-License-Identifier: MIT */
/*
 * This file writes a rule's own circuit into PTX of kernels without one (cuda_marked.cuh), where
 * the driver is the only compiler. A comment marks each place:
 *
 *     // life_circuit RESULT INPUT ...    registers, the inputs in the order of circuit.h
 *
 * PTX for GPUs that do not begin kernels early lets those do so that can.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/files/file.h"
#include "kernels/life/circuit.h"
#include "kernels/life/rule.h"

#define CIRCUIT "// life_circuit "
#define REGISTER_MAX 24
#define EARLY_ARCHITECTURE 90 /* that has what such kernels wait with */

struct ptx {
    FILE *to;
    struct life_circuit circuit;
    const struct moore_own_kinds *kinds;
    bool early;  /* kernels begin early, which this PTX does not have */
    bool begins; /* before a kernel's first instruction */
    bool wanted; /* the kernel whose lines these are */
};

/* The words behind the mark; false: they are not as many as the circuit takes. */
static bool read_registers(const char *at, int count, char registers[LIFE_CELLS + 1][REGISTER_MAX])
{
    for (int i = 0; i < count; i++) {
        size_t length;

        at += strspn(at, " ");
        length = strcspn(at, " \r\n");
        if (length == 0 || length >= REGISTER_MAX)
            return false;
        snprintf(registers[i], REGISTER_MAX, "%.*s", (int)length, at);
        at += length;
    }
    return true;
}

/* Each function has a register of its own in a block, so that inputs, which others may read, too,
 * stay as they are. */
static bool write_functions(struct ptx *ptx, const char *at)
{
    const struct life_program *program = &ptx->circuit.program;
    char registers[LIFE_CELLS + 1][REGISTER_MAX];
    char slot[LIFE_CELLS + LIFE_FUNCTIONS_MAX][REGISTER_MAX];

    if (!read_registers(at, ptx->circuit.inputs + 1, registers))
        return false;
    for (int i = 0; i < ptx->circuit.inputs; i++)
        snprintf(slot[i], REGISTER_MAX, "%s", registers[i + 1]);
    ca_file_put(ptx->to, "{\n");
    if (program->count > 0)
        ca_file_put(ptx->to, ".reg .b32 t<%d>;\n", program->count);
    for (int i = 0; i < program->count; i++) {
        const struct life_function *f = &program->function[i];

        ca_file_put(ptx->to, "lop3.b32 t%d, %s, %s, %s, %d;\n", i, slot[f->a], slot[f->b],
                    slot[f->c], f->table);
        snprintf(slot[f->to], REGISTER_MAX, "t%d", i);
    }
    if (program->result < 0)
        ca_file_put(ptx->to, "mov.b32 %s, %d;\n}\n", registers[0], program->inverted ? -1 : 0);
    else
        ca_file_put(ptx->to, "%s.b32 %s, %s;\n}\n", program->inverted ? "not" : "mov", registers[0],
                    slot[program->result]);
    return true;
}

static bool is_wanted(const struct moore_own_kinds *kinds, const char *name)
{
    static const char prefix[] = "moore_own_";
    char kind[16];
    int number;

    if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
        sscanf(name + sizeof prefix - 1, "%15[a-z]%d", kind, &number) != 2)
        return false;
    if (strcmp(kind, "tiles") == 0)
        return number == kinds->tile_rows;
    return strcmp(kind, "rows") == 0 ? kinds->generations > 0 : number <= kinds->generations;
}

/* A kernel's first instruction: it may begin early, as cuda_begin_early() has it. */
static void write_early(struct ptx *ptx, const char *first)
{
    if (*first == '{')
        ptx->begins = true;
    else if (ptx->begins && !strchr("./\n", *first)) {
        ca_file_put(ptx->to, "griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\n");
        ptx->begins = false;
    }
}

/* Comments go, but for the marks, which begin as they do. */
static bool write_line(struct ptx *ptx, const char *line, size_t length)
{
    static const char target[] = ".target sm_", entry[] = ".visible .entry ";
    const char *first = line + strspn(line, " \t");

    if (strncmp(first, entry, sizeof entry - 1) == 0) {
        ptx->wanted = is_wanted(ptx->kinds, first + sizeof entry - 1);
        ptx->begins = false;
    }
    if (!ptx->wanted)
        return true;
    if (strncmp(first, CIRCUIT, sizeof CIRCUIT - 1) == 0)
        return write_functions(ptx, first + sizeof CIRCUIT - 1);
    if (strncmp(first, target, sizeof target - 1) == 0)
        ptx->early = ptx->early && atoi(first + sizeof target - 1) < EARLY_ARCHITECTURE;
    if (ptx->early)
        write_early(ptx, first);
    if (ptx->early && strncmp(first, target, sizeof target - 1) == 0)
        ca_file_put(ptx->to, "%s%d\n", target, EARLY_ARCHITECTURE);
    else if (strncmp(first, "//", 2) != 0)
        ca_file_put(ptx->to, "%.*s\n", (int)(line + length - first), first);
    return true;
}

/* The last four bytes say how long it is. */
char *life_ptx_unpacked(const unsigned char *packed, const unsigned char *end)
{
    size_t size = end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 | (size_t)end[-1] << 24;
    char *text = malloc(size + 1);
    z_stream stream = {.next_in = (unsigned char *)packed, .avail_in = (uInt)(end - packed)};
    bool good;

    if (!text)
        return NULL;
    stream.next_out = (unsigned char *)text, stream.avail_out = (uInt)size;
    good = inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK;
    if (good) {
        good = inflate(&stream, Z_FINISH) == Z_STREAM_END;
        inflateEnd(&stream);
    }
    text[size] = '\0';
    if (good)
        return text;
    free(text);
    return NULL;
}

char *life_circuit_ptx(const char *kernels, const uint64_t table[8],
                       const struct moore_own_kinds *kinds, int capability)
{
    struct ptx ptx = {.kinds = kinds, .early = capability >= EARLY_ARCHITECTURE, .wanted = true};
    struct life_rule rule;
    char *text = NULL;
    size_t size;
    bool good = true;

    ptx.to = open_memstream(&text, &size);
    if (!ptx.to)
        return NULL;
    life_rule_of_table(&rule, table);
    life_circuit_make(&ptx.circuit, &rule);
    while (good && *kernels) {
        size_t length = strcspn(kernels, "\n");

        good = write_line(&ptx, kernels, length);
        kernels += length + (kernels[length] == '\n');
    }
    if (fclose(ptx.to) == 0 && good)
        return text;
    free(text);
    return NULL;
}
