# platen: `make help` lists the targets.
#
# Modes never share objects: build/release, build/debug, build/asan, build/tsan
# and build/arm64 (cross compiled, run under qemu-user).

CC   ?= cc
MODE ?= release
OUT  := build/$(MODE)
PKG_CONFIG ?= pkg-config

CSTD := -std=c17 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -D_FILE_OFFSET_BITS=64 -ffp-contract=off
WARN := -Werror -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
        -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Wundef \
        -Wwrite-strings
# A program that eats hostile files: guarded stacks and calls, read-only tables.
HARDEN := -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fPIE
HARDEN_LINK := -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
FLAGS_release := -O2 -g -DNDEBUG $(HARDEN)
FLAGS_debug   := -Og -g
FLAGS_asan    := -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
FLAGS_tsan    := -O1 -g1 -fsanitize=thread
FLAGS_syntax  := -fsyntax-only
FLAGS_arm64   := -O2 -g
LINK_release  := $(HARDEN_LINK)
ifeq ($(MODE),arm64)
CC         := aarch64-linux-gnu-gcc
RUN        := qemu-aarch64 -cpu max
PKG_CONFIG := PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig pkg-config
endif

# What each part may link; a library's header stays in few files (make lint).
VLM_PKGS    := libcjson libpcre2-8 libutf8proc libidn2 libcrypto
STAGE_PKGS  := libxml-2.0 libcurl libpng libjpeg
PIPE_PKGS   := sqlite3 inih cairo libmicrohttpd libpq
RASTER_PKGS := poppler-glib gio-2.0 gmime-3.0 cairo fontconfig libtiff-4 libjpeg libpng libwebp libwebpdemux libheif libopenjp2 zbar libxml-2.0 libqpdf lcms2 zlib libutf8proc libarchive libytnef libcrypto
OCR_PKGS := tesseract lept
# Optional: OCR with models (Debian 13: libonnxruntime-dev; Debian 12 has none)
ONNX_PKG    := $(shell $(PKG_CONFIG) --exists libonnxruntime 2> /dev/null && echo libonnxruntime)
MARK_PKGS   := cairo fontconfig raqm

# These build nothing, or install first and then build in a make of their own.
NO_BUILD := run test help lint format clean uninstall distros
ifneq ($(filter-out $(NO_BUILD),$(or $(MAKECMDGOALS),all)),)
ifneq ($(shell $(PKG_CONFIG) --exists $(VLM_PKGS) 2> /dev/null && echo found),found)
$(error Libraries are missing. Type 'make run': it installs them, or prints the command that does)
endif
endif
pkg = $(shell $(PKG_CONFIG) $(1) $(2) 2> /dev/null)
CPPFLAGS_ALL := -I. $(call pkg,--cflags,$(VLM_PKGS))
LIBS_VLM     := $(call pkg,--libs,$(VLM_PKGS)) -lm -pthread
ifneq ($(MODE),arm64)
CPPFLAGS_ALL += $(call pkg,--cflags,$(STAGE_PKGS) $(PIPE_PKGS))
LIBS_PLATEN  := $(call pkg,--libs,$(STAGE_PKGS) $(PIPE_PKGS)) -linotifytools -lzint -lcrypt
endif
ALL_CFLAGS = $(CSTD) $(WARN) $(FLAGS_$(MODE)) $(CPPFLAGS_ALL) -MMD -MP $(CFLAGS)

sources     = $(sort $(shell find $(1) -name '*.c'))
VLM_SRC    := $(call sources,vlm)
STAGE_SRC  := $(filter-out $(addprefix stages/children/,raster/% ocr/% annotate/%),$(call sources,stages))
PIPE_SRC   := $(filter-out pipeline/main.c,$(call sources,pipeline))
# the children share a few pure files with the program, and no more
CHILD_SRC  := $(wildcard stages/children/sandbox/*.c) vlm/base/err.c vlm/base/arena.c \
              vlm/base/image.c vlm/base/clock.c stages/children/wire/build.c stages/children/wire/installed.c
RASTER_SRC := $(call sources,stages/children/raster) stages/children/wire/packed_words.c vlm/base/utf8.c vlm/base/buf.c vlm/base/wrong_file.c vlm/base/sort.c stages/document/file_type.c stages/document/page_range.c stages/document/words_line.c stages/pixels/thumbnail.c stages/pixels/levels.c $(CHILD_SRC)
OCR_SRC := $(wildcard stages/children/ocr/*.c) stages/children/wire/ocr_scripts.c stages/pixels/levels.c stages/pixels/rotate90.c vlm/base/sort.c $(CHILD_SRC)
MARK_SRC   := $(wildcard stages/children/annotate/*.c) $(CHILD_SRC)
SYNTH_SRC  := $(filter-out tests/synth/make_synth.c,$(wildcard tests/synth/*.c))
UNIT_VLM   := $(wildcard tests/support/*.c tests/unit/*.c tests/kernels/*.c) \
              $(SYNTH_SRC) tests/fuzz/json_fuzz.c \
              tests/fuzz/safetensors_fuzz.c \
              tests/fuzz/schema_fuzz.c tests/fuzz/grammar_fuzz.c tests/fuzz/model_server_fuzz.c \
              tests/fuzz/replay.c
PICTURE_NAMES := draw_bmp.c draw_gif.c draw_heif.c draw_jpeg2000.c draw_pnm.c exif.c fax.c job.c jpeg_facts.c orient.c rows.c shrink.c tiff_pages.c
UNIT_REST  := $(wildcard tests/unit/stages/*.c tests/unit/pipeline/*.c) \
              tests/fuzz/xml_fuzz.c tests/fuzz/unfence_fuzz.c tests/fuzz/completion_fuzz.c \
              tests/fuzz/name_fuzz.c tests/fuzz/folder_fuzz.c \
              tests/fuzz/exif_fuzz.c tests/fuzz/layer_fuzz.c tests/fuzz/pdf_fuzz.c tests/fuzz/picture_fuzz.c tests/fuzz/raster_fuzz.c tests/fuzz/ocr_fuzz.c tests/fuzz/ocr_models_fuzz.c \
              tests/fuzz/annotate_fuzz.c tests/fuzz/invoice_fuzz.c tests/fuzz/mail_fuzz.c tests/fuzz/words_fuzz.c \
              tests/fuzz/messages_fuzz.c $(wildcard tests/fuzz/messages/*.c) \
              $(addprefix stages/children/ocr/,ctc.c line_crop.c ocr_words.c reading_order.c text_map.c) \
              $(addprefix stages/children/raster/,$(addprefix picture/,$(PICTURE_NAMES)) $(addprefix mail/,mail_file.c mail_text.c unpack.c) separator_sheet.c \
                invoice/invoice_paths.c invoice/invoice_xml.c pdf/hidden_text.c pdf/jbig2.c pdf/glyphless_text.c pdf/pdf_archive.c pdf/pdf_decode.c pdf/pdf_writer.c pdf/pdf_tokens.c pdf/picture_pack.c pdf/picture_stream.c pdf/tiff_jpeg.c)
obj         = $(patsubst %.c,$(OUT)/%.o,$(1))
# those of AVX-VNNI once more, with its products made of AVX2's (vlm/tensor/x86/k_vnni.h)
VNNI       := $(addprefix $(OUT)/vlm/tensor/x86/,k_blocks_avxvnni k_int16_avxvnni k_int8_avxvnni)
VNNI_MODEL := $(addsuffix _model.o,$(VNNI))

PROGRAM := $(OUT)/platen
RASTER  := $(OUT)/platen-raster
OCR     := $(OUT)/platen-ocr
MARK    := $(OUT)/platen-annotate
UNIT    := $(OUT)/unit-tests

all: build/platen  ## build the program (MODE=release|debug|asan|tsan)

build/platen: $(PROGRAM) $(RASTER) $(OCR) $(MARK)
	@ln -sfn $(MODE)/platen build/platen
	@ln -sfn $(MODE)/platen-raster build/platen-raster
	@ln -sfn $(MODE)/platen-ocr build/platen-ocr
	@ln -sfn $(MODE)/platen-annotate build/platen-annotate
	@[ -n "$(GPU_KERNELS)$(filter arm64,$(MODE))" ] || echo "built without kernels for a GPU: no clang that targets NVIDIA's (install clang, then make)"

$(OUT)/libvlm.a: $(call obj,$(VLM_SRC)) $(VNNI_MODEL)
	@rm -f $@
	@ar rcs $@ $^

$(OUT)/libplaten.a: $(call obj,$(STAGE_SRC) $(PIPE_SRC))
	@rm -f $@
	@ar rcs $@ $^

$(PROGRAM): $(OUT)/pipeline/main.o $(OUT)/libplaten.a $(OUT)/libvlm.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(LIBS_PLATEN) $(LIBS_VLM)

$(RASTER): $(call obj,$(RASTER_SRC))
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(call pkg,--libs,$(RASTER_PKGS)) -lm

$(OCR): $(call obj,$(OCR_SRC))
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(call pkg,--libs-only-L,$(OCR_PKGS)) -ltesseract $(call pkg,--libs-only-l,lept) $(and $(ONNX_PKG),$(call pkg,--libs,$(ONNX_PKG))) -lm
$(OUT)/stages/children/ocr/%.o: CPPFLAGS_ALL += $(call pkg,--cflags,$(OCR_PKGS))
# rebuilt when the library comes or goes
$(OUT)/stages/children/ocr/onnx_model.o: $(OUT)/onnx-$(or $(ONNX_PKG),none)
$(OUT)/onnx-%:
	@mkdir -p $(@D)
	@rm -f $(OUT)/onnx-*
	@touch $@
ifneq ($(ONNX_PKG),)
$(OUT)/stages/children/ocr/onnx_model.o: CPPFLAGS_ALL += $(call pkg,--cflags,$(ONNX_PKG)) -DPLATEN_ONNXRUNTIME
endif

$(MARK): $(call obj,$(MARK_SRC))
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(call pkg,--libs,$(MARK_PKGS)) -lm
$(OUT)/stages/children/annotate/%.o: CPPFLAGS_ALL += $(call pkg,--cflags,$(MARK_PKGS))
$(OUT)/stages/children/raster/%.o: CPPFLAGS_ALL += $(call pkg,--cflags,$(RASTER_PKGS))

ifeq ($(MODE),arm64)
UNIT_OBJ := $(call obj,$(UNIT_VLM)) $(OUT)/libvlm.a
else
UNIT_OBJ := $(call obj,$(UNIT_VLM) $(UNIT_REST)) $(OUT)/libplaten.a $(OUT)/libvlm.a
endif
$(UNIT): $(UNIT_OBJ)
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(LIBS_PLATEN) $(LIBS_VLM) $(call pkg,--libs,libtiff-4 zlib libqpdf lcms2 libheif libopenjp2 gmime-3.0 libarchive libytnef lept) -lcmocka

# Every source through the compiler once, for its warnings: MODE=syntax CC=clang.
objects: $(sort $(filter %.o,$(UNIT_OBJ)) $(call obj,pipeline/main.c $(PIPE_SRC) $(STAGE_SRC) $(VLM_SRC) $(RASTER_SRC) $(OCR_SRC) $(MARK_SRC)))
.PHONY: objects

$(OUT)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	@$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(VNNI_MODEL): $(OUT)/%_model.o: %.c
	@mkdir -p $(@D)
	@echo "  CC $< (model)"
	@$(CC) $(ALL_CFLAGS) -DVNNI_MODEL -c -o $@ $<

# The page is in the program.
$(OUT)/pipeline/review/page/page_files.o: $(wildcard pipeline/review/page/*.html pipeline/review/page/*.js pipeline/review/page/*.css)

$(OUT)/pipeline/review/routes.o: pipeline/review/openapi.json

# So is what makes a fleet's tables.
$(OUT)/pipeline/fleet/fleet_queue.o: pipeline/fleet/fleet.sql
$(OUT)/pipeline/eval/report_html.o: pipeline/eval/report_head.html
$(OUT)/vlm/schema/metaschema.o: $(wildcard vlm/schema/metaschemas/*.json)

# Assertions of the tests are tests.
$(OUT)/tests/%.o: ALL_CFLAGS += -UNDEBUG

# The kernels of vlm/device/gpu for the device: with a clang that knows NVIDIA's, else
# the program has none. Nothing is contracted (gpu_lang.h).
GPU_CLANG ?= clang
GPU_CUDA  := -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib \
             -std=c++17 -O3 -ffp-contract=off -Wall -Wextra -Werror -I.
PTX := $(OUT)/vlm/device/gpu/kernels/gpu_kernels.ptx
$(PTX): vlm/device/gpu/kernels/gpu_kernels.cu $(wildcard vlm/device/gpu/kernels/*.h)
	@mkdir -p $(@D)
	@echo "  PTX $<"
	@$(GPU_CLANG) $(GPU_CUDA) -S -o $@ $<
GPU_KERNELS := $(filter-out 0,$(shell $(GPU_CLANG) --print-targets 2> /dev/null | grep -c nvptx64))
ifneq ($(GPU_KERNELS),)
$(OUT)/vlm/device/gpu/gpu_ptx.o: CPPFLAGS_ALL += -DGPU_PTX_FILE='"$(PTX)"'
$(OUT)/vlm/device/gpu/gpu_ptx.o: $(PTX)
endif

gpu-ptxas: $(PTX)  ## NVIDIA's assembler on every kernel: spills, registers (UPDATE=1 writes the table)
	@UPDATE=$(UPDATE) tests/gpu_ptxas.sh $(PTX)
.PHONY: gpu-ptxas

# The kernels of vlm/device/gpu on the host: every access is told to gpu_race.c.
ifneq ($(filter release debug,$(MODE)),)
$(OUT)/tests/support/gpu_kernels.o $(OUT)/tests/kernels/gpu_race_test.o: ALL_CFLAGS += -fsanitize=thread -DGPU_RACE_TEST
endif

# Which sources platen's children are made of, and what they say to it (`platen
# doctor`): touched where that is another than last time.
BUILD_OF := $(sort $(RASTER_SRC) $(OCR_SRC) $(MARK_SRC) $(shell find stages/children stages/document stages/pixels vlm/base -name '*.h'))
BUILD_ID := $(shell cat $(BUILD_OF) | sha256sum | cut -c 1-16)
$(OUT)/build-id: $(BUILD_OF)
	@mkdir -p $(@D)
	@echo $(BUILD_ID) | cmp -s - $@ || echo $(BUILD_ID) > $@
$(OUT)/stages/children/wire/build.o: CPPFLAGS_ALL += -DPLATEN_BUILD='"$(BUILD_ID)"'
$(OUT)/stages/children/wire/build.o: $(OUT)/build-id

# Only these files may assume an instruction set; kernels.c decides at run time
# whether they are called. The rest of the program runs anywhere.
ifneq ($(MODE),arm64)
$(OUT)/vlm/tensor/x86/k_blocks_avx2.o $(OUT)/vlm/tensor/x86/k_one_token_avx2.o: ALL_CFLAGS += -mavx2 -mfma -mf16c
$(OUT)/vlm/tensor/x86/k_vector_ops_avx2.o: ALL_CFLAGS += -mavx2 -mfma -mf16c
$(OUT)/vlm/tensor/x86/k_vector_ops_avx512.o: ALL_CFLAGS += -mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512vl -mavx512dq
$(OUT)/vlm/tensor/x86/k_blocks_avx512.o: ALL_CFLAGS += -mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vnni
$(addsuffix .o,$(VNNI)) $(VNNI_MODEL): ALL_CFLAGS += -mavx2 -mfma -mf16c
$(addsuffix .o,$(VNNI)): ALL_CFLAGS += -mavxvnni
$(filter-out %k_blocks_avxvnni.o %k_blocks_avxvnni_model.o,$(addsuffix .o,$(VNNI)) $(VNNI_MODEL)): ALL_CFLAGS += -O3
$(OUT)/vlm/tensor/x86/k_int16_avx2.o: ALL_CFLAGS += -O3 -mavx2 -mfma -mf16c
$(OUT)/vlm/tensor/x86/k_int16_avx512.o $(OUT)/vlm/tensor/x86/k_int8_avx512.o: ALL_CFLAGS += -O3 -mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vnni
$(OUT)/vlm/tensor/x86/k_gemm16_amx.o: ALL_CFLAGS += -O3 -mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512bf16 -mamx-tile -mamx-bf16
else
$(OUT)/vlm/tensor/arm/k_blocks_neon.o:   ALL_CFLAGS += -march=armv8.2-a+dotprod
$(OUT)/vlm/tensor/arm/k_blocks_i8mm.o:   ALL_CFLAGS += -march=armv8.2-a+dotprod+i8mm
endif

# A sanitizer takes minutes for each of these: none where this machine cannot run
# them, nor for what is k_blocks_avx2.c's text but for the product of bytes.
ifneq ($(filter asan tsan,$(MODE)),)
PLAIN := k_blocks_avxvnni.o k_blocks_avxvnni_model.o
ifeq ($(shell grep -m1 -o avx512_vnni /proc/cpuinfo),)
PLAIN += k_blocks_avx512.o
endif
$(addprefix $(OUT)/vlm/tensor/x86/,$(PLAIN)): ALL_CFLAGS += -fno-sanitize=all
endif

# Its vectors are C, and never leave the file.
$(OUT)/vlm/tensor/plain/k_gemm16_emulated.o $(OUT)/vlm/tensor/plain/k_int16_plain.o $(OUT)/vlm/tensor/plain/k_int8_plain.o: ALL_CFLAGS += -Wno-psabi

# Loops that gather and scatter, which -O2 leaves number by number.
$(OUT)/vlm/tensor/matmul.o $(OUT)/vlm/tensor/formats/quant.o $(OUT)/vlm/device/gpu/gpu_matmul.o \
$(OUT)/vlm/device/cpu/vision/attend_16bit.o: ALL_CFLAGS += -O3

# No contraction behind the back of the text: a row must give the same bits
# whichever tile it falls into.
$(OUT)/vlm/tensor/x86/k_vector_ops_%.o $(OUT)/vlm/tensor/arm/k_vector_ops_%.o $(OUT)/vlm/tensor/plain/k_vector_ops_%.o: ALL_CFLAGS += -O3 -ffp-contract=off

# The searches for scales: minutes of a conversion.
$(OUT)/vlm/convert/quantise%.o: ALL_CFLAGS += -O3

# Sums of rows of bytes: worth the vectors.
$(OUT)/stages/children/raster/pdf/cairo_pattern.o $(OUT)/stages/children/raster/picture/shrink.o $(OUT)/stages/children/raster/separator_sheet.o $(OUT)/stages/page/shrink_box.o $(OUT)/stages/pixels/thumbnail.o $(OUT)/stages/pixels/ink_map.o $(OUT)/stages/pixels/levels.o $(OUT)/stages/print/text_layer_check.o $(OUT)/stages/page/prepare.o: ALL_CFLAGS += -O3

ifneq ($(MODE),arm64)
unit: $(RASTER) $(OCR) $(MARK)
endif
unit: $(UNIT)  ## unit tests alone; T=part-of-a-name for some
	$(RUN) $(UNIT) $(T)

include tests/bench/peers.mk
include tests/oracle/oracle.mk
include tests/bench/tensor.mk
include tests/suites/suites.mk
include tests/bench/raster.mk
include tests/probe/probe.mk
include tests/faults/fleet.mk
include tests/preload/gpu.mk
include tests/gpu/gpu.mk
include tests/synth/synth.mk
include tests/fuzz/fuzz.mk
include tests/bench/mask.mk
include tests/bench/vision.mk
include tests/bench/reader.mk

include tests/eval/eval.mk
include vlm/train/train.mk
include pipeline/ops/deb.mk
include pipeline/ops/bundle.mk
include tests/tests.mk
include tests/eval/probes.mk

lint:  ## arrows between rooms, doors, names, contracts, sizes
	@tests/lint/run

format:  ## clang-format the tree in place
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:  ## remove build/
	rm -rf build

help:  ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {line = sprintf("  %-14s %s\n", $$1, $$2); \
	  if ($$1 ~ /^(run|test|install|deb)$$/) first[$$1] = line; else rest = rest line} \
	  END {printf "%s", first["run"] first["test"] first["install"] first["deb"] rest}' $(MAKEFILE_LIST)

.PHONY: all unit lint format clean help
.DELETE_ON_ERROR:
-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
