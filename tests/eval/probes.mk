# What the embedded model answers, with its probabilities.
ANSWER_PROBE := $(OUT)/answer-probe
$(ANSWER_PROBE): $(call obj,tests/eval/answer_probe.c) $(OUT)/libplaten.a $(OUT)/libvlm.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(LIBS_PLATEN) $(LIBS_VLM)

# Records compared with earlier ones (archive.py).
ARCHIVE_PROBE := $(OUT)/archive-probe
$(ARCHIVE_PROBE): $(call obj,tests/eval/archive_probe.c) $(OUT)/libplaten.a $(OUT)/libvlm.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(LIBS_PLATEN) $(LIBS_VLM)

eval-archive: $(ARCHIVE_PROBE)
	python3 tests/eval/archive.py $(ARCHIVE_PROBE)
