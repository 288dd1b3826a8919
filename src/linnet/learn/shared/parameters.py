"""The parameters of a learner, each declared and documented once.

scikit-learn reads the parameters of an estimator from the signature of its constructor. Under
:func:`parameters` that constructor is made from annotated attributes, those of the bases first, as
dataclasses make theirs; what several learners share stands in one base. Their documentation is
joined the same way: a class describes its own parameters and attributes, and ``help`` shows those
of its bases after them.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

__all__ = ["parameters"]

_Class = TypeVar("_Class", bound=type[Any])
_JOINED = ("Parameters", "Attributes")
_Sections = dict[str, list[str]]  # lines by title; those before the first title have the title ""


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(field,))
def parameters(cls: _Class) -> _Class:
    """Make the annotated attributes of a class the keyword arguments of its constructor.

    An attribute that is no parameter is a ``ClassVar``, or is not annotated in such a class.
    ``field(default=1.0, kw_only=False)`` may also be given by its place.

    Examples
    --------
    >>> @parameters
    ... class Base:
    ...     '''What all have.
    ...
    ...     Parameters
    ...     ----------
    ...     verbose : int
    ...     '''
    ...
    ...     verbose: int = 0
    >>> @parameters
    ... class Learner(Base):
    ...     '''A learner.
    ...
    ...     Parameters
    ...     ----------
    ...     C : float
    ...         Weight of the losses.
    ...     '''
    ...
    ...     C: float = field(default=1.0, kw_only=False)
    >>> inspect.signature(Learner)
    <Signature (C: 'float' = 1.0, *, verbose: 'int' = 0) -> None>
    >>> Learner.__doc__.splitlines()[-3:]
    ['C : float', '    Weight of the losses.', 'verbose : int']
    """
    dataclass(eq=False, repr=False, kw_only=True)(cls)
    if cls.__doc__:  # there is none under python -OO
        cls.__doc__ = _joined_documentation(cls)
    return cls


def _joined_documentation(cls: type[Any]) -> str:
    """Return the docstring of a class with what only its bases describe."""
    sections = _sections(inspect.cleandoc(cls.__doc__ or ""))
    for title in _JOINED:
        entries = _entries(sections.get(title, []))
        described = {name for head, _ in entries for name in _names(head)}
        for base in cls.__mro__[1:]:
            if "__dataclass_fields__" not in vars(base) or not base.__doc__:
                continue
            for head, lines in _entries(_sections(inspect.cleandoc(base.__doc__)).get(title, [])):
                if described.isdisjoint(_names(head)):
                    entries.append((head, lines))
                    described.update(_names(head))
        if entries:
            sections[title] = [line for _, lines in entries for line in lines]
    order = ["", *_JOINED, *(title for title in sections if title not in ("", *_JOINED))]
    parts = [_shown(title, sections[title]) for title in order if sections.get(title)]
    return "\n\n".join(parts)


def _sections(text: str) -> _Sections:
    """Cut a docstring at its underlined titles."""
    lines = text.splitlines()
    sections: _Sections = {"": []}
    title = ""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if following and set(following) == {"-"} and len(following) == len(line):
            title = line
            sections[title] = []
        elif not (line and set(line) == {"-"}):
            sections[title].append(line)
    return {name: _stripped(body) for name, body in sections.items()}


def _stripped(lines: list[str]) -> list[str]:
    kept = [number for number, line in enumerate(lines) if line.strip()]
    return lines[kept[0] : kept[-1] + 1] if kept else []


def _entries(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Return head and lines of each entry; heads are not indented."""
    entries: list[tuple[str, list[str]]] = []
    for line in lines:
        if line and not line[0].isspace():
            entries.append((line, [line]))
        elif entries:
            entries[-1][1].append(line)
    return entries


def _names(head: str) -> list[str]:
    return [name.strip() for name in head.partition(" : ")[0].split(",")]


def _shown(title: str, lines: list[str]) -> str:
    return "\n".join(lines if not title else [title, "-" * len(title), *lines])
