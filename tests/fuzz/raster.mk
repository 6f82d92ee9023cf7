# EXIF blocks, streams of PDFs, pictures, e-invoices, and what children say: platen-raster, -ocr, -annotate; FUZZ_FLAGS of gguf.mk.
FUZZ_RASTER_SRC := stages/children/child.c stages/children/jail.c stages/children/spawn.c stages/children/spawner.c stages/children/ocr_languages.c stages/children/ocr_scripts.c stages/document.c stages/warnings.c stages/input/page_range.c stages/page/thumbnail.c stages/page/levels.c \
                   stages/children/packed_words.c stages/children/packed_invoice.c $(FUZZ_BASE)

$(FUZZ_DIR)/exif-fuzz: tests/fuzz/exif_fuzz.c tests/fuzz/entry.c stages/children/raster/exif.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=exif_fuzz -o $@ $^ $(FUZZ_BASE) $(LIBS_VLM)

$(FUZZ_DIR)/pdf-fuzz: tests/fuzz/pdf_fuzz.c tests/fuzz/entry.c $(addprefix stages/children/raster/pdf/,fax.c jbig2.c pdf_decode.c pdf_tokens.c)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=pdf_fuzz -o $@ $^ $(FUZZ_BASE) $(LIBS_VLM) $(call pkg,--libs,libtiff-4 zlib)

$(FUZZ_DIR)/picture-fuzz: tests/fuzz/picture_fuzz.c tests/fuzz/entry.c stages/children/installed.c $(addprefix stages/children/raster/,$(PICTURE_NAMES))
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) $(call pkg,--cflags,libheif libopenjp2) \
	    -DFUZZ_TARGET=picture_fuzz -o $@ $^ $(FUZZ_BASE) $(LIBS_VLM) $(call pkg,--libs,libheif libopenjp2)

$(FUZZ_DIR)/layer-fuzz: tests/fuzz/layer_fuzz.c tests/fuzz/entry.c stages/children/raster/exif.c $(addprefix stages/children/raster/pdf/,jpeg_facts.c layer_text.c pdf_layer.c)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=layer_fuzz -o $@ $^ $(FUZZ_BASE) $(LIBS_VLM) $(call pkg,--libs,libqpdf zlib)

$(FUZZ_DIR)/raster-fuzz: tests/fuzz/raster_fuzz.c tests/fuzz/entry.c stages/input/rasterise.c stages/reason.c $(FUZZ_RASTER_SRC)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=raster_fuzz -o $@ $(filter-out stages/input/rasterise.c,$^) $(LIBS_VLM)

$(FUZZ_DIR)/ocr-fuzz: tests/fuzz/ocr_fuzz.c tests/fuzz/entry.c stages/print/ocr.c stages/print/ocr_digits.c stages/print/script.c $(FUZZ_RASTER_SRC)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=ocr_fuzz -o $@ $(filter-out stages/print/ocr.c,$^) $(LIBS_VLM)

$(FUZZ_DIR)/ocr_models-fuzz: tests/fuzz/ocr_models_fuzz.c tests/fuzz/entry.c $(addprefix stages/children/ocr/,ctc.c line_crop.c ocr_words.c text_map.c)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=ocr_models_fuzz -o $@ $^ $(FUZZ_BASE) $(LIBS_VLM) $(call pkg,--cflags --libs,lept)

$(FUZZ_DIR)/annotate-fuzz: tests/fuzz/annotate_fuzz.c tests/fuzz/entry.c stages/children/annotate.c $(FUZZ_RASTER_SRC)
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=annotate_fuzz -o $@ $(filter-out stages/children/annotate.c,$^) $(LIBS_VLM)

$(FUZZ_DIR)/invoice-fuzz: tests/fuzz/invoice_fuzz.c tests/fuzz/entry.c \
                          $(wildcard stages/children/raster/invoice_paths.c stages/children/raster/invoice_xml.c vlm/schema/*.c stages/evidence/einvoice_*.c stages/evidence/locate_*.c stages/evidence/check_digits.c stages/print/canon*.c stages/print/figure_sign.c stages/print/notation.c stages/print/alignment.c stages/print/fold.c stages/print/page_table.c stages/print/vocabulary.c) \
                          stages/evidence/locate.c stages/print/text_lines.c stages/children/packed_invoice.c stages/children/packed_words.c stages/document.c stages/warnings.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) \
	    -DFUZZ_TARGET=invoice_fuzz -o $@ $^ $(FUZZ_BASE) $(LIBS_VLM) -lxml2

$(FUZZ_DIR)/mail-fuzz: tests/fuzz/mail_fuzz.c tests/fuzz/entry.c stages/children/raster/mail_file.c stages/input/identify.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CSTD) $(FUZZ_FLAGS) $(CPPFLAGS_ALL) $(call pkg,--cflags,gmime-3.0) \
	    -DFUZZ_TARGET=mail_fuzz -o $@ $^ $(FUZZ_BASE) $(LIBS_VLM) $(call pkg,--libs,gmime-3.0)

fuzz-exif fuzz-layer fuzz-pdf fuzz-picture fuzz-raster fuzz-ocr fuzz-ocr_models fuzz-annotate fuzz-invoice fuzz-mail: fuzz-%: $(FUZZ_DIR)/%-fuzz  ## fuzz EXIF blocks, searchable PDFs, streams of PDFs, pictures, the protocols of children, e-invoices, e-mails for SECONDS=60
	@mkdir -p $(FUZZ_DIR)/$*-corpus
	$< -max_total_time=$(SECONDS) -max_len=4096 -timeout=20 \
	    -rss_limit_mb=2048 -print_final_stats=1 \
	    $(FUZZ_DIR)/$*-corpus tests/fuzz/seeds/$*

.PHONY: fuzz-exif fuzz-layer fuzz-pdf fuzz-picture fuzz-raster fuzz-ocr fuzz-ocr_models fuzz-annotate fuzz-invoice fuzz-mail
