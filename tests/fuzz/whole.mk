# The whole program under ASan and UBSan, on files and answers of any kind; and fresh damaged files, of which whatever is
# missing must be reported. Both need python3-pil.
PYTHON_PIL := $(shell for p in python3 /usr/bin/python3; do "$$p" -c 'import PIL' 2> /dev/null && echo $$p && break; done)

fuzz-whole:  ## platen under ASan on thin pictures and printed pages, with hostile answers, for SECONDS=60 (SEED=1)
	@$(MAKE) --no-print-directory MODE=asan build/asan/platen build/asan/platen-raster build/asan/platen-ocr build/asan/platen-annotate
	@$(PYTHON_PIL) tests/fuzz/whole.py build/asan/platen --seconds $(SECONDS) --seed $(or $(SEED),1) --keep build/fuzz/whole

damage: all  ## N=5000 fresh thin, cut and damaged files: whatever is missing from one is reported (SEED=1)
	@mkdir -p build/fuzz/damage
	@$(PYTHON_PIL) tests/support/damage.py build/platen-raster --n $(or $(N),5000) --seed $(or $(SEED),1) --keep build/fuzz/damage

.PHONY: fuzz-whole damage
