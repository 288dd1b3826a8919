"""The feature sets that have a name: what a tagger looks at unless it is told otherwise."""

from __future__ import annotations

from itertools import pairwise

from linnet.errors import ParameterError

__all__ = ["FEATURE_SETS", "feature_set"]

FEATURE_SETS = ("auto", "crfsuite_chunking", "chunking", "pos", "ner")

_EDGES = ["__BOS__", "__EOS__"]
_FLAGS = ["is_upper", "is_title", "has_inner_upper", "has_digit", "is_number", "has_hyphen",
          "has_period", "is_punctuation"]  # fmt: skip


def feature_set(name: str, n_columns: int, *, gazetteers: bool = False) -> list[str]:
    """Return the templates of a named set.

    Parameters
    ----------
    name : str
        - "crfsuite_chunking": the features of CRFsuite's chunking example: words and
          part-of-speech tags up to two tokens away, pairs of words, pairs and triples of tags;
        - "chunking": those, and the lower case, shape, prefixes and suffixes of words;
        - "pos": words up to two tokens away, pairs of words, lower case, shape, prefixes and
          suffixes of up to four characters, and what kind of characters a word has;
        - "ner": those, shapes of the neighbours and their pairs, gazetteers and, if there is such
          a column, part-of-speech tags;
        - "auto": "chunking" for tokens with a second column, else "pos".
    n_columns : int
        How many columns the tokens have.
    gazetteers : bool
        Whether there are any.

    Raises
    ------
    ParameterError
        For another name, or a set that needs more columns.

    Examples
    --------
    >>> templates = feature_set("crfsuite_chunking", 2)
    >>> len(templates), templates[5]
    (21, 'w[-1]|w[0]')
    """
    if name not in FEATURE_SETS:
        raise ParameterError(f"There is no feature set {name!r}; use one of {FEATURE_SETS}.")
    if name == "auto":
        name = "chunking" if n_columns > 1 else "pos"
    if name in ("crfsuite_chunking", "chunking"):
        if n_columns < 2:
            raise ParameterError(
                f"The feature set {name!r} needs words and part-of-speech tags, but the tokens "
                "have 1 column; pass the tags as the second one, or use features='pos'."
            )
        return _crfsuite_chunking() + (_chunking() if name == "chunking" else [])
    return _pos() + (_ner(n_columns, gazetteers) if name == "ner" else [])


def _around(part: str, reach: int) -> list[str]:
    return [f"{part}[{offset}]" for offset in range(-reach, reach + 1)]


def _pairs(parts: list[str]) -> list[str]:
    return [f"{first}|{second}" for first, second in pairwise(parts)]


def _crfsuite_chunking() -> list[str]:
    tags = _around("pos", 2)
    triples = ["|".join(tags[k : k + 3]) for k in range(3)]
    words = [*_around("w", 2), *_pairs(_around("w", 1))]
    return [*words, *tags, *_pairs(tags), *triples, *_EDGES]


def _chunking() -> list[str]:
    return [
        *_around("w.lower", 1),
        *_around("w.short_shape", 1),
        *(f"w.prefix{size}[0]" for size in (2, 3)),
        *(f"w.suffix{size}[0]" for size in (1, 2, 3, 4)),
        *("w.suffix3[-1]", "w.suffix3[1]"),
        *("w[-1]|pos[0]", "w[0]|pos[1]", "w[0]|pos[-1]", "pos[0]|w[1]"),
    ]


def _pos() -> list[str]:
    return [
        *_around("w", 2),
        *_pairs(_around("w", 1)),
        *_around("w.lower", 1),
        *("w.shape[0]", "w.short_shape[0]"),
        *(f"w.{end}{size}[0]" for end in ("prefix", "suffix") for size in (1, 2, 3, 4)),
        *(f"w.suffix{size}[{offset}]" for size in (2, 3) for offset in (-1, 1)),
        *(f"w.{flag}[0]" for flag in _FLAGS),
        *_EDGES,
    ]


def _ner(n_columns: int, gazetteers: bool) -> list[str]:
    tags = [*_around("pos", 2), *_pairs(_around("pos", 1))] if n_columns > 1 else []
    shapes = _around("w.short_shape", 1)
    return [
        *(shape for shape in shapes if shape != "w.short_shape[0]"),
        *_pairs(shapes),
        *("w.is_title[-1]", "w.is_title[1]"),
        *tags,
        *(_around("w.gazetteer", 1) if gazetteers else []),
    ]
