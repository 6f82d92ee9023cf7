# mask.mk - constrained decoding: what it costs, and whether it holds.

MASK_SUPPORT := tests/support/schema_gen.c tests/support/vocab_gen.c \
                tests/support/adversary.c

$(OUT)/mask-bench: $(call obj,tests/bench/mask_bench.c $(MASK_SUPPORT)) $(OUT)/libvlm.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_VLM)

$(OUT)/adversary-bench: $(call obj,tests/bench/adversary_bench.c $(MASK_SUPPORT)) $(OUT)/libvlm.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_VLM)

$(OUT)/adversary-model: $(call obj,tests/bench/adversary_model.c $(MASK_SUPPORT) $(SYNTH_SRC)) $(OUT)/libvlm.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_VLM)

bench-mask: $(OUT)/mask-bench  ## cost of a mask per sampled token, 248,320 rows
	$<

adversary: $(OUT)/adversary-bench  ## 100,000 answers by random choice (N=, SEED=)
	$< $(or $(N),100000) $(or $(SEED),1)

adversary-model: $(OUT)/adversary-model  ## the same by models of random weights, temperature 1.5 (N=)
	$< $(or $(N),100000) $(or $(SEED),1)

.PHONY: bench-mask adversary adversary-model
