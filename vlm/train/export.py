"""Writes a trained model as an ordinary GGUF pair (decoder, mmproj).

  python3 export.py CHECKPOINT OUTDIR [--raw] [--f32] [--resume FILE.npz]

The transforms are those that a converter of full-size Qwen3.5 applies; the training-only heads stay behind,
except in the npz, from which train.sh goes on in a fresh clone (weights only: the optimisers warm up again).
"""
import argparse
import os

import numpy as np
import torch

import gguf_write as G
import vocab
from model import Config, Tiny

VERSION = '0.1'
TEMPLATE = ("{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.content is string %}{{ m.content }}{% else %}"
            "{% for c in m.content %}{% if c.type == 'text' %}{{ c.text }}{% else %}<|vision_start|><|image_pad|><|vision_end|>"
            "{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
            "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n\n</think>\n\n{% endif %}")


def tiled(a, c, width, axis=0):
    """Value heads from grouped (key head, replica) to tiled (replica, key head) order."""
    r = c.lvh // c.lkh
    if r == 1:
        return a
    a = np.moveaxis(a, axis, 0)
    a = a.reshape(c.lkh, r, width, -1).swapaxes(0, 1).reshape(a.shape)
    return np.moveaxis(a, 0, axis)


def common(w, name, kind, arch, matrices):
    w.add('general.architecture', G.STR, arch)
    w.add('general.type', G.STR, kind)
    w.add('general.name', G.STR, name)
    w.add('general.license', G.STR, 'apache-2.0')
    w.add('general.file_type', G.U32, 7 if matrices is None else 0)
    w.add('general.quantization_version', G.U32, 2)
    w.add('general.alignment', G.U32, 32)
    w.add('platen.version', G.STR, VERSION)


def decoder(sd, c, samples, matrices=None):
    """`matrices`: the tensor type of matrices, None for Q8_0 where rows allow it."""
    w, v = G.Writer(), vocab.V
    common(w, 'platen-tiny', 'model', 'qwen35', matrices)
    for key, kind, value in [
            ('block_count', G.U32, c.nl), ('context_length', G.U32, 4096), ('embedding_length', G.U32, c.d),
            ('feed_forward_length', G.U32, c.ff), ('attention.head_count', G.U32, c.nh),
            ('attention.head_count_kv', G.U32, c.nkv), ('attention.key_length', G.U32, c.hd),
            ('attention.value_length', G.U32, c.hd), ('attention.layer_norm_rms_epsilon', G.F32, c.eps),
            ('rope.freq_base', G.F32, c.theta), ('rope.dimension_count', G.U32, c.rot),
            ('full_attention_interval', G.U32, c.full_every), ('ssm.conv_kernel', G.U32, c.conv),
            ('ssm.state_size', G.U32, c.lk), ('ssm.group_count', G.U32, c.lkh), ('ssm.time_step_rank', G.U32, c.lvh),
            ('ssm.inner_size', G.U32, c.lvh * c.lk)]:
        w.add('qwen35.' + key, kind, value)
    w.array('qwen35.rope.dimension_sections', G.I32, list(c.sections) + [0])
    w.add('tokenizer.ggml.model', G.STR, 'gpt2')
    w.add('tokenizer.ggml.pre', G.STR, 'qwen35')
    w.array('tokenizer.ggml.tokens', G.STR, v.tokens)
    w.array('tokenizer.ggml.token_type', G.I32, v.types)
    w.array('tokenizer.ggml.merges', G.STR, ['%s %s' % m for m in v.merges])
    w.add('tokenizer.ggml.eos_token_id', G.U32, vocab.IM_END)
    w.add('tokenizer.ggml.padding_token_id', G.U32, vocab.END)
    w.add('tokenizer.ggml.add_bos_token', G.BOOL, False)
    w.add('tokenizer.chat_template', G.STR, TEMPLATE)
    w.add('platen.prompt.format', G.STR, 'outline')
    w.array('platen.prompt.trained_schemas', G.STR, ['receipt', 'page'])
    w.add('platen.trained.samples', G.U64, samples)

    put = lambda name, a: w.tensor(name, a, matrices)
    plus = lambda name, key: w.tensor(name, sd[key] + 1, G.T_F32)
    put('token_embd.weight', sd['emb.weight'])
    plus('output_norm.weight', 'norm.weight')
    for i in range(c.nl):
        b, s = 'blk.%d.' % i, 'layers.%d.' % i
        plus(b + 'attn_norm.weight', s + 'n1.weight')
        plus(b + 'post_attention_norm.weight', s + 'n2.weight')
        for ours, theirs in (('gate', 'ffn_gate'), ('up', 'ffn_up'), ('down', 'ffn_down')):
            put(b + theirs + '.weight', sd[s + ours + '.weight'])
        s += 'mix.'
        if (i + 1) % c.full_every == 0:
            for ours, theirs in (('q', 'attn_q'), ('k', 'attn_k'), ('v', 'attn_v'), ('o', 'attn_output')):
                put(b + theirs + '.weight', sd[s + ours + '.weight'])
            plus(b + 'attn_q_norm.weight', s + 'qn.weight')
            plus(b + 'attn_k_norm.weight', s + 'kn.weight')
            continue
        kd = 2 * c.lkh * c.lk
        qkv, conv, ba = sd[s + 'qkv.weight'], sd[s + 'conv'].T, sd[s + 'ba.weight']
        put(b + 'attn_qkv.weight', np.concatenate([qkv[:kd], tiled(qkv[kd:], c, c.lk)]))
        put(b + 'attn_gate.weight', tiled(sd[s + 'z.weight'], c, c.lk))
        put(b + 'ssm_out.weight', tiled(sd[s + 'out.weight'], c, c.lk, axis=1))
        # Two tensors of a few rows that steer decay and writing: F32 costs nothing and keeps them exact.
        w.tensor(b + 'ssm_beta.weight', tiled(ba[:c.lvh], c, 1), G.T_F32)
        w.tensor(b + 'ssm_alpha.weight', tiled(ba[c.lvh:], c, 1), G.T_F32)
        w.tensor(b + 'ssm_conv1d.weight', np.concatenate([conv[:kd], tiled(conv[kd:], c, c.lk)]), G.T_F32)
        w.tensor(b + 'ssm_a', tiled(-np.exp(sd[s + 'A_log']), c, 1), G.T_F32)
        w.tensor(b + 'ssm_dt.bias', tiled(sd[s + 'dt_bias'], c, 1), G.T_F32)
        w.tensor(b + 'ssm_norm.weight', sd[s + 'norm'], G.T_F32)
    return w


def mmproj(sd, c, matrices=None, pixels=(256 * 64, 304 * 304)):
    w = G.Writer()
    common(w, 'platen-tiny-mmproj', 'mmproj', 'clip', matrices)
    w.add('clip.has_vision_encoder', G.BOOL, True)
    w.add('clip.projector_type', G.STR, 'qwen3vl_merger')
    w.add('clip.use_gelu', G.BOOL, True)
    for key, kind, value in [
            ('image_size', G.U32, c.vgrid * c.patch), ('patch_size', G.U32, c.patch), ('embedding_length', G.U32, c.vd),
            ('feed_forward_length', G.U32, c.vff), ('block_count', G.U32, c.vl), ('projection_dim', G.U32, c.d),
            ('attention.head_count', G.U32, c.vh), ('attention.layer_norm_epsilon', G.F32, 1e-6),
            ('spatial_merge_size', G.U32, 2), ('image_min_pixels', G.U32, pixels[0]),
            ('image_max_pixels', G.U32, pixels[1])]:
        w.add('clip.vision.' + key, kind, value)
    w.array('clip.vision.image_mean', G.F32, [0.5] * 3)
    w.array('clip.vision.image_std', G.F32, [0.5] * 3)
    w.array('clip.vision.is_deepstack_layers', G.BOOL, [False] * c.vl)
    kernel = sd['vis.patch.weight']
    if kernel.shape[1] == c.patch ** 2:      # trained on grey: the six planes (three colours, two frames) share the weight
        kernel = np.repeat(kernel / 6, 6, 0).reshape(c.vd, 6, c.patch ** 2)
    kernel = kernel.reshape(c.vd, 3, 2, c.patch, c.patch)
    w.tensor('v.patch_embd.weight', kernel[:, :, 0], G.T_F32)
    w.tensor('v.patch_embd.weight.1', kernel[:, :, 1], G.T_F32)
    w.tensor('v.patch_embd.bias', sd['vis.patch.bias'], G.T_F32)
    w.tensor('v.position_embd.weight', sd['vis.pos.weight'], G.T_F32)

    def linear(name, key):
        w.tensor(name + '.weight', sd[key + '.weight'], matrices)
        w.tensor(name + '.bias', sd[key + '.bias'], G.T_F32)

    def norm(name, key):
        w.tensor(name + '.weight', sd[key + '.weight'], G.T_F32)
        w.tensor(name + '.bias', sd[key + '.bias'], G.T_F32)
    for i in range(c.vl):
        b, s = 'v.blk.%d.' % i, 'vis.blocks.%d.' % i
        norm(b + 'ln1', s + 'norm1')
        norm(b + 'ln2', s + 'norm2')
        for ours, theirs in (('qkv', 'attn_qkv'), ('proj', 'attn_out'), ('fc1', 'ffn_up'), ('fc2', 'ffn_down')):
            linear(b + theirs, s + ours)
    norm('v.post_ln', 'vis.norm')
    linear('mm.0', 'vis.fc1')
    linear('mm.2', 'vis.fc2')
    return w


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('checkpoint')
    ap.add_argument('outdir')
    ap.add_argument('--raw', action='store_true', help='the last weights instead of their running mean')
    ap.add_argument('--f32', action='store_true', help='no quantisation')
    ap.add_argument('--resume', help='also write all weights, heads included, in half precision')
    a = ap.parse_args()
    got = torch.load(a.checkpoint, map_location='cpu')
    sd = {k: t.numpy() for k, t in got['model' if a.raw else 'ema'].items()}
    c = Config()
    os.makedirs(a.outdir, exist_ok=True)
    kind = G.T_F32 if a.f32 else None
    for name, w in (('platen-tiny', decoder(sd, c, got['state']['samples'], kind)), ('platen-tiny-mmproj', mmproj(sd, c, kind))):
        path = os.path.join(a.outdir, name + '.gguf')
        w.save(path + '.tmp')
        os.replace(path + '.tmp', path)
        print('%s: %d tensors, %d bytes' % (path, len(w.tensors), os.path.getsize(path)))
    if a.resume:
        half = {k: v.astype(np.float16) for k, v in sd.items()}
        np.savez_compressed(a.resume, samples=np.int64(got['state']['samples']), **half)
        print('%s: %d bytes' % (a.resume, os.path.getsize(a.resume)))


if __name__ == '__main__':
    main()
