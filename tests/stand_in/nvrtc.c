/* SPDX-License-Identifier: MIT */
/* Stands in for libnvrtc.so: its code is what it was asked for, behind a first line in PTX, and a
 * source with the word `wrong` has an error in its third line. It knows GPUs to 9.0. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
    char name[128], code[4096];
    bool wrong;
};

int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(struct program **program, const char *text, const char *name, int count,
                       const char *const *headers, const char *const *names);
int nvrtcCompileProgram(struct program *program, int count, const char *const *options);
int nvrtcDestroyProgram(struct program **program);
int nvrtcGetCUBINSize(struct program *program, size_t *bytes);
int nvrtcGetCUBIN(struct program *program, char *code);
int nvrtcGetPTXSize(struct program *program, size_t *bytes);
int nvrtcGetPTX(struct program *program, char *code);
int nvrtcGetNumSupportedArchs(int *count);
int nvrtcGetSupportedArchs(int *capabilities);
int nvrtcGetProgramLogSize(struct program *program, size_t *bytes);
int nvrtcGetProgramLog(struct program *program, char *log);
const char *nvrtcGetErrorString(int result);

int nvrtcVersion(int *major, int *minor)
{
    *major = 12, *minor = 9;
    return 0;
}

int nvrtcCreateProgram(struct program **program, const char *text, const char *name, int count,
                       const char *const *headers, const char *const *names)
{
    *program = calloc(1, sizeof **program);
    if (!*program)
        return 1;
    snprintf((*program)->name, sizeof(*program)->name, "%s", name);
    (*program)->wrong = strstr(text, "wrong") != NULL;
    for (int i = 0; i < count; i++)
        if (headers[i][0]) {
            strncat((*program)->code, names[i], 40);
            strcat((*program)->code, "\n");
        }
    return 0;
}

int nvrtcCompileProgram(struct program *program, int count, const char *const *options)
{
    for (int i = 0; i < count; i++) {
        strncat(program->code, options[i], 200);
        strcat(program->code, "\n");
    }
    return program->wrong ? 6 : 0;
}

int nvrtcDestroyProgram(struct program **program)
{
    free(*program);
    *program = NULL;
    return 0;
}

int nvrtcGetCUBINSize(struct program *program, size_t *bytes)
{
    *bytes = strlen(program->code) + 1;
    return 0;
}

int nvrtcGetCUBIN(struct program *program, char *code)
{
    strcpy(code, program->code);
    return 0;
}

int nvrtcGetPTXSize(struct program *program, size_t *bytes)
{
    *bytes = strlen(program->code) + sizeof ".version 8.4\n";
    return 0;
}

int nvrtcGetPTX(struct program *program, char *code)
{
    sprintf(code, ".version 8.4\n%s", program->code);
    return 0;
}

int nvrtcGetNumSupportedArchs(int *count)
{
    *count = 4;
    return 0;
}

int nvrtcGetSupportedArchs(int *capabilities)
{
    static const int known[] = {75, 80, 86, 90};

    memcpy(capabilities, known, sizeof known);
    return 0;
}

int nvrtcGetProgramLogSize(struct program *program, size_t *bytes)
{
    *bytes = program->wrong ? sizeof program->name + 64 : 1;
    return 0;
}

int nvrtcGetProgramLog(struct program *program, char *log)
{
    sprintf(log, "%s(3): error: something is wrong\n", program->name);
    return 0;
}

const char *nvrtcGetErrorString(int result)
{
    return result ? "NVRTC_ERROR_COMPILATION" : "NVRTC_SUCCESS";
}
