# The products alone, against the machine's measured limits.
$(OUT)/matmul-bench: $(OUT)/tests/bench/matmul_bench.o $(OUT)/libvlm.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_VLM)

bench-matmul: $(OUT)/matmul-bench  ## products of real shapes, share of the machine's limits
	$< $(ARGS)

.PHONY: bench-matmul
