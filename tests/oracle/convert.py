"""A Hugging Face folder as two GGUF files, text and vision, in F32;
matrices in BF16 if asked for (of values that BF16 holds).

The rules are those of vlm/MODEL.md, sections 8 and 12: 1 is added to the norms
(not to that of the delta rule), A is -exp(A_log), value heads go from groups to
tiles, the kernel of patches is split by frame.
"""
import json
import pathlib
import re

import gguf
import numpy as np
from safetensors.numpy import load_file

LAYER = {
    "input_layernorm.weight": "attn_norm.weight",
    "post_attention_layernorm.weight": "post_attention_norm.weight",
    "self_attn.q_proj.weight": "attn_q.weight",
    "self_attn.k_proj.weight": "attn_k.weight",
    "self_attn.v_proj.weight": "attn_v.weight",
    "self_attn.o_proj.weight": "attn_output.weight",
    "self_attn.q_norm.weight": "attn_q_norm.weight",
    "self_attn.k_norm.weight": "attn_k_norm.weight",
    "linear_attn.in_proj_qkv.weight": "attn_qkv.weight",
    "linear_attn.in_proj_z.weight": "attn_gate.weight",
    "linear_attn.in_proj_a.weight": "ssm_alpha.weight",
    "linear_attn.in_proj_b.weight": "ssm_beta.weight",
    "linear_attn.conv1d.weight": "ssm_conv1d.weight",
    "linear_attn.A_log": "ssm_a",
    "linear_attn.dt_bias": "ssm_dt.bias",
    "linear_attn.norm.weight": "ssm_norm.weight",
    "linear_attn.out_proj.weight": "ssm_out.weight",
    "mlp.gate_proj.weight": "ffn_gate.weight",
    "mlp.up_proj.weight": "ffn_up.weight",
    "mlp.down_proj.weight": "ffn_down.weight",
    "mlp.gate.weight": "ffn_gate_inp.weight",
    "mlp.experts.gate_up_proj": "ffn_gate_up_exps.weight",
    "mlp.experts.down_proj": "ffn_down_exps.weight",
    "mlp.experts.gate": "ffn_gate_exps.weight",
    "mlp.experts.up": "ffn_up_exps.weight",
    "mlp.experts.down": "ffn_down_exps.weight",
    "mlp.shared_expert_gate.weight": "ffn_gate_inp_shexp.weight",
    "mlp.shared_expert.gate_proj.weight": "ffn_gate_shexp.weight",
    "mlp.shared_expert.up_proj.weight": "ffn_up_shexp.weight",
    "mlp.shared_expert.down_proj.weight": "ffn_down_shexp.weight",
}
EYE = {
    "patch_embed.proj.bias": "v.patch_embd.bias",
    "pos_embed.weight": "v.position_embd.weight",
    "merger.norm": "v.post_ln",
    "merger.linear_fc1": "mm.0",
    "merger.linear_fc2": "mm.2",
}
EYE_LAYER = {
    "norm1": "ln1",
    "norm2": "ln2",
    "attn.qkv": "attn_qkv",
    "attn.proj": "attn_out",
    "mlp.linear_fc1": "ffn_up",
    "mlp.linear_fc2": "ffn_down",
}


def tiled(x, c, unit, axis=0, first=0):
    """Value heads of `unit` rows (or columns) each, from groups to tiles."""
    nk, nv = c["linear_num_key_heads"], c["linear_num_value_heads"]
    x = np.moveaxis(x, axis, 0)
    head = x[first:].reshape(nk, nv // nk, unit, *x.shape[1:])
    head = head.swapaxes(0, 1).reshape(x[first:].shape)
    return np.moveaxis(np.concatenate([x[:first], head]), 0, axis)


def layer_value(leaf, x, c):
    dv = c["linear_value_head_dim"]
    first = 2 * c["linear_num_key_heads"] * c["linear_key_head_dim"]
    if leaf.endswith("norm.weight") and not leaf.startswith("linear_attn"):
        return x + 1
    if leaf == "linear_attn.A_log":
        return -np.exp(tiled(x, c, 1))
    if leaf in ("linear_attn.dt_bias", "linear_attn.in_proj_a.weight", "linear_attn.in_proj_b.weight"):
        return tiled(x, c, 1)
    if leaf == "linear_attn.in_proj_z.weight":
        return tiled(x, c, dv)
    if leaf == "linear_attn.in_proj_qkv.weight":
        return tiled(x, c, dv, first=first)
    if leaf == "linear_attn.conv1d.weight":
        return tiled(x[:, 0], c, dv, first=first)
    if leaf == "linear_attn.out_proj.weight":
        return tiled(x, c, dv, axis=1)
    if leaf == "mlp.shared_expert_gate.weight":
        return x[0]
    return x


def stacked(weights):
    """Experts one by one, as transformers saves them, in stacks."""
    alone = re.compile(r"(.*\.experts)\.\d+\.(gate|up|down)_proj\.weight")
    found = {alone.match(name).groups() for name in weights if alone.match(name)}
    for stem, part in sorted(found):
        n = sum(name.startswith(stem + ".") and name.endswith(f".{part}_proj.weight") for name in weights)
        yield f"{stem}.{part}", np.stack([weights.pop(f"{stem}.{e}.{part}_proj.weight") for e in range(n)])


def text_tensors(weights, c):
    weights.update(list(stacked(weights)))
    for name, x in weights.items():
        if not name.startswith(("model.language_model.", "lm_head")):
            continue
        name = name.removeprefix("model.language_model.")
        if name == "embed_tokens.weight":
            yield "token_embd.weight", x
        elif name == "lm_head.weight":
            if not c.get("tie_word_embeddings"):
                yield "output.weight", x
        elif name == "norm.weight":
            yield "output_norm.weight", x + 1
        else:
            _, layer, leaf = name.split(".", 2)
            yield f"blk.{layer}.{LAYER[leaf]}", layer_value(leaf, x, c)


def eye_tensors(weights):
    for name, x in weights.items():
        if not name.startswith("model.visual."):
            continue
        name = name.removeprefix("model.visual.")
        if name == "patch_embed.proj.weight":
            yield "v.patch_embd.weight", x[:, :, 0]
            yield "v.patch_embd.weight.1", x[:, :, 1]
        elif name.startswith("blocks."):
            _, layer, leaf = name.split(".", 2)
            stem, end = leaf.rsplit(".", 1)
            yield f"v.blk.{layer}.{EYE_LAYER[stem]}.{end}", x
        elif name in EYE:
            yield EYE[name], x
        else:
            stem, end = name.rsplit(".", 1)
            yield f"{EYE[stem]}.{end}", x


def copy_words(w, words):
    """The vocabulary of another GGUF file."""
    for name, field in words.fields.items():
        if not name.startswith("tokenizer.ggml."):
            continue
        kind = field.types[0]
        if kind == gguf.GGUFValueType.ARRAY:
            w.add_array(name, field.contents())
        else:
            w.add_key_value(name, field.contents(), kind)


def text_keys(w, arch, c):
    rope = c["rope_parameters"]
    key = lambda name: f"{arch}.{name}"
    interval = c["layer_types"].index("full_attention") + 1
    whole = {
        "block_count": c["num_hidden_layers"],
        "context_length": c["max_position_embeddings"],
        "embedding_length": c["hidden_size"],
        "attention.head_count": c["num_attention_heads"],
        "attention.head_count_kv": c["num_key_value_heads"],
        "attention.key_length": c["head_dim"],
        "attention.value_length": c["head_dim"],
        "rope.dimension_count": int(c["head_dim"] * rope["partial_rotary_factor"]),
        "ssm.conv_kernel": c["linear_conv_kernel_dim"],
        "ssm.state_size": c["linear_key_head_dim"],
        "ssm.group_count": c["linear_num_key_heads"],
        "ssm.time_step_rank": c["linear_num_value_heads"],
        "ssm.inner_size": c["linear_num_value_heads"] * c["linear_value_head_dim"],
        "full_attention_interval": interval,
    }
    if arch == "qwen35":
        whole["feed_forward_length"] = c["intermediate_size"]
    else:
        whole["expert_count"] = c["num_experts"]
        whole["expert_used_count"] = c["num_experts_per_tok"]
        whole["expert_feed_forward_length"] = c["moe_intermediate_size"]
        whole["expert_shared_feed_forward_length"] = c["shared_expert_intermediate_size"]
    for name, value in whole.items():
        w.add_uint32(key(name), value)
    w.add_float32(key("attention.layer_norm_rms_epsilon"), c["rms_norm_eps"])
    w.add_float32(key("rope.freq_base"), rope["rope_theta"])
    w.add_array(key("rope.dimension_sections"), [*rope["mrope_section"], 0])


def eye_keys(w, c, n_out):
    w.add_bool("clip.has_vision_encoder", True)
    w.add_string("clip.projector_type", "qwen3vl_merger")
    w.add_bool("clip.use_gelu", True)
    for name, value in {
        "image_size": 16 * int(c["num_position_embeddings"] ** 0.5),
        "patch_size": c["patch_size"],
        "embedding_length": c["hidden_size"],
        "feed_forward_length": c["intermediate_size"],
        "block_count": c["depth"],
        "attention.head_count": c["num_heads"],
        "projection_dim": n_out,
        "spatial_merge_size": c["spatial_merge_size"],
    }.items():
        w.add_uint32(f"clip.vision.{name}", value)
    w.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-6)
    w.add_array("clip.vision.image_mean", [0.5, 0.5, 0.5])
    w.add_array("clip.vision.image_std", [0.5, 0.5, 0.5])


def write(w, tensors, bf16):
    kind = gguf.GGMLQuantizationType.BF16
    for name, x in tensors:
        x = np.ascontiguousarray(x, dtype=np.float32)
        if bf16 and x.ndim > 1 and "conv1d" not in name and "position" not in name:
            w.add_tensor(name, gguf.quantize(x, kind), raw_dtype=kind)
        else:
            w.add_tensor(name, x)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def convert(folder, words, text, eye, bf16=False):
    """folder: config.json, model.safetensors. words: a GGUF's vocabulary."""
    folder = pathlib.Path(folder)
    config = json.loads((folder / "config.json").read_text())
    weights = load_file(folder / "model.safetensors")
    c = config["text_config"] | {"tie_word_embeddings": config["tie_word_embeddings"]}
    arch = "qwen35moe" if "num_experts" in c else "qwen35"
    w = gguf.GGUFWriter(text, arch)
    text_keys(w, arch, c)
    copy_words(w, gguf.GGUFReader(words))
    write(w, text_tensors(weights, c), bf16)
    w = gguf.GGUFWriter(eye, "clip")
    eye_keys(w, config["vision_config"], c["hidden_size"])
    write(w, eye_tensors(weights), bf16)
