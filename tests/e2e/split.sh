#!/usr/bin/env bash
# split.sh: stacks are cut at separators, and nothing of them is lost.
set -u
subject="split: "
. "$(dirname "$0")/../support/e2e.sh"
export PLATEN_OCR=off # second.sh is about it
python=
for p in python3 /usr/bin/python3; do "$p" -c 'import PIL' 2> /dev/null && { python=$p; break; }; done
[ -n "$python" ] || { echo "skip - split: python3-pil is not installed"; exit 0; }
stack() { "$python" "$root/tests/support/stack.py" "$@" || bad "stack.py" "$*"; }
mkdir "$scratch/schemas"
for name in letter receipt; do sed "s/Faults/$name/" "$root/tests/faults/faults.schema.json" > "$scratch/schemas/$name.schema.json"; done
options=(--engine null --stable-for 0 --schemas "$scratch/schemas" --min-free-space 1 --split barcode)
fresh() { s=$scratch/$1; mkdir -p "$s/in/letter"; }
go() { "$platen" run "$s" "${options[@]}" "$@" > "$scratch/run.out" 2> "$scratch/run.err"; }
same() { if [ "$2" = "$3" ]; then ok "$1"; else bad "$1" "got: $2; want: $3"; fi; }
# what became of the parts, in their order: PAGES[=SCHEMA][#ARCHIVE NUMBER]
parts() { "$python" - "$1" << 'END'
import glob, json, os, sys
out = []
def first(name): return int(json.load(open(name))['pages'].split('-')[0].split(',')[0])
for name in sorted(glob.glob(sys.argv[1] + '/*/*/part.json'), key=first):
    folder = os.path.dirname(name)
    p = json.load(open(name))
    place = folder.split('/')[-2]
    if place == 'done':
        r = json.load(open(folder + '/record.json'))
        assert r['part']['pages'] == p['pages'] and r['source']['sha256'] == p['sha256'], name
        assert [q['number'] for q in r['pages']] == [n for a in p['pages'].split(',')
                for n in range(int(a.split('-')[0]), int(a.split('-')[-1]) + 1)], name
        assert r.get('archive_number') == p.get('archive_number'), name
        text = p['pages'] + ('=' + r['schema']['name'] if r['schema']['name'] != 'letter' else '')
    else:
        text = p['pages'] + '!' + json.load(open(folder + '/reason.json'))['code']
    out.append(text + ('#' + p['archive_number'] if 'archive_number' in p else ''))
print(' '.join(out))
END
}
clean() { "$platen" fsck "$s" > "$scratch/fsck" && ok "$1" || bad "$1" "$(grep fault "$scratch/fsck" | head -3)"; }

# --- sixty scans, twenty separators, in every state that a feeder leaves them
fresh sixty
spec=() want=() page=0 first=1 n=0
how=("" ,turn=90 ,turn=180 ,turn=270 ,turn=3 ,turn=-4 ,faint ,scratch ,noise ,ruin)
for i in {1..20}; do
    for ((k = 0; k < 2; k++)); do spec+=("doc=page $((++page))"); done
    state=${how[$((n++ % 10))]}
    spec+=("$([ $((i % 4)) = 0 ] && echo "code=PLATEN:receipt" || echo code=PATCHT)$state")
    page=$((page + 1))
    [ "$state" = ,ruin ] && continue # nobody can read it: it is a page like another
    want+=("$first-$((page - 1))${next:-}")
    next=$([ $((i % 4)) = 0 ] && echo "=receipt")
    first=$((page + 1))
done
[ $first -le $page ] && want+=("$([ $first = $page ] && echo $first || echo $first-$page)${next:-}")
unset next
stack "$s/in/letter/sixty.tif" --dpi 100 "${spec[@]}"
cp "$s/in/letter/sixty.tif" "$scratch/sixty.tif"
go; same "sixty scans end with 0" $? 0
same "twenty separators, turned, skewed, faint, scratched, dirty, ruined: every part has its pages" "$(parts "$s")" "${want[*]}"
same "every record is in out/, under the schema that the separator names" "$(ls "$s/out/letter" "$s/out/receipt" | grep -c json)" ${#want[@]}
same "the bytes are kept once" "$(stat -c %i "$s"/done/*/doc | sort -u | wc -l)" 1
cmp -s "$(ls "$s"/done/*/doc | head -1)" "$scratch/sixty.tif" && ok "and as they were" || bad "and as they were" changed
clean "fsck is clean"
grep -q "the same bytes" "$scratch/run.err" && bad "parts are no duplicates of each other" "$(grep -m1 "same bytes" "$scratch/run.err")" || ok "parts are no duplicates of each other"

# --- what fsck sees
victim=$(ls -d "$s"/done/*/part.json | sed -n 2p); victim=${victim%/part.json}
whole=$(grep -l '"sheets"' "$s"/done/*/record.json); whole=${whole%/record.json}
faults() { "$platen" fsck "$s" | grep -c "^fault: .*$1"; }
mv "$victim" "$scratch/taken"; same "fsck misses a part" "$(faults "is missing")" 1
mv "$scratch/taken" "$victim"
mv "$whole" "$scratch/taken"; same "fsck misses the stack of a part" "$(faults "stack is missing")" ${#want[@]}
mv "$scratch/taken" "$whole"
sed -i 's/"pages": "/&9/' "$victim/part.json"; same "fsck sees other pages than the stack lists" "$(faults "other pages")" 1
sed -i 's/"pages": "9/"pages": "/' "$victim/part.json"
cp "$victim/doc" "$scratch/doc"; printf x >> "$scratch/doc"; mv "$victim/doc" "$scratch/kept"; mv "$scratch/doc" "$victim/doc"
same "fsck sees other bytes than the stack's" "$(faults "SHA-256")" 2
mv "$scratch/kept" "$victim/doc"; clean "and is clean once all is as it was"

# --- stickers, archive numbers, names that are none, pages that cannot be drawn
fresh odd
stack "$s/in/letter/odd.tif" --dpi 200 doc=a,sticker=ASN00001 doc=b,sticker=PATCHT doc=c doc=d,sticker=PLATEN:receipt,turn=90 \
    code=PLATEN:nosuch doc=e doc=f,sticker=ASN00002 doc=g,sticker=ASN00002 code=PLATEN:../receipt doc=h code=PATCHT code=PATCHT
cp "$s/in/letter/odd.tif" "$scratch/odd.tif"
go; same "a part that fails is one of several" $? 16
same "stickers leave their page, numbers go into the record, an unknown schema fails its part alone" "$(parts "$s")" \
    "1#ASN00001 2-3 4=receipt 6!unknown-schema 7-8#ASN00002 10!unknown-schema"
clean "fsck is clean with failed parts"
# a stack is done once it is cut apart; that its parts are not read yet is said
status() { "$platen" status "$s" "$@" > "$scratch/status" 2>&1; }
status; same "once all parts have an outcome no stack is listed" "$(grep -c "with unread parts" "$scratch/status")" 0
same "and its own line tells of its parts" "$(grep -cE "odd.tif: split, 4 of 6 parts done, 2 failed$" "$scratch/status")" 1
part=$(dirname "$(ls "$s"/done/*/part.json | head -1)"); part=${part##*/}
mv "$s/done/$part" "$s/work/"; mkdir "$scratch/held"; mv "$s/work/$part"/{record.json,delivered} "$scratch/held/"
status; same "status says that parts of a stack are not read" "$(grep -cE "^  [^ ]+  odd.tif: 3 of 6 parts done, 2 failed$|^  done .* 1 of them stacks with unread parts" "$scratch/status")" 2
status --json
same "and to programs" "$("$python" -c 'import json, sys
s = json.load(open(sys.argv[1]))
print([(x["name"], x["parts"], x["done"], x["failed"]) for x in s["stacks"] + [l["stack"] for l in s["latest"] if "stack" in l]])' "$scratch/status")" \
    "[('odd.tif', 6, 3, 2), ('odd.tif', 6, 3, 2)]"
mv "$scratch/held"/* "$s/work/$part/"; mv "$s/work/$part" "$s/done/"
cp "$scratch/schemas/letter.schema.json" "$scratch/schemas/nosuch.schema.json"
"$platen" retry "$s" --all 2> /dev/null; go
same "a part is tried again by itself" "$(parts "$s")" "1#ASN00001 2-3 4=receipt 6=nosuch 7-8#ASN00002 10!unknown-schema"
rm "$scratch/schemas/nosuch.schema.json"
fresh broken
stack "$scratch/broken.pdf" --dpi 100 doc=a code=PATCHT doc=b doc=c code=PATCHT doc=d
"$python" - "$scratch/broken.pdf" "$s/in/letter/broken.pdf" << 'END'
import sys
data = bytearray(open(sys.argv[1], 'rb').read())
at = 0
for _ in range(3):  # the third picture
    at = data.index(b'\xff\xd8\xff', at + 1)
end = data.index(b'endstream', at)
data[at + (end - at) // 2:end - 2] = bytes(end - 2 - at - (end - at) // 2)
open(sys.argv[2], 'wb').write(data)
END
go; same "a page that cannot be drawn fails its own part alone" "$(parts "$s")" "1 3-4!page-failed 6"
# by hand: the record says of which pages it is, as any other part's does
"$platen" review "$s" --schemas "$scratch/schemas" > "$scratch/address" 2> /dev/null &
for _ in {1..100}; do [ -s "$scratch/address" ] && break; sleep 0.05; done
"$python" - "$(cat "$scratch/address")" "$s" > "$scratch/out" << 'END'
import glob, json, os, sys, urllib.request
base, token = sys.argv[1].split("/#")
failed, = glob.glob(sys.argv[2] + "/failed/*/reason.json")
other = json.load(open(glob.glob(sys.argv[2] + "/out/letter/*.json")[0]))
name = os.path.basename(os.path.dirname(failed))
urllib.request.urlopen(urllib.request.Request(f"{base}/api/v1/documents/{name}/fill", json.dumps({"data": other["data"]}).encode(),
    {"X-Platen-Token": token, "Origin": base, "Content-Type": "application/json"}))
r = json.load(open(sys.argv[2] + "/done/" + name + "/record.json"))
print(r["engine"], r["part"]["number"], r["part"]["count"], r["part"]["pages"], r["part"]["stack"] == other["part"]["stack"])
END
kill $!
same "a part that a person fills in says which it is" "$(cat "$scratch/out")" "person 2 3 3-4 True"
clean "fsck is clean with it"
fresh none
stack "$s/in/letter/sheets.tif" --dpi 100 code=PATCHT code=PATCHT
stack "$s/in/letter/sticker.tif" --dpi 200 doc=a,sticker=ASN7 doc=b
go
same "nothing but sheets fails as no-pages" "$(grep -ho '"code": "[a-z-]*"' "$s"/failed/*/reason.json)" '"code": "no-pages"'
same "a number alone makes no stack, and is in the record" "$(grep -ho '"archive_number": "[A-Z0-9]*"' "$s"/done/*/record.json)" '"archive_number": "ASN7"'

# --- both sides of each sheet
fresh both
stack "$s/in/letter/both.tif" --dpi 100 doc=a blank code=PATCHT blank,turn=2 doc=b blank code=PLATEN:receipt "note=." doc=c blank code=PATCHT blank
stack "$s/in/letter/none.tif" --dpi 100 code=PATCHT blank code=PATCHT blank
go; same "a stack of both sides" $? 16
same "the blank back of a sheet is of no document, and what has ink is of one" "$(parts "$s" 2> /dev/null | sed 's/ [^ ]*no-pages//')" "1-2 5-6 8-10=receipt"
same "sheets and their backs are listed" "$("$python" -c 'import glob, json, sys
for f in glob.glob(sys.argv[1] + "/done/*/record.json"):
    for x in json.load(open(f)).get("sheets", []): print(x["page"], "back" in x)' "$s" | tr '\n' ' ')" "3 False 4 True 7 False 11 False 12 True "
same "and alone they are no document" "$(grep -ho '"code": "[a-z-]*"' "$s"/failed/*/reason.json)" '"code": "no-pages"'
clean "fsck is clean with them"

# --- a transfer that was cut off: whoever is not there is missed
"$python" "$root/tests/support/stack.py" "$scratch/whole.tif" --dpi 40 doc=a code=PATCHT doc=b doc=c
accepted=
for share in 20 30 40 50 60 70 80 90; do
    head -c $(($(stat -c %s "$scratch/whole.tif") * share / 100)) "$scratch/whole.tif" > "$scratch/cut.tif"
    for how in off barcode; do
        "$platen" extract "$scratch/cut.tif" "${options[@]}" --schema letter --split $how > /dev/null 2> "$scratch/err" && accepted+=" $share($how)"
        grep -q '\[damaged\]' "$scratch/err" || accepted+=" $share($how: $(tail -1 "$scratch/err"))"
    done
done
same "a TIFF that is cut off is damaged, not shorter" "$accepted" ""
"$platen" extract "$scratch/cut.tif" "${options[@]}" --schema letter --split off --lenient > /dev/null 2> "$scratch/err"
same "lenient takes what is there, and says so" "$?$(grep -c 'chain of pages breaks' "$scratch/err")" 01
"$python" - "$scratch/whole.tif" "$scratch/round.tif" << 'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
first = at = struct.unpack("<I", data[4:8])[0]
while at:  # from directory to directory; behind the last stands 0
    last = at + 2 + 12 * struct.unpack("<H", data[at:at + 2])[0]
    at = struct.unpack("<I", data[last:last + 4])[0]
data[last:last + 4] = struct.pack("<I", first)
open(sys.argv[2], "wb").write(data)
END
"$platen" extract "$scratch/round.tif" "${options[@]}" --schema letter > /dev/null 2> "$scratch/err"
same "one whose pages go round is damaged, and says why" "$?$(grep -c 'after page 4: it leads back to one before.*\[damaged\]' "$scratch/err")" 21
fresh short
cp "$scratch/cut.tif" "$s/in/letter/"
go; same "no part is made of a stack whose end is not there" "$?$(ls "$s/failed" | wc -l)$(ls "$s/done" | wc -l)" 1610

# --- who does not ask for it, and who has no codes, sees no difference
fresh off
cp "$scratch/odd.tif" "$s/in/letter/"
go --split off; same "split = off cuts nothing" "$(ls "$s/done" | wc -l)$(grep -l '"part"' "$s"/done/*/record.json)" 1
bare() { "$platen" extract "$1" "${options[@]}" --schema letter --split "$2" 2> /dev/null | "$python" -c 'import json, sys
r = json.load(sys.stdin)
for key in "id", "created", "seconds": del r[key]
print(json.dumps(r))'; }
differ=
for f in "$root"/samples/good/*.{png,pdf,jpg,tif}; do
    [ -e "$f" ] && [ "$(bare "$f" off)" != "$(bare "$f" barcode)" ] && differ+=" ${f##*/}"
done
same "documents without codes are read as before" "$differ" ""

# --- files without a spool
"$platen" extract "$scratch/odd.tif" "${options[@]}" --schema letter > "$scratch/lines" 2> "$scratch/err"
same "extract ends with 16 where parts fail" $? 16
same "extract prints one record a line" "$(wc -l < "$scratch/lines")" 4
same "and says which part failed" "$(grep -cE "odd.tif, part (4 \(page 6|6 \(page 10)\): .*unknown-schema" "$scratch/err")" 2
"$platen" extract "$scratch/odd.tif" "${options[@]}" --schema letter --out "$scratch/records" --format json,xml 2> "$scratch/err"
same "extract --out writes a file for each" "$(ls "$scratch/records" | tr '\n' ' ')" "odd-1.json odd-1.xml odd-2.json odd-2.xml odd-3.json odd-3.xml odd-5.json odd-5.xml "

# --- our own sheets
"$platen" separator --schema receipt,letter --patch-t --schemas "$scratch/schemas" > "$scratch/sheets.pdf"
same "separator prints a page a sheet" "$(pdfinfo "$scratch/sheets.pdf" | awk '/^Pages/{print $2}')" 3
pdftoppm -r 100 -gray "$scratch/sheets.pdf" "$scratch/sheet"
pictures=("$scratch"/sheet-*.pgm)
fresh own
stack "$s/in/letter/own.tif" --dpi 100 doc=a "file=${pictures[0]},turn=3" doc=b "file=${pictures[1]},turn=180,noise" doc=c "file=${pictures[2]},faint,turn=90" doc=d
go; same "our own sheets are read back" "$(parts "$s")" "1 3 5=receipt 7"
"$platen" separator --schema nosuch --schemas "$scratch/schemas" > "$scratch/refused" 2> /dev/null
same "no sheet for a schema that is not there" "$?$(wc -c < "$scratch/refused")" 90
exit $failed
