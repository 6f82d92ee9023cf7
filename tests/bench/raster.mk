# Files to prepared pixels, against pdftoppm in the same run.
$(OUT)/raster-bench: $(OUT)/tests/bench/raster_bench.o $(OUT)/libplaten.a $(OUT)/libvlm.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_PLATEN) $(LIBS_VLM)

bench-raster: $(OUT)/raster-bench $(RASTER)  ## PDF to prepared pixels: CPU time over pdftoppm's, memory of 300 pages
	@tests/bench/raster.sh $(OUT)

corpus: build/platen  ## difficult files of ../shared/corpus against pdftoppm, pdfinfo and Pillow
	@tests/corpus.sh

.PHONY: bench-raster corpus
