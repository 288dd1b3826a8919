"""From what users pass to TextFeatures to checked settings; every refusal says what would work."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from math import ceil, floor
from typing import Any

import numpy as np

from linnet.errors import ParameterError
from linnet.text.extractor import UNKNOWN
from linnet.text.names import Names
from linnet.text.settings import TOKENIZERS, Settings
from linnet.text.stop_words import stop_words_named
from linnet.text.weighting import WEIGHTINGS

__all__ = ["checked_settings", "document_limits", "given_names", "token_function"]

_FLAGS = {"a": re.ASCII, "i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}
_CHOICES: dict[str, tuple[object, ...]] = {
    "weighting": WEIGHTINGS,
    "accents": (None, "unicode", "ascii"),
    "norm": ("auto", "l1", "l2", None),
    "oov": ("drop", "unk"),
}
_FLAG_NAMES = ("digits", "html", "alternate_sign", "sublinear_tf", "binary_tf", "smooth_idf")


def checked_settings(params: Mapping[str, Any]) -> Settings:
    """Return the settings of a TextFeatures with these parameters.

    Raises
    ------
    ParameterError
        When a parameter has a value that cannot work, or two of them contradict each other.

    Examples
    --------
    >>> from linnet.text import TextFeatures
    >>> checked_settings(TextFeatures("whitespace").get_params()).lowercase
    False
    """
    _check_values(params)
    tokenizer, pattern = _tokenizer(params["tokenizer"])
    buckets = _buckets(params["hashing"])
    ngrams = _ngrams(params["ngrams"])
    _check_combinations(params, tokenizer, ngrams, buckets)
    count = _count(params)
    norm = _norm(params, buckets)
    _check_dtype(params["dtype"], whole=params["weighting"] in ("count", "binary")
                 and count != "logarithm" and norm == "none")  # fmt: skip
    lowercase = params["lowercase"]
    return Settings(
        tokenizer=tokenizer,
        pattern=pattern,
        ngrams=ngrams,
        skip=int(params["skip"]),
        lowercase=tokenizer != "whitespace" if lowercase is None else bool(lowercase),
        accents=params["accents"] or "keep",
        digits=bool(params["digits"]),
        html=bool(params["html"]),
        stop_words=stop_words_named(params["stop_words"]),
        buckets=buckets,
        signs=bool(params["alternate_sign"]),
        unknown=params["oov"] == "unk",
        count=count,
        norm=norm,
    )


def token_function(tokenizer: object) -> Callable[[str], Any] | None:
    """Return the tokenizer if it is a function of the user's."""
    return tokenizer if callable(tokenizer) and not isinstance(tokenizer, re.Pattern) else None


def given_names(vocabulary: Any, *, unknown: bool) -> Names:
    """Return the features of a given vocabulary in the order of their columns.

    Examples
    --------
    >>> given_names({"poor": 1, "good": 0}, unknown=True).tolist()
    ['good', 'poor', '<unk>']
    """
    if isinstance(vocabulary, (str, bytes)) or not isinstance(vocabulary, Iterable):
        raise ParameterError(f"vocabulary must be a list or dict of str, got {vocabulary!r}.")
    names = _in_column_order(vocabulary) if isinstance(vocabulary, Mapping) else list(vocabulary)
    if not names or not all(isinstance(name, str) for name in names):
        raise ParameterError("vocabulary must hold at least one feature, all of them str.")
    if isinstance(vocabulary, Set):
        names.sort()  # a set has no order of its own
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise ParameterError(f"vocabulary holds {twice!r} twice; list every feature once.")
    if unknown and names[-1] != UNKNOWN:
        names.append(UNKNOWN)
    try:
        return Names.of(names)
    except UnicodeEncodeError as error:
        raise ParameterError(
            f"vocabulary: {error.object!r} holds half of a surrogate pair, which no text can hold."
        ) from None


def document_limits(min_df: Any, max_df: Any, n_texts: int) -> tuple[int, int]:
    """Return the least and the largest number of texts that a feature may occur in.

    Examples
    --------
    >>> document_limits(2, 0.5, 10)
    (2, 5)
    """
    low = _document_count("min_df", min_df, n_texts)
    high = _document_count("max_df", max_df, n_texts)
    if low > n_texts:
        raise ParameterError(
            f"min_df={min_df!r} leaves nothing: a feature occurs in {n_texts} texts at most."
        )
    if high < low:
        raise ParameterError(
            f"max_df={max_df!r} allows fewer texts than min_df={min_df!r} asks for; "
            f"there are {n_texts} texts."
        )
    return ceil(low), floor(high)


def _check_values(params: Mapping[str, Any]) -> None:
    """Check each parameter by itself."""
    for name, allowed in _CHOICES.items():
        if not isinstance(params[name], (str, type(None))) or params[name] not in allowed:
            listed = ", ".join(repr(choice) for choice in allowed)
            raise ParameterError(f"{name} must be one of {listed}; got {params[name]!r}.")
    for name in _FLAG_NAMES:
        if not isinstance(params[name], (bool, np.bool_)):
            raise ParameterError(f"{name} must be True or False, got {params[name]!r}.")
    if not isinstance(params["lowercase"], (bool, np.bool_, type(None))):
        raise ParameterError(f"lowercase must be True, False or None, got {params['lowercase']!r}.")
    if not _is_integer(params["skip"]) or not 0 <= params["skip"] <= 100:
        raise ParameterError(f"skip must be an integer from 0 to 100, got {params['skip']!r}.")
    most = params["max_features"]
    if most is not None and (not _is_integer(most) or most < 1):
        raise ParameterError(f"max_features must be a positive integer or None, got {most!r}.")
    for name in ("min_df", "max_df"):
        _document_count(name, params[name], 1)


def _check_combinations(
    params: Mapping[str, Any], tokenizer: str, ngrams: tuple[int, int], buckets: int
) -> None:
    characters = tokenizer.startswith("char")
    if params["oov"] == "unk" and (ngrams != (1, 1) or buckets or characters):
        raise ParameterError("oov='unk' needs single tokens: ngrams=(1, 1) and no hashing.")
    if characters and params["skip"]:
        raise ParameterError(f"skip is for words, but tokenizer={tokenizer!r} makes characters.")
    if characters and params["stop_words"] is not None:
        raise ParameterError(
            f"stop_words is for words, but tokenizer={tokenizer!r} makes characters."
        )
    if not buckets:
        return
    if params["vocabulary"] is not None:
        raise ParameterError("hashing and vocabulary exclude each other; pass one of them.")
    if params["min_df"] != 1 or params["max_df"] != 1.0 or params["max_features"] is not None:
        raise ParameterError(
            "min_df, max_df and max_features choose a vocabulary, but hashing keeps none; "
            "leave them out, or set hashing=None."
        )


def _tokenizer(tokenizer: Any) -> tuple[str, str]:
    """Return the kind of tokenizer and its pattern."""
    if isinstance(tokenizer, re.Pattern):
        if isinstance(tokenizer.pattern, bytes):
            raise ParameterError("tokenizer must be a pattern of str, this one is for bytes.")
        letters = "".join(letter for letter, flag in _FLAGS.items() if tokenizer.flags & flag)
        return "regex", _compiled(
            f"(?{letters}){tokenizer.pattern}" if letters else tokenizer.pattern
        )
    if callable(tokenizer):
        return "custom", ""
    if isinstance(tokenizer, str) and tokenizer in TOKENIZERS:
        return tokenizer, ""
    if (
        not isinstance(tokenizer, str)
        or tokenizer.replace("-", "_").isidentifier()
        or not tokenizer
    ):
        raise ParameterError(
            f"tokenizer must be one of {', '.join(map(repr, TOKENIZERS))}, a regular "
            f"expression or a function; got {tokenizer!r}."
        )
    return "regex", _compiled(tokenizer)


def _compiled(pattern: str) -> str:
    """Return the pattern if it is one, with at most one group: the part that is the token."""
    try:
        groups = re.compile(pattern).groups
    except (re.error, RecursionError, OverflowError) as error:
        raise ParameterError(f"tokenizer is not a regular expression: {error}.") from None
    if groups > 1:
        raise ParameterError(
            f"tokenizer has {groups} groups, but only one can be the token; "
            "write the others as (?:...)."
        )
    return pattern


def _ngrams(ngrams: Any) -> tuple[int, int]:
    try:
        low, high = (ngrams, ngrams) if _is_integer(ngrams) else ngrams
    except (TypeError, ValueError):
        low = high = None
    if not _is_integer(low) or not _is_integer(high):
        raise ParameterError(f"ngrams must be a pair of integers such as (1, 2), got {ngrams!r}.")
    if not 1 <= low <= high <= 1000:
        raise ParameterError(
            f"ngrams must be (shortest, longest) with 1 <= shortest <= longest <= 1000, "
            f"got {ngrams!r}."
        )
    return int(low), int(high)


def _buckets(hashing: Any) -> int:
    """Return the number of hash buckets; up to 30 the number is one of bits."""
    if hashing is None or hashing is False:
        return 0
    if hashing is True:
        return 2**20
    if not _is_integer(hashing) or not (1 <= hashing <= 30 or 32 <= hashing < 2**31):
        raise ParameterError(
            "hashing must be a number of bits from 1 to 30, or a number of buckets from 32 to "
            f"2**31 - 1; got {hashing!r}."
        )
    return 2 ** int(hashing) if hashing <= 30 else int(hashing)


def _count(params: Mapping[str, Any]) -> str:
    """Return what is made of a count before the scale and the norm."""
    if params["binary_tf"] or params["weighting"] in ("binary", "log_count_ratio"):
        return "binary"
    return "logarithm" if params["sublinear_tf"] else "plain"


def _norm(params: Mapping[str, Any], buckets: int) -> str:
    if params["norm"] != "auto":
        return params["norm"] or "none"
    hashed = buckets > 0 and params["weighting"] in ("count", "binary")
    return "l2" if hashed or params["weighting"] == "tfidf" else "none"


def _check_dtype(dtype: Any, *, whole: bool) -> None:
    try:
        kind = np.dtype(dtype).kind
    except TypeError:
        kind = ""
    if kind not in "fiu" or not kind:
        raise ParameterError(f"dtype must be a type of numbers such as numpy.float32; {dtype!r}.")
    if kind != "f" and not whole:
        raise ParameterError(
            f"dtype={np.dtype(dtype).name!r} holds whole numbers only, but these weights are "
            "not; use numpy.float32."
        )


def _in_column_order(vocabulary: Mapping[Any, Any]) -> list[Any]:
    names: list[Any] = [None] * len(vocabulary)
    for name, column in vocabulary.items():
        if not _is_integer(column) or not 0 <= column < len(names):
            raise ParameterError(
                f"vocabulary gives {name!r} the column {column!r}; {len(names)} features need "
                f"the columns 0 to {len(names) - 1}, each once."
            )
        if names[column] is not None:
            raise ParameterError(
                f"vocabulary gives {names[column]!r} and {name!r} the same column {column}."
            )
        names[column] = name
    return names


def _document_count(name: str, limit: Any, n_texts: int) -> float:
    if isinstance(limit, (bool, np.bool_)) or not isinstance(limit, (int, float, np.number)):
        raise ParameterError(f"{name} must be a count or a share of texts, got {limit!r}.")
    if isinstance(limit, (int, np.integer)):
        if limit < 1:
            raise ParameterError(f"{name} as a count must be at least 1, got {limit}.")
        return float(limit)
    if not 0.0 <= limit <= 1.0:
        raise ParameterError(
            f"{name} as a share must lie in [0, 1], got {limit}; write a count without a point."
        )
    return float(limit) * n_texts


def _is_integer(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
