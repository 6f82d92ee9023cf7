# What tests/e2e/raster_walls.sh runs inside the walls of platen-raster.
$(OUT)/wall-probe: $(call obj,tests/probe/wall_probe.c stages/sandbox/sandbox.c stages/sandbox/landlock.c \
                     stages/sandbox/seccomp.c vlm/base/now.c)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^
