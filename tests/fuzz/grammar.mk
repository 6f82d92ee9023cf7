# The automaton with its masks, the unfencer, and replies of endpoints; FUZZ_FLAGS of gguf.mk,
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

$(FUZZ_DIR)/completion-fuzz: tests/fuzz/completion_fuzz.c tests/fuzz/entry.c \
                             $(addprefix stages/engine/,engine_endpoint_reply.c endpoint_dialect.c event_stream.c)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=completion_fuzz -o $@ $^ $(FUZZ_BASE) $(LIBS_VLM)

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

fuzz-completion: $(FUZZ_DIR)/completion-fuzz  ## fuzz replies of endpoints for SECONDS=60
	@mkdir -p $(FUZZ_DIR)/completion-corpus
	$< -max_total_time=$(SECONDS) -max_len=4096 -timeout=20 \
	    -print_final_stats=1 $(FUZZ_DIR)/completion-corpus \
	    tests/fuzz/seeds/completion

.PHONY: fuzz-grammar fuzz-unfence fuzz-completion
