"""Compiles StableHLO modules with JAX for as many host devices as they have partitions.

Usage: jax_compile.py FILE...   Prints a line per file and fails on the first error.
"""

import os
import re
import sys

texts = [(name, open(name).read()) for name in sys.argv[1:]]
partitions = [int(re.search(r"mhlo.num_partitions = (\d+)", text).group(1)) for _, text in texts]
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={max(partitions)}"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import numpy as np
from jax._src import compiler
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir

for (name, text), count in zip(texts, partitions):
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
    assignment = np.arange(count).reshape(1, count)
    options = compiler.get_compile_options(num_replicas=1, num_partitions=count, device_assignment=assignment)
    devices = xla_client.DeviceList(tuple(jax.devices()[:count]))
    jax.devices()[0].client.compile_and_load(module, devices, options)
    print("accepted", os.path.basename(name))
