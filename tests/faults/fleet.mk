# What tests/faults/fleet.sh and tests/bench/fleet_sim.sh start by the dozen.
$(OUT)/fleet-hand: $(call obj,tests/faults/fleet_hand.c) $(OUT)/libplaten.a $(OUT)/libvlm.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(LIBS_PLATEN) $(LIBS_VLM)
