#!/usr/bin/env bash
# schemathesis.sh [SECONDS] - platen serve against its own description: schemathesis (PyPI; ST: the program) looks for
# answers that the description does not have. Not part of make test.
set -u
cd "$(dirname "$0")/.." || exit 1
platen=$(realpath "${PLATEN:-build/platen}") description=$PWD/pipeline/review/openapi.json seconds=${1:-600} st=${ST:-st}
command -v "$st" > /dev/null || { echo "install schemathesis (pip install schemathesis), or set ST"; exit 1; }
scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null; rm -rf "$scratch"' EXIT
export PLATEN_CONFIG= PLATEN_OCR=off PLATEN_STABLE_FOR=0
"$platen" init "$scratch/spool" > /dev/null 2>&1
cp samples/good/askew.png samples/bad/letter.pdf samples/bad/empty.pdf "$scratch/spool/in/receipt"
"$platen" run "$scratch/spool" -q 2> /dev/null
"$platen" serve "$scratch/spool" > "$scratch/address" 2> "$scratch/err" &
until [ -s "$scratch/address" ]; do sleep 0.1; done
token=$("$platen" serve token "$scratch/spool" tester --role admin)
base=$(sed 's|/#.*||' "$scratch/address")/api/v1
# the stream of events does not end; the page's key stands beside the token; which schemas, sizes and states there are is
# not in the description, so a sound request may be refused (422, 413)
printf '[generation]\nallow-extra-parameters = false\n' > "$scratch/st.toml" # unknown headers are ignored, as everywhere
cd "$scratch" || exit 1 # it writes there
"$st" --config-file "$scratch/st.toml" run "$description" --url "$base" -H "Authorization: Bearer $token" --exclude-path /events \
    --exclude-checks ignored_auth,positive_data_acceptance --max-time "$seconds" --request-timeout 70 --rate-limit 150/s --continue-on-failure --no-color
status=$?
cat "$scratch/err"
exit $status
