# SPDX-License-Identifier: BSD-3-Clause
"""Imports the tree's torch.distributed.distributed_c10d with extension modules that have MPI but no Gloo, and asks for
Gloo: import_without_gloo.py TREE."""
import enum
import importlib.util
import os
import sys
import types


def module(name, **names):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(names)
    return sys.modules[name]


names = ['BroadcastOptions', 'AllreduceOptions', 'ReduceOptions', 'ScatterOptions', 'GatherOptions', 'PrefixStore',
         'ProcessGroupMPI']
reduce_op = enum.Enum('ReduceOp', 'SUM PRODUCT MIN MAX')
extensions = module('torch.distributed', __path__=[], ReduceOp=reduce_op, **{name: object for name in names})
module('torch', distributed=extensions)
module('torch._six', string_classes=(str,))
module('torch.distributed.rendezvous', rendezvous=lambda url, **more: iter([('store', 0, 1)]),
       register_rendezvous_handler=None)
path = os.path.join(sys.argv[1], 'torch/distributed/distributed_c10d.py')
specification = importlib.util.spec_from_file_location('torch.distributed.distributed_c10d', path)
distributed = importlib.util.module_from_spec(specification)
specification.loader.exec_module(distributed)

try:
    distributed.init_process_group('gloo', init_method='env://')
except RuntimeError as error:
    assert 'Gloo' in str(error), error
    print('refused:', error)
else:
    sys.exit('Gloo is there, which it must not be')
