# The tests of tests/kernels on the machine's own driver (tests/gpu/real.c).
GPU_PROOF := $(OUT)/gpu-proof
GPU_PROOF_SRC := $(addprefix tests/support/,main.c golden.c gpu_desk.c gpu_host.c gpu_kernels.c gpu_race.c gpu_scene.c) \
  $(addprefix tests/kernels/gpu_,answer_test.c attend_test.c device_test.c experts_test.c eye_test.c layers_test.c product_test.c)
$(GPU_PROOF): $(call obj,tests/gpu/real.c $(GPU_PROOF_SRC)) $(OUT)/libvlm.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(LIBS_VLM) -ldl -lcmocka

gpu-proof: $(GPU_PROOF)  ## the kernels' tests on the GPU of this machine
.PHONY: gpu-proof

# A libcuda.so.1 that measures every launch.
GPU_TIMED := $(OUT)/gpu-timed/libcuda.so.1
$(GPU_TIMED): tests/gpu/timed.c tests/gpu/work.c $(wildcard tests/gpu/work.h vlm/device/gpu/kernels/gpu_args.h vlm/device/gpu/gpu_cuda.h)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(CSTD) $(WARN) -O2 -fPIC -shared -I. -o $@ $(filter %.c,$^) -ldl

gpu-timed: $(GPU_TIMED)  ## a driver library that measures each launch
.PHONY: gpu-timed

# What the device reaches at best.
GPU_LIMITS := $(OUT)/gpu-limits
$(OUT)/gpu-limits.ptx: tests/gpu/limits.cu tests/gpu/limits.h vlm/device/gpu/kernels/gpu_lang.h vlm/device/gpu/kernels/gpu_args.h
	@echo "  PTX $<"
	@$(GPU_CLANG) $(GPU_CUDA) -S -o $@ $<
$(GPU_LIMITS): tests/gpu/limits.c $(OUT)/gpu-limits.ptx
	@echo "  LD $@"
	@$(CC) $(CSTD) $(WARN) -O2 -I. -DLIMITS_PTX='"$(OUT)/gpu-limits.ptx"' -o $@ $< -ldl

# The formulas of tests/gpu/work.c beside the bytes that the host's kernels touch.
GPU_COUNTED := $(OUT)/gpu-counted
$(GPU_COUNTED): $(call obj,tests/gpu/counted.c tests/gpu/work.c tests/support/gpu_fake.c $(GPU_PROOF_SRC)) $(OUT)/libvlm.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(LIBS_VLM) -lcmocka

GPU_WORK := $(OUT)/gpu-work
$(GPU_WORK): $(call obj,tests/gpu/work_table.c tests/gpu/work.c)
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^
gpu-work: $(GPU_WORK)  ## bytes and operations of each kernel (UPDATE=1 writes the table)
	@$< > $(OUT)/gpu-work.md
	@$(if $(UPDATE),cp $(OUT)/gpu-work.md vlm/device/gpu/WORK.md,cmp $(OUT)/gpu-work.md vlm/device/gpu/WORK.md)

# A model of the time of each instance (GPU_PREDICT).
GPU_PREDICT := $(OUT)/gpu-predict
$(GPU_PREDICT): tests/gpu/predict.c vlm/device/gpu/kernels/gpu_args.h
	@echo "  LD $@"
	@$(CC) $(CSTD) $(WARN) -O2 -I. -o $@ $< -lm
gpu-predict: $(GPU_PREDICT)  ## the time of each product's instances on known cards, by a model
	@$<

# llama.cpp beside it (prove -l).
PEER := $(OUT)/peer
$(PEER): tests/bench/peer.c
	@echo "  LD $@"
	@$(CC) $(CSTD) $(WARN) -O2 -o $@ $< -ldl

# All that tests/gpu/prove runs, in a source tree; and its rehearsal on a driver of ours.
gpu-tools: all $(GPU_PROOF) $(GPU_TIMED) $(GPU_LIMITS) $(GPU_PREDICT) $(OUT)/make-synth $(PEER)  ## what tests/gpu/prove runs
prove-fake: gpu-tools fake-gpu  ## tests/gpu/prove on a driver of ours, small (two minutes)
	@mkdir -p $(OUT)/prove-fake
	GPU_FAKE=$(CURDIR)/$(OUT)/prove-fake GPU_REAL=$(CURDIR)/$(FAKE_GPU) LD_LIBRARY_PATH=$(CURDIR)/$(dir $(FAKE_GPU)) \
	  tests/gpu/prove -s -o $(OUT)/gpu-proof-small $(PROVE)
.PHONY: gpu-work gpu-predict gpu-tools prove-fake
