# The JSON reader, the schema loader with the validator, the XML reader:
# libFuzzer with ASan and UBSan (FUZZ_FLAGS and FUZZ_BASE of gguf.mk).
FUZZ_SCHEMA_SRC := $(FUZZ_BASE) $(wildcard vlm/schema/*.c)
FUZZ_XML_SRC := $(wildcard stages/record/xml*.c stages/record/xsd*.c stages/record/mapping*.c stages/record/schema_parts.c stages/record/record_schema.c stages/warnings.c)

$(FUZZ_DIR)/%-fuzz: tests/fuzz/%_fuzz.c tests/fuzz/entry.c $(FUZZ_SCHEMA_SRC) $(FUZZ_XML_SRC)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=$*_fuzz -o $@ $< tests/fuzz/entry.c \
	    $(FUZZ_SCHEMA_SRC) $(if $(filter xml,$*),$(FUZZ_XML_SRC) -lxml2) \
	    $(LIBS_VLM)

fuzz-json fuzz-schema fuzz-xml: fuzz-%: $(FUZZ_DIR)/%-fuzz  ## fuzz one reader for SECONDS=60
	@mkdir -p $(FUZZ_DIR)/$*-corpus
	$< -max_total_time=$(SECONDS) -max_len=4096 -timeout=20 \
	    -rss_limit_mb=2048 -print_final_stats=1 \
	    $(FUZZ_DIR)/$*-corpus tests/fuzz/seeds/$*

.PHONY: fuzz-json fuzz-schema fuzz-xml
