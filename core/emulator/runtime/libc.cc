/* SPDX-License-Identifier: MIT */
/*
 * Functions of the C library that read or write the memory that they are given, which no compiler
 * sees: objcopy gives their calls in watched code, the compiler's own among them, these names.
 * emulator.mk lists them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/emulator/runtime/watch.h"

#define READS(memory, bytes) access(memory, bytes, WATCH_READ, WATCH_CALLER)
#define WRITES(memory, bytes) access(memory, bytes, WATCH_WRITE, WATCH_CALLER)
/* Watches as far as a string's end, which is looked for only where there is memory. */
#define READS_STRING(text) (READS(text, 1), READS(text, strlen(text) + 1))

static void access(const void *memory, size_t bytes, enum watch_access how, uint32_t code)
{
    if (bytes > 0)
        watch_access(memory, bytes, how, code);
}

/* Bytes of two strings that a comparison reads. */
static size_t compared(const char *a, const char *b, size_t most)
{
    size_t i = 0;

    while (i < most && a[i] && a[i] == b[i])
        i++;
    return i < most ? i + 1 : most;
}

extern "C" {

void *watch_memcpy(void *to, const void *from, size_t bytes)
{
    READS(from, bytes);
    WRITES(to, bytes);
    return memmove(to, from, bytes);
}

void *watch_memmove(void *to, const void *from, size_t bytes)
{
    READS(from, bytes);
    WRITES(to, bytes);
    return memmove(to, from, bytes);
}

void *watch_memset(void *to, int byte, size_t bytes)
{
    WRITES(to, bytes);
    return memset(to, byte, bytes);
}

int watch_memcmp(const void *a, const void *b, size_t bytes)
{
    READS(a, bytes);
    READS(b, bytes);
    return memcmp(a, b, bytes);
}

size_t watch_strlen(const char *text)
{
    READS_STRING(text);
    return strlen(text);
}

int watch_strcmp(const char *a, const char *b)
{
    READS(a, 1);
    READS(b, 1);
    READS(a, compared(a, b, SIZE_MAX));
    READS(b, compared(a, b, SIZE_MAX));
    return strcmp(a, b);
}

int watch_strncmp(const char *a, const char *b, size_t most)
{
    READS(a, most > 0);
    READS(b, most > 0);
    READS(a, compared(a, b, most));
    READS(b, compared(a, b, most));
    return strncmp(a, b, most);
}

char *watch_strcpy(char *to, const char *from)
{
    READS_STRING(from);
    WRITES(to, strlen(from) + 1);
    return strcpy(to, from);
}

char *watch_strncpy(char *to, const char *from, size_t bytes)
{
    READS(from, bytes > 0);
    READS(from, strnlen(from, bytes) + (strnlen(from, bytes) < bytes));
    WRITES(to, bytes);
    return strncpy(to, from, bytes);
}

size_t watch_fread(void *to, size_t size, size_t count, FILE *file)
{
    WRITES(to, size * count);
    return fread(to, size, count, file);
}

size_t watch_fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    READS(from, size * count);
    return fwrite(from, size, count, file);
}

int watch_puts(const char *text)
{
    READS_STRING(text);
    return puts(text);
}

int watch_fputs(const char *text, FILE *file)
{
    READS_STRING(text);
    return fputs(text, file);
}

void watch_qsort(void *first, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    READS(first, count * size);
    WRITES(first, count * size);
    qsort(first, count, size, compare);
}
}
