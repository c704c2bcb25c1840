/* SPDX-License-Identifier: MIT */
/*
 * Programs made of a lab: its folder is copied to a temporary one, calab's own files replace those
 * of their names there, and a compiler makes a program of the source and the runner.
 */
#ifndef CALAB_CORE_LAB_PROCESS_BUILD_H
#define CALAB_CORE_LAB_PROCESS_BUILD_H

#include "core/emulator/emulate.h"
#include "core/lab/kernel/lab.h"

enum ca_lab_tool {
    CA_LAB_CC,       /* $CC, or cc */
    CA_LAB_ASAN,     /* the same with AddressSanitizer and UndefinedBehaviorSanitizer */
    CA_LAB_EMULATOR, /* core/emulator: CUDA on this CPU, with each access watched */
    CA_LAB_NVCC,     /* $NVCC, or nvcc */
    CA_LAB_TOOLS,
};

extern const char *const ca_lab_tool_names[];

struct lab_device_lock;

struct ca_lab_build {
    char folder[512]; /* "": there is none */
    char source[528]; /* the copy of the lab in it */
    char run[528];    /* where its programs run, and may write */
    char program[CA_LAB_TOOLS][600];
    struct ca_emulation emulation;
    struct lab_device_lock
        *device_lock; /* at the GPU, of its programs for it; NULL: they need none */
    char said[8192];  /* by the compiler that ran last */
    bool notes;       /* LAB_AT notes who calls it: who.h */
};

/* Makes the temporary folders alone. CA_IO. Close it in any case. */
enum ca_status ca_lab_build_folder(struct ca_lab_build *build, struct ca_error *error);
/* The same with a copy of the lab's sources. */
enum ca_status ca_lab_build_open(struct ca_lab_build *build, const struct ca_lab *lab,
                                 struct ca_error *error);
/*
 * Makes build->program[tool]. CA_COMPILE with the compiler's first error and its place, also where
 * there is no compiler; CA_IO where the emulator is not there.
 */
enum ca_status ca_lab_build_with(struct ca_lab_build *build, const struct ca_lab *lab,
                                 enum ca_lab_tool tool, struct ca_error *error);
/* Has nvcc compile a lab in CUDA for compute capability 9.0, whose resources build->said then has.
 * CA_COMPILE, also where there is no nvcc. */
enum ca_status lab_build_ptxas(struct ca_lab_build *build, const struct ca_lab *lab,
                               struct ca_error *error);
/* Makes an emulation of the lab, whose compilers run behind the walls of sandbox.h in a folder
 * below the build's, and write to the file `messages`. */
enum ca_status lab_build_emulation(struct ca_emulation *emulation, const struct ca_lab *lab,
                                   const struct ca_lab_build *build, const char *messages,
                                   struct ca_error *error);
/* Whether there is such a program. */
bool ca_lab_build_has(const struct ca_lab_build *build, enum ca_lab_tool tool);
/* The folder in which a program runs, empty. CA_IO. */
enum ca_status ca_lab_build_empty(struct ca_lab_build *build, struct ca_error *error);
/* The tool whose program the backend runs on this machine: cc for C; for CUDA nvcc where there is a
 * GPU, else the emulator. */
enum ca_lab_tool ca_lab_tool_of(const struct ca_lab *lab);
/* Whether nvcc and a GPU are here. */
bool ca_lab_has_gpu(void);
/* Takes the folder of the sources out of a text; with `findings` the lines that begin with it, too,
 * which are told as findings. */
void lab_build_shorten(char *text, const char *folder, bool findings);
void ca_lab_build_close(struct ca_lab_build *build);
/* Whether a file of a lab's folder is a source by its name, which a build takes along. */
bool ca_lab_is_source(const char *name);
/* mkdtemp, for folders in which labs are built and run. CA_IO, and the path is "" then. */
enum ca_status ca_lab_temporary(char *path, struct ca_error *error);
/* Removes it with all that is in it, also where a kernel has taken away its own rights to it. */
void ca_lab_remove_folder(const char *folder);

#endif
