# A libcuda.so.1 of ours, for the program as it is built (tests/e2e/gpu.sh).
FAKE_GPU := $(OUT)/fake-gpu/libcuda.so.1
# (warnings: these texts have theirs where the unit tests are built)
FAKE_SRC := tests/preload/gpu_library.c tests/support/gpu_kernels.c $(addprefix vlm/tensor/formats/,quant.c grids.c)
$(FAKE_GPU): $(FAKE_SRC) $(wildcard tests/gpu/limits.* tests/support/gpu_*.[ch] vlm/device/gpu/*.h vlm/device/gpu/kernels/*.h)
	@mkdir -p $(@D)
	@echo "  LD $@"
	@$(CC) $(CSTD) -w -O2 -fPIC -shared -I. -o $@ $(FAKE_SRC) -lm

fake-gpu: $(FAKE_GPU)  ## a driver library of ours, whose GPU is this processor

# The program as it is where no clang makes PTX: one object is another.
NO_GPU := $(OUT)/platen-no-gpu
$(NO_GPU): vlm/device/gpu/gpu_ptx.c $(PROGRAM)
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) -c -o $@.o $<
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $(OUT)/pipeline/main.o $@.o \
	  $(OUT)/libplaten.a $(OUT)/libvlm.a $(LIBS_PLATEN) $(LIBS_VLM)

no-gpu: $(NO_GPU)  ## the program without kernels for a GPU
.PHONY: fake-gpu no-gpu
