# libFuzzer under ASan and UBSan: needs clang. Each target is linked against
# archives of the whole program and of its children, so that none has a list of
# sources that goes stale. Seeds lie in tests/fuzz/seeds/TARGET.
FUZZ_CC   ?= clang
FUZZ_DIR  := build/fuzz
SECONDS   ?= 60
EACH      ?= 600
FLAGS_fuzz := -DFUZZING -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined

FUZZ_TARGETS := $(patsubst tests/fuzz/%_fuzz.c,%,$(wildcard tests/fuzz/*_fuzz.c))
FUZZ_LONG_gguf         := 400000
FUZZ_LONG_messages     := 1024
# readers need the engines, which it only links: with the kernels of the release
FUZZ_ARCHIVE_messages  := build/release/libvlm.a
FUZZ_LONG_model_server := 512
FUZZ_SEEDS_grammar     := tests/fuzz/seeds/schema

ifeq ($(MODE),fuzz)
CC := $(FUZZ_CC)
# no target computes with a model: its kernels take minutes to compile
FUZZ_SRC := $(filter-out vlm/tensor/x86/% vlm/tensor/plain/% vlm/tensor/body/% vlm/device/gpu/% vlm/device/cpu/%,$(VLM_SRC) $(STAGE_SRC) $(PIPE_SRC)) \
            $(wildcard tests/fuzz/messages/*.c) tests/support/false_device.c tests/support/vocab_gen.c tests/support/schema_gen.c
FUZZ_CHILD_SRC := $(filter-out $(FUZZ_SRC),$(sort $(RASTER_SRC) $(OCR_SRC) $(MARK_SRC)))

$(OUT)/libfuzz.a: $(call obj,$(FUZZ_SRC) $(FUZZ_CHILD_SRC))
	@rm -f $@
	@ar rcs $@ $^

# a target that includes a source has all that the source defines
$(FUZZ_TARGETS:%=$(FUZZ_DIR)/%-fuzz): $(FUZZ_DIR)/%-fuzz: $(OUT)/tests/fuzz/%_fuzz.o tests/fuzz/entry.c $(OUT)/libfuzz.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -DFUZZ_TARGET=$*_fuzz -o $@ $(if $(filter gguf,$*),$<,$(wordlist 1,2,$^)) $(OUT)/libfuzz.a $(FUZZ_ARCHIVE_$*) \
	    -Wl,--as-needed $(LIBS_PLATEN) $(LIBS_VLM) $(call pkg,--libs,$(RASTER_PKGS) $(OCR_PKGS))
$(OUT)/tests/fuzz/annotate_fuzz.o: CPPFLAGS_ALL += $(call pkg,--cflags,$(MARK_PKGS))
endif

$(FUZZ_TARGETS:%=fuzz-%): fuzz-%: fuzz-programs $(OUT)/make-synth  ## fuzz TARGET (a name of tests/fuzz/TARGET_fuzz.c) for SECONDS=60
	@mkdir -p $(FUZZ_DIR)/$*-corpus $(FUZZ_DIR)/gguf-seeds
	@[ $* != gguf ] || for m in "F16 text mtp" "Q8_0 variant variant" "F32 vision vision"; do set -- $$m; \
	    $(OUT)/make-synth nano $$1 $(FUZZ_DIR)/gguf-seeds/$$2.gguf $$3; done
	$(FUZZ_DIR)/$*-fuzz -max_total_time=$(SECONDS) -max_len=$(or $(FUZZ_LONG_$*),4096) -timeout=20 \
	    -rss_limit_mb=2048 -print_final_stats=1 $(FUZZ_DIR)/$*-corpus \
	    $(wildcard tests/fuzz/seeds/$*) $(if $(filter gguf,$*),$(FUZZ_DIR)/gguf-seeds) $(FUZZ_SEEDS_$*)

fuzz-programs: build/release/libvlm.a
	@$(MAKE) --no-print-directory MODE=fuzz $(FUZZ_TARGETS:%=$(FUZZ_DIR)/%-fuzz)

fuzz:  ## every fuzz target for EACH=600 seconds
	@$(MAKE) --no-print-directory SECONDS=$(EACH) $(FUZZ_TARGETS:%=fuzz-%) fuzz-whole

# A million spoilt headers, with gcc's ASan and UBSan; half an hour on one core.
build/asan/gguf-mutate: build/asan/tests/fuzz/gguf_mutate.o \
                        build/asan/tests/fuzz/gguf_fuzz.o build/asan/libvlm.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_VLM)

MUTATIONS ?= 1000000
gguf-mutate: $(OUT)/make-synth  ## MUTATIONS=1000000 spoilt model headers under ASan and UBSan
	@$(MAKE) --no-print-directory MODE=asan build/asan/gguf-mutate
	@mkdir -p build/mutate
	@$(OUT)/make-synth nano F16 build/mutate/text.gguf mtp
	@$(OUT)/make-synth nano Q8_0 build/mutate/variant.gguf variant
	@$(OUT)/make-synth nano F32 build/mutate/vision.gguf vision
	build/asan/gguf-mutate $(MUTATIONS) 1 build/mutate/*.gguf

# The whole program, on files and answers of any kind; and fresh damaged files, of
# which whatever is missing must be reported. Both need python3-pil.
PYTHON_PIL := $(shell for p in python3 /usr/bin/python3; do "$$p" -c 'import PIL' 2> /dev/null && echo $$p && break; done)

fuzz-whole:  ## platen under ASan on thin pictures and printed pages, with hostile answers, for SECONDS=60 (SEED=1)
	@$(MAKE) --no-print-directory MODE=asan build/asan/platen build/asan/platen-raster build/asan/platen-ocr build/asan/platen-annotate
	@$(PYTHON_PIL) tests/fuzz/whole.py build/asan/platen --seconds $(SECONDS) --seed $(or $(SEED),1) --keep build/fuzz/whole

damage: all  ## N=5000 fresh thin, cut and damaged files: whatever is missing from one is reported (SEED=1)
	@mkdir -p build/fuzz/damage
	@$(PYTHON_PIL) tests/support/damage.py build/platen-raster --n $(or $(N),5000) --seed $(or $(SEED),1) --keep build/fuzz/damage

.PHONY: $(FUZZ_TARGETS:%=fuzz-%) fuzz-programs fuzz fuzz-whole gguf-mutate damage
