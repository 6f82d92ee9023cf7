# Where the embedded model's values stand by its attention alone.
LOOK_PROBE := $(OUT)/look-probe
$(LOOK_PROBE): $(call obj,tests/eval/look_probe.c) $(OUT)/libplaten.a $(OUT)/libvlm.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(LIBS_PLATEN) $(LIBS_VLM)

eval-attention: all $(LOOK_PROBE)  ## boxes of the embedded model's values without any text (DOCS=200 of each kind)
	@$(PYTHON_TRAIN) tests/eval/attention.py --probe $(LOOK_PROBE) --docs $(or $(DOCS),200) --gate

.PHONY: eval-attention

# What speaks for print that is taken for a value.
PRINT_PROBE := $(OUT)/print-probe
$(PRINT_PROBE): $(call obj,tests/eval/print_probe.c) $(OUT)/libplaten.a $(OUT)/libvlm.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(LIBS_PLATEN) $(LIBS_VLM)
