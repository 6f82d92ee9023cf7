#!/usr/bin/env bash
# storm2.sh [KILLS] [SECONDS] [ENGINE] - two watchers on one spool, with mails,
# stacks, searchable outputs and nested folders, while processes of every type are
# killed; then quiet runs, and every document and part is counted (storm2.py).
# ENGINE: null, endpoint (a local server) or native.
set -u
. "$(dirname "$0")/lib.sh"
"$root/tests/faults/storm2.py" "$platen" "$scratch" "${1:-1000}" "${2:-300}" "${3:-null}"
