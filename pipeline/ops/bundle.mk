# A folder that runs on any x86-64 Linux with glibc 2.36 or newer, without root: the
# installed program with every library but libc's own, found by a path relative to
# each program (DT_RPATH, which holds for the libraries' own needs as well).
BUNDLE_VERSION := $(shell sed -n 's/^\#define PLATEN_VERSION "\(.*\)"/\1/p' stages/version.h)
BUNDLE_NAME    := platen-$(BUNDLE_VERSION)-x86_64
BUNDLE         := build/bundle/$(BUNDLE_NAME)
BUNDLE_BIN     := $(OUT)/bundle
BUNDLE_PROGRAMS := PROGRAM=$(BUNDLE_BIN)/platen RASTER=$(BUNDLE_BIN)/platen-raster \
                   SECOND=$(BUNDLE_BIN)/platen-ocr MARK=$(BUNDLE_BIN)/platen-annotate
BUNDLE_LINK    := -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib:$$ORIGIN/../../lib'

bundle: all $(GPU_TIMED) $(GPU_LIMITS) $(PEER)  ## build/bundle/platen-VERSION-x86_64.tar.zst: runs without being installed
	@[ -n "$(GPU_KERNELS)" ] || { echo "make bundle: no clang that targets NVIDIA's GPUs; install clang" >&2; exit 1; }
	@mkdir -p $(BUNDLE_BIN)
	@$(MAKE) --no-print-directory LDFLAGS="$(subst $$,\$$\$$,$(BUNDLE_LINK))" $(BUNDLE_PROGRAMS) \
	  GPU_PROOF=$(BUNDLE_BIN)/gpu-proof SYNTH=$(BUNDLE_BIN)/make-synth bundle-programs
	@pipeline/ops/bundle.sh $(BUNDLE) $(BUNDLE_BIN) $(OUT)

# For a machine with a GPU and little else: tar with xz, or python3 -m tarfile, unpacks it.
gpu-carry: bundle  ## build/gpu-carry.tar.xz: the bundle for a machine without zstd
	zstd -dc --long=27 $(BUNDLE).tar.zst | xz -9 -T2 > build/gpu-carry.tar.xz
	@ls -l build/gpu-carry.tar.xz

bundle-programs: $(PROGRAM) $(RASTER) $(SECOND) $(MARK) $(GPU_PROOF) $(SYNTH)
.PHONY: bundle bundle-programs gpu-carry
