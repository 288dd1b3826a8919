"""Feature dictionaries as people write them: values may be numbers, truth values, or symbols.

``{"word": "I", "cap": True, "length": 1}`` has one symbol. A symbol is the presence of one value
among many, so it becomes an indicator: ``{"word=I": 1.0, "cap": True, "length": 1}``, as rows of
attributes do (SPEC M-72). A list of symbols becomes one indicator for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linnet.errors import DataError

__all__ = ["has_symbols", "indicators", "with_indicators"]

_SEVERAL = (list, tuple, set, frozenset)


def has_symbols(bags: Sequence[Any]) -> bool:
    """Tell whether a value of a feature dictionary is a text, or a list of texts.

    Examples
    --------
    >>> has_symbols([{"a": 1}, {"word": "I"}]), has_symbols([{"a": 1, "b": True}])
    (True, False)
    """
    kinds: set[type] = set()
    for bag in bags:
        if isinstance(bag, Mapping):
            kinds.update(map(type, bag.values()))
    return any(issubclass(kind, (str, *_SEVERAL)) for kind in kinds)


def indicators(bag: Mapping[str, Any]) -> dict[str, Any]:
    """Return a feature dictionary without symbols; numbers stay as they are.

    Examples
    --------
    >>> indicators({"word": "I", "cap": True, "is": ["pronoun", "short"]})
    {'word=I': 1.0, 'cap': True, 'is=pronoun': 1.0, 'is=short': 1.0}
    """
    plain: dict[str, Any] = {}
    for name, value in bag.items():
        if isinstance(value, str):
            plain[f"{name}={value}"] = 1.0
        elif isinstance(value, _SEVERAL):
            if not all(isinstance(part, str) for part in value):
                raise DataError(
                    f"Feature values must be numbers, texts or lists of texts: {name!r} is "
                    f"{value!r}."
                )
            plain.update((f"{name}={part}", 1.0) for part in value)
        else:
            plain[name] = value
    return plain


def with_indicators(bags: Any) -> Any:
    """Return the dictionaries without symbols; the very same ones when they have none."""
    if not has_symbols(bags):
        return bags
    return [indicators(bag) if isinstance(bag, Mapping) else bag for bag in bags]
