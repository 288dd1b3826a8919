"""Data: readers and writers, generated and built-in data sets, splits.

The stub beside this file lists the public names. Each is imported from its module when first used,
so ``import linnet.data`` costs nothing.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module


@cache
def _home() -> dict[str, str]:
    """Return each public name and where it is imported from."""
    with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as stub:
        lines = [line.split() for line in stub]  # from home import name as name
    return {line[3]: line[1] for line in lines if line[:1] == ["from"]}


def __getattr__(name: str) -> object:
    if name == "__all__":
        return sorted(_home())
    if name not in _home():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _home()[name]
    is_module = home == __name__
    value = import_module(f"{home}.{name}") if is_module else getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_home()})
