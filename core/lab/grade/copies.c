/* SPDX-License-Identifier: MIT */
/* Makes tokens of sources, fingerprints of tokens, and pairs of submissions of fingerprints. */
#include "core/lab/grade/copies.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/lab/kernel/files.h"
#include "core/lab/process/build.h"

#define BYTES_MAX (1 << 20) /* of a file that is looked at */
#define TOKENS_MAX (1 << 17)
#define FILES_MAX 64
#define BASE UINT64_C(0x9e3779b97f4a7c15)
#define NAME_HASH UINT64_C(0x4e414d45) /* of all names, where they count as one */
#define RENAMED_PART                                                                               \
    0.67 /* of the shorter one's tokens, from which renamed ones alone are listed */

/* --- tokens ----------------------------------------------------------------------------------- */

struct token {
    uint64_t hash, renamed;
    int file, line;
};

struct gram {
    uint64_t hash;
    int at;
};

struct text {
    char file[FILES_MAX][64];
    int files;
    struct token *token;
    int count;
    struct gram *gram; /* sorted by hash; of `hash`, then of `renamed` */
    int grams;
    bool *common; /* tokens in grams that the skeleton or most of the class have */
    int own;      /* tokens that are not */
};

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The length of a comment or of white space; 0: a token begins here. */
static size_t gap_at(const char *at)
{
    const char *end;

    if (isspace((unsigned char)*at) || (*at == '\\' && at[1] == '\n'))
        return 1;
    if (strncmp(at, "//", 2) == 0)
        return strcspn(at, "\n");
    if (strncmp(at, "/*", 2) != 0)
        return 0;
    end = strstr(at + 2, "*/");
    return end ? (size_t)(end + 2 - at) : strlen(at);
}

static size_t token_at(const char *at)
{
    size_t length = 1;

    if (is_word(*at)) {
        while (is_word(at[length]) || (isdigit((unsigned char)*at) && at[length] == '.'))
            length++;
    } else if (*at == '"' || *at == '\'') {
        while (at[length] && at[length] != *at && at[length] != '\n')
            length += at[length] == '\\' && at[length + 1] ? 2 : 1;
        length += at[length] == *at;
    }
    return length;
}

static void text_tokens(struct text *text, const char *source)
{
    int line = 1;

    for (const char *at = source; *at && text->count < TOKENS_MAX;) {
        size_t gap = gap_at(at), length = gap ? gap : token_at(at);

        if (gap == 0) {
            uint64_t hash = hash_of(at, length);
            bool name = is_word(*at) && !isdigit((unsigned char)*at);

            text->token[text->count++] =
                (struct token){hash, name ? NAME_HASH : hash, text->files - 1, line};
        }
        for (size_t i = 0; i < length; i++)
            line += at[i] == '\n';
        at += length;
    }
}

static void text_file(struct text *text, const char *folder, const char *name)
{
    char path[PATH_MAX + 300], *source = malloc(BYTES_MAX + 1);
    struct stat facts;
    ssize_t got = -1;
    int file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (source && file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode))
        got = read(file, source, BYTES_MAX);
    if (got > 0 && text->files < FILES_MAX) {
        source[got] = '\0';
        snprintf(text->file[text->files++], sizeof text->file[0], "%.60s", name);
        text_tokens(text, source);
    }
    if (file >= 0)
        close(file);
    free(source);
}

/* Of a folder's sources, by name. */
static enum ca_status text_read(struct text *text, const char *folder, struct ca_error *error)
{
    struct dirent **entry = NULL;
    int count = scandir(folder, &entry, NULL, alphasort);

    *text = (struct text){.token = malloc(TOKENS_MAX * sizeof *text->token)};
    for (int i = 0; i < count; i++) {
        if (text->token && ca_lab_is_source(entry[i]->d_name) &&
            !ca_lab_is_own_file(entry[i]->d_name))
            text_file(text, folder, entry[i]->d_name);
        free(entry[i]);
    }
    free(entry);
    if (text->token) {
        struct token *less = realloc(text->token, (size_t)(text->count + 1) * sizeof *text->token);

        text->token = less ? less : text->token;
        text->gram = malloc((size_t)(text->count + 1) * sizeof *text->gram);
        text->common = calloc((size_t)text->count + 1, sizeof *text->common);
    }
    return text->gram && text->common ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory");
}

static void text_free(struct text *text)
{
    free(text->token);
    free(text->gram);
    free(text->common);
}

/* --- grams ------------------------------------------------------------------------------------ */

static int compare_grams(const void *a, const void *b)
{
    const struct gram *x = a, *y = b;

    return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

/* All grams of a text, none of which is of two files. */
static void text_grams(struct text *text, bool renamed)
{
    text->grams = 0;
    for (int i = 0; i + COPIES_GRAM <= text->count; i++) {
        uint64_t hash = 0;

        if (text->token[i].file != text->token[i + COPIES_GRAM - 1].file)
            continue;
        for (int k = i; k < i + COPIES_GRAM; k++)
            hash = (hash ^ (renamed ? text->token[k].renamed : text->token[k].hash)) * BASE ^
                   hash >> 29;
        text->gram[text->grams++] = (struct gram){hash, i};
    }
    qsort(text->gram, (size_t)text->grams, sizeof *text->gram, compare_grams);
}

/* The first gram of a text with a hash, or where it would stand. */
static int find_gram(const struct text *text, uint64_t hash)
{
    int low = 0, high = text->grams;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (text->gram[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_gram(const struct text *text, uint64_t hash)
{
    int at = find_gram(text, hash);

    return at < text->grams && text->gram[at].hash == hash;
}

/* Marks what the skeleton, or more than half of a class of five and more, have. */
static void mark_common(struct text *texts, int count, const struct text *skeleton, int of)
{
    struct text *text = &texts[of];

    memset(text->common, 0, (size_t)text->count);
    for (int g = 0; g < text->grams; g++) {
        int having = 0;

        for (int i = 0; count >= 5 && i < count; i++)
            having += has_gram(&texts[i], text->gram[g].hash);
        if (has_gram(skeleton, text->gram[g].hash) || 2 * having > count)
            memset(text->common + text->gram[g].at, 1, COPIES_GRAM);
    }
    text->own = 0;
    for (int i = 0; i < text->count; i++)
        text->own += !text->common[i];
}

static bool is_common(const struct text *text, int at)
{
    for (int i = at; i < at + COPIES_GRAM; i++)
        if (!text->common[i])
            return false;
    return true;
}

/* The fingerprints: of each window of grams the one with the lowest hash, the last of equals. */
static int winnow(const struct text *text, uint64_t *prints)
{
    uint64_t *by_place = calloc((size_t)text->count + 1, sizeof *by_place);
    int count = 0, last = -1;

    for (int g = 0; by_place && g < text->grams; g++)
        by_place[text->gram[g].at] = text->gram[g].hash;
    for (int i = 0; by_place && i + COPIES_GRAM <= text->count; i++) {
        int lowest = i;

        for (int k = i; k < i + COPIES_WINDOW && k + COPIES_GRAM <= text->count; k++)
            if (by_place[k] <= by_place[lowest])
                lowest = k;
        if (lowest != last && !is_common(text, lowest))
            prints[count++] = by_place[lowest];
        last = lowest;
    }
    free(by_place);
    return count;
}

/* --- pairs ------------------------------------------------------------------------------------ */

struct run {
    int a, b, length;
};

/* Whether the tokens behind a run are equal, and in the same files. */
static bool goes_on(const struct text *a, const struct text *b, const struct run *run, bool renamed)
{
    const struct token *x = &a->token[run->a + run->length], *y = &b->token[run->b + run->length];

    return (renamed ? x->renamed == y->renamed : x->hash == y->hash) &&
           x->file == a->token[run->a].file && y->file == b->token[run->b].file;
}

/* Tokens of `a` that stand in grams of `b` as well, and the longest run of them. */
static int equal_tokens(const struct text *a, const struct text *b, bool renamed,
                        struct run *longest)
{
    bool *equal = calloc((size_t)a->count + 1, sizeof *equal);
    int count = 0;

    for (int g = 0; equal && g < a->grams; g++) {
        int at = a->gram[g].at;

        if (is_common(a, at))
            continue;
        for (int i = find_gram(b, a->gram[g].hash);
             i < b->grams && b->gram[i].hash == a->gram[g].hash; i++) {
            struct run run = {at, b->gram[i].at, COPIES_GRAM};

            memset(equal + at, 1, COPIES_GRAM);
            while (run.a + run.length < a->count && run.b + run.length < b->count &&
                   goes_on(a, b, &run, renamed))
                run.length++;
            if (run.length > longest->length)
                *longest = run;
        }
    }
    for (int i = 0; equal && i < a->count; i++)
        count += equal[i] && !a->common[i];
    free(equal);
    return count;
}

static void lines_of(char lines[160], const struct text *text, int at, int length)
{
    const struct token *first = &text->token[at], *last = &text->token[at + length - 1];

    snprintf(lines, 160, "%s:%d-%d", text->file[first->file], first->line, last->line);
}

static enum ca_status copy_add(struct ca_lab_copies *copies, const struct ca_lab_copy *copy,
                               struct ca_error *error)
{
    struct ca_lab_copy *more =
        realloc(copies->copy, (size_t)(copies->count + 1) * sizeof *copies->copy);

    if (!more)
        return ca_fail(error, CA_NO_MEMORY, "no memory for equal tokens");
    copies->copy = more;
    more[copies->count++] = *copy;
    return CA_OK;
}

static struct ca_lab_copy *copy_of(struct ca_lab_copies *copies, int a, int b)
{
    for (int i = 0; i < copies->count; i++)
        if (copies->copy[i].a == a && copies->copy[i].b == b)
            return &copies->copy[i];
    return NULL;
}

static bool shares_print(const struct text *text, const uint64_t *prints, int count)
{
    for (int i = 0; i < count; i++)
        if (has_gram(text, prints[i]))
            return true;
    return false;
}

/* Compares one with those behind it. */
static enum ca_status compare_one(struct ca_lab_copies *copies, const struct text *texts, int count,
                                  int a, bool renamed, struct ca_error *error)
{
    uint64_t *prints = malloc(((size_t)texts[a].count + 1) * sizeof *prints);
    int found = prints ? winnow(&texts[a], prints) : 0;
    enum ca_status status = prints ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory");

    for (int b = a + 1; b < count && status == CA_OK; b++) {
        struct ca_lab_copy copy = {.a = a, .b = b}, *old = copy_of(copies, a, b);
        struct run longest = {0, 0, 0};
        int equal, least = texts[a].own < texts[b].own ? texts[a].own : texts[b].own;

        if (!shares_print(&texts[b], prints, found))
            continue;
        equal = equal_tokens(&texts[a], &texts[b], renamed, &longest);
        if (equal < COPIES_GRAM || (renamed && !old && equal < RENAMED_PART * least))
            continue;
        if (old) {
            old->renamed = equal > old->equal ? equal : old->equal;
            continue;
        }
        copy.equal = renamed ? 0 : equal;
        copy.renamed = equal;
        copy.of_a = texts[a].own;
        copy.of_b = texts[b].own;
        lines_of(copy.lines_a, &texts[a], longest.a, longest.length);
        lines_of(copy.lines_b, &texts[b], longest.b, longest.length);
        status = copy_add(copies, &copy, error);
    }
    free(prints);
    return status;
}

static enum ca_status compare_all(struct ca_lab_copies *copies, struct text *texts, int count,
                                  struct text *skeleton, bool renamed, struct ca_error *error)
{
    enum ca_status status = CA_OK;

    text_grams(skeleton, renamed);
    for (int i = 0; i < count; i++)
        text_grams(&texts[i], renamed);
    for (int i = 0; i < count; i++)
        mark_common(texts, count, skeleton, i);
    for (int i = 0; i < count && status == CA_OK; i++)
        status = compare_one(copies, texts, count, i, renamed, error);
    return status;
}

static int compare_copies(const void *a, const void *b)
{
    const struct ca_lab_copy *x = a, *y = b;

    if (x->equal != y->equal)
        return y->equal - x->equal;
    if (x->renamed != y->renamed)
        return y->renamed - x->renamed;
    return x->a != y->a ? x->a - y->a : x->b - y->b;
}

enum ca_status ca_lab_copies_find(struct ca_lab_copies *copies, const char *const folders[],
                                  int count, const char *skeleton, struct ca_error *error)
{
    struct text *texts = calloc((size_t)count + 1, sizeof *texts);
    enum ca_status status = texts ? CA_OK : ca_fail(error, CA_NO_MEMORY, "no memory");

    *copies = (struct ca_lab_copies){.copy = NULL};
    for (int i = 0; i < count && status == CA_OK; i++)
        status = text_read(&texts[i], folders[i], error);
    if (status == CA_OK)
        status = text_read(&texts[count], skeleton ? skeleton : "/dev/null", error);
    if (status == CA_OK)
        status = compare_all(copies, texts, count, &texts[count], false, error);
    if (status == CA_OK)
        status = compare_all(copies, texts, count, &texts[count], true, error);
    for (int i = 0; texts && i <= count; i++)
        text_free(&texts[i]);
    free(texts);
    if (copies->count > 0)
        qsort(copies->copy, (size_t)copies->count, sizeof *copies->copy, compare_copies);
    return status;
}

void ca_lab_copies_free(struct ca_lab_copies *copies)
{
    free(copies->copy);
    *copies = (struct ca_lab_copies){.copy = NULL};
}
