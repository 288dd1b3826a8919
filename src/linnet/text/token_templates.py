"""Feature templates of a tagger: which cells around a token make the names of its features.

A template is written as in CRFsuite's examples: ``w[-1]|w[0]`` joins the word before and the word
itself, so that "cat" in "the cat" has the feature ``w[-1]|w[0]=the|cat``. In front of the brackets
stand the column (``w`` is column 0, ``pos`` is column 1, ``c2`` and so on are the others) and,
behind a point, how to look at it:

- ``w.lower``: the lower case;
- ``w.shape``, ``w.short_shape``: X, x and 0 for letters that have a lower case of their own, other
  letters with case, and digits; the short one writes equal neighbours once;
- ``w.prefix3``, ``w.suffix3``: so many characters, if there are as many;
- ``w.ngrams3``, ``w.ngrams2-4``: every string of so many characters in the word, each a feature;
- ``w.is_title`` and the other flags: ``1`` where it holds, else there is no feature;
- ``w.gazetteer``: the name of each list that has a phrase around the token.

``__BOS__`` and ``__EOS__`` are the features of a sentence's first and last token.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from linnet import _core
from linnet.errors import DataError, ParameterError

__all__ = ["FLAGS", "Part", "Template", "of_macro", "parse_part", "parse_template"]

#: What can be asked of a word, in the order of the core.
FLAGS: tuple[str, ...] = tuple(_core.token_flags())

_PLAIN = ("identity", "lower", "shape", "short_shape", "gazetteer")
_SIZED = ("prefix", "suffix")
_SEVERAL = ("ngrams", "gazetteer")  # more than one value for a token
_REACH = 64
_LONGEST = 2**31 - 1
_LONGEST_GRAM = 64
_PART = re.compile(
    r"(?P<column>w|pos|c[0-9]{1,9})"
    r"(\.(?P<transform>[a-z_]+)((?P<low>[0-9]{1,9})(-(?P<high>[0-9]{1,9}))?)?)?"
    r"\[(?P<offset>[+-]?[0-9]{1,9})\]"
)
_EDGES = {"__BOS__": "first", "__EOS__": "last"}


class Part(NamedTuple):
    """The cell in `column`, `offset` tokens further on, as `transform` shows it.

    `low` and `high` are lengths; `low` is the number of a flag.
    """

    column: int
    offset: int
    transform: str = "identity"
    low: int = 0
    high: int = 0


@dataclass(frozen=True)
class Template:
    """Literal text and parts that are put together to the name of a feature.

    Attributes
    ----------
    name : str
        What error messages call it.
    pieces : tuple of str and Part
    markers : bool
        Whether a part outside the sentence is ``_B-1``, ``_B+1`` and so on, as CRF++ has it; if
        not, there is no feature.
    where : {"everywhere", "first", "last"}
        Which tokens of a sentence have it.
    """

    name: str
    pieces: tuple[str | Part, ...]
    markers: bool = False
    where: str = "everywhere"

    @property
    def parts(self) -> tuple[Part, ...]:
        """The cells the template looks at."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Part))

    @property
    def gazetteer(self) -> bool:
        """Whether it asks for gazetteers."""
        return any(part.transform == "gazetteer" for part in self.parts)

    def check(self, n_columns: int) -> None:
        """Raise ParameterError if tokens of so many columns cannot have this feature."""
        for part in self.parts:
            wrong = _wrong(part)
            if not 0 <= part.column < n_columns:
                have = "1 column" if n_columns == 1 else f"{n_columns} columns"
                wrong = (
                    f"asks for column {part.column}, but the tokens have {have} (the first is 0)"
                )
            if part.transform in _SEVERAL and len(self.parts) > 1:
                wrong = f"joins {part.transform}, which has several values, with other parts"
            if wrong:
                raise ParameterError(f"The template {self.name!r} {wrong}.")

    def plan(self) -> tuple[str, bool, list[tuple[str, int, int, str, int, int]]]:
        """Return the same for the core."""
        pieces = [
            (piece, -1, 0, "", 0, 0) if isinstance(piece, str) else ("", *piece)
            for piece in self.pieces
        ]
        return self.where, self.markers, pieces

    def to_config(self) -> dict[str, Any]:
        """Return plain values for a model file.

        Examples
        --------
        >>> template = parse_template("w[-1]|w.shape[0]")
        >>> Template.from_config(template.to_config()) == template
        True
        """
        pieces = [piece if isinstance(piece, str) else list(piece) for piece in self.pieces]
        return {
            "name": self.name,
            "pieces": pieces,
            "markers": self.markers,
            "where": self.where,
        }

    @classmethod
    def from_config(cls, config: Any) -> Template:
        """Check the values of a model file and return the template."""
        try:
            name, markers, where = config["name"], config["markers"], config["where"]
            pieces = tuple(_stored_piece(piece) for piece in config["pieces"])
            name.encode()
            if not isinstance(markers, bool) or where not in ("everywhere", "first", "last"):
                raise ValueError("where or markers is wrong")
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise DataError(f"A feature template cannot be used: {error}.") from None
        return cls(name, pieces, markers, where)


def parse_template(text: str, *, markers: bool = False) -> Template:
    """Return the template that a text describes.

    Parameters
    ----------
    text : str
        Such as ``w[-1]|w[0]``.
    markers : bool
        Whether places outside the sentence have markers.

    Raises
    ------
    ParameterError
        When the text is no template.

    Examples
    --------
    >>> parse_template("w[-1]|w.lower[+1]").pieces[::2]
    ('w[-1]|w.lower[1]=', '|')
    """
    if text in _EDGES:
        return Template(text, (text,), where=_EDGES[text])
    parsed = [parse_part(part, text) for part in text.split("|")]
    pieces: list[str | Part] = []
    for literal, part in zip(
        ["|".join(name for name, _ in parsed) + "=", *["|"] * len(parsed)],
        [part for _, part in parsed],
        strict=False,
    ):
        pieces += [literal, part]
    return Template(text, tuple(pieces), markers)


def parse_part(text: str, template: str) -> tuple[str, Part]:
    """Return one part of a template and the canonical way to write it.

    Examples
    --------
    >>> parse_part("w.prefix3[+1]", "w.prefix3[+1]")
    ('w.prefix3[1]', Part(column=0, offset=1, transform='prefix', low=3, high=3))
    """
    match = _PART.fullmatch(text)
    if match is None:
        raise ParameterError(
            f"The template {template!r} cannot be read at {text!r}; write parts as w[0], pos[-1] "
            "or w.suffix3[0] and join them with |."
        )
    column = {"w": 0, "pos": 1}.get(match["column"])
    column = int(match["column"][1:]) if column is None else column
    transform, low, high = match["transform"] or "identity", 0, 0
    if transform in FLAGS and match["low"] is None:
        part = Part(column, int(match["offset"]), "flag", FLAGS.index(transform))
    else:
        low = int(match["low"] or 0)
        high = int(match["high"] or low)
        part = Part(column, int(match["offset"]), transform, low, high)
    known = transform in (*_PLAIN, *_SIZED, "ngrams", *FLAGS)
    ranged = match["high"] is not None and transform != "ngrams"
    sized = transform in (*_SIZED, "ngrams")
    if not known or ranged or sized != (match["low"] is not None):
        choices = ["prefix3", "suffix3", "ngrams3", "ngrams2-4", *_PLAIN[1:], *FLAGS]
        raise ParameterError(
            f"The template {template!r} asks for {text!r}; behind the point of a column may stand "
            f"one of {', '.join(choices)}."
        )
    return f"{text[: text.index('[')]}[{part.offset}]", part


def of_macro(macro: Any) -> Template | None:
    """Return the template of one line of a CRF++ template file; None for a plain ``B``.

    A line that begins with B and has no cells says that label pairs have weights, which is not a
    feature of tokens.

    Examples
    --------
    >>> from linnet.data.crfpp import parse_template
    >>> of_macro(parse_template("U1:%x[-1,0]/%x[0,1]").macros[0]).pieces[0]
    'U1:'
    """
    pieces = tuple(p if isinstance(p, str) else Part(p.column, p.row) for p in macro.parts)
    cells = [f"%x[{p.offset},{p.column}]" if isinstance(p, Part) else p for p in pieces]
    name = "".join(cells)
    if macro.kind == "U":
        return Template(name, pieces, markers=True)
    if any(isinstance(piece, Part) for piece in pieces):
        raise ParameterError(
            f"The template {name!r} (line {macro.line}) joins cells with label pairs, which linnet "
            "has no weights for; begin it with U, and write a plain B for the label pairs."
        )
    return None


def _wrong(part: Part) -> str:
    """Return what no part can be, or nothing."""
    if not -_REACH <= part.offset <= _REACH:
        return f"looks {part.offset} tokens away, but {_REACH} is the most"
    if part.transform in _SIZED and not 1 <= part.low <= _LONGEST:
        return f"has a {part.transform} of {part.low} characters, but 1 is the least"
    if part.transform == "ngrams" and not 1 <= part.low <= part.high <= _LONGEST_GRAM:
        return (
            f"has n-grams of {part.low} to {part.high} characters, but they must have at least 1 "
            f"and at most {_LONGEST_GRAM}"
        )
    return ""


def _stored_piece(piece: Any) -> str | Part:
    if isinstance(piece, str):
        piece.encode()
        return piece
    column, offset, transform, low, high = piece
    numbers = (column, offset, low, high)
    if not all(type(number) is int and abs(number) <= _LONGEST for number in numbers):
        raise ValueError(f"{piece!r} is no part")
    flag = transform == "flag" and 0 <= low < len(FLAGS)
    if not flag and transform not in (*_PLAIN, *_SIZED, "ngrams"):
        raise ValueError(f"{transform!r} is no transform")
    return Part(column, offset, transform, low, high)
