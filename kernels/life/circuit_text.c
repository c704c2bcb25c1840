/* SPDX-License-Identifier: MIT */
/* This file writes the kernels of a rule's own circuit as CUDA text. */
#include <stdio.h>
#include <stdlib.h>

#include "core/files/file.h"
#include "kernels/compile/inlined.h"
#include "kernels/life/circuit.h"
#include "kernels/life/rule.h"

static void write_circuit(FILE *file, const struct life_circuit *circuit)
{
    const struct life_program *program = &circuit->program;

    ca_file_put(file,
                "static __device__ __forceinline__ word life_circuit(const word in[LIFE_INPUTS])\n"
                "{\n    word slot[%d];\n\n",
                program->slots);
    for (int i = 0; i < circuit->inputs; i++)
        ca_file_put(file, "    slot[%d] = in[%d];\n", i, i);
    for (int i = 0; i < program->count; i++) {
        const struct life_function *f = &program->function[i];

        ca_file_put(file, "    slot[%d] = life_of_three<%d>(slot[%d], slot[%d], slot[%d]);\n",
                    f->to, f->table, f->a, f->b, f->c);
    }
    if (program->result < 0)
        ca_file_put(file, "    return %s;\n}\n", program->inverted ? "~(word)0" : "0");
    else
        ca_file_put(file, "    return %sslot[%d];\n}\n", program->inverted ? "~" : "",
                    program->result);
}

char *life_circuit_text(const uint64_t table[8], const struct moore_own_kinds *kinds, bool dead)
{
    struct life_circuit circuit;
    struct life_rule rule;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if (!file)
        return NULL;
    life_rule_of_table(&rule, table);
    life_circuit_make(&circuit, &rule);
    ca_file_put(file, "#define LIFE_INPUTS %d\n#define LIFE_GENERATIONS %d\n#define LIFE_DEAD %s\n",
                circuit.inputs, kinds->generations, dead ? "true" : "false");
    ca_file_put(file,
                kinds->tile_rows ? "#define LIFE_TILES LIFE_TILE(%d)\n" : "#define LIFE_TILES\n",
                kinds->tile_rows);
    compile_inlined(file, "kernels/life/cuda_circuit.cuh");
    write_circuit(file, &circuit);
    if (fclose(file) == 0)
        return text;
    free(text);
    return NULL;
}
