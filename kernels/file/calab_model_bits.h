/* SPDX-License-Identifier: MIT */
/*
 * The table of a rule of nine cells with two states, for calab_model.h, which includes this where
 * CA_BITS is defined: what each of the 512 neighbourhoods becomes. A rule that is none of these
 * does not compile, which is how calab finds out.
 */
#ifndef CALAB_MODEL_BITS_H
#define CALAB_MODEL_BITS_H

#if CA_IS_FLOAT || CA_PARTS > 1 || CA_DRAWS || CA_DRAWS_16 || CA_DIMENSIONS != 2 ||                \
    CA_RADIUS != 1 || CA_AREAS || CA_IS_HEXAGONAL
#error "cell() reads other cells than the nine, or draws numbers"
#endif

/* Bit s mod 8 of byte s / 8 becomes the cell after the square s = 256 NW + 128 N + 64 NE + 32 W +
 * 16 C + 8 E + 4 SW + 2 S + SE. Returns 0, or 1 where cell() reads beyond CA_RADIUS or returns a
 * state that there is not. */
__attribute__((visibility("default"))) int ca_table_of_bits(const struct ca_model_values *values,
                                                            uint8_t table[64]);

int ca_table_of_bits(const struct ca_model_values *values, uint8_t table[64])
{
    int wrong = 0;

    ca_reads_beyond = 0;
    __builtin_memset(table, 0, 64);
    for (int s = 0; s < 512; s++) {
        ca_nb nb;
        ca_cell next;

        __builtin_memset(&nb, 0, sizeof nb);
        nb.values = values;
        for (int k = 0; k < 9; k++)
            nb.at[0][0][k / 3][k % 3] = s >> (8 - k) & 1;
        next = cell(nb);
        wrong |= next > 1;
        table[s / 8] = (uint8_t)(table[s / 8] | (next & 1) << s % 8);
    }
    return wrong | ca_reads_beyond;
}

#endif
