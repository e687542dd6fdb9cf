# SPDX-License-Identifier: BSD-3-Clause
"""torch.zynq: what torch and programs ask of a device module. There is one device, zynq:0, with one stream."""

import torch

from torch_zynq import driver, registration, tensor
from torch_zynq.driver import set_driver, using

__all__ = ["set_driver", "using"]


def is_available():
    return registration.is_present()


def device_count():
    return 1 if is_available() else 0


def current_device():
    return 0


def _index(device):
    if isinstance(device, int):
        return device
    if device is None:
        return 0
    device = torch.device(device)
    if device.type != tensor.DEVICE_TYPE:
        raise ValueError("expected a zynq device, but got %s" % device)
    return device.index or 0


def _check(device):
    if _index(device) != 0:
        raise RuntimeError("there is no device zynq:%d, only zynq:0" % _index(device))


def set_device(device):
    _check(device)


class device:
    """The context of a device, which changes nothing here."""

    def __init__(self, device):
        _check(device)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False


def get_device_name(device=None):
    _check(device)
    return "Zynq, %s" % driver.current().name


def get_device_capability(device=None):
    _check(device)
    return {"operand_types": sorted(map(str, driver.current().operand_types))}


def synchronize(device=None):
    _check(device)
    driver.current().synchronize()


def host_operators():
    """Operator → how often it ran on the CPU for tensors of zynq since the last reset_host_operators()."""
    return dict(tensor.host_operators)


def reset_host_operators():
    tensor.host_operators.clear()


def is_initialized():
    return True


def init():
    pass


def empty_cache():
    pass


def _is_in_bad_fork():
    return False


# Random numbers are those of the CPU: torch.manual_seed has seeded its generator before it asks this module.
def manual_seed_all(seed):
    pass


def manual_seed(seed):
    torch.default_generator.manual_seed(int(seed))


def get_rng_state(device=None):
    return torch.default_generator.get_state()


def set_rng_state(state, device=None):
    torch.default_generator.set_state(state)


def get_amp_supported_dtype():
    """No type: torch.autocast turns itself off with a warning."""
    return []
