# SPDX-License-Identifier: MIT
# What calab is built from, how, and the program itself. All else is in .mk files beside what they
# make: kernels/cuda (nvcc, checks on a GPU), core/emulator (CUDA on a CPU), tests, .ci (lint),
# .packaging (what is packed and installed, and Debian's packages). `make help` lists every target.

VERSION  := 0.1.0
VARIANT  ?= release
CUDA     ?= auto
MPI      ?= 0
PREFIX   ?= /usr/local
BUILD    := build/$(VARIANT)
MAKEFLAGS += --no-builtin-rules
ifeq ($(MAKELEVEL)$(filter -j% --jobserver%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

CC       ?= gcc
ifeq ($(origin CC),default)
CC       := gcc
endif
CXX      ?= g++
ifeq ($(filter $(MPI),0 1),)
$(error MPI is '$(MPI)': allowed are 0, 1)
endif

# --- what it is built from -------------------------------------------------------------------
PROCESSES_OUT := core/ranks/processes_$(if $(filter 1,$(MPI)),alone,mpi).c
C_SOURCES    := $(filter-out $(PROCESSES_OUT) core/emulator/host_rewrite.c,\
                $(wildcard core/*/*.c core/*/*/*.c kernels/*.c kernels/*/*.c tui/*.c tui/*/*.c tui/*/*/*.c))
# Written over a word of any width (kernels/cpu/word.h) and compiled once for each vector width.
# AVX_SOURCES have no form without AVX.
WORD_SOURCES := $(wildcard kernels/*/bitslice.c) kernels/cpu/random_words.c kernels/water/hills.c
AVX_SOURCES  := kernels/water/rows.c
WORD_WIDTHS  := avx2 avx512
ifeq ($(filter x86_64-%,$(shell $(CC) -dumpmachine 2>/dev/null)),)
C_SOURCES    := $(filter-out %sse2.c %avx.c %avx2.c %avx512.c $(AVX_SOURCES),$(C_SOURCES))
WORD_WIDTHS  :=
endif
# These alone know whether CUDA is in the program, so that all others are compiled once for both.
CUDA_KNOWN_IN := core/engine/devices.c core/machine/cuda_absent.c core/machine/provenance.c \
                 core/probe/gpu.c kernels/file/bits.c kernels/file/rungs.c kernels/moore/rungs.c \
                 $(wildcard kernels/*/ladder.c)
HEADERS      := $(wildcard core/*/*.h core/lab/*/*.h kernels/*/*.h tui/*.h tui/*/*.h tui/*/*/*.h tests/*/*.h)
PAGES        := $(wildcard man/*.[1-9])
# What folders of labs get.
LAB_FILES    := $(wildcard configs/lab/*/*.[ch] configs/lab/*/*.cu)
# The tasks of labs, without their solutions.
without_solutions = $(foreach f,$(1),$(if $(filter solution%,$(notdir $(f))),,$(f)))
LAB_TASKS    := $(call without_solutions,$(filter-out $(wildcard configs/lab/submission/*),$(wildcard configs/lab/*/*)))
CONFIGS      := $(wildcard configs/*.cfg configs/models/*.c configs/patterns/*.cfg configs/patterns/*/*)
# What models in files include.
MODEL_HEADERS := $(wildcard kernels/file/calab_model*.h)
# What kernels consist of that are compiled while the program runs.
KERNEL_HEADERS := kernels/cpu/rule.h kernels/cpu/word.h kernels/cuda/device.cuh kernels/cuda/bit_groups.cuh \
                  kernels/cuda/row_segments.cuh kernels/moore/cuda_rule.cuh kernels/moore/cuda_words.cuh \
                  kernels/moore/cuda_still_tiles.cuh $(wildcard kernels/moore/cuda_*_step.cuh) \
                  kernels/life/cuda_rows.cuh kernels/life/cuda_circuit.cuh
# The files that are part of the program (core/files/embedded.h).
EMBEDDED     := $(CONFIGS) $(LAB_TASKS) $(wildcard configs/lab/submission/*) core/lab/kernel/wire.h \
                core/lab/kernel/who.h $(MODEL_HEADERS) $(KERNEL_HEADERS)

# --- how -------------------------------------------------------------------------------------
comma    := ,
# Lines and functions for a backtrace; the variables, which CFLAGS='-O3 -g' adds for a debugger, take a
# third of the time.
CFLAGS   ?= -O3 -g1
# What is installed does not name the folder that it was built in: it is the same from any.
CFLAGS_MAP := $(if $(filter release emulated-release,$(VARIANT)),-ffile-prefix-map=$(CURDIR)=.)
# V=1 prints whole commands, otherwise a line a file.
Q        = $(if $(V),,@echo "  $@";)
# WERROR=1 makes every warning an error, as CI does.
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
            -Wundef -Wno-missing-field-initializers $(if $(WERROR),-Werror)
# The tests share a library of the objects of which the program is linked. Calls within a file stay
# direct, and so do variables of a thread.
SHARABLE := -fPIC -fno-semantic-interposition -ftls-model=initial-exec
# No fast-math and no contraction: floats must agree bit for bit between backends.
CODE     := -std=c11 -D_GNU_SOURCE -I. -ffp-contract=off -fno-strict-aliasing -pthread $(SHARABLE) \
            -DCALAB_VERSION='"$(VERSION)"' $(WARN)
LIBS     := -pthread -lm -ldl
PROGRAM  := $(BUILD)/calab
# emulated-release has the objects of release, but for those that know of CUDA, and emulated those of
# coverage, which are compiled in the same way.
OBJ      := $(or $(if $(filter emulated-release,$(VARIANT)),build/release),\
            $(if $(filter emulated,$(VARIANT)),build/coverage),$(BUILD))
ifneq ($(filter asan coverage emulated,$(VARIANT)),)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# Only what is reported on counts its lines: counters would be most of what the kernels do.
COUNT_LINES := $(if $(filter coverage emulated,$(VARIANT)),--coverage -fprofile-update=single)
LINK     += -fsanitize=address,undefined $(COUNT_LINES)
CFLAGS   := -O1 -g1
else ifeq ($(VARIANT),tsan)
SANITIZE := -fsanitize=thread -fno-omit-frame-pointer
LINK     += -fsanitize=thread
CFLAGS   := -O1 -g1
else ifneq ($(filter fuzz fuzz-fast,$(VARIANT)),)
# clang builds for libFuzzer, which follows the branches of core and tui; fuzz-fast is without
# AddressSanitizer.
CC       := clang
SANITIZE := -fsanitize=$(if $(filter fuzz,$(VARIANT)),address$(comma))undefined,float-cast-overflow \
            -fno-sanitize-recover=all -fno-omit-frame-pointer
LINK     := $(SANITIZE)
CFLAGS   := -O1 -g1 -Wno-pass-failed # clang says so of loops that it makes no vectors of
$(BUILD)/core/% $(BUILD)/tui/%: BRANCHES := -fsanitize=fuzzer-no-link
else ifeq ($(VARIANT),races)
CFLAGS   := -O1 -g1
else ifeq ($(VARIANT),emulated-release)
PROGRAM  := $(BUILD)/calab-emulated
else ifneq ($(VARIANT),release)
$(error VARIANT is '$(VARIANT)': allowed are release, asan, tsan, coverage, fuzz, fuzz-fast, \
emulated, emulated-release, races)
endif
CODE     += $(SANITIZE)

.DEFAULT_GOAL := all
.SECONDARY:
.DELETE_ON_ERROR:
.PHONY: all run info help clean FORCE
# The flags' stamp changes only when they do; every object depends on it.
same  = echo '$(subst ','\'',$(1))' | cmp -s - $@
stamp = @mkdir -p $(@D); $(same) || echo '$(subst ','\'',$(1))' > $@

include .packaging/packages.mk
# Sets USE_CUDA to 1, 0 or emulated, and CU_OBJECTS.
include kernels/cuda/cuda.mk

# --- objects ---------------------------------------------------------------------------------
MAIN     := $(BUILD)/tui/main.c.o
WORD_OBJECTS := $(foreach w,$(WORD_WIDTHS),$(patsubst %,$(OBJ)/%.$(w).o,$(WORD_SOURCES) $(AVX_SOURCES)))
SHARED_OBJECTS := $(WORD_OBJECTS) \
                  $(patsubst %,$(OBJ)/%.o,$(filter-out $(AVX_SOURCES) $(CUDA_KNOWN_IN) tui/main.c,$(C_SOURCES)))
# Those that take long come first, so that no core waits for the last one.
OBJECTS  := $(CU_OBJECTS) $(SHARED_OBJECTS) $(CUDA_KNOWN_IN:%=$(BUILD)/%.o) $(MAIN)
LIBRARY  := $(BUILD)/libcalab.a

$(OBJ)/flags: FORCE
	$(call stamp,$(CC) $(CFLAGS) $(CFLAGS_MAP) $(CODE) $(COUNT_LINES) $(PACKAGE_CFLAGS))

# What draws and prints has no loop that counts.
$(BUILD)/tui/% $(OBJ)/tui/%: LESS = $(if $(filter -O3,$(CFLAGS)),-O1)
define compile
@mkdir -p $(@D)
$(Q)$(CC) $(CFLAGS) $(LESS) $(CFLAGS_MAP) $(CODE) $(PACKAGE_CFLAGS) $(if $(filter core/% tui/%,$<),$(COUNT_LINES)) \
    $(ISA) $(BRANCHES) -MMD -MP -c $< -o $@
endef
$(OBJ)/%.c.o: %.c $(OBJ)/flags
	$(compile)
$(BUILD)/%.c.o: %.c $(OBJ)/flags
	$(compile)
$(OBJ)/%.c.avx2.o: %.c $(OBJ)/flags
	$(compile)
$(OBJ)/%.c.avx512.o: %.c $(OBJ)/flags
	$(compile)

# Instruction sets on their files alone; core/machine/cpu.h says whether they may be called.
AVX    := -mavx
AVX2   := -mavx2 -mbmi2
AVX512 := $(AVX2) -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vbmi -mavx512vbmi2 \
          -mprefer-vector-width=512
$(OBJ)/kernels/%avx.c.o: ISA := $(AVX)
$(OBJ)/kernels/%avx2.c.o: ISA := $(AVX2)
$(OBJ)/kernels/%avx512.c.o: ISA := $(AVX512)
WORD_AVX2   := $(AVX2) -DWORD_LANES=4
WORD_AVX512 := $(AVX512) -DWORD_LANES=8
$(OBJ)/%.c.avx2.o: ISA := $(WORD_AVX2)
$(OBJ)/%.c.avx512.o: ISA := $(WORD_AVX512)
CUDA_IN  := -DCALAB_CUDA=$(if $(filter 0,$(USE_CUDA)),0,1)
$(CUDA_KNOWN_IN:%=$(BUILD)/%.o): ISA = $(CUDA_IN) $(TOLD)
$(CUDA_KNOWN_IN:%=$(BUILD)/%.o): $(BUILD)/with-cuda
$(BUILD)/with-cuda: FORCE
	$(call stamp,$(CUDA_IN))
# What a benchmark says of the build.
FLAGS_SAID = $(subst ",,$(subst ',,$(strip $(CFLAGS) $(CODE) $(CUDA_IN))))
$(BUILD)/core/machine/provenance.c.o: TOLD = -DCALAB_FLAGS='"$(FLAGS_SAID)"'
# `calab --version` names the commit of a git checkout; only main.c is recompiled when it changes.
COMMIT = $(if $(wildcard .git),$(shell git describe --always --dirty --exclude '*' 2>/dev/null))
$(BUILD)/commit: FORCE
	$(call stamp,$(COMMIT))
$(MAIN): $(BUILD)/commit
$(MAIN): ISA = -DCALAB_COMMIT='"$(COMMIT)"'
# MPI=0 and MPI=1 differ in one object.
$(OBJ)/core/ranks/processes_mpi.c.o: ISA = $(MPI_CFLAGS)
# The table of the files that are part of the program, which changes only when they are others.
$(OBJ)/embedded.inc: FORCE
	@mkdir -p $(@D); new=$@.$$$$; printf '%s\n' $(EMBEDDED:configs/%=%) | LC_ALL=C sort | \
	    awk '{ print "EMBED(" NR ", \"" ($$0 ~ /^(core|kernels)\// ? "" : "configs/") $$0 "\", \"" $$0 "\")" }' > $$new; \
	if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi
$(OBJ)/core/files/embedded.c.o: $(EMBEDDED) $(OBJ)/embedded.inc
$(OBJ)/core/files/embedded.c.o: ISA = -DCALAB_EMBEDDED='"$(OBJ)/embedded.inc"'

# --- the program -----------------------------------------------------------------------------
$(BUILD)/linked: FORCE
	$(call stamp,$(LINK) $(PACKAGE_LIBS) $(LIBS) $(MPI_LIBS) $(CU_BUILD))
$(LIBRARY): $(filter-out $(MAIN),$(OBJECTS)) $(BUILD)/linked
	@rm -f $@
	@$(AR) rcsD --thin $@ $(filter %.o,$^)

$(PROGRAM): $(MAIN) $(LIBRARY)
	$(Q)$(CC) $(CFLAGS) $(LINK) -rdynamic $^ -o $@ $(PACKAGE_LIBS) $(LIBS) $(MPI_LIBS)

-include $(OBJECTS:.o=.d)

all: $(PROGRAM) ## build $(PROGRAM) (VARIANT=release|asan|tsan|coverage|emulated, CUDA=auto|1|0, MPI=0|1)

run: $(PROGRAM) ## open the workbench; without a terminal, two seconds of the same experiment
	@if [ -t 0 ] && [ -t 1 ]; then $(PROGRAM); else $(PROGRAM) run --remembered --seconds 2 --frame; fi

info: ## print what was decided and why
	@echo "version   $(VERSION)"
	@echo "variant   $(VARIANT) in $(BUILD)"
	@echo "compiler  $$($(CC) --version | head -n 1)"
	@echo "flags     $(CFLAGS) $(CODE) $(CUDA_IN)"
	@echo "packages  $(foreach p,$(PACKAGES) $(TEST_PACKAGES),$(p) $(call package_version,$(p));)"
	@echo "cuda      $(CUDA_SAID)"
	@echo "mpi       $(if $(filter 1,$(MPI)),yes: $(MPI_PACKAGE) $$(pkg-config --modversion $(MPI_PACKAGE)),no: MPI=0)"
	@echo "install   $(DESTDIR)$(PREFIX)"

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(filter Makefile %.mk,$(MAKEFILE_LIST)) | \
	    sed 's|$$(PROGRAM)|$(PROGRAM)|; s|$$(BUILD)|$(BUILD)|g; s|$$(VERSION)|$(VERSION)|g' | expand -t 16

clean: ## remove build/
	rm -rf build

FORCE:

include tests/tests.mk .ci/lint.mk .packaging/packaging.mk
