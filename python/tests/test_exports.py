"""Exports of plans: values, refusals and the nearest plan."""

import ast
import json
import tomllib
import types

import pytest

import partita

GPT = "zoo:gpt?layers=4&width=32&heads=4&hidden=64&seq=16&vocab=48&batch=8&loss=true&tied=false"


def gpt(**options):
    return partita.plan(GPT, **options)


def test_placements_of_pytorch():
    plan = gpt(mesh="data=2,model=2", preset="data,megatron").dtensor()
    assert plan.mesh == {"data": 2, "model": 2}
    assert plan.placements["blocks.0.feed_forward.up.weight"] == ["Replicate", "Shard(1)"]
    assert plan.placements["blocks.0.feed_forward.up.bias"] == ["Replicate", "Shard(0)"]
    assert plan.placements["norm.weight" if "norm.weight" in plan.placements else "norm.gamma"] == ["Replicate"] * 2
    assert plan.parallelize_plan["blocks.3.attention.output"] == "RowwiseParallel()"
    assert plan.tensor_axis == "model"
    assert all(placed[0] == "Shard(0)" for placed in plan.inputs.values())
    ast.parse(plan.text)


def test_placements_apply_to_a_module_of_pytorch():
    torch = pytest.importorskip("torch")
    module = partita.plan("zoo:mlp", mesh="model=2", preset="megatron").dtensor().load()
    assert isinstance(module.PLACEMENTS["layers.0.weight"][0], torch.distributed.tensor.Shard)


def test_tied_parameters_stay_tied(monkeypatch, tmp_path):
    torch = pytest.importorskip("torch")

    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.emb, self.head = torch.nn.Embedding(32, 8), torch.nn.Linear(8, 32, bias=False)
            self.head.weight = self.emb.weight

        def forward(self, tokens, targets):
            return torch.nn.functional.cross_entropy(self.head(self.emb(tokens)).flatten(0, 1), targets.flatten())

    model, tokens = Tied(), torch.zeros((4, 6), dtype=torch.long)
    path = tmp_path / "tied.pt2"
    torch.export.save(torch.export.export(model, (tokens, tokens)), path)
    exported = partita.plan(path, mesh="model=2", preset="megatron").dtensor().load()
    with pytest.raises(ValueError, match="`head.weight` is tied to `emb.weight`"):
        exported.parallelize(model, None)
    with pytest.raises(ValueError, match="`emb.weight` and `head.weight`, which are tied, in shards"):
        exported.distribute(model, None)
    exported = partita.plan(path, mesh="model=2", preset="megatron", shard={"emb.weight": "_, _"}).dtensor().load()
    monkeypatch.setattr(exported, "distribute_tensor", lambda data, mesh, placements: data.clone())
    before = model.emb.weight
    exported.distribute(model, None)
    assert model.emb.weight is model.head.weight is not before


def test_a_tp_plan_has_one_entry_for_all_layers():
    styles = gpt(mesh="model=2", preset="megatron").tp_plan()
    assert styles["blocks.*.attention.query"] == "colwise"
    assert styles["blocks.*.attention.output"] == "rowwise"
    assert not any("0" in name for name in styles)


def test_launch_options():
    plan = gpt(mesh="data=2,model=2", preset="data,megatron,zero1", train="adamw?lr=1e-3")
    script = plan.flags("megatron")
    assert "--tensor-model-parallel-size 2" in script and "--use-distributed-optimizer" in script
    assert "  tp: 2" in plan.flags("nanotron")
    plan = gpt(mesh="data=4", preset="data,zero3", train="adamw", remat="full")
    assert json.loads(plan.flags("deepspeed"))["zero_optimization"]["stage"] == 3
    job = tomllib.loads(plan.flags("torchtitan"))
    assert job["parallelism"]["data_parallel_shard_degree"] == 4
    assert job["activation_checkpoint"]["mode"] == "full"
    with pytest.raises(ValueError, match="no launcher is called `slurm`"):
        plan.flags("slurm")
    with pytest.raises(partita.Error, match="no target is called `slurm`"):
        plan.export("slurm")


def test_a_refused_export_explains_the_nearest_plan():
    plan = gpt(mesh="data=2,model=2", preset="data,megatron,zero3", train="adam")
    with pytest.raises(partita.ExportError) as refused:
        plan.flags("megatron", machine="pcie4")
    text = str(refused.value)
    assert refused.value.codes == ["L019"]
    assert "`preset zero3`" in text and "the preset `zero3` becomes `zero1`" in text
    assert "per device instead of" in text and "its step takes" in text
    with pytest.warns(UserWarning, match="the preset `zero3` becomes `zero1`"):
        script = plan.flags("megatron", nearest=True)
    assert "--use-distributed-optimizer" in script


def test_the_file_for_jax_runs_a_function():
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp
    from jax.sharding import PartitionSpec

    def loss(params, x):
        return (jnp.tanh(x @ params["up"]) @ params["down"]).mean(), x

    params = {"up": jnp.ones((16, 32)) / 16, "down": jnp.ones((32, 8))}
    x = jnp.arange(64.0).reshape(4, 16) / 64
    plan = partita.plan(jax.jit(loss).lower(params, x), mesh="data=2,model=2", preset="data,megatron")
    module = types.ModuleType("exported")
    exec(plan.export("jax"), module.__dict__)
    assert module.AXES == {"data": 2, "model": 2}
    assert module.IN_SPECS["params.up"] == PartitionSpec(None, "model")
    step = module.jit(loss, params, x)
    (value, same), (expected, _) = step(params, x), loss(params, x)
    assert abs(float(value - expected)) < 1e-6
    assert same.sharding.spec == module.OUT_SPECS[1]
    with pytest.raises(ValueError, match="the function has no arguments"):
        module.in_shardings(module.mesh(), lambda other, x: x, params, x)
