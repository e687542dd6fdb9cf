#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints what each kernel needs: kernels.py CUBIN… prints file, kernel, registers of its instances, launch bound,
and the largest block that each instance can be launched with on a GPU with 32768 registers for a block, separated by tabs.
Reads the ELF alone."""
import os
import re
import shutil
import struct
import subprocess
import sys

REGISTERS_PER_BLOCK = 32768


def sections(data):
    """Each section: name, and the fields of its header."""
    offset = struct.unpack_from('<Q', data, 40)[0]
    size, count, names = struct.unpack_from('<HHH', data, 58)
    headers = [struct.unpack_from('<IIQQQQIIQQ', data, offset + i * size) for i in range(count)]
    return [(string_at(data, headers[names][4] + header[0]), header) for header in headers]


def string_at(data, offset):
    return data[offset:data.index(b'\0', offset)].decode()


def symbols(data, parts):
    """The names of the symbol table."""
    table = next(header for _, header in parts if header[1] == 2)
    strings = parts[table[6]][1][4]
    return [string_at(data, strings + struct.unpack_from('<I', data, table[4] + 24 * i)[0]) for i in range(table[5] // 24)]


def attributes(data, header):
    """Attribute and value of each record of a section .nv.info."""
    offset, end = header[4], header[4] + header[5]
    while offset + 4 <= end:
        form, attribute, size = struct.unpack_from('<BBH', data, offset)
        size = size if form == 4 else 0  # the other forms keep their value in the two bytes
        yield attribute, data[offset + 4:offset + 4 + size]
        offset += 4 + size


def kernels(data):
    """Kernel → (registers of a thread, most threads of a block by its launch bound or None)."""
    parts = sections(data)
    bounds, registers = {}, {}
    for name, header in parts:
        if name.startswith('.nv.info.'):
            values = [value for attribute, value in attributes(data, header) if attribute == 0x05]  # EIATTR_MAX_THREADS
            x, y, z = struct.unpack('<III', values[0][:12]) if values else (0, 0, 0)
            bounds[name[len('.nv.info.'):]] = x * y * z or None
        if name.startswith('.text.'):
            registers[name[len('.text.'):]] = header[7] >> 24
        if name == '.nv.info':
            all_names = symbols(data, parts)
            for attribute, value in attributes(data, header):
                if attribute == 0x2f:  # EIATTR_REGCOUNT
                    index, count = struct.unpack('<II', value)
                    registers[all_names[index]] = count
    return {name: (registers[name], bounds[name]) for name in bounds}


def largest_block(registers, bound):
    """A warp has its registers in units of 256, and a block has its warps in fours."""
    warps = REGISTERS_PER_BLOCK // (max(registers, 1) * 32 + 255 & ~255) // 4 * 4
    return min(warps * 32, 1024, bound or 1024)


def demangle(names):
    tool = shutil.which('c++filt')
    if not tool or not names:
        return names
    return subprocess.run([tool], input='\n'.join(names), capture_output=True, text=True, check=True).stdout.splitlines()


def base_name(name):
    """A kernel's name without namespaces, what it is instantiated with, and parameters."""
    name = re.sub(r'\(anonymous namespace\)::', '', name)
    while re.search(r'<[^<>]*>', name):
        name = re.sub(r'<[^<>]*>', '', name)
    return name.split('(')[0].split()[-1].split('::')[-1]


def main():
    rows = {}
    for path in sys.argv[1:]:
        with open(path, 'rb') as file:
            found = kernels(file.read())
        for name, (registers, bound) in zip(demangle(list(found)), found.values()):
            if 'thrust::' not in name and 'cub::' not in name:  # theirs have bounds of their own
                rows.setdefault((os.path.basename(path), base_name(name), bound), []).append(registers)
    for (file, name, bound), registers in sorted(rows.items(), key=str):
        least, most = min(registers), max(registers)
        print(file, name, least if least == most else '%d-%d' % (least, most), bound or '-', largest_block(most, bound), sep='\t')


if __name__ == '__main__':
    main()
