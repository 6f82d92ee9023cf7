#!/usr/bin/env bash
# oracle.sh - the official implementations as judges of ours.
#
#     oracle.sh ANSWER [FOLDER]    ANSWER: build/release/oracle-answer
#
# Installs what requirements.txt names into build/oracle/venv, once; torch too,
# unless ORACLE_PYTHON (python3) has it already. FOLDER, such as
# tests/vectors/official, gets the vectors that `make test` keeps. ORACLE_TEXTS
# texts (10,000) and ORACLE_BLOCKS blocks of each type (2,000) are compared.
set -eu
answer=$(realpath "$1") folder=${2:+$(realpath "$2")}
cd "$(dirname "$0")"
venv=$(realpath -m ../../build/oracle/venv) base=${ORACLE_PYTHON:-python3}
export PYTHONDONTWRITEBYTECODE=1 TRANSFORMERS_VERBOSITY=error HF_HUB_OFFLINE=1 HF_HUB_DISABLE_PROGRESS_BARS=1

if ! cmp -s requirements.txt "$venv/requirements.txt"; then
    rm -rf "$venv"
    "$base" -m venv "$venv"
    if torch=$("$base" -c 'import os, torch; print(os.path.dirname(os.path.dirname(torch.__file__)))' 2> /dev/null); then
        echo "$torch" > "$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/torch.pth"
    else
        "$venv/bin/pip" install -q torch --index-url "${ORACLE_TORCH:-https://download.pytorch.org/whl/cpu}" ||
            "$venv/bin/pip" install -q torch
    fi
    "$venv/bin/pip" install -q -r requirements.txt
    cp requirements.txt "$venv/requirements.txt"
fi

failed=0
"$venv/bin/python" models.py "$answer" $folder || failed=1
"$venv/bin/python" words.py "$answer" "${ORACLE_TEXTS:-10000}" ${folder:+"$folder/words.gguf"} || failed=1
"$venv/bin/python" blocks.py "$answer" "${ORACLE_BLOCKS:-2000}" || failed=1

# llama.cpp: its converter is in the sources of llama-cpp-python, its library in npm's node-llama-cpp.
if [ ! -e "$venv/llama.cpp/convert_hf_to_gguf.py" ]; then
    fetched=$(mktemp -d)
    "$venv/bin/pip" download -q --no-deps --no-binary :all: -d "$fetched" llama-cpp-python==0.3.36 &&
        tar xzf "$fetched"/*.tar.gz -C "$fetched" --wildcards '*/vendor/llama.cpp/conver*' '*/vendor/llama.cpp/gguf-py/*' &&
        mv "$fetched"/*/vendor/llama.cpp "$venv/llama.cpp" || :
    rm -rf "$fetched"
fi
libs=$(../bench/peer_libs.sh) || libs=
[ -z "$libs" ] || libs=$(cd ../.. && realpath "$libs")
if [ -e "$venv/llama.cpp/convert_hf_to_gguf.py" ] && [ "$libs" ]; then
    cc -O2 -o "$venv/peer" ../bench/peer.c -ldl
    LD_LIBRARY_PATH=$libs "$venv/bin/python" llama.py "$venv/peer" "$libs" "$venv/llama.cpp" || failed=1
else
    echo "llama: SKIPPED: neither its converter nor its library could be compared (pip's and npm's registries are needed)"
fi
exit $failed
