# libFuzzer with ASan and UBSan; needs clang. Seeds are made, not kept.
FUZZ_CC   ?= clang
FUZZ_DIR  := build/fuzz
SECONDS   ?= 60
FUZZ_FLAGS := -O1 -g -fno-omit-frame-pointer \
              -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
# all of it, so that no target breaks when one of its files needs another
FUZZ_BASE := $(wildcard vlm/base/*.c vlm/json/*.c)

$(FUZZ_DIR)/gguf-fuzz: tests/fuzz/gguf_fuzz.c $(VLM_SRC)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) -o $@ $< \
	    $(FUZZ_BASE) $(wildcard vlm/model/*.c vlm/text/*.c) \
	    $(wildcard vlm/tensor/formats/quant*.c) vlm/tensor/formats/grids.c $(LIBS_VLM)

fuzz-gguf: $(FUZZ_DIR)/gguf-fuzz $(OUT)/make-synth  ## fuzz model files for SECONDS=60
	@mkdir -p $(FUZZ_DIR)/gguf-seeds $(FUZZ_DIR)/gguf-corpus
	@$(OUT)/make-synth nano F16 $(FUZZ_DIR)/gguf-seeds/text.gguf mtp
	@$(OUT)/make-synth nano Q8_0 $(FUZZ_DIR)/gguf-seeds/variant.gguf variant
	@$(OUT)/make-synth nano F32 $(FUZZ_DIR)/gguf-seeds/vision.gguf vision
	$< -max_total_time=$(SECONDS) -max_len=400000 -rss_limit_mb=2048 \
	    -print_final_stats=1 $(FUZZ_DIR)/gguf-corpus $(FUZZ_DIR)/gguf-seeds

.PHONY: fuzz-gguf

# The headers of safetensors files.
FUZZ_CONVERT_SRC := $(addprefix vlm/convert/,checkpoint.c hf_matrix.c tensor_plan.c)

$(FUZZ_DIR)/safetensors-fuzz: tests/fuzz/safetensors_fuzz.c tests/fuzz/entry.c $(FUZZ_BASE) $(FUZZ_CONVERT_SRC)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) -DFUZZ_TARGET=safetensors_fuzz -o $@ $< tests/fuzz/entry.c \
	    $(FUZZ_BASE) $(FUZZ_CONVERT_SRC) $(wildcard vlm/tensor/formats/quant*.c) vlm/tensor/formats/grids.c $(LIBS_VLM)

fuzz-safetensors: $(FUZZ_DIR)/safetensors-fuzz  ## fuzz headers of checkpoints for SECONDS=60
	@mkdir -p $(FUZZ_DIR)/safetensors-corpus
	$< -max_total_time=$(SECONDS) -max_len=4096 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
	    $(FUZZ_DIR)/safetensors-corpus tests/fuzz/seeds/safetensors

.PHONY: fuzz-safetensors

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

.PHONY: gguf-mutate

# Requests of clients to the model server.
$(FUZZ_DIR)/model-server-fuzz: tests/fuzz/model_server_fuzz.c tests/fuzz/entry.c tests/support/false_device.c vlm/device/device.c \
                         $(wildcard vlm/model_server/serve*.c) $(FUZZ_BASE)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) -DFUZZ_TARGET=model_server_fuzz -o $@ $^ $(LIBS_VLM)

fuzz-model-server: $(FUZZ_DIR)/model-server-fuzz  ## fuzz requests to the model server for SECONDS=60
	@mkdir -p $(FUZZ_DIR)/model-server-corpus
	$< -max_total_time=$(SECONDS) -max_len=512 -timeout=20 -rss_limit_mb=2048 \
	    -print_final_stats=1 $(FUZZ_DIR)/model-server-corpus tests/fuzz/seeds/model_server

.PHONY: fuzz-model-server
