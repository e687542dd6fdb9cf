# SPDX-License-Identifier: BSD-3-Clause
"""Asks the tree's own torch/utils/cpp_extension.py for the nvcc flags of an architecture: arch_flags.py FILE ARCHITECTURE.

The torch around it is a stand-in: the function reads TORCH_CUDA_ARCH_LIST and nothing else.
"""
import importlib.util
import os
import sys
from unittest import mock

path, architecture = sys.argv[1:]
torch = mock.MagicMock()
torch.version.hip, torch.version.cuda, torch.__version__ = None, '11.4', '1'
for name in ['torch', 'torch._appdirs', 'torch.utils', 'torch.utils.file_baton', 'torch.utils._cpp_extension_versioner',
             'torch.utils.hipify', 'torch.utils.hipify.hipify_python', 'torch.torch_version', 'imp']:
    sys.modules[name] = torch if name == 'torch' else mock.MagicMock()
specification = importlib.util.spec_from_file_location('torch.utils.cpp_extension', path)
cpp_extension = importlib.util.module_from_spec(specification)
specification.loader.exec_module(cpp_extension)

os.environ['TORCH_CUDA_ARCH_LIST'] = architecture
flags = cpp_extension._get_cuda_arch_flags()
print(' '.join(flags))
digits = architecture.replace('.', '')
assert flags == ['-gencode=arch=compute_{0},code=sm_{0}'.format(digits)], flags
