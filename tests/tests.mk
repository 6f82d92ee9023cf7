# Running platen and its tests; the two commands of the README.

# a person who says nothing means all processors
MANY = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

run:  ## install what is missing, build, work off samples/, show the records
	@mkdir -p build && tests/deps.sh run
	@$(MAKE) --no-print-directory $(MANY) all
	@tests/samples.sh

test:  ## install what is missing, build, run all tests; T=part-of-a-name
	@mkdir -p build && tests/deps.sh test
	@$(MAKE) --no-print-directory $(MANY) all $(OUT)/unit-tests $(OUT)/fleet-hand
	@UNIT=$(OUT)/unit-tests tests/run $(T)

test-quick:  ## the same without the tests that take seconds each: a minute on two cores
	@mkdir -p build && tests/deps.sh test
	@$(MAKE) --no-print-directory $(MANY) all $(OUT)/unit-tests $(OUT)/fleet-hand
	@UNIT=$(OUT)/unit-tests tests/run --quick

faults:  ## all fault runs in full: kills, errors, storms, power cuts (root)
	@$(MAKE) --no-print-directory all
	@tests/faults/kill.sh
	@tests/faults/kill.sh 1 stack
	@tests/faults/kill.sh 1 mail
	@tests/faults/kill.sh 1 retry
	@tests/faults/serve_kill.sh 1
	@tests/faults/errors.sh
	@tests/faults/errors.sh 5 stack
	@tests/faults/storm.sh 5000 120
	@tests/faults/storm2.sh 1000 400 null
	@tests/faults/storm2.sh 1000 400 endpoint
	@tests/faults/storm2.sh 1000 400 native
	@tests/faults/cut.sh
	@tests/faults/cut.sh 5 stack
	@tests/faults/cut_review.sh
	@tests/faults/fleet.sh 10000 120
	@tests/faults/order.sh
	@tests/faults/alloc.sh
	@tests/faults/alloc.sh 20 stack
	@$(MAKE) --no-print-directory MODE=asan build/asan/platen build/asan/platen-raster
	@PLATEN=build/asan/platen tests/faults/alloc.sh 20

mutants:  ## takes away every fsync, lock and check, one at a time; T=part-of-a-name
	@tests/mutants.py $(T)

long:  ## statements of 20,000 rows, scans, 2,000 pages, 50 kills; T=rows|errors|flight|scans|ocr|memory|kills
	@$(MAKE) --no-print-directory all
	@tests/long.sh $(T)

long-embedded:  ## the embedded model: 40 receipts as one list against the same ones alone (DOCS=40)
	@$(MAKE) --no-print-directory all
	@$(PYTHON_TRAIN) tests/long_embedded.py build/platen --pages $(or $(DOCS),40)

distros:  ## run and test in bare Debian 12 and 13 systems (root); T=bookworm|trixie for one
	@tests/distros.sh $(T)

N ?= 2000
mixed:  ## a hot folder of N=2000 mixed files, all samples in folders, and broken ones (ENGINE=null: no model)
	@$(MAKE) --no-print-directory all
	@tests/mixed.sh $(N)

MINUTES ?= 30
soak:  ## four watchers in bad weather for MINUTES=30; root for a full disk
	@$(MAKE) --no-print-directory all
	@tests/faults/soak.py $$(($(MINUTES) * 60))

soak-serve:  ## 200 documents over HTTP while four watchers run and the server is killed five times
	@$(MAKE) --no-print-directory all
	@tests/faults/serve_soak.py build/platen

api-check:  ## platen serve against its OpenAPI description, SECONDS=600; needs schemathesis (PyPI)
	@$(MAKE) --no-print-directory all
	@tests/schemathesis.sh $(or $(SECONDS),600)

bench-spool: all  ## pickup of dropped files, idle cost with 10,000 in done/
	@tests/bench/spool.sh

PREFIX ?= /usr/local
bindir  = $(DESTDIR)$(PREFIX)/bin
libexec = $(DESTDIR)$(PREFIX)/libexec/platen
share   = $(DESTDIR)$(PREFIX)/share

# where a distribution may want them elsewhere
unitdir ?= $(PREFIX)/lib/systemd/system
bashdir ?= $(PREFIX)/share/bash-completion/completions
zshdir  ?= $(PREFIX)/share/zsh/site-functions
fishdir ?= $(PREFIX)/share/fish/vendor_completions.d
UNITS    := $(notdir $(wildcard pipeline/ops/systemd/*.service pipeline/ops/systemd/*.timer))
EXAMPLES := $(wildcard pipeline/ops/systemd/*.conf pipeline/ops/prometheus/platen.rules.yml pipeline/ops/prometheus/platen.board.json)
# those that README.md leads to, and where these lead: under the same names
DOCS     := $(wildcard docs/*.md docs/*.png docs/notes/*.md pipeline/README.md pipeline/ops/fleet.md schemas/README.md \
            stages/README.md tests/README.md vlm/README.md vlm/MODEL.md vlm/SPEED.md vlm/device/gpu/README.md vlm/device/gpu/KERNELS.md vlm/device/gpu/WORK.md \
            vlm/train/MODEL_CARD.md)

$(OUT)/completion.%: $(PROGRAM)
	PLATEN_CONFIG= $(PROGRAM) config --completion $* > $@.tmp
	mv $@.tmp $@

install: all $(addprefix $(OUT)/completion.,bash zsh fish)  ## program, schemas, model, man pages, completions, systemd units, documents (PREFIX, DESTDIR)
	install -d $(bindir) $(libexec) $(share)/platen/schemas/ocr $(share)/platen/embedded $(share)/man/man1 $(share)/man/man5 $(share)/doc/platen/examples $(DESTDIR)$(unitdir)
	install $(PROGRAM) $(bindir)/platen
	install $(RASTER) $(libexec)/platen-raster
	install $(OCR) $(libexec)/platen-ocr
	install $(MARK) $(libexec)/platen-annotate
	install -m 644 $(wildcard schemas/*.*) $(share)/platen/schemas
	install -m 644 schemas/ocr/* $(share)/platen/schemas/ocr
	install -m 644 vlm/embedded/*.gguf $(share)/platen/embedded
	install -m 644 pipeline/man/platen.1 $(share)/man/man1
	install -m 644 pipeline/man/platen.conf.5 pipeline/man/platen-record.5 $(share)/man/man5
	install -m 644 README.md LICENSE pipeline/ops/status.schema.json $(share)/doc/platen
	install -m 644 $(EXAMPLES) $(share)/doc/platen/examples
	for doc in $(DOCS); do install -D -m 644 $$doc $(share)/doc/platen/$$doc || exit 1; done
	for unit in $(UNITS); do \
		sed 's|/usr/bin/platen|$(PREFIX)/bin/platen|' "pipeline/ops/systemd/$$unit" > "$(DESTDIR)$(unitdir)/$$unit" && \
		chmod 644 "$(DESTDIR)$(unitdir)/$$unit" || exit 1; done
	install -D -m 644 $(OUT)/completion.bash $(DESTDIR)$(bashdir)/platen
	install -D -m 644 $(OUT)/completion.zsh $(DESTDIR)$(zshdir)/_platen
	install -D -m 644 $(OUT)/completion.fish $(DESTDIR)$(fishdir)/platen.fish

uninstall:  ## takes away what install put there
	rm -rf $(bindir)/platen $(libexec) $(share)/platen $(share)/doc/platen $(share)/man/man1/platen.1 $(share)/man/man5/platen.conf.5 $(share)/man/man5/platen-record.5
	rm -f $(addprefix $(DESTDIR)$(unitdir)/,$(UNITS)) $(DESTDIR)$(bashdir)/platen $(DESTDIR)$(zshdir)/_platen $(DESTDIR)$(fishdir)/platen.fish

.PHONY: run test distros faults long long-embedded mutants soak soak-serve api-check bench-spool install uninstall
