/* SPDX-License-Identifier: MIT */
/* Options as they are promised: the table, --help, and the synopses and examples of the documents
 * name no option that the parser takes for another one, or not at all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/document.h"
#include "tests/support/support.h"
#include "tui/commands/commands.h"

#define WORDS_MAX 64

/* A command line, and what is expected of it: its options in their order, and its operands. */
struct line {
    char *word[WORDS_MAX + 1];
    int words;
    struct {
        char *flag;     /* with its dashes */
        char *argument; /* NULL: none */
    } option[WORDS_MAX];
    int options, operands;
};

static void line_word(struct line *line, const char *text)
{
    ck_assert_int_lt(line->words, WORDS_MAX);
    line->word[line->words++] = strdup(text);
}

static void line_flag(struct line *line, const char *flag)
{
    line_word(line, flag);
    line->option[line->options].argument = NULL;
    line->option[line->options++].flag = line->word[line->words - 1];
}

static void line_argument(struct line *line, const char *text)
{
    line_word(line, text);
    line->option[line->options - 1].argument = line->word[line->words - 1];
}

static void line_operand(struct line *line, const char *text)
{
    line_word(line, text);
    line->operands++;
}

static void line_free(struct line *line)
{
    for (int i = 0; i < line->words; i++)
        free(line->word[i]);
}

/* Whether the flag is that option of the command. */
static bool is_flag(const struct option_row *row, unsigned command, const char *flag)
{
    if (!(row->commands & command))
        return false;
    return flag[1] == '-' ? strcmp(flag + 2, row->name) == 0
                          : row->letter == flag[1] && flag[2] == '\0';
}

/* Parses the line as main does, and holds every option and the number of operands to it. */
static void line_check(struct line *line, const char *from)
{
    const struct command *command = command_find(line->words, line->word);
    int skip = command->name[0] != '\0';
    static struct options options;
    struct ca_error error = {.text = ""};
    enum ca_status status;
    char text[1024] = "";

    for (int i = 0; i < line->words; i++) {
        strcat(text, i ? " " : "");
        strcat(text, line->word[i]);
    }
    line->word[line->words] = NULL;
    status = options_parse(&options, command->bit, command->operands_max, line->words - skip,
                           line->word + skip, &error);
    ck_assert_msg(status == CA_OK, "%s: '%s': %s", from, text, error.text);
    ck_assert_msg(options.count == line->options, "%s: '%s': %d options", from, text,
                  options.count);
    for (int i = 0; i < options.count; i++) {
        const struct option_row *row = &option_rows[options.given[i].id];

        ck_assert_msg(is_flag(row, command->bit, line->option[i].flag),
                      "%s: '%s': %s is taken for --%s, which is not an option of this command",
                      from, text, line->option[i].flag, row->name);
        ck_assert_msg((row->argument != NULL) == (line->option[i].argument != NULL),
                      "%s: '%s': whether %s has an argument", from, text, line->option[i].flag);
        ck_assert_pstr_eq(options.given[i].text, line->option[i].argument);
    }
    ck_assert_msg(options.operands == line->operands, "%s: '%s': %d operands", from, text,
                  options.operands);
}

START_TEST(no_letter_twice)
{
    for (const struct command *c = commands; c->name; c++)
        for (int i = 0; i < OPTION_COUNT; i++)
            for (int j = 0; j < i; j++) {
                const struct option_row *a = &option_rows[i], *b = &option_rows[j];

                if (!(a->commands & c->bit) || !(b->commands & c->bit))
                    continue;
                ck_assert_msg(!a->letter || a->letter != b->letter, "%s: -%c is --%s and --%s",
                              c->name, a->letter, a->name, b->name);
                ck_assert_msg(strcmp(a->name, b->name) != 0, "%s: --%s is there twice", c->name,
                              a->name);
            }
}
END_TEST

/* One option of a command in one way of writing it. */
static void check_form(const struct command *c, enum option_id id, const char *first,
                       const char *second)
{
    static struct options options;
    char copy[3][100], *word[] = {copy[0], copy[1], second ? copy[2] : NULL, NULL};
    struct ca_error error;

    snprintf(copy[0], sizeof copy[0], "calab");
    snprintf(copy[1], sizeof copy[1], "%s", first);
    snprintf(copy[2], sizeof copy[2], "%s", second ? second : "");
    ck_assert_msg(options_parse(&options, c->bit, c->operands_max, second ? 3 : 2, word, &error) ==
                      CA_OK,
                  "%s %s: %s", c->name, first, error.text);
    ck_assert_int_eq(options.count, 1);
    ck_assert_msg(options.given[0].id == id, "%s: %s is taken for --%s", c->name, first,
                  option_rows[options.given[0].id].name);
    ck_assert_pstr_eq(options.given[0].text, option_rows[id].argument ? "x" : NULL);
}

/* Each option of each command is parsed as itself: by name and by letter, its argument behind it
 * or in the same word. */
START_TEST(every_option_is_itself)
{
    for (const struct command *c = commands; c->name; c++)
        for (int id = 0; id < OPTION_COUNT; id++) {
            const struct option_row *row = &option_rows[id];
            const char *argument = row->argument ? "x" : NULL;
            char word[100];

            if (!(row->commands & c->bit))
                continue;
            snprintf(word, sizeof word, "--%s", row->name);
            check_form(c, (enum option_id)id, word, argument);
            snprintf(word, sizeof word, "--%s=x", row->name);
            if (argument)
                check_form(c, (enum option_id)id, word, NULL);
            snprintf(word, sizeof word, "-%c", row->letter);
            if (row->letter)
                check_form(c, (enum option_id)id, word, argument);
            snprintf(word, sizeof word, "-%cx", row->letter);
            if (row->letter && argument)
                check_form(c, (enum option_id)id, word, NULL);
        }
}
END_TEST

/* What an option that is refused is said to need is what it is, too. */
START_TEST(a_missing_argument_is_named)
{
    for (const struct command *c = commands; c->name; c++)
        for (int id = 0; id < OPTION_COUNT; id++) {
            const struct option_row *row = &option_rows[id];
            char word[3] = {'-', row->letter, '\0'}, name[] = "calab", expected[100];
            char *words[] = {name, word, NULL};
            static struct options options;
            struct ca_error error;

            if (!(row->commands & c->bit) || !row->letter || !row->argument)
                continue;
            ck_assert_int_eq(options_parse(&options, c->bit, c->operands_max, 2, words, &error),
                             CA_USAGE);
            snprintf(expected, sizeof expected, "--%s needs an argument: %s", row->name,
                     row->argument);
            ck_assert_str_eq(error.text, expected);
        }
}
END_TEST

/* --- --help ----------------------------------------------------------------------------------- */

/* "  -o, --output FILE        write ..." */
static void check_help_row(const struct command *c, const char *row)
{
    char letter[4] = "", name[60] = "", argument[40] = "";
    const char *at = row + strspn(row, " "), *end;

    if (at[0] == '-' && at[1] != '-') {
        snprintf(letter, sizeof letter, "%.2s", at);
        at += strlen("-o, ");
    }
    ck_assert_msg(strncmp(at, "--", 2) == 0, "%s: %s", c->name, row);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
    at += strlen(name);
    end = strstr(at, "  ") ? strstr(at, "  ") : at + strcspn(at, "\n");
    if (at[0] == ' ' && end > at) /* one blank: an argument follows */
        snprintf(argument, sizeof argument, "%.*s", (int)strcspn(at + 1, " "), at + 1);
    for (int i = letter[0] ? 0 : 1; i < 2; i++) {
        struct line line = {0};

        line_word(&line, "calab");
        if (c->name[0])
            line_word(&line, c->name);
        line_flag(&line, i == 0 ? letter : name);
        if (argument[0])
            line_argument(&line, argument);
        line_check(&line, "--help");
        line_free(&line);
    }
}

/* "[MODEL] FROM TO": so many operands are taken. */
static void check_usage(const struct command *c)
{
    char text[200], *rest = NULL;
    struct line line = {0};

    line_word(&line, "calab");
    if (c->name[0])
        line_word(&line, c->name);
    snprintf(text, sizeof text, "%s", c->operands);
    for (char *w = strtok_r(text, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
        if (strcmp(w, "[--") == 0)
            break; /* the arguments of a program of the user's */
        line_operand(&line, w);
    }
    line_check(&line, "usage");
    line_free(&line);
}

START_TEST(help_parses)
{
    for (const struct command *c = commands; c->name; c++) {
        char *text = NULL, *rest = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        int rows = 0;

        options_help(stream, c->bit);
        fclose(stream);
        check_usage(c);
        for (char *row = strtok_r(text, "\n", &rest); row;
             row = strtok_r(NULL, "\n", &rest), rows++)
            check_help_row(c, row);
        ck_assert_int_ge(rows, 2);
        free(text);
    }
}
END_TEST

/* --- synopses of the manual --------------------------------------------------------------------
 */

/* One macro line of a synopsis, of whose alternatives, divided by "|", one is taken. */
static void take_line(struct line *line, const char *macros, int alternative)
{
    char text[200], *rest = NULL, word[100];
    int alternatives = 1, at = 0, dashes = 0;
    bool flag = false, glued = false; /* what the last word was, whether this one belongs to it */

    for (const char *c = macros; *c; c++)
        alternatives += *c == '|';
    snprintf(text, sizeof text, "%s", macros);
    for (char *w = strtok_r(text, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
        if (strcmp(w, "|") == 0) {
            at++;
        } else if (strcmp(w, "Fl") == 0) {
            dashes++;
        } else if (strcmp(w, "Ns") == 0) {
            glued = true;
        } else if (strcmp(w, "Ar") == 0 && dashes == 2) {
            return; /* a bare "--": the arguments of a program of the user's */
        } else if (strcmp(w, "Ar") != 0 && strcmp(w, "Cm") != 0 && strcmp(w, "Op") != 0 &&
                   strcmp(w, "Pa") != 0 && strcmp(w, "...") != 0 && strcmp(w, "option") != 0) {
            snprintf(word, sizeof word, "%.*s%s", dashes, "--", w);
            if (at == alternative % alternatives && !glued)
                (dashes ? line_flag : flag ? line_argument : line_operand)(line, word);
            flag = dashes > 0;
            glued = false;
            dashes = 0;
        }
    }
}

/* The synopsis from a line ".Nm" on, up to the next. Returns its first line beyond. */
static int check_synopsis(char *const lines[], int first, const char *page, int alternative)
{
    struct line line = {0};
    int i = first + 1;

    line_word(&line, "calab");
    for (; strncmp(lines[i], ".Nm", 3) != 0 && strncmp(lines[i], ".Sh", 3) != 0; i++)
        take_line(&line, lines[i] + 1, alternative);
    if (line.operands > 0 && command_find(line.words, line.word)->name[0])
        line.operands--; /* the name of the command is none of its operands */
    line_check(&line, page);
    line_free(&line);
    return i;
}

static const struct {
    const char *page;
    int at_least; /* so many synopses */
} pages[] = {{"man/calab.1", 20}, {"man/calab-lab.7", 7}, {"man/calab-emulate.1", 1}};

START_TEST(manual_parses)
{
    char *page = test_read(test_source(pages[_i].page), NULL), *rest = NULL;
    static char *lines[4000];
    int count = 0, synopses = 0, i = 0;

    for (char *w = strtok_r(page, "\n", &rest); w; w = strtok_r(NULL, "\n", &rest)) {
        ck_assert_int_lt(count, (int)COUNT(lines));
        lines[count++] = w;
    }
    while (strcmp(lines[i], ".Sh SYNOPSIS") != 0)
        i++;
    for (i++; strncmp(lines[i], ".Nm", 3) == 0; synopses++) {
        int next = i;

        for (int alternative = 0; alternative < 6; alternative++)
            next = check_synopsis(lines, i, pages[_i].page, alternative);
        i = next;
    }
    ck_assert_int_ge(synopses, pages[_i].at_least);
}
END_TEST

/* --- examples --------------------------------------------------------------------------------- */

/* The next word of a shell's line without its quotes; NULL at the end of the command. */
static char *shell_word(char **rest)
{
    char *word, *out;
    char quote = '\0';

    *rest += strspn(*rest, " ");
    if (strchr("#|&<>;\\\n", **rest))
        return NULL;
    for (word = out = *rest; **rest && (quote || **rest != ' '); ++*rest)
        if (**rest == quote)
            quote = '\0';
        else if (!quote && strchr("'\"", **rest))
            quote = **rest;
        else
            *out++ = **rest;
    *rest += **rest != '\0';
    *out = '\0';
    return word;
}

/* The first `calab` of a line, after what stands before it, as in "mpirun -n 2 calab run". */
static bool example_parses(const char *text, const char *from)
{
    static struct options options;
    struct ca_error error = {.text = ""};
    char *rest = test_keep(strdup(text)), *words[WORDS_MAX + 1], *word;
    const struct command *command;
    int count = 0, skip;

    while ((word = shell_word(&rest)) != NULL && strcmp(word, "calab") != 0)
        ;
    if (!word)
        return false;
    for (; word; word = shell_word(&rest)) {
        ck_assert_int_lt(count, WORDS_MAX);
        words[count++] = word;
    }
    words[count] = NULL;
    command = command_find(count, words);
    skip = command->name[0] != '\0';
    ck_assert_msg(options_parse(&options, command->bit, command->operands_max, count - skip,
                                words + skip, &error) == CA_OK,
                  "%s: '%s': %s", from, text, error.text);
    return true;
}

static const struct {
    const char *name;
    int at_least; /* so many examples */
} documents[] = {
    {"README.md", 8},
    {"man/calab.1", 20},
    {"man/calab-tutorial.7", 20},
    {"man/calab-reports.7", 20},
    {"man/calab-scaling.7", 3},
    {"man/calab-lab.7", 4},
    {"man/calab-emulate.1", 2},
};

START_TEST(examples_parse)
{
    int parsed = 0;

    for (struct document_line *line = document_read(documents[_i].name, NULL); line->kind; line++)
        if (line->kind == DOCUMENT_COMMAND)
            parsed +=
                example_parses(line->text, test_text("%s:%d", documents[_i].name, line->number));
    ck_assert_int_ge(parsed, documents[_i].at_least);
}
END_TEST

int main(void)
{
    return RUN_TESTS(.test = {no_letter_twice, every_option_is_itself, a_missing_argument_is_named,
                              help_parses},
                     .table = {{manual_parses, COUNT(pages)}, {examples_parse, COUNT(documents)}});
}
