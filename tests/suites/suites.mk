# The public suites in ../shared/suites (SUITES overrides), by the C interface
# and, where python3 is there, case by case through the program.
SUITES ?= ../shared/suites

test-suites: $(UNIT) build/platen  ## JSONTestSuite and JSON-Schema-Test-Suite, with counts
	PLATEN_JSON_SCHEMA_SUITE=$(SUITES)/JSON-Schema-Test-Suite $(UNIT) schema_suite
	$(UNIT) public_suite
	@command -v python3 > /dev/null || { echo "skip: python3 is not here"; exit 0; }; \
	    python3 tests/suites/suites.py build/platen $(SUITES)

.PHONY: test-suites
