"""Gazetteers: lists of phrases (places, names, companies) that a tagger may look tokens up in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.text.stored import checked_array, checked_table
from linnet.text.texts import as_texts

__all__ = ["LONGEST_PHRASE", "Gazetteers", "phrase_masks"]

#: The most tokens that a phrase may have.
LONGEST_PHRASE = 5

_MOST = 64  # lists: bits of a mask


@dataclass(frozen=True)
class Gazetteers:
    """The phrases of all lists as a table of fingerprints.

    Attributes
    ----------
    names : tuple of str
        The lists, sorted.
    slots, prints : uint64 arrays
        The table.
    masks : uint64 array of shape (phrases,)
        Bit k says that list k has the phrase.
    longest : int
        The most tokens of a phrase.
    """

    names: tuple[str, ...]
    slots: NDArray[np.uint64]
    prints: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    longest: int

    @classmethod
    def of(cls, names: Iterable[str], masks: Mapping[str, int], seed: int) -> Gazetteers | None:
        """Return the table for a seed, or None when two phrases have one fingerprint."""
        prints = np.zeros(len(masks), np.uint64)
        slots = np.empty(_core.table_capacity(len(masks)), np.uint64)
        _core.name_prints(as_texts(list(masks)), seed, prints)
        if _core.fill_table(prints, slots) >= 0:
            return None
        longest = max((phrase.count(" ") + 1 for phrase in masks), default=0)
        bits = np.fromiter(masks.values(), np.uint64, len(masks))
        return cls(tuple(names), slots, prints, bits, longest)

    def to_file(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return plain values and arrays for a model file."""
        arrays = {
            "gazetteer_slots": self.slots,
            "gazetteer_prints": self.prints,
            "gazetteer_masks": self.masks,
        }
        return {"names": list(self.names), "longest": self.longest}, arrays

    @classmethod
    def from_file(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Gazetteers:
        """Check what a model file holds and return the gazetteers."""
        masks = checked_array(arrays, "gazetteer_masks", np.uint64)
        slots, prints = checked_table(
            arrays, "gazetteer_slots", "gazetteer_prints", len(masks), "the gazetteers"
        )
        try:
            names, longest = tuple(map(str, config["names"])), config["longest"]
            for name in names:
                name.encode()
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"The gazetteers cannot be used: {error}.") from None
        if len(names) > _MOST or type(longest) is not int or not 0 <= longest <= LONGEST_PHRASE:
            raise DataError("The gazetteers cannot be used: too many, or of too long phrases.")
        if len(names) < _MOST and bool((masks >> np.uint64(len(names))).any()):
            raise DataError("The gazetteers cannot be used: a phrase is in a list without a name.")
        return cls(names, slots, prints, masks, longest)


def phrase_masks(gazetteers: Mapping[str, Iterable[Any]]) -> tuple[list[str], dict[str, int]]:
    """Check gazetteers; return their names, sorted, and for each phrase a mask of its lists.

    Parameters
    ----------
    gazetteers : dict
        From the name of a list to its phrases. A phrase is a str, whose tokens are separated by
        white space, or a list of tokens.

    Raises
    ------
    ParameterError
        For an empty phrase, and for one of more than five tokens.

    Examples
    --------
    >>> phrase_masks({"place": ["New  York", ["Bath"]], "name": ["York", "Bath"]})
    (['name', 'place'], {'York': 1, 'Bath': 3, 'New York': 2})
    """
    if not isinstance(gazetteers, Mapping) or not all(isinstance(n, str) for n in gazetteers):
        raise ParameterError("gazetteers must be a dict from names to lists of phrases.")
    if len(gazetteers) > _MOST:
        raise ParameterError(f"There are {len(gazetteers)} gazetteers, but {_MOST} is the most.")
    names, masks = sorted(gazetteers), dict[str, int]()
    for bit, name in enumerate(names):
        phrases = gazetteers[name]
        if isinstance(phrases, (str, bytes)) or not isinstance(phrases, Iterable):
            raise ParameterError(f"The gazetteer {name!r} must be a list of phrases.")
        for phrase in phrases:
            words = _words(phrase, name)
            masks[words] = masks.get(words, 0) | 1 << bit
    return names, masks


def _words(phrase: Any, name: str) -> str:
    words = phrase.split() if isinstance(phrase, str) else phrase
    try:
        joined = " ".join(words)
        joined.encode()
    except (TypeError, UnicodeEncodeError):
        raise ParameterError(
            f"The gazetteer {name!r} has {phrase!r}, which is neither a text nor a list of tokens."
        ) from None
    if not joined or len(words) > LONGEST_PHRASE:
        raise ParameterError(
            f"The gazetteer {name!r} has the phrase {joined!r} of {len(words)} tokens; phrases "
            f"must have 1 to {LONGEST_PHRASE}."
        )
    return joined
