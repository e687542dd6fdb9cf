# SPDX-License-Identifier: BSD-3-Clause
"""The programmable logic of a Zynq as the device "zynq" of PyTorch (2.1 and later).

Importing registers it: torch.device("zynq"), torch.zynq, Tensor.zynq(), Module.zynq(). See README.md.
"""


def autoload():
    """What torch 2.5 and later call by entry point; the import does the work.

    Defined before torch is imported: that calls it while this module, imported first, is not complete yet.
    """


import torch  # noqa: E402

from torch_zynq import device_module, factories, registration  # noqa: E402
from torch_zynq.driver import Driver  # noqa: E402
from torch_zynq.tensor import DEVICE_TYPE  # noqa: E402

__all__ = ["Driver", "autoload"]


def _register():
    registration.register()
    torch.utils.rename_privateuse1_backend(DEVICE_TYPE)
    torch._register_device_module(DEVICE_TYPE, device_module)
    torch.utils.generate_methods_for_privateuse1_backend(for_tensor=True, for_module=True, for_storage=False)
    factories.register()


_register()
