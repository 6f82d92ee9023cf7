#!/usr/bin/env bash
# samples.sh - what `make run` does after building: works off samples/ in a
# scratch spool, and says where the records are. Good samples must end as
# records and bad ones as reasons.
set -u
cd "$(dirname "$0")/.." || exit 1
spool=build/run/spool
rm -rf build/run; mkdir -p "$spool"/in/{receipt,invoice}
good=(samples/good/* samples/invoice/*) bad=(samples/bad/*) attached=(samples/attached/*)
wanted=(samples/expected/{good,attached,invoice}/*.json)
[ -e "${good[0]}" ] || { echo "samples/good is empty" >&2; exit 1; }
cp samples/good/* "${bad[@]}" "${attached[@]}" "$spool/in/receipt/"
cp samples/invoice/* "$spool/in/invoice/"
install -m 600 samples/passwords build/run/passwords
PLATEN_CONFIG= build/platen run "$spool" --stable-for 0 --empty-after 0 --format json,xml --attachments read --passwords build/run/passwords
code=$?
done=$(find "$spool/out" -name '*.json' | wc -l) # a mail has none, but its attachments
failed=$(find "$spool/failed" -name reason.json | wc -l)
echo
if [ "$done" = ${#wanted[@]} ] && [ "$failed" = ${#bad[@]} ] && build/platen fsck "$spool"; then
    echo "Every one of ${#wanted[@]} good documents has a record, every one of ${#bad[@]} bad ones a reason."
    equal=0
    for file in "${wanted[@]}"; do
        name=$(basename "$file" .json)
        sed -n '/^  "data": {/,$p' "$spool"/out/*/"${name%.*}.json" | sed '$d; 1s/.*/{/; s/^  //' |
            cmp -s - "$file" && equal=$((equal + 1))
    done
    echo "$equal of ${#wanted[@]} records are right to the last value (samples/expected)."
    echo "Look at one:  cat $(find "$spool/out" -name '*.json' | sort | head -1)"
    exit 0
fi
echo "wanted ${#wanted[@]} records and ${#bad[@]} reasons, got $done and $failed (exit code $code)" >&2
exit 1
