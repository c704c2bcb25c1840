# SPDX-License-Identifier: MIT
# How the sources look, and the rules of the tree.

.PHONY: format lint lint-tools headers
ALL_C_FILES  = $(C_SOURCES) $(PROCESSES_OUT) core/emulator/host_rewrite.c $(HEADERS) $(TEST_SOURCES) \
               $(TEST_SUPPORT) $(FUZZ_SOURCES) $(FUZZ_MAIN) \
               $(CU_SOURCES) $(CU_HEADERS) $(LAB_FILES) $(wildcard core/emulator/runtime/*.[ch]* \
               tests/core/emulator/*/*.[ch]* tests/stand_in/*.c tests/students/*/*.c)

ifneq ($(filter lint,$(MAKECMDGOALS)),)
$(if $(shell git rev-parse --git-dir 2>/dev/null),,$(error make lint asks git for the sources: it needs a git \
checkout, which what make dist packs is not))
endif

lint-tools:
	@for t in clang clang-tidy clang-format cppcheck groff mandoc; do \
	    command -v $$t >/dev/null || { $(call name_packages,$(DEBIAN_LINT),lint-deps); }; done

format: lint-tools ## rewrite the sources with clang-format
	clang-format -i $(ALL_C_FILES)

# calab_model.h wants a model around it, and its parts want it: tests of models in files compile them.
headers: ## compile each header alone; those of bit-sliced rules over a word of 64 bits
	@printf '%s\n' $(filter-out kernels/file/calab_model%,$(HEADERS)) | xargs -P $$(nproc) -n 1 sh -c ' \
	    case $$1 in */bitslice*) word="typedef unsigned long word;" ;; *) word= ;; esac; \
	    printf "%s\n#include \"%s\"\n" "$$word" "$$1" | $(CC) $(subst ",\",$(subst ',,$(CODE))) $(CUDA_IN) \
	        $(PACKAGE_CFLAGS) $(TEST_CFLAGS) -Wno-unused-function -Wno-psabi -fsyntax-only -xc -' sh
	@printf '%s\n' $(CU_HEADERS) | xargs -P $$(nproc) -n 1 sh -c 'printf "#include \"%s\"\n" "$$1" | \
	    $(CXX) -std=c++20 -D_GNU_SOURCE -I. -Icore/emulator/runtime -D__CUDACC__ \
	        $(foreach m,global shared constant host device managed,-D__$(m)__=) -Wno-return-local-addr \
	        -DCALAB_CUDA=1 -include cuda_runtime.h -Wno-unknown-pragmas -fsyntax-only -xc++ -' sh

# A source for words of any width once, which is as long for each.
TIDIED   = $(filter-out %.avx512.o $(WORD_SOURCES:%=$(OBJ)/%.avx2.o) $(CU_OBJECTS),$(OBJECTS))
TIDY_ISA = case $$1 in *.avx2) isa="$(WORD_AVX2)" ;; *.avx512) isa="$(WORD_AVX512)" ;; \
           *avx.c) isa="$(AVX)" ;; *avx2.c) isa="$(AVX2)" ;; *avx512.c) isa="$(AVX512)" ;; esac
# clang's static analyzer takes nine tenths of clang-tidy's time, most of it on the longest paths through a
# function. ANALYZED=225000 states a function, clang's own choice, takes five times as long.
ANALYZED ?= 40000
TIDY_LESS = $(foreach word,-Xclang -analyzer-config -Xclang max-nodes=$(ANALYZED),--extra-arg=$(word))
lint: lint-tools headers ## clang-format, clang-tidy, cppcheck, the manuals, and the rules of the tree
	@clang-format --dry-run -Werror $(ALL_C_FILES)
	@printf '%s\n' $(patsubst $(OBJ)/%.o,%,$(TIDIED)) | xargs -P $$(nproc) -n 1 sh -c '$(TIDY_ISA); \
	    clang-tidy --quiet $(TIDY_LESS) "$${1%.avx*}" -- $$isa $(subst ",\",$(subst ',,$(CODE))) $(CUDA_IN) \
	    $(PACKAGE_CFLAGS) $(MPI_CFLAGS) 2>/dev/null' sh
	@cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr --suppressions-list=.cppcheck -j $$(nproc) \
	    --enable=warning,portability -U__CUDACC__ -U__CUDACC_RTC__ -U__CUDA_ARCH__ -I. core kernels tui tests
	@mandoc -Tlint -Wwarning $(PAGES)
	@! groff -ww -mandoc -Tutf8 -z $(PAGES) 2>&1 | grep .
	@git diff --check
	@tests/mutation/mutate --list >/dev/null
	@tests/mutation/test_drawn >/dev/null
	@tests/benchmarks/test_page
	@.ci/includes
	@awk 'length > 120 { print FILENAME ":" FNR ": more than 120 columns"; wrong = 1 } \
	    FILENAME == "Makefile" && FNR == 251 { print "Makefile: more than 250 lines"; wrong = 1 } \
	    END { exit wrong }' $$(git ls-files Makefile '*.mk')
	@! git grep -nE '#include <(n?curses|ncursesw/)' -- core kernels
	@! git grep -nE '#include <cuda' -- '*.c' '*.h' ':!core/emulator/runtime'
	@! git grep -nE '\b(exit|abort|printf|fprintf|puts|perror)\(' -- 'core/*.[ch]' 'core/*.cu' \
	    'kernels/*.[ch]' 'kernels/*.cu*'
	@echo "lint: clean"
