"""Options of plans: flags of the command line with their values."""

from collections.abc import Iterable, Mapping

Flags = list[tuple[str, str]]


def flags(options: Mapping[str, object]) -> Flags:
    """Returns a flag and its value for each option. A mapping gives one flag for each entry, as in
    ``shard={"w": "_, model"}``, a sequence one for each element. None and False omit the option."""
    pairs: Flags = []
    for name, value in options.items():
        flag = name.replace("_", "-")
        pairs += [(flag, text) for text in _texts(name, value)]
    return pairs


def _texts(name: str, value: object) -> list[str]:
    if value is None or value is False:
        return []
    if isinstance(value, Mapping):
        # The axes of a mesh are one value.
        entries = [f"{key}={entry}" for key, entry in value.items()]
        return [",".join(entries)] if name == "mesh" else entries
    if isinstance(value, str):
        return [value]
    if isinstance(value, Iterable):
        return [str(element) for element in value]
    return ["true" if value is True else str(value)]
