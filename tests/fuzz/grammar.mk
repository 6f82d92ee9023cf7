# The automaton with its masks, and the unfencer; FUZZ_FLAGS of gguf.mk,
# FUZZ_SCHEMA_SRC of schema.mk.
FUZZ_GRAMMAR_SRC := $(wildcard vlm/grammar/*.c vlm/sample/*.c) tests/support/vocab_gen.c \
                    tests/support/schema_gen.c

$(FUZZ_DIR)/grammar-fuzz: tests/fuzz/grammar_fuzz.c tests/fuzz/entry.c $(FUZZ_SCHEMA_SRC) $(FUZZ_GRAMMAR_SRC)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=grammar_fuzz -o $@ $(filter %.c,$^) \
	    $(wildcard vlm/text/*.c vlm/model/*.c vlm/tensor/formats/quant*.c) vlm/tensor/formats/grids.c $(LIBS_VLM)

$(FUZZ_DIR)/unfence-fuzz: tests/fuzz/unfence_fuzz.c tests/fuzz/entry.c stages/ask/unfence.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=unfence_fuzz -o $@ $^ $(FUZZ_BASE) $(LIBS_VLM)

fuzz-grammar: $(FUZZ_DIR)/grammar-fuzz  ## fuzz the automaton for SECONDS=60
	@mkdir -p $(FUZZ_DIR)/grammar-corpus
	$< -max_total_time=$(SECONDS) -max_len=4096 -timeout=20 \
	    -rss_limit_mb=2048 -print_final_stats=1 $(FUZZ_DIR)/grammar-corpus \
	    tests/fuzz/seeds/grammar tests/fuzz/seeds/schema

fuzz-unfence: $(FUZZ_DIR)/unfence-fuzz  ## fuzz the unfencer for SECONDS=60
	@mkdir -p $(FUZZ_DIR)/unfence-corpus
	$< -max_total_time=$(SECONDS) -max_len=4096 -timeout=20 \
	    -print_final_stats=1 $(FUZZ_DIR)/unfence-corpus \
	    tests/fuzz/seeds/unfence

.PHONY: fuzz-grammar fuzz-unfence
