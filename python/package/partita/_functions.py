"""Functions of the package: each corresponds to a command of ``partita``."""

from typing import Any

from . import _partita, _progress
from ._model import lowered
from ._options import flags
from ._plan import Plan
from ._results import Check, Comparison, Proof, Simulation


def plan(
    model: object, *, params: str | None = None, toml: str | None = None, machine: str | None = None, **options: object
) -> Plan:
    """Partitions a model.

    `params` names the inputs that are parameters, `toml` is the text of a plan file that the options extend, and
    `machine` limits the memory and prices collectives. `options` are those of plans: ``mesh``, ``preset``, ``shard``,
    ``remat``, ...

    Raises `Error` with the text that the command prints.
    """
    return Plan(lowered(model, params), flags(options), toml, machine)


def search(
    model: object,
    *,
    machine: str,
    devices: int | None = None,
    time_limit: float | None = None,
    forward: bool = False,
    target: str | None = "auto",
    params: str | None = None,
    toml: str | None = None,
    **options: object,
) -> Plan:
    """Searches the plan with the shortest predicted step on a machine, a name such as ``"hgx-h100?nodes=4"`` or the
    path of a machine file.

    Progress is shown in terminals and notebooks. Ctrl-C ends the search with the best plan so far, as `time_limit` does
    after as many seconds. `forward` plans inference with a built-in model. `target` is a framework that must be able to
    express the plan, by default ``"jax"`` for a function of JAX, and None for any other model. `options` constrain the
    plan: ``mesh``, ``shard``, ``train``, ... The result of the search is in ``Plan.found``.
    """
    source = lowered(model, params)
    if target == "auto":
        target = None if source.jax is None else "jax"
    on_progress, remove = _progress.display()
    try:
        found = _partita.search(
            source.model, machine, flags(options), toml, devices, time_limit, forward, target, on_progress
        )
    finally:
        remove()
    if not found.plans:
        raise _partita.Error("the search was interrupted before it found a plan that fits")
    return Plan(source, [], found.plans[0][0], found=found)


def simulate(
    model: object, *, machine: str, params: str | None = None, toml: str | None = None, **options: object
) -> Simulation:
    """Predicts the time and memory of a step on a machine."""
    if isinstance(model, Plan):
        toml = model.to_toml()
        source = model._lowered
    else:
        source = lowered(model, params)
    simulated = _partita.simulate(source.model, machine, flags(options), toml)
    return Simulation(simulated.text(), simulated.json(), simulated.html)


def compare(first: Plan, second: Plan, *, machine: str, names: tuple[str, str] = ("a", "b")) -> Comparison:
    """Compares two plans of one model on a machine: time, communication, memory and layouts."""
    sides = [(name, plan.to_toml()) for name, plan in zip(names, (first, second), strict=True)]
    compared = _partita.compare(first._lowered.model, machine, *sides)
    return Comparison(compared.text(), compared.json(), compared.html)


def explain(plan: Plan, value: str | int) -> str:
    """Explains the layout of a value by its name, or a collective by its number in the report, counted from 1."""
    return plan.explain(value)


def check(model: object, *, seed: int = 0, **options: Any) -> Check:
    """Runs all devices in this process on random inputs, and compares the results with those of one device. `model` is
    a plan, or a model to which the options apply as in `plan`."""
    planned = model if isinstance(model, Plan) else plan(model, **options)
    return planned.check(seed)


def prove(original: object, other: object) -> Proof:
    """Proves that two models compute the same for all inputs. `other` may be the program of one device."""
    verdict, text, json = _partita.prove(lowered(original).model, lowered(other).model)
    return Proof(text, json, verdict)
