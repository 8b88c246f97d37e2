from collections.abc import Callable
from typing import Literal

Flags = list[tuple[str, str]]
TensorLayout = tuple[str, list[int], str, list[list[str]]]

class Error(Exception):
    codes: list[str]

class Model:
    name: str
    inputs: list[tuple[str, list[int], str]]
    @staticmethod
    def load(name: str) -> Model: ...
    @staticmethod
    def from_text(name: str, text: str) -> Model: ...

class Partition:
    warnings: str
    stage_count: int
    mesh: list[tuple[str, int]]
    device_order: list[int]
    inputs: list[TensorLayout]
    outputs: list[TensorLayout]
    def text(self, all: bool = False) -> str: ...
    def json(self) -> str: ...
    def explain(self, name: str) -> str: ...
    def explain_collective(self, number: int) -> str: ...
    def to_toml(self) -> str: ...
    def written_toml(self) -> str: ...
    def emit(self, form: Literal["mlir", "pir", "local"]) -> str: ...
    def check(self, seed: int = 0) -> tuple[bool, str]: ...

class Export:
    text: str
    json: str | None
    changes: list[str]
    toml: str

class SearchResult:
    text: str
    json: str
    plans: list[tuple[str, float]]
    bound: float | None
    interrupted: bool

def partition(model: Model, flags: Flags, toml: str | None = None, machine: str | None = None) -> Partition: ...
def search(
    model: Model,
    machine: str,
    flags: Flags,
    toml: str | None = None,
    devices: int | None = None,
    time_limit: float | None = None,
    forward: bool = False,
    target: str | None = None,
    on_progress: Callable[[int, float | None, float | None], None] | None = None,
) -> SearchResult: ...
def simulate(model: Model, machine: str, flags: Flags, toml: str | None = None) -> tuple[str, str]: ...
def compare(model: Model, machine: str, first: tuple[str, str], second: tuple[str, str]) -> tuple[str, str]: ...
def export(
    model: Model, toml: str, target: str, nearest: bool = False, machine: str | None = None
) -> Export: ...
def prove(original: Model, other: Model) -> tuple[Literal["equal", "unknown", "different"], str, str]: ...
def plan_options() -> list[tuple[str, str]]: ...
