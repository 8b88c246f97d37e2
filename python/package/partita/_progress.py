"""Progress of a search in a terminal or a notebook."""

import sys
import time
from collections.abc import Callable
from typing import Any

Progress = Callable[[int, float | None, float | None], None]

#: Seconds between two updates.
_INTERVAL = 0.2


def display() -> tuple[Progress | None, Callable[[], None]]:
    """Returns a callback that shows progress, and a function that removes it. None without a terminal or notebook."""
    notebook = _notebook()
    if notebook is not None:
        handle = notebook("searching")
        return _throttled(lambda line: handle.update(_Line(line))), lambda: handle.update(_Line(""))
    if sys.stderr.isatty():
        return _throttled(lambda line: print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)), _clear
    return None, lambda: None


def _clear() -> None:
    print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _throttled(show: Callable[[str], None]) -> Progress:
    shown = 0.0

    def update(simulated: int, best: float | None, bound: float | None) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown >= _INTERVAL:
            shown = now
            show(line(simulated, best, bound))

    return update


def line(simulated: int, best: float | None, bound: float | None) -> str:
    """Returns the state of a search in words."""
    if best is None:
        return f"simulated {simulated} plans, none fits so far"
    text = f"simulated {simulated} plans, best {best:.6f} s"
    return text if bound is None else f"{text}, bound {bound:.6f} s, gap {100 * (1 - bound / best):.2f} %"


class _Line:
    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _notebook() -> Callable[[str], Any] | None:
    """Returns a function that creates a display in the notebook; None outside of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display as create

    return lambda text: create(_Line(text), display_id=True)
