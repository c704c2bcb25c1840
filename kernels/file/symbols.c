/* SPDX-License-Identifier: MIT */
/* This file reads the tables of objects (ELF) and asks addr2line for lines, where it is there. */
#include "kernels/file/symbols.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/source_line.h"
#include "core/files/file.h"

#define OBJECT_MAX (64 << 20)
#define SAID_MAX 8192 /* of what addr2line answers */

/* --- symbols ---------------------------------------------------------------------------------- */

/* A table of symbols in a file that has been read. */
struct symbols {
    char *bytes;
    size_t size;
    const ElfW(Sym) * symbol;
    size_t count;
    const char *names;
    size_t names_size;
};

/* Finds the table of that type. */
static bool symbols_open(struct symbols *symbols, const char *path, unsigned type)
{
    struct ca_error ignored;
    const ElfW(Ehdr) * head;
    const ElfW(Shdr) * section, *names;

    *symbols = (struct symbols){.bytes = NULL};
    if (ca_file_read(path, OBJECT_MAX, &symbols->bytes, &symbols->size, &ignored) != CA_OK)
        return false;
    head = (const void *)symbols->bytes;
    if (symbols->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shentsize != sizeof *section || head->e_shoff > symbols->size ||
        head->e_shnum > (symbols->size - head->e_shoff) / sizeof *section)
        return false;
    section = (const void *)(symbols->bytes + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        if (section[i].sh_type != type || section[i].sh_link >= head->e_shnum)
            continue;
        names = &section[section[i].sh_link];
        if (section[i].sh_offset > symbols->size || names->sh_offset > symbols->size ||
            section[i].sh_size > symbols->size - section[i].sh_offset ||
            names->sh_size > symbols->size - names->sh_offset || names->sh_size == 0)
            return false;
        symbols->symbol = (const void *)(symbols->bytes + section[i].sh_offset);
        symbols->count = section[i].sh_size / sizeof *symbols->symbol;
        symbols->names = symbols->bytes + names->sh_offset;
        symbols->names_size = names->sh_size;
        return symbols->names[names->sh_size - 1] == '\0';
    }
    return false;
}

static const char *symbol_name(const struct symbols *symbols, size_t i)
{
    size_t at = symbols->symbol[i].st_name;

    return at < symbols->names_size ? symbols->names + at : "";
}

/* The object's file and where it is loaded. */
static bool object_of(const void *address, Dl_info *info)
{
    return dladdr(address, info) != 0 && info->dli_fname != NULL;
}

/* What compilers add, and functions with one right result for each argument. */
static bool is_exact(const char *name)
{
    static const char *const exact[] = {
        "__tls_get_addr",
        "__stack_chk_fail",
        "memcpy",
        "memmove",
        "memset",
        "memcmp",
        "abs",
        "sqrt",
        "fabs",
        "fmin",
        "fmax",
        "floor",
        "ceil",
        "trunc",
        "round",
        "rint",
        "fmod",
        "fma",
        "ldexp",
        "nearbyint",
        "copysign",
    };
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        size_t same = strlen(exact[i]);

        if (strncmp(name, exact[i], same) == 0 &&
            (length == same || (length == same + 1 && name[same] == 'f')))
            return true;
    }
    return false;
}

const char *file_called(const struct ca_model_description *d, int *from, char name[128])
{
    struct symbols symbols = {.bytes = NULL};
    const char *found = NULL;
    Dl_info info;

    if (object_of(d, &info) && symbols_open(&symbols, info.dli_fname, SHT_DYNSYM))
        for (; !found && *from < (int)symbols.count; ++*from) {
            const ElfW(Sym) *symbol = &symbols.symbol[*from];

            if (symbol->st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol->st_info) != STB_GLOBAL ||
                is_exact(symbol_name(&symbols, (size_t)*from)))
                continue;
            snprintf(name, 128, "%s", symbol_name(&symbols, (size_t)*from));
            found = ca_plain(name);
        }
    free(symbols.bytes);
    return found;
}

/* --- memory ----------------------------------------------------------------------------------- */

static const char *address_at(uintptr_t place)
{
    const char *address;

    memcpy(&address, &place, sizeof address);
    return address;
}

static int add_ranges(struct dl_phdr_info *info, size_t size, void *context)
{
    struct file_memory *memory = context;
    uintptr_t fixed = 0, page = (uintptr_t)sysconf(_SC_PAGESIZE); /* where what is read-only ends */

    (void)size;
    if (strcmp(info->dlpi_name, memory->object) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
            fixed = (info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz) / page * page;
    for (int i = 0; i < info->dlpi_phnum && memory->count < FILE_WRITABLE_MAX; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t end = part->p_vaddr + part->p_memsz;
        uintptr_t begin = part->p_vaddr > fixed ? part->p_vaddr : fixed;

        if (part->p_type != PT_LOAD || !(part->p_flags & PF_W) || begin >= end)
            continue;
        memory->range[memory->count].at = address_at(info->dlpi_addr + begin);
        memory->range[memory->count++].bytes = end - begin;
    }
    memory->base = address_at(info->dlpi_addr);
    return 1;
}

enum ca_status file_memory_copy(struct file_memory *memory, const struct ca_model_description *d,
                                struct ca_error *error)
{
    Dl_info info;

    *memory = (struct file_memory){.count = 0};
    if (!object_of(d, &info))
        return CA_OK;
    snprintf(memory->object, sizeof memory->object, "%s", info.dli_fname);
    dl_iterate_phdr(add_ranges, memory);
    for (int i = 0; i < memory->count; i++) {
        memory->range[i].copy = malloc(memory->range[i].bytes);
        if (!memory->range[i].copy) {
            file_memory_free(memory);
            return ca_fail(error, CA_NO_MEMORY, "no memory for a copy of a model's variables");
        }
        memcpy(memory->range[i].copy, memory->range[i].at, memory->range[i].bytes);
    }
    return CA_OK;
}

void file_memory_free(struct file_memory *memory)
{
    for (int i = 0; i < memory->count; i++)
        free(memory->range[i].copy);
    memory->count = 0;
}

/* The variable at an address, without the number that compilers put behind names in functions. */
static void name_variable(const struct file_memory *memory, const char *at, char name[128])
{
    uintptr_t place = (uintptr_t)(at - memory->base);
    struct symbols symbols;

    name[0] = '\0';
    if (symbols_open(&symbols, memory->object, SHT_SYMTAB))
        for (size_t i = 0; i < symbols.count && !name[0]; i++) {
            const ElfW(Sym) *symbol = &symbols.symbol[i];

            if (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_value <= place &&
                place - symbol->st_value < symbol->st_size)
                snprintf(name, 128, "%.*s", (int)strcspn(symbol_name(&symbols, i), "."),
                         symbol_name(&symbols, i));
        }
    free(symbols.bytes);
    ca_plain(name);
}

const char *file_memory_changed(const struct file_memory *memory, char name[128])
{
    for (int i = 0; i < memory->count; i++)
        for (size_t k = 0; k < memory->range[i].bytes; k++)
            if (memory->range[i].at[k] != memory->range[i].copy[k]) {
                name_variable(memory, memory->range[i].at + k, name);
                return memory->range[i].at + k;
            }
    return NULL;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Whether it is one of the objects that the file was compiled to. */
static bool is_own(const struct file_model *file, const Dl_info *info)
{
    const struct file_object *object = &file->object;
    const void *table;
    Dl_info own;

    memcpy(&table, &object->table_of_bits, sizeof table);
    return (object_of(object->fast, &own) && own.dli_fbase == info->dli_fbase) ||
           (object_of(object->checked, &own) && own.dli_fbase == info->dli_fbase) ||
           (table && object_of(table, &own) && own.dli_fbase == info->dli_fbase);
}

int file_line_of(const struct file_model *file, const void *instruction)
{
    char said[SAID_MAX];
    Dl_info info;
    size_t used;

    if (!instruction || !object_of(instruction, &info) || !is_own(file, &info))
        return 0;
    used = ca_source_lines(info.dli_fname, (uintptr_t)instruction - (uintptr_t)info.dli_fbase, said,
                           sizeof said - 1);
    said[used] = '\0';
    /* Functions that are part of others: the innermost line first. */
    for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n")) {
        char *colon = strrchr(line, ':');

        if (!colon)
            continue;
        *colon = '\0';
        if (strcmp(line, file->object.name) == 0)
            return atoi(colon + 1);
    }
    return 0;
}

/* Puts blanks in the place of comments and strings. */
static void blank_words(char *text)
{
    char inside = 0; /* a quote; '*' and '/': a comment of either kind */

    for (char *c = text; *c; c++) {
        char ends = 0;

        if (!inside && *c == '/' && (c[1] == '*' || c[1] == '/')) {
            inside = c[1];
            *c++ = ' ';
        } else if (!inside && (*c == '"' || *c == '\'')) {
            inside = *c;
        } else if ((inside == '"' || inside == '\'') && *c == '\\' && c[1]) {
            *c++ = ' ';
        } else if (inside == '*'   ? *c == '*' && c[1] == '/'
                   : inside == '/' ? *c == '\n'
                                   : *c == inside || *c == '\n') {
            if (inside == '*')
                *c++ = ' ';
            ends = inside;
        }
        if (inside && *c != '\n')
            *c = ' ';
        if (ends)
            inside = 0;
    }
}

static bool is_of_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Whether a place is in the body of a CA_START: none has ended at the margin since. */
static bool is_in_start(const char *text, const char *at)
{
    const char *start = NULL, *end = text;

    for (const char *s = text; (s = strstr(s, "CA_START(")) != NULL && s < at; s++)
        start = s;
    for (const char *e = text; (e = strstr(e, "\n}")) != NULL && e < at; e++)
        end = e;
    return start && start > end;
}

static int line_in(const char *text, const char *word, const char *behind, bool outside_starts)
{
    size_t length = strlen(word);
    int line = 1;

    for (const char *c = text; *c && length; c++) {
        const char *margin = c, *before;

        line += *c == '\n';
        if (strncmp(c, word, length) != 0 || is_of_word(c[length]) ||
            (c > text && is_of_word(c[-1])) || (outside_starts && is_in_start(text, c)))
            continue;
        while (margin > text && margin[-1] != '\n')
            margin--;
        before = behind ? strstr(margin, behind) : margin;
        if (before && before <= c)
            return line;
    }
    return 0;
}

int file_include_after(const char *text, int line, char name[CA_INCLUDE_NAME])
{
    char *blank = strdup(text);
    int at = 1;

    if (!blank)
        return -1;
    blank_words(blank);
    for (const char *row = blank; row; at++, row = strchr(row, '\n'), row += row != NULL) {
        const char *word = row + strspn(row, " \t"), *begin;

        if (at <= line || *word != '#')
            continue;
        word += 1 + strspn(word + 1, " \t");
        if (strncmp(word, "include", 7) != 0 || is_of_word(word[7]))
            continue;
        begin = text + (word + 7 - blank);
        begin += strspn(begin, " \t");
        if (*begin == '<' && begin[1] != '/')
            continue;
        begin += *begin == '"' || *begin == '<';
        snprintf(name, CA_INCLUDE_NAME, "%.*s", (int)strcspn(begin, "\"> \t\n"), begin);
        free(blank);
        return at;
    }
    free(blank);
    return 0;
}

int file_line_with(const struct file_model *file, const char *word, const char *behind,
                   bool outside_starts)
{
    char *text = strdup(file->object.source);
    int line = 0;

    if (text) {
        blank_words(text);
        line = line_in(text, word, behind, outside_starts);
    }
    free(text);
    return line;
}
