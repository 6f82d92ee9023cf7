# The vision encoder with the 0.8B shape: exact, and fast with each of the
# machine's units, by turns; the last lines are the ratios.
$(OUT)/vision-bench: $(OUT)/tests/bench/vision_bench.o $(OUT)/libvlm.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_VLM)

build/bench/mmproj-0.8b-f32.gguf: $(OUT)/make-synth
	@mkdir -p $(@D)
	$< 0.8b F32 $@ vision

bench-vision: $(OUT)/vision-bench build/bench/mmproj-0.8b-f32.gguf  ## the vision encoder exact and fast by turns: ratios, share of the FP32 peak (ARGS="1024 1024 2 5 01")
	$< build/bench/mmproj-0.8b-f32.gguf $(ARGS)

bench-page: $(OUT)/vision-bench build/bench/mmproj-0.8b-f32.gguf  ## an A4 page at 300 dpi, 34,320 patches, fast: time and peak memory (minutes of CPU)
	/usr/bin/time -f '%M KiB resident at most' $< build/bench/mmproj-0.8b-f32.gguf 2480 3508 $(or $(THREADS),2) 1 1

.PHONY: bench-vision bench-page
