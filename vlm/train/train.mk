# Training and scoring the embedded model (MODEL_CARD.md).
PYTHON_TRAIN ?= /usr/bin/python3

train:  ## start or resume the training of the embedded model, in the background
	vlm/train/train.sh --background

train-status:  ## its curves so far
	$(PYTHON_TRAIN) vlm/train/status.py train-out/run

eval-embedded: build/platen  ## score the shipped model on held-out documents, without OCR (DOCS=400)
	$(PYTHON_TRAIN) vlm/train/eval.py --platen build/platen --docs $(or $(DOCS),400) \
	    --model vlm/embedded/platen-tiny.gguf --flag=--ocr=off

bench: bench-mask bench-matmul bench-vision bench-raster bench-spool  ## every benchmark but the one against llama.cpp

.PHONY: train train-status eval-embedded bench
