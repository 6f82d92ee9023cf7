# Several documents with one model in memory, against one after the other.
$(OUT)/reader-bench: $(OUT)/tests/bench/reader_bench.o $(OUT)/libvlm.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_VLM)

READER_SHAPE ?= 4b
build/bench/reader-%.gguf: $(OUT)/make-synth
	@mkdir -p $(@D)
	$< $* Q4_K_M $@

reader-bench: all $(OUT)/make-synth $(OUT)/reader-bench build/bench/reader-$(READER_SHAPE).gguf  ## tokens/s and documents an hour with a reader and without, by turns (READER_SHAPE=4b; ARGS="4 32 5 2": answers, tokens, rounds, threads; tests/bench/reader.sh)
	$(OUT)/reader-bench build/bench/reader-$(READER_SHAPE).gguf $(ARGS)
	tests/bench/reader.sh

.PHONY: reader-bench
