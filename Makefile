# The front door. Every target sets up what it needs (scripts/setup.sh), configures with CMake (CMakePresets.json) and
# runs; nothing has to be done before. `make help` lists the targets.

BUILD         ?= build
OUT           ?= out
JOBS          ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX        ?= /usr/local
DESTDIR       ?=
FUZZ_SECONDS  ?= 60
TEST_ARGS     ?=
BENCH_ARGS    ?=
# More arguments for CMake, e.g. CMAKE_ARGS=-DTANDEM_ASSIMP=OFF
CMAKE_ARGS    ?=

# CMake runs make again below; the flags of this one are not for it.
CMAKE         := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake
SETUP         := scripts/setup.sh
# $(call build,PRESET,DIRECTORY,ARGUMENTS): configures and builds.
build          = $(CMAKE) --preset $(1) -B $(2) $(3) $(CMAKE_ARGS) && $(CMAKE) --build $(2) --parallel $(JOBS)
# $(call ctest,DIRECTORY): runs the tests built there.
ctest          = ctest --test-dir $(1) --output-on-failure --timeout 900 -j $(JOBS) $(TEST_ARGS)

.DEFAULT_GOAL := all
.PHONY: all program help setup demo picture test bench bench-traverse bench-rays bench-hierarchy bench-pile bench-papers bench-view bench-ccd test-moving test-soft format format-check lint warnings \
        sanitize asan tsan oclgrind fuzz coverage docs install uninstall clean

all: program ## configure and build: the program is build/tandem
	@echo "The program is $(BUILD)/tandem; try: $(BUILD)/tandem --help"

# The library and the program, without the tests and what they need.
program:
	@$(SETUP) build
	@$(call build,release,$(BUILD),-DTANDEM_TESTS=OFF -DCMAKE_INSTALL_PREFIX=$(PREFIX))

help: ## this list
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 16
	@echo "Variables: BUILD=$(BUILD) JOBS=$(JOBS) PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) FUZZ_SECONDS=$(FUZZ_SECONDS)"
	@echo "           OUT=$(OUT) CMAKE_ARGS TEST_ARGS BENCH_ARGS"

setup: ## install what building and testing need
	@$(SETUP) build test

demo: ## build, collide two cows, drop 216, write a page that plays it and an animation
	@echo "== demo: installs what is missing, builds $(BUILD)/tandem, lets cows collide and fall; pages, an animation and answers go to $(OUT)/"
	@$(MAKE) --no-print-directory program
	@scripts/demo.sh $(BUILD)/tandem $(OUT)

picture: demo ## the pictures of the documentation: of the demo's pages by a headless browser, and ray traced
	@$(SETUP) picture
	@node viewer/tools/picture.mjs $(OUT)/pile.html docs/pictures/pile.png --state "frame=95"
	@node viewer/tools/picture.mjs $(OUT)/hits.html docs/pictures/hits.png --size 800x600
	@$(BUILD)/tandem render $(OUT)/pile.rec -o docs/pictures/render.png --frame 170 --size 960x540
	@$(BUILD)/tandem simulate cloth --steps 120 -o $(OUT)/cloth.rec --quiet > $(OUT)/cloth.txt
	@$(BUILD)/tandem render $(OUT)/cloth.rec -o docs/pictures/cloth.png --size 960x540
	@echo "== picture: 216 objects and 36 sheets; takes five minutes"
	@$(BUILD)/tandem simulate rigid-and-sheets -o $(OUT)/heap.rec --quiet > $(OUT)/heap.txt
	@$(BUILD)/tandem render $(OUT)/heap.rec -o docs/pictures/heap.png --frame 600 --size 960x540

test: ## build and run all tests
	@echo "== test: installs what is missing, builds with tests in $(BUILD)/ and runs them all with ctest"
	@$(SETUP) build test
	@$(call build,release,$(BUILD),-DTANDEM_TESTS=ON)
	@$(call ctest,$(BUILD))

test-moving: ## 1,000,000 random and 100,000 degenerate motions of four points against rational arithmetic
	@$(SETUP) build test
	@$(call build,release,$(BUILD),-DTANDEM_TESTS=ON)
	@TD_TEST_LONG=1 ctest --test-dir $(BUILD) --output-on-failure --timeout 7200 -j $(JOBS) -R '^moving' $(TEST_ARGS)

test-soft: ## the scenes of soft bodies as they are built in: to the end, at rest, nothing through anything
	@$(SETUP) build test
	@$(call build,release,$(BUILD),-DTANDEM_TESTS=ON)
	@TD_TEST_LONG=1 ctest --test-dir $(BUILD) --output-on-failure --verbose --timeout 7200 -R '^soft_scenes$$' $(TEST_ARGS)

bench: ## measure against FCL, Bullet, ODE, CGAL and Embree; see bench/
	@echo "== bench: builds the adapters of the other libraries in $(BUILD)-bench/ and measures all side by side"
	@$(SETUP) build bench
	@$(call build,bench,$(BUILD)-bench)
	@bench/run-peers.sh $(BUILD)-bench/bench/tandem-peers $(BENCH_ARGS)

bench-traverse: program ## measure every traversal on every device; see docs/methods
	@bench/run-traverse.sh $(BUILD)/tandem $(BENCH_ARGS)

bench-rays: ## measure single rays against Embree; see bench/
	@echo "== bench-rays: builds the adapters of the other libraries in $(BUILD)-bench/ and casts the same rays by each"
	@$(SETUP) build bench
	@$(call build,bench,$(BUILD)-bench)
	@bench/run-rays.sh $(BUILD)-bench/bench/tandem-peers $(BENCH_ARGS)

bench-hierarchy: program ## measure builds and refits against Embree and FCL, the front, a continuous step; see bench/
	@echo "== bench-hierarchy: builds the adapters of the other libraries in $(BUILD)-bench/ and measures all side by side"
	@$(SETUP) build bench
	@$(call build,bench,$(BUILD)-bench)
	@bench/run-hierarchy.sh $(BUILD)/tandem $(BUILD)-bench/bench/tandem-peers $(BENCH_ARGS)

bench-pile: ## measure a pile of 512 cows against ODE and Bullet, step by step; see bench/
	@echo "== bench-pile: builds the adapters of the other libraries in $(BUILD)-bench/ and measures a pile of each"
	@$(SETUP) build bench
	@$(call build,bench,$(BUILD)-bench)
	@bench/run-pile.sh $(BUILD)-bench/bench/tandem-peers $(BENCH_ARGS)

bench-papers: program ## repeat what papers 000 to 004 measured, and how a step scales; see bench/
	@bench/run-papers.sh $(BUILD)/tandem $(BENCH_ARGS)

bench-view: program ## measure the page in a headless browser: 2,500 cows (size, opening, scrubbing), and Table 3 of paper 004
	@$(SETUP) build test
	@node viewer/tests/rendering.mjs $(BUILD)/tandem --csv bench/results/rendering.csv
	@node viewer/tests/large.mjs $(BUILD)/tandem --csv bench/results/view.csv $(BENCH_ARGS)

bench-ccd: program ## measure elementary continuous tests against Tight-Inclusion; see bench/
	@$(SETUP) bench-ccd
	@bench/run-ccd.sh $(BUILD)/src/libtandem.so $(BUILD) $(BENCH_ARGS)

format: ## format all C and C++ sources in place
	@scripts/format.sh

format-check: ## say which sources are not formatted
	@scripts/format.sh --check

lint: ## clang-tidy, cppcheck, shellcheck and the format; no finding is tolerated
	@$(SETUP) build test lint
	@$(CMAKE) --preset lint -B $(BUILD)-lint $(CMAKE_ARGS)
	@JOBS=$(JOBS) scripts/lint.sh $(BUILD)-lint

warnings: ## compile everything with gcc and with clang, warnings being errors
	@$(SETUP) build test lint
	@echo "== warnings: gcc"
	@$(call build,gcc,$(BUILD)-gcc)
	@echo "== warnings: clang"
	@$(call build,clang,$(BUILD)-clang)

sanitize: asan tsan ## run the tests under ASan with UBSan, and under TSan

asan:
	@echo "== sanitize: address and undefined behaviour, in $(BUILD)-asan/"
	@$(SETUP) build test
	@$(call build,asan,$(BUILD)-asan)
	@scripts/run-sanitized.sh $(call ctest,$(BUILD)-asan)

tsan:
	@echo "== sanitize: data races, in $(BUILD)-tsan/"
	@$(SETUP) build test
	@$(call build,tsan,$(BUILD)-tsan)
	@scripts/run-sanitized.sh $(call ctest,$(BUILD)-tsan)

oclgrind: ## run the kernels on a simulator that finds data races and accesses out of bounds
	@echo "== oclgrind: the tests of devices, built in $(BUILD)/, on a simulated device"
	@$(SETUP) build test oclgrind
	@$(call build,release,$(BUILD),-DTANDEM_TESTS=ON)
	@scripts/run-oclgrind.sh $(BUILD)

fuzz: ## run every fuzzer for FUZZ_SECONDS; FUZZ_KEEP=1 adds what they learnt to the corpus
	@$(SETUP) build test fuzz
	@$(call build,fuzz,$(BUILD)-fuzz)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) JOBS=$(JOBS) scripts/fuzz.sh $(BUILD)-fuzz

coverage: ## run the tests and write which lines they reach
	@$(SETUP) build test coverage
	@$(call build,coverage,$(BUILD)-coverage)
	@TD_TEST_QUICK=1 $(call ctest,$(BUILD)-coverage) -E '^(api_symbols|install)$$' # these are about the library as it is shipped
	@gcovr --root . --object-directory $(BUILD)-coverage --filter src/ --filter cli/ \
	    --html-details $(BUILD)-coverage/coverage.html --print-summary
	@echo "The lines are in $(BUILD)-coverage/coverage.html"

docs: ## API reference from the headers, as HTML
	@$(SETUP) docs
	@mkdir -p $(BUILD)/docs
	@DOCS_OUTPUT=$(BUILD)/docs doxygen docs/api/Doxyfile
	@echo "The API reference is $(BUILD)/docs/html/index.html"

install: program ## install below DESTDIR/PREFIX: library, headers, program, man pages, completions
	@DESTDIR=$(DESTDIR) $(CMAKE) --install $(BUILD)
	@cp $(BUILD)/install_manifest.txt $(BUILD)/installed.txt
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

uninstall: ## remove what make install put there
	@test -f $(BUILD)/installed.txt || { echo "uninstall: $(BUILD)/installed.txt is not there: nothing was installed \
	from this tree" >&2; exit 1; }
	@while read -r file || [ -n "$$file" ]; do rm -fv "$(DESTDIR)$$file"; done < $(BUILD)/installed.txt
	@rm -f $(BUILD)/installed.txt

clean: ## remove all that was built; what the demo wrote stays
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-fuzz $(BUILD)-bench $(BUILD)-lint $(BUILD)-gcc $(BUILD)-clang \
	    $(BUILD)-coverage
