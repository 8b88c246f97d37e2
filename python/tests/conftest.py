"""Eight devices on the CPU, before JAX is imported."""

import os

# Programs of tests are small: XLA takes longer to optimise than to run them.
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8 --xla_backend_optimization_level=0"
os.environ["JAX_PLATFORMS"] = "cpu"
