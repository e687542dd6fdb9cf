# SPDX-License-Identifier: BSD-3-Clause
"""Tensors of the device zynq.

To torch such a tensor is one of zynq:0 with the dispatch keys of PrivateUse1. Its elements are a CPU tensor, the host:
a Zynq's logic reads the memory of its processor, and what has to be copied for it, the driver copies. Operators come to
__torch_dispatch__ below autograd. They go to the driver (kernels.py), or else to the CPU on the hosts.
"""

import collections
import functools

import torch
from torch.utils._pytree import tree_flatten, tree_map

from torch_zynq import kernels

DEVICE_TYPE = "zynq"

# Operator → how often it ran on the CPU for tensors of zynq.
host_operators = collections.Counter()

_aten = torch.ops.aten
_data = torch.Tensor.data
# What may read from or write to another device.
_CROSSING = {_aten.copy_, _aten._to_copy}
# What takes indices from the CPU, as on every device.
_INDEXED = {_aten.index, _aten.index_put, _aten.index_put_, _aten._index_put_impl_}


class ZynqTensor(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, host):
        if host.layout is not torch.strided or host.is_quantized:
            raise RuntimeError("zynq has dense tensors only, not quantized ones, and none of layout %s" % host.layout)
        tensor = torch.Tensor._make_wrapper_subclass(
            cls,
            host.size(),
            strides=host.stride(),
            storage_offset=host.storage_offset(),
            dtype=host.dtype,
            device=torch.device(DEVICE_TYPE, 0),
        )
        torch._C._set_conj(tensor, host.is_conj())
        torch._C._set_neg(tensor, host.is_neg())
        return tensor

    def __init__(self, host):
        self._host = host

    @property
    def data(self):
        return _data.__get__(self)

    @data.setter
    def data(self, other):
        if not isinstance(other, ZynqTensor):
            raise TypeError("the data of a tensor of zynq has to be one of zynq, not of %s" % other.device)
        _data.__set__(self, other)
        self._host = other._host

    def numpy(self, *, force=False):
        if not force:
            raise TypeError("a tensor of zynq cannot be a numpy array: take its copy by Tensor.cpu()")
        return self.detach().cpu().numpy()

    def __dlpack__(self, **options):
        raise BufferError("the memory of a tensor of zynq is not to be had: take its copy by Tensor.cpu()")

    def tolist(self):
        return self._host.tolist()

    def __repr__(self, *, tensor_contents=None):
        note = ""
        if self.grad_fn is not None:
            note = ", grad_fn=<%s>" % type(self.grad_fn).__name__
        elif self.requires_grad:
            note = ", requires_grad=True"
        return "%s, device='%s'%s)" % (repr(self._host)[:-1], self.device, note)

    def __reduce_ex__(self, protocol):
        """Saved as a tensor of the CPU, which any torch can load."""
        return self.detach().cpu().requires_grad_(self.requires_grad).__reduce_ex__(protocol)

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise RuntimeError("only a tensor that the user made can be copied deeply, not the result of an operation")
        if id(self) not in memo:
            copy = memo[id(self)] = ZynqTensor(self._host.clone()).requires_grad_(self.requires_grad)
            if hasattr(self, "_is_param"):
                copy._is_param = self._is_param
            if self.grad is not None:
                copy.grad = self.grad.__deepcopy__(memo)
        return memo[id(self)]

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if _is_composite(func):
            return func.decompose(*args, **kwargs)
        _check_devices(func, args, kwargs)
        stays = kwargs.get("device") is None or torch.device(kwargs["device"]).type == DEVICE_TYPE
        if stays and "device" in kwargs:
            kwargs = dict(kwargs, device="cpu")
        result = _run(func, tree_map(host_of, args), tree_map(host_of, kwargs))
        written = _written(func, args, kwargs)
        for tensor in written:
            _adopt_sizes(tensor)
        # What is written in place is returned as the tensor that it was, not as a new one around its host.
        known = {id(host_of(tensor)): tensor for tensor in written}
        return tree_map(lambda value: known.get(id(value)) if id(value) in known else _wrap(value, stays), result)


def _run(func, args, kwargs):
    result = kernels.run(func, args, kwargs)
    if result is not NotImplemented:
        return result
    if not _runs_on_cpu(func):
        raise NotImplementedError("%s cannot run on zynq: neither its driver nor the CPU has a kernel for it" % func)
    host_operators[str(func)] += 1
    return func(*args, **kwargs)


def host_of(value):
    return value._host if isinstance(value, ZynqTensor) else value


def _wrap(value, stays):
    return ZynqTensor(value) if stays and isinstance(value, torch.Tensor) else value


@functools.lru_cache(maxsize=None)
def _is_composite(func):
    """True for what torch composes of other operators. It comes here whole only in inference mode."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd")


@functools.lru_cache(maxsize=None)
def _runs_on_cpu(func):
    keys = ("CPU", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional", "CompositeImplicitAutograd")
    return any(torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), key) for key in keys)


def _check_devices(func, args, kwargs):
    if func.overloadpacket in _CROSSING or func.overloadpacket in _INDEXED:
        return
    for value in tree_flatten((args, kwargs))[0]:
        if isinstance(value, torch.Tensor) and not isinstance(value, ZynqTensor) and value.dim() > 0:
            raise RuntimeError("%s: all tensors have to be on one device, not on zynq:0 and %s" % (func, value.device))


@functools.lru_cache(maxsize=None)
def _written_arguments(func):
    arguments = enumerate(func._schema.arguments)
    return [(i, a.name) for i, a in arguments if a.alias_info is not None and a.alias_info.is_write]


def _written(func, args, kwargs):
    """The tensors that the operator changes."""
    values = [args[i] if i < len(args) else kwargs.get(name) for i, name in _written_arguments(func)]
    return [value for value in tree_flatten(values)[0] if isinstance(value, torch.Tensor)]


def _adopt_sizes(tensor):
    """Gives a tensor the sizes that an operator in place (resize_, t_, out=) gave to its host."""
    if isinstance(tensor, ZynqTensor):
        host = tensor._host
        sizes = (tensor.size(), tensor.stride(), tensor.storage_offset())
        if sizes != (host.size(), host.stride(), host.storage_offset()):
            _data.__set__(tensor, ZynqTensor(host))
