/* SPDX-License-Identifier: MIT */
/*
 * Compiles CUDA programs for the CPU and runs them under the emulator, as processes of their own:
 * a program that crashes or never ends takes nothing else with it.
 */
#ifndef CALAB_CORE_EMULATOR_EMULATE_H
#define CALAB_CORE_EMULATOR_EMULATE_H

#include <stdbool.h>

#include "core/base/error.h"

struct ca_emulation {
    /* Before ca_emulate_build: */
    const char *const *files; /* that the program is made of */
    int count;
    bool plain;  /* accesses are not watched */
    bool counts; /* what a GPU would do for them is counted */
    /* Makes a shared object of this path, for a program with the emulator in it; NULL: a program.
     */
    const char *library;
    const char *const *options; /* of the compiler, beside the emulator's; NULL: none */
    const char *const *linked;  /* of the linker, behind the program's files; NULL: none */
    bool has_host_files;        /* files named .cpp, .cc, .cxx or .c are of the host's C++ */
    bool relocatable;           /* files share their device variables, as by -rdc=true */
    const char *messages;       /* a file that gets what compilers say; NULL: standard error */
    /* Runs a compiler, with what it says appended to `messages`: its exit status, 128 + n after
     * signal n, -1 where it does not start. NULL: as a child of this process, and nothing more. */
    int (*tool)(const struct ca_emulation *emulation, const char *const *argv);
    const void *context;
    const char *place; /* where the temporary folder is made; NULL: TMPDIR */
    /* Before ca_emulate_run: */
    const char *const *arguments; /* of the program, ends with NULL */
    const char *order, *cc;       /* as CALAB_EMULATED_ORDER and _CC have them; NULL: as they are */
    double limit_s;               /* 0: none */
    bool output_to_stderr;        /* of the program */
    /* After it: */
    char folder[512];   /* with what is made, until ca_emulate_remove; "": none */
    char findings[528]; /* a file with an object of JSON a line */
    int status, signal; /* how the program ended; signal 0: by itself */
    bool timed_out;
    double build_s, run_s;
};

/*
 * Compiles and links by $CXX, or g++, in a temporary folder. CA_COMPILE where a source is none that
 * CUDA has, where the compiler refuses it, which it has said on standard error, and where there is
 * no compiler; CA_IO for files, and where the emulator's library is not found.
 */
enum ca_status ca_emulate_build(struct ca_emulation *emulation, struct ca_error *error);
/* Runs it until it ends, or for limit_s seconds. CA_IO, CA_NO_MEMORY where it cannot be started. */
enum ca_status ca_emulate_run(struct ca_emulation *emulation, struct ca_error *error);
void ca_emulate_remove(struct ca_emulation *emulation);

#endif
