# SPDX-License-Identifier: BSD-3-Clause
"""Loads a tar file with the tree's own torch/serialization.py: load.py FILE.

The torch around it is a stand-in, and so is the unpickler of weights_only.
"""
import importlib.util
import io
import pickle
import sys
import tarfile
import tempfile
from unittest import mock


def write_tar(path):
    """Writes a file as torch before 1.0 did, with no storages and no tensors."""
    none = pickle.dumps(0, 2)
    with tarfile.open(path, 'w') as tar:
        for name, data in [('storages', none + pickle.dumps([], 2)), ('tensors', none), ('pickle', pickle.dumps('loaded', 2))]:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


for name in ['torch', 'torch._sources', 'torch._utils', 'torch._weights_only_unpickler', 'torch.storage', 'torch.types',
             'torch.utils', 'torch.utils.serialization', 'typing_extensions', 'torch._C', 'torch.version', 'torch._six', 'torch.hub']:
    sys.modules[name] = mock.MagicMock()
specification = importlib.util.spec_from_file_location('torch.serialization', sys.argv[1])
serialization = importlib.util.module_from_spec(specification)
specification.loader.exec_module(serialization)
unpickler = serialization._weights_only_unpickler
unpickler.load = pickle.load


def load(path, module):
    """Returns what the file loads with this unpickler, or the error."""
    with open(path, 'rb') as file:
        try:
            return serialization._legacy_load(file, None, module)
        except RuntimeError as error:
            return error


with tempfile.TemporaryDirectory() as directory:
    write_tar(directory + '/old.pt')
    refused = load(directory + '/old.pt', unpickler)
    print(refused)
    assert 'old tar format' in str(refused), 'weights_only=True read a tar file'
    assert load(directory + '/old.pt', pickle) == 'loaded', 'the file was not loaded without weights_only'
