#!/usr/bin/env bash
# gpu_prove.sh - tests/gpu/prove on a driver of ours: every step and figure that a GPU would give, and what a
# failure leaves; the formulas of bytes that a launch moves, beside what the kernels touch here.
set -u
subject="gpu proof: "
. "$(dirname "$0")/../support/e2e.sh"
if "$platen" doctor --engine-device cuda:0 2>&1 | grep -q 'built without kernels'; then
    echo "skip - gpu proof: platen has no GPU kernels: it was built without a clang that targets NVIDIA's processors (Debian: clang)"
    exit 0
fi
cd "$root" || exit 1
build=$root/build/release
flock build/gpu.lock make -s gpu-tools fake-gpu "$(realpath --relative-to=. "$build")/gpu-counted" > "$scratch/make.out" 2>&1 ||
    { bad "what it runs is built" "$(tail -2 "$scratch/make.out")"; exit 1; }

# --- bytes and operations
make -s gpu-work > "$scratch/work" 2>&1 && ok "vlm/device/gpu/WORK.md is what its program prints" ||
    bad "vlm/device/gpu/WORK.md is what its program prints" "make gpu-work UPDATE=1: $(tail -1 "$scratch/work")"
"$build/gpu-counted" gpu_matmul gpu_fused gpu_layers gpu_attend gpu_experts gpu_eye > "$scratch/counted" 2>&1 &&
    grep -q '^bytes counted in 2223 launches of 180 of 180 kernels$' "$scratch/counted" && ok "each kernel touches the bytes that its formula says" ||
    bad "each kernel touches the bytes that its formula says" "$(grep -a 'formula\|counted in\|never' "$scratch/counted" | head -3)"

# --- the rehearsal
export GPU_FAKE=$scratch/fake GPU_REAL=$build/fake-gpu/libcuda.so.1 LD_LIBRARY_PATH=$build/fake-gpu
mkdir -p "$GPU_FAKE"
tests/gpu/prove -s -t 3600 -o "$scratch/proof" > "$scratch/prove.out" 2>&1; code=$?
[ $code = 0 ] && ok "every step passes" || bad "every step passes" "$code: $(grep -a '^not ok' "$scratch/prove.out" | head -3)"
cat > "$scratch/look.py" << 'END'
import json, sys
rows = json.load(open(sys.argv[1]))
steps = {r["step"]: r for r in rows}
models = ["micro-Q8_0", "micro-Q4_K_M", "micro-moe-Q4_K_M"]
wanted = ("doctor compiling limits gpu_matmul gpu_fused gpu_layers gpu_attend gpu_experts gpu_eye all-kernels device answer two-processes memory-refused "
          "samples instances vision-96x96 vision-192x96 kernels-vision run run-cpu page kernels-run").split()
wanted += [f"{kind}-{m}" for m in models for kind in ("speed", "serve", "kernels")] + [f"{kind}-{m}-many" for m in models for kind in ("serve", "kernels")]
assert not [w for w in wanted if w not in steps], [w for w in wanted if w not in steps]
assert steps["all-kernels"]["results"] == [{"kernels": 180, "of": 180, "launches": 2223}], steps["all-kernels"]
assert all(v > 0 for v in steps["limits"]["results"][0].values()), steps["limits"]
times = steps["instances"]["results"]
assert len(times) > 100 and {t["instance"] for t in times} == set("r64t64 r64t32 r64t16 r16t8w1 r4t8w4 r16t1w1 r8t1w4 r4t1w4 r32t32 r8t16".split()), len(times)
assert all(t["us"] > 0 and t["predicted_us"] > 2 for t in times), times
figures = {(f["model"], f["test"]): f for r in rows if r["step"] == "figure" for f in r["results"]}
tests = ["pp40", "pp48", "tg4"] + [f"sequences: {n}" for n in (1, 4, 16, 32)]
for key in [(m, t) for m in models for t in tests] + [("micro-Q8_0", "vision 96x96"), ("micro-Q8_0", "vision 192x96")]:
    assert figures[key]["value"] > 0 and figures[key]["percent"] > 0, (key, figures.get(key))
assert figures["embedded", "pages a minute"]["value"] > 0
tables = [r for r in rows if r["step"].startswith("slowest-")]
assert len(tables) == 3 * 3 + 2, len(tables)
for t in tables:
    assert len(t["results"]) >= 8 and any(k["percent_of_mma"] for k in t["results"]), t
    for k in t["results"]:
        assert k["bytes"] > 0 and k["operations"] >= 0 and k["us"] > 0 and k["percent_of_read"] > 0, k
END
said=$(python3 "$scratch/look.py" "$scratch/proof/prove.json" 2>&1) && ok "and every figure is there that a GPU would give" || bad "and every figure is there that a GPU would give" "$(tail -1 <<< "$said")"

# --- a kernel that does nothing, and no llama.cpp where it was said to be
echo gpu_silu_mul > "$GPU_FAKE/skip"
tests/gpu/prove -s -t 3600 -l /nonexistent -o "$scratch/wrong" > "$scratch/prove.out" 2>&1; code=$?
[ $code = 1 ] && grep -q '^not ok - samples' "$scratch/prove.out" && grep -q '^not ok - gpu_layers' "$scratch/prove.out" && grep -q '^not ok - llama.cpp-micro-Q8_0' "$scratch/prove.out" &&
    grep -q '^ok - gpu_attend' "$scratch/prove.out" && grep -q '^ok - run-cpu' "$scratch/prove.out" && [ "$(grep -c '^== [1-5]\.' "$scratch/prove.out")" = 5 ] &&
    ok "what fails stops nothing else" || bad "what fails stops nothing else" "$code: $(grep -a '^ok' "$scratch/prove.out" | head -9 | tr '\n' ' ')"
python3 -c 'import json, sys; rows = json.load(open(sys.argv[1])); assert {r["step"]: r["passed"] for r in rows}["samples"] is False' "$scratch/wrong/prove.json" 2> "$scratch/err" &&
    ok "and is in the JSON" || bad "and is in the JSON" "$(tail -1 "$scratch/err")"
rm "$GPU_FAKE/skip"
tests/gpu/prove -s -t 0 -o "$scratch/late" > "$scratch/prove.out" 2>&1; code=$?
[ $code = 1 ] && [ "$(grep -c 'no time left (-t)' "$scratch/prove.out")" -gt 20 ] && grep -q '^0 of' "$scratch/prove.out" && ok "a step that finds no time left says so" ||
    bad "a step that finds no time left says so" "$code: $(tail -1 "$scratch/prove.out")"
exit $failed
