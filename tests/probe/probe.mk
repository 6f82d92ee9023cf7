# What tests/e2e/raster_walls.sh runs inside the sandbox of each process.
$(OUT)/wall-probe: $(call obj,tests/probe/wall_probe.c tests/probe/actions.c stages/children/sandbox/sandbox.c stages/children/sandbox/landlock.c \
                     stages/children/sandbox/seccomp.c vlm/base/clock.c)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^

# What tests/e2e/taken.sh and taken_commands.sh run: platen with processes that are taken over.
TAKEN_WRAPS := prepare_page rasterise_next document_folder_fault_of vlm_serve device_forward curl_multi_perform
$(OUT)/platen-taken: $(call obj,pipeline/main.c tests/probe/taken.c tests/probe/actions.c) $(OUT)/libplaten.a $(OUT)/libvlm.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) $(TAKEN_WRAPS:%=-Wl,--wrap=%) -o $@ $^ $(LIBS_PLATEN) $(LIBS_VLM)

# What tests/e2e/hostile.sh runs: platen whose reader or checker attacks its parents.
HOSTILE_WRAPS := document_sandbox_enter document_folder_fault_of record_json device_encode_image vlm_serve clock_utc_text
$(OUT)/platen-hostile: $(call obj,pipeline/main.c tests/probe/hostile.c) $(OUT)/libplaten.a $(OUT)/libvlm.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) $(HOSTILE_WRAPS:%=-Wl,--wrap=%) -o $@ $^ $(LIBS_PLATEN) $(LIBS_VLM)
