#!/usr/bin/env python3
"""store_forwarding.py OBJECT... - finds loads from the stack that are wider than the store that
filled the slot just before: no processor forwards such a store, and each costs a dozen cycles.
A memcpy into an array of two vectors compiles to that, and made the AVX-VNNI prompt kernel 2.5
times slower than the AVX2 one. Prints "OBJECT FUNCTION LINE" of the products alone (panel_*,
direct_*): packing meets the pattern once a panel, where it costs nothing that shows. Reads what
objdump -d prints."""
import re
import subprocess
import sys

WIDTH = {'x': 16, 'y': 32, 'z': 64}
RECENT = 80  # instructions: what is older has reached the cache


def address(operand, alias):
    """(base register, offset) of a place on the stack, or None."""
    found = re.match(r'(-?0x[0-9a-f]+)?\((%r\w+)\)$', operand)
    if not found:
        return None
    offset, base = int(found.group(1) or '0', 16), found.group(2)
    if base in ('%rsp', '%rbp'):
        return base, offset
    return (alias[base][0], alias[base][1] + offset) if base in alias else None


def width_of(instruction, register):
    found = re.match(r'%([xyz])mm', register)
    if not found or re.search('broadcast|pinsr|ss$', instruction):
        return 0
    return 16 if '128' in instruction else WIDTH[found.group(1)]


def slow_loads(listing):
    stores, alias, function = {}, {}, ''
    for number, line in enumerate(listing):
        begins = re.match(r'[0-9a-f]+ <(.*)>:', line)
        if begins:
            stores, alias, function = {}, {}, begins.group(1)
        parts = line.split('\t')
        if len(parts) < 2 or len(parts[1].split(None, 1)) < 2:
            continue
        instruction, rest = parts[1].split(None, 1)
        operand = re.findall(r'(?:-?0x[0-9a-f]+)?\([^)]*\)|[^,\s]+', rest)
        to = operand[-1]
        if instruction == 'lea':
            alias[to] = address(operand[0], alias) or alias.pop(to, None)
            if not alias[to]:
                del alias[to]
        elif 'mov' in instruction and address(to, alias) and width_of(instruction, operand[0]):
            base, offset = address(to, alias)
            width = width_of(instruction, operand[0])
            stores.update({(base, k): (width, number) for k in range(offset, offset + width, 8)})
        else:
            for source in operand[:-1]:
                width, at = stores.get(address(source, alias), (99, 0))
                if width < width_of(instruction, to) and number - at < RECENT:
                    yield function, line.strip()
            if to in alias and not instruction.startswith(('cmp', 'test')):
                del alias[to]


status = 0
for path in sys.argv[1:]:
    text = subprocess.run(['objdump', '-d', '--no-show-raw-insn', path], capture_output=True, text=True, check=True).stdout
    for name, at in slow_loads(text.splitlines()):
        if name.startswith(('panel_', 'direct_')):
            print(path, name, at)
            status = 1
sys.exit(status)
