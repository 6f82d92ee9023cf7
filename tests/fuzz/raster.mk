# EXIF blocks, streams of PDFs, e-invoices, and what children say: platen-raster, -read, -mark; FUZZ_FLAGS of gguf.mk.
FUZZ_RASTER_SRC := stages/child.c stages/jail.c stages/document.c stages/warnings.c stages/pages.c stages/page/glance.c stages/page/levels.c \
                   stages/packed_words.c stages/packed_invoice.c $(FUZZ_BASE)

$(FUZZ_DIR)/exif-fuzz: tests/fuzz/exif_fuzz.c tests/fuzz/entry.c stages/raster/exif.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=exif_fuzz -o $@ $^ $(FUZZ_BASE) $(LIBS_VLM)

$(FUZZ_DIR)/pdf-fuzz: tests/fuzz/pdf_fuzz.c tests/fuzz/entry.c $(addprefix stages/raster/,fax.c jbig2.c pdf_decode.c pdf_tokens.c)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=pdf_fuzz -o $@ $^ $(FUZZ_BASE) $(LIBS_VLM) $(call pkg,--libs,libtiff-4 zlib)

$(FUZZ_DIR)/raster-fuzz: tests/fuzz/raster_fuzz.c tests/fuzz/entry.c stages/rasterise.c $(FUZZ_RASTER_SRC)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=raster_fuzz -o $@ $(filter-out stages/rasterise.c,$^) $(LIBS_VLM)

$(FUZZ_DIR)/second-fuzz: tests/fuzz/second_fuzz.c tests/fuzz/entry.c stages/second_reader.c stages/second_figures.c stages/page/script.c $(FUZZ_RASTER_SRC)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=second_fuzz -o $@ $(filter-out stages/second_reader.c,$^) $(LIBS_VLM)

$(FUZZ_DIR)/mark-fuzz: tests/fuzz/mark_fuzz.c tests/fuzz/entry.c stages/marker.c $(FUZZ_RASTER_SRC)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=mark_fuzz -o $@ $(filter-out stages/marker.c,$^) $(LIBS_VLM)

$(FUZZ_DIR)/invoice-fuzz: tests/fuzz/invoice_fuzz.c tests/fuzz/entry.c \
                          $(wildcard stages/raster/cii*.c stages/evidence/invoice_*.c stages/evidence/locate_*.c stages/print/*.c stages/page/canon*.c) \
                          stages/evidence/locate.c stages/page/lines.c stages/packed_invoice.c stages/packed_words.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=invoice_fuzz -o $@ $^ $(FUZZ_BASE) $(LIBS_VLM) -lxml2

fuzz-exif fuzz-pdf fuzz-raster fuzz-second fuzz-mark fuzz-invoice: fuzz-%: $(FUZZ_DIR)/%-fuzz  ## fuzz EXIF blocks, streams of PDFs, the protocols of children, e-invoices for SECONDS=60
	@mkdir -p $(FUZZ_DIR)/$*-corpus
	$< -max_total_time=$(SECONDS) -max_len=4096 -timeout=20 \
	    -rss_limit_mb=2048 -print_final_stats=1 \
	    $(FUZZ_DIR)/$*-corpus tests/fuzz/seeds/$*

.PHONY: fuzz-exif fuzz-pdf fuzz-raster fuzz-second fuzz-mark fuzz-invoice
