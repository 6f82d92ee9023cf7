#!/usr/bin/env bash
# commands.sh - what a user types first: see support/commands.py.
root=$(cd "$(dirname "$0")/../.." && pwd)
exec "$root/tests/support/commands.py" "${PLATEN:-$root/build/platen}"
