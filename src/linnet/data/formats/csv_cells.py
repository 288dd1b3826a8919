"""One cell of a table that is written: quoted where it must be, harmless if that is asked for."""

from __future__ import annotations

__all__ = ["csv_cell", "safe_cell"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv_cell(text: str, delimiter: str, *, safe: bool = False) -> str:
    """Return a cell: with a separator, quote or line break it is quoted (RFC 4180).

    The csv module leaves a carriage return bare, which at the end of a line would be lost.

    Examples
    --------
    >>> print(csv_cell('5" disk, new', ","))
    "5"" disk, new"
    """
    if safe:
        text = safe_cell(text)
    if delimiter in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text


def safe_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: an apostrophe goes before it.

    Numbers stay as they are: they are no formulas.

    Examples
    --------
    >>> safe_cell("=1+1"), safe_cell("-3.5"), safe_cell("good")
    ("'=1+1", '-3.5', 'good')
    """
    if not text.startswith(_FORMULA):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
