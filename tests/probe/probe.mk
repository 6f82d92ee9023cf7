# What tests/e2e/raster_walls.sh runs inside the sandbox of each process.
$(OUT)/wall-probe: $(call obj,tests/probe/wall_probe.c stages/children/sandbox/sandbox.c stages/children/sandbox/landlock.c \
                     stages/children/sandbox/seccomp.c vlm/base/clock.c)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^
