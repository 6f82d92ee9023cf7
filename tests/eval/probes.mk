# What the embedded model answers, with its probabilities.
ANSWER_PROBE := $(OUT)/answer-probe
$(ANSWER_PROBE): $(call obj,tests/eval/answer_probe.c) $(OUT)/libplaten.a $(OUT)/libvlm.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(LIBS_PLATEN) $(LIBS_VLM)
