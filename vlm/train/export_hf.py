"""Writes a GGUF pair as the Hugging Face folder that it would have been converted from.

  python3 export_hf.py MODEL.gguf [MMPROJ.gguf] OUTDIR [--type F32|F16|BF16] [--shards N] [--split-experts]
                       [--modelopt] [--merge-pairs]

The inverse of export.py's transforms: norms less one, A_log from -e^A_log, value heads back in groups, experts in one
tensor or one by one. What a converter makes of the folder is held against the file that it came from. With --modelopt
tensors of NVFP4 are written as nvidia-modelopt does (weight, weight_scale, weight_scale_2). numpy only.
"""
import argparse
import json
import os
import struct

import numpy as np

FLOATS = {1: 'F16', 30: 'BF16'}     # what a tensor is stored as; all others: F32
SIZES = {0: (1, 4), 1: (1, 2), 8: (32, 34), 30: (1, 2), 40: (64, 36)}
F4 = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.float32)
PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"
           r"|\s*[\r\n]+|\s+(?!\S)|\s+")


class Gguf:
    """Facts and tensors of a file; tensors as arrays of the file's bytes."""

    def __init__(self, path):
        self.data, self.at = np.fromfile(path, np.uint8), 8
        assert bytes(self.data[:4]) == b'GGUF'
        n_tensor, n_fact = self.take('<QQ')
        self.facts = {}
        for _ in range(n_fact):
            key = self.text()
            self.facts[key] = self.value(*self.take('<I'))
        where = {}
        for _ in range(n_tensor):
            name, (n,) = self.text(), self.take('<I')
            where[name] = (self.take('<%dQ' % n),) + self.take('<IQ')
        start = -(-self.at // 32) * 32
        self.tensors = {}
        for name, (ne, kind, offset) in where.items():
            block, size = SIZES[kind]
            n = int(np.prod(ne)) // block * size
            self.tensors[name] = (ne[::-1], kind, self.data[start + offset:start + offset + n])

    def take(self, form):
        got = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return got

    def text(self):
        (n,) = self.take('<Q')
        self.at += n
        return bytes(self.data[self.at - n:self.at]).decode('utf-8', 'surrogateescape')

    def value(self, kind):
        if kind == 8:
            return self.text()
        if kind == 9:
            of, n = self.take('<IQ')
            return [self.value(of) for _ in range(n)]
        return self.take('<' + 'BbHhIif?'[kind] if kind < 8 else '<' + 'Qqd'[kind - 10])[0]

    def get(self, name):
        """Values as F32, in the order of the sizes."""
        shape, kind, raw = self.tensors[name]
        if kind == 0:
            x = raw.view('<f4')
        elif kind == 1:
            x = raw.view('<f2').astype(np.float32)
        elif kind == 30:
            x = (raw.view('<u2').astype(np.uint32) << 16).view(np.float32)
        elif kind == 8:
            b = raw.reshape(-1, 34)
            x = b[:, :2].copy().view('<f2').astype(np.float32) * b[:, 2:].view(np.int8)
        else:
            scale, code = self.codes(name)
            x = F4[code] * np.repeat(e4m3(scale), 16, -1) / 2
            x = x.reshape(shape) * self.factor(name)
        return np.asarray(x, np.float32).reshape(shape).copy()

    def factor(self, name):
        """NVFP4's X.scale, to be multiplied with rows of `shape`."""
        shape, _, _ = self.tensors[name]
        f = self.get(name.replace('.weight', '.scale')) if name.replace('.weight', '.scale') in self.tensors else np.ones(1)
        return f.reshape((-1,) + (1,) * (len(shape) - 1))

    def codes(self, name):
        """NVFP4: scales [.., n / 16] and codes [.., n] in the order of the columns."""
        shape, _, raw = self.tensors[name]
        b = raw.reshape(-1, 36)
        q = b[:, 4:].reshape(-1, 4, 8)
        code = np.concatenate([q & 15, q >> 4], -1)
        return b[:, :4].reshape(shape[:-1] + (-1,)), code.reshape(shape)


def e4m3(b):
    e, m = (b >> 3) & 15, (b & 7).astype(np.float32)
    return np.where(e, (1 + m / 8) * np.exp2(e.astype(np.float32) - 7), m * np.float32(2 ** -9))


def grouped(a, nk, nv, width, axis=0):
    """Value heads from tiled (replica, key head) to grouped (key head, replica) order."""
    a = np.moveaxis(a, axis, 0)
    a = a.reshape(nv // nk, nk, width, -1).swapaxes(0, 1).reshape(a.shape)
    return np.moveaxis(a, 0, axis)


class Folder:
    def __init__(self, path, kind):
        self.path, self.forced, self.kind, self.tensors = path, kind, 'F32', {}

    def put(self, name, a, kind=None):
        kind = kind or self.forced or self.kind
        a = np.ascontiguousarray(a)
        if kind == 'BF16':
            bits = a.astype(np.float32).view(np.uint32)
            raw = ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype('<u2').tobytes()
        else:
            raw = a.astype({'F32': '<f4', 'F16': '<f2', 'U8': 'u1', 'F8_E4M3': 'u1'}[kind]).tobytes()
        self.tensors[name] = (kind, a.shape, raw)

    def write(self, name, names):
        head, at = {'__metadata__': {'format': 'pt'}}, 0
        for n in names:
            kind, shape, raw = self.tensors[n]
            head[n] = {'dtype': kind, 'shape': list(shape), 'data_offsets': [at, at + len(raw)]}
            at += len(raw)
        text = json.dumps(head).encode()
        text += b' ' * (-len(text) % 8)
        with open(os.path.join(self.path, name), 'wb') as f:
            f.write(struct.pack('<Q', len(text)) + text)
            for n in names:
                f.write(self.tensors[n][2])

    def save(self, shards):
        names = sorted(self.tensors)
        if shards == 1:
            self.write('model.safetensors', names)
            return
        where = {}
        for i in range(shards):
            part = 'model-%05d-of-%05d.safetensors' % (i + 1, shards)
            mine = names[i::shards]
            self.write(part, mine)
            where.update({n: part for n in mine})
        self.json('model.safetensors.index.json', {'metadata': {}, 'weight_map': where})

    def json(self, name, value):
        with open(os.path.join(self.path, name), 'w') as f:
            json.dump(value, f, ensure_ascii=False)


PLUS = {'attn_norm.weight': 'input_layernorm.weight', 'post_attention_norm.weight': 'post_attention_layernorm.weight',
        'attn_q_norm.weight': 'self_attn.q_norm.weight', 'attn_k_norm.weight': 'self_attn.k_norm.weight'}
PLAIN = {'attn_q.weight': 'self_attn.q_proj.weight', 'attn_k.weight': 'self_attn.k_proj.weight',
         'attn_v.weight': 'self_attn.v_proj.weight', 'attn_output.weight': 'self_attn.o_proj.weight',
         'ssm_norm.weight': 'linear_attn.norm.weight', 'ffn_gate.weight': 'mlp.gate_proj.weight',
         'ffn_up.weight': 'mlp.up_proj.weight', 'ffn_down.weight': 'mlp.down_proj.weight',
         'ffn_gate_inp.weight': 'mlp.gate.weight', 'ffn_gate_shexp.weight': 'mlp.shared_expert.gate_proj.weight',
         'ffn_up_shexp.weight': 'mlp.shared_expert.up_proj.weight',
         'ffn_down_shexp.weight': 'mlp.shared_expert.down_proj.weight'}
MTP = {'nextn.enorm.weight': 'pre_fc_norm_embedding.weight', 'nextn.hnorm.weight': 'pre_fc_norm_hidden.weight',
       'nextn.shared_head_norm.weight': 'norm.weight'}
EYE = {'ln1': 'norm1', 'ln2': 'norm2', 'attn_qkv': 'attn.qkv', 'attn_out': 'attn.proj', 'ffn_up': 'mlp.linear_fc1',
       'ffn_down': 'mlp.linear_fc2'}


class Text:
    """The text model's tensors, one GGUF name at a time."""

    def __init__(self, g, out, a):
        self.g, self.out, self.a = g, out, a
        self.arch = g.facts['general.architecture']
        f = self.fact
        self.nk, self.nv, self.width = f('ssm.group_count'), f('ssm.time_step_rank'), f('ssm.state_size')
        self.n_layer = f('block_count') - f('nextn_predict_layers', 0)
        self.kd = 2 * self.nk * self.width

    def fact(self, name, otherwise=None):
        v = self.g.facts.get('%s.%s' % (self.arch, name), otherwise)
        return max(v) if isinstance(v, list) and 'sections' not in name else v

    def heads(self, a, name):
        if name.startswith(('attn_qkv', 'ssm_conv1d')):
            return np.concatenate([a[:self.kd], grouped(a[self.kd:], self.nk, self.nv, self.width)])
        if name.startswith(('ssm_alpha', 'ssm_beta', 'ssm_a', 'ssm_dt')):
            return grouped(a, self.nk, self.nv, 1)
        if name.startswith('attn_gate'):
            return grouped(a, self.nk, self.nv, self.width)
        return grouped(a, self.nk, self.nv, self.width, -1) if name.startswith('ssm_out') else a

    def linear(self, to, name, full):
        """A matrix: values, or ModelOpt's three tensors."""
        if not (self.a.modelopt and self.g.tensors[full][1] == 40):
            self.out.put(to, self.heads(self.g.get(full), name))
            return
        scale, code = self.g.codes(full)
        if name.startswith('ssm_out'):
            scale = grouped(scale, self.nk, self.nv, self.width // 16, -1)
        else:
            scale = self.heads(scale, name)
        code = self.heads(code, name)
        self.out.put(to, code[..., ::2] | code[..., 1::2] << 4, 'U8')
        self.out.put(to.replace('.weight', '.weight_scale'), scale, 'F8_E4M3')
        self.out.put(to.replace('.weight', '.weight_scale_2'), self.g.factor(full).reshape(()), 'F32')
        self.out.put(to.replace('.weight', '.input_scale'), np.ones((), np.float32), 'F32')

    def delta(self, to, name, full):
        a = self.g.get(full)
        if name == 'ssm_a':
            self.out.put(to + 'A_log', self.heads(np.log(-a.astype(np.float64)), name), 'F32')
        elif name.startswith('ssm_dt'):
            self.out.put(to + 'dt_bias', self.heads(a, name))
        elif name.startswith('ssm_conv1d'):
            self.out.put(to + 'conv1d.weight', self.heads(a, name)[:, None])
        else:
            other = {'attn_qkv': 'in_proj_qkv', 'attn_gate': 'in_proj_z', 'ssm_alpha': 'in_proj_a', 'ssm_beta': 'in_proj_b',
                     'ssm_out': 'out_proj'}[name.split('.')[0]]
            self.linear(to + other + '.weight', name, full)

    def experts(self, to, b):
        gate, up, down = (self.g.get(b + 'ffn_%s_exps.weight' % k) for k in ('gate', 'up', 'down'))
        if not self.a.split_experts:
            self.out.put(to + 'experts.gate_up_proj', np.concatenate([gate, up], 1))
            self.out.put(to + 'experts.down_proj', down)
            return
        for e in range(len(gate)):
            for k, a in (('gate', gate), ('up', up), ('down', down)):
                self.out.put(to + 'experts.%d.%s_proj.weight' % (e, k), a[e])

    def block(self, layer, name, full):
        to = 'model.language_model.layers.%d.' % layer
        if layer >= self.n_layer:
            to = 'mtp.layers.%d.' % (layer - self.n_layer)
            if name in MTP:
                self.out.put('mtp.' + MTP[name], self.g.get(full) - 1)
                return
            if name == 'nextn.eh_proj.weight':
                self.out.put('mtp.fc.weight', self.g.get(full))
                return
        if name in PLUS:
            self.out.put(to + PLUS[name], self.g.get(full) - 1)
        elif name in PLAIN:
            self.linear(to + PLAIN[name], name, full)
        elif name == 'ffn_gate_inp_shexp.weight':
            self.out.put(to + 'mlp.shared_expert_gate.weight', self.g.get(full)[None])
        elif '_exps.' in name:
            if name.startswith('ffn_down'):
                self.experts(to + 'mlp.', 'blk.%d.' % layer)
        else:
            self.delta(to + 'linear_attn.', name, full)

    def write(self):
        inner = 'model.language_model.'
        for full in self.g.tensors:
            if full.endswith('.scale'):
                continue
            self.out.kind = FLOATS.get(self.g.tensors[full][1], 'F32')
            if full.startswith('blk.'):
                layer, name = full[4:].split('.', 1)
                self.block(int(layer), name, full)
            elif full == 'output_norm.weight':
                self.out.put(inner + 'norm.weight', self.g.get(full) - 1)
            else:
                self.out.put({'token_embd.weight': inner + 'embed_tokens.weight', 'output.weight': 'lm_head.weight'}[full],
                             self.g.get(full))

    def config(self):
        f, moe = self.fact, self.arch.endswith('moe')
        rope = {'rope_type': 'default', 'rope_theta': f('rope.freq_base'), 'mrope_interleaved': True,
                'partial_rotary_factor': f('rope.dimension_count') / f('attention.key_length'),
                'mrope_section': f('rope.dimension_sections')[:3]}
        every = f('full_attention_interval', 4)
        text = {'model_type': 'qwen3_5_moe_text' if moe else 'qwen3_5_text', 'hidden_act': 'silu', 'attention_bias': False,
                'attn_output_gate': True, 'num_hidden_layers': self.n_layer, 'hidden_size': f('embedding_length'),
                'num_attention_heads': f('attention.head_count'), 'num_key_value_heads': f('attention.head_count_kv'),
                'head_dim': f('attention.key_length'), 'max_position_embeddings': f('context_length'),
                'vocab_size': len(self.g.facts['tokenizer.ggml.tokens']), 'rms_norm_eps': f('attention.layer_norm_rms_epsilon'),
                'full_attention_interval': every, 'rope_parameters': rope, 'linear_conv_kernel_dim': f('ssm.conv_kernel'),
                'linear_key_head_dim': self.width, 'linear_value_head_dim': self.width, 'linear_num_key_heads': self.nk,
                'linear_num_value_heads': self.nv, 'mtp_num_hidden_layers': f('nextn_predict_layers', 0),
                'layer_types': ['full_attention' if (i + 1) % every == 0 else 'linear_attention' for i in range(self.n_layer)]}
        if moe:
            text.update(num_experts=f('expert_count'), num_experts_per_tok=f('expert_used_count'),
                        moe_intermediate_size=f('expert_feed_forward_length'),
                        shared_expert_intermediate_size=f('expert_shared_feed_forward_length'))
        else:
            text['intermediate_size'] = f('feed_forward_length')
        top = {'architectures': ['Qwen3_5MoeForConditionalGeneration' if moe else 'Qwen3_5ForConditionalGeneration'],
               'model_type': 'qwen3_5_moe' if moe else 'qwen3_5', 'text_config': text,
               'tie_word_embeddings': 'output.weight' not in self.g.tensors}
        own = {k[len('platen.'):]: v for k, v in self.g.facts.items() if k.startswith('platen.') and isinstance(v, str)}
        return dict(top, platen=own) if own else top

    def words(self):
        t = lambda key, otherwise=None: self.g.facts.get('tokenizer.' + key, otherwise)
        tokens, types = t('ggml.tokens'), t('ggml.token_type')
        merges = t('ggml.merges')
        added = [{'id': i, 'content': w, 'single_word': False, 'lstrip': False, 'rstrip': False, 'normalized': False,
                  'special': k == 3} for i, (w, k) in enumerate(zip(tokens, types)) if k in (3, 4)]
        pre = {'type': 'Sequence', 'pretokenizers': [
            {'type': 'Split', 'pattern': {'Regex': PATTERN}, 'behavior': 'Isolated', 'invert': False},
            {'type': 'ByteLevel', 'add_prefix_space': False, 'trim_offsets': False, 'use_regex': False}]}
        self.out.json('tokenizer.json', {
            'version': '1.0', 'added_tokens': added, 'normalizer': {'type': 'NFC'}, 'pre_tokenizer': pre,
            'model': {'type': 'BPE', 'vocab': {w: i for i, (w, k) in enumerate(zip(tokens, types)) if k == 1},
                      'merges': [m.split(' ') for m in merges] if self.a.merge_pairs else merges}})
        config = {'eos_token': tokens[t('ggml.eos_token_id')], 'chat_template': t('chat_template', '')}
        if t('ggml.padding_token_id') is not None:
            config['pad_token'] = {'content': tokens[t('ggml.padding_token_id')]}
        self.out.json('tokenizer_config.json', config)


def eye(g, out):
    f, to = lambda key: g.facts['clip.vision.' + key], 'model.visual.'
    for full in g.tensors:
        name, a = full.split('.', 1)[1], g.get(full)
        out.kind = FLOATS.get(g.tensors[full][1], 'F32')
        if full == 'v.patch_embd.weight':
            out.put(to + 'patch_embed.proj.weight', np.stack([a, g.get(full + '.1')], 2))
        elif full.startswith('v.blk.'):
            layer, part, end = full[6:].split('.')
            out.put(to + 'blocks.%s.%s.%s' % (layer, EYE[part], end), a)
        elif full != 'v.patch_embd.weight.1':
            part = {'patch_embd': 'patch_embed.proj', 'position_embd': 'pos_embed', 'post_ln': 'merger.norm',
                    '0': 'merger.linear_fc1', '2': 'merger.linear_fc2'}[name.split('.')[0]]
            out.put(to + part + '.' + full.rsplit('.', 1)[1], a)
    pixels = [g.facts.get('clip.vision.image_%s_pixels' % k) for k in ('min', 'max')]
    size = dict(zip(('shortest_edge', 'longest_edge'), pixels)) if pixels[0] else {}
    out.json('preprocessor_config.json', {'size': size, 'patch_size': f('patch_size'), 'temporal_patch_size': 2,
                                          'merge_size': f('spatial_merge_size'), 'image_mean': f('image_mean'),
                                          'image_std': f('image_std')})
    return {'depth': f('block_count'), 'hidden_size': f('embedding_length'), 'num_heads': f('attention.head_count'),
            'intermediate_size': f('feed_forward_length'), 'patch_size': f('patch_size'), 'temporal_patch_size': 2,
            'in_channels': 3, 'spatial_merge_size': f('spatial_merge_size'), 'hidden_act': 'gelu_pytorch_tanh',
            'num_position_embeddings': g.tensors['v.position_embd.weight'][0][0], 'deepstack_visual_indexes': [],
            'out_hidden_size': g.tensors['mm.2.weight'][0][0]}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('model')
    ap.add_argument('rest', nargs='+', help='[MMPROJ.gguf] OUTDIR')
    ap.add_argument('--type', choices=['F32', 'F16', 'BF16'], help='of all tensors; else as in the files, blocks as F32')
    ap.add_argument('--shards', type=int, default=1)
    ap.add_argument('--split-experts', action='store_true', help='one tensor for each expert')
    ap.add_argument('--merge-pairs', action='store_true', help='merges as pairs, as newer tokenizers write them')
    ap.add_argument('--modelopt', action='store_true', help='NVFP4 stays NVFP4')
    a = ap.parse_args()
    os.makedirs(a.rest[-1], exist_ok=True)
    out = Folder(a.rest[-1], a.type)
    text = Text(Gguf(a.model), out, a)
    text.write()
    text.words()
    config = text.config()
    if len(a.rest) > 1:
        config['vision_config'] = eye(Gguf(a.rest[0]), out)
    out.json('config.json', config)
    out.save(a.shards)


if __name__ == '__main__':
    main()
