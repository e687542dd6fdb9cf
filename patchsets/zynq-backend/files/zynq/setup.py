# SPDX-License-Identifier: BSD-3-Clause
from setuptools import setup

setup(
    name="torch-zynq",
    version="1.0",
    description="The programmable logic of a Zynq as a device of PyTorch",
    license="BSD-3-Clause",
    packages=["torch_zynq"],
    python_requires=">=3.8",
    # From 2.5 on torch imports what this names; before, the program says "import torch_zynq".
    entry_points={"torch.backends": ["torch_zynq = torch_zynq:autoload"]},
)
