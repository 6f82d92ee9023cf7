# Where the values of records stand on their pages.
eval-evidence: all  ## boxes of values against papers whose words' boxes are known (PAPERS=100 of each kind, SCANS=20, DOCS=160 own pages)
	@echo "papers with a text layer"
	@$(PYTHON_TRAIN) tests/eval/evidence.py --platen build/platen --papers $(or $(PAPERS),100) --gate
	@echo "papers as scans"
	@$(PYTHON_TRAIN) tests/eval/evidence.py --platen build/platen --papers $(or $(SCANS),20) --scans --gate
	@$(PYTHON_TRAIN) tests/eval/evidence_own.py --platen build/platen --docs $(or $(DOCS),160) --gate

.PHONY: eval-evidence
