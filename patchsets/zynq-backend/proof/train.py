# SPDX-License-Identifier: BSD-3-Clause
"""Trains a linear layer on the device 'zynq' of a real torch: train.py TREE.

Where the tree has the back end, its C++ file becomes a library (a libtorch that is built from the tree has it inside),
and its package is found by the entry point, as after an installation.
"""
import os
import subprocess
import sys

package = os.path.join(sys.argv[1], 'zynq')
if os.path.isdir(package):
    import torch
    from torch.utils import cpp_extension

    library = os.path.abspath('libzynq_device.so')
    # torch's headers refuse C++17 from 2.13 or 2.14 on.
    standard = 'c++20' if tuple(map(int, torch.__version__.split('.')[:2])) >= (2, 12) else 'c++17'
    source = os.path.join(sys.argv[1], 'aten/src/ATen/detail/ZynqDevice.cpp')
    command = ['g++', '-std=' + standard, '-shared', '-fPIC', source, '-o', library]
    command += ['-I' + path for path in cpp_extension.include_paths()]
    command += ['-L' + path for path in cpp_extension.library_paths()]
    subprocess.check_call(command + ['-ltorch_cpu', '-lc10'])
    os.environ['TORCH_ZYNQ_LIBRARY'] = library
    sys.path.insert(0, package)
    import torch_zynq  # noqa: F401

import torch

torch.manual_seed(0)
model, x = torch.nn.Linear(8, 4), torch.randn(2, 8)
expected = model(x)
expected.sum().backward()
gradient = model.weight.grad.clone()
model.zero_grad()

model.to('zynq')
got = model(x.to('zynq'))
got.sum().backward()
print(torch.zynq.get_device_name(), got.device, model.weight.grad.device)
assert str(got.device) == 'zynq:0', got.device
assert torch.equal(got.cpu(), expected), 'the result is not that of the CPU'
assert torch.equal(model.weight.grad.cpu(), gradient), 'the gradient is not that of the CPU'

# As installed: torch 2.5 and later call the entry point when they are imported, and either import may come first.
os.makedirs('torch_zynq-1.0.dist-info', exist_ok=True)
for name, text in (('METADATA', 'Metadata-Version: 2.1\nName: torch-zynq\nVersion: 1.0\n'),
                   ('entry_points.txt', '[torch.backends]\ntorch_zynq = torch_zynq:autoload\n')):
    with open(os.path.join('torch_zynq-1.0.dist-info', name), 'w') as file:
        file.write(text)
places = [os.getcwd(), package] + os.environ.get('PYTHONPATH', '').split(os.pathsep)
environment = dict(os.environ, PYTHONPATH=os.pathsep.join(places), TORCH_DEVICE_BACKEND_AUTOLOAD='1')
for modules in ('torch, torch_zynq', 'torch_zynq, torch'):
    subprocess.check_call([sys.executable, '-c', 'import %s; torch.ones(2, device="zynq")' % modules], env=environment)
