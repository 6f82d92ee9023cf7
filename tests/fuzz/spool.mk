# Names, and the files of a document's folder: reason, attempts, name
# (FUZZ_FLAGS of gguf.mk, FUZZ_SCHEMA_SRC of schema.mk).
$(FUZZ_DIR)/name-fuzz: tests/fuzz/name_fuzz.c tests/fuzz/entry.c pipeline/spool/file_name.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=name_fuzz -o $@ $^ $(FUZZ_BASE) $(LIBS_VLM)

$(FUZZ_DIR)/folder-fuzz: tests/fuzz/folder_fuzz.c tests/fuzz/entry.c \
                         $(filter-out pipeline/spool/spool_index.c,$(wildcard pipeline/spool/*.c))
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=folder_fuzz -o $@ $^ stages/reason.c stages/warnings.c \
	    $(addprefix stages/record/,correct.c review_items.c record_format.c) \
	    $(FUZZ_BASE) $(LIBS_VLM)

fuzz-name fuzz-folder: fuzz-%: $(FUZZ_DIR)/%-fuzz  ## fuzz what a spool holds for SECONDS=60
	@mkdir -p $(FUZZ_DIR)/$*-corpus
	$< -max_total_time=$(SECONDS) -max_len=4096 -timeout=20 \
	    -rss_limit_mb=2048 -print_final_stats=1 \
	    $(FUZZ_DIR)/$*-corpus tests/fuzz/seeds/$*

.PHONY: fuzz-name fuzz-folder
