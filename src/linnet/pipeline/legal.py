"""Which sequences of tags may be predicted: a wish, and the tables of what may follow what."""

from __future__ import annotations

from collections.abc import Sequence

from linnet.data import tags as chunk_tags
from linnet.errors import DataError, ParameterError
from linnet.learn.linear_chain import Allowed

__all__ = ["OWN", "allowed_by", "as_scheme", "scheme_of"]

OWN = "model"  # the scheme of the training data


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


def allowed_by(scheme: chunk_tags.Scheme, classes: Sequence[str]) -> Allowed:
    """Return which tags may begin, follow each other and end in a scheme.

    Examples
    --------
    >>> allowed_by("IOB2", ["B-X", "I-X", "O"]).start.tolist()
    [True, False, True]
    """
    try:
        return Allowed(*chunk_tags.allowed_transitions(classes, scheme))
    except DataError as error:
        raise ParameterError(f"{scheme} needs chunk tags, but {error}.") from None


def scheme_of(constraints: str | None, gold: list[list[str]]) -> chunk_tags.Scheme | None:
    """Return the scheme to keep to: the one asked for, or with "auto" that of legal tags.

    Examples
    --------
    >>> scheme_of("auto", [["B-X", "I-X", "O"]]), scheme_of("auto", [["O", "I-X", "B-Y"]])
    ('IOB2', None)
    """
    coded = chunk_tags.are_chunk_tags(tag for row in gold for tag in row)
    if constraints != "auto":
        scheme = as_scheme(constraints)
        if scheme is not None and not coded:
            raise ParameterError(
                f"constraints={constraints!r} needs chunk tags such as B-X, I-X and O."
            )
        return scheme
    if not coded:
        return None
    try:
        scheme = chunk_tags.detect_scheme(gold)
    except DataError:  # marks of two schemes
        return None
    return None if any(chunk_tags.illegal(row, scheme) for row in gold) else scheme
