#!/usr/bin/env bash
# long_nested.sh - tables within rows: accounts and their bookings.
subject="long_nested: "
. "$(dirname "$0")/../support/e2e.sh"
. "$root/tests/support/long.sh"

# tables within rows
nested() { # nested VERDICT NAME [OPTION of the reader...]
    local verdict=$1 name=$2 counts options; shift 2
    start_reader nested.py serve "$scratch/$name.truth.json" "$scratch/port" "$@"
    read_statement "$name"
    counts=$("$python" "$support/nested.py" score "$scratch/$name.json" "$scratch/$name.truth.json" $([ "$name" = scanned ] && echo --unchecked) 2>&1) &&
        ok "$verdict ($counts)" || bad "$verdict" "$counts $(tail -1 "$scratch/err" | head -c 300) $(tail -1 "$scratch/reader.err")"
}
accounts() { "$python" "$support/nested.py" draw "$scratch/$1" "${@:2}" > "$scratch/$1.pages" || { bad "$1 is drawn" "nested.py ended badly"; exit 1; }; }
accounts large --accounts 3 --rows 100
nested "accounts that go on over pages" large
nested "whose reader does not say that they do" large --shy
nested "that drops 3 %" large --drop 0.03
nested "whose answers are cut" large --cut-at 900
accounts many --accounts 40 --rows 4 --again --seed 2
nested "small accounts" many
nested "of a reader that drops 20 %" many --drop 0.2
accounts few --accounts 60 --rows 1 --seed 3
nested "accounts of a booking, or none" few --drop 0.05
accounts ends --accounts 6 --rows 12 --closing --seed 4
nested "accounts whose last line is on the next page" ends
nested "whose reader does not say that they go on" ends --shy
accounts brief --accounts 10 --rows 3 --closing --seed 5
nested "small ones" brief
accounts scanned --accounts 12 --rows 16 --scan 110
nested "accounts of a scan" scanned
nested "of a reader that drops 3 %" scanned --drop 0.03
exit $failed
