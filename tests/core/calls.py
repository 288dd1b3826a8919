"""One good call of every function and class of the core that takes arrays."""

from __future__ import annotations

from .arrays import Call
from .chain_calls import chain_calls
from .flat_calls import flat_calls
from .foreign_calls import foreign_calls
from .memory_calls import memory_calls
from .text_calls import text_calls


def good_calls() -> dict[str, Call]:
    """Return all calls by name; arrays are new in each."""
    return {
        **flat_calls(),
        **chain_calls(),
        **text_calls(),
        **memory_calls(),
        **foreign_calls(),
    }
