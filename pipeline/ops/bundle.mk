# A folder that runs on any x86-64 Linux with glibc 2.36 or newer, without root: the
# installed program with every library but libc's own, found by a path relative to
# each program (DT_RPATH, which holds for the libraries' own needs as well).
BUNDLE_VERSION := $(shell sed -n 's/^\#define PLATEN_VERSION "\(.*\)"/\1/p' stages/document/version.h)
BUNDLE_NAME    := platen-$(BUNDLE_VERSION)-x86_64
BUNDLE         := build/bundle/$(BUNDLE_NAME)
BUNDLE_BIN     := $(OUT)/bundle
BUNDLE_PROGRAMS := PROGRAM=$(BUNDLE_BIN)/platen RASTER=$(BUNDLE_BIN)/platen-raster \
                   OCR=$(BUNDLE_BIN)/platen-ocr MARK=$(BUNDLE_BIN)/platen-annotate
BUNDLE_LINK    := -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib:$$ORIGIN/../../lib'

# Without a clang that targets NVIDIA's GPUs the bundle reads on the processor only.
BUNDLE_GPU := $(if $(GPU_KERNELS),$(GPU_TIMED) $(GPU_LIMITS) $(GPU_PREDICT) $(PEER))

bundle:  ## install what is missing, build build/bundle/platen-VERSION-x86_64.tar.zst: runs without being installed
	@mkdir -p $(BUNDLE_BIN) && tests/deps.sh bundle
	@rm -f $(BUNDLE_BIN)/gpu-proof
	@$(MAKE) --no-print-directory $(MANY) all $(BUNDLE_GPU)
	@$(MAKE) --no-print-directory LDFLAGS="$(subst $$,\$$\$$,$(BUNDLE_LINK))" $(BUNDLE_PROGRAMS) \
	  GPU_PROOF=$(BUNDLE_BIN)/gpu-proof SYNTH=$(BUNDLE_BIN)/make-synth bundle-programs
	@pipeline/ops/bundle.sh $(BUNDLE) $(BUNDLE_BIN) $(OUT)

# For a machine with a GPU and little else: tar with xz, or python3 -m tarfile, unpacks it.
gpu-carry: bundle  ## build/gpu-carry.tar.xz: the bundle for a machine without zstd
	zstd -dc --long=27 $(BUNDLE).tar.zst | xz -9 -T2 > build/gpu-carry.tar.xz
	@ls -l build/gpu-carry.tar.xz

bundle-programs: $(PROGRAM) $(RASTER) $(OCR) $(MARK) $(if $(GPU_KERNELS),$(GPU_PROOF) $(SYNTH))

image:  ## the container image platen, with podman or docker
	@for tool in podman docker; do \
	  ! command -v $$tool > /dev/null || exec $$tool build -f pipeline/ops/Containerfile -t platen:$(BUNDLE_VERSION) -t platen .; \
	done; echo "make image: install podman or docker" >&2; exit 3

.PHONY: bundle bundle-programs gpu-carry image
