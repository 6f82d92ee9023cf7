# The vision encoder with the 0.8B shape in F32, share of the FP32 peak.
$(OUT)/vision-bench: $(OUT)/tests/bench/vision_bench.o $(OUT)/libvlm.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_VLM)

build/bench/mmproj-0.8b-f32.gguf: $(OUT)/make-synth
	@mkdir -p $(@D)
	$< 0.8b F32 $@ vision

bench-vision: $(OUT)/vision-bench build/bench/mmproj-0.8b-f32.gguf  ## the vision encoder, share of the FP32 peak
	$< build/bench/mmproj-0.8b-f32.gguf $(ARGS)

.PHONY: bench-vision
