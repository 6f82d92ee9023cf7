#!/usr/bin/env bash
# samples.sh - the samples with the embedded model, as the README says it: run,
# watch while files arrive, stopped in the middle, records that fit the XSD.
set -u
subject="samples: "
. "$(dirname "$0")/../support/e2e.sh"
cd "$scratch" || exit 1
good=("$root"/samples/good/*) n=$(ls "$root/samples/good" | wc -l)
complete() { # complete SPOOL: every good sample is done, delivered, and fsck clean
    [ "$(ls "$1/done" | wc -l)" = "$n" ] && [ "$(ls "$1"/out/receipt/*.json | wc -l)" = "$n" ] &&
        [ -z "$(find "$1/failed" "$1/work" -mindepth 1 -print -quit)" ] && "$platen" fsck "$1" > fsck
}
why() { cat fsck err 2> /dev/null | head -3; }

mkdir -p run/in/receipt; cp "${good[@]}" run/in/receipt/
"$platen" run run --stable-for 0 --format json,xml -q > /dev/null 2> err; got=$?
[ $got = 0 ] && complete run && ok "run leaves every good one in done/, fsck clean" || bad "run leaves every good one in done/, fsck clean" "code $got: $(why)"
"$platen" schema xsd receipt > receipt.xsd
xmllint --noout --schema receipt.xsd run/out/receipt/*.xml 2> lint && [ "$(grep -c validates lint)" = "$n" ] && ok "every XML fits the XSD" || bad "every XML fits the XSD" "$(grep -v validates lint | head -2)"
"$platen" validate --schema receipt run/out/receipt/* > lint 2>&1 && ok "every record is valid, as JSON and as XML" || bad "every record is valid, as JSON and as XML" "$(grep -v ': valid$' lint | head -2)"
data() { sed -n '/^  "data": {/,$p' "$1"; }
expected() { sed '1s/.*/  "data": {/; 2,$s/^/  /' "$root/samples/expected/${2:-good}/$1.json"; echo '}'; }
wrong=
for f in "${good[@]}"; do
    f=${f##*/}
    [ "$(data "run/out/receipt/${f%.*}.json")" = "$(expected "$f")" ] || wrong+=" $f"
done
[ -z "$wrong" ] && ok "every record says what is expected" || bad "every record says what is expected" "$wrong"

mkdir -p xml/in/invoice; cp "$root"/samples/invoice/* xml/in/invoice/
"$platen" run xml --schemas "$root/schemas" --stable-for 0 --engine null -q > /dev/null 2> err
wrong=
for f in "$root"/samples/invoice/*; do
    f=${f##*/}
    diff <(data "xml/out/invoice/${f%.*}.json") <(expected "$f" invoice) > diff || wrong+=" $f $(head -3 diff)"
done
[ -z "$wrong" ] && ok "e-invoices in both syntaxes say what is expected" || bad "e-invoices in both syntaxes say what is expected" "$wrong $(cat err)"

mkdir -p bad/in/receipt; cp "$root"/samples/bad/* bad/in/receipt/
"$platen" run bad --stable-for 0 -q > /dev/null 2> err; got=$?
wrong=
for f in "$root"/samples/bad/*; do
    reason=$(grep -l "\"name\": \"${f##*/}\"" bad/failed/*/reason.json)
    grep -q "\"code\": \"$(cat "$root/samples/expected/bad/${f##*/}.reason")\"" "$reason" || wrong+=" ${f##*/}"
done
[ $got = 16 ] && [ -z "$wrong" ] && ok "every bad one has the expected reason" || bad "every bad one has the expected reason" "code $got:$wrong"

# watched while they arrive; stopped in the middle, and started again
mkdir -p watch/in/receipt
"$platen" watch watch --stable-for 0.2 -q > /dev/null 2> err & watcher=$!
for f in "${good[@]}"; do cp "$f" watch/in/receipt/; sleep 0.05; done
for _ in $(seq 200); do ls watch/work/*/attempt.1 > /dev/null 2>&1 && break; sleep 0.02; done
start=$(date +%s%N); kill -TERM $watcher; wait $watcher; got=$?; took=$((($(date +%s%N) - start) / 1000000))
charged=0
for a in watch/work/*/attempt.*; do [ -e "$a" ] && charged=1; done
[ $got = 0 ] && [ $took -lt 5000 ] && [ $charged = 0 ] && ok "SIGTERM ends watch within 5 s and charges no attempt" || bad "SIGTERM ends watch within 5 s and charges no attempt" "code $got after $took ms, charged $charged"
"$platen" watch watch --stable-for 0.2 -q > /dev/null 2>> err & watcher=$!
for _ in $(seq 600); do complete watch 2> /dev/null && break; sleep 0.1; done
kill -TERM $watcher; wait $watcher; watcher=
complete watch 2> /dev/null && ok "watch leaves every good one in done/, fsck clean" || bad "watch leaves every good one in done/, fsck clean" "$(why)"
same=0
for f in run/out/receipt/*.json; do [ "$(data "$f")" = "$(data "watch/out/receipt/${f##*/}")" ] && same=$((same + 1)); done
[ $same = "$n" ] && ok "the records are the same" || bad "the records are the same" "$same of $n"
exit $failed
