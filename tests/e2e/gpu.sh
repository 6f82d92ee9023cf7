#!/usr/bin/env bash
# gpu.sh - the key engine_device: without a driver, and with one of ours (tests/preload/gpu_library.c), whose GPU is
# this processor: records are the processor's, whatever fails is said, pauses the queue and blames no document.
set -u
subject="gpu: "
. "$(dirname "$0")/../support/e2e.sh"
export PLATEN_OCR=off
cd "$scratch" || exit 1
library=$root/build/release/fake-gpu
flock "$root/build/gpu.lock" make -s -C "$root" fake-gpu > make.out 2>&1 || { bad "our driver is built" "$(tail -2 make.out)"; exit 1; }
export GPU_FAKE=$scratch/fake XDG_CACHE_HOME=$scratch/cache
mkdir -p "$GPU_FAKE"
page=$root/samples/good/kiosk.png
says() { # says NAME CODE TEXT ARGUMENT...: ends with the code and says the text
    local name=$1 code=$2 text=$3; shift 3
    "$platen" "$@" > out 2>&1; local got=$?
    [ $got = "$code" ] && grep -qF -- "$text" out && ok "$name" || bad "$name" "code $got: $(head -c 300 out)"
}
extract() { "$platen" extract "$page" --schema receipt "$@"; }
part() { python3 -c 'import json,sys; r = json.load(open(sys.argv[1])); print(json.dumps([r["data"], r["tokens"], sorted(r["fields"])]))' "$1"; }

if "$platen" doctor --engine-device cuda:0 2>&1 | grep -q 'built without kernels'; then
    echo "skip - gpu: platen has no GPU kernels: it was built without a clang that targets NVIDIA's processors (Debian: clang)"
    exit 0
fi

# --- no driver here
if [ -z "$(ldconfig -p 2> /dev/null | grep libcuda.so.1)" ]; then
    says "a GPU that is not there is missing, with what to do" 3 "engine_device = cpu" extract "$page" --schema receipt --engine-device cuda:0
    grep -q 'cuda:0: no NVIDIA driver: libcuda.so.1.*\[device-missing\]' out && ok "and says that there is no driver" || bad "and says that there is no driver" "$(head -c 300 out)"
    says "doctor says so as well" 0 "GPU: none: no NVIDIA driver" doctor
    grep -q '^device: cpu [a-z0-9+]* (engine_device = cpu)$' out && ok "and what is used" || bad "and what is used" "$(grep ^device out)"
    says "doctor of a GPU that is not there" 3 "[device-missing]" doctor --engine-device cuda:0
    extract --engine-device auto > auto.json 2> err && extract > cpu.json 2> err && grep -q '"device": *"cpu ' auto.json && cmp -s <(part auto.json) <(part cpu.json) &&
        ok "auto is the processor then" || bad "auto is the processor then" "$(tail -2 err)"
else
    extract > cpu.json 2> err
    echo "skip - gpu: a driver is installed"
fi
says "what is no device is refused" 1 "engine_device: must be auto, cpu or cuda:N" config --engine-device gpu
says "so is one beyond all" 1 "engine_device: must be auto, cpu or cuda:N" config --engine-device cuda:64

# --- a driver of ours
export LD_LIBRARY_PATH=$library
mkdir beside
GPU_FAKE=$scratch/beside extract --engine-device cuda:0 > gpu.json 2> gpu.err & reading=$!
"$platen" doctor --engine-device cuda:0 > out 2>&1; got=$?
[ $got = 0 ] && grep -q '^device: cuda:0 fake device 0 (engine_device = cuda:0)$' out && grep -q '^GPU: cuda:0 fake device 0, generation 8.0, 0.1 GiB free$' out &&
    ok "doctor finds a GPU, and that the model runs on it" || bad "doctor finds a GPU, and that the model runs on it" "$(grep -iE 'gpu|device|model' out | head -4)"
grep -q '^kernels: Q8_0 [0-9]* x [0-9]*: 1: r[0-9]*t[18]w[14] [0-9.]* us, 4: ' out && grep -lq '^platen-gpu/1 fake device 0, generation 8.0, driver 13000, kernels ' "$XDG_CACHE_HOME"/platen/*.gpu &&
    ok "and which kernels are the fastest, which it keeps" || bad "and which kernels are the fastest, which it keeps" "$(grep ^kernels out | head -2)"
says "the second of one GPU is missing" 3 "no device cuda:1 (1 found)" doctor --engine-device cuda:1
echo 7 > "$GPU_FAKE/major"
says "an old GPU is refused" 9 "is of generation 7.0, kernels need 8.0 [device-refused]" doctor --engine-device cuda:0
says "auto goes without it, and says why" 0 " (engine_device = auto); no GPU: cuda:0: fake device 0 is of generation 7.0" doctor --engine-device auto
rm "$GPU_FAKE/major"
echo 0 > "$GPU_FAKE/older"
says "auto takes the first of two GPUs that serves" 0 "device: cuda:1 fake device 1 (engine_device = auto)" doctor --engine-device auto
grep -q '^GPU: cuda:0 fake device 0.*not usable: kernels need generation 8.0$' out && ok "and says what is wrong with the other" || bad "and says what is wrong with the other" "$(grep ^GPU out)"
rm "$GPU_FAKE/older"
echo "1 803" > "$GPU_FAKE/fail"
says "a driver of two versions is said, with what to do" 0 "GPU: none: the GPU: cuInit: CUDA_ERROR_OF_A_TEST; the driver's library and its kernel module have different versions" doctor
grep -q '[0-9]' "$GPU_FAKE/fail" && bad "and was asked" "the driver was never called"; rm "$GPU_FAKE/fail"
echo gpu_silu_mul > "$GPU_FAKE/skip"
says "one that computes something else is refused by what it does" 9 "fake device 0 is not used: a prompt differs from the CPU's" doctor --engine-device cuda:0
rm "$GPU_FAKE/skip"
echo "14 0" > "$GPU_FAKE/room"
says "what does not fit is refused with what would" 15 "one of " doctor --engine-device cuda:0 --n-ctx 4096
rm "$GPU_FAKE/room"

# --- the program as built without a clang that makes PTX
make -s -C "$root" no-gpu > make.out 2>&1 || bad "the program is built without kernels" "$(tail -2 make.out)"
bare=$root/build/release/platen-no-gpu
plain=$platen platen=$bare
says "built without kernels it refuses a GPU, and says so" 9 "this platen was built without kernels for a GPU" doctor --engine-device cuda:0
says "and auto is the processor" 0 " (engine_device = auto); no GPU: " doctor --engine-device auto
grep -q '^GPU: cuda:0 fake device 0.*not usable: this platen was built without kernels$' out && ok "doctor says so as well" || bad "doctor says so as well" "$(grep ^GPU out)"
extract > bare.json 2> err && cmp -s <(part bare.json) <(part cpu.json) && ok "and it reads what the other reads" || bad "and it reads what the other reads" "$(tail -2 err)"
platen=$plain
make -C "$root" -np GPU_CLANG=/nonexistent MODE=release 2> /dev/null | grep -q GPU_PTX_FILE && bad "make builds so where there is no clang" "it asks for PTX" || ok "make builds so where there is no clang"
rm -f "$root/build/again.ptx"
make -s -C "$root" PTX=build/again.ptx build/again.ptx > make.out 2>&1
python3 -c 'import sys; sys.exit(open(sys.argv[1], "rb").read() not in open(sys.argv[2], "rb").read())' "$root/build/again.ptx" "$(readlink -f "$platen")" 2>> make.out &&
    ok "the kernels in the program are those of its sources, byte for byte" || bad "the kernels in the program are those of its sources, byte for byte" "$(tail -1 make.out)"

# --- a queue, while things fail
spool=$scratch/spool
options=(--stable-for 0 --schemas "$root/tests/faults" --engine-device cuda:0)
run() { "$platen" run "$spool" "${options[@]}" "$@" > run.out 2> run.err; }
drop() { rm -rf "$spool"; mkdir -p "$spool/in/faults"; for name; do cp "$root/tests/faults/good.png" "$spool/in/faults/$name.png"; done; }
n_in() { find "$spool/$1" -name "$2" 2> /dev/null | wc -l; }
unblamed() { [ "$(n_in failed doc)" = 0 ] && ! grep -rqs '"outcome": *"\(crash\|reject\|retry\)' "$spool"/*/*/attempt.*; }
kept() { [ $(($(n_in in '*.png') + $(n_in work doc) + $(n_in done doc))) = "$1" ]; } # kept N: nothing is lost

drop a b
echo "1 1300" > "$GPU_FAKE/room"
run
grep -q 'on hold, nothing lost: .*no memory for.*\[engine-error\]' run.err && grep -q 'queue is on hold' run.err && kept 2 && unblamed && [ "$(n_in done doc)" = 0 ] &&
    ok "out of memory in mid-run the queue pauses and blames nobody" || bad "out of memory in mid-run the queue pauses and blames nobody" "$(tail -3 run.err)"
rm "$GPU_FAKE/room"
run --share-model on --jobs 2
[ "$(n_in done record.json)" = 2 ] && kept 2 && unblamed && grep -q '"device": "cuda:0 fake device 0"' "$spool"/out/faults/[ab].json &&
    ok "with memory back all are done, together with a reader" || bad "with memory back all are done, together with a reader" "$(tail -3 run.err)"

# --- a reader whose device is lost: while it is opened, in mid-answer
drop a b
wrong=
for call in 900 2600; do
    echo "$call 719" > "$GPU_FAKE/fail"
    for again in 1 2 3; do
        run --share-model on --jobs 2
        kept 2 && unblamed || wrong+=" $call lost or blamed one"
        [ "$(n_in done doc)" = 2 ] && break
    done
    grep -q '[0-9]' "$GPU_FAKE/fail" && wrong+=" $call was never reached"
    rm "$GPU_FAKE/fail"
    [ "$(n_in done record.json)" = 2 ] || wrong+=" after $call some wait: $(tail -1 run.err)"
    drop a b
done
[ -z "$wrong" ] && ok "a reader whose device is lost is started anew: all are read, none blamed" || bad "a reader whose device is lost is started anew: all are read, none blamed" "$wrong"

drop c
n=0 wrong=
for call in 1 2 5 34 89 91 100 300 700 1500 3900; do
    echo "$call $((call % 2 ? 700 : 2))" > "$GPU_FAKE/fail"
    run
    grep -q '[0-9]' "$GPU_FAKE/fail" && wrong+=" $call was never reached"
    rm "$GPU_FAKE/fail"
    kept 1 && unblamed || wrong+=" $call lost or blamed it"
    [ "$(n_in done doc)" = 1 ] || grep -qE 'nothing is lost|deferred' run.err || wrong+=" $call said nothing: $(tail -1 run.err)"
    [ "$(n_in done doc)" = 1 ] && drop c
    n=$((n + 1))
done
[ -z "$wrong" ] && ok "a call of the driver that fails, $n of them: nothing is lost, no document blamed" || bad "a call of the driver that fails: nothing is lost, no document blamed" "$wrong"
run
[ "$(n_in done record.json)" = 1 ] && ok "and the document is read in the end" || bad "and the document is read in the end" "$(tail -2 run.err)"

wait $reading && [ "$(sed -n 's/^  "device": "\(.*\)",$/\1/p' gpu.json)" = "cuda:0 fake device 0" ] &&
    ok "a record names the GPU that made it" || bad "a record names the GPU that made it" "$(tail -2 gpu.err)"
cmp -s <(part gpu.json) <(part cpu.json) && ok "and says what the processor's does" || bad "and says what the processor's does" "$(diff <(part gpu.json) <(part cpu.json) | cut -c -300)"
exit $failed
