# What tests/faults/fleet.sh and tests/bench/fleet_sim.sh start by the dozen.
$(OUT)/fleet-hand: $(call obj,tests/faults/fleet_hand.c) $(OUT)/libplaten.a $(OUT)/libvlm.a
	@echo "  LD $@"
	@$(CC) $(ALL_CFLAGS) $(LINK_$(MODE)) $(LDFLAGS) -o $@ $^ $(LIBS_PLATEN) $(LIBS_VLM)

fleet-sim: $(PROGRAM)  ## 1,000 simulated workers on one PostgreSQL; WORKERS=1000 SECONDS=60 READER=600
	@tests/bench/fleet_sim.sh $(or $(WORKERS),1000) $(or $(SECONDS),60) $(or $(READER),600)
.PHONY: fleet-sim
