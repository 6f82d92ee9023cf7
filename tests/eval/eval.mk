# Where the values of records stand on their pages.
eval-evidence: all  ## boxes of values against papers whose words' boxes are known (PAPERS=100 of each kind, SCANS=20)
	@echo "papers with a text layer"
	@$(PYTHON_TRAIN) tests/eval/evidence.py --platen build/platen --papers $(or $(PAPERS),100) --gate
	@echo "papers as scans"
	@$(PYTHON_TRAIN) tests/eval/evidence.py --platen build/platen --papers $(or $(SCANS),20) --scans --gate


# What it costs to say so.
eval-evidence-cost: all  ## share of a page's time that evidence takes with a text layer (PAPERS=30)
	@$(PYTHON_TRAIN) tests/eval/evidence_cost.py --platen build/platen --papers $(or $(PAPERS),30) --gate

.PHONY: eval-evidence eval-evidence-cost

# How far confidence and verdict are to be believed (RECEIPTS: a folder of foreign ones).
eval-confidence: all  ## calibration, verdicts and planted faults (DOCS=400 of a kind, PLANTED=1200 of a source, SEED=1, RECEIPTS=folder)
	@$(PYTHON_TRAIN) tests/eval/confidence.py --platen build/platen --docs $(or $(DOCS),400) --planted $(or $(PLANTED),1200) --seed $(or $(SEED),1) \
	    $(if $(RECEIPTS),--receipts $(RECEIPTS)) --gate

.PHONY: eval-confidence

# Does "agree" mean agree? One table: errors of each kind that nothing tells, right values that are flagged, boxes, hidden text.
eval-agree: all  ## planted errors by kind, on text layers and scans (PAPERS=3 and SCANS=1 of each layout, SEED=1, KIND=bank,.. or strangers, PLANT=sign,.. JSON=file SHOW=n KEEP=folder)
	@$(PYTHON_TRAIN) tests/eval/planted.py --platen build/platen --papers $(or $(PAPERS),3) --scans $(or $(SCANS),1) --seed $(or $(SEED),1) \
	    $(if $(KIND),--kind $(KIND)) $(if $(PLANT),--plant $(PLANT)) $(if $(JSON),--json $(JSON)) --show $(or $(SHOW),0) $(if $(KEEP),--keep $(KEEP)) --gate

.PHONY: eval-agree

# Are pages that lie on their side or head turned, and no others? (RECEIPTS: a folder of foreign ones, upright)
eval-turn: all  ## turned pages of the embedded model's generator (DOCS=48 of a kind, SEED=77, RECEIPTS=folder, OCR=off)
	@$(PYTHON_TRAIN) tests/eval/turn.py --platen build/platen --docs $(or $(DOCS),48) --seed $(or $(SEED),77) --ocr $(or $(OCR),off) \
	    $(if $(RECEIPTS),--receipts $(RECEIPTS)) --gate

.PHONY: eval-turn

# What is read without a model: right, null and wrong values by kind, of text layers and scans.
eval-words: all  ## what the words engine reads on drawn papers (PAPERS=3 and SCANS=0 of each layout, SEED=1, KIND=known, strangers, newcomers, arrivals, departures, guests, visitors, callers or names, SHOW=n JSON=file)
	@$(PYTHON_TRAIN) tests/eval/words.py --platen build/platen --papers $(or $(PAPERS),3) --scans $(or $(SCANS),0) --seed $(or $(SEED),1) \
	    $(if $(KIND),--kind $(KIND)) $(if $(JSON),--json $(JSON)) --show $(or $(SHOW),0)

.PHONY: eval-words

# Which of the numbers chosen by hand (stages/print/thresholds.h) matter? All files that use one are built once more, with variables instead.
SWEPT = $(patsubst $(OUT)/%.d,$(OUT)/sweep/%.o,$(shell grep -rl --include=*.d thresholds.h $(OUT)/stages))
$(OUT)/sweep/%.o: %.c stages/print/thresholds.h tests/eval/sweep.h
	@mkdir -p $(@D)
	@$(CC) $(ALL_CFLAGS) $(if $(findstring sweep.c,$<),,-w -include tests/eval/sweep.h) -c -o $@ $<
$(OUT)/platen-sweep: all
	@$(MAKE) -s $(SWEPT) $(OUT)/sweep/tests/eval/sweep.o
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $(OUT)/pipeline/main.o $(SWEPT) $(OUT)/sweep/tests/eval/sweep.o $(OUT)/libplaten.a $(OUT)/libvlm.a $(LIBS_PLATEN) $(LIBS_VLM)

eval-sweep: $(OUT)/platen-sweep  ## what +-20 % of each threshold changes on text layers (PAPERS=1 of each layout, SEED=1, KIND=known,.. PLANT=digit,.. THRESHOLDS=name,.. OFF=1: 0 and very large instead, JSON=file)
	@$(PYTHON_TRAIN) tests/eval/sweep.py --platen $< --papers $(or $(PAPERS),1) --seed $(or $(SEED),1) $(if $(KIND),--kind $(KIND)) $(if $(PLANT),--plant $(PLANT)) \
	    $(if $(THRESHOLDS),--threshold $(THRESHOLDS)) $(if $(OFF),--off) $(if $(JSON),--json $(JSON))

.PHONY: eval-sweep
