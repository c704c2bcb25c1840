/* SPDX-License-Identifier: MIT */
/* Replaces the words in braces of a program's command. */
#include "core/lab/kernel/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/files/formats.h"

static const struct {
    const char *name;
    unsigned bit;
} words[] = {{"n", CA_LAB_HAS_N},         {"w", CA_LAB_HAS_W},         {"h", CA_LAB_HAS_H},
             {"d", CA_LAB_HAS_D},         {"seed", CA_LAB_HAS_SEED},   {"t", CA_LAB_HAS_T},
             {"input", CA_LAB_HAS_INPUT}, {"input.", CA_LAB_HAS_INPUT}};
#define ALLOWED "{n}, {w}, {h}, {d}, {seed}, {t}, {input} and {input.ENDING}"

/* The bit of the word of so many characters, 0 for none. "input." is followed by anything. */
static unsigned bit_of(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t own = strlen(words[i].name);

        if (strncmp(word, words[i].name, own) == 0 &&
            (length == own || (length > own && words[i].name[own - 1] == '.')))
            return words[i].bit;
    }
    return 0;
}

static enum ca_status scan_command(const char *command, unsigned *has, struct ca_error *error)
{
    *has = 0;
    for (const char *at = strchr(command, '{'); at; at = strchr(at, '{')) {
        size_t length = strcspn(at + 1, "{}");
        unsigned bit = bit_of(at + 1, length);

        if (at[1] == '{') {
            at += 2;
            continue;
        }
        if (at[1 + length] != '}')
            return ca_fail(error, CA_USAGE,
                           "'%.200s': '{%.40s' is not closed; {{ stands for a brace", command,
                           at + 1);
        if (!bit)
            return ca_fail(error, CA_USAGE, "'%.200s': {%.*s} is not known; allowed are " ALLOWED,
                           command, (int)(length < 40 ? length : 40), at + 1);
        *has |= bit;
        at += 2 + length;
    }
    return CA_OK;
}

const char *ca_lab_input_ending(const struct ca_lab *lab, char ending[32])
{
    const char *at = strstr(lab->program, "{input.");
    const struct ca_format *format = ca_format_of(lab->output);

    snprintf(ending, 32, "%s", format ? format->ending : "");
    if (at)
        snprintf(ending, 32, ".%.*s", (int)(strcspn(at + 7, "}") < 30 ? strcspn(at + 7, "}") : 30),
                 at + 7);
    return ending;
}

/* Files are read and written in formats that hold all of a state, and the output is one of the
 * folder. */
static enum ca_status check_files(const struct ca_lab *lab, unsigned has, struct ca_error *error)
{
    char endings[CA_TEXT_MAX], ending[32], input[40];
    const char *glob = lab->output;

    if (!glob[0])
        return ca_fail(error, CA_USAGE,
                       "output is missing: the name of the file that the program writes, as in "
                       "out.npy or frames/*.pbm");
    if (glob[0] == '/' || strncmp(glob, "../", 3) == 0 || strstr(glob, "/../"))
        return ca_fail(error, CA_USAGE,
                       "output '%.200s' is not allowed: a file below the folder in which the "
                       "program runs",
                       glob);
    ca_format_endings(endings, lab->model, ca_format_restores);
    if (!ca_state_is_file(glob, lab->model))
        return ca_fail(error, CA_USAGE,
                       "output '%.200s' is not allowed: a state of %s is read from a file that "
                       "ends in %.200s",
                       glob, lab->model->name, endings);
    snprintf(input, sizeof input, "input%s", ca_lab_input_ending(lab, ending));
    if (has & CA_LAB_HAS_INPUT && !ca_state_is_file(input, lab->model))
        return ca_fail(error, CA_USAGE,
                       "'%.200s': {input%s} is not allowed: a state of %s is written "
                       "to a file that ends in %.200s",
                       lab->program, ending, lab->model->name, endings);
    return CA_OK;
}

enum ca_status ca_lab_command_check(const struct ca_lab *lab, unsigned *has, struct ca_error *error)
{
    unsigned sides = CA_LAB_HAS_W | CA_LAB_HAS_H;

    if (lab->model->dimensions == 3)
        sides |= CA_LAB_HAS_D;
    if (!lab->program[strspn(lab->program, " \t")])
        return ca_fail(error, CA_USAGE,
                       "the command is empty: give a command, as in './life {n} {w} {h}'");
    CA_TRY(scan_command(lab->program, has, error));
    CA_TRY(check_files(lab, *has, error));
    if (*has & CA_LAB_HAS_T && !(*has & CA_LAB_HAS_INPUT))
        return ca_fail(error, CA_USAGE,
                       "'%.200s': {t} is the generation of {input}, which is missing",
                       lab->program);
    if (!(*has & CA_LAB_HAS_N) && lab->generations > 1)
        return ca_fail(error, CA_USAGE,
                       "'%.200s' has no {n}: then lab.cfg names one number of "
                       "generations, as in generations = [100];",
                       lab->program);
    if ((*has & sides) != sides && !(*has & CA_LAB_HAS_INPUT) && lab->sizes > 1)
        return ca_fail(error, CA_USAGE,
                       "'%.200s' has neither {input} nor %s: then lab.cfg names one "
                       "size, as in sizes = [\"%s\"];",
                       lab->program, lab->model->dimensions == 3 ? "{w}, {h}, {d}" : "{w}, {h}",
                       lab->model->dimensions == 3 ? "32x32x32" : "512x512");
    return CA_OK;
}

/* Writes the text that replaces a word in braces. */
static void put_word(FILE *out, const char *word, const struct ca_lab *lab,
                     const struct ca_lab_numbers *numbers)
{
    char ending[32];

    if (strncmp(word, "seed", 4) == 0)
        ca_file_put(out, "%" PRIu64, numbers->seed);
    else if (strncmp(word, "input", 5) == 0)
        ca_file_put(out, "../input%s", ca_lab_input_ending(lab, ending));
    else if (word[0] == 'n' || word[0] == 't')
        ca_file_put(out, "%" PRIu64, word[0] == 'n' ? numbers->n : numbers->t);
    else
        ca_file_put(out, "%" PRId64,
                    word[0] == 'w'   ? numbers->size.w
                    : word[0] == 'h' ? numbers->size.h
                                     : numbers->size.d);
}

void ca_lab_command(char command[CA_LAB_COMMAND_MAX], const struct ca_lab *lab,
                    const struct ca_lab_numbers *numbers)
{
    FILE *out = fmemopen(command, CA_LAB_COMMAND_MAX, "w");
    const char *at = lab->program;

    command[0] = '\0';
    if (!out)
        return;
    for (; *at; at++)
        if (*at != '{') {
            putc(*at, out);
        } else if (at[1] == '{') {
            putc(*at++, out);
        } else {
            put_word(out, at + 1, lab, numbers);
            at += strcspn(at, "}");
        }
    fclose(out);
    command[CA_LAB_COMMAND_MAX - 1] = '\0';
}

char *ca_lab_command_name(char name[CA_TEXT_MAX], const char *command)
{
    const char *at = command + strspn(command, " \t"), *end = at + strcspn(at, " \t"), *slash;

    while (memchr(at, '=', (size_t)(end - at)) && *end) { /* a variable of the environment */
        at = end + strspn(end, " \t");
        end = at + strcspn(at, " \t");
    }
    slash = end;
    while (slash > at && slash[-1] != '/')
        slash--;
    snprintf(name, CA_TEXT_MAX, "%.*s", (int)(end - slash), slash);
    return name;
}
