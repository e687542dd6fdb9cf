#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Launches kernels from PTX by the driver's own interface: launch.py UNPATCHED PATCHED, two directories of .ptx; --look only looks for a GPU.

* Kernels of CTC loss without a launch bound, of which the driver says that a block cannot have 1024 threads, are launched with 1024: that
  must be refused, with CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES. The patched kernels must allow the number that the file uses.
* avg_pool2d is launched with 1024 threads, as without the patches, and with 512, as with them: both must compute the averages that
  Python computes.
"""
import ctypes
import glob
import os
import random
import re
import struct
import sys

OUT_OF_RESOURCES = 701
MAX_THREADS, REGISTERS = 0, 4  # CUfunction_attribute
CTC_THREADS = {'float': 1024, 'double': 896}  # aten/src/ATen/native/cuda/LossCTC.cu of 1.8.1: max_threads


class Failed(Exception):
    pass


class Driver:
    """The first GPU, with a context."""

    def __init__(self):
        try:
            self.cuda = ctypes.CDLL('libcuda.so.1')
        except OSError as error:
            raise Failed('no driver: %s' % error)
        device, version, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(256)
        self.check('cuInit', 0)
        self.check('cuDriverGetVersion', ctypes.byref(version))
        self.check('cuDeviceGet', ctypes.byref(device), 0)
        self.check('cuDeviceGetName', name, 256, device)
        self.context = ctypes.c_void_p()
        self.check('cuDevicePrimaryCtxRetain', ctypes.byref(self.context), device)
        self.check('cuCtxSetCurrent', self.context)
        self.name = '%s, driver for CUDA %d.%d' % (name.value.decode(), version.value // 1000, version.value % 1000 // 10)

    def call(self, function, *arguments):
        return getattr(self.cuda, function)(*arguments)

    def check(self, function, *arguments):
        code = self.call(function, *arguments)
        if code:
            raise Failed('%s: error %d' % (function, code))

    def functions(self, path):
        """Kernel → its handle, of a file of PTX."""
        with open(path) as file:
            text = file.read()
        module = ctypes.c_void_p()
        self.check('cuModuleLoadData', ctypes.byref(module), text.encode() + b'\0')
        found = {}
        for name in entries(text):
            found[name] = ctypes.c_void_p()
            self.check('cuModuleGetFunction', ctypes.byref(found[name]), module, name.encode())
        return found

    def attribute(self, function, which):
        value = ctypes.c_int()
        self.check('cuFuncGetAttribute', ctypes.byref(value), which, function)
        return value.value

    def launch(self, function, blocks, threads, values):
        """The error of a launch and of what follows; `values` are the parameters, as ctypes has them."""
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values])
        code = self.call('cuLaunchKernel', function, blocks, 1, 1, threads, 1, 1, 0, None, pointers, None)
        return code or self.call('cuCtxSynchronize')

    def memory(self, data):
        pointer = ctypes.c_uint64()
        self.check('cuMemAlloc_v2', ctypes.byref(pointer), len(data))
        self.check('cuMemcpyHtoD_v2', pointer, data, len(data))
        return pointer

    def read(self, pointer, size):
        data = ctypes.create_string_buffer(size)
        self.check('cuMemcpyDtoH_v2', data, pointer, size)
        return data.raw


def entries(text):
    """Kernel → how many parameters it has."""
    return {name: parameters.count('.param') for name, parameters in re.findall(r'\.entry (\w+)\(([^)]*)\)', text)}


def look_at_ctc(driver, path, is_patched):
    """Yields a line for each kernel of CTC loss that came out wrong, and prints what was seen."""
    with open(path) as file:
        counts = entries(file.read())
    refused = 0
    for name, function in driver.functions(path).items():
        if not re.search(r'ctc_loss_(log_alpha|backward_collect)', name):
            continue
        most, registers = driver.attribute(function, MAX_THREADS), driver.attribute(function, REGISTERS)
        threads = CTC_THREADS['double' if re.search(r'gpu_kernelId', name) else 'float'] if is_patched else 1024
        if most >= threads:
            continue
        refused += 1
        print('%s: %d registers, at most %d threads' % (name, registers, most))
        if is_patched:
            yield '%s: patched, but cannot be launched with %d threads' % (name, threads)
            continue
        zeros = [ctypes.create_string_buffer(4096) for _ in range(counts[name])]
        code = driver.launch(function, 1, threads, zeros)
        if code != OUT_OF_RESOURCES:
            yield '%s: launched with %d threads: error %d, not %d' % (name, threads, code, OUT_OF_RESOURCES)
    print('%s: %d kernels of CTC loss cannot be launched with %s threads' % (path, refused, 'their' if is_patched else '1024'))


def averages(values, size, kernel):
    """avg_pool2d of a square, stride 1, without padding, summed in its order."""
    least = size - kernel + 1
    return [sum(values[(row + i) * size + column + j] for i in range(kernel) for j in range(kernel)) / (kernel * kernel)
            for row in range(least) for column in range(least)]


def look_at_pooling(driver, path):
    """Yields a line for each number of threads with which avg_pool2d of doubles does not compute what Python does."""
    size, kernel = 128, 3
    values = [random.Random(1).uniform(-1, 1) for _ in range(size * size)]
    expected = averages(values, size, kernel)
    least = size - kernel + 1
    found = [function for name, function in driver.functions(path).items() if re.search(r'avg_pool2d_out_cuda_frameIdd', name)]
    if not found:
        yield '%s: no kernel avg_pool2d_out_cuda_frame of doubles' % path
        return
    bottom = driver.memory(struct.pack('%dd' % len(values), *values))
    for threads in (1024, 512):
        if driver.attribute(found[0], MAX_THREADS) < threads:
            print('%s: avg_pool2d was not run with %d threads, which this GPU refuses' % (path, threads))
            continue
        top = driver.memory(bytes(8 * len(expected)))
        numbers = [ctypes.c_int(number) for number in (len(expected), 1, 1, size, size, least, least, kernel, kernel, 1, 1, 0, 0)]
        code = driver.launch(found[0], (len(expected) + threads - 1) // threads, threads,
                             numbers[:1] + [bottom] + numbers[1:] + [top, ctypes.c_int(0), ctypes.c_bool(True), ctypes.c_bool(False)])
        if code:
            yield '%s: avg_pool2d with %d threads: error %d' % (path, threads, code)
            return
        got = struct.unpack('%dd' % len(expected), driver.read(top, 8 * len(expected)))
        if any(abs(one - other) > 1e-14 for one, other in zip(got, expected)):
            yield '%s: avg_pool2d with %d threads: other averages than those of Python' % (path, threads)
        else:
            print('%s: avg_pool2d with %d threads: %d averages are right' % (path, threads, len(expected)))


def main():
    driver = Driver()
    print(driver.name)
    if sys.argv[1:] == ['--look']:
        return 0
    wrong, looked_at = [], 0
    for directory, is_patched in zip(sys.argv[1:3], (False, True)):
        for name in ('LossCTC', 'AveragePool2d'):
            path = os.path.join(directory, name + '.ptx')
            if not glob.glob(path):
                print('gpu: not run: no %s' % path)
                continue
            looked_at += 1
            wrong += look_at_ctc(driver, path, is_patched) if name == 'LossCTC' else look_at_pooling(driver, path)
    for line in wrong:
        print('gpu: ' + line)
    return 2 if not looked_at else min(len(wrong), 1)


if __name__ == '__main__':
    try:
        sys.exit(main())
    except Failed as error:
        print('gpu: %s' % error, file=sys.stderr)
        sys.exit(2)
