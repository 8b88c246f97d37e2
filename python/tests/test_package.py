"""Models, options, results and errors, without a framework."""

import pathlib
import subprocess
import sys
import threading
import time

import pytest

import partita
from partita import _partita, _progress
from partita._options import flags

MODULE = """module @m {
  func.func public @main(
    %arg0: tensor<8x16xf32> loc("x"), %arg1: tensor<16x4xf32> loc("params['w']")
  ) -> tensor<8x4xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
"""


def test_options_are_flags():
    assert flags({"mesh": {"data": 2, "model": 4}, "shard": {"w": "_, model"}, "no_padding": ["a", "b"]}) == [
        ("mesh", "data=2,model=4"), ("shard", "w=_, model"), ("no-padding", "a"), ("no-padding", "b"),
    ]  # fmt: skip
    assert flags({"preset": None, "microbatches": 4}) == [("microbatches", "4")]


def test_every_option_of_plans_is_known():
    names = [name for name, _ in _partita.plan_options()]
    assert {"mesh", "preset", "shard", "train", "remat", "pipeline", "allow_reshard"} <= set(names)


def test_models_from_text_files_and_names(tmp_path):
    path = tmp_path / "m.mlir"
    path.write_text(MODULE)
    reports = [partita.plan(model, mesh="d=2", shard={"x": "d, _"}).report() for model in (MODULE, path, str(path))]
    assert [row["name"] for row in reports[0]["params"]] == ["x", "params.w"]
    assert reports[0]["params"] == reports[1]["params"] == reports[2]["params"]
    assert "zoo:mlp" in str(partita.plan("zoo:mlp", mesh="data=2", preset="data"))
    with pytest.raises(TypeError, match="a model cannot be a int"):
        partita.plan(3)


def test_onnx_bytes():
    onnx = pytest.importorskip("onnx")
    value = lambda name, shape: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)  # noqa: E731
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    graph = onnx.helper.make_graph([node], "g", [value("x", [8, 4])], [value("y", [8, 4])])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9)
    for source in (model, model.SerializeToString()):
        plan = partita.plan(source, mesh="d=2", shard={"x": "d, _"})
        assert plan.check(), str(plan.check())


def test_pytorch_bytes_and_paths():
    path = pathlib.Path(__file__).parents[2] / "tests" / "data" / "torch" / "classifier.pt2"
    for source in (path, path.read_bytes()):
        plan = partita.plan(source, mesh="d=2", shard={"x": "d, _"})
        assert "down.weight" in str(plan)
        assert plan.check(), str(plan.check())


def test_plans_explain_print_and_check():
    plan = partita.plan(MODULE, mesh="d=2", shard={"x": "_, d"})
    assert "split by `d`" in plan.explain("x")
    assert "all_reduce" in plan.explain(1) and "all_reduce" in str(plan)
    assert repr(plan) == "<partita.Plan of model.mlir on d=2>"
    assert plan._repr_html_().startswith("<pre>")
    assert partita.check(plan) and "agree" in str(plan.check(seed=3))
    assert "sdy.sharding" in plan.to_mlir()
    again = partita.plan(MODULE, toml=plan.to_toml())
    assert again.report()["params"] == plan.report()["params"]


def test_simulations_and_comparisons():
    plans = [partita.plan("zoo:mlp", mesh="data=8", preset="data", train="adamw"),
             partita.plan("zoo:mlp", mesh="model=8", preset="megatron", train="adamw")]  # fmt: skip
    simulated = partita.simulate(plans[0], machine="dgx-a100")
    assert simulated.seconds > 0 and "throughput" in str(simulated)
    compared = partita.compare(*plans, machine="dgx-a100", names=("data", "megatron"))
    assert "megatron" in str(compared) and compared.report()


def test_reports_as_html(tmp_path):
    plans = [partita.plan("zoo:mlp", mesh="data=8", preset="data", train="adamw"),
             partita.plan("zoo:mlp", mesh="model=8", preset="megatron", train="adamw", machine="dgx-a100")]  # fmt: skip
    page = tmp_path / "report.html"
    assert plans[0].report(page) == plans[0].report()
    text = page.read_text()
    assert text.startswith("<!DOCTYPE html>") and "Plan for zoo:mlp" in text and "Predicted step" not in text
    plans[1].report(str(page))
    assert "Predicted step" in page.read_text()
    simulated = partita.simulate(plans[0], machine="dgx-a100")
    assert simulated.report(page)["step_seconds"] == simulated.seconds
    assert "Predicted timeline" in page.read_text()
    partita.compare(*plans, machine="dgx-a100", names=("data", "megatron")).report(page)
    assert "Two plans for zoo:mlp" in page.read_text()
    partita.search("zoo:mlp", machine="dgx-a100", devices=2, time_limit=20).report(page)
    assert "Search for zoo:mlp" in page.read_text() and "Parameters and inputs" in page.read_text()
    with pytest.raises(partita.Error, match="cannot write"):
        plans[0].report(tmp_path / "missing" / "report.html")


def test_proofs():
    plan = partita.plan(MODULE, mesh="d=2", shard={"x": "d, _"})
    assert partita.prove(MODULE, MODULE).verdict == "equal"
    other = partita.prove(MODULE, MODULE.replace("[1] x [0]", "[1] x [0], precision = [DEFAULT, DEFAULT]"))
    assert other, str(other)
    wrong = MODULE.replace("    return %0", "    %1 = stablehlo.negate %0 : tensor<8x4xf32>\n    return %1")
    refuted = partita.prove(MODULE, wrong)
    assert not refuted and refuted.verdict == "different"
    assert plan.check()


def test_errors_have_the_text_of_the_command():
    with pytest.raises(partita.Error, match="matches nothing") as caught:
        partita.plan(MODULE, mesh="d=2", shard={"nope": "_"})
    assert caught.value.codes == ["L006"]
    with pytest.raises(partita.Error, match="use `preset=...`"):
        partita.plan(MODULE, mesh="d=2", presets="data")
    with pytest.raises(partita.Error) as caught:
        partita.plan("module {", mesh="d=2")
    assert caught.value.codes
    with pytest.raises(partita.Error, match="stablehlo.unknown"):
        partita.plan(MODULE.replace("stablehlo.dot_general", "stablehlo.unknown"), mesh="d=2")


def test_searches_release_the_lock_of_the_interpreter():
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        found = partita.search("zoo:gpt", machine="dgx-a100", devices=4, time_limit=1)
    finally:
        done.set()
        thread.join()
    assert counted[0] > 5 and found.found.plans


#: Interrupts a search at its first plan. The search takes several times longer than that.
INTERRUPTED = """
import signal, threading
import partita
from partita import _progress

# A process that a shell has started in the background ignores the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
found = threading.Event()
on_progress = lambda simulated, best, bound: found.set() if best is not None else None
interrupt = lambda: found.wait(120) and signal.raise_signal(signal.SIGINT)
_progress.display = lambda: (on_progress, lambda: None)
threading.Thread(target=interrupt, daemon=True).start()
model = "zoo:gpt?layers=96&width=12288&heads=96&seq=2048&vocab=51200&batch=1536"
plan = partita.search(model, machine="dgx-a100?nodes=128", time_limit=120)
print(bool(plan.found.plans), plan.found.interrupted)
"""


def test_ctrl_c_returns_the_best_plan_so_far():
    # In a process of its own, which may handle the signal although this one ignores it.
    ran = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=200)
    assert ran.stdout.split() == ["True", "True"], ran.stdout + ran.stderr


def test_progress_in_words():
    assert _progress.line(3, None, None) == "simulated 3 plans, none fits so far"
    assert _progress.line(3, 0.5, 0.25) == "simulated 3 plans, best 0.500000 s, bound 0.250000 s, gap 50.00 %"
