#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shows that proofs can tell a patch from one that does something else: proof_mutants.py TORCHPATCH MIRROR [PATCHSET…].

Takes each mutation below to the lines that a patch adds, one place at a time, and expects `not_green` of some proof.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '../..'))

# patchset → [(release, variant, what an added line has, what the mutant has)]
MUTATIONS = {
    'annotations-of-bases': [('1.11.0', '1.11', 'cls.__mro__', 'cls.__bases__'), ('1.12.1', '1.12', 'cls.__mro__', 'cls.__bases__'),
                             ('1.12.1', '1.12', "'__annotations__' in vars(obj)", 'False'),
                             ('2.0.0', '2.0.0', 'cls.__mro__', 'cls.__bases__'), ('2.0.0', '2.0.0', 'in obj.__mro__', 'in obj, obj.__base__')],
    'armv7-format-errors': [('1.10.0', '1.10', '%zd', '%ld')],
    'assertions-of-strings': [('1.6.0', '1.6', 'TORCH_CHECK(false, ', 'TORCH_CHECK(storage_offset, '),
                              ('1.10.0', '1.10', 'false, "Unsupported datatype', '"Unsupported datatype')],
    'benchmark-gcc-11': [('1.1.0', '1.0', '<limits>', '<climits>')],
    'breakpad-glibc-2.34': [('1.10.0', '1.10', 'std::max<unsigned>', 'std::max')],
    'copysign-ice': [('1.8.0', '1.8', 'std::signbit(x) == std', 'std::signbit(x) != std'),
                     ('1.8.0', '1.8', 'c10::cuda::compat::copysign', 'std::copysign')],
    'cpp-extension-8.7': [('1.7.0', '1.7.0', "'8.7'", "'8.8'")],
    'cuda-launch-bounds': [('1.8.0', '1.8', 'block = 256', 'block = 1024'), ('1.0.0', '1.0', '__launch_bounds__(max_threads)', '__launch_bounds__(32)')],
    'cuda-threads': [('1.0.0', 'T1', ' = 512;', ' = 1024;'), ('1.1.0', 'T2', ' = 512;', ' = 1024;'),
                     ('1.6.0', 'T3', ' = 512;', ' = 1024;'), ('1.9.0', 'T4', ' = 512;', ' = 1024;'),
                     ('1.10.0', 'T5', ' = 512;', ' = 1024;')],
    'embedding-bag-empty': [('1.7.1', '1.7', 'numel() > 0', 'numel() >= 0'), ('2.1.0', '2.1', 'numel() > 0', 'numel() > 1')],
    'embedding-bag-byte': [('1.7.0', '1.7', 'weight.contiguous()', 'output'), ('1.7.0', '1.7', 'factors[i]', '1.0f'),
                           ('1.7.0', '1.7', 'indices[i] < count', 'true'), ('1.7.0', '1.7', 'width + 4,', 'width,')],
    'embedding-bag-half': [('1.12.0', '1.12', 'irange(start_idx, end_idx)', 'irange(end_idx)')],
    'embedding-bag-prepack': [('1.10.0', '1.10', 'float_weight.data_ptr', 'weight_contig->to(at::ScalarType::Float).data_ptr')],
    'embedding-bag-unaligned': [('1.8.1', '1.8', 'scale_bias_val[1]', 'scale_bias_val[0]'), ('1.7.0', '1.7', 'weight_bias[row]};', '0};'),
                                ('2.1.2', '2.1', 'input_row + output_columns', 'input_row')],
    'engine-at-exit': [('1.1.0', '1.0', 'Engine& engine', 'Engine engine'), ('1.5.0', '1.5', 'Engine& engine', 'Engine engine')],
    'extension-names': [('1.1.0', '1.1', "'.so'", "'.x.so'")],
    'fuser-jit-opt-level': [('1.10.2', '1.7', 'static_cast<uintptr_t>(jit_opt_level)', '&jit_opt_level')],
    'gloo-by-default': [('2.0.0', '2.0.0', 'if is_nccl', 'if not is_nccl'), ('2.0.0', '2.0.0', '== 1', '== 0')],
    'gcc-13-includes': [('1.1.0', '1.1', '<stdexcept>', '<exception>'), ('1.8.0', '1.6', '<cstdint>', '<cstddef>'),
                        ('2.0.0', '2.0', '<stdexcept>', '<exception>')],
    'gloo-default-timeout': [('2.0.0', '2.0', '::c10d::Store', '::gloo::rendezvous::Store')],
    'gloo-ethtool': [('1.1.0', '1.0', 'union {', 'struct {')],
    'gloo-gcc-12': [('1.1.0', '1.0', '<array>', '<cassert>'), ('1.5.0', '1.5', '<array>', '<cassert>')],
    'gloo-optional': [('1.1.0', '1.1', '#ifdef USE_C10D_GLOO', '#ifndef USE_C10D_GLOO'),
                      ('1.0.0', '1.0', 'except ImportError', 'except KeyError')],
    'inductor-uint8': [('2.0.0', '2.0', 'torch.int64', 'torch.uint8'), ('2.1.0', '2.1', 'torch.int64', 'torch.bool')],
    'int8-with-sign': [('1.0.0', '1.0', 'int8_t', 'uint8_t')],
    'launch-bounds-8.7': [('1.8.0', '1.8', '== 870', '== 720')],
    'launch-bounds-8.7': [('1.7.0', '1.7', '== 870', '== 720'), ('1.8.0', '1.8', '== 870', '== 720')],
    'histograms-numpy-1.24': [('1.8.2', '1.4', 'counts > 0', 'counts'), ('1.8.2', '1.4', 'astype(float)', 'astype(int)'),
                              ('1.12.1', '1.9', ', dtype=np.int32', ', dtype=bool')],
    'kineto-factories-kept': [('1.8.2', '1.8', '*new std::map<', 'std::map<'), ('1.12.1', '1.10', '*new std::shared_ptr', 'std::shared_ptr')],
    'mpi-long': [('1.0.0', '1.0', 'MPI_LONG_LONG', 'MPI_INT'), ('2.1.0', '2.1', 'MPI_LONG_LONG', 'MPI_LONG')],
    'nccl-default': [('1.0.0', '1.0', '"Use NCCL" OFF', '"Use NCCL" ON'), ('1.0.0', '1.0', 'USE_NCCL=OFF', 'USE_NCCL=ON'),
                     ('1.1.0', '1.1', "and check_env_flag('USE_NCCL')", "and not check_negative_env_flag('USE_NCCL')"),
                     ('1.2.0', '1.2', '"Use NCCL" OFF', '"Use NCCL" ON')],
    'nccl-ssize': [('1.10.0', '1.5', 'define PY_SSIZE_T_CLEAN', 'define PY_SSIZE_T'), ('2.1.0', '1.13', '#define', '#undef')],
    'neon-exact': [('1.7.0', '1.7', 'vrndq_f32', 'vrndaq_f32'), ('1.8.0', '1.8', '1.0f', '2.0f'),
                   ('1.8.0', '1.8', 'sqrt().reciprocal()', 'reciprocal().sqrt()'), ('1.9.0', '1.9', 'vrndq_f32', 'vrndmq_f32')],
    'neon-multi-load': [('1.7.0', '1.7', 'vst1q_f32 (__a + 4', 'vst1q_f32 (__a + 3')],
    'nnpack-fourier-arrays': [('1.1.0', '1.0', '\tfloat* t4', '\tfloat t4[static 16]')],
    'nnpack-strided-tensors': [('1.1.0', '1.1', 'gradOutput.contiguous()', 'gradOutput'), ('1.3.0', '1.2', 'weight.contiguous()', 'weight'),
                               ('1.8.0', '1.4', 'bias.contiguous()', 'bias')],
    'nvrtc-locale': [('2.1.0', '2.1', 'uselocale(locale)', 'uselocale(nullptr)'), ('2.1.0', '2.1', '= fn(', '= lazyNVRTC.nvrtcCompileProgram = fn, fn(')],
    'onednn-matmul-scratchpad': [('2.1.0', '2.1', 'nstl::max(', 'nstl::min('), ('2.1.0', '2.1', 'optimization, 1)', 'optimization, nthr)')],
    'pkg-resources': [('1.11.0', '1.11', 'except ImportError', 'except KeyError'), ('2.1.0', '2.1', 'import packaging.version', 'import pkg_resources')],
    'openblas-home': [('1.1.0', '1.0', 'HINTS', 'PATHS'), ('1.1.0', '1.0', 'include/openblas include', 'include')],
    'psimd-pinned': [('1.1.0', '1.0', 'third_party/psimd', 'third_party/FP16'), ('1.6.0', '1.6', 'DEFINED PSIMD', 'DEFINED FP16')],
    'type-comment-eval': [('1.0.0', '1.0', 'ast.Call', 'ast.Await'), ('1.9.0', '1.9', 'ast.Call', 'ast.Await'),
                          ('1.9.0', '1.9', 'ast.comprehension', 'ast.Await'),
                          ('1.9.0', '1.9', 'raise RuntimeError(', 'print(')],
    'sleef-sve-off': [('1.5.0', '1.3', '"Disable SVE" ON', '"Disable SVE" OFF')],
    'python-3.10-floats': [('1.11.0', '1.11', '!PyFloat_Check', 'PyFloat_Check')],
    'rpc-device-maps': [('1.12.0', '1.12', '== 0', '!= 0'), ('1.12.0', '1.12', 'map = reverseDeviceMaps_.erase', 'reverseDeviceMaps_.erase')],
    'seekable-buffer-32bit': [('1.5.0', '0.6', 'size_t(', 'uint64_t(')],
    'python-3.11': [('1.8.0', '1.8', 'f_back', 'f_code'),
                    ('1.8.0', '1.8', '->ob_type = &PyType_Type', '->ob_type = Py_TYPE(module)'),
                    ('1.8.0', '1.8', '< 0x030B0000', '< 0x03FF0000')],
    'qnnpack-first-scale': [('1.6.0', '1.6', ', output_scale', ', input_scale'), ('1.10.2', '1.10', 'act_nhwc.q_zero_point()', '0'),
                            ('2.1.0', '2.1', 'act_input_scale,', 'output_scale,')],
    'qnnpack-relu-dynamic': [('1.5.1', '1.5', 'ReluFused ?', '!ReluFused ?'), ('1.9.0', '1.6', 'output.relu_() : output', 'output : output')],
    'quantize-ends': [('1.5.1', '1.3', '(rounded, 1024.0f)', '(rounded, 100.0f)'), ('1.9.1', '1.8', '-1024.0f', '-128.0f'),
                      ('1.12.1', '1.12', '-1024.0f', '-3e9f')],
    'shifts-out-of-range': [('1.8.0', '1.8', 'a < 0 ? -1 : 0', '0'), ('2.0.0', '2.0', '>= 8', '> 8'), ('2.0.0', '2.0', '(b[i])', '(a[i])'),
                            ('2.0.0', '2.0', ' : 0)', ' : -1)'), ('2.1.0', '2.1', ' : 0)', ' : -1)'), ('2.1.0', '2.1', '-1 : 0', '0')],
    'python-3.10-floats': [('1.12.1', '1.11', 'if (!PyIndex_Check', 'if (PyIndex_Check'), ('1.12.1', '1.11', 'PyNumber_Long(obj)', 'PyNumber_Float(obj)')],
    'return-after-warnings': [('1.10.2', '1.5', 'Returned<typename traits::result_type> returned;', 'auto& returned = *new Returned<typename traits::result_type>;'),
                              ('2.1.2', '2.1', 'return std::move(*value)', 'return Result(*new Result(*value))')],
    'sympy-below-1.13': [('2.1.2', '2.1', 'sympy<1.13', 'sympy<1.14')],
    'tensorpipe-bar1': [('2.1.2', '2.1', "= '2'", "= '3'"), ('2.1.2', '2.1', 'return 0', 'return 1')],
    'thrust-host-vector': [('1.9.0', '1.6', 'host_vector.h', 'functional.h')],
    'weights-only-tar': [('2.1.0', '2.0', 'is _weights_only_unpickler', 'is not _weights_only_unpickler')],
    'vec256-aliasing': [('1.8.1', '1.6', 'static_cast<const T*>(a)', 'static_cast<const T*>(b)'), ('1.10.0', '1.10.0', 'op(a_bits[i]', 'op(buffer[i]')],
    'vector-alignment-arm': [('1.8.1', '1.8', 'aligned(8)', 'aligned(16)'), ('2.1.0', '1.10', '__arm__', '__arm_x__')],
    'qnnpack-aarch64-mov': [('1.5.0', '1.5', 'V8.16b, V9.16b', 'V8.4s, V9.4s'), ('1.6.0', '1.6', 'v12.16b', 'v12.4s')],
    'vision-ffmpeg-6': [('2.1.0', '0.13', '#ifdef', '#ifndef')],
}


def places(text, old):
    """The offsets of `old` in lines that the patch adds."""
    return [found.start() for found in re.finditer(re.escape(old), text)
            if text[text.rfind('\n', 0, found.start()) + 1] == '+']


def write_catalog(directory, patchset, release, patch, bytes_of_mutant):
    """A catalog of one release and one patchset, in which one patch is the mutant."""
    os.makedirs(directory + '/releases')
    shutil.copy('%s/releases/%s.json' % (ROOT, release), directory + '/releases')
    folder = '%s/patchsets/%s' % (directory, patchset)
    shutil.copytree('%s/patchsets/%s' % (ROOT, patchset), folder,
                    ignore=shutil.ignore_patterns('certificates', 'proofs'))
    with open(folder + '/patchset.json') as file:
        description = file.read()
    with open('%s/%s' % (folder, patch), 'rb') as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    with open('%s/%s' % (folder, patch), 'wb') as file:
        file.write(bytes_of_mutant)
    description = re.sub(r'"after": \[[^]]*\]', '"after": []', description)
    with open(folder + '/patchset.json', 'w') as file:
        file.write(description.replace(digest, hashlib.sha256(bytes_of_mutant).hexdigest()))


def prove(program, mirror, data, patchset, release):
    environment = dict(os.environ, TORCHPATCH_DATA=data)
    run = subprocess.run([program, 'prove', patchset, '--version', release, '--mirror', mirror, '--json', '--quiet'],
                         env=environment, stdout=subprocess.PIPE, check=False)
    return {proof['proof']: proof['verdict'] for proof in json.loads(run.stdout)['proofs']}


def patches_of(patchset, variant):
    with open('%s/patchsets/%s/patchset.json' % (ROOT, patchset)) as file:
        variants = {each['id']: each for each in json.load(file)['variants']}
    return [patch['file'] for patch in variants[variant]['patches']]


def mutants_of(patchset, variant, old, new):
    """Yields (patch, line, bytes) for each place in the lines that the variant's patches add."""
    for patch in patches_of(patchset, variant):
        with open('%s/patchsets/%s/%s' % (ROOT, patchset, patch), encoding='utf-8') as file:
            text = file.read()
        for place in places(text, old):
            mutant = text[:place] + new + text[place + len(old):]
            yield patch, text.count('\n', 0, place) + 1, mutant.encode()


def try_mutants(program, mirror, patchset, release, variant, old, new):
    """Returns how many mutants were found out, and how many there are."""
    found = mutants = 0
    for patch, line, mutant in mutants_of(patchset, variant, old, new):
        with tempfile.TemporaryDirectory() as directory:
            write_catalog(directory, patchset, release, patch, mutant)
            verdicts = prove(program, mirror, directory, patchset, release)
        is_found = 'not_green' in verdicts.values() and 'not_red' not in verdicts.values()
        print('found' if is_found else 'MISSED', release, '%s/%s:%d' % (patchset, patch, line), verdicts, flush=True)
        found += is_found
        mutants += 1
    return found, mutants


def main():
    program, mirror = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    failures = 0
    for patchset in sys.argv[3:] or sorted(MUTATIONS):
        for mutation in MUTATIONS[patchset]:
            found, mutants = try_mutants(program, mirror, patchset, *mutation)
            if not mutants:
                print('MISSED', patchset, 'no added line has', repr(mutation[2]))
            failures += not mutants or found < mutants
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
