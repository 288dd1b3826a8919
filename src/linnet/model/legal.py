"""Which sequences of tags may be predicted: a wish, and the tables of what may follow what."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import linnet.data.tags as chunk_tags
from linnet.errors import DataError, DataWarning, ParameterError
from linnet.learn.chain import Constraints

__all__ = ["allowed_by", "as_scheme", "scheme_of"]

_MOST_ILLEGAL = 0.2  # of the tags in chunks; with more, they follow no scheme


def as_scheme(constraints: str | None) -> chunk_tags.Scheme | None:
    """Return the scheme of chunk tags with that name, in any case of letters.

    Examples
    --------
    >>> as_scheme("iob2"), as_scheme(None)
    ('IOB2', None)
    """
    if constraints is None:
        return None
    for scheme in chunk_tags.SCHEMES:
        if isinstance(constraints, str) and constraints.upper() == scheme:
            return scheme
    schemes = ", ".join(repr(scheme.lower()) for scheme in chunk_tags.SCHEMES)
    raise ParameterError(f"constraints must be None or one of {schemes}, got {constraints!r}.")


def allowed_by(scheme: chunk_tags.Scheme, classes: Sequence[str]) -> Constraints:
    """Return which tags may begin, follow each other and end in a scheme.

    Examples
    --------
    >>> allowed_by("IOB2", ["B-X", "I-X", "O"]).start.tolist()
    [True, False, True]
    """
    try:
        return Constraints(*chunk_tags.allowed_transitions(classes, scheme))
    except DataError as error:
        raise ParameterError(f"{scheme} needs chunk tags, but {error}.") from None


def scheme_of(
    constraints: str | None, gold: list[list[str]], lines: Sequence[int] | None = None
) -> chunk_tags.Scheme | None:
    """Return the scheme to keep to: the one asked for, or with "auto" that of the tags.

    Tags that the scheme does not allow are learned as they stand, and warned of: constraints act on
    answers only. With "auto" there are none if more than a fifth of the chunk tags are illegal.

    Parameters
    ----------
    constraints : str or None
    gold : list of lists of tags
    lines : sequence of int, optional
        Where each sentence starts in its file.

    Examples
    --------
    >>> scheme_of("auto", [["B-X", "I-X", "O"]]), scheme_of("auto", [["N", "V"]])
    ('IOB2', None)
    """
    coded = chunk_tags.are_chunk_tags(tag for row in gold for tag in row)
    if constraints != "auto":
        scheme = as_scheme(constraints)
        if scheme is not None and not coded:
            raise ParameterError(
                f"constraints={constraints!r} needs chunk tags such as B-X, I-X and O."
            )
    elif not coded:
        return None
    else:
        try:
            scheme = chunk_tags.detect_scheme(gold)
        except DataError:  # marks of two schemes
            return None
    if scheme is None:
        return None
    wrong = [(s, t) for s, row in enumerate(gold) for t in chunk_tags.illegal(row, scheme)]
    in_chunks = sum(tag != "O" for row in gold for tag in row)
    keep = constraints != "auto" or len(wrong) <= _MOST_ILLEGAL * in_chunks
    if wrong:
        _warn(wrong, gold, lines, scheme, keep)
    return scheme if keep else None


def _warn(
    wrong: list[tuple[int, int]],
    gold: list[list[str]],
    lines: Sequence[int] | None,
    scheme: chunk_tags.Scheme,
    keep: bool,
) -> None:
    """Say how many tags are illegal, and where the first is."""
    sentence, token = wrong[0]
    row = gold[sentence]
    before = f"after {row[token - 1]}" if token else "at the start"
    where = f"token {token + 1} of sentence {sentence + 1}"
    if lines is not None:
        where += f", which starts in line {lines[sentence]}"
    effect = (
        f"predictions keep to {scheme} all the same"
        if keep
        else "predictions are not held to any scheme; repair the tags, or name one as constraints"
    )
    warnings.warn(
        f"{len(wrong):,} tag{'s are' if len(wrong) > 1 else ' is'} illegal in {scheme}, the first "
        f"at {where}: {row[token]} {before}; {effect}.",
        DataWarning,
        stacklevel=2,
    )
