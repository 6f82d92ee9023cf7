# Where the values of records stand on their pages.
eval-evidence: all  ## boxes of values against papers whose words' boxes are known (PAPERS=100 of each kind, DOCS=160 own pages)
	@$(PYTHON_TRAIN) tests/eval/evidence.py --platen build/platen --papers $(or $(PAPERS),100) --gate
	@$(PYTHON_TRAIN) tests/eval/evidence_own.py --platen build/platen --docs $(or $(DOCS),160) --gate

.PHONY: eval-evidence
