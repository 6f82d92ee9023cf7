#!/usr/bin/env bash
# serve_kill.sh [EVERY] - SIGKILL at every EVERY-th system call of an upload over HTTP, in the server and in the process
# that handles it: acknowledged documents exist, others do not, and the same key makes exactly one.
set -u
. "$(dirname "$0")/lib.sh"
command -v strace > /dev/null || { echo "not ok - serve kill: strace is missing"; exit 1; }
cd "$root" && PYTHONPATH=tests/support python3 tests/support/serve_kill.py "$platen" "$scratch" "${1:-1}"
