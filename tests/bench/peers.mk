# platen against llama.cpp, and the largest differences to the reference.
bench-peers: build/platen $(OUT)/make-synth  ## platen and llama.cpp by turns, as ratios (needs npm)
	tests/bench/peers.sh

golden: $(UNIT)  ## the largest difference of each fixture to the reference
	@$(UNIT) golden | grep -E '^golden:|FAILED|passed,'

bench-shapes: build/platen $(OUT)/make-synth  ## the true shapes with fewer layers, fast kernels against scalar
	tests/bench/shapes.sh

# Errors of the quantisers beside ggml's (needs npm, or PEER_LIBS).
$(OUT)/quantise-peer: $(OUT)/tests/bench/quantise_peer.o $(OUT)/libvlm.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_VLM) -ldl

quantise-peer: $(OUT)/quantise-peer  ## errors of our quantisers and of llama.cpp's on the same tensors (needs npm)
	tests/bench/peer_libs.sh > build/peer-libs
	$< "$$(cat build/peer-libs)"

.PHONY: bench-peers bench-shapes golden quantise-peer
