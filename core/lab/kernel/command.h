/* SPDX-License-Identifier: MIT */
/*
 * The command of a lab whose kernel is a whole program: words in braces stand in it for what it is
 * run for.
 *
 *     {n}                generations, from the start to the state that it writes
 *     {w} {h} {d}        the sides of the lattice
 *     {seed}             the seed of the start and of all draws
 *     {input}            a file with the start, in the format of the output
 *     {input.ENDING}     the same in the format of an ending that calab reads and writes
 *     {t}                the generation of that start, which draws depend on
 *     {{                 a brace
 */
#ifndef CALAB_CORE_LAB_KERNEL_COMMAND_H
#define CALAB_CORE_LAB_KERNEL_COMMAND_H

#include "core/lab/kernel/lab.h"

enum {
    CA_LAB_HAS_N = 1,
    CA_LAB_HAS_W = 2,
    CA_LAB_HAS_H = 4,
    CA_LAB_HAS_D = 8,
    CA_LAB_HAS_SEED = 16,
    CA_LAB_HAS_INPUT = 32,
    CA_LAB_HAS_T = 64,
};

#define CA_LAB_COMMAND_MAX (CA_TEXT_MAX + 512)

/* The numbers that a command's words are replaced by: of one case. */
struct ca_lab_numbers {
    struct ca_size size;
    uint64_t seed, t, n;
};

/*
 * Which of them a command has. CA_USAGE for a word that is none of them, a brace that is not
 * closed, an output whose ending calab does not read as a state of the model, and a command that
 * cannot know what the lab asks for: several sizes without {w} and {h}, for instance.
 */
enum ca_status ca_lab_command_check(const struct ca_lab *lab, unsigned *has,
                                    struct ca_error *error);
/* The command with everything put in; the file of the start is ../input.ENDING. */
void ca_lab_command(char command[CA_LAB_COMMAND_MAX], const struct ca_lab *lab,
                    const struct ca_lab_numbers *numbers);
/* The ending of the file with the start, with its dot. */
const char *ca_lab_input_ending(const struct ca_lab *lab, char ending[32]);
/* The name of what it starts, for messages: its first word that sets no variable, without folders.
 * Returns name. */
char *ca_lab_command_name(char name[CA_TEXT_MAX], const char *command);

#endif
