/* SPDX-License-Identifier: MIT */
/* Lines of a program's source, as addr2line (of binutils, which cc needs too) tells them. */
#ifndef CALAB_CORE_BASE_SOURCE_LINE_H
#define CALAB_CORE_BASE_SOURCE_LINE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Asks for the lines of an instruction in an object: one "FILE:LINE" a line, the file without its
 * folder, the innermost function first. At most size bytes, without a NUL; returns their number, 0
 * where there is no such program. It may be called by a signal handler.
 */
size_t ca_source_lines(const char *object, uintptr_t offset, char *text, size_t size);

#endif
