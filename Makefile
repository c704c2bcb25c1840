# SPDX-License-Identifier: MIT
# calab's one Makefile: variables, then rules, then targets. `make help` lists the targets.

VERSION  := 0.1.0
VARIANT  ?= release
CUDA     ?= auto
PREFIX   ?= /usr/local
BUILD    := build/$(VARIANT)
MAKEFLAGS += --no-builtin-rules
ifeq ($(MAKELEVEL)$(filter -j% --jobserver%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

# --- what it is built from -------------------------------------------------------------------
PACKAGES      := ncursesw libconfig jansson libxxhash
TEST_PACKAGES := check vterm
DEBIAN        := gcc make pkg-config libncurses-dev libconfig-dev libjansson-dev libxxhash-dev \
                 librandom123-dev check libvterm-dev
DEBIAN_LINT   := clang-format clang-tidy cppcheck mandoc

C_SOURCES    := $(wildcard core/*.c kernels/*/*.c tui/*.c tui/*/*.c)
CU_SOURCES   := $(wildcard kernels/*/*.cu)
HEADERS      := $(wildcard core/*.h kernels/*/*.h tui/*.h tui/*/*.h tests/*.h)
TEST_SOURCES := $(wildcard tests/test_*.c)
TEST_SUPPORT := $(filter-out $(TEST_SOURCES),$(wildcard tests/*.c))
PAGES        := $(wildcard man/*.[1-9])

# --- how -------------------------------------------------------------------------------------
CC       ?= gcc
ifeq ($(origin CC),default)
CC       := gcc
endif
NVCC     ?= nvcc
CFLAGS   ?= -O3 -g
# V=1 prints whole commands, otherwise a line a file.
Q        = $(if $(V),,@echo "  $@";)
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
            -Wundef -Wno-missing-field-initializers
# No fast-math and no contraction: floats must agree bit for bit between backends.
CODE     := -std=c11 -D_GNU_SOURCE -I. -ffp-contract=off -fno-strict-aliasing -pthread \
            -DCALAB_VERSION='"$(VERSION)"' $(WARN)
LIBS     := -pthread -lm
ifeq ($(VARIANT),asan)
CODE     += -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LINK     += -fsanitize=address,undefined
CFLAGS   := -O1 -g
else ifeq ($(VARIANT),tsan)
CODE     += -fsanitize=thread -fno-omit-frame-pointer
LINK     += -fsanitize=thread
CFLAGS   := -O1 -g
else ifneq ($(VARIANT),release)
$(error VARIANT is '$(VARIANT)': allowed are release, asan, tsan)
endif

HAVE_NVCC := $(shell command -v $(NVCC) 2>/dev/null)
ifeq ($(CUDA),auto)
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
CUDA_ARCH ?= $(if $(shell nvidia-smi -L 2>/dev/null),native,all-major)
CUDA_HOME := $(patsubst %/bin/,%,$(dir $(realpath $(HAVE_NVCC))))
NVFLAGS   := -O3 -g -std=c++17 -I. -fmad=false -arch=$(if $(filter native all all-major,$(CUDA_ARCH)),$(CUDA_ARCH),sm_$(CUDA_ARCH)) \
             -DCALAB_VERSION='"$(VERSION)"'
CODE      += -DCALAB_CUDA=1
CU_OBJECTS := $(CU_SOURCES:%=$(BUILD)/%.o)
ifneq ($(CU_SOURCES),)
LIBS      += -L$(CUDA_HOME)/lib64 -lcudart_static -ldl -lrt -lstdc++
endif
else
CODE      += -DCALAB_CUDA=0
endif

OBJECTS  := $(C_SOURCES:%=$(BUILD)/%.o) $(CU_OBJECTS)
LIBRARY  := $(BUILD)/libcalab.a
PROGRAM  := $(BUILD)/calab
TESTS    := $(TEST_SOURCES:tests/%.c=$(BUILD)/%)
MAIN     := $(BUILD)/tui/main.c.o

# --- rules -----------------------------------------------------------------------------------
# What is missing is found, and installed where apt-get can be used, before anything is built:
# this file is included, so make starts over once it is there.
ifneq ($(filter-out help clean deps lint-deps format install-%,$(or $(MAKECMDGOALS),all)),)
include build/packages.mk
endif

build/packages.mk: Makefile
	@mkdir -p build
	@pkg-config --exists $(PACKAGES) $(TEST_PACKAGES) 2>/dev/null && \
	    echo '#include <Random123/philox.h>' | $(CC) -E -xc - >/dev/null 2>&1 || \
	    $(MAKE) --no-print-directory deps
	@{ echo "PACKAGE_CFLAGS := $$(pkg-config --cflags $(PACKAGES))"; \
	   echo "PACKAGE_LIBS := $$(pkg-config --libs $(PACKAGES))"; \
	   echo "TEST_CFLAGS := $$(pkg-config --cflags $(TEST_PACKAGES))"; \
	   echo "TEST_LIBS := $$(pkg-config --libs $(TEST_PACKAGES))"; } > $@

.PHONY: all check run info help deps lint-deps format lint headers install clean FORCE
.SECONDARY:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# The flags' stamp changes only when they do; every object depends on it.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(CC) $(CFLAGS) $(CODE) $(PACKAGE_CFLAGS) $(LINK) $(LIBS) $(NVFLAGS) $(USE_CUDA))' | cmp -s - $@ || \
	    echo '$(subst ','\'',$(CC) $(CFLAGS) $(CODE) $(PACKAGE_CFLAGS) $(LINK) $(LIBS) $(NVFLAGS) $(USE_CUDA))' > $@

$(BUILD)/%.c.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CODE) $(PACKAGE_CFLAGS) $(ISA) -MMD -MP -c $< -o $@

# Instruction sets on their files alone; core/cpu.h says whether they may be called.
AVX2   := -mavx2 -mbmi2
AVX512 := $(AVX2) -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vbmi -mavx512vbmi2 -mprefer-vector-width=512
$(BUILD)/kernels/%avx2.c.o: ISA := $(AVX2)
$(BUILD)/kernels/%avx512.c.o: ISA := $(AVX512)
# What a benchmark says of the build.
$(BUILD)/core/provenance.c.o: ISA = -DCALAB_FLAGS='"$(subst ",,$(subst ',,$(strip $(CFLAGS) $(CODE))))"'
ifneq ($(shell uname -m),x86_64)
C_SOURCES := $(filter-out %sse2.c %avx2.c %avx512.c,$(C_SOURCES))
endif

$(BUILD)/tests/%.c.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(CODE) $(PACKAGE_CFLAGS) $(TEST_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/%.cu.o: %.cu $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(LIBRARY): $(filter-out $(MAIN),$(OBJECTS))
	@rm -f $@
	@$(AR) rcs $@ $^

$(PROGRAM): $(MAIN) $(LIBRARY)
	$(Q)$(CC) $(CFLAGS) $(LINK) -rdynamic $^ -o $@ $(PACKAGE_LIBS) $(LIBS)

$(BUILD)/test_%: $(BUILD)/tests/test_%.c.o $(TEST_SUPPORT:%=$(BUILD)/%.o) $(LIBRARY)
	$(Q)$(CC) $(CFLAGS) $(LINK) $^ -o $@ $(PACKAGE_LIBS) $(TEST_LIBS) $(LIBS)

-include $(OBJECTS:.o=.d) $(patsubst %,$(BUILD)/%.d,$(TEST_SOURCES) $(TEST_SUPPORT))

# --- targets ---------------------------------------------------------------------------------
all: $(PROGRAM) ## build $(PROGRAM) (VARIANT=release|asan|tsan, CUDA=auto|1|0)

check: $(PROGRAM) $(TESTS) ## run the tests (ONLY=test_x for one; CALAB_SEED=N for other seeds)
	@failed=; for t in $(if $(ONLY),$(ONLY:%=$(BUILD)/%),$(TESTS)); do \
	    ASAN_OPTIONS=allocator_may_return_null=1 CK_DEFAULT_TIMEOUT=60 CALAB="$(CURDIR)/$(PROGRAM)" CALAB_SOURCE="$(CURDIR)" TZ=UTC $$t || failed="$$failed $${t##*/}"; \
	done; \
	if [ -n "$$failed" ]; then echo "FAILED:$$failed"; exit 1; else echo "all tests passed"; fi

run: $(PROGRAM) ## open the workbench; without a terminal, two seconds of the same experiment
	@if [ -t 0 ] && [ -t 1 ]; then $(PROGRAM); else $(PROGRAM) run --remembered --seconds 2 --frame; fi

deps: ## install the Debian packages that building and testing need
	@$(call install_packages,$(DEBIAN))

lint-deps:
	@for t in clang-tidy clang-format cppcheck mandoc; do command -v $$t >/dev/null || missing=1; done; \
	[ -z "$$missing" ] || { $(call install_packages,$(DEBIAN_LINT)); }

define install_packages
if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(1); \
	elif sudo -n true 2>/dev/null && command -v apt-get >/dev/null; then \
	    sudo apt-get update -qq && sudo DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(1); \
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
	@echo "cuda      $(if $(filter 1,$(USE_CUDA)),yes: $(HAVE_NVCC) for $(CUDA_ARCH), $(words $(CU_SOURCES)) files,no: $(if $(filter 0,$(CUDA)),CUDA=0,no $(NVCC) on PATH))"
	@echo "install   $(DESTDIR)$(PREFIX)"

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | sed 's|$$(PROGRAM)|$(PROGRAM)|' | expand -t 12

format: lint-deps ## rewrite the sources with clang-format
	clang-format -i $(C_SOURCES) $(HEADERS) $(TEST_SOURCES) $(TEST_SUPPORT) $(CU_SOURCES)

headers: ## compile each header alone; those of bit-sliced rules over a word of 64 bits
	@for h in $(filter-out kernels/common/cuda%,$(HEADERS)); do \
	    case $$h in */bitslice*) word='typedef unsigned long word;' ;; *) word= ;; esac; \
	    printf '%s\n#include "%s"\n' "$$word" "$$h" | $(CC) $(CODE) $(PACKAGE_CFLAGS) $(TEST_CFLAGS) -Wno-unused-function -Wno-psabi -fsyntax-only -xc - || exit 1; \
	done

lint: lint-deps headers ## clang-format, clang-tidy, cppcheck, mandoc, and the rules of the tree
	@clang-format --dry-run -Werror $(C_SOURCES) $(HEADERS) $(TEST_SOURCES) $(TEST_SUPPORT) $(CU_SOURCES)
	@printf '%s\n' $(C_SOURCES) | xargs -P $$(nproc) -n 1 sh -c 'case $$1 in *avx2.c) isa="$(AVX2)" ;; *avx512.c) isa="$(AVX512)" ;; esac; \
	    clang-tidy --quiet "$$1" -- $$isa $(subst ",\",$(subst ',,$(CODE))) $(PACKAGE_CFLAGS) 2>/dev/null' sh
	@cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr --suppressions-list=.cppcheck -j $$(nproc) \
	    --enable=warning,portability -I. core kernels tui tests
	@mandoc -Tlint -Wwarning $(PAGES)
	@git diff --check
	@! git grep -nE '#include <(n?curses|ncursesw/)' -- core kernels
	@! git grep -nE '#include <cuda|cuda_runtime' -- '*.c' '*.h' ':!kernels/common/cuda*'
	@! git grep -nE '\b(exit|abort|printf|fprintf|puts|perror)\(' -- 'core/*.[ch]' 'kernels/*.[ch]' 'kernels/*.cu'
	@echo "lint: clean"

install: $(PROGRAM) ## install program, man pages and completion (DESTDIR=, PREFIX=)
	install -Dm755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/calab
	for p in $(PAGES); do install -Dm644 $$p $(DESTDIR)$(PREFIX)/share/man/man$${p##*.}/$${p##*/} || exit 1; done
	install -Dm644 tui/completion.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/calab
	for c in configs/*.cfg; do install -Dm644 $$c $(DESTDIR)$(PREFIX)/share/calab/$$c || exit 1; done

clean: ## remove build/
	rm -rf build

FORCE:
