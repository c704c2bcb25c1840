# SPDX-License-Identifier: MIT
# What leaves the build folder: what is installed, a portable program, packages, the sources, labs.

.PHONY: portable portable-check install uninstall deb deb-check dist dist-check reproducible lab-handout

# --- portable --------------------------------------------------------------------------------
# The program with all but glibc's libraries in it, and terminals for where no terminfo is. What of
# LIBS is no library of glibc is linked statically too, as far as it is used: all of libstdc++ would
# need a newer glibc.
PORTABLE := $(BUILD)/calab-portable
PORTABLE_TERMS := $(BUILD)/terminfo.h
TERMINALS := xterm-256color xterm tmux-256color tmux screen-256color screen linux vt100 vt220 rxvt-unicode-256color
$(PORTABLE_TERMS): .packaging/packaging.mk
	@mkdir -p $(@D)
	@for t in $(TERMINALS); do infocmp -0 -Q2 $$t | sed -n 's/^b64:.*/    {"'$$t'", "&"},/p'; done > $@.new
	@[ $$(wc -l < $@.new) = $(words $(TERMINALS)) ] || { \
	    echo "infocmp (Debian package ncurses-bin) does not know all of $(TERMINALS)" >&2; exit 1; }
	@mv $@.new $@

$(PORTABLE_TERMS).o: tui/terminfo.c $(PORTABLE_TERMS) $(OBJ)/flags
	$(Q)$(CC) $(CFLAGS) $(CFLAGS_MAP) $(CODE) $(PACKAGE_CFLAGS) -DCALAB_TERMINFO='"$(PORTABLE_TERMS)"' -c $< -o $@

$(PORTABLE): $(MAIN) $(PORTABLE_TERMS).o $(LIBRARY)
	$(Q)$(CC) $(CFLAGS) $(LINK) -static-libgcc -Wl,--gc-sections $^ -o $@ -Wl,-Bstatic $(PACKAGE_LIBS) -laec \
	    $(filter -L% -lcudart_static -lstdc++,$(LIBS)) -Wl,-Bdynamic -ldl -lrt -lm $(MPI_LIBS)

portable: $(PORTABLE) ## build $(BUILD)/calab-portable, which needs glibc alone, and for CUDA a driver
	@needed=$$(objdump -p $(PORTABLE) | sed -n 's/^ *NEEDED *//p'); \
	for l in $$needed; do case $$l in \
	    libc.so.*|libm.so.*|libdl.so.*|librt.so.*|libpthread.so.*|ld-linux*$(if $(filter 1,$(MPI)),|libmpi.so.*)) ;; \
	    *) echo "$(PORTABLE) needs $$l, which is no library of glibc" >&2; exit 1 ;; esac; done; \
	echo "$(PORTABLE): $$(du -h $(PORTABLE) | cut -f 1), needs" $$needed "of glibc" \
	    "$$(objdump -T $(PORTABLE) | sed -n 's/.*GLIBC_\([0-9.]*\)).*/\1/p' | sort -V | tail -n 1) or later"

portable-check: portable $(BUILD)/test_portable ## the same, and run it in an empty root (by root alone)
	@CALAB="$(CURDIR)/$(PORTABLE)" CALAB_SOURCE="$(CURDIR)" TZ=UTC $(BUILD)/test_portable

# --- install ---------------------------------------------------------------------------------
SHARE := $(DESTDIR)$(PREFIX)/share
BASH_COMPLETION := bash-completion/completions/calab
ZSH_COMPLETION  := zsh/site-functions/_calab
FISH_COMPLETION := fish/vendor_completions.d/calab.fish

install: $(PROGRAM) ## install program, calab-emulated if built, man pages, header, completion (DESTDIR=, PREFIX=)
	install -Dm755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/calab
	for p in $(PAGES); do install -Dm644 $$p $(SHARE)/man/man$${p##*.}/$${p##*/} || exit 1; done
	install -Dm644 tui/completion.bash $(SHARE)/$(BASH_COMPLETION)
	install -Dm644 tui/completion.zsh $(SHARE)/$(ZSH_COMPLETION)
	install -Dm644 tui/completion.fish $(SHARE)/$(FISH_COMPLETION)
	for h in $(MODEL_HEADERS); do install -Dm644 $$h $(DESTDIR)$(PREFIX)/include/$${h##*/} || exit 1; done
	for c in $(CONFIGS) $(LAB_TASKS); do install -Dm644 $$c $(SHARE)/calab/$$c || exit 1; done
	if [ -e $(BUILD)/calab-emulated ]; then \
	    install -Dm755 $(BUILD)/calab-emulated $(DESTDIR)$(PREFIX)/bin/calab-emulated && \
	    install -Dm644 $(BUILD)/libcalab-emulated.a $(DESTDIR)$(PREFIX)/lib/libcalab-emulated.a && \
	    ln -sf calab-emulate.1 $(SHARE)/man/man1/calab-emulated.1 && \
	    for h in $(EMULATOR_HEADERS); do install -Dm644 $$h $(SHARE)/calab/include/$$h || exit 1; done; fi

uninstall: ## remove what install put there (DESTDIR=, PREFIX=)
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/calab bin/calab-emulated lib/libcalab-emulated.a \
	    $(patsubst kernels/file/%,include/%,$(MODEL_HEADERS)))
	rm -rf $(SHARE)/calab/include $(SHARE)/calab/configs/lab
	rm -f $(addprefix $(SHARE)/,$(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION) man/man1/calab-emulated.1)
	rm -f $(foreach p,$(PAGES),$(SHARE)/man/man$(subst .,,$(suffix $(p)))/$(notdir $(p)))
	rm -f $(addprefix $(SHARE)/calab/,$(CONFIGS))
	rmdir $(SHARE)/calab/configs/patterns/* $(SHARE)/calab/configs/patterns $(SHARE)/calab/configs/models \
	    $(SHARE)/calab/configs $(SHARE)/calab 2>/dev/null || true

# --- packages --------------------------------------------------------------------------------
# The date of whatever is packed: the last commit's, or in sources without git what dist gave them.
SOURCE_DATE_EPOCH ?= $(shell $(if $(wildcard .git),git log -1 --format=%ct,stat -c %Y Makefile))

deb: $(PROGRAM) ## build/calab_$(VERSION)-0calab1_ARCH.deb: a Debian package of what install installs
	@MAKE="$(MAKE) --no-print-directory CUDA_ARCH='$(CUDA_ARCH)'" VERSION=$(VERSION) PROGRAM=$(PROGRAM) CUDA=$(USE_CUDA) \
	    HDF5="$(findstring libhdf5.a,$(PACKAGE_LIBS))" SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) .packaging/deb

deb-check: deb $(BUILD)/test_deb ## the same, held to lintian and run in a bare Debian (by root alone, needs a mirror)
	@CALAB_SOURCE="$(CURDIR)" TEST=$(BUILD)/test_deb .packaging/deb-check build/calab_$(VERSION)-0calab1_*.deb

dist: ## build/calab-$(VERSION).tar.gz: the sources as committed, which build without git
	@.packaging/dist $(VERSION)

dist-check: dist ## the same, unpacked and built without git; runs a test there
	@.packaging/dist-check $(VERSION)

reproducible: ## build and package the sources in two folders (CUDA=0): every byte is the same
	@.packaging/reproducible $(VERSION)

# A folder for each task, as `calab lab new` makes it.
lab-handout: $(PROGRAM) ## $(BUILD)/calab-lab.tar.gz: the tasks of calab lab for students, without solutions
	@rm -rf $(BUILD)/calab-lab $(BUILD)/calab-lab.tar.gz; mkdir -p $(BUILD)/calab-lab
	@$(PROGRAM) lab tasks | while read -r task model rest; do \
	    $(PROGRAM) lab new $$model $(BUILD)/calab-lab/$$task --task $$task >/dev/null || exit 1; done
	@tar -C $(BUILD) -czf $(BUILD)/calab-lab.tar.gz calab-lab
	@echo "$(BUILD)/calab-lab.tar.gz"
