"""Plans for the partitioning of tensor programs over meshes of devices.

    import jax, partita

    lowered = jax.jit(step).lower(params, batch)
    plan = partita.search(lowered, machine="dgx-a100", devices=8)
    print(plan)
    step = plan.jit(step)

A model is the result of ``jax.jit(f).lower(...)`` or ``.trace(...)``, StableHLO text, the path of a ``.mlir``,
``.onnx``, ``.pt2`` or ``.pir`` file, the bytes of an ONNX file or of a ``.pt2`` file of PyTorch, or a built-in model such
as ``"zoo:gpt"``. Options of plans are the flags of the command line: ``mesh="data=2,model=4"``, ``preset="megatron"``,
``shard={"head.weight": "_, model"}``.
"""

from ._exports import DTensorPlan, ExportError
from ._functions import check, compare, explain, plan, prove, search, simulate
from ._partita import Error
from ._plan import Plan
from ._results import Check, Comparison, Proof, Simulation

__all__ = [
    "Check",
    "Comparison",
    "DTensorPlan",
    "Error",
    "ExportError",
    "Plan",
    "Proof",
    "Simulation",
    "check",
    "compare",
    "explain",
    "plan",
    "prove",
    "search",
    "simulate",
]
