# SPDX-License-Identifier: MIT
# calab's one Makefile: variables, then rules, then targets. `make help` lists the targets.

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

# --- what it is built from -------------------------------------------------------------------
PACKAGES      := hdf5 ncursesw libconfig jansson libpng zlib libseccomp
MPI_PACKAGE   ?= mpi-c
TEST_PACKAGES := check vterm
DEBIAN        := gcc g++ make pkg-config libncurses-dev libconfig-dev libhdf5-dev libjansson-dev \
                 libpng-dev libseccomp-dev librandom123-dev check libvterm-dev ncurses-term \
                 $(if $(filter 1,$(MPI)),libopenmpi-dev openmpi-bin)
DEBIAN_LINT   := clang libclang-rt-dev clang-format clang-tidy cppcheck groff-base mandoc

ifeq ($(filter $(MPI),0 1),)
$(error MPI is '$(MPI)': allowed are 0, 1)
endif
PROCESSES_OUT := core/ranks/processes_$(if $(filter 1,$(MPI)),alone,mpi).c
C_SOURCES    := $(filter-out $(PROCESSES_OUT),$(wildcard core/*/*.c kernels/*.c kernels/*/*.c tui/*.c tui/*/*.c tui/*/*/*.c))
# Written over a word of any width (kernels/cpu/word.h) and compiled once for each vector width.
# AVX_SOURCES have no form without AVX.
WORD_SOURCES := $(wildcard kernels/*/bitslice.c) kernels/cpu/random_words.c kernels/water/hills.c
AVX_SOURCES  := kernels/water/rows.c
WORD_WIDTHS  := avx2 avx512
ifeq ($(filter x86_64-%,$(shell $(CC) -dumpmachine 2>/dev/null)),)
C_SOURCES    := $(filter-out %sse2.c %avx.c %avx2.c %avx512.c $(AVX_SOURCES),$(C_SOURCES))
WORD_WIDTHS  :=
endif
CU_SOURCES   := $(wildcard core/*/*.cu kernels/*/*.cu)
CU_HEADERS   := $(wildcard kernels/*/*.cuh)
# Kernels that are compiled once for each variant of a rule, since each takes minutes: FILE.cu with
# -DRULE_VARIANT=4576 becomes FILE.4576.cu.o, and so on.
CU_BY_RULE   := $(wildcard kernels/life3d/cuda_*_sweep.cu)
CU_UNITS     := $(filter-out $(CU_BY_RULE),$(CU_SOURCES)) \
                $(foreach v,4576 4555 5766 intervals table,$(CU_BY_RULE:.cu=.$(v).cu))
HEADERS      := $(wildcard core/*/*.h kernels/*/*.h tui/*.h tui/*/*.h tui/*/*/*.h tests/*.h tests/fuzz/*.h)
TEST_SOURCES := $(filter-out $(if $(filter 0,$(MPI)),tests/test_mpi.c),$(wildcard tests/test_*.c))
# CUDA on the CPU, and the tests that run on it alone.
EMULATOR_SOURCES := $(wildcard kernels/cuda/on_cpu/*.cc)
EMULATOR_FILES   := $(wildcard kernels/cuda/on_cpu/*.[ch]* tests/emulator/*.[ch]* tests/faults/*.c tests/clock/*.c tests/races/*.[ch]* tests/submission/*.c)
EMULATOR_FIXTURES = $(patsubst %,$(BUILD)/%.o,$(wildcard tests/emulator/*.cu))
RACES_FIXTURES = $(BUILD)/tests/races/fixtures.cu.o
EMULATOR_TESTS   := tests/test_emulator.c tests/test_races.c tests/test_emulate_programs.c $(wildcard tests/test_cuda*.c)
TEST_SUPPORT := $(filter-out tests/test_%,$(wildcard tests/*.c))
# Fuzz targets, which a test runs, too; libFuzzer has a main of its own.
FUZZ_MAIN    := tests/fuzz/libfuzzer.c
FUZZ_SOURCES := $(filter-out $(FUZZ_MAIN),$(wildcard tests/fuzz/*.c))
PAGES        := $(wildcard man/*.[1-9])
# What folders of labs get.
LAB_FILES    := $(wildcard configs/lab/*/*.[ch] configs/lab/*/*.cu)
# The tasks of labs, without their solutions.
without_solutions = $(foreach f,$(1),$(if $(filter solution%,$(notdir $(f))),,$(f)))
LAB_TASKS    := $(call without_solutions,$(filter-out $(wildcard configs/lab/guest/*),$(wildcard configs/lab/*/*)))
CONFIGS      := $(wildcard configs/*.cfg configs/patterns/*.cfg configs/patterns/*/*)
# The files that are part of the program (core/files/embedded.h).
EMBEDDED     := $(CONFIGS) $(LAB_TASKS) $(wildcard configs/lab/guest/*) core/lab/wire.h

comma    := ,

# --- how -------------------------------------------------------------------------------------
NVCC     ?= nvcc
CXX      ?= g++
CFLAGS   ?= -O3 -g
# What is installed does not name the folder that it was built in: it is the same from any.
CFLAGS_MAP := $(if $(filter release emulated-release,$(VARIANT)),-ffile-prefix-map=$(CURDIR)=.)
# V=1 prints whole commands, otherwise a line a file.
Q        = $(if $(V),,@echo "  $@";)
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
            -Wundef -Wno-missing-field-initializers
# No fast-math and no contraction: floats must agree bit for bit between backends.
# WERROR=1 makes every warning an error, as CI does.
WARN     += $(if $(WERROR),-Werror)
CODE     := -std=c11 -D_GNU_SOURCE -I. -ffp-contract=off -fno-strict-aliasing -pthread \
            -DCALAB_VERSION='"$(VERSION)"' $(WARN)
LIBS     := -pthread -lm -ldl
PROGRAM  := $(BUILD)/calab
# Only what is reported on counts its lines: counters would be most of what the kernels do.
COUNT_LINES := $(if $(filter coverage,$(VARIANT)),--coverage -fprofile-update=single)
ifneq ($(filter asan coverage emulated,$(VARIANT)),)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CODE     += $(SANITIZE)
LINK     += -fsanitize=address,undefined $(COUNT_LINES)
CFLAGS   := -O1 -g
else ifeq ($(VARIANT),tsan)
CODE     += -fsanitize=thread -fno-omit-frame-pointer
LINK     += -fsanitize=thread
CFLAGS   := -O1 -g
else ifneq ($(filter fuzz fuzz-fast,$(VARIANT)),)
# What clang makes for libFuzzer, which follows the branches of core and tui; fuzz-fast is without
# AddressSanitizer.
CC       := clang
SANITIZE := -fsanitize=$(if $(filter fuzz,$(VARIANT)),address$(comma))undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer
CODE     += $(SANITIZE)
LINK     := $(SANITIZE)
CFLAGS   := -O1 -g
$(BUILD)/core/% $(BUILD)/tui/%: BRANCHES := -fsanitize=fuzzer-no-link
else ifeq ($(VARIANT),races)
CFLAGS   := -O1 -g
else ifeq ($(VARIANT),emulated-release)
PROGRAM  := $(BUILD)/calab-emulated
else ifneq ($(VARIANT),release)
$(error VARIANT is '$(VARIANT)': allowed are release, asan, tsan, coverage, fuzz, fuzz-fast, emulated, emulated-release, races)
endif
# Each access of a kernel calls a function of kernels/cuda/on_cpu/hooks.cc, which libtsan is not
# linked for.
WATCHED_CALLS := memcpy memmove memset memcmp strlen strcmp strncmp strcpy strncpy fread fwrite puts fputs qsort
WATCH_NAMES := $(foreach f,$(WATCHED_CALLS),--redefine-sym $(f)=watch_$(f)) \
               --redefine-sym __ubsan_handle_type_mismatch_v1=watch_misaligned_pointer \
               --redefine-sym __ubsan_handle_out_of_bounds=watch_out_of_bounds
# strlen stays built in, since it may be in constant expressions, and is a call elsewhere.
WATCH_CALLS := -U_FORTIFY_SOURCE $(foreach f,$(filter mem% strc% strn%,$(WATCHED_CALLS)),-fno-builtin-$(f))
CLANG    := $(findstring clang,$(shell $(CXX) --version 2>/dev/null))
WATCH_GCC   := -fsanitize=thread,alignment,bounds --param tsan-instrument-func-entry-exit=0 $(WATCH_CALLS)
WATCH_CLANG := -fsanitize=thread,alignment,bounds -mllvm -tsan-instrument-func-entry-exit=0 \
               -mllvm -tsan-instrument-read-before-write=1 $(WATCH_CALLS)
# COUNT=FILE.cu, some of them or 1 for all: so that what a GPU would do for the accesses of this file's
# kernels can be counted, too: basic blocks call a function as well, and vectors stay whole, as a GPU
# loads them.
COUNT_GCC   := -fsanitize-coverage=trace-pc -fno-tree-sra
COUNT_CLANG := -fsanitize-coverage=trace-pc
WATCH    := $(if $(CLANG),$(WATCH_CLANG),$(WATCH_GCC))
COUNTABLE := $(CU_SOURCES) $(wildcard tests/emulator/*.cu tests/races/*.cu)
ifneq ($(if $(filter mutate,$(MAKECMDGOALS)),,$(filter-out 1 $(COUNTABLE),$(COUNT))),)
$(error COUNT is '$(COUNT)': allowed are 1, and CUDA sources such as $(firstword $(COUNTABLE)))
endif
EMULATOR_LANGUAGE := -std=c++20 -D_GNU_SOURCE -D__CUDACC__ -ffp-contract=off -fno-strict-aliasing -pthread \
                     -Wno-unknown-pragmas

HAVE_NVCC := $(shell command -v $(NVCC) 2>/dev/null)
ifneq ($(filter emulated emulated-release races,$(VARIANT)),)
USE_CUDA  := emulated
else ifeq ($(CUDA),auto)
USE_CUDA  := $(if $(HAVE_NVCC),1,0)
else ifneq ($(filter $(CUDA),0 1),)
USE_CUDA  := $(CUDA)
ifeq ($(CUDA)$(HAVE_NVCC),1)
$(error CUDA=1, but '$(NVCC)' is not on PATH; install the CUDA Toolkit, set NVCC, or take CUDA=0)
endif
else
$(error CUDA is '$(CUDA)': allowed are auto, 1, 0)
endif
ifeq ($(USE_CUDA),1)
# native, all-major, or compute capabilities: machine code for each, and for later ones what the
# driver translates.
CUDA_ARCH ?= $(if $(filter portable% deb%,$(MAKECMDGOALS)),,$(if $(shell nvidia-smi -L 2>/dev/null),native))
CUDA_ARCH := $(strip $(or $(CUDA_ARCH),75 80 90))
CUDA_HOME := $(patsubst %/bin/,%,$(dir $(realpath $(HAVE_NVCC))))
NVFLAGS   := -O3 -g -std=c++20 -I. -fmad=false -DCALAB_CUDA=1 -DCALAB_VERSION='"$(VERSION)"' \
             $(if $(filter native all all-major,$(CUDA_ARCH)),-arch=$(CUDA_ARCH),$(foreach a,$(CUDA_ARCH),-gencode arch=compute_$(a),code=sm_$(a)) \
                  -gencode arch=compute_$(lastword $(CUDA_ARCH)),code=compute_$(lastword $(CUDA_ARCH)))
CODE      += -DCALAB_CUDA=1
# The same for all variants.
CU_BUILD  := build/cuda
CU_OBJECTS := $(CU_UNITS:%=$(CU_BUILD)/%.o)
ifneq ($(CU_SOURCES),)
LIBS      += -L$(CUDA_HOME)/lib64 -lcudart_static -ldl -lrt -lstdc++
endif
else ifeq ($(USE_CUDA),emulated)
# What nobody wrote holds a pattern, so that it is not right by chance.
EMULATOR_SANITIZE := $(if $(filter races,$(VARIANT)),$(WATCH),$(SANITIZE))
EMULATOR_FLAGS  = $(CFLAGS) $(EMULATOR_SANITIZE) $(EMULATOR_LANGUAGE) -I. -Ikernels/cuda/on_cpu -DCALAB_CUDA=1 \
             -DCALAB_VERSION='"$(VERSION)"' \
             $(if $(filter-out emulated-release,$(VARIANT)),-ftrivial-auto-var-init=pattern) -Wall -Wextra -Wno-unknown-pragmas -Wno-missing-field-initializers
CODE      += -DCALAB_CUDA=1
CU_OBJECTS := $(CU_UNITS:%=$(BUILD)/%.o) $(EMULATOR_SOURCES:%=$(BUILD)/%.o)
LIBS      += -lstdc++
else
CODE      += -DCALAB_CUDA=0
endif

WORD_OBJECTS := $(foreach w,$(WORD_WIDTHS),$(patsubst %,$(BUILD)/%.$(w).o,$(WORD_SOURCES) $(AVX_SOURCES)))
OBJECTS  := $(patsubst %,$(BUILD)/%.o,$(filter-out $(AVX_SOURCES),$(C_SOURCES))) $(WORD_OBJECTS) $(CU_OBJECTS)
LIBRARY  := $(BUILD)/libcalab.a
TESTS    := $(patsubst tests/%.c,$(BUILD)/%,$(if $(filter races,$(VARIANT)),tests/test_races.c,$(if $(filter emulated emulated-release,$(VARIANT)),$(EMULATOR_TESTS) $(filter tests/test_mpi.c,$(TEST_SOURCES)),$(filter-out $(EMULATOR_TESTS) tests/test_portable.c tests/test_deb.c,$(TEST_SOURCES)))))
MAIN     := $(BUILD)/tui/main.c.o
PORTABLE := $(BUILD)/calab-portable
PORTABLE_TERMS := $(BUILD)/terminfo.h
TERMINALS := xterm-256color xterm tmux-256color tmux screen-256color screen linux vt100 vt220 rxvt-unicode-256color

# --- rules -----------------------------------------------------------------------------------
# What is missing is found, and installed where apt-get can be used, before anything is built:
# this file is included, so make starts over once it is there. HDF5 is linked statically where it
# can be: Debian's shared library brings libcurl and thirty more, which take longer to load than
# calab to start.
PACKAGES_FILE := build/packages$(if $(filter 1,$(MPI)),-mpi).mk
ifneq ($(filter-out help clean uninstall deps lint-deps format coverage cross dist dist-check reproducible install-%,$(or $(MAKECMDGOALS),all)),)
include $(PACKAGES_FILE)
endif

$(PACKAGES_FILE): Makefile
	@mkdir -p build
	@command -v $(CXX) >/dev/null && pkg-config --exists $(PACKAGES) $(TEST_PACKAGES) $(if $(filter 1,$(MPI)),$(MPI_PACKAGE)) 2>/dev/null && \
	    echo '#include <Random123/philox.h>' | $(CC) -E -xc - >/dev/null 2>&1 && \
	    { ! command -v apt-get || infocmp putty; } >/dev/null 2>&1 || \
	    $(MAKE) --no-print-directory deps
	@folder=$$(pkg-config --libs-only-L hdf5 | tr -d ' '); hdf5=$$(pkg-config --libs hdf5); \
	[ ! -e "$${folder#-L}/libhdf5.a" ] || hdf5="$$folder -l:libhdf5.a -lsz"; \
	{ echo "PACKAGE_CFLAGS := $$(pkg-config --cflags $(PACKAGES))"; \
	   echo "PACKAGE_LIBS := $$hdf5 $$(pkg-config --libs $(filter-out hdf5,$(PACKAGES)))"; \
	   $(if $(filter 1,$(MPI)),echo "MPI_CFLAGS := $$(pkg-config --cflags $(MPI_PACKAGE))"; echo "MPI_LIBS := $$(pkg-config --libs $(MPI_PACKAGE))";) \
	   echo "TEST_CFLAGS := $$(pkg-config --cflags $(TEST_PACKAGES))"; \
	   echo "TEST_LIBS := $$(pkg-config --libs $(TEST_PACKAGES))"; } > $@

.PHONY: all check test-names coverage fuzz mutate reproducible dist-check dist deb-check deb emulated emulated-files emulated-support emulated-check tour soak cross old-cpus physics lab-handout portable portable-check gpu-check gpu-sanitize run info help deps lint-deps format lint headers install uninstall clean FORCE
.SECONDARY:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# The flags' stamp changes only when they do; every object depends on it.
stamp = @mkdir -p $(@D); echo '$(subst ','\'',$(1))' | cmp -s - $@ || echo '$(subst ','\'',$(1))' > $@
$(BUILD)/flags: FORCE
	$(call stamp,$(CC) $(CFLAGS) $(CFLAGS_MAP) $(CODE) $(COUNT_LINES) $(PACKAGE_CFLAGS) $(LINK) $(LIBS) $(EMULATOR_FLAGS) $(USE_CUDA))

define compile
@mkdir -p $(@D)
$(Q)$(CC) $(CFLAGS) $(CFLAGS_MAP) $(CODE) $(PACKAGE_CFLAGS) $(if $(filter core/% tui/%,$<),$(COUNT_LINES)) $(ISA) $(BRANCHES) -MMD -MP -c $< -o $@
endef
$(BUILD)/%.c.o: %.c $(BUILD)/flags
	$(compile)
$(BUILD)/%.c.avx2.o: %.c $(BUILD)/flags
	$(compile)
$(BUILD)/%.c.avx512.o: %.c $(BUILD)/flags
	$(compile)

# Instruction sets on their files alone; core/machine/cpu.h says whether they may be called.
AVX    := -mavx
AVX2   := -mavx2 -mbmi2
AVX512 := $(AVX2) -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vbmi -mavx512vbmi2 -mprefer-vector-width=512
$(BUILD)/kernels/%avx.c.o: ISA := $(AVX)
$(BUILD)/kernels/%avx2.c.o: ISA := $(AVX2)
$(BUILD)/kernels/%avx512.c.o: ISA := $(AVX512)
WORD_AVX2   := $(AVX2) -DWORD_LANES=4
WORD_AVX512 := $(AVX512) -DWORD_LANES=8
$(BUILD)/%.c.avx2.o: ISA := $(WORD_AVX2)
$(BUILD)/%.c.avx512.o: ISA := $(WORD_AVX512)
# `calab --version` names the commit of a git checkout; only main.c is recompiled when it changes.
COMMIT = $(if $(wildcard .git),$(shell git describe --always --dirty --exclude '*' 2>/dev/null))
$(BUILD)/commit: FORCE
	$(call stamp,$(COMMIT))
$(MAIN): $(BUILD)/commit
$(MAIN): ISA = -DCALAB_COMMIT='"$(COMMIT)"'
# What `calab emulate` compiles a program with, as it stands above.
as_words  = $(subst $() ,$(comma),$(foreach word,$(1),"$(word)"))
$(BUILD)/core/emulate/emulate.c.o: Makefile
$(BUILD)/core/emulate/emulate.c.o: ISA = $(foreach set,EMULATOR_LANGUAGE WATCH_GCC WATCH_CLANG COUNT_GCC COUNT_CLANG WATCH_NAMES,-DCALAB_$(set)='$(call as_words,$($(set)))')
# The table of the files that are part of the program, which changes only when they are others.
$(BUILD)/embedded.inc: FORCE
	@mkdir -p $(@D); printf '%s\n' $(EMBEDDED:configs/%=%) | LC_ALL=C sort | \
	    awk '{ print "EMBED(" NR ", \"" ($$0 ~ /^core\// ? "" : "configs/") $$0 "\", \"" $$0 "\")" }' > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(BUILD)/core/files/embedded.c.o: $(EMBEDDED) $(BUILD)/embedded.inc
$(BUILD)/core/files/embedded.c.o: ISA = -DCALAB_EMBEDDED='"$(BUILD)/embedded.inc"'
# What a benchmark says of the build.
$(BUILD)/core/machine/provenance.c.o: ISA = -DCALAB_FLAGS='"$(subst ",,$(subst ',,$(strip $(CFLAGS) $(CODE))))"'

$(BUILD)/tests/%.c.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CODE) $(PACKAGE_CFLAGS) $(TEST_CFLAGS) -MMD -MP -c $< -o $@

# From here on prerequisites are expanded twice, the second time with $* known: of FILE.4576 it is
# FILE.cu, of other files theirs.
.SECONDEXPANSION:
RULE_VARIANT = $(patsubst .%,-DRULE_VARIANT=%,$(suffix $*))
ifeq ($(USE_CUDA),emulated)
WATCHED  = $(filter -fsanitize=thread%,$(EMULATOR_FLAGS))
COUNTED  = $(if $(filter 1 $(basename $*).cu,$(COUNT)),$(if $(CLANG),$(COUNT_CLANG),$(COUNT_GCC)))
# __shared__ declarations are rewritten between the preprocessor and the compiler.
$(BUILD)/%.cu.o: $$(basename $$*).cu kernels/cuda/on_cpu/shared.sed $(BUILD)/flags $(BUILD)/%.cu.counted
	@mkdir -p $(@D)
	$(Q)$(CXX) $(EMULATOR_FLAGS) $(RULE_VARIANT) -include cuda_runtime.h -E -MMD -MP -MT $@ -MF $(@:.o=.d) -x c++ $< -o $@.ii && \
	    sed -i -z -E -f kernels/cuda/on_cpu/shared.sed $@.ii && \
	    $(CXX) $(EMULATOR_FLAGS) $(CFLAGS_MAP) $(if $(WATCHED),$(COUNTED)) -c $@.ii -o $@ $(if $(WATCHED),&& objcopy $(WATCH_NAMES) $@)

# Each file's own stamp, so that COUNT compiles nothing else again.
$(BUILD)/%.cu.counted: FORCE
	$(call stamp,$(COUNTED))

$(BUILD)/%.cc.o: %.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CXX) $(EMULATOR_FLAGS) $(CFLAGS_MAP) -O2 -fno-sanitize=all -MMD -MP -c $< -o $@

$(BUILD)/test_emulator: $(EMULATOR_FIXTURES)
$(BUILD)/test_races: $(RACES_FIXTURES)
$(RACES_FIXTURES): EMULATOR_SANITIZE := $(WATCH)

$(BUILD)/test_cuda_devices $(BUILD)/test_cuda_engine: | $(BUILD)/tests/emulator/nvml.so

$(BUILD)/tests/emulator/nvml.so: tests/emulator/nvml.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -std=c11 $(WARN) -shared -fPIC $< -o $@
else
$(CU_BUILD)/flags: FORCE
	$(call stamp,$(NVFLAGS))

$(CU_BUILD)/%.cu.o: $$(basename $$*).cu $(CU_BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVFLAGS) $(CFLAGS_MAP:%=-Xcompiler %) $(RULE_VARIANT) -MMD -MP -MF $(@:.o=.d) -c $< -o $@
endif

# What test_faults and test_faults_workbench preload. It knows one processor, and cannot tell the
# allocations of CUDA's runtime, which does not look whether they succeed. Under AddressSanitizer it
# is part of a program of its own, whose leaks are found.
FAULTS_IN := $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),$(VARIANT)$(USE_CUDA))
FAULTS := $(if $(filter release0,$(FAULTS_IN)),$(BUILD)/tests/faults/faults.so)$(if $(filter asan0 coverage0,$(FAULTS_IN)),$(BUILD)/calab-faults)
$(BUILD)/test_faults $(BUILD)/test_faults_workbench: | $(FAULTS)
$(BUILD)/tests/faults/faults.so: tests/faults/faults.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -std=c11 -D_GNU_SOURCE $(WARN) -shared -fPIC $< -o $@

WRAPPED := malloc calloc realloc aligned_alloc posix_memalign strdup
$(BUILD)/tests/faults/wrapped.o: tests/faults/faults.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -std=c11 -D_GNU_SOURCE $(WARN) -DFAULTS_WRAPPED -c $< -o $@

$(BUILD)/calab-faults: $(MAIN) $(BUILD)/tests/faults/wrapped.o $(LIBRARY)
	$(Q)$(CC) $(CFLAGS) $(LINK) -rdynamic $(WRAPPED:%=-Wl,--wrap=%) $^ -o $@ $(PACKAGE_LIBS) $(LIBS) $(MPI_LIBS)

# What test_surroundings preloads; a sanitizer would have to come before it.
CLOCK := $(if $(filter release,$(VARIANT)),$(BUILD)/tests/clock/back.so)
$(BUILD)/test_surroundings: | $(CLOCK)
$(BUILD)/tests/clock/back.so: tests/clock/back.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -std=c11 -D_GNU_SOURCE $(WARN) -shared -fPIC $< -o $@

# What test_driver finds in place of NVIDIA's libraries.
$(BUILD)/test_driver: | $(BUILD)/tests/driver/libcuda.so.1
$(BUILD)/tests/driver/libcuda.so.1: tests/driver/fake.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -std=c11 -D_GNU_SOURCE $(WARN) -shared -fPIC -Wl,-soname,$(@F) $< -o $@

# MPI=0 and MPI=1 differ in one object.
$(BUILD)/core/ranks/processes_mpi.c.o: ISA = $(MPI_CFLAGS)
$(BUILD)/mpi: FORCE
	$(call stamp,$(MPI))

$(LIBRARY): $(filter-out $(MAIN),$(OBJECTS)) $(BUILD)/mpi
	@rm -f $@
	@$(AR) rcsD $@ $(filter %.o,$^)

$(PROGRAM): $(MAIN) $(LIBRARY)
	$(Q)$(CC) $(CFLAGS) $(LINK) -rdynamic $^ -o $@ $(PACKAGE_LIBS) $(LIBS) $(MPI_LIBS)

$(BUILD)/test_%: $(BUILD)/tests/test_%.c.o $(TEST_SUPPORT:%=$(BUILD)/%.o) $(LIBRARY)
	$(Q)$(CC) $(CFLAGS) $(LINK) $(filter-out $(LIBRARY),$^) $(LIBRARY) -o $@ $(PACKAGE_LIBS) $(TEST_LIBS) $(LIBS) $(MPI_LIBS)

$(BUILD)/test_fuzz: $(FUZZ_SOURCES:%=$(BUILD)/%.o)

$(BUILD)/calab-fuzz: $(patsubst %,$(BUILD)/%.o,$(FUZZ_SOURCES) $(FUZZ_MAIN)) $(LIBRARY)
	$(Q)$(CC) $(CFLAGS) $(LINK) -fsanitize=fuzzer $^ -o $@ $(PACKAGE_LIBS) $(LIBS)

# The same with all but glibc's libraries in it, and terminals for where no terminfo is. What of
# LIBS is no library of glibc is linked statically too, as far as it is used: all of libstdc++ would
# need a newer glibc.
$(PORTABLE_TERMS): Makefile
	@mkdir -p $(@D)
	@for t in $(TERMINALS); do infocmp -0 -Q2 $$t | sed -n 's/^b64:.*/    {"'$$t'", "&"},/p'; done > $@.new
	@[ $$(wc -l < $@.new) = $(words $(TERMINALS)) ] || { echo "infocmp (Debian package ncurses-bin) does not know all of $(TERMINALS)" >&2; exit 1; }
	@mv $@.new $@

$(PORTABLE_TERMS).o: tui/terminfo.c $(PORTABLE_TERMS) $(BUILD)/flags
	$(Q)$(CC) $(CFLAGS) $(CFLAGS_MAP) $(CODE) $(PACKAGE_CFLAGS) -DCALAB_TERMINFO='"$(PORTABLE_TERMS)"' -c $< -o $@

$(PORTABLE): $(MAIN) $(PORTABLE_TERMS).o $(LIBRARY)
	$(Q)$(CC) $(CFLAGS) $(LINK) -static-libgcc -Wl,--gc-sections $^ -o $@ \
	    -Wl,-Bstatic $(PACKAGE_LIBS) -laec $(filter -L% -lcudart_static -lstdc++,$(LIBS)) -Wl,-Bdynamic -ldl -lrt -lm $(MPI_LIBS)

-include $(OBJECTS:.o=.d) $(EMULATOR_FIXTURES:.o=.d) $(RACES_FIXTURES:.o=.d) $(patsubst %,$(BUILD)/%.d,$(TEST_SOURCES) $(TEST_SUPPORT) $(FUZZ_SOURCES) $(FUZZ_MAIN))

# --- targets ---------------------------------------------------------------------------------
all: $(PROGRAM) ## build $(PROGRAM) (VARIANT=release|asan|tsan|coverage|emulated, CUDA=auto|1|0, MPI=0|1)

# Of the tests that ONLY names, or all: those of this build, and those with CUDA emulated, which
# follow after a release build's. They share the cores: emulated, they have one thread, and others
# often wait for a terminal or a process.
CHOSEN      := $(filter $(or $(ONLY),%),$(notdir $(TESTS)))
EMULATOR_CHOSEN := $(if $(filter release,$(VARIANT)),$(filter $(or $(ONLY),%),$(EMULATOR_TESTS:tests/%.c=%)))
check: $(PROGRAM) $(CHOSEN:%=$(BUILD)/%) ## run the tests (ONLY=test_x for one; CALAB_SEED=N for other seeds)
	@$(if $(CHOSEN)$(EMULATOR_CHOSEN),,echo "ONLY=$(ONLY): there is no such test" >&2; exit 1;) \
	export ASAN_OPTIONS=allocator_may_return_null=1 TSAN_OPTIONS=allocator_may_return_null=1 CK_DEFAULT_TIMEOUT=60 CALAB_FAULT_LIBRARY="$(FAULTS:%=$(CURDIR)/%)" CALAB_CLOCK_LIBRARY="$(CLOCK:%=$(CURDIR)/%)" CALAB="$(CURDIR)/$(PROGRAM)" CALAB_SOURCE="$(CURDIR)" TZ=UTC; \
	printf '%s\n' $(CHOSEN) | xargs -r -P $$(nproc) -I NAME sh -c \
	    'said=$$($(BUILD)/NAME 2>&1); code=$$?; echo "$$said"; [ $$code = 0 ] || { echo "FAILED: NAME"; exit 1; }' || exit 1; \
	echo "all tests passed$(if $(filter emulated races,$(VARIANT)), with CUDA on the CPU)"
	@$(if $(EMULATOR_CHOSEN),$(MAKE) --no-print-directory VARIANT=emulated check)

# The tests of this build, for tests/mutation.
test-names:
	@echo $(notdir $(TESTS))

# Lines that the tests of a build without CUDA run, under the sanitizers of asan. Processes that are
# killed count for nothing.
COVERAGE_FLOOR ?= 90
coverage: ## as VARIANT=asan, and percent of the lines of core and tui that the tests run (ONLY=...); fails below COVERAGE_FLOOR=90
	@find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	@GCOV_ERROR_FILE=/dev/null $(MAKE) --no-print-directory VARIANT=coverage CUDA=0 check
	@tests/coverage build/coverage $(COVERAGE_FLOOR)

# calab-emulated, and what `calab emulate` compiles a program with, lie beside calab.
EMULATOR_HEADERS := $(wildcard kernels/cuda/on_cpu/*.h kernels/cuda/on_cpu/*/*.h kernels/cuda/on_cpu/*/*.cuh)
EMULATOR_LIBRARY := $(BUILD)/libcalab-emulated.a
$(EMULATOR_LIBRARY): $(EMULATOR_SOURCES:%=$(BUILD)/%.o)
	@rm -f $@
	@$(AR) rcsD $@ $^

$(BUILD)/include/%: %
	@install -Dm644 $< $@

# What `calab emulate` finds beside the program.
emulated-support: $(EMULATOR_LIBRARY) $(EMULATOR_HEADERS:%=$(BUILD)/include/%)

$(BUILD)/test_emulate_programs $(BUILD)/test_cuda_lab $(BUILD)/test_cuda_lab_submissions $(BUILD)/test_cuda_lab_grade: | emulated-support

emulated: $(EMULATOR_HEADERS:%=$(BUILD)/include/%) ## build calab-emulated: all CUDA backends on the CPU, right but slow
	@$(MAKE) --no-print-directory VARIANT=emulated-release emulated-files
	@mkdir -p $(BUILD)
	@for f in calab-emulated libcalab-emulated.a; do ln -f build/emulated-release/$$f $(BUILD)/$$f || exit 1; done
	@echo "$(BUILD)/calab-emulated"

emulated-files: $(PROGRAM) $(EMULATOR_LIBRARY)

# COUNT=12 takes that many of the list by chance, SEED=N those of an earlier run; by itself COUNT is
# what counts accesses of CUDA sources. RANDOM=60 breaks as many operators and numbers by chance, JOBS=N
# at once, of sources whose name matches MATCH; DRAW=FILE writes them for FROM=FILE on another machine.
mutate: ## break the sources in the ways that tests/mutation/list names: a test must fail for each (COUNT=N of them, SEED=N); or anywhere by chance (RANDOM=N)
ifneq ($(RANDOM)$(FROM),)
	@tests/mutation/drawn $(if $(RANDOM),--count $(RANDOM)) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS)) \
	    $(if $(MATCH),--match '$(MATCH)') $(if $(DRAW),--draw $(DRAW)) $(if $(FROM),--from $(FROM))
else
	@tests/mutation/mutate $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))
endif

# libFuzzer comes with clang, and is a package of its own. What finds new branches is kept beside the
# program, and begins the next run.
FUZZ_VARIANT := $(if $(filter fuzz-fast,$(VARIANT)),fuzz-fast,fuzz)
FUZZ_TARGETS := $(or $(TARGET),$(filter-out libfuzzer support,$(FUZZ_SOURCES:tests/fuzz/%.c=%)))
SECONDS ?= 60
fuzz: ## give what reads files, messages, options and keys random bytes, for SECONDS=60 each (TARGET=x for one of tests/fuzz; clang)
	@ls "$$(clang -print-runtime-dir 2>/dev/null)"/libclang_rt.fuzzer-*.a >/dev/null 2>&1 || { $(call install_packages,clang libclang-rt-dev); }
	@$(MAKE) --no-print-directory VARIANT=$(FUZZ_VARIANT) CC=clang CUDA=0 MPI=0 build/$(FUZZ_VARIANT)/calab-fuzz
	@folder="$(CURDIR)/build/$(FUZZ_VARIANT)/fuzz"; mkdir -p "$$folder/found"; cd "$$folder" && for t in $(FUZZ_TARGETS); do \
	    mkdir -p corpus/$$t; \
	    CALAB_FUZZ=$$t ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 ../calab-fuzz \
	        -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=3000 -print_final_stats=1 -artifact_prefix="$$folder/found/$$t-" \
	        "$$folder/corpus/$$t" "$(CURDIR)/tests/fuzz/corpus/$$t" >$$t.log 2>&1 </dev/null || { tail -n 60 $$t.log; exit 1; }; \
	    echo "$$t: $$(sed -n 's/.*number_of_executed_units: *//p' $$t.log) runs, $$(grep -ao 'cov: [0-9]*' $$t.log | tail -n 1 | tr -d 'cov: ') branches, no failure"; \
	done

tour: $(PROGRAM) $(BUILD)/test_tour ## every key in every screen at three sizes on nine terminals, of which check takes a part; minutes
	@CALAB_TOUR=all CALAB="$(CURDIR)/$(PROGRAM)" CALAB_SOURCE="$(CURDIR)" TZ=UTC $(BUILD)/test_tour

soak: $(PROGRAM) $(BUILD)/test_soak ## use the workbench for SECONDS=3600 without a plan: right states, and nothing that grows
	@CALAB_SOAK=$(or $(SECONDS),3600) CALAB="$(CURDIR)/$(PROGRAM)" CALAB_SOURCE="$(CURDIR)" TZ=UTC $(BUILD)/test_soak

cross: ## build for arm64, and run it and the tests of core and of the reference by qemu-user; minutes
	@tests/cross

# qemu-user's processors: without SSE3, without AVX, without AVX-512.
OLD_CPUS := qemu64 Westmere Haswell
old-cpus: $(PROGRAM) ## every backend of the CPU on processors without AVX, AVX2 or AVX-512, by qemu-user
	@command -v qemu-x86_64-static >/dev/null || { echo "there is no qemu-x86_64-static (Debian: qemu-user-static)" >&2; exit 1; }
	@for c in $(OLD_CPUS); do echo "# $$c"; \
	    said=$$(qemu-x86_64-static -cpu $$c $(PROGRAM) verify --small --cases 8 2>&1) || { echo "$$said"; exit 1; }; \
	    echo "$$said" | grep -v 'TCG\|not built\|^#'; done

run: $(PROGRAM) ## open the workbench; without a terminal, two seconds of the same experiment
	@if [ -t 0 ] && [ -t 1 ]; then $(PROGRAM); else $(PROGRAM) run --remembered --seconds 2 --frame; fi

emulated-check: ## all CUDA backends, and the programs of tests/emulated, on this CPU with their accesses watched: races, unwritten memory, bounds; minutes
	@$(MAKE) --no-print-directory VARIANT=races all emulated-support
	@ls kernels/*/ladder.c | cut -d / -f 2 | CALAB_EMULATED_STATUS=1 xargs -P $$(nproc) -I MODEL \
	    build/races/calab verify MODEL -b 'cuda-*' --small
	@ls tests/emulated/*.cu | xargs -P $$(nproc) -n 12 sh tests/emulated/check "build/races/calab emulate --limit 60"

# Tests that are as good on a GPU as on an emulated one.
GPU_TESTS := $(BUILD)/test_cuda_view $(BUILD)/test_cuda_blocks $(BUILD)/test_cuda_differ

physics: $(PROGRAM) ## measure that fhp is a fluid: viscosity, sound speed, vortices; minutes on a CPU
	$(PROGRAM) run -c configs/fhp-viscosity.cfg
	$(PROGRAM) run -c configs/fhp-vortices.cfg

gpu-check: $(PROGRAM) $(GPU_TESTS) ## on a machine with a GPU: all CUDA backends against the reference, and a short benchmark
	@$(PROGRAM) verify -b 'cuda-*'
	@for t in $(GPU_TESTS); do CK_FORK=no CALAB="$(CURDIR)/$(PROGRAM)" CALAB_SOURCE="$(CURDIR)" $$t || exit 1; done
	@$(PROGRAM) bench -b 'cuda-*' --time 0.3 --check 2

# CASES=n and SEED=n choose other cases than these; racecheck takes an eighth of them, since it is slow.
# Models and tools run side by side; what each printed stands in $(BUILD)/sanitize.
CASES ?= 24
SANITIZER ?= $(firstword $(wildcard $(addprefix $(CUDA_HOME)/,bin/compute-sanitizer compute-sanitizer/compute-sanitizer)) \
             $(shell command -v compute-sanitizer 2>/dev/null))
SANITIZE  := $(foreach t,memcheck racecheck initcheck synccheck,$(patsubst kernels/%/ladder.c,sanitize-$(t)-%,$(wildcard kernels/*/ladder.c)))
gpu-sanitize: $(SANITIZE) ## the same on a few small cases under compute-sanitizer's four tools
sanitize-%: TOOL   = $(word 1,$(subst -, ,$*))
sanitize-%: MODEL  = $(word 2,$(subst -, ,$*))
sanitize-%: LOG    = $(BUILD)/sanitize/$*.log
sanitize-%: $(PROGRAM)
	@[ -n "$(SANITIZER)" ] || { echo "compute-sanitizer is not installed: it comes with the CUDA Toolkit" \
	    "(Debian package cuda-sanitizer-N-M of NVIDIA), or set SANITIZER to its path" >&2; exit 1; }
	@mkdir -p $(dir $(LOG))
	@"$(SANITIZER)" --tool $(TOOL) $(if $(filter memcheck,$(TOOL)),--leak-check full) --error-exitcode 99 \
	    $(PROGRAM) verify $(MODEL) -b 'cuda-*' --small --seed $(or $(SEED),1) \
	    --cases $(if $(filter racecheck,$(TOOL)),$$(($(CASES) / 8 + 1)),$(CASES)) >$(LOG) 2>&1 && \
	    echo "$(TOOL) $(MODEL): $$(grep -h 'SUMMARY' $(LOG) | tr -s '= ' ' ')" || { cat $(LOG); exit 1; }

# A folder for each task, as `calab lab new` makes it.
lab-handout: $(PROGRAM) ## $(BUILD)/calab-lab.tar.gz: the tasks of calab lab for students, without solutions
	@rm -rf $(BUILD)/calab-lab $(BUILD)/calab-lab.tar.gz; mkdir -p $(BUILD)/calab-lab
	@$(PROGRAM) lab tasks | while read -r task model rest; do \
	    $(PROGRAM) lab new $$model $(BUILD)/calab-lab/$$task --task $$task >/dev/null || exit 1; done
	@tar -C $(BUILD) -czf $(BUILD)/calab-lab.tar.gz calab-lab
	@echo "$(BUILD)/calab-lab.tar.gz"

portable: $(PORTABLE) ## build $(BUILD)/calab-portable, which needs glibc alone, and for CUDA a driver
	@needed=$$(objdump -p $(PORTABLE) | sed -n 's/^ *NEEDED *//p'); \
	for l in $$needed; do case $$l in libc.so.*|libm.so.*|libdl.so.*|librt.so.*|libpthread.so.*|ld-linux*$(if $(filter 1,$(MPI)),|libmpi.so.*)) ;; \
	    *) echo "$(PORTABLE) needs $$l, which is no library of glibc" >&2; exit 1 ;; esac; done; \
	echo "$(PORTABLE): $$(du -h $(PORTABLE) | cut -f 1), needs" $$needed "of glibc" \
	    "$$(objdump -T $(PORTABLE) | sed -n 's/.*GLIBC_\([0-9.]*\)).*/\1/p' | sort -V | tail -n 1) or later"

portable-check: portable $(BUILD)/test_portable ## the same, and run it in an empty root (by root alone)
	@CALAB="$(CURDIR)/$(PORTABLE)" CALAB_SOURCE="$(CURDIR)" TZ=UTC $(BUILD)/test_portable

deps: ## install the Debian packages that building and testing need
	@$(call install_packages,$(DEBIAN))

lint-deps:
	@for t in clang clang-tidy clang-format cppcheck groff mandoc; do command -v $$t >/dev/null || missing=1; done; \
	[ -z "$$missing" ] || { $(call install_packages,$(DEBIAN_LINT)); }

define install_packages
absent=$$(for p in $(1); do dpkg -s $$p >/dev/null 2>&1 || printf ' %s' $$p; done); \
	if [ "$$(id -u)" = 0 ]; then as_root=env; else as_root="sudo env"; fi; \
	if command -v apt-get >/dev/null && { [ "$$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; then \
	    echo "installing Debian packages with apt-get:$$absent"; \
	    $$as_root apt-get update -qq && $$as_root DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$absent; \
	else \
	    echo "packages are missing; type: sudo apt-get install $(1)" >&2; exit 1; \
	fi
endef

info: ## print what was decided and why
	@echo "version   $(VERSION)"
	@echo "variant   $(VARIANT) in $(BUILD)"
	@echo "compiler  $$($(CC) --version | head -n 1)"
	@echo "flags     $(CFLAGS) $(CODE)"
	@echo "packages  $(foreach p,$(PACKAGES) $(TEST_PACKAGES),$(p) $(shell pkg-config --modversion $(p) 2>/dev/null || echo missing);)"
	@echo "cuda      $(if $(filter emulated,$(USE_CUDA)),on this CPU: $(CXX) for $(words $(CU_SOURCES)) files,$(if $(filter 1,$(USE_CUDA)),yes: $(HAVE_NVCC) for $(CUDA_ARCH) ($(words $(CU_SOURCES)) files),no: $(if $(filter 0,$(CUDA)),CUDA=0,no $(NVCC) on PATH)))"
	@echo "mpi       $(if $(filter 1,$(MPI)),yes: $(MPI_PACKAGE) $$(pkg-config --modversion $(MPI_PACKAGE)),no: MPI=0)"
	@echo "install   $(DESTDIR)$(PREFIX)"

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | sed 's|$$(PROGRAM)|$(PROGRAM)|; s|$$(BUILD)|$(BUILD)|g; s|$$(VERSION)|$(VERSION)|g' | expand -t 16

format: lint-deps ## rewrite the sources with clang-format
	clang-format -i $(C_SOURCES) $(PROCESSES_OUT) $(HEADERS) $(TEST_SOURCES) $(TEST_SUPPORT) $(FUZZ_SOURCES) $(FUZZ_MAIN) $(CU_SOURCES) $(CU_HEADERS) $(EMULATOR_FILES) $(LAB_FILES)

ifneq ($(filter lint,$(MAKECMDGOALS)),)
$(if $(shell git rev-parse --git-dir 2>/dev/null),,$(error make lint asks git for the sources: it needs a git checkout, which what make dist packs is not))
endif

headers: ## compile each header alone; those of bit-sliced rules over a word of 64 bits
	@for h in $(HEADERS); do \
	    case $$h in */bitslice*) word='typedef unsigned long word;' ;; *) word= ;; esac; \
	    printf '%s\n#include "%s"\n' "$$word" "$$h" | $(CC) $(CODE) $(PACKAGE_CFLAGS) $(TEST_CFLAGS) -Wno-unused-function -Wno-psabi -fsyntax-only -xc - || exit 1; \
	done
	@for h in $(CU_HEADERS); do \
	    printf '#include "%s"\n' "$$h" | $(CXX) -std=c++20 -D_GNU_SOURCE -I. -Ikernels/cuda/on_cpu -D__CUDACC__ -D__shared__= -DCALAB_CUDA=1 \
	        -include cuda_runtime.h -Wno-unknown-pragmas -fsyntax-only -xc++ - || exit 1; \
	done

lint: lint-deps headers ## clang-format, clang-tidy, cppcheck, the manuals, and the rules of the tree
	@clang-format --dry-run -Werror $(C_SOURCES) $(PROCESSES_OUT) $(HEADERS) $(TEST_SOURCES) $(TEST_SUPPORT) $(FUZZ_SOURCES) $(FUZZ_MAIN) $(CU_SOURCES) $(CU_HEADERS) $(EMULATOR_FILES) $(LAB_FILES)
	@printf '%s\n' $(patsubst $(BUILD)/%.o,%,$(filter-out $(CU_OBJECTS),$(OBJECTS))) | xargs -P $$(nproc) -n 1 sh -c 'case $$1 in *.avx2) isa="$(WORD_AVX2)" ;; *.avx512) isa="$(WORD_AVX512)" ;; \
	    *avx.c) isa="$(AVX)" ;; *avx2.c) isa="$(AVX2)" ;; *avx512.c) isa="$(AVX512)" ;; esac; \
	    clang-tidy --quiet "$${1%.avx*}" -- $$isa $(subst ",\",$(subst ',,$(CODE))) $(PACKAGE_CFLAGS) $(MPI_CFLAGS) 2>/dev/null' sh
	@cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr --suppressions-list=.cppcheck -j $$(nproc) \
	    --enable=warning,portability -U__CUDACC__ -U__CUDA_ARCH__ -I. core kernels tui tests
	@mandoc -Tlint -Wwarning $(PAGES)
	@! groff -ww -mandoc -Tutf8 -z $(PAGES) 2>&1 | grep .
	@git diff --check
	@tests/mutation/mutate --list >/dev/null
	@tests/mutation/test_drawn >/dev/null
	@.ci/includes
	@! git grep -nE '#include <(n?curses|ncursesw/)' -- core kernels
	@! git grep -nE '#include <cuda' -- '*.c' '*.h' ':!kernels/cuda/on_cpu'
	@! git grep -nE '\b(exit|abort|printf|fprintf|puts|perror)\(' -- 'core/*.[ch]' 'core/*.cu' 'kernels/*.[ch]' 'kernels/*.cu*'
	@echo "lint: clean"

BASH_COMPLETION := bash-completion/completions/calab
ZSH_COMPLETION  := zsh/site-functions/_calab
FISH_COMPLETION := fish/vendor_completions.d/calab.fish

install: $(PROGRAM) ## install program, calab-emulated if it is built, man pages and completion (DESTDIR=, PREFIX=)
	install -Dm755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/calab
	for p in $(PAGES); do install -Dm644 $$p $(DESTDIR)$(PREFIX)/share/man/man$${p##*.}/$${p##*/} || exit 1; done
	install -Dm644 tui/completion.bash $(DESTDIR)$(PREFIX)/share/$(BASH_COMPLETION)
	install -Dm644 tui/completion.zsh $(DESTDIR)$(PREFIX)/share/$(ZSH_COMPLETION)
	install -Dm644 tui/completion.fish $(DESTDIR)$(PREFIX)/share/$(FISH_COMPLETION)
	for c in $(CONFIGS); do install -Dm644 $$c $(DESTDIR)$(PREFIX)/share/calab/$$c || exit 1; done
	for f in $(LAB_TASKS); do install -Dm644 $$f $(DESTDIR)$(PREFIX)/share/calab/$$f || exit 1; done
	if [ -e $(BUILD)/calab-emulated ]; then \
	    install -Dm755 $(BUILD)/calab-emulated $(DESTDIR)$(PREFIX)/bin/calab-emulated && \
	    install -Dm644 $(BUILD)/libcalab-emulated.a $(DESTDIR)$(PREFIX)/lib/libcalab-emulated.a && \
	    ln -sf calab-emulate.1 $(DESTDIR)$(PREFIX)/share/man/man1/calab-emulated.1 && \
	    for h in $(EMULATOR_HEADERS); do install -Dm644 $$h $(DESTDIR)$(PREFIX)/share/calab/include/$$h || exit 1; done; fi

uninstall: ## remove what install put there (DESTDIR=, PREFIX=)
	rm -f $(DESTDIR)$(PREFIX)/bin/calab $(DESTDIR)$(PREFIX)/bin/calab-emulated $(DESTDIR)$(PREFIX)/lib/libcalab-emulated.a
	rm -rf $(DESTDIR)$(PREFIX)/share/calab/include $(DESTDIR)$(PREFIX)/share/calab/configs/lab
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/,$(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION))
	rm -f $(foreach p,$(PAGES),$(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(p)))/$(notdir $(p)))
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/calab/,$(CONFIGS))
	rmdir $(DESTDIR)$(PREFIX)/share/calab/configs/patterns/* $(DESTDIR)$(PREFIX)/share/calab/configs/patterns \
	    $(DESTDIR)$(PREFIX)/share/calab/configs $(DESTDIR)$(PREFIX)/share/calab 2>/dev/null || true
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/calab-emulated.1 $(foreach p,$(PAGES),$(DESTDIR)$(PREFIX)/share/man/man$(subst .,,$(suffix $(p)))/$(notdir $(p)))
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/calab/,$(wildcard configs/*.cfg))
	rmdir $(DESTDIR)$(PREFIX)/share/calab/configs $(DESTDIR)$(PREFIX)/share/calab 2>/dev/null || true

# The date of whatever is packed: the last commit's, or in sources without git what dist gave them.
SOURCE_DATE_EPOCH ?= $(shell $(if $(wildcard .git),git log -1 --format=%ct,stat -c %Y Makefile))

deb: $(PROGRAM) ## build/calab_$(VERSION)-0calab1_ARCH.deb: what install installs, as a Debian package (CUDA=0 for none of it)
	@MAKE="$(MAKE) --no-print-directory CUDA_ARCH='$(CUDA_ARCH)'" VERSION=$(VERSION) PROGRAM=$(PROGRAM) CUDA=$(USE_CUDA) \
	    HDF5="$(findstring libhdf5.a,$(PACKAGE_LIBS))" SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) .packaging/deb

deb-check: deb $(BUILD)/test_deb ## the same, checked by lintian, installed in a bare Debian, run and removed (by root alone, needs a mirror)
	@CALAB_SOURCE="$(CURDIR)" TEST=$(BUILD)/test_deb .packaging/deb-check build/calab_$(VERSION)-0calab1_*.deb

dist: ## build/calab-$(VERSION).tar.gz: the sources as committed, which build without git
	@.packaging/dist $(VERSION)

dist-check: dist ## the same, unpacked and built without git; runs a test there
	@.packaging/dist-check $(VERSION)

reproducible: ## pack the sources, build and package them in two folders (CUDA=0), and compare: every byte is the same
	@.packaging/reproducible $(VERSION)

clean: ## remove build/
	rm -rf build

FORCE:
