"""Results of simulations, comparisons, checks and proofs."""

import html
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from . import _partita


@dataclass(frozen=True)
class _Text:
    #: What the command prints.
    text: str

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


@dataclass(frozen=True)
class _Report(_Text):
    #: The same as JSON.
    json: str

    def report(self) -> dict[str, Any]:
        """Returns the result as a dictionary."""
        return json.loads(self.json)


@dataclass(frozen=True)
class _Page(_Report):
    #: Returns the same as an HTML page.
    _html: Callable[[], str] = field(repr=False, compare=False)

    def report(self, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """Returns the result as a dictionary. With `path`, also writes it as an HTML page, which needs no other
        files."""
        if path is not None:
            _partita.write_file(path, self._html())
        return super().report()


@dataclass(frozen=True)
class Simulation(_Page):
    """A predicted step."""

    @property
    def seconds(self) -> float:
        """Predicted seconds of a step."""
        return self.report()["step_seconds"]


@dataclass(frozen=True)
class Comparison(_Page):
    """Two plans in comparison."""


@dataclass(frozen=True)
class Check:
    """Comparison of all devices with one device. True in a condition if they agree."""

    agrees: bool
    text: str

    def __bool__(self) -> bool:
        return self.agrees

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Proof(_Report):
    """Result of a proof that two programs are equal. True in a condition if it is proven."""

    #: "equal", "unknown" or "different".
    verdict: str

    def __bool__(self) -> bool:
        return self.verdict == "equal"
