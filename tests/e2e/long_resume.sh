#!/usr/bin/env bash
# long_resume.sh - a long document that is interrupted: by a crash of the rasteriser, and by kill -9.
subject="long_resume: "
. "$(dirname "$0")/../support/e2e.sh"
. "$root/tests/support/long.sh"

# a text layer that is the end of who reads it: the child has the third of its pages drawn when it dies
mkdir "$scratch/bin"; cp "$platen" "$scratch/bin/platen"
raster=$(dirname "$(realpath "$platen")")/platen-raster
cat > "$scratch/bin/platen-raster" << END
#!/bin/bash
[[ " \$* " == *" --words "* ]] || exec "$raster" "\$@"
"$raster" "\${@/#\$PPID/\$\$}" 4>&1 > /dev/null | head -c 2000000 >&4 # its parent is this shell
kill -XCPU \$\$
END
chmod +x "$scratch/bin/platen-raster"
draw words 120
serve words
own=$platen platen=$scratch/bin/platen
read_statement words "${small[@]}"
scored "a text layer that kills who reads it costs no page" words --blind
grep -q 'page [3-5]: unreadable text layer' "$scratch/words.json" && ok "and the record says so" || bad "and the record says so" "$(grep -A3 '"warnings"' "$scratch/words.json") $(cat $scratch/err)"
"$platen" extract "$scratch/words.pdf" --schema "$scratch/words.schema.json" --engine null > "$scratch/whole.json" 2> "$scratch/err" &&
    grep -q "page [0-9]*: unreadable text layer" "$scratch/whole.json" && ok "nor where all pages are one question" || bad "nor where all pages are one question" "$(cat "$scratch/err")"
platen=$own

draw s300 300
kills s300 2
exit $failed
