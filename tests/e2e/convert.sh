#!/usr/bin/env bash
# convert.sh - checkpoints become model files: the embedded model, written as a
# Hugging Face folder by vlm/train's exporter, and random ones of every layout.
subject="convert: "
. "$(dirname "$0")/../support/e2e.sh"
for p in "${PYTHON_TRAIN:-python3}" python3 /usr/bin/python3; do "$p" -c 'import numpy' 2> /dev/null && python=$p && break; done
[ "${python:-}" ] || { echo "skip - ${subject}python3-numpy is not installed"; exit 0; }
cd "$scratch" || exit 1
tiny=$root/vlm/embedded/platen-tiny eye=$root/vlm/embedded/platen-tiny-mmproj
folder() { "$python" "$root/vlm/train/export_hf.py" "$@" > export.err 2>&1 || bad "the exporter" "$(tail -1 export.err)"; }
convert() { # convert DIR OUT TYPE [FLAG...]
    local dir=$1 out=$2 type=$3; shift 3
    "$platen" model convert "$dir" -o "$out" --type "$type" "$@" > out 2> err
}
same() { # same NAME FILE FILE [--values]
    local name=$1 why; shift
    why=$("$python" "$root/tests/support/same_gguf.py" "$@" 2>&1) && ok "$name" || bad "$name" "$(head -3 <<< "$why") $(tail -1 err)"
}
values() { "$python" -c '
import json, sys
print(json.dumps(json.load(open(sys.argv[1]))["data"], sort_keys=True))' "$1"; }

# There and back: the embedded model.
folder "$tiny.gguf" "$eye.gguf" hf --shards 2
convert hf whole.gguf f32
same "F32 of a folder is the model it was made from" "$tiny.gguf" whole.gguf --values
same "F32 of its eye as well" "$eye.gguf" mmproj-whole.gguf --values
convert hf eight.gguf q8_0
same "Q8_0 is the same file's bytes" "$tiny.gguf" eight.gguf
same "Q8_0 of the eye as well" "$eye.gguf" mmproj-eight.gguf
[ "$(cat out)" = "eight.gguf
mmproj-eight.gguf" ] && ok "the files are named" || bad "the files are named" "$(cat out err)"
cp -r hf pipe
for shard in pipe/model-*1-of-*.safetensors; do rm "$shard"; mkfifo "$shard"; done
timeout 10 "$platen" model convert pipe -o pipe.gguf --type f32 > out 2> err
[ $? = 9 ] && grep -q 'model-.*1-of-.*: not a regular file' err && ok "a FIFO as a shard is refused" || bad "a FIFO as a shard is refused" "$(cat err)"
for m in "$tiny.gguf $eye.gguf" "eight.gguf mmproj-eight.gguf"; do
    read -r model mmproj <<< "$m"
    "$platen" extract "$root/samples/good/cafe.pdf" --schema receipt --ocr off --model "$model" --mmproj "$mmproj" > "record-$(basename "$model").json" 2>> err
done
a=$(values record-platen-tiny.gguf.json) b=$(values record-eight.gguf.json)
[ "$a" ] && [ "$a" = "$b" ] && ok "a converted model gives the same answer" || bad "a converted model gives the same answer" "$b"
for type in bf16 f16 q8_0 q4_k_m q5_k_m q6_k mxfp4 nvfp4; do
    convert hf "$type.gguf" "$type" && "$platen" model check "$type.gguf" --mmproj "mmproj-$type.gguf" > said 2>&1 ||
        { bad "$type is sane" "$(tail -1 err) $(tail -2 said)"; continue; }
    grep -q '^sane' said && ok "$type is sane" || bad "$type is sane" "$(tail -2 said)"
done

# Which columns are used, from documents; NVFP4 errs less where they are.
"$platen" model imatrix eight.gguf "$root/samples/good/cafe.pdf" --mmproj mmproj-eight.gguf -o used.gguf > out 2> err &&
    grep -q '1 pages' out && ok "a page is read for an importance matrix" || bad "a page is read for an importance matrix" "$(cat out err)"
convert hf weighed.gguf nvfp4 --imatrix used.gguf
why=$("$python" - << END
import sys
sys.path.insert(0, '$root/vlm/train')
from export_hf import Gguf
true, used, plain, weighed = (Gguf(p) for p in ('whole.gguf', 'used.gguf', 'nvfp4.gguf', 'weighed.gguf'))
names = [n for n, t in plain.tensors.items() if t[1] == 40]
assert len(names) > 10, names
for n in names:
    w = used.get(n + '.in_sum2')[0]
    assert used.get(n + '.counts')[0] > 100 and w.min() >= 0, n
    a, b = (float((w * (g.get(n) - true.get(n)) ** 2).sum()) for g in (plain, weighed))
    assert b < a, (n, a, b)
END
) 2>&1 && ok "with it, what is used errs less" || bad "with it, what is used errs less" "$why $(cat err)"

# Every layout of the family, made by the writer of random models.
synth=$root/build/release/make-synth
[ -x "$synth" ] || { make -s -C "$root" synth > /dev/null 2>&1; }
if [ -x "$synth" ]; then
    # name, its writer's words; the exporter's words
    while IFS='|' read -r name words flags; do
        $synth $words > synth.err 2>&1
        rm -rf hf; folder random.gguf hf $flags
        convert hf back.gguf f32
        same "$name" random.gguf back.gguf --values
    done << 'END'
more value heads than key heads|micro F32 random.gguf|--shards 3 --merge-pairs
a head of its own, F16, with MTP|tiny F16 random.gguf mtp|
experts in one tensor, with MTP|micro-moe F32 random.gguf mtp|
experts one by one, BF16|tiny-moe BF16 random.gguf|--split-experts
END
    seq 60 > words.txt
    "$platen" model imatrix random.gguf words.txt -o used.gguf > out 2> err
    why=$("$python" - << END
import sys
sys.path.insert(0, '$root/vlm/train')
from export_hf import Gguf
used, model = Gguf('used.gguf'), Gguf('random.gguf')
each, rows = model.facts['qwen35moe.expert_used_count'], used.get('blk.0.ffn_gate_inp.weight.counts').sum()
for name in ('gate', 'up', 'down'):
    assert rows > 50 and used.get('blk.0.ffn_%s_exps.weight.counts' % name).sum() == each * rows, name
END
) 2>&1 && ok "experts are counted each for itself" || bad "experts are counted each for itself" "$why $(cat err)"
    # the largest of these is attn_qkv, 75 MB; it is read and written piece by piece
    $synth wide-122b BF16 random.gguf layers=1 > synth.err 2>&1
    rm -rf hf; folder random.gguf hf --type BF16
    why=$(python3 - "$platen" << 'END' 2>&1
import resource, subprocess, sys
subprocess.run([sys.argv[1], "model", "convert", "hf", "-o", "back.gguf", "--type", "q4_k_m"], check=True,
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
peak, tensor = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, 12288 * 3072 * 2 / 2 ** 20
print("%.0f MB, two tensors are %.0f MB" % (peak, 2 * tensor))
sys.exit(peak >= 2 * tensor)
END
) && ok "memory stays below two tensors ($why)" || bad "memory stays below two tensors" "$why"
    rm -f random.gguf back.gguf
    $synth micro NVFP4 random.gguf
    rm -rf hf; folder random.gguf hf --modelopt
    convert hf back.gguf f32
    same "ModelOpt's NVFP4 is read to the bit" random.gguf back.gguf --values
    convert hf kept.gguf nvfp4
    "$python" - kept.gguf random.gguf << END && ok "NVFP4 stays NVFP4, code by code" || bad "NVFP4 stays NVFP4, code by code" "see above"
import sys
sys.path.insert(0, '$root/vlm/train')
from export_hf import Gguf
kept, was = (Gguf(p) for p in sys.argv[1:])
both = [n for n, t in kept.tensors.items() if t[1] == 40]
assert len(both) > 10 and any('ssm_out' in n for n in both), both
for n in both:
    assert kept.tensors[n][2].tobytes() == was.tensors[n][2].tobytes(), n
    assert kept.factor(n) == was.factor(n), n
END
else
    echo "skip - ${subject}random models: make-synth was not built"
fi

# What cannot be: said, and nothing left behind.
refuse() { # refuse NAME WANT: the last conversion failed so
    local code=$?
    [ $code != 0 ] && grep -q "$2" err && ! ls none.gguf* > /dev/null 2>&1 && ok "$1" || bad "$1" "code $code: $(tail -1 err)"
}
rm -rf hf; folder "$tiny.gguf" hf
convert hf none.gguf q3_k_l; refuse "an unknown type lists those that are known" "not one of f32, bf16"
convert "$root/samples" none.gguf q8_0; refuse "a folder without a checkpoint" "neither model.safetensors"
cp hf/model.safetensors keep
head -c 5000000 keep > hf/model.safetensors
convert hf none.gguf q8_0; refuse "a checkpoint that was cut short" "is it complete"
"$python" - << 'END'
import struct
b = bytearray(open('keep', 'rb').read())
n = struct.unpack('<Q', b[:8])[0]
b[8 + n + 40:8 + n + 44] = struct.pack('<f', float('nan'))
open('hf/model.safetensors', 'wb').write(b)
END
convert hf none.gguf q8_0; refuse "a value that is no number names its tensor" "not finite"
cp keep hf/model.safetensors
sed -i 's/\\\\p{M}//g' hf/tokenizer.json
convert hf none.gguf q8_0; refuse "another family's tokenizer" "splits text differently"
sed 's/"num_hidden_layers": *[0-9]*/"num_hidden_layers": 4/' hf/config.json > c && mv c hf/config.json
convert hf none.gguf q8_0; refuse "a config.json of another model" "hf"
convert hf none.gguf q8_0 --imatrix "$tiny.gguf"; refuse "a file that is no importance matrix" "not an importance matrix"
"$platen" model imatrix eight.gguf words.txt > out 2> err; [ $? = 1 ] && ok "imatrix wants --out" || bad "imatrix wants --out" "$(cat err)"
exit $failed
