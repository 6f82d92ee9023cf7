# Where the values of records stand on their pages.
$(OUT)/locate-probe: $(OUT)/tests/eval/locate_probe.o $(OUT)/libplaten.a $(OUT)/libvlm.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_PLATEN) $(LIBS_VLM)

eval-evidence: $(OUT)/locate-probe $(RASTER)  ## boxes of values against papers whose words' boxes are known (PAPERS=100 of each kind)
	@$(PYTHON_TRAIN) tests/eval/evidence.py --probe $(OUT)/locate-probe --papers $(or $(PAPERS),100) --gate

.PHONY: eval-evidence
