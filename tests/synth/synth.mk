# Model files with random weights: `make synth`, then build/release/make-synth.
SYNTH := $(OUT)/make-synth
$(SYNTH): $(call obj,tests/synth/make_synth.c $(SYNTH_SRC)) $(OUT)/libvlm.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_VLM)

synth: $(SYNTH)  ## build the writer of random model files

.PHONY: synth
